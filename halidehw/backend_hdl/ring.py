"""Who owns which rows of a line buffer."""

from __future__ import annotations

from dataclasses import dataclass

from amaranth.hdl import Const, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out

from halidehw.backend_hdl.library import Library, Part, addresses


@dataclass(frozen=True)
class RowsSpec:
    """`rows` rows of `unit` words; a tile is a window of `window` of them, and the next begins `step` further on.
    `ends`: the greatest value of each `left` port."""

    rows: int
    unit: int
    window: int
    step: int
    ends: tuple[int, ...] = ()


class Rows(Part[RowsSpec]):
    """Passes the rows of a ring from its writer to its reader and back, in order.

    The writer pulses `reserve` with the first step of a row, only while `free`, and `commit` with the row's last word,
    only while `granted`. `full`: the reader has all rows of its tile, which are the window's, or fewer where one of
    `left`, the words from its first row to the last, ends before. The reader pulses `retire` with the last step of a
    tile, only while `full`: it gives back the rows that the next tile begins after, or with `last` all of its own.
    `granted` falls with the commit of the last row granted; else the flags follow a pulse one cycle later, `full` also
    `left` at once. `write_base` and `read_base` are the first words of the row written and of the tile; they move on
    one cycle after commit and retire. Reset: all rows free.
    """

    title = "ring"

    def __init__(self, library: Library, spec: RowsSpec):
        words = addresses(spec.rows * spec.unit)
        members = {"reserve": In(1), "commit": In(1), "retire": In(1), "last": In(1)}
        members |= {f"left{k}": In(range(most + 1)) for k, most in enumerate(spec.ends)}
        members |= {"free": Out(1), "granted": Out(1), "full": Out(1)}
        super().__init__(library, spec, members | {"write_base": Out(words), "read_base": Out(words)})

    def elaborate(self, platform: object) -> Module:
        m, spec = Module(), self.spec
        size, window = spec.rows * spec.unit, spec.window * spec.unit
        free = Signal(range(size + 1), init=size, name="free_words")
        granted = Signal(range(spec.rows + 1), name="granted_rows")
        full = Signal(range(size + 1), name="full_words")
        need, freed = Signal(range(window + 1)), Signal(range(window + 1))
        m.d.comb += [
            need.eq(self._least(window)),
            freed.eq(Mux(self.last, need, spec.step * spec.unit)),
            self.free.eq(free != 0),
            self.granted.eq(granted > self.commit),
            self.full.eq(full >= need),
        ]
        back = Mux(self.retire, freed, 0)
        m.d.sync += [
            free.eq(free + back - Mux(self.reserve, spec.unit, 0)),
            granted.eq(granted + self.reserve - self.commit),
            full.eq(full + Mux(self.commit, spec.unit, 0) - back),
        ]
        with m.If(self.commit):
            m.d.sync += self.write_base.eq(folded(self.write_base + spec.unit, size))
        with m.If(self.retire):
            m.d.sync += self.read_base.eq(folded(self.read_base + freed, size))
        return m

    def _least(self, window: int) -> Value:
        """The words of the reader's tile."""
        need: Value = Const(window)
        for k in range(len(self.spec.ends)):
            left = self[f"left{k}"]
            need = Mux(left < need, left, need)
        return need


def folded(place: Value, size: int) -> Value:
    """A place below 2 * `size` in a ring of `size` words."""
    return Mux(place >= size, place - size, place)
