// The simulator's main: cocotb through VPI, and a clock for each bench that toggles in C++ while the bench is busy.
//
// cocotb acts before the first cycle of a run and again after its last, so that nothing is asked of it in between.
//
// Arguments, with waveforms only: the file; the first cycle and the one after the last that are written to it, from
// the edge that takes `start`; of every so many of them how many are written; whether the simulation ends with them;
// the scope (empty: all).
// HALIDEHW_PROGRESS is a file descriptor to which the number of cycles so far is written a few times a second.
//
// Templates are what a small build takes long for: C's own functions do here.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "Vtop.h"
#include "verilated.h"
#include "verilated_vpi.h"

#if VM_TRACE_FST
#include "verilated_fst_c.h"
using Tracer = VerilatedFstC;
#elif VM_TRACE
#include "verilated_vcd_c.h"
using Tracer = VerilatedVcdC;
#else
struct Tracer {
    void dump(uint64_t) {}
    void dumpvars(int, const char*) {}
    void open(const char*) {}
    void close() {}
};
#endif

extern "C" void vlog_startup_routines_bootstrap();

namespace {

// More than cocotb needs to ask for the next run, or to end its test.
constexpr int idle_steps = 1000;

// One time step as cocotb sees it; the signals do not change in it.
void vpi_step() {
    VerilatedVpi::callTimedCbs();
    VerilatedVpi::callValueCbs();
    VerilatedVpi::callCbs(cbReadWriteSynch);
    VerilatedVpi::doInertialPuts();
    VerilatedVpi::callValueCbs();
    VerilatedVpi::callCbs(cbReadOnlySynch);
    VerilatedVpi::callCbs(cbNextSimTime);
}

// From the first cycle of a run to the edge that takes `start`: see halidehw_control.sv.
constexpr uint64_t launch = 3;

class Waves {
public:
    Waves(int argc, char** argv) {
        if (argc < 7) return;
        first_ = launch + strtoull(argv[2], nullptr, 10);
        last_ = launch + strtoull(argv[3], nullptr, 10);
        every_ = strtoull(argv[4], nullptr, 10);
        length_ = strtoull(argv[5], nullptr, 10);
        ends_ = argv[6][0] == '1';
        if (argc > 7) tracer_.dumpvars(99, argv[7]);
    }

    Tracer& tracer() { return tracer_; }

    // Whether the simulation ends before this cycle.
    bool ends(uint64_t cycle) const { return ends_ && cycle >= last_; }

    void dump(uint64_t cycle, uint64_t time) {
        if (cycle >= first_ && cycle < last_ && (cycle - first_) % every_ < length_) tracer_.dump(time);
    }

private:
    Tracer tracer_;
    uint64_t first_ = 0, last_ = 0, every_ = 1, length_ = 1;
    bool ends_ = false;
};

class Progress {
public:
    Progress() : descriptor_(atoi(getenv("HALIDEHW_PROGRESS"))) {}

    void tell(uint64_t cycle) {
        if (cycle % 4096) return;
        const double now = seconds();
        if (now - told_ < 0.2) return;
        told_ = now;
        if (dprintf(descriptor_, "%llu\n", static_cast<unsigned long long>(cycle)) < 0) _Exit(1);  // nobody asks now
    }

private:
    static double seconds() {
        timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
    }

    int descriptor_;
    double told_ = seconds();
};

}  // namespace

int main(int argc, char** argv) {
    VerilatedContext& context = *Verilated::threadContextp();
    context.commandArgs(argc, argv);
    context.fatalOnVpiError(false);
    Waves waves(argc, argv);
    Progress progress;
    Vtop* const top = new Vtop("");
#if VM_TRACE
    context.traceEverOn(true);
    top->trace(&waves.tracer(), 99);
    waves.tracer().open(argv[1]);
#endif
    vlog_startup_routines_bootstrap();
    VerilatedVpi::callCbs(cbStartOfSimulation);
    top->clk = 0;
    top->eval();
    uint64_t cycle = 0;
    bool first_run = true;
    for (int idle = 0; idle < idle_steps && !context.gotFinish(); idle++) {
        vpi_step();
        context.timeInc(1);
        top->eval();
        for (; top->busy && !context.gotFinish(); cycle++) {
            if (waves.ends(cycle)) context.gotFinish(true);
            idle = 0;
            for (const bool level : {true, false}) {
                top->clk = level ? top->busy : 0;
                top->eval();
                if (first_run) waves.dump(cycle, context.time());
                context.timeInc(1);
            }
            progress.tell(cycle);
        }
        if (cycle) first_run = false;
    }
    top->final();
    VerilatedVpi::callCbs(cbEndOfSimulation);
    waves.tracer().close();
    return 0;
}
