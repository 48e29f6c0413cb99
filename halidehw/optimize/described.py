"""What a search looked at, in words: what `optimal` means."""

from __future__ import annotations

from halidehw.mapping.counts import exists
from halidehw.mapping.layer import DIMS
from halidehw.mapping.mapping import Mapping, tiling
from halidehw.optimize.options import Options
from halidehw.optimize.space import Space


def described(space: Space, options: Options, mapping: Mapping) -> str:
    """The dataflows, lanes, tiles and orders of `space`, and the levels that the `mapping` found must have."""
    flow = options.flow(space.arch)
    parts = ["any dataflow of one loop on each dimension" if flow == "any" else f"dataflow {flow}"]
    if options.replicate:
        parts[0] += " and at most one more beside it"
    lanes = "the fewest lanes for any number of steps" if options.ragged else "lanes that divide the loops"
    parts.append(lanes + (f", at least {options.share:.0%} of the most" if options.share else ""))
    parts.append(_tiles(space) + (", each level at least half full" if options.half_full else ""))
    built = exists(tiling(space.layer, mapping), space.arch.pe_levels)[:, 0]
    dear = [space.arch.levels[level].name for level in space.required if built[level]]
    if dear:
        parts.append(f"{' and '.join(dear)}, dearer than what is outside, not left out")
    return "; ".join([*parts, "any order of loops"])


def _tiles(space: Space) -> str:
    """The tile sizes of each loop."""
    long = [dim for dim, extent in enumerate(space.layer.extents) if extent > 1]
    every = [DIMS[dim] for dim in long if len(space.grid.sizes[dim]) == space.layer.extents[dim]]
    rest = [DIMS[dim] for dim in long if DIMS[dim] not in every]
    parts = [f"tiles of any size of {', '.join(every)}"] if every else []
    parts += [f"tiles that divide {', '.join(rest)} or are multiples of their lanes"] if rest else []
    return ", ".join(parts) or "one tile"
