"""What is known of a space from wider ones: where the optimum of these lies in it, that is its own."""

from __future__ import annotations

from dataclasses import replace

from halidehw.optimize.described import described
from halidehw.optimize.options import Options
from halidehw.optimize.result import Result
from halidehw.optimize.space import Space


def narrower(part: Options, whole: Options) -> bool:
    """Whether `whole` allows all that `part` does, ragged tiles or replicated loops beside it, and is else the same."""
    same = replace(part, ragged=whole.ragged, replicate=whole.replicate) == whole
    return same and part != whole and part.ragged <= whole.ragged and part.replicate <= whole.replicate


def in_part(found: Result, space: Space, options: Options) -> Result | None:
    """What was found in a wider space as the optimum of `space`, if it is proven and lies in that."""
    if not (found.optimal and space.has(found.mapping)):
        return None
    said = described(replace(space, arch=found.arch), options, found.mapping)
    return replace(found, evaluated=0, seconds=0.0, space=said)
