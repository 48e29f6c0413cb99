"""What the levels of partial sums are made of."""


from __future__ import annotations

from halidehw.backend_hdl.accumulate import AccumulateSpec
from halidehw.backend_hdl.grid import NodeSpec, OutputSpec, array_spec
from halidehw.backend_hdl.pe import PESpec, held
from halidehw.backend_hdl.wave import Wire
from halidehw.microarch.network import Space, Stage
from halidehw.microarch.stores import Sums


def pe_spec(stage: Stage) -> PESpec:
    sums, masks = stage.sums[0], tuple(mask.name for mask in stage.compute.masks)
    value = stage.compute.value
    return PESpec(value, value.type if sums.scattered else sums.type, sums.combine, (), held(stage), masks)


def sums_spec(sums: Sums) -> AccumulateSpec:
    return AccumulateSpec(
        sums.halves * sums.words, sums.type, sums.combine, sums.init, sums.single, sums.scattered, sums.ports,
        sums.words if sums.ports else 0, sums.soon,
    )  # fmt: skip


def lanes_spec(stage: Stage, wires: tuple[Wire, ...]) -> NodeSpec | OutputSpec:
    """The array, with the levels of sums in its lanes."""
    levels = tuple(sums_spec(level) for level in stage.sums if level.inside)
    return array_spec(stage.spaces, wires, pe_spec(stage), levels, _together(stage, len(levels) - 1),
                      stage.compute.product)  # fmt: skip


def banks_spec(stage: Stage, level: int, wires: tuple[Wire, ...]) -> NodeSpec | OutputSpec:
    """The memory of a level of sums outside the lanes: a bank for each lane that its fold takes together."""
    sums = stage.sums[level]
    return array_spec(bank_spaces(stage, sums), wires, None, (sums_spec(sums),), _together(stage, level))


def bank_spaces(stage: Stage, sums: Sums) -> tuple[Space, ...]:
    """The lanes that a level of sums outside the array holds side by side, as axes of one."""
    width = dict(sums.held)
    spaces = (space for space in stage.spaces if width.get(space.name, 1) > 1)
    return tuple(Space(space.name, space.loop, width[space.name], False, space.dimension, False) for space in spaces)


def _together(stage: Stage, level: int) -> dict[str, int]:
    """The lanes of each axis that are drained together from a level."""
    if level + 1 < len(stage.sums):
        return dict(stage.sums[level + 1].held)
    return dict(stage.write.together)
