"""The dataflow notation: `"C | K"` unrolls loop c on the vertical and k on the horizontal dimension of the array.

`"CX | K"` is replication: two loops share a dimension, and the left one's lanes are nearest neighbours. Loops may be
written apart or together, in any case, with or without the dot of an RDom's: `"r.x y | K"`, `"RXY | K"`. The only loop
of an RDom goes by the RDom's name too: `"C | K"` for an RDom c over one dimension.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

from lark import Lark, Token
from lark.exceptions import UnexpectedInput

from halidehw.errors import ScheduleError
from halidehw.frontend.directives import Dataflow

GRAMMAR = r"""
start: side ("|" side)?
side: WORD (","? WORD)*
WORD: /[^\s|,]+/
%ignore /\s+/
"""

Sides = tuple[tuple[str, ...], ...]
"""The loops of the vertical and, if there is one, of the horizontal dimension, the nearest first."""


def parse(dataflow: Dataflow, loops: Sequence[str]) -> Sides:
    """The loops that the text names. Raises `ScheduleError` for a text that is no dataflow of `loops`."""
    try:
        tree = _grammar().parse(dataflow.text)
    except UnexpectedInput as error:
        raise ScheduleError(
            f"{dataflow}: it should name loops for one dimension, or for two with | between; it does not at column "
            f"{error.column}",
            legal=[f'dataflow("{loops[0]} | {loops[-1]}", rows=4, cols=4)'],
            source=dataflow.source,
        ) from error
    sides = tuple(
        tuple(name for word in side.children if isinstance(word, Token) for name in _loops(dataflow, word, loops))
        for side in tree.iter_subtrees_topdown()
        if side.data == "side"
    )
    named = [name for side in sides for name in side]
    for name in named:
        if named.count(name) > 1:
            legal = [str(_without_repeats(dataflow, sides))]
            raise ScheduleError(f"{dataflow}: it names {name} twice", legal=legal, source=dataflow.source)
    return sides


@cache
def _grammar() -> Lark:
    return Lark(GRAMMAR, parser="lalr")


def _without_repeats(dataflow: Dataflow, sides: Sides) -> Dataflow:
    """Each loop where it is named first; a side on which none is left is no dimension."""
    first, *rest = sides
    once = [list(dict.fromkeys(first)), *([name for name in dict.fromkeys(side) if name not in first] for side in rest)]
    text = " | ".join(" ".join(side) for side in once if side)
    return replace(dataflow, text=text, cols=dataflow.cols if "|" in text else None)


def _loops(dataflow: Dataflow, word: str, loops: Sequence[str]) -> tuple[str, ...]:
    """The loops whose names make up a word: the exact name if it is one, else the longest names first."""
    found = (word,) if word in loops else next(_cuts(_plain(word), loops), None)
    if found is None:
        raise ScheduleError(
            f"{dataflow}: {word} names no loop; the loops, outer to inner, are {', '.join(loops)}",
            legal=[f'dataflow("{name}", rows=4)' for name in loops],
            source=dataflow.source,
        )
    return found


def _cuts(word: str, loops: Sequence[str]) -> Iterator[tuple[str, ...]]:
    if not word:
        yield ()
    for name in sorted(loops, key=len, reverse=True):
        for plain in _spellings(name, loops):
            if word.startswith(plain):
                yield from ((name, *rest) for rest in _cuts(word[len(plain) :], loops))


def _spellings(name: str, loops: Sequence[str]) -> Iterator[str]:
    yield _plain(name)
    domain = name.removesuffix(".x")
    if domain != name and domain not in loops and sum(other.startswith(f"{domain}.") for other in loops) == 1:
        yield _plain(domain)


def _plain(name: str) -> str:
    return name.replace(".", "").lower()
