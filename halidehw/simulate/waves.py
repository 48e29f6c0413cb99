"""Waveforms: which file, which cycles, which part of the design."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from tempfile import gettempdir
from typing import Literal

from halidehw.errors import SimulationError

NEVER = 1 << 62
_TOP = "halidehw_bench.accelerator"
_SAMPLES, _SAMPLE = 8, 128
_LONGEST_HEAD = 10_000_000
_HEAD_ENDS = b"$enddefinitions $end\n"
_MODULE = re.compile(r"^\s*module\s+(\w+)(.*?)\bendmodule\b", re.M | re.S)
_INSTANCE = r"\s*(?:#\s*\((?:[^()]|\([^()]*\))*\)\s*)?(\w+)\s*\("

Format = Literal["vcd", "fst"] | None


@dataclass(frozen=True)
class Waves:
    """What is written to `path`, a `.vcd` or `.fst` file: the cycles from `first` up to `last` (None: all that follow)
    of the first start, counted from 0 where `start` is taken; of the instance `scope` of the accelerator alone, as
    `array.pe_0` (empty: of everything).

    Raises SimulationError for a name of another ending, a folder that is not there or cannot be written, and a window
    without a cycle.
    """

    path: Path
    first: int = 0
    last: int | None = None
    scope: str = ""

    def __post_init__(self) -> None:
        if self.path.suffix not in (".vcd", ".fst"):
            raise SimulationError(
                f"waves={str(self.path)!r}: the ending of the name says the format",
                legal=('waves="run.vcd"', 'waves="run.fst"'),
            )
        self._check_writable()
        if not self.first >= 0 or (self.last is not None and self.last <= self.first):
            raise SimulationError(
                f"no cycle lies from {self.first} up to {self.last}", legal=(f'Waves("{self.path}", 0, 1000)',)
            )

    def _check_writable(self) -> None:
        """By opening it, which alone says so."""
        there = self.path.exists()
        try:
            self.path.open("ab").close()
        except OSError as error:
            folder = gettempdir() if self.path.parent.is_dir() or not os.access(".", os.W_OK) else ""
            raise SimulationError(
                f"the waveforms cannot be written to {self.path}: {error.strerror}",
                legal=(f'waves="{Path(folder, self.path.name)}"',),
            ) from None
        if not there:
            self.path.unlink()

    @property
    def format(self) -> Format:
        return "vcd" if self.path.suffix == ".vcd" else "fst"

    @property
    def arguments(self) -> list[str]:
        """What the simulator is told."""
        return self._arguments(self.path.resolve(), NEVER if self.last is None else self.last, 1, 1, ends=False)

    def sampled(self, path: Path, cycles: int) -> list[str]:
        """The same for a sample, in `path`, of a run of so many cycles; the simulation ends with the sample."""
        return self._arguments(path, self.first + self.window(cycles), self._every(cycles), _SAMPLE, ends=True)

    def window(self, cycles: int) -> int:
        """How many cycles of a run of so many are written."""
        return max(min(cycles, cycles if self.last is None else self.last) - self.first, 0)

    def foretold(self, sample: Path, cycles: int) -> int:
        """The bytes that such a run will take, from what a sample of it has taken."""
        with sample.open("rb") as file:
            head = file.read(_LONGEST_HEAD)
        header = head.find(_HEAD_ENDS) + len(_HEAD_ENDS) if _HEAD_ENDS in head else 0
        sampled = min(_SAMPLE, self._every(cycles)) * _SAMPLES
        return header + (sample.stat().st_size - header) * self.window(cycles) // sampled

    def _every(self, cycles: int) -> int:
        return max(self.window(cycles) // _SAMPLES, 1)

    def _arguments(self, path: Path, last: int, every: int, length: int, *, ends: bool) -> list[str]:
        scope = [f"{_TOP}.{self.scope}"] if self.scope else []
        return [str(path), *map(str, (self.first, last, every, length, int(ends))), *scope]


def waves_of(value: Waves | Path | str | None) -> Waves | None:
    """The waveforms that an argument asks for."""
    return value if value is None or isinstance(value, Waves) else Waves(Path(value))


def check_scope(waves: Waves, verilog: str, module: str) -> None:
    """Raises SimulationError where `module` of a Verilog text has no such instance as the scope, with those it has."""
    made: dict[str, dict[str, str]] = {}
    texts = {found[1]: found[2] for found in _MODULE.finditer(verilog)}
    names = "|".join(map(re.escape, texts))
    for name, text in texts.items():
        made[name] = {each[2]: each[1] for each in re.finditer(rf"\b({names})\b{_INSTANCE}", text)}
    path: list[str] = []
    for instance in waves.scope.split(".") if waves.scope else ():
        if instance not in made[module]:
            raise SimulationError(
                f"{'.'.join(path) or module} has no instance {instance}",
                legal=[f'scope="{".".join([*path, each])}"' for each in sorted(made[module])],
            )
        path.append(instance)
        module = made[module][instance]


def check_seen(waves: Waves, cycles: int) -> None:
    """Raises SimulationError where a start was done after so many cycles, before the waveforms begin."""
    if waves.first > cycles:
        waves.path.unlink(missing_ok=True)
        raise SimulationError(
            f"the waveforms begin at cycle {waves.first}, but the start is done after {cycles} cycles",
            legal=(f'Waves("{waves.path}", 0, {cycles})',),
        )
