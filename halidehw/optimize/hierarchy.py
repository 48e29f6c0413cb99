"""Memory hierarchies to choose from, as text: `rf 16B,32B | rf 128B,256B | sram 64KB,128KB`, innermost first."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TypeVar

from halidehw.energy_model.costs.document import UNITS
from halidehw.errors import CostError
from halidehw.mapping.architecture import LARGEST, Architecture, Level

T = TypeVar("T")
KINDS = {"rf": "register_file", "sram": "sram"}
EXAMPLE = "rf 16B,32B | sram 64KB,128KB"


@dataclass(frozen=True)
class Hierarchy:
    """On-chip levels, innermost first: the kind of each, and the bytes it may have."""

    kinds: tuple[str, ...]
    sizes: tuple[tuple[int, ...], ...]

    def on(self, base: Architecture) -> Architecture:
        """`base` with these levels under its outermost one, their sizes not chosen yet.

        A level is double-buffered as the base's of its kind are; without one, a register file is not, an SRAM is.
        """
        doubled = {level.kind: level.buffers for level in reversed(base.levels)}
        levels = []
        for at, kind in enumerate(self.kinds):
            number = str(self.kinds[: at + 1].count(kind)) if self.kinds.count(kind) > 1 else ""
            name = ("RF" if kind == "register_file" else "SRAM") + number
            words = max(self.sizes[at]) * 8 // base.word_bits
            levels.append(Level(name, kind, words, 0.0, doubled.get(kind, 2 if kind == "sram" else 1)))
        return replace(base, levels=(*levels, base.levels[-1]))


def parse_hierarchy(text: str) -> Hierarchy:
    """Raises CostError on an unknown kind of memory, or a size without a number or unit."""
    kinds, sizes = [], []
    for part in text.split("|"):
        kind, _, rest = part.strip().partition(" ")
        if kind not in KINDS:
            raise CostError(f"memories {text!r}: unknown kind {kind!r}, not {' or '.join(KINDS)}", legal=[EXAMPLE])
        kinds.append(KINDS[kind])
        sizes.append(_once([parse_bytes(size, text) for size in rest.split(",")], f"memories {text!r}", "B"))
    if kinds[0] != "register_file" or kinds != sorted(kinds):
        raise CostError(f"memories {text!r}: one or more rf, then the sram around them", legal=[EXAMPLE])
    return Hierarchy(tuple(kinds), tuple(sizes))


def _once(choices: list[T], where: str, unit: str = "") -> tuple[T, ...]:
    """Raises CostError for a choice that is given twice."""
    for each in choices:
        if choices.count(each) > 1:
            shown = "x".join(map(str, each)) if isinstance(each, tuple) else f"{each}{unit}"
            raise CostError(f"{where}: {shown} is given twice; each choice is searched once")
    return tuple(choices)


def parse_bytes(size: str, text: str) -> int:
    """A size such as `16B` or `64 KB`; `text`: all of what the user wrote."""
    match = re.fullmatch(r"\s*(\d+)\s*(\w+)\s*", size)
    if not match or match[2] not in UNITS["size"] or int(match[1]) < 1:
        units = ", ".join(UNITS["size"])
        raise CostError(f"{text!r}: {size.strip()!r} is not a size; it takes {units}", legal=[EXAMPLE])
    return int(int(match[1]) * UNITS["size"][match[2]])


def parse_arrays(text: str) -> list[tuple[int, ...]]:
    """Array shapes such as `8x8,16x16,64`. Raises CostError on anything else."""
    found = []
    for shape in text.split(","):
        match = re.fullmatch(r"\s*([1-9]\d*)(?:x([1-9]\d*))?\s*", shape)
        if not match:
            raise CostError(f"arrays {text!r}: {shape.strip()!r} is not a shape", legal=["--arrays 8x8,16x16,64"])
        sides = tuple(int(size) for size in match.groups() if size)
        if max(sides) > LARGEST:
            why = f"arrays {text!r}: {max(sides)} PEs on a dimension, more than {LARGEST}"
            raise CostError(why, legal=["--arrays 8x8,16x16,64"])
        found.append(sides)
    return list(_once(found, f"arrays {text!r}"))


def parse_ratio(text: str) -> tuple[float, float]:
    """A range such as `4:16`. Raises CostError on anything else."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?):(\d+(?:\.\d+)?)", text)
    if not match or float(match[1]) > float(match[2]):
        raise CostError(f"{text!r} is not a range of ratios, least to most", legal=["--ratio 4:16"])
    return float(match[1]), float(match[2])
