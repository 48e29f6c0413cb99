// The simulator's main: cocotb through VPI, and a clock that toggles in C++ until the bench has halted.
//
// cocotb acts once before the first cycle and again after the last, so that nothing is asked of it in between.
#include <memory>

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
    void close() {}
};
#endif

extern "C" void vlog_startup_routines_bootstrap();

namespace {

// More than cocotb needs to end its test once the bench has halted.
constexpr int last_steps = 1000;

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

void half_cycle(VerilatedContext& context, Vtop& top, Tracer& tracer, bool level) {
    top.clk = level;
    top.eval();
    tracer.dump(context.time());
    context.timeInc(1);
}

}  // namespace

int main(int argc, char** argv) {
    VerilatedContext& context = *Verilated::threadContextp();
    context.commandArgs(argc, argv);
    context.fatalOnVpiError(false);
    Tracer tracer;
    const auto top = std::make_unique<Vtop>("");
#if VM_TRACE
    context.traceEverOn(true);
    top->trace(&tracer, 99);
    tracer.open(argv[1]);
#endif
    vlog_startup_routines_bootstrap();
    VerilatedVpi::callCbs(cbStartOfSimulation);
    top->clk = 0;
    top->eval();
    vpi_step();
    while (!top->halted && !context.gotFinish()) {
        half_cycle(context, *top, tracer, true);
        half_cycle(context, *top, tracer, false);
    }
    for (int step = 0; step < last_steps && !context.gotFinish(); step++) {
        vpi_step();
        context.timeInc(1);
    }
    top->final();
    VerilatedVpi::callCbs(cbEndOfSimulation);
    tracer.close();
    return 0;
}
