"""Memory hierarchies to choose from, as text: `rf 16B,32B | rf 128B,256B | sram 64KB,128KB`, innermost first."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from math import ceil

from halidehw.energy_model.costs.document import UNITS
from halidehw.errors import CostError
from halidehw.mapping.architecture import LARGEST, Architecture, Level, least_words

KINDS = {"rf": "register_file", "sram": "sram"}
SHORT = {kind: name for name, kind in KINDS.items()}
EXAMPLE = "rf 16B,32B | sram 64KB,128KB"
OPTION = f'--memories "{EXAMPLE}"'


@dataclass(frozen=True)
class Hierarchy:
    """On-chip levels, innermost first: the kind of each, and the bytes it may have."""

    kinds: tuple[str, ...]
    sizes: tuple[tuple[int, ...], ...]

    def fitting(self, base: Architecture, word_bits: int) -> Hierarchy:
        """Without the sizes that have no room for one element of each tensor. Raises CostError where a level is left
        with none, with the least sizes that do."""
        least = [ceil(words * word_bits / 8) for words in self._least(base)]
        sizes = [[size for size in each if size >= need] for each, need in zip(self.sizes, least, strict=True)]
        if not all(sizes):
            at = sizes.index([])
            enough = replace(self, sizes=tuple((*found,) or (need,) for found, need in zip(sizes, least, strict=True)))
            raise CostError(
                f"memories {str(self)!r}: {SHORT[self.kinds[at]]} {max(self.sizes[at])}B has no room for one element "
                f"of each tensor, which takes {least[at]}B",
                legal=[f'--memories "{enough}"'],
            )
        return replace(self, sizes=tuple(map(tuple, sizes)))

    def _least(self, base: Architecture) -> list[int]:
        """Words that each level needs."""
        return [least_words(buffers, base.sum_width) for buffers in self._buffers(base)]

    def _buffers(self, base: Architecture) -> list[int]:
        doubled = {level.kind: level.buffers for level in reversed(base.levels)}
        return [doubled.get(kind, 2 if kind == "sram" else 1) for kind in self.kinds]

    def __str__(self) -> str:
        parts = zip(self.kinds, self.sizes, strict=True)
        return " | ".join(f"{SHORT[kind]} {','.join(f'{size}B' for size in sizes)}" for kind, sizes in parts)

    def on(self, base: Architecture) -> Architecture:
        """`base` with these levels under its outermost one, their sizes not chosen yet.

        A level is double-buffered as the base's of its kind are; without one, a register file is not, an SRAM is.
        """
        levels = []
        for at, (kind, buffers) in enumerate(zip(self.kinds, self._buffers(base), strict=True)):
            number = str(self.kinds[: at + 1].count(kind)) if self.kinds.count(kind) > 1 else ""
            name = ("RF" if kind == "register_file" else "SRAM") + number
            words = max(self.sizes[at]) * 8 // base.word_bits
            levels.append(Level(name, kind, words, 0.0, buffers))
        return replace(base, levels=(*levels, base.levels[-1]))


def parse_hierarchy(text: str) -> Hierarchy:
    """Raises CostError on an unknown kind of memory, or a size without a number or unit."""
    kinds, sizes = [], []
    for part in text.split("|"):
        kind, _, rest = part.strip().partition(" ")
        if kind not in KINDS:
            raise CostError(f"memories {text!r}: unknown kind {kind!r}, not {' or '.join(KINDS)}", legal=[OPTION])
        kinds.append(KINDS[kind])
        sizes.append([_choice(size, text) for size in rest.split(",")])
    if kinds[0] != "register_file" or kinds != sorted(kinds):
        raise CostError(f"memories {text!r}: one or more rf, then the sram around them", legal=[OPTION])
    once = Hierarchy(tuple(kinds), tuple(tuple(dict.fromkeys(each)) for each in sizes))
    for each in sizes:
        _check_once([f"{size}B" for size in each], f"memories {text!r}", f'--memories "{once}"')
    return once


def _choice(size: str, text: str) -> int:
    """The bytes of one of a hierarchy's sizes."""
    if (found := parse_size(size)) is None:
        why = f"memories {text!r}: {size.strip()!r} is not a size; it takes {', '.join(UNITS['size'])}"
        raise CostError(why, legal=[OPTION])
    return found


def _check_once(choices: list[str], where: str, works: str) -> None:
    """Raises CostError for a choice that is given twice."""
    if twice := [each for each in choices if choices.count(each) > 1]:
        raise CostError(f"{where}: {twice[0]} is given twice; each choice is searched once", legal=[works])


def parse_size(text: str) -> int | None:
    """The bytes of a size such as `16B` or `64 KB`, None for what is none."""
    match = re.fullmatch(r"\s*(\d+)\s*(\w+)\s*", text)
    known = match and match[2] in UNITS["size"] and int(match[1]) > 0
    return int(int(match[1]) * UNITS["size"][match[2]]) if match and known else None


def parse_option(option: str, text: str) -> int:
    """The bytes of an option's size. Raises CostError for what is none, with the size that is nearest to it."""
    if (found := parse_size(text)) is None:
        why = f"{option} {text}: not a size, which is a whole number above 0 and {', '.join(UNITS['size'])}"
        raise CostError(why, legal=[f"{option} {_near(text)}"])
    return found


def _near(text: str) -> str:
    """The size that a text means: `1GB` is `1024MB`, and `12` are KB."""
    match = re.match(r"\s*(\d{1,9}(?:\.\d{0,9})?(?:[eE]\d)?)\s*([a-zA-Z]?)", text)
    if not match or not (number := float(match[1])):
        return "128KB"
    size = ceil(number * 1024 ** max("BKMGT".find(match[2].upper() or "K"), 0))
    unit = next(unit for unit, factor in reversed(UNITS["size"].items()) if size % factor == 0)
    return f"{int(size / UNITS['size'][unit])}{unit}"


def parse_arrays(text: str) -> list[tuple[int, ...]]:
    """Array shapes such as `8x8,16x16,64`. Raises CostError on anything else."""
    found = []
    for shape in text.split(","):
        match = re.fullmatch(r"\s*([1-9]\d*)(?:x([1-9]\d*))?\s*", shape)
        if not match:
            raise CostError(f"arrays {text!r}: {shape.strip()!r} is not a shape", legal=["--arrays 8x8,16x16"])
        sides = tuple(int(size) for size in match.groups() if size)
        if max(sides) > LARGEST:
            why = f"arrays {text!r}: {max(sides)} PEs on a dimension, more than {LARGEST}"
            raise CostError(why, legal=["--arrays 8x8,16x16"])
        found.append(sides)
    shown = ["x".join(map(str, each)) for each in found]
    _check_once(shown, f"arrays {text!r}", f"--arrays {','.join(dict.fromkeys(shown))}")
    return found


def parse_ratio(text: str) -> tuple[float, float]:
    """A range such as `4:16`. Raises CostError on anything else."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?):(\d+(?:\.\d+)?)", text)
    if not match or float(match[1]) > float(match[2]):
        raise CostError(f"{text!r} is not a range of ratios, least to most", legal=["--ratio 4:16"])
    return float(match[1]), float(match[2])
