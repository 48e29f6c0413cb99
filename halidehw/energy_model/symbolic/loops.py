"""A lowered nest as the symbolic counts see it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from halidehw.energy_model.symbolic.chains import Digit, Variable
from halidehw.energy_model.symbolic.edges import inside
from halidehw.energy_model.symbolic.lanes import Lanes
from halidehw.energy_model.symbolic.terms import Terms, Value
from halidehw.energy_model.symbolic.tiles import Indexed, Role, Roles, Tiles, share
from halidehw.energy_model.traffic import Event
from halidehw.ir.nest import Nest
from halidehw.microarch.network import Space


@dataclass(frozen=True)
class Store:
    """A memory whose size sets what its words cost. `extents`: of one part's box; of a shared memory also the lanes it
    is read by, the step of its box, and per dimension the strides of the loops inside (whether there are any steps, the
    stride in the tensor)."""

    level: str
    kind: Literal["register_file", "sram", "dram"]
    halves: Value = 1
    bits: int = 0
    extents: tuple[Value, ...] = ()
    lanes: Lanes | None = None
    steps: tuple[Value, ...] = ()
    strides: tuple[tuple[tuple[Value, Value], ...], ...] = ()


@dataclass(frozen=True)
class Entry:
    """A count of the model (`traffic.Count`) in symbols. `store`: where its words lie, if that is what they cost."""

    name: str
    level: str
    tensor: str
    event: Event
    words: Value
    bits: int = 0
    distance: int = 1
    store: Store | None = None


@dataclass(frozen=True)
class Loops:
    """The loops of a nest, outer to inner, as variable and digit; `spaces`: the array's axes."""

    terms: Terms
    nest: Nest
    variables: tuple[Variable, ...]
    spaces: tuple[Space, ...]

    @property
    def ordered(self) -> list[tuple[str, Digit]]:
        found = [(variable.name, digit) for variable in self.variables for digit in variable.digits]
        return sorted(found, key=lambda each: each[1].position)

    def lanes_on(self, variables: Iterable[str]) -> list[tuple[str, Digit]]:
        """The unrolled loops of some variables, in the array's order."""
        mine, places = set(variables), [space.loop for space in self.spaces]
        found = [each for each in self.ordered if each[0] in mine and each[1].lanes > 1]
        return sorted(found, key=lambda each: places.index(each[1].loop))

    def depth(self, at: str | None) -> int:
        """How many loops lie outside a place just inside loop `at`."""
        return 0 if at is None else next(digit.position + 1 for _, digit in self.ordered if digit.loop == at)

    def moves(self, variables: Iterable[str], depth: int) -> dict[str, Value]:
        """Loop -> whether its steps refill a tile that lies inside `depth` loops and depends on `variables`: it moves
        the tile, or one that does lies inside it."""
        mine, found = set(variables), dict[str, Value]()
        inner: Value = 1
        for name, digit in reversed(self.ordered[:depth]):
            if name in mine:
                found[digit.loop] = 1
                inner = self.terms.product((inner, digit.steps))
            else:
                found[digit.loop] = self.terms.more(inner, 1)
        return found

    def tiles(
        self, tensor: Indexed, depth: int, lanes: Role | Mapping[str, Role] = "inside", start: str | None = None
    ) -> Tiles:
        """The tiles of a tensor inside `depth` loops. `lanes`: of its unrolled loops; all others are at their first
        lane. `start`: a loop to be left at its first step."""
        roles: dict[str, Role] = dict.fromkeys((digit.loop for _, digit in self.ordered), "start")
        for _, digit in self.lanes_on(tensor.variables):
            roles[digit.loop] = lanes if isinstance(lanes, str) else lanes[digit.loop]
        moves = self.moves(tensor.variables, depth) | ({start: 0} if start else {})
        held = {
            each.loop
            for variable in self.variables
            for each in variable.digits
            if variable.name in tensor.variables and each.position >= depth
        }
        every = Roles(moves, frozenset(held), roles)
        shares = {variable.name: share(self.terms, variable, every) for variable in self.variables}
        return Tiles(self.terms, tensor, shares, every)

    def asked(self, tiles: Tiles) -> Value:
        """Words that are read for tiles: those outside the tensor are not."""
        return inside(tiles, {each.name: each for each in self.variables}) if tiles.tensor.edges else tiles.words

    def steps(self, start: str | None = None, moves: Mapping[str, Value] | None = None) -> Value:
        """Steps of the array: all, those with one loop at its start, or those with only some moving."""
        loops = [digit.loop for _, digit in self.ordered]
        every = dict(moves) if moves is not None else dict.fromkeys(loops, 1)
        roles = Roles(every | ({start: 0} if start else {}), frozenset(), dict.fromkeys(loops, "start"))
        return self.terms.product(share(self.terms, variable, roles).tiles for variable in self.variables)

    def inside(self, moves: Mapping[str, Value]) -> Value:
        """Steps of the loops that do not move a tile, as many as a full one has."""
        return self.terms.product(
            self.terms.named(1 + (digit.steps - 1) * (1 - moves.get(digit.loop, 0))) for _, digit in self.ordered
        )
