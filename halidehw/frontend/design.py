"""A design: the Func to be made hardware, and all it is computed from."""

from __future__ import annotations

from dataclasses import dataclass

from halidehw.frontend.func import Func
from halidehw.frontend.params import ImageParam
from halidehw.frontend.pipeline import tensors_of


@dataclass(frozen=True)
class Design:
    """`funcs`: the output and all that it reads, a Func after those it reads; `inputs` in the order of reading."""

    name: str
    output: Func
    funcs: tuple[Func, ...]
    inputs: tuple[ImageParam, ...]


def design_of(func: Func) -> Design:
    """The design whose output is `func`. Raises `AlgorithmError` if two tensors in it share a name."""
    tensors = tensors_of(func)
    funcs = [tensor for tensor in tensors if isinstance(tensor, Func)]
    return Design(
        func.name,
        func,
        tuple(_after_sources(funcs)),
        tuple(tensor for tensor in tensors if isinstance(tensor, ImageParam)),
    )


def _after_sources(funcs: list[Func]) -> list[Func]:
    ordered: list[Func] = []
    while waiting := [func for func in funcs if func not in ordered]:
        ordered += [func for func in waiting if not any(source in waiting for source in func.sources)]
    return ordered
