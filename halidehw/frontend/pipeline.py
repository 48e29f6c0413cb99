"""What a Func is computed from: its inputs, and the arrays they are given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

from halidehw.errors import AlgorithmError, TypeMismatch
from halidehw.expr.nodes import constructor
from halidehw.frontend.directives import BufferDirective
from halidehw.frontend.params import Buffer, ImageParam
from halidehw.notes import Note, once


def tensors_of(*funcs: Any) -> tuple[Any, ...]:
    """`funcs` and all they read, directly or not, each once. Raises `AlgorithmError` if two share a name."""
    found = _walk(*funcs)
    names = [tensor.name for tensor in found]
    for name in names:
        if names.count(name) > 1:
            last = [tensor for tensor in found if tensor.name == name][-1]
            raise AlgorithmError(
                f"two different tensors that {_and(funcs)} is computed from are named {name}",
                legal=(_declared(last, f"{name}_1"),),
            )
    return found


def _and(funcs: Sequence[Any]) -> str:
    return " and ".join(func.name for func in funcs)


def _declared(tensor: Any, name: str) -> str:
    """The declaration of a tensor under another name."""
    if not isinstance(tensor, ImageParam):
        return f'Func("{name}")'
    if tensor.buffer is not None and vars(tensor.buffer).get("param") is tensor:
        return f'Buffer(array, "{name}")'
    kind = constructor(tensor.type)
    return f'ImageParam({kind}, {tensor.dimensions}, "{name}")' if tensor.dimensions else f'Param({kind}, "{name}")'


def _walk(*tensors: Any) -> tuple[Any, ...]:
    """What is read before what reads it is seen again: each tensor once, in the order of first reading."""
    found: dict[Any, None] = {}
    pending = list(reversed(tensors))
    while pending:
        each = pending.pop()
        if each not in found:
            found[each] = None
            pending.extend(reversed(each.sources))
    return tuple(found)


def tell_apart(func: Any) -> None:
    """Renames what `func` reads, and `func`, where nobody named it and the name is another's: `f`, `f_1`, `f_2`.

    A name that stands in a directive stays. What was there before `func` keeps its name if it can.
    """
    _, *read = _walk(func)
    tensors = [*read, func]
    taken = {tensor.name for tensor in tensors if tensor.named}
    for tensor in tensors:
        if not tensor.named:
            names = (f"{tensor.name}_{number}" for number in count(1))
            name = tensor.name if tensor.name not in taken else next(name for name in names if name not in taken)
            tensor.rename(name)
            taken.add(name)


def inputs_of(*funcs: Any) -> tuple[ImageParam, ...]:
    """The inputs that `funcs` read, directly or not, in the order of first reading."""
    return tuple(tensor for tensor in tensors_of(*funcs) if isinstance(tensor, ImageParam))


def pending(*funcs: Any) -> tuple[BufferDirective, ...]:
    """What is said of tensors that `funcs` read, directly or not, and of copies of them, in no Func's schedule."""
    found: list[BufferDirective] = []
    for tensor in tensors_of(*funcs):
        found += getattr(tensor, "pending", ())
        found += (each for wrapper in getattr(tensor, "wrappers", ()) for each in wrapper.pending)
    return tuple(found)


def notes_of(*funcs: Any) -> tuple[Note, ...]:
    """What the schedules of `funcs` and of all they read say that holds without it."""
    found: list[Note] = []
    for tensor in tensors_of(*funcs):
        for stage in getattr(tensor, "stages", ()):
            found += stage.notes
        for each in (tensor, *getattr(tensor, "wrappers", ())):
            found += getattr(each, "notes", ())
    return once(found)


def bind(func: Any, inputs: Mapping[str, Any]) -> dict[str, Buffer]:
    """A checked Buffer for every input: from `inputs`, by name, or else the one it is set to.

    Raises `TypeMismatch` if one is missing, unknown, or of the wrong type or shape.
    """
    params = {image.name: image for image in inputs_of(func)}
    for name in inputs:
        if name not in params:
            raise TypeMismatch(
                f"{func.name} has no input {name}; its inputs are {', '.join(params) or 'none'}",
                legal=[f'{{"{known}": array}}' for known in params],
            )
    for name, image in params.items():
        if name not in inputs and image.buffer is None:
            raise TypeMismatch(f"the input {name} has no values", legal=(f"{name}.set(array)", f'{{"{name}": array}}'))
    return {name: image.checked(inputs[name]) if name in inputs else image.buffer for name, image in params.items()}  # type: ignore[misc]
