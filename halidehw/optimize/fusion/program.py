"""A group of layers as a text design: what each layer computes, and the schedule that computes them together."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from halidehw.frontend.text.calls import functions
from halidehw.optimize.fusion.bounds import SUMS
from halidehw.optimize.fusion.chain import Along, Chain, by_rows
from halidehw.optimize.fusion.network import Node, Side
from halidehw.optimize.fusion.ways import FILTERS_INSIDE, ROWS, Group

SHIFT = 6
"""How far sums are shifted to be a word again: what requantisation is here."""

TAKEN = frozenset(functions()) | {
    "c", "x", "y", "ct", "xt", "yt", "cl", "input", "padded", "pixels", "Func", "Var", "RDom", "ImageParam", "Param",
    "Expr", "BoundaryConditions", "const", "int", "type_of",
}  # fmt: skip
"""What no layer can be called in a text."""

FIRST, LAST = re.compile("[^A-Za-z]|(w|r|added|all_added)_"), ("_sum", "_req", "_resp")
"""How no layer's name begins and ends here: as those of its weights, taps and sums, of what is added, of signals."""

INPUT = ("input",)
"""The tensor that the first layer of a design reads, and no layer is called."""

LONGEST = 60
"""Characters of a name: it is that of a file, too."""


def written(name: str, others: Collection[str]) -> str:
    """A layer's name as a text takes it, and hardware: ASCII, a letter first, and none that others have."""
    own = re.sub(r"\W", "_", name, flags=re.ASCII)[:LONGEST]
    own = f"l{own}" if FIRST.match(own) else own
    while own in others or own in TAKEN or own.endswith(LAST):
        own += "_"
    return own


@dataclass(frozen=True)
class Program:
    """`bits` of a word; `lanes`: channels of the result of each layer side by side."""

    group: Group
    bits: int = 8
    lanes: tuple[int, ...] = ()

    @property
    def chain(self) -> Chain:
        return self.group.chain

    @property
    def alike(self) -> object:
        """The same for designs that differ in names only."""
        group = self.group
        return self.chain.shape, group.way, group.kept, group.filters, group.rows, group.columns, self.bits, self.lanes

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Of each tensor: the input, and the layers' names as they can be written."""
        found = [*INPUT]
        for name in self.chain.names:
            found.append(written(name, found))
        return tuple(found)

    def text(self) -> str:
        """A `.hh` design."""
        layers = [line for at in range(1, len(self.names)) for line in (*self._layer(at), "")]
        sizes = ", ".join(f"{{0, {size}}}" for size in self._sizes)
        read = ["input", *(f"w_{name}" for name in self.names[1:]), *self._fetched.values()]
        lines = [
            f"// {' + '.join(ascii(name)[1:-1] for name in self.chain.names)}", "", *self._inputs(), "", *layers,
            f"{self.names[-1]}.set_bounds({{{sizes}}});", *self.schedule(), "",
            f"{self.names[-1]}.accelerate({{{', '.join(read)}}});",
        ]  # fmt: skip
        return "\n".join(lines) + "\n"

    def schedule(self) -> Iterator[str]:
        """Its lines that say where and when each layer is computed."""
        split = "".join(f".split({loop[0]}, {loop}, {loop[0]}, {size})" for loop, size in self._tiled.items())
        for at in reversed(range(1, len(self.names))):
            last = at == len(self.chain.nodes)
            if order := self._order(at, tuple(self._tiled) if last else ()):
                yield f"{self.names[at]}_sum.update(){split if last else ''}{order}"
            if not last:
                yield f"{self.names[at]}{self._at(at)};"
        yield from self._copies()

    @property
    def _sizes(self) -> tuple[int, int, int]:
        """Channels, columns and rows of the result."""
        layer = self.chain.last.layer
        return layer.k, layer.ox, layer.oy

    @cached_property
    def _fetched(self) -> dict[int, str]:
        """The inputs that are added to what layers make, by their places in `chain.added`."""
        kept = self.group.kept
        fetched = [n for n, (_, source) in enumerate(self.chain.added) if source is None or (source == 0 and not kept)]
        return {number: f"added_{at}" for at, number in enumerate(fetched, 1)}

    @property
    def _waits(self) -> bool:
        """Whether the input is a stage of its own, from which it is read twice."""
        return any(source == 0 for _, source in self.chain.held(self.group.kept))

    def _inputs(self) -> Iterator[str]:
        yield f"ImageParam input(Int({self.bits}), 3);"
        for at, node in enumerate(self.chain.nodes, 1):
            yield f"ImageParam w_{self.names[at]}(Int({self.bits}), {self._taps(node) + 2 - node.depthwise});"
        for name in self._fetched.values():
            yield f"ImageParam {name}(Int({self.bits}), 3);"
        yield "Var c, x, y, ct, xt, yt, cl;"
        first = self.chain.nodes[0]
        yield _padded("padded", "input", (first.layer.c, first.x.size, first.y.size))
        if self._waits:
            yield "Func pixels;"
            yield "pixels(c, x, y) = padded(c, x, y);"

    @staticmethod
    def _taps(node: Node) -> int:
        """Dimensions of the taps; a sum has a dimension, if only of one tap."""
        return 2 * (node.layer.fx > 1 or node.layer.fy > 1 or node.depthwise)

    def _layer(self, at: int) -> Iterator[str]:
        """The sums of one layer, and what is made of each."""
        node, name = self.chain.nodes[at - 1], self.names[at]
        layer, own = node.layer, f"r_{name}"
        sizes = [*([layer.fx, layer.fy] if self._taps(node) else []), *([] if node.depthwise else [layer.c])]
        loops = [f"{own}.{letter}" for letter in "xyz"[: len(sizes)]]
        channel = loops[-1] if not node.depthwise else "c" if node.multiplier == 1 else f"c / {node.multiplier}"
        taps = loops[:2] if self._taps(node) else ["", ""]
        source = self.names[at - 1] if at > 1 else "pixels" if self._waits else "padded"
        where = ", ".join([channel, _index("x", node.x, taps[0]), _index("y", node.y, taps[1])])
        weights = ", ".join(["c", *loops])
        yield f"RDom {own}({', '.join(f'0, {size}' for size in sizes)});"
        yield f"Func {name}_sum, {name};"
        cast = f"cast(Int({SUMS * self.bits}), "
        yield f"{name}_sum(c, x, y) += {cast}{source}({where})) * {cast}w_{name}({weights}));"
        for number, fetched in self._fetched.items():
            if self.chain.added[number][0] == at:
                yield _padded(f"all_{fetched}", fetched, (layer.k, layer.ox, layer.oy))
        yield f"{name}(c, x, y) = {self._made(at)};"

    def _made(self, at: int) -> str:
        """What becomes of a sum: a word, with what is added to it, and outside the layer zero where that is read."""
        name = self.names[at]
        value = f"{name}_sum(c, x, y) >> {SHIFT}"
        for number, (tensor, source) in enumerate(self.chain.added):
            if tensor == at:
                value = f"({value}) + {self._term(number, source)}(c, x, y)"
        value = f"saturating_cast(Int({self.bits}), {value})"
        if at == len(self.chain.nodes):
            return value
        after = self.chain.nodes[at]
        limits = [limit for var, side in (("x", after.x), ("y", after.y)) for limit in _limits(var, side)]
        return f"select({' && '.join(limits)}, {value}, 0)" if limits else value

    def _term(self, number: int, source: int | None) -> str:
        """What is added: an input, or what waits on chip."""
        if number in self._fetched:
            return f"all_{self._fetched[number]}"
        return self.names[source] if source else "pixels"

    def _lanes(self, at: int) -> int:
        return self.lanes[at - 1] if self.lanes else 1

    def _order(self, at: int, outer: Sequence[str]) -> str:
        """The loops of a layer in a tile: sums innermost, then channels, columns, rows."""
        node, name = self.chain.nodes[at - 1], self.names[at]
        count = (not node.depthwise) + self._taps(node)
        sums = [f"r_{name}.{letter}" for letter in "xyz"[:count]]
        lanes = [f".split(c, c, cl, {self._lanes(at)})", ".unroll(cl)"] if self._lanes(at) > 1 else ["", ""]
        order = ", ".join([*(["cl"] if lanes[0] else []), *sums, "c", "x", "y", *outer])
        return f"{lanes[0]}.reorder({order}){lanes[1]};" if outer or lanes[0] else ""

    @cached_property
    def _tiled(self) -> dict[str, int]:
        """The loops over tiles, innermost first, of those that take more than one step; and the sizes of tiles."""
        sizes = dict(zip("cxy", (self.group.filters, self.group.columns, self.group.rows), strict=True))
        whole = dict(zip("cxy", self._sizes, strict=True))
        order = "cxy" if self.group.way == FILTERS_INSIDE else "xyc"
        return {f"{var}t": sizes[var] for var in order if sizes[var] < whole[var]}

    def _at(self, at: int) -> str:
        """The place of a tensor in the loops of the last layer: the innermost one that its tile depends on, or that has
        such a one inside."""
        last, rows = f"{self.names[-1]}_sum", self.group.way == ROWS
        loops = [loop for loop in self._tiled if loop != "ct" or rows or self.chain.sliced[at]]
        if rows:
            store = (f".store_at({last}, {loops[0]})" if loops else ".store_root()") if self._overlaps(at) else ""
            return f"{store}.compute_at({last}, y)"
        return f".compute_at({last}, {loops[0]})" if loops else ".compute_root()"

    def _overlaps(self, at: int) -> bool:
        """Whether consecutive rows of the next tensor need rows of one in common."""
        return self._rows.kept[at] or any(source == at for _, source in self.chain.held(self.group.kept))

    @cached_property
    def _rows(self) -> Along:
        return by_rows([node.y for node in self.chain.nodes])

    def _copies(self) -> Iterator[str]:
        """The memories of what comes through ports."""
        yield f"{'pixels' if self._waits else 'padded.in()'}{self._at(0)};"
        for at in range(1, len(self.names)):
            parts = self.chain.sliced[at] and "ct" in self._tiled
            place = f".compute_at({self.names[-1]}_sum, ct)" if parts else ".compute_root()"
            yield f"w_{self.names[at]}.in(){place};"


def _padded(name: str, tensor: str, extents: Sequence[int]) -> str:
    """A tensor with zeros around it."""
    bounds = ", ".join(f"{{0, {size}}}" for size in extents)
    return f"Func {name} = BoundaryConditions::constant_exterior({tensor}, 0, {{{bounds}}});"


def _index(var: str, side: Side, tap: str) -> str:
    """Which element of its input an output reads with a tap."""
    found = var if side.stride == 1 else f"{var} * {side.stride}"
    if tap:
        found += f" + {tap}" if side.dilation == 1 else f" + {tap} * {side.dilation}"
    return f"{found} - {side.low}" if side.low else found


def _limits(var: str, side: Side) -> Iterator[str]:
    """That an element is there, where outputs read some that are not."""
    if side.low:
        yield f"{var} >= 0"
    if side.stride * (side.out - 1) + side.window - side.low > side.size:
        yield f"{var} < {side.size}"
