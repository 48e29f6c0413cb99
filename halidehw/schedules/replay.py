"""A schedule's lines, given to another algorithm of its class, line by line, or not at all."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import chain, count
from typing import Any

from halidehw.errors import HalideHWError, ScheduleError
from halidehw.frontend.directives import (
    AlignStorage,
    Capacity,
    CheckOverflow,
    ComputeAt,
    ComputeRoot,
    Dataflow,
    Directive,
    Fuse,
    Reorder,
    ReorderStorage,
    RingBuffer,
    SingleBuffer,
    SinglePort,
    Split,
    StoreAt,
    StoreRoot,
    StoreWith,
    Systolic,
    Tile,
    Unroll,
    Vectorize,
)
from halidehw.schedules.kernel import Kernel
from halidehw.schedules.line import Line


def replay(
    lines: Iterable[Line], tensors: tuple[str, ...], loops: Mapping[str, tuple[str, ...]], kernel: Kernel
) -> None:
    """`tensors`, `loops`: the names in the lines. Raises `ScheduleError` for a line that is not legal, after which all
    is as it was."""
    before = [(each, _state(each)) for each in _parts(kernel)]
    named: dict[str, Any] = dict(zip(tensors, (*kernel.funcs, *kernel.inputs), strict=True))
    renamed = {
        name: _names([line for line in lines if line.func == name], loops[name], kernel.loops(named[name]))
        for name in loops
    }
    for line in lines:
        try:
            _give(line, named, renamed)
        except HalideHWError as error:
            for each, state in before:
                _restore(each, state)
            raise ScheduleError(f"the schedule does not fit {kernel.funcs[-1].name}: {error.message}") from None


def _names(lines: Iterable[Line], theirs: tuple[str, ...], ours: tuple[str, ...]) -> dict[str, str]:
    """The loops of a Func by their names in the lines: its own, and those that splits and fuses make."""
    found = dict(zip(theirs, ours, strict=True))
    for line in lines:
        for name in line.made:
            if name not in found:
                fresh = chain([name], (f"{name}{n}" for n in count(2)))
                found[name] = next(each for each in fresh if each not in found.values())
    return found


def _give(line: Line, named: Mapping[str, Any], renamed: Mapping[str, Mapping[str, str]]) -> None:
    func, loops = named[line.func], renamed[line.func]
    match line.directive:
        case Split() | Fuse() | Reorder() | Tile() | Unroll() | Systolic() | Dataflow() as directive:
            assert line.stage is not None
            func.stages[line.stage].add(_with(directive, loops))
        case CheckOverflow():
            func.check_overflow()
        case ComputeAt(tensor=tensor, level=level, consumer=consumer, var=var):
            _buffer(named[tensor], level).compute_at(named[consumer], _loop(named[consumer], renamed[consumer], var))
        case StoreAt(tensor=tensor, level=level, consumer=consumer, var=var):
            _buffer(named[tensor], level).store_at(named[consumer], _loop(named[consumer], renamed[consumer], var))
        case ComputeRoot(tensor=tensor, level=level):
            _buffer(named[tensor], level).compute_root()
        case StoreRoot(tensor=tensor, level=level):
            _buffer(named[tensor], level).store_root()
        case SingleBuffer(tensor=tensor, level=level):
            _buffer(named[tensor], level).single_buffer()
        case RingBuffer(tensor=tensor, level=level, extent=extent):
            _buffer(named[tensor], level).ring_buffer(extent)
        case Capacity(tensor=tensor, level=level, words=words):
            _buffer(named[tensor], level).capacity(words)
        case Vectorize(tensor=tensor, level=level, words=words):
            _buffer(named[tensor], level).vectorize(words)
        case SinglePort(tensor=tensor, level=level, words=words):
            _buffer(named[tensor], level).single_port(words)
        case StoreWith(tensor=tensor, other=other, words=words):
            named[tensor].store_with(named[other], words)
        case ReorderStorage(tensor=tensor, level=level, order=order):
            _buffer(named[tensor], level).reorder_storage(*order)
        case AlignStorage(tensor=tensor, level=level, dimension=dimension, multiple=multiple):
            _buffer(named[tensor], level).align_storage(dimension, multiple)


def _loop(func: Any, renamed: Mapping[str, str], name: str) -> str:
    """The loop of a Func that is called `name` in the lines."""
    loop = renamed.get(name, name)
    if not any(loop in stage.loops.names for stage in func.stages):
        raise ScheduleError(f"{loop} is not a loop of {func.name}")
    return loop


def _buffer(tensor: Any, level: int) -> Any:
    return tensor if level == 0 else _buffer(tensor.in_(), level - 1)


def _with(directive: Directive, names: Mapping[str, str]) -> Any:
    """The directive with other names of loops; what is none keeps its name."""

    def loop(name: str) -> str:
        return names.get(name, name)

    match directive:
        case Split(old=old, outer=outer, inner=inner):
            return replace(directive, old=loop(old), outer=loop(outer), inner=loop(inner))
        case Fuse(inner=inner, outer=outer, fused=fused):
            return replace(directive, inner=loop(inner), outer=loop(outer), fused=loop(fused))
        case Tile():
            changed: dict[str, Any] = {
                name: loop(getattr(directive, name)) for name in ("x", "y", "xo", "yo", "xi", "yi")
            }
            return replace(directive, **changed)
        case Reorder(order=order):
            return replace(directive, order=tuple(loop(name) for name in order))
        case Unroll(var=var):
            return replace(directive, var=loop(var))
        case Systolic(vars=given):
            return replace(directive, vars=tuple(loop(name) for name in given))
        case Dataflow(text=text):
            lower = {name.lower(): new for name, new in names.items()}
            return replace(directive, text=re.sub(r"[\w.]+", lambda m: lower.get(m[0].lower(), m[0]), text))
    return directive


def _parts(kernel: Kernel) -> list[Any]:
    """Everything that a directive changes."""
    tensors: list[Any] = [*kernel.funcs, *kernel.inputs]
    stages = [stage for func in kernel.funcs for stage in func.stages]
    return [*tensors, *stages, *(wrapper for tensor in tensors for wrapper in tensor.wrappers)]


def _state(part: Any) -> dict[str, tuple[Any, Any]]:
    """Its fields, and of lists and tables what is in them."""
    return {name: (value, _copy(value)) for name, value in vars(part).items()}


def _copy(value: Any) -> Any:
    return type(value)(value) if type(value) in (list, dict) else value


def _restore(part: Any, state: Mapping[str, tuple[Any, Any]]) -> None:
    for name in vars(part).keys() - state.keys():
        delattr(part, name)
    for name, (value, before) in state.items():
        if isinstance(value, list):
            value[:] = before
        elif type(value) is dict:
            value.clear()
            value.update(before)
        setattr(part, name, value)
