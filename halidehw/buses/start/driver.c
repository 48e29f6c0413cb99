#include "{{name}}.h"

typedef struct {
    uint32_t offset, bits, align;
} argument_register;

static const argument_register arguments[] = {{NAME}}_ARGUMENTS;

static uint32_t mapped_peek(void *context, uint32_t offset) {
    return ((volatile uint32_t *)context)[offset / 4];
}

static void mapped_poke(void *context, uint32_t offset, uint32_t value) {
    ((volatile uint32_t *)context)[offset / 4] = value;
}

static uint32_t get(const {{name}}_device *device, uint32_t offset) {
    return device->peek(device->context, offset);
}

static void put(const {{name}}_device *device, uint32_t offset, uint32_t value) {
    device->poke(device->context, offset, value);
}

{{name}}_device {{name}}_mapped(volatile void *registers) {
    {{name}}_device device = {mapped_peek, mapped_poke, (void *)registers};
    return device;
}

int {{name}}_set(const {{name}}_device *device, unsigned argument, uint64_t value) {
    const argument_register *to = &arguments[argument];
    if (value & (to->align - 1)) return {{NAME}}_MISALIGNED;
    put(device, to->offset, (uint32_t)value);
    if (to->bits > 32) put(device, to->offset + 4, (uint32_t)(value >> 32));
    return {{NAME}}_OK;
}

int {{name}}_start(const {{name}}_device *device) {
    if (get(device, {{NAME}}_ADDR_ap_ctrl) & {{NAME}}_MASK_ap_ctrl_ap_start) return {{NAME}}_BUSY;
    put(device, {{NAME}}_ADDR_ap_ctrl, {{NAME}}_MASK_ap_ctrl_ap_start);
    return {{NAME}}_OK;
}

int {{name}}_wait(const {{name}}_device *device, unsigned long looks) {
    const uint32_t over = {{NAME}}_MASK_ap_ctrl_ap_done | {{NAME}}_MASK_ap_ctrl_ap_idle;
    while (looks-- != 0)
        if (get(device, {{NAME}}_ADDR_ap_ctrl) & over)
            return (int)(get(device, {{NAME}}_ADDR_status) & ~{{NAME}}_MASK_status_ignored);
    return {{NAME}}_TIMEOUT;
}

void {{name}}_abort(const {{name}}_device *device) {
    put(device, {{NAME}}_ADDR_abort, {{NAME}}_MASK_abort_abort);
}

void {{name}}_interrupts(const {{name}}_device *device, int enable) {
    put(device, {{NAME}}_ADDR_ier, enable ? {{NAME}}_MASK_ier_done : 0);
    put(device, {{NAME}}_ADDR_gie, enable ? {{NAME}}_MASK_gie_enable : 0);
}

void {{name}}_acknowledge(const {{name}}_device *device) {
    put(device, {{NAME}}_ADDR_isr, get(device, {{NAME}}_ADDR_isr));
}

uint64_t {{name}}_number(const {{name}}_device *device, uint32_t offset) {
    return get(device, offset) | (uint64_t)get(device, offset + 4) << 32;
}
