"""Words turned round among the banks of a memory."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from amaranth.hdl import Cat, Module, Mux, Signal, Value


def turned(
    m: Module, label: str, words: Sequence[Value], sizes: Sequence[int], turns: Sequence[Value], back: bool = False
) -> list[Value]:
    """Word [j0 + t0, j1 + t1, ...] of the result is word [j0, j1, ...], or with `back` the other way round.

    `words`: of one width, row-major over `sizes`, which are the moduli of these sums; `turns`: t0, t1, ..., a bit for
    each doubling. Each bit is one layer of multiplexers; no register.
    """
    width, here, parts = len(words[0]), Cat(*words), list(words)
    for axis, (size, turn) in enumerate(zip(sizes, turns, strict=True)):
        inner = prod(sizes[axis + 1 :])
        for bit in range((size - 1).bit_length()):
            by = 1 << bit if back else -1 << bit
            places = [at + ((at // inner + by) % size - at // inner % size) * inner for at in range(len(words))]
            layer = Signal(len(here), name=f"{label}{axis}_{1 << bit}")
            m.d.comb += layer.eq(Mux(turn[bit], Cat(*(parts[place] for place in places)), here))
            here, parts = layer, [layer[place * width : (place + 1) * width] for place in range(len(words))]
    return parts
