/* A simulated board, in libboard.so: registers over AXI4-Lite, memory behind AXI4, time. See halidehw_board.cpp. */
#ifndef BOARD_H
#define BOARD_H

#include <stdint.h>

void *board_open(void);
void board_close(void *board);

/* Registers, as a driver's `peek` and `poke`: time passes as the bus takes it. */
uint32_t board_peek(void *board, uint32_t offset);
void board_poke(void *board, uint32_t offset, uint32_t word);

/* Lets up to so many cycles pass, fewer where an interrupt comes. */
void board_run(void *board, uint64_t cycles);
uint64_t board_cycles(void *board);

/* The byte of memory at the address BOARD_ORIGIN. */
uint8_t *board_memory(void *board);
#define BOARD_ORIGIN 0x100000000ull

/* 0, or not when a register does not answer or the accelerator breaks a rule of AXI. */
int board_failure(void *board);
uint64_t board_failure_address(void *board);

/* The memory: cycles to an answer, `rate_words` beats in `rate_cycles` cycles (0: any), of 65536 cycles how many are
   stalled at random, the seed of that, and what is answered with errors: 1 reads, 2 writes. */
void board_timing(void *board, uint32_t latency, uint32_t rate_words, uint32_t rate_cycles, uint32_t stall,
                  uint32_t seed, uint32_t refuse);

#endif
