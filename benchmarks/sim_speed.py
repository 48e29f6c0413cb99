"""Simulated cycles per second, beside a bare C++ harness of Verilator on the same design.

    python benchmarks/sim_speed.py

The bare harness has no cocotb, no VPI and no protocol checks: a loop that toggles the clock and an ideal memory
in C++. Both are built with -O3 for this machine; building is not timed, and time is the processor's own, whatever else
it does.
"""

from __future__ import annotations

import resource
import subprocess
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from halidehw.microarch.interface import Counter, Interface, Port
from halidehw.simulate import Run, simulate_verilog
from halidehw.simulate.tools import find_compiler, find_verilator, run_tool

ROUNDS = 3


@dataclass(frozen=True)
class Case:
    """A design with its inputs; `target` is the least acceptable ratio of our speed to the bare harness's."""

    name: str
    verilog: str
    interface: Interface
    inputs: dict[str, np.ndarray]
    target: float


def outer_product(size: int, steps: int, words: int = 1024) -> Case:
    """A systolic array of size x size 16-bit MACs that reads `size` words of a and b in each of `steps` cycles."""
    ports = (
        Port("a", "a", "read", size, 16, True, words, 16),
        Port("b", "b", "read", size, 16, True, words, 16),
        Port("y", "y", "write", size, 32, True, size * size, 16),
    )
    interface = Interface("outer_product", ports, (Counter("cycles", 32, "clock cycles"),))
    verilog = f"""
module pe (input clk, input clear, input enable, input signed [15:0] a, input signed [15:0] b,
           output reg signed [15:0] a_out, output reg signed [15:0] b_out, output reg signed [31:0] sum);
  reg signed [31:0] product;
  always @(posedge clk) if (clear) {{a_out, b_out, product, sum}} <= 0;
    else if (enable) begin a_out <= a; b_out <= b; product <= a * b; sum <= sum + product; end
endmodule
module outer_product (input clk, input rst, input start, input abort, output idle, output reg done,
  output reg [31:0] cycles,
  output a_req_valid, input a_req_ready, output [15:0] a_req_addr, output [{size - 1}:0] a_req_mask,
  input a_resp_valid, output a_resp_ready, input [{16 * size - 1}:0] a_resp_data,
  output b_req_valid, input b_req_ready, output [15:0] b_req_addr, output [{size - 1}:0] b_req_mask,
  input b_resp_valid, output b_resp_ready, input [{16 * size - 1}:0] b_resp_data,
  output y_valid, input y_ready, output [15:0] y_addr, output [{size - 1}:0] y_mask, output [{32 * size - 1}:0] y_data);
  reg running;
  assign idle = !running;
  reg [31:0] asked_a, asked_b, step, row;
  reg [15:0] address_a, address_b;
  wire enable = a_resp_valid && b_resp_valid && step != {steps};
  wire signed [15:0] a [0:{size}][0:{size}];
  wire signed [15:0] b [0:{size}][0:{size}];
  wire signed [31:0] sum [0:{size - 1}][0:{size - 1}];
  assign {{a_req_valid, b_req_valid}} = {{running && asked_a != {steps}, running && asked_b != {steps}}};
  assign {{a_req_addr, b_req_addr, a_req_mask, b_req_mask}} = {{address_a, address_b, {{{2 * size}{{1'b1}}}}}};
  assign {{a_resp_ready, b_resp_ready}} = {{enable, enable}};
  assign y_valid = running && step == {steps};
  assign y_addr = row * {size};
  assign y_mask = {{{size}{{1'b1}}}};
  genvar i, j;
  generate for (i = 0; i < {size}; i = i + 1) begin : rows
    assign a[i][0] = a_resp_data[16*i +: 16];
    assign b[0][i] = b_resp_data[16*i +: 16];
    assign y_data[32*i +: 32] = sum[row][i];
    for (j = 0; j < {size}; j = j + 1) begin : columns
      pe pe (clk, !running, enable, a[i][j], b[i][j], a[i][j+1], b[i+1][j], sum[i][j]);
    end
  end endgenerate
  always @(posedge clk) begin
    if (running) cycles <= cycles + 1;
    if (a_req_valid && a_req_ready) begin
      asked_a <= asked_a + 1;
      address_a <= address_a == {words - size} ? 0 : address_a + {size};
    end
    if (b_req_valid && b_req_ready) begin
      asked_b <= asked_b + 1;
      address_b <= address_b == {words - size} ? 0 : address_b + {size};
    end
    if (enable) step <= step + 1;
    if (y_valid && y_ready) begin row <= row + 1; if (row == {size - 1}) begin running <= 0; done <= 1; end end
    if (start && !running || rst) begin
      running <= !rst; {{done, cycles, asked_a, asked_b, step, row, address_a, address_b}} <= 0;
    end
  end
endmodule
"""
    random = np.random.default_rng(0)
    inputs = {name: random.integers(-99, 99, words) for name in "ab"}
    return Case(f"{size}x{size} array", verilog, interface, inputs, 0.3 if size < 16 else 0.8)


def ours(case: Case) -> tuple[float, np.ndarray]:
    """Cycles per second of `simulate_verilog`: what a second start takes on top of the first; and the outputs."""

    def seconds(starts: int) -> tuple[float, Run]:
        begin = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        run = simulate_verilog(
            case.verilog, case.interface, case.inputs, optimize="run", starts=starts, timeout_cycles=10**9
        )
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - begin, run

    seconds(1)
    once, run = min((seconds(1) for _ in range(ROUNDS)), key=itemgetter(0))
    twice, _ = min((seconds(2) for _ in range(ROUNDS)), key=itemgetter(0))
    return run.cycles / (twice - once), run.outputs["y"]


def bare(case: Case) -> tuple[float, np.ndarray]:
    """Cycles per second of the bare harness, and the outputs."""
    tools = find_verilator()
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "design.v").write_text(case.verilog)
        (folder / "harness.cpp").write_text(harness(case))
        options = ["-cc", "-O3", "-Wno-fatal", "-Wno-lint", "--prefix", "Vdesign", "--Mdir", "."]
        module = case.interface.module
        run_tool([*tools.command, *options, "--top-module", module, "design.v"], folder, tools.environment)
        include = tools.root / "include"
        sources = [*(path.name for path in folder.glob("*.cpp")), include / "verilated.cpp"]
        sources += [include / "verilated_threads.cpp"]
        flags = ["-O3", "-march=native", "-std=c++20", f"-I{include}", f"-I{include / 'vltstd'}", "-I.", "-pthread"]
        run_tool([find_compiler(), *flags, *map(str, sources), "-o", "bare"], folder)
        runs = [
            subprocess.run([folder / "bare"], capture_output=True, text=True, check=True).stdout.split()
            for _ in range(ROUNDS)
        ]
    return max(float(run[0]) for run in runs), np.array(runs[0][1:], dtype=np.int64)


def harness(case: Case) -> str:
    """The C++ of the bare harness: prints the cycles per second and the output words."""
    reads = [port for port in case.interface.ports if port.kind == "read"]
    writes = [port for port in case.interface.ports if port.kind == "write"]
    declare = "".join(
        f"static const long {p.tensor}[] = {{{', '.join(map(str, case.inputs[p.tensor]))}}};\n" for p in reads
    ) + "".join(f"static long {p.tensor}[{p.words}];\n" for p in writes)
    read_lane = "if ((top.{n}_req_mask >> i) & 1) put<{b}>(top.{n}_resp_data, i, {n}[address + i]);"
    write_lane = "if ((top.{n}_mask >> i) & 1) {n}[top.{n}_addr + i] = get<{b}>(top.{n}_data, i);"
    sample = "".join(
        f"const bool {p.name}_ask = top.{p.name}_req_valid && top.{p.name}_req_ready; "
        f"const bool {p.name}_take = top.{p.name}_resp_valid && top.{p.name}_resp_ready; "
        f"const unsigned {p.name}_address = top.{p.name}_req_addr;\n"
        for p in reads
    ) + "".join(
        f"if (top.{p.name}_valid) for (int i = 0; i < {p.lanes}; i++) {write_lane.format(n=p.name, b=p.bits)}\n"
        for p in writes
    )
    update = "".join(
        f"""if ({p.name}_ask) {{
            const unsigned address = {p.name}_address;
            for (int i = 0; i < {p.lanes}; i++) {read_lane.format(n=p.name, b=p.bits)}
            top.{p.name}_resp_valid = 1;
        }} else if ({p.name}_take) top.{p.name}_resp_valid = 0;
        top.{p.name}_req_ready = !top.{p.name}_resp_valid || top.{p.name}_resp_ready;
"""
        for p in reads
    )
    ready = "".join(f"top.{p.name}_req_ready = 1;" for p in reads) + "".join(f"top.{p.name}_ready = 1;" for p in writes)
    show = "".join(f'for (long word : {p.tensor}) std::printf("%ld\\n", word);' for p in writes)
    return f"""
#include <ctime>
#include <cstdio>
#include "Vdesign.h"
double sc_time_stamp() {{ return 0; }}
template <int bits, std::size_t n> void put(VlWide<n>& data, int lane, long word) {{
    const int at = lane * bits, shift = at % 32;
    const unsigned mask = ((1ul << bits) - 1) << shift;
    data[at / 32] = (data[at / 32] & ~mask) | ((unsigned(word) << shift) & mask);
}}
template <int bits> void put(QData& data, int lane, long word) {{
    const QData mask = ((1ul << bits) - 1) << (lane * bits);
    data = (data & ~mask) | ((QData(word) << (lane * bits)) & mask);
}}
template <int bits, std::size_t n> long get(const VlWide<n>& data, int lane) {{
    return int(data[lane * bits / 32] << (32 - bits - lane * bits % 32)) >> (32 - bits);
}}
{declare}
int main() {{
    Vdesign top;
    long cycles = 0;
    top.rst = 1;
    for (int i = 0; i < 4; i++) {{ top.clk = 1; top.eval(); top.clk = 0; top.eval(); }}
    top.rst = 0; top.start = 1; {ready}
    const auto begin = std::clock();
    do {{
        {sample}
        top.clk = 1; top.eval();
        top.start = 0;
        {update}
        top.clk = 0; top.eval();
        cycles++;
    }} while (!top.done);
    std::printf("%f\\n", cycles * double(CLOCKS_PER_SEC) / (std::clock() - begin));
    {show}
}}
"""


def main() -> None:
    """Print the table."""
    print(f"{'design':>14} {'ours':>12} {'bare C++':>12}  ratio (target)")
    for case in (outer_product(4, 3_000_000), outer_product(16, 1_000_000)):
        fast, words = ours(case)
        reference, expected = bare(case)
        assert (words == expected).all(), f"{case.name}: the two simulations differ"
        print(f"{case.name:>14} {fast:12.0f} {reference:12.0f}  {fast / reference:.2f} ({case.target})")


if __name__ == "__main__":
    main()
