"""The two notations of a design, Python's and that of `.hh` texts; and the command line's words for Python's."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from shlex import quote


def counted(number: int, what: str) -> str:
    """So many of something: `1 PE`, `4 PEs`."""
    return f"{number} {what}{'s' * (number != 1)}"


@dataclass(frozen=True)
class Notation:
    """`wrapper`: the method that wraps a tensor; `brackets`: around a list; `keywords`: sizes are named; `module`: what
    the program calls this package, where it says so before each name."""

    wrapper: str
    brackets: str
    keywords: bool
    module: str = ""

    def wrap(self, tensor: str, level: int) -> str:
        """A tensor's wrapper, so many levels away from it (0: itself): `input.in_().in_()`."""
        return tensor + f".{self.wrapper}()" * level

    def many(self, items: Iterable[str]) -> str:
        """A list: `[a, b]`."""
        return f"{self.brackets[0]}{', '.join(items)}{self.brackets[1]}"

    def size(self, name: str, value: int) -> str:
        """An argument that may be left out: `rows=4`."""
        return f"{name}={value}" if self.keywords else str(value)

    def translated(self, code: str) -> str:
        """Python's calls, accesses and declarations, alone or in a sentence, in this notation."""
        if self.keywords:
            return code
        code = _PAIRS.sub(lambda found: f"{{{found[1].translate(_BRACES)}}}", code)
        for pattern, replacement in _IN_TEXT:
            code = pattern.sub(replacement, code)
        return code

    def qualified(self, code: str, names: Collection[str]) -> str:
        """Code in which the package's own functions are called as the program calls them: `hl.max(a, b)`."""
        if not self.module:
            return code
        return _OWN.sub(lambda found: f"{self.module}.{found[1]}" if found[1] in names else found[0], code)


PYTHON = Notation("in_", "[]", keywords=True)
TEXT = Notation("in", "{}", keywords=False)

_OWN = re.compile(r"""(?<![.\w"'])([A-Za-z]\w*(?=\()|BoundaryConditions(?=\.))""")
_BRACES = str.maketrans("()", "{}")
_PAIRS = re.compile(r"\[((?:\([^()]*\)(?:, )?)+)\]")
_IN_TEXT = (
    (re.compile(r"\bin_\("), "in("),
    (re.compile(r"\(\[([\w, .]*)\]\)"), r"({\1})"),
    (re.compile(r"(?<=\w)\[(?!\d+\])([^\]()]*)\]"), r"(\1)"),
    (re.compile(r"\b(?:rows|cols|bounds)="), ""),
    (re.compile(r"\bBoundaryConditions\."), "BoundaryConditions::"),
    (re.compile(r'(?:\b\w+ = )?\bRDom\(\{\{([^{}]*)\}\}, "(\w+)"\)'), r"RDom \2(\1);"),
    (re.compile(r'(?:\b\w+ = )?\bRDom\((\{\{.*\}\}), "(\w+)"\)'), r"RDom \2(\1);"),
    (re.compile(r'\b(\w+) = (Func|ImageParam)\((.+), "\1"\)'), r"\2 \1(\3);"),
)

_AS_OPTIONS = (
    (re.compile(r"Memory\(words_per_cycle=None\).*"), "no --words-per-cycle: all lanes in every cycle"),
    (re.compile(r"\bMemory\((\w+)=([\w./]+)\)"), r"--\1 \2"),
    (re.compile(r'\bWaves\("([^"]*)", (\d+), (\d+)\)'), r"--waves \1 --waves-from \2 --waves-to \3"),
    (
        re.compile(r"""\b(waves|scope|counters|prefix|objective|convention|costs|dataflow)=(["'])(.*?)\2"""),
        lambda found: f"--{found[1]} {quote(found[3])}",
    ),
    (re.compile(r"\bhalf_full=False"), "no --half-full"),
    (re.compile(r"\bfull_array=True"), "--full-array"),
    (
        re.compile(
            r"\b(timeout_cycles|shared_port_bits|port_bits|hide_latency|counter_bits|utilization|time_limit)=([\w.]+)"
        ),
        r"--\1 \2",
    ),
    (re.compile(r'\bestimate\(\w+, "(\w+)"\)'), r"--costs \1"),
    (re.compile(r'\barchitecture\("(\w+)"\)'), r"--arch \1"),
    (re.compile("--scope"), "--waves-scope"),
    (re.compile("--stall_probability"), "--stalls"),
    (re.compile(r"--[a-z]+(?:_[a-z]+)+"), lambda found: found[0].replace("_", "-")),
)


def as_options(code: str) -> str:
    """Python's arguments, alone or in a sentence, as options of the command line."""
    for pattern, replacement in _AS_OPTIONS:
        code = pattern.sub(replacement, code)
    return code
