// A simulated board as a library: an accelerator's registers over AXI4-Lite, the memory behind its AXI4 master, and time.
//
// Time passes only in these calls: a read or a write of a register takes the cycles that the bus takes, and `run` as
// many as it is told, or up to an interrupt. All is defined in C, so that a driver in C, or ctypes, can call it.
#include <cstdint>

#include "Vtop.h"
#include "Vtop___024root.h"
#include "verilated.h"

namespace {

// Cycles after which a bus that has not answered never will.
constexpr int patience = 1000;

struct Board {
    VerilatedContext context;
    Vtop top{&context, ""};
    uint64_t cycles = 0;
    bool stuck = false;

    Board() {
        top.rst_n = 0;
        for (int i = 0; i < 4; i++) step();
        top.rst_n = 1;
    }

    void step() {
        for (const bool level : {true, false}) {
            top.clk = level;
            top.eval();
            context.timeInc(1);
        }
        cycles++;
    }
};

}  // namespace

extern "C" {

void *board_open() { return new Board; }

void board_close(void *board) {
    static_cast<Board *>(board)->top.final();
    delete static_cast<Board *>(board);
}

uint32_t board_peek(void *board, uint32_t offset) {
    Board &at = *static_cast<Board *>(board);
    Vtop &top = at.top;
    top.ARADDR = offset;
    top.ARVALID = top.RREADY = 1;
    for (int i = 0; i < patience; i++) {
        const bool asked = top.ARVALID && top.ARREADY, answered = top.RVALID;
        const uint32_t word = top.RDATA;
        at.step();
        if (asked) top.ARVALID = 0;
        if (answered) {
            top.RREADY = 0;
            top.eval();
            return word;
        }
    }
    at.stuck = true;
    return 0;
}

void board_poke(void *board, uint32_t offset, uint32_t word) {
    Board &at = *static_cast<Board *>(board);
    Vtop &top = at.top;
    top.AWADDR = offset;
    top.WDATA = word;
    top.WSTRB = 15;
    top.AWVALID = top.WVALID = top.BREADY = 1;
    for (int i = 0; i < patience; i++) {
        const bool addressed = top.AWREADY, worded = top.WREADY, answered = top.BVALID;
        at.step();
        if (addressed) top.AWVALID = 0;
        if (worded) top.WVALID = 0;
        if (answered) {
            top.BREADY = 0;
            top.eval();
            return;
        }
    }
    at.stuck = true;
}

// Lets up to so many cycles pass: fewer where an interrupt comes, or a rule of the bus is broken.
void board_run(void *board, uint64_t cycles) {
    Board &at = *static_cast<Board *>(board);
    while (cycles-- && !at.top.irq && !at.top.failure) at.step();
}

uint64_t board_cycles(void *board) { return static_cast<Board *>(board)->cycles; }

// 0; -1 when a register did not answer; else the rule of AXI that the accelerator has broken, and where.
int board_failure(void *board) {
    const Board &at = *static_cast<Board *>(board);
    return at.stuck ? -1 : static_cast<int>(at.top.failure);
}

uint64_t board_failure_address(void *board) { return static_cast<Board *>(board)->top.failure_address; }

// The first byte of the memory. Bytes are as in the processor's own memory.
uint8_t *board_memory(void *board) {
    return reinterpret_cast<uint8_t *>(&static_cast<Board *>(board)->top.rootp->halidehw_bench__DOT__memory__DOT__beats[0]);
}

// How memory behaves: as of the bench's (`halidehw_axi_memory.sv`). `refuse`: 1 reads, 2 writes are answered with errors.
void board_timing(void *board, uint32_t latency, uint32_t rate_words, uint32_t rate_cycles, uint32_t stall,
                  uint32_t seed, uint32_t refuse) {
    Board &at = *static_cast<Board *>(board);
    Vtop &top = at.top;
    top.latency = latency;
    top.rate_words = rate_words;
    top.rate_cycles = rate_cycles;
    top.stall = stall;
    top.refuse = refuse;
    top.rootp->halidehw_bench__DOT__memory__DOT__random = seed * 2654435761u | 1;
}

}
