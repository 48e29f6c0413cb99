"""The package's own exceptions.

Every message says what was asked, why it cannot be, and what would work. It ends with the user's own
source line, found on the stack (Python) or handed over by the parser (text).
"""

from __future__ import annotations

import linecache
import re
import sys
import sysconfig
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from types import FrameType
from typing import Self

from halidehw.notation import PYTHON, Notation, as_options

_PACKAGE = str(Path(__file__).resolve().parent)
_COMMANDS = str(Path(_PACKAGE, "commands"))
_OTHERS = tuple({sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")})
_WIDEST = 400
"""Characters of a line that are shown."""

NOTATION = "__notation__"
"""The global name under which a frame says the notation of the program that it stands for, if that is not Python."""


@dataclass(frozen=True)
class SourceLine:
    """A place in the user's own program: file, 1-based line, its text, and a 1-based column if known; `notation`: how
    the program is written, and so what is proposed there."""

    file: str
    line: int
    text: str
    column: int | None = None
    notation: Notation = field(default=PYTHON, compare=False, repr=False)

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}" + (f":{self.column}" if self.column else "")
        first = max((self.column or 1) - 1 - _WIDEST // 2, 0)
        shown = ("... " if first else "") + self.text[first : first + _WIDEST]
        shown += " ..." if first + _WIDEST < len(self.text) else ""
        at = (self.column or 1) - 1 - first + (4 if first else 0)
        return f"{where}\n    {shown}" + (f"\n    {' ' * at}^" if self.column else "")


_COUNT = "__halidehw_unnamed__"
"""The global name under which a program's own module counts its objects without names: the package has no state."""


def user_line() -> SourceLine | None:
    """The innermost stack frame outside this package and those installed with Python (None when there is none, or the
    user's own line is that of a command)."""
    frame = _user_frame()
    if frame is None:
        return None
    name = frame.f_code.co_filename
    text = linecache.getline(name, frame.f_lineno).strip()
    return SourceLine(name, frame.f_lineno, text, notation=frame.f_globals.get(NOTATION) or _python(frame))


def _python(frame: FrameType) -> Notation:
    """Python with this package under the name that the program gives it, but for a program that has its functions."""
    package, known = sys.modules[__package__], {**frame.f_globals, **frame.f_locals}
    own = vars(package)
    if any(name in known and known[name] is own.get(name) for name in own.get("__all__", ())):
        return PYTHON
    return replace(PYTHON, module=next((name for name, value in known.items() if value is package), "hl"))


def next_number() -> int:
    """0, 1, ...: of objects without a name, in the order in which the user's program makes them."""
    frame = _user_frame()
    names = frame.f_globals if frame else vars(sys.modules["__main__"])
    numbers: Iterator[int] = names.setdefault(_COUNT, count())
    return next(numbers)


def _user_frame() -> FrameType | None:
    frame = _caller()
    return None if frame is None or _is_command(frame) else frame


def _caller() -> FrameType | None:
    """The innermost stack frame of a command, or outside this package and those installed with Python."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        if _is_command(frame) or not name.startswith((_PACKAGE, *_OTHERS, "<frozen", "<string>")):
            return frame
        frame = frame.f_back
    return None


def _is_command(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith(_COMMANDS)


class HalideHWError(Exception):
    """Base of all errors a user can cause.

    Parameters: the sentence of what is wrong; `legal`, lines of code that would work, ready to paste;
    `source`, the user's line (found on the stack when not given). Code in them is in the notation of that line, and
    what a command asked for in the words of its options; `proposals` is `legal` as it was given, `proposed` as text.
    """

    def __init__(self, message: str, *, legal: Iterable[object] = (), source: SourceLine | None = None):
        self.source = source or user_line()
        caller = _caller()
        notation = self.source.notation if self.source else PYTHON
        spoken = as_options if caller and _is_command(caller) else str
        self.message = spoken(notation.translated(message))
        own = getattr(sys.modules[__package__], "__all__", ())
        self.proposals = tuple(legal)
        self.proposed = tuple(map(str, self.proposals))
        self.legal = tuple(spoken(notation.qualified(notation.translated(line), own)) for line in self.proposed)
        super().__init__(self._render())

    def naming(self, others: Mapping[str, str]) -> Self:
        """The same with what is proposed in names that the program has. `others`: names that it has not, and what it
        calls the copies among them; what else is said of these, or of others, is proposed no more."""
        legal = [_named(each, others) for each in self.proposals]
        return type(self)(self.message, legal=filter(None, legal), source=self.source)

    def _render(self) -> str:
        text = self.message
        if self.legal:
            text += "\n  what would work:" + "".join(f"\n    {line}" for line in self.legal)
        if self.source:
            text += f"\n  at {self.source}"
        return text


def _named(proposal: object, others: Mapping[str, str]) -> object:
    """A proposal without the names of `others`; None where it needs them."""
    text = re.split(" (?:#|//) ", str(proposal))[0]
    found = others.keys() & set(re.findall(r"\w+", text))
    if not found:
        return proposal
    first, _, rest = text.partition(".")
    copied = found == {first} and rest.startswith(("compute_", "store_")) and others[first]
    return f"{copied}.{rest}" if copied else None


class ScheduleError(HalideHWError):
    """A directive that is not legal here, or that would change nothing."""


class BoundsError(HalideHWError):
    """An access outside a tensor, or an extent that is not known or not positive."""


class TypeMismatch(HalideHWError):
    """Operands, arrays or definitions whose types or shapes do not agree."""


class ParseError(HalideHWError):
    """A text design that does not parse, or names what was never declared."""


class AlgorithmError(HalideHWError):
    """An algorithm that is not well formed: undefined Func, wrong number of arguments, illegal recursion."""


class HardwareError(HalideHWError):
    """A legal loop nest for which no hardware can be built, with the arithmetic that says so."""


class RefusedPieces(HardwareError):
    """A tile that cannot come in by the pieces that a line of the schedule names, whatever the other lines say."""


class SimulationError(HalideHWError):
    """The simulator could not be found, built or run, or the design did not finish."""


class NetworkError(HalideHWError):
    """The file of a trained network, or what is given to the network, cannot be used."""


class CostError(HalideHWError):
    """A cost table, architecture or layer description that is incomplete or inconsistent."""


class SynthesisError(HalideHWError):
    """A tool or file of the gate-level flow is missing or failed, or a netlist is not what it should be."""
