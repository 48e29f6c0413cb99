"""The words of the output, in symbols: partial sums, what is stored, what comes back."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from halidehw.energy_model.symbolic.loops import Entry, Loops, Store
from halidehw.energy_model.symbolic.terms import Value
from halidehw.microarch.options import LATENCY
from halidehw.microarch.parts import parts, sums_parts, sums_trip
from halidehw.microarch.travel import plain


def output_entries(loops: Loops) -> Iterator[Entry]:
    """All counts of the output's words."""
    nest, terms = loops.nest, loops.terms
    tensor, bits = nest.output.name, nest.type.bits
    moves = _moves(loops)
    reductions = {variable.name for variable in loops.variables if variable.reduction}
    again = [digit for name, digit in loops.ordered if name in reductions]
    visits = loops.steps(moves={d.loop: moves.get(d.loop, 0) for d in again})
    steps, words = loops.steps(), terms.named(visits * nest.output.words)
    lanes = prod(space.extent for space in loops.spaces if not space.reduction)
    first = loops.steps(moves={d.loop: 1 if n not in reductions else moves.get(d.loop, 0) for n, d in loops.ordered})
    store = _accumulator(loops, moves, reductions)
    for depth, space in enumerate(loops.spaces):
        if space.reduction:
            moved = prod(outer.extent for outer in loops.spaces[:depth]) * (space.extent - 1)
            name = f"sums_moved_{plain(space.loop)}"
            distance = nest.loop[space.loop].distance if space.systolic else 1
            yield Entry(name, "array", tensor, "sum", terms.named(steps * moved), bits, distance)
    yield Entry("sums_read", "accumulator", tensor, "read", terms.named((steps - first) * lanes), bits, store=store)
    yield Entry("sums_written", "accumulator", tensor, "write", terms.named(steps * lanes), bits, store=store)
    yield Entry("sums_drained", "accumulator", tensor, "read", words, bits, store=store)
    port = Store("memory", "dram", bits=nest.output.type.bits)
    yield Entry(f"{tensor}_words", "memory", tensor, "write", words, port.bits, store=port)
    if nest.sums:
        yield from _partial(loops, words, terms.more(visits, 1))


def _moves(loops: Loops) -> dict[str, Value]:
    """Loop -> whether it lies outside a tile of partial sums."""
    nest, terms = loops.nest, loops.terms
    own = [variable.name for variable in loops.variables if not variable.reduction]
    if nest.sums:
        return loops.moves(own, loops.depth(nest.sums[0].at))
    found: dict[str, Value] = {}
    before: Value = 1
    for name, digit in loops.ordered:
        if name in own:
            found[digit.loop] = terms.negation(terms.more(before, 1))
        else:
            found[digit.loop] = 0
            before = terms.product((before, digit.steps))
    return found


def _accumulator(loops: Loops, moves: dict[str, Value], reductions: set[str]) -> Store:
    terms, sums = loops.terms, loops.nest.sums
    inner = [(name, terms.named(1 + (d.steps - 1) * (1 - moves.get(d.loop, 0)))) for name, d in loops.ordered]
    words = terms.product(steps for name, steps in inner if name not in reductions)
    steps = terms.product(steps for _, steps in inner)
    trip = sums_trip(sum(space.extent for space in loops.spaces if space.systolic))
    halves = terms.named(sums_parts(steps, trip, terms))
    return Store(
        "accumulator", "register_file", 1 if sums and sums[0].halves == 1 else halves, loops.nest.type.bits, (words,)
    )


def _partial(loops: Loops, words: Value, case: Value) -> Iterator[Entry]:
    """Partial sums that come back, where they do (`case`)."""
    nest, terms = loops.nest, loops.terms
    output, bits = nest.output.name, nest.output.type.bits
    name = f"{output}_partial"
    while name in nest.tensor:
        name += "_"
    store = Store(f"{name}_stream", "sram", parts(1, 1, LATENCY + 1, terms), bits, (1,))
    back, port = terms.named(words - nest.output.words), Store("memory", "dram", bits=bits)
    yield Entry(f"{name}_words", "memory", output, "read", back, bits, store=port)
    for event in ("written", "read"):
        kind = "write" if event == "written" else "read"
        count = f"{plain(store.level)}_{event}"
        yield Entry(count, store.level, output, kind, terms.named(case * words), bits, store=store)  # type: ignore[arg-type]
