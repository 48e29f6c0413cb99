"""The tensors of a network that was run: written to files, and beside what they should be."""

from __future__ import annotations

from itertools import chain, count
from pathlib import Path

import numpy as np

from halidehw.importers.recipes import Convolution
from halidehw.importers.steps import Arrays, Layer, Step, TrainedNetwork

NONE = "every tensor of the first input is right, and an output is not: another input, or the runtime's fusion"


def dump(folder: Path, values: Arrays) -> None:
    """Every tensor as an array, under its name; a number tells apart those whose names no file can tell apart."""
    folder.mkdir(parents=True, exist_ok=True)
    taken = set[str]()
    for name, array in values.items():
        plain = "".join(letter if letter.isalnum() or letter in "._-" else "_" for letter in name)
        numbered = (f"{plain}_{number}" for number in count(2))
        own = next(each for each in chain([plain], numbered) if each.lower() not in taken)
        taken.add(own.lower())
        np.save(folder / f"{own}.npy", array)


def first_difference(network: TrainedNetwork, ours: Arrays, right: Arrays) -> str:
    """The first layer with a wrong element, of the tensors in `ours`, and of a sum what it comes to before it is
    rounded."""
    for step in network.steps:
        for tensor in step.makes:
            if tensor.name not in ours:
                continue
            places = np.argwhere(ours[tensor.name] != right[tensor.name])
            if len(places):
                at = tuple(map(int, places[0]))
                found = f"{ours[tensor.name][at]}, and it is {right[tensor.name][at]}"
                return (f"{step.op} {step.name} gives {found}, at {at}{_summed(step, right, at)}; {len(places)} of "
                        f"{tensor.words} elements differ")  # fmt: skip
    return NONE


def _summed(step: Step, values: Arrays, at: tuple[int, ...]) -> str:
    """The accumulator and the scale of an element."""
    if not isinstance(step, Layer) or not isinstance(step.recipe, Convolution):
        return ""
    tensor, recipe = step.reads[0], step.recipe
    words = int(np.ravel_multi_index(at, step.output.shape))
    place = np.zeros(step.output.shape, bool)
    place.flat[words] = True
    _, channel, row, column = (int(axis[0]) for axis in np.nonzero(recipe.output.taken(step.output.laid(place))))
    total = recipe.total(recipe.x.taken(tensor.laid(values[tensor.name])), channel, row, column)
    return f" (the accumulator is {total}, {recipe.rounding.said(channel)})"
