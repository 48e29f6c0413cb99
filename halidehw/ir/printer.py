"""A nest as text, in the spirit of Halide's `print_loop_nest` and lowered statement, and as plain data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from functools import partial
from math import prod
from typing import TYPE_CHECKING, Any

from halidehw.expr.expr import Expr, Variable, transform
from halidehw.ir.bounds import Span, held
from halidehw.ir.graph import Graph
from halidehw.ir.nest import Access, Accumulated, Buffer, Combine, Load, Loop, LoopValue, Merge, Nest
from halidehw.ir.tree import Accumulate, Allocate, Fill, Fold, For, Initialize, Statement, Store, build

if TYPE_CHECKING:
    import sympy

_INFIX = {"add": "+", "mul": "*", "and": "&", "or": "|", "xor": "^"}


def loop_nest(scheduled: Nest | Graph) -> str:
    """Loops, buffers and fills, one a line, ending in newline; what is computed is left out. A graph has a page a
    stage."""
    return _pages(scheduled, _brief)


def lowered(scheduled: Nest | Graph) -> str:
    """Every statement in full, ending in newline."""
    return _pages(scheduled, _full)


def loops_json(nest: Nest) -> list[dict[str, Any]]:
    """The loops, outer to inner, as plain data."""
    keys = ("name", "min", "extent", "kind", "lanes", "systolic", "dimension", "distance", "reduction", "fused")
    return [{key: getattr(loop, key) for key in keys} for loop in nest.loops]


def buffers_json(nest: Nest) -> list[dict[str, Any]]:
    """The buffers as plain data; `extents` are those of the indices, `words` what one half of
    one copy holds, all rows of a line buffer."""
    return [
        {
            "name": buffer.name,
            "tensor": buffer.tensor,
            "at": buffer.at,
            "extents": list(buffer.extents),
            "words": prod(held(nest, buffer)),
            "per_pe": buffer.per_pe,
            "double": buffer.halves == 2,
            "slide": asdict(buffer.slide) if buffer.slide else None,
            "capacity": buffer.capacity.words if buffer.capacity else None,
            **({"vectorize": buffer.width.words} if buffer.width else {}),
            **({"inside": list(buffer.inside.said)} if buffer.inside else {}),
            **({"pieces": buffer.pieces.at} if buffer.pieces else {}),
        }
        for buffer in nest.buffers
    ]


def _pages(scheduled: Nest | Graph, line: Callable[[Nest, Statement], str]) -> str:
    nests = scheduled.stages if isinstance(scheduled, Graph) else (scheduled,)
    return "\n".join(_page(nest, partial(line, nest)) for nest in nests)


def _page(nest: Nest, line: Callable[[Statement], str]) -> str:
    return "\n".join((f"produce {nest.output.name}:", *_lines(build(nest), 1, line), ""))


def _lines(statements: Iterable[Statement], level: int, line: Callable[[Statement], str]) -> Iterator[str]:
    for statement in statements:
        yield "  " * level + line(statement)
        if isinstance(statement, For):
            yield from _lines(statement.body, level + 1, line)


def _brief(nest: Nest, statement: Statement) -> str:
    match statement:
        case Initialize(again=again) if len(nest.sums) < 2 or again:
            return f"{'restore' if again else 'initialize'} {statement.target.tensor}(...)"
        case Initialize(sums=Buffer(name=name)):
            return f"initialize {name}(...)"
        case Fold(sums=level, into=into):
            return f"fold {level.name}(...) into {into.name}(...)"
        case Accumulate() | Store():
            return f"{'update' if isinstance(statement, Accumulate) else 'store'} {statement.target.tensor}(...)"
    return _full(nest, statement)


def _full(nest: Nest, statement: Statement) -> str:
    match statement:
        case For(loop, extent):
            end = extent + loop.min
            return f"for {loop.name} in [{loop.min}, {end}){_manner(loop)}:"
        case Allocate(buffer):
            dims = "".join(f"[{extent}]" for extent in buffer.extents)
            copies = _copies(nest, buffer)
            room = f", capacity {buffer.capacity.words}" if buffer.capacity else ""
            room += f", {buffer.width.words} words at a time" if buffer.width else ""
            room += "".join(f", {said}" for said in buffer.inside.said) if buffer.inside else ""
            if buffer.pieces and buffer.tensor == nest.output.name:
                room += f", left by the pieces that are added to inside {buffer.pieces.at}"
            line = f", sliding along dimension {buffer.slide.dimension}" if buffer.slide else ""
            if buffer.slide and buffer.slide.folded:
                line += f", {held(nest, buffer)[buffer.slide.dimension]} rows"
            words = prod(held(nest, buffer))
            gaps = f" with room for {words} words" if words < prod(buffer.extents) else ""
            manner = {1: "single", 2: "double"}.get(buffer.halves, f"{buffer.halves} parts")
            return f"allocate {buffer.name}{dims}{gaps} ({manner}{copies}{line}{room})"
        case Fill():
            return _filling(statement)
        case Initialize(target, value, again, level):
            first = f" while {', '.join(loop.name for loop in again)} at the start, then {_element(target)}"
            return f"{_sum(nest, level)} = {value}{first if again else ''}"
        case Accumulate(_, combine, value):
            return _combined(_sum(nest, nest.sums[-1] if nest.sums else None), combine, _text(nest, value))
        case Fold(_, combine, level, into):
            return _combined(_sum(nest, into), combine, _sum(nest, level))
        case Store(target, value):
            return f"store {_element(target)} = {_text(nest, value)}"


def _copies(nest: Nest, buffer: Buffer) -> str:
    """What there is one buffer of each for: the lanes outside it."""
    if not buffer.per_pe:
        return ""
    lanes = [loop.name for loop in nest.loops if loop.lanes > 1]
    place = [loop.name for loop in nest.loops].index(buffer.at or "")
    outside = [loop.name for loop in nest.loops[: place + 1] if loop.lanes > 1]
    return ", one per PE" if outside == lanes else f", one per lane of {' and '.join(outside)}"


def _manner(loop: Loop) -> str:
    notes = [f"part of {loop.fused}"] if loop.fused else []
    if loop.lanes > 1:
        notes.append(f"{loop.lanes} lanes on dimension {loop.dimension}")
        notes += [f"{loop.distance} apart"] if loop.distance > 1 else []
        notes += ["systolic"] if loop.systolic else []
    return f" ({', '.join(notes)})" if notes else ""


def _filling(fill: Fill) -> str:
    source = fill.source.name if fill.source else fill.buffer.tensor
    place = ", ".join(str(span.first) for span in fill.spans)
    ragged = [] if all(map(_whole, fill.spans)) else [f"[{', '.join(map(_covered, fill.spans))}]"]
    when = f" when {fill.when[-1].name} steps" if fill.when else " once"
    return " ".join((f"fill {fill.buffer.name} from {source} at ({place})", *ragged)) + when + _kept(fill.buffer)


def _kept(buffer: Buffer) -> str:
    if buffer.pieces:
        return f", by the pieces that are read inside {buffer.pieces.at}"
    if buffer.slide is None:
        return ""
    common = max(buffer.extents[buffer.slide.dimension] - buffer.slide.step, 0)
    loops = buffer.slide.loops
    only = f"{' and '.join(loops)} step{'s' if len(loops) == 1 else ''}"
    return f", keeping {common} in dimension {buffer.slide.dimension} while only {only}"


def _whole(span: Span) -> bool:
    return bool(span.low == span.first.sympy) and span.high - span.low == span.size - 1 and span.step == 1


def _covered(span: Span) -> str:
    first = span.first.sympy
    return f"{span.low - first}:{_shifted(span.high, 1 - first)}" + (f":{span.step}" if span.step > 1 else "")


def _shifted(expr: sympy.Expr, amount: sympy.Expr) -> sympy.Expr:
    """`expr + amount`, inside the Min that a ragged end is."""
    import sympy

    total = sympy.expand(expr + amount)
    constant, rest = total.as_coeff_Add()
    return sympy.Min(*(arg + constant for arg in rest.args)) if isinstance(rest, sympy.Min) else total


def _element(access: Access, name: str | None = None) -> str:
    return f"{name or access.tensor}({', '.join(map(str, access.indices))})"


def _sum(nest: Nest, level: Buffer | None) -> str:
    """An output element while it is accumulated."""
    return _element(nest.write, level.name if level else None)


def _combined(where: str, combine: Combine, text: str) -> str:
    symbol = None if isinstance(combine, Merge) else _INFIX.get(combine)
    return f"{where} {symbol}= {text}" if symbol else f"{where} = {combine}({where}, {text})"


def _text(nest: Nest, expr: Expr) -> str:
    return str(transform(expr, lambda node: _named(nest, node)))


def _named(nest: Nest, node: Expr) -> Expr:
    """The nest's own leaves as variables that carry their text."""
    match node:
        case Load(type=kind, read=read):
            access = nest.reads[read]
            levels: tuple[Buffer, ...] = nest.levels(access.tensor)
            return Variable(kind, _element(access, levels[-1].name if levels else None))
        case LoopValue(type=kind, index=index):
            return Variable(kind, f"({index})")
        case Accumulated(type=kind):
            return Variable(kind, _sum(nest, nest.sums[0] if nest.sums else None))
    return node
