"""Several readers of one window: its rows are kept once, with a tap for each of them.

Stages that take the words of another one as they come go over the same rows and columns. So the rows that they keep are
the same, and need not lie behind the queue of each: the writer keeps them, and puts beside each word those of the same
column that a reader takes. The queues are as many times as wide. So a reader keeps rows of its own where they are
shorter than that, and where no other one keeps any.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from halidehw.expr.expr import Expr, transform
from halidehw.expr.tree import nodes
from halidehw.microarch.choices import Choices
from halidehw.microarch.network import Stage
from halidehw.microarch.processes import Operand
from halidehw.microarch.stores import Before, Memory
from halidehw.microarch.taps import Lanes, Window
from halidehw.microarch.values import Ago


@dataclass(frozen=True)
class _Reader:
    """A queue with rows behind it, and the window that takes its words."""

    memory: Memory
    window: Window

    def wide(self, before: Before | None = None) -> Memory:
        """The queue of columns, without rows of its own."""
        heads = len(self.memory.lanes)
        used = [source for source, _ in self.window.taps]
        used += [leaf.source for value in self.window.values for leaf in nodes(value) if isinstance(leaf, Ago)]
        beside = tuple(sorted({source // heads for source in used if source < self.window.lanes}))
        return replace(self.memory, behind=None, before=before, beside=beside)


def gathered(stages: tuple[Stage, ...], choices: Choices) -> tuple[Stage, ...]:
    """The stages, with rows before the queues of several readers wherever the memories are smaller so."""
    for stage in stages:
        found = [each for sink in stage.write.inside for each in _keeping(stages, sink.memory)]
        if len(found) > 1:
            names = choices.of("columns", stage.name, frozenset(_together(found)))
            stages = _kept_once(stages, found, names)
    return stages


def _keeping(stages: Collection[Stage], name: str) -> list[_Reader]:
    """The reader of a memory, if that has rows behind it."""
    windows = [each for stage in stages if (each := stage.compute.windows.get(name))]
    memories = [memory for stage in stages for memory in stage.memories if memory.name == name and memory.behind]
    return [_Reader(memory, window) for memory in memories for window, _ in windows]


def _together(readers: list[_Reader]) -> list[str]:
    """The memories whose rows are kept once."""
    joined = [each for each in readers if each.wide().size < each.memory.size]
    alone, once = (sum(memory.size for memory in each) for each in ([r.memory for r in joined], _once(joined).values()))
    return [each.memory.name for each in joined] if once < alone else []


def _once(readers: list[_Reader]) -> dict[str, Memory]:
    """Their memories, with the rows of the one that has the most of them before all."""
    if not readers:
        return {}
    first, *others = sorted((each.memory for each in readers), key=lambda memory: -memory.kept)
    assert first.behind
    before = Before(first.behind.rows, first.behind.columns, (first.name, *(memory.name for memory in others)))
    return {each.memory.name: each.wide(before) for each in readers}


def _kept_once(stages: tuple[Stage, ...], readers: list[_Reader], names: Collection[str]) -> tuple[Stage, ...]:
    """With the rows of the memories `names` kept once, and those of the other readers again."""
    wide = _once([each for each in readers if each.memory.name in names])
    for memory in (each.memory for each in readers if each.memory.name not in names):
        assert memory.behind
        wide[memory.name] = replace(memory, behind=replace(memory.behind, again=True))

    def changed(stage: Stage) -> Stage:
        stores = tuple(wide.get(store.name, store) for store in stage.stores)
        operands = tuple(_from(wide, operand) for operand in stage.compute.operands)
        return replace(stage, stores=stores, compute=replace(stage.compute, operands=operands))

    return tuple(map(changed, stages))


def _from(wide: Mapping[str, Memory], operand: Operand) -> Operand:
    """An operand that is read from a queue of columns."""
    source = operand.source
    if not isinstance(source, Lanes) or not source.window:
        return operand
    memory = wide.get(source.tap.memory)
    if memory is None or memory.before is None:
        return operand
    window = _over(source.window, memory)
    return replace(operand, source=replace(source, tap=replace(source.tap, column=None), window=window))


def _over(window: Window, memory: Memory) -> Window:
    """A window whose memory had rows behind it, now that the words that it takes lie side by side."""
    heads, many = len(memory.lanes), len(memory.beside)

    def place(source: int) -> int:
        if source >= window.lanes:
            return source - window.lanes + memory.given
        row, lane = divmod(source, heads)
        return lane * many + memory.beside.index(row)

    def moved(node: Expr) -> Expr:
        return replace(node, source=place(node.source)) if isinstance(node, Ago) else node

    taps = tuple((place(source), steps) for source, steps in window.taps)
    values = tuple(transform(each, moved) for each in window.values)
    return replace(window, taps=taps, lanes=memory.given, values=values)
