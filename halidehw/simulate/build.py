"""Verilog to a simulator: verilate, compile against the prebuilt runtime, link. Cached by content.

Most of a small build is Verilator's runtime and its headers. Both are compiled once (`runtime`) and shared: a
library of objects and a precompiled header, and a tracer's on top. What is left of small designs is compiled as one
unit; of a large one, two units at a time.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal

import cocotb_tools.config

from halidehw.errors import SimulationError
from halidehw.simulate.bench import TOP
from halidehw.simulate.cache import cache_folder, stored
from halidehw.simulate.tools import Verilator, find_compiler, find_verilator, identify, native, run_tool, run_tools
from halidehw.simulate.waves import Format

Optimize = Literal["build", "run"]

_RUNTIME: dict[Format, tuple[str, ...]] = {
    None: ("verilated", "verilated_dpi", "verilated_vpi", "verilated_threads"),
    "vcd": ("verilated_vcd_c",),
    "fst": ("verilated_fst_c",),
}
"""Verilator's sources that every simulator needs, and those that a tracer adds."""

_TRACE_LIBRARIES: dict[Format, tuple[str, ...]] = {None: (), "vcd": (), "fst": ("-llz4", "-lz")}
_HEADER_FOLDERS = ("/usr/include", "/usr/local/include")
_FST_HEADERS = ("lz4.h", "zlib.h")
_HEADERS = ("memory", "verilated.h", "verilated_vpi.h")
_HEADER_LEVEL = "-O0"  # a precompiled header serves one level only
_STANDARD = "-std=c++17"  # what C++20 evaluates in headers takes a quarter of a second of each unit
_UNIT_BYTES = 5_000_000
_QUICK = ["-O1", "-fno-dfg", "-fno-table", "-fno-merge-cond", "-fno-split"]
"""Without Verilator's passes that take long and make no smaller a simulator."""
_FAST = [
    "-O3", "-march=native", "--param=max-completely-peel-times=8", "-fno-gcse-after-reload", "-fno-tree-pre",
    "-fno-tree-loop-vectorize",
]  # fmt: skip
"""Loops over sixteen lanes remain loops: written out sixteen times, they take three times as long to compile. Two
passes that look for loads to spare take half the time of compiling a large array, and give loops that are slower. Loops
are not vectorized: for machines with AVX2 GCC 12.2 made wrong code of some, and they took longer to compile."""


@dataclass(frozen=True)
class Toolchain:
    """Everything besides the design that determines a build. `waves`: with a tracer; `optimize`: for what speed.
    `library`: what is built is a library that a program loads, and no program with cocotb."""

    verilator: Verilator
    compiler: str
    waves: Format
    optimize: Optimize
    library: bool = False

    @property
    def key(self) -> tuple[str, ...]:
        """What the runtime depends on."""
        return (self.verilator.identity, identify(Path(self.compiler)), *self.compile, _HEADER_LEVEL, *_HEADERS)

    @property
    def compile(self) -> list[str]:
        """The compiler with the flags that the runtime and the designs share; those of optimization come on top."""
        include = self.verilator.root / "include"
        trace = {
            "VM_TRACE": self.waves is not None,
            "VM_TRACE_VCD": self.waves == "vcd",
            "VM_TRACE_FST": self.waves == "fst",
            "VM_TRACE_SAIF": False,
        }
        return [
            self.compiler,
            _STANDARD,
            "-fPIC",
            "-DVERILATOR=1",
            "-DVM_COVERAGE=0",
            "-DVM_SC=0",
            "-DVM_TIMING=0",
            *(f"-D{name}={int(value)}" for name, value in trace.items()),
            f"-I{include}",
            f"-I{include / 'vltstd'}",
        ]


def find_toolchain(waves: Format, optimize: Optimize) -> Toolchain:
    """The tools of this machine. Raises SimulationError for one that is missing or too old."""
    tools = Toolchain(find_verilator(), find_compiler(), waves, optimize)
    missing = [name for name in _FST_HEADERS if not any(Path(folder, name).exists() for folder in _HEADER_FOLDERS)]
    if waves == "fst" and missing:
        raise SimulationError(
            f"FST waveforms need {' and '.join(missing)}, which this machine does not have",
            legal=("sudo apt-get install liblz4-dev zlib1g-dev", 'waves="waves.vcd"'),
        )
    return tools


def build(sources: dict[str, str], tools: Toolchain) -> Path:
    """The folder of the simulator of a bench, built unless it is in the cache.

    sources: file name -> text; the SystemVerilog has the top `halidehw_bench`, the C++ has `main`, but for a library.
    Raises SimulationError with the first lines of the tool's message and the folder where the sources are kept.
    """
    texts = tuple(text for source in sources.items() for text in source)
    machine = native(tools.compiler) if tools.optimize == "run" else ""
    key = (*tools.key, tools.optimize, *_FAST, machine, str(tools.library), str(cocotb_tools.config.libs_dir), *texts)
    return stored("builds", key, partial(_build_or_keep, sources=sources, tools=tools))


def _build_or_keep(folder: Path, sources: dict[str, str], tools: Toolchain) -> None:
    """The sources of a build that fails stay where they can be looked at."""
    try:
        _build(folder, sources, tools)
    except SimulationError as error:
        failed = cache_folder() / "failed"
        failed.mkdir(parents=True, exist_ok=True)
        _write(failed, sources)
        raise SimulationError(f"{error.message}\n  the sources are in {failed}", legal=error.proposed) from None


def _build(folder: Path, sources: dict[str, str], tools: Toolchain) -> None:
    parts = dict.fromkeys((tools, replace(tools, waves=None)))
    runtime, *rest = (stored("runtime", part.key, partial(_build_runtime, tools=part)) for part in parts)
    _write(folder, sources)
    _verilate(folder, [name for name in sources if not name.endswith(".cpp")], tools)
    units = _units(folder)
    quick = [_HEADER_LEVEL, "-include", str(runtime / "runtime.h")]
    fast = quick if tools.optimize == "build" else [*_FAST, *([] if tools.library else ["-fPIE"])]
    run_tools([[*tools.compile, *fast, "-I.", "-c", unit] for unit in units], folder)
    cocotb = cocotb_tools.config.libs_dir
    link = [
        tools.compiler,
        *(str(Path(unit).with_suffix(".o")) for unit in units),
        *(str(part / "runtime.a") for part in (runtime, *rest)),
        *(["-shared"] if tools.library else [f"-L{cocotb}", f"-Wl,-rpath,{cocotb}", "-lcocotbvpi_verilator"]),
        "-lpthread",
        *_TRACE_LIBRARIES[tools.waves],
        "-s",
        "-o",
        TOP,
    ]
    run_tool(link, folder)
    for path in folder.iterdir():
        if path.name != TOP:
            path.unlink()


def _write(folder: Path, sources: dict[str, str]) -> None:
    for name, text in sources.items():
        (folder / name).write_text(text)


def _verilate(folder: Path, sources: list[str], tools: Toolchain) -> None:
    trace = [f"--trace-{tools.waves}", "--trace-structs"] if tools.waves else []
    command = [
        *tools.verilator.command,
        *("-cc", "--vpi", "--no-timing", "--unroll-count", "1", "--timescale", "1ns/1ns"),
        *(_QUICK if tools.optimize == "build" else ["-O3"]),
        "--no-decoration",
        *("--x-assign", "fast", "--x-initial", "fast"),
        *("-Wno-fatal", "-Wno-lint", "-Wno-style"),
        *("--prefix", "Vtop", "--Mdir", ".", "--top-module", TOP),
        *trace,
        *sources,
    ]
    run_tool(command, folder, tools.verilator.environment)


def _units(folder: Path) -> list[str]:
    """Compilation units: the generated files and the main, as many together as make up a unit's bytes, since each
    unit reads the headers again."""
    units: list[list[str]] = [[]]
    size = 0
    for path in sorted(folder.glob("*.cpp")):
        if size > _UNIT_BYTES:
            units.append([])
            size = 0
        units[-1].append(path.name)
        size += path.stat().st_size
    for number, names in enumerate(units):
        (folder / f"unit{number}.cpp").write_text("".join(f'#include "{name}"\n' for name in names))
    return [f"unit{number}.cpp" for number in range(len(units))]


def _build_runtime(folder: Path, tools: Toolchain) -> None:
    tracer = {"vcd": "verilated_vcd_c.h", "fst": "verilated_fst_c.h"}.get(tools.waves or "")
    headers = (*_HEADERS, tracer) if tracer else _HEADERS
    (folder / "runtime.h").write_text("".join(f"#include <{name}>\n" for name in headers))
    sources = _RUNTIME[tools.waves]
    include = tools.verilator.root / "include"
    commands = [[*tools.compile, "-O1", "-c", str(include / f"{name}.cpp"), "-o", f"{name}.o"] for name in sources]
    header = [*tools.compile, _HEADER_LEVEL, "-x", "c++-header", "runtime.h", "-o", "runtime.h.gch"]
    run_tools([header, *commands], folder)
    run_tool(["ar", "rcs", "runtime.a", *(f"{name}.o" for name in sources)], folder)
    for name in sources:
        (folder / f"{name}.o").unlink()
