"""A simulated board: an accelerator behind its buses, with memory, driven as a real one is."""

from __future__ import annotations

import ctypes
import shutil
from dataclasses import dataclass, replace
from importlib import resources
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from halidehw.buses.attached import BUNDLE, Attached
from halidehw.buses.lite import channels
from halidehw.buses.registers import RegisterMap
from halidehw.buses.slave import PREFIX
from halidehw.errors import SimulationError
from halidehw.host.mapped import Array, array_at
from halidehw.simulate.bench import TOP, instance
from halidehw.simulate.build import Optimize, build, find_toolchain
from halidehw.simulate.execute import HARNESS
from halidehw.simulate.memory import Memory, memory_of
from halidehw.simulate.outcome import WRONG, Violation

ORIGIN = 0x1_0000_0000
"""The address of the first byte of memory: beyond 32 bits, so that none are lost unseen."""

PAGE = 4096
_CYCLES = 1000
"""That pass before a program looks again."""

CALL, ARGUMENT = 16, 3
"""Cycles that a run takes besides its own as a program calls it: in all, and for each register of its arguments."""

_SHIM = "halidehw_board.cpp"


@dataclass(frozen=True)
class Wiring:
    """What a board is made of: the Verilog of a module with AXI4-Lite and an AXI4 master, its registers, the bytes of
    memory."""

    verilog: str
    attached: Attached
    registers: RegisterMap
    size: int

    @property
    def sources(self) -> dict[str, str]:
        """File name -> text."""
        shim = resources.files("halidehw.host").joinpath("start", _SHIM).read_text()
        memory = "halidehw_axi_memory"
        public = "".join(f'public_flat_rw -module "{memory}" -var "{name}"\n' for name in ("beats", "random"))
        return {
            "public.vlt": f"`verilator_config\n{public}",
            f"{memory}.sv": (HARNESS / f"{memory}.sv").read_text(),
            "accelerator.v": self.verilog,
            "board.sv": self._top(),
            _SHIM: shim,
        }

    def _top(self) -> str:
        lite = {name.upper(): member for name, member in channels(self.registers.address_bits).items()}
        pins = [f"{'input' if member.flow.name == 'In' else 'output'} logic [{member.shape - 1}:0] {name}"
                for name, member in lite.items()]  # fmt: skip
        told = ("latency", "rate_words", "rate_cycles", "stall", "refuse")
        pins += ["input logic clk", "input logic rst_n", *(f"input int {name}" for name in told)]
        pins += ["output logic irq", "output int failure", "output longint failure_address"]
        bus = [(name, bits) for name, bits, _ in self.attached.channels()]
        checked = [name for name, _ in bus if name[2:] not in ("LOCK", "CACHE", "PROT", "QOS")]
        beats = self.size // self.attached.bus.bytes
        values = {"BITS": self.attached.bus.bits, "ID_BITS": self.attached.id_bits, "ORIGIN": f"64'd{ORIGIN}",
                  "BEATS": beats, "OUT_LOW": 0, "OUT_HIGH": beats - 1}  # fmt: skip
        still = {"asked": 0, "pass": 0, "fresh": 0, "clear": 0, "dump": 0, "turn": "-1", "stall_seed": 0}
        same = ("clk", *told, "failure", "failure_address")
        return "\n".join([
            f"module {TOP} (",
            ",\n".join(f"    {pin}" for pin in pins),
            ");",
            *(f"    logic [{bits - 1}:0] bus_{name};" for name, bits in bus),
            f"    {self.attached.module} accelerator (",
            ",\n".join([
                "        .ap_clk(clk), .ap_rst_n(rst_n), .interrupt(irq)",
                *(f"        .{PREFIX}{name}({name})" for name in lite),
                *(f"        .{BUNDLE}_{name}(bus_{name})" for name, _ in bus),
            ]),
            "    );",
            *instance("halidehw_axi_memory", "memory", [f".{name}({value})" for name, value in values.items()], [
                ".rst(!rst_n)", ".owed()", *(f".{name}({name})" for name in same),
                *(f".{name}({value})" for name, value in still.items()), *(f".{name}(bus_{name})" for name in checked),
            ]),
            "endmodule",
        ]) + "\n"  # fmt: skip


class Board:
    """A running simulation. `read` and `write` of registers, `pause` lets time pass; `allocate` gives memory.

    optimize: for a quick "build", or for a quick "run". Raises SimulationError when the accelerator breaks a rule of
    AXI, or its registers do not answer.
    """

    def __init__(self, wiring: Wiring, memory: Memory | None = None, optimize: Optimize = "build"):
        folder = build(wiring.sources, replace(find_toolchain(None, optimize), library=True))
        self.library = folder / TOP
        self._calls = _library(self.library)
        self._board = self._calls.board_open()
        self.origin, self.size, self.deadline = ORIGIN, wiring.size, 0
        self._next = 0
        at = ctypes.cast(self._calls.board_memory(self._board), ctypes.POINTER(ctypes.c_uint8))
        self.memory = np.ctypeslib.as_array(at, (wiring.size,))
        self.timing(memory_of(memory))

    def timing(self, memory: Memory, refuse: int = 0) -> None:
        """How memory behaves from now on. `refuse`: 1 reads, 2 writes are answered with errors."""
        told = memory.parameters
        names = ("latency", "rate_words", "rate_cycles", "stall", "stall_seed")
        self._calls.board_timing(self._board, *(told[name] for name in names), refuse)

    def read(self, offset: int) -> int:
        return self._checked(int(self._calls.board_peek(self._board, offset)))

    def write(self, offset: int, value: int) -> None:
        self._checked(self._calls.board_poke(self._board, offset, value))

    def pause(self, cycles: int = _CYCLES) -> None:
        """So many cycles, or up to an interrupt. Raises SimulationError beyond the deadline, a cycle of the board's
        clock, if there is one."""
        self._checked(self._calls.board_run(self._board, cycles))
        if 0 < self.deadline < self.cycles:
            raise SimulationError(f"the run is not over at cycle {self.deadline}")

    @property
    def cycles(self) -> int:
        return int(self._calls.board_cycles(self._board))

    def allocate(self, shape: Any, dtype: Any = "u4") -> Array:
        """An array in memory, from a page of its own on. Raises SimulationError when there is no room."""
        sizes = (shape,) if isinstance(shape, int) else tuple(shape)
        kind = np.dtype(dtype)
        needed = prod(sizes) * kind.itemsize
        found = self.at(ORIGIN + self._next, sizes, kind)
        self._next += -(-needed // PAGE) * PAGE
        return found

    def at(self, address: int, shape: tuple[int, ...], dtype: Any) -> Array:
        """The array at an address. Raises SimulationError where that is not all in memory."""
        return array_at(self.memory, ORIGIN, address, shape, dtype)

    def keep(self, directory: Path) -> list[Path]:
        """Writes the board as a library for programs in C, `libboard.so`, and its header, into a folder.

        Raises OSError if that cannot be written."""
        directory.mkdir(parents=True, exist_ok=True)
        header = resources.files("halidehw.host").joinpath("start", "board.h").read_text()
        (directory / "board.h").write_text(header)
        return [Path(shutil.copy(self.library, directory / "libboard.so")), directory / "board.h"]

    def close(self) -> None:
        """Ends the simulation: arrays in its memory are gone."""
        self._calls.board_close(self._board)

    def _checked(self, value: Any) -> Any:
        if failure := self._calls.board_failure(self._board):
            raise SimulationError(self._said(failure))
        return value

    def _said(self, failure: int) -> str:
        if failure < 0:
            return f"cycle {self.cycles}: a register does not answer"
        address = self._calls.board_failure_address(self._board)
        return f"cycle {self.cycles}: the AXI master {WRONG[Violation(failure)]} (address {address:#x})"


def _library(path: Path) -> ctypes.CDLL:
    """With the types of its functions."""
    found = ctypes.CDLL(str(path))
    board, word, long = ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint64
    for name, result, arguments in (
        ("open", board, ()), ("close", None, (board,)), ("peek", word, (board, word)),
        ("poke", None, (board, word, word)), ("run", None, (board, long)), ("cycles", long, (board,)),
        ("failure", ctypes.c_int, (board,)), ("failure_address", long, (board,)), ("memory", board, (board,)),
        ("timing", None, (board, *6 * (word,))),
    ):  # fmt: skip
        call = getattr(found, f"board_{name}")
        call.restype, call.argtypes = result, list(arguments)
    return found
