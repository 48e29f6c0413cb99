"""Which designs can share an engine."""

from __future__ import annotations

from collections.abc import Sequence

from halidehw.driver.build import design_and_graph
from halidehw.machines.agree import shared
from halidehw.machines.engine import Programmed
from halidehw.microarch.options import Options


def grouped(designs: Sequence[Programmed], options: Options) -> list[list[int]]:
    """Designs by number, those together of which one network can be made; each goes to the first whose first it can
    share it with, so that structure decides and nothing else."""
    groups = list[list[int]]()
    for number, design in enumerate(designs):
        for group in groups:
            if _share([designs[group[0]], design], options):
                group.append(number)
                break
        else:
            groups.append([number])
    return [part for group in groups for part in _whole(group, designs, options)]


def _whole(group: list[int], designs: Sequence[Programmed], options: Options) -> list[list[int]]:
    """A group whose pairs fit, or the parts of it that do as a whole."""
    if len(group) < 3 or _share([designs[number] for number in group], options):
        return [group]
    found = list[list[int]]()
    for number in group:
        for part in found:
            if _share([designs[each] for each in (*part, number)], options):
                part.append(number)
                break
        else:
            found.append([number])
    return found


def _share(designs: Sequence[Programmed], options: Options) -> bool:
    whole = [design_and_graph(design) for design in designs]
    return shared([design for design, _ in whole], [graph for _, graph in whole], options)
