"""Slips in TOML and YAML files: what a line that cannot be read was meant to say, tried on the file."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial

from halidehw.energy_model.costs.parse import LONGEST, Garbled, Spelling, spelling, unreadable
from halidehw.errors import CostError

MOST = 3
"""Lines that are proposed at most."""

_STRAIGHT = str.maketrans("\u201c\u201d\u201e\u2018\u2019", "\"\"\"''")
_NUMBER = r"[-+]?\d+(?:\.\d+)?"
_BODY = re.compile(r"""(\s*)((?:[^#"']|"[^"]*"|'[^']*')*?)(\s*(?:#.*)?)""")
_ENTRY = re.compile(r"""(-\s+)?("[^"]*"|'[^']*'|[\w.-]+)(?:\s*(?:[:=]=?|=>)\s*|\s+|(?=["'])|$)(.*)""")
_PAIR = re.compile(r"""([{,]\s*)(\w+)(?:\s*(?:[:=]=?|=>)\s*|\s+(?=["'\w]))""")
_BARE = re.compile(r"""((?:=|:\s)\s*)(?!true\b|false\b)([^\s"'\[{,\]}][^"',\]}]*?)(?=\s*[,\]}])""")


@dataclass(frozen=True)
class Patient:
    """A file's text that cannot be read; `use` does with a text what is to be done with it, and raises CostError where
    that cannot be."""

    file: str
    text: str
    use: Callable[[str], object]

    @cached_property
    def lines(self) -> list[str]:
        return self.text.splitlines()

    def instead(self, numbers: Collection[int], said: str) -> str:
        """The text with something else on these lines."""
        return "".join(f"{said if at in numbers else line}\n" for at, line in enumerate(self.lines, 1))

    def alike(self, number: int) -> list[int]:
        """The lines that say the same as one."""
        said = self.lines[number - 1].strip()
        return [at for at, line in enumerate(self.lines, 1) if line.strip() == said]

    def outcome(self, numbers: list[int], said: str) -> tuple[int, tuple[str, ...]]:
        """How good it is if lines say something else: 2, all is in order; 1, these are; 0, they are not. And what is
        proposed for them then."""
        try:
            self.use(self.instead(numbers, said))
        except Garbled as other:
            first = other.suspects[0] if spelling(self.file).indented else min(other.suspects)
            return int(first > numbers[-1]), ()
        except CostError as other:
            if other.source and other.source.file == self.file and other.source.line in numbers:
                return 0, other.proposed
            return 1, ()
        return 2, ()

    def good(self, number: int, meant: Iterable[str], enough: int) -> tuple[list[str], list[str]]:
        """What a line may say that is so good; and what is proposed instead of what is not. What stands so on several
        lines is changed on all of them, if that alone is of use."""
        found, instead = list[str](), list[str]()
        for said in dict.fromkeys(meant):
            good, proposed = (0, ()) if said == self.lines[number - 1] else self.outcome([number], said)
            instead += [each for each in proposed if "\n" not in each]
            if good >= enough:
                found.append(said)
            elif len(alike := self.alike(number)) > 1 and self.outcome(alike, said)[0] == 2:
                found.append(f"{said}  # on each of the lines {', '.join(map(str, alike))}")
        return found, instead

    def mends(self, number: int, enough: int) -> list[str]:
        """What a line may be meant to say."""
        line = self.lines[number - 1]
        found, instead = self.good(number, _meant(self.lines, number, spelling(self.file)), enough)
        indent = re.match(r"\s*(?:- )?", line)
        return found or self.good(number, [f"{indent[0] if indent else ''}{each}" for each in instead], enough)[0]

    def without(self, number: int) -> list[str]:
        """The line of a field as a comment, if all is in order without it, as where it stands twice."""
        line = f"# {self.lines[number - 1]}"
        field = _ENTRY.fullmatch(self.lines[number - 1].strip())
        return [line] if field and not field[1] and self.outcome([number], line)[0] == 2 else []


def mended(problem: Garbled, file: str, text: str, use: Callable[[str], object]) -> CostError:
    """The error for a text that cannot be read, at the line that is likeliest wrong, with what it may be meant to say,
    tried by `use`."""
    patient = Patient(file, text, use)
    tried = ((MOST, partial(patient.mends, enough=2)), (1, partial(patient.mends, enough=1)), (1, patient.without))
    for most, each in tried if patient.lines and len(text) <= LONGEST else ():
        for number in problem.suspects:
            if found := each(number):
                return unreadable(file, text, problem.message, (number,), legal=found[:most])
    return problem


def _meant(lines: list[str], number: int, spelt: Spelling) -> Iterator[str]:
    """What a line may have been meant to say, the likeliest first."""
    line = lines[number - 1].translate(_STRAIGHT)
    match = _BODY.fullmatch(line) or re.fullmatch(r"(\s*)(.*?)(\s+#.*|\s*)", line)
    indent, body, rest = match.groups() if match else ("", line, "")
    for meant in _bodies(body, spelt):
        yield f"{indent}{meant}{rest}"
    if spelt.indented:
        before = [each for each in reversed(lines[: number - 1]) if each.strip()]
        inside = [len(each) - len(each.lstrip("- ")) for each in before[:1]]
        widths = [len(indent.expandtabs(2)), *inside, *(each + 2 for each in inside)]
        for width in dict.fromkeys((*widths, *(len(each) - len(each.lstrip()) for each in before), 0)):
            yield f"{' ' * width}{body}{rest}"


def _bodies(body: str, spelt: Spelling) -> Iterator[str]:
    """The same of a line without what is around it."""
    yield body
    yield body.rstrip(",;")
    if re.fullmatch(r"[\w.-]+", name := body.strip("[]:= ")) and (body[:1] == "[" or body[-1:] in "]:="):
        yield from spelt.headings(name)
    yield _BARE.sub(r'\1"\2"', body)
    yield _PAIR.sub(rf"\1\2{spelt.between}", body)
    yield _closed(body.rstrip(", ")) + "," * body.endswith(",")
    if spelt.headed:
        yield from (body + closing for closing in ("]", "}", "}]"))
    if entry := _ENTRY.fullmatch(body):
        dash, key, value = entry.groups()
        for meant in _values(value):
            yield f"{dash or ''}{key}{spelt.between}{meant}"
    if not spelt.headed:
        yield from (f"{opening}{body.lstrip('- ')}" for opening in ("- ", "- {"))


def _values(value: str) -> Iterator[str]:
    """What a value may have been meant to be."""
    bare = value.strip("\"' ,;")
    yield value
    if bare.lower() in ("true", "false"):
        yield bare.lower()
    if re.fullmatch(_NUMBER, bare):
        yield bare
    yield f'"{bare}"'
    yield _closed(value)
    yield _closed(_BARE.sub(r'\1"\2"', value))
    if number := re.match(_NUMBER, bare):
        yield number[0]


def _closed(value: str) -> str:
    """With the brackets that are open at its end closed."""
    closing = ""
    for bracket in re.findall(r"""[\[\]{}]""", re.sub(r""""[^"]*"|'[^']*'""", "", value)):
        closing = closing[1:] if bracket == closing[:1] else {"[": "]", "{": "}"}.get(bracket, "") + closing
    return value.rstrip(" ,") + closing if closing else value
