"""A design: the Funcs to be made hardware, and all they are computed from."""

from __future__ import annotations

from dataclasses import dataclass

from halidehw.frontend.func import Func
from halidehw.frontend.outputs import Pipeline
from halidehw.frontend.params import ImageParam
from halidehw.frontend.pipeline import tensors_of


@dataclass(frozen=True)
class Design:
    """`outputs`: what is written to memory, one that others read before these; `funcs`: the outputs and all that they
    read, a Func after those it reads; `inputs` in the order of reading."""

    name: str
    outputs: tuple[Func, ...]
    funcs: tuple[Func, ...]
    inputs: tuple[ImageParam, ...]

    @property
    def output(self) -> Func:
        """The last one, which no other one reads."""
        return self.outputs[-1]


def design_of(value: Func | Pipeline | Design) -> Design:
    """The design whose outputs are given. Raises `AlgorithmError` if two tensors in it share a name."""
    if isinstance(value, Design):
        return value
    outputs = value.outputs if isinstance(value, Pipeline) else (value,)
    tensors = tensors_of(*outputs)
    funcs = tuple(_after_sources([tensor for tensor in tensors if isinstance(tensor, Func)]))
    inner = {source for func in outputs for source in tensors_of(func)[1:]}
    ordered = (*(func for func in funcs if func in outputs and func in inner), *(f for f in outputs if f not in inner))
    inputs = tuple(tensor for tensor in tensors if isinstance(tensor, ImageParam))
    return Design(ordered[-1].name, ordered, funcs, inputs)


def _after_sources(funcs: list[Func]) -> list[Func]:
    ordered: list[Func] = []
    while waiting := [func for func in funcs if func not in ordered]:
        ordered += [func for func in waiting if not any(source in waiting for source in func.sources)]
    return ordered
