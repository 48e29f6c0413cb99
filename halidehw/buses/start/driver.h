/* The driver of {{name}}: arguments, runs, counters. Registers in {{name}}_regs.h. C99, no allocation, no globals. */
#ifndef {{NAME}}_H
#define {{NAME}}_H

#include <stdint.h>

#include "{{name}}_regs.h"

/* How registers are reached: words of 32 bits at byte offsets. */
typedef struct {
    uint32_t (*peek)(void *context, uint32_t offset);
    void (*poke)(void *context, uint32_t offset, uint32_t value);
    void *context;
} {{name}}_device;

enum { {{NAME}}_OK = 0, {{NAME}}_BUSY = -1, {{NAME}}_TIMEOUT = -2, {{NAME}}_MISALIGNED = -3 };

/* A device whose registers the processor reaches as memory, from `registers` on. */
{{name}}_device {{name}}_mapped(volatile void *registers);

/* An argument of the next run, one of {{NAME}}_ARG_*. {{NAME}}_MISALIGNED where it has to be aligned and is not. */
int {{name}}_set(const {{name}}_device *device, unsigned argument, uint64_t value);

/* Starts a run: {{NAME}}_OK, or {{NAME}}_BUSY while one goes on. */
int {{name}}_start(const {{name}}_device *device);

/* Looks until the run is over, at most so many times: {{NAME}}_OK, {{NAME}}_TIMEOUT, or what `status` says, which is
   positive: {{NAME}}_MASK_status_*. */
int {{name}}_wait(const {{name}}_device *device, unsigned long looks);

/* Ends the run early; the wait for it then says so. */
void {{name}}_abort(const {{name}}_device *device);

/* An interrupt at the end of each run, or none. */
void {{name}}_interrupts(const {{name}}_device *device, int enable);

/* Takes back the interrupt that is there. */
void {{name}}_acknowledge(const {{name}}_device *device);

/* A number of 64 bits, such as a counter at {{NAME}}_ADDR_cycles. */
uint64_t {{name}}_number(const {{name}}_device *device, uint32_t offset);

#endif
