// The simulator's main: cocotb through VPI, and a clock for each bench that toggles in C++ while the bench is busy.
//
// cocotb acts before the first cycle of a run and again after its last, so that nothing is asked of it in between.
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

void half_cycle(VerilatedContext& context, Vtop& top, Tracer& tracer, bool level) {
    top.clk = level ? top.busy : 0;
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
    for (int idle = 0; idle < idle_steps && !context.gotFinish(); idle++) {
        vpi_step();
        context.timeInc(1);
        top->eval();
        while (top->busy && !context.gotFinish()) {
            idle = 0;
            half_cycle(context, *top, tracer, true);
            half_cycle(context, *top, tracer, false);
        }
    }
    top->final();
    VerilatedVpi::callCbs(cbEndOfSimulation);
    tracer.close();
    return 0;
}
