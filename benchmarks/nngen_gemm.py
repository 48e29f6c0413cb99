"""The peer: a matrix product by nngen (128 x 128 x 128, int8 into int32, 16 x 16 multipliers, one 128-bit AXI port).

    python nngen_gemm.py bench.v        # with a Python that has nngen

The file has nngen's accelerator and a test bench `bench` with an ideal memory: no pauses, the shortest delays its
memory model knows. It prints the cycles from the start command to the end of the last transfer.
"""

from __future__ import annotations

import sys
from pathlib import Path

import nngen
import veriloggen
import veriloggen.thread as vthread
from veriloggen import simulation
from veriloggen.types import axi

SIZE = 128
PORT_BITS = 128
LANES = 16


def accelerator() -> veriloggen.Module:
    """nngen's design, of as many multipliers as ours."""
    left = nngen.placeholder(nngen.int8, shape=(SIZE, SIZE), name="left")
    right = nngen.variable(nngen.int8, shape=(SIZE, SIZE), name="right")
    product = nngen.matmul(
        left, right, transposed_b=True, dtype=nngen.int32, sum_dtype=nngen.int32, name="product",
        par_left_col=LANES, par_out_col=LANES,
    )  # fmt: skip
    config = {"maxi_datawidth": PORT_BITS, "interrupt_enable": False}
    return nngen.to_veriloggen([product], "nngen_gemm", silent=True, config=config)


def bench(target: veriloggen.Module) -> veriloggen.Module:
    """A test bench that starts the accelerator once and counts."""
    m = veriloggen.Module("bench")
    m.copy_params(target)
    ports = m.copy_sim_ports(target)
    clock, resetn = ports["CLK"], ports["RESETN"]
    reset = m.Wire("RST")
    reset.assign(veriloggen.Not(resetn))
    memory = axi.AxiMemoryModel(
        m, "memory", clock, reset, datawidth=PORT_BITS, mem_addrwidth=20, write_delay=1, read_delay=1, sleep_interval=0
    )
    memory.connect(ports, "maxi")
    control = vthread.AXIMLite(m, "control", clock, reset, noio=True)
    control.connect(ports, "saxi")
    cycle = m.Reg("cycle", 32, initval=0)
    veriloggen.Seq(m, "counting", clock, reset)(cycle.inc())

    def run() -> None:
        nngen.sim.start(control)
        begin = cycle
        nngen.sim.wait(control)
        print("cycles", cycle - begin)
        vthread.finish()

    vthread.Thread(m, "run", clock, reset, run).start()
    m.Instance(target, "accelerator", params=m.connect_params(target), ports=m.connect_ports(target))
    simulation.setup_clock(m, clock, hperiod=5)
    simulation.setup_reset(m, resetn, m.make_reset(), period=100, polarity="low")
    return m


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(bench(accelerator()).to_verilog())
