"""What an expression is about: its lanes, and a few words for its name."""

from __future__ import annotations

from halidehw.backend_hdl.rtl.ir import Binary, Const, Expr, Lane, Number, Ref, Slice, Word, children, parts_of

_WORDS = {"&": "and", "|": "or", "^": "xor", "+": "plus", "-": "minus", "*": "times", "==": "is", "!=": "is_not",
          "<": "below", "<=": "at_most", ">": "above", ">=": "from", "<<": "left", ">>": "right"}  # fmt: skip


def described(expr: Expr, most: int) -> str:
    """A few words for an expression of at most so many operands; nothing for a longer one."""
    match expr:
        case Ref(name):
            return name
        case Const(value):
            return str(value).replace("-", "minus_")
        case Binary(op, a, b):
            one, two = described(a, most - 1), described(b, most - 1)
            return f"{one}_{_WORDS[op]}_{two}" if most > 0 and one and two else ""
    below = children(expr)
    if len(below) == 1 and most > 0:
        return described(below[0], most - 1)
    return ""


def lanes_of(expr: Expr) -> tuple[Lane, ...]:
    """The lanes that an expression depends on, outermost first."""
    found: set[Lane] = set()
    for each in parts_of(expr):
        if isinstance(each, Number):
            found.add(each.lane)
        if isinstance(each, Slice):
            found |= {lane for lane, _ in each.lanes}
        if isinstance(each, Ref | Word):
            found |= {lane for place in each.index for lane, _ in place.terms}
    return tuple(sorted(found, key=lambda lane: lane.depth))
