"""Lanes of layers that the optimizer does not know."""

from __future__ import annotations

from itertools import permutations

from halidehw.errors import HalideHWError
from halidehw.expr.expr import Var
from halidehw.frontend.design import design_of
from halidehw.frontend.func import Func
from halidehw.frontend.pipeline import tensors_of
from halidehw.frontend.text import parse, write
from halidehw.importers.steps import Layer
from halidehw.microarch.options import Options
from halidehw.scheduler import lower_graph


def in_lanes(layer: Layer, options: Options) -> str:
    """The layer with lanes along the fastest dimension of the output, as many as a port's word has, or fewer where its
    loops cannot be taken apart for these."""
    plain = write(design_of(layer.func))
    func = parse(plain).output
    fastest = Var(func.args[0])
    most = min(options.lanes(func.type.bits), func.bounds[fastest.name][1])
    for lanes in range(most, 1, -1):
        try:
            text = _unrolled(plain, fastest, lanes)
            lower_graph(parse(text).output)
        except HalideHWError:
            continue
        return text
    return plain


def _unrolled(text: str, loop: Var, lanes: int) -> str:
    func = parse(text).output
    sums = _sums(func)
    (sums[0].update() if sums else func).unroll(loop, lanes)
    return write(design_of(func))


def on_two_sides(layer: Layer, macs: int, words: int) -> list[str]:
    """Sums of products of two tensors: lanes along the fastest dimension of the output, as many as `words` of a port,
    and along another one, as there are multipliers. What is read along that one is held while all others pass."""
    func = parse(write(design_of(layer.func))).output
    if not (sums := _sums(func)) or len(layer.inputs) != 2 or len(func.args) < 2:
        return []
    stage, (fastest, *others) = sums[0].update(), func.args
    taps = [loop for loop in reversed(stage.loops.names) if loop not in func.args]
    lanes = min(words, func.bounds[fastest][1], macs)
    found = list[str]()
    for side, (held, passing) in ((side, pair) for side in others for pair in permutations(layer.inputs)):
        wide = min(1 << (macs // lanes).bit_length() - 1, func.bounds[side][1])
        rest = [loop for loop in others if loop != side]
        order = ["f_i", "s_i", *taps, "f_o", *rest, "s_o"]
        found.append("\n".join([
            write(design_of(layer.func)), "Var f_o, f_i, s_o, s_i;",
            f"{sums[0].name}.update().split({fastest}, f_o, f_i, {lanes}).split({side}, s_o, s_i, {wide})"
            f".reorder({', '.join(order)}).unroll(f_i).unroll(s_i);",
            f"{held}.in().compute_at({sums[0].name}, s_o);",
            f"{passing}.in().compute_at({sums[0].name}, {rest[0] if rest else 's_o'});", "",
        ]))  # fmt: skip
    return found


def through_tiles(layer: Layer, words: int) -> list[str]:
    """Elements of one tensor in another order: lanes along the fastest dimension of the output, tiles in which another
    one passes first, for each of those. Where that is the input's fastest, ports take words together on both sides."""
    if [each.words for each in layer.inputs.values()] != [layer.output.words]:
        return []
    func = parse(write(design_of(layer.func))).output
    if _sums(func):
        return []
    fastest, *others = func.args
    lanes, found = min(words, func.bounds[fastest][1]), list[str]()
    for first in others:
        rest = [loop for loop in others if loop != first]
        tile = next((loop for loop in rest if func.bounds[loop][1] > 1), None)
        if tile and func.bounds[first][1] > 1:
            order = ["f_i", first, "f_o", *rest]
            found.append("\n".join([
                write(design_of(layer.func)), "Var f_o, f_i;",
                f"{func.name}.split({fastest}, f_o, f_i, {lanes}).reorder({', '.join(order)}).unroll(f_i);",
                f"{next(iter(layer.inputs))}.in().compute_at({func.name}, {tile});", "",
            ]))  # fmt: skip
    return found


def _sums(func: Func) -> list[Func]:
    return [each for each in tensors_of(func) if isinstance(each, Func) and len(each.stages) > 1]
