"""What a module has side by side, in the form in which loops take it: registers as arrays, delays of one value each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from halidehw.backend_hdl.rtl import build, rewrite
from halidehw.backend_hdl.rtl.ir import (
    Assign,
    Cat,
    Expr,
    Fit,
    Instance,
    Module,
    Place,
    Ref,
    Signal,
    Slice,
    Statement,
    children,
    targets,
)  # fmt: skip
from halidehw.backend_hdl.rtl.names import Names
from halidehw.backend_hdl.rtl.primitives import DELAYS

ROW = 4
"""Registers that are worth an array."""


def parted(module: Module) -> Module:
    """Delays of several values side by side as a delay of each."""
    names = Names((*module.signals, *module.memories, *(each.label for each in module.instances)))
    outside = {port.name for port in module.ports}
    signals, wires, stems = dict(module.signals), dict(module.wires), dict[str, str]()
    late, found = dict[str, Expr](), list[Instance]()
    for each in module.instances:
        value = rewrite.substituting(late)(each.inputs["d"]) if each.module in DELAYS else None
        if not isinstance(value, Cat):
            found.append(each)
            continue
        whole, parts = each.outputs["q"], list[Expr]()
        for part in value.parts:
            stem = stems.get(part.name, part.name) if isinstance(part, Ref) else "part"
            name = names.new(f"{whole}_{stem}")
            stems[name], signals[name] = stem, Signal(name, part.width)
            parts.append(Ref(name, part.width))
            inputs, parameters = each.inputs | {"d": part}, each.parameters | {"WIDTH": part.width}
            label = names.new(f"{each.label}_{stem}")
            found.append(replace(each, label=label, inputs=inputs, outputs={"q": name}, parameters=parameters))
        late[whole] = build.cat(parts)
        if whole in outside:
            wires[whole] = late[whole]
        else:
            del signals[whole]
    if not late:
        return module
    module = replace(module, signals=signals, wires=wires, instances=tuple(found))
    return rewrite.module(module, rewrite.substituting(late))


def gathered(module: Module) -> Module:
    """Registers whose names differ in a number, and that take a value in every cycle, as one array."""
    names, values, arrays = Names(module.signals), dict[str, Expr](), list[Signal]()
    for stem, family in _families(module).items():
        numbers = sorted(family)
        if len(family) < ROW or numbers != list(range(numbers[0], numbers[0] + len(family))):
            continue
        array = replace(family[numbers[0]], name=names.new(re.sub("_+", "_", stem[0]).strip("_")), dims=(len(family),))
        arrays.append(array)
        for place, number in enumerate(numbers):
            values[family[number].name] = Ref(array.name, array.width, array.signed, (Place((), place),))
    if not values:
        return module
    signals = {name: signal for name, signal in module.signals.items() if name not in values}
    module = replace(module, signals=signals | {array.name: array for array in arrays})
    module = rewrite.module(module, rewrite.substituting(values))
    placed, others = list[Assign](), list[Statement]()
    for each in module.clocked:
        into = values.get(each.name) if isinstance(each, Assign) else None
        if isinstance(each, Assign) and isinstance(into, Ref):
            placed.append(replace(each, name=into.name, index=into.index))
        else:
            others.append(each)
    placed.sort(key=lambda each: (each.name, each.index[0].offset))
    return replace(module, clocked=(*others, *placed))


def _families(module: Module) -> dict[tuple[str, Signal], dict[int, Signal]]:
    """The registers by what their names have in common and their kind, and then by number."""
    found: dict[tuple[str, Signal], dict[int, Signal]] = {}
    for signal in _always(module):
        if number := re.search(r"(\d+)(?=\D*$)", signal.name):
            stem = f"{signal.name[: number.start()]}_{signal.name[number.end() :]}"
            found.setdefault((stem, replace(signal, name="")), {})[int(number[1])] = signal
    return found


def _always(module: Module) -> Iterator[Signal]:
    """The registers that take all their bits in every cycle."""
    times = Counter(name for statement in module.clocked for name in targets(statement))
    outside = {port.name for port in module.ports}
    for each in module.clocked:
        if isinstance(each, Assign) and not each.index and times[each.name] == 1 and each.name not in outside:
            signal = module.signals[each.name]
            if each.width == signal.width and not signal.dims:
                yield signal


def families(instances: Iterable[Instance]) -> list[tuple[str, list[Instance]]]:
    """Instances of one module whose labels differ in numbers, and what these have in common; delays also of several
    lengths, where most of their registers are there when all are as long as the longest one."""
    found: dict[tuple[object, str], list[Instance]] = {}
    for each in instances:
        fixed = {name: value for name, value in each.parameters.items() if name != "DEPTH" or each.module not in DELAYS}
        key = each.module, tuple(fixed.items())
        found.setdefault((key, re.sub(r"\d+", "", each.label)), []).append(each)
    result: list[tuple[str, list[Instance]]] = []
    for (_, stem), members in found.items():
        lengths = [each.parameters.get("DEPTH", 1) for each in members]
        if max(lengths) * len(lengths) <= 4 * sum(lengths):
            result.append((stem, members))
            continue
        for length in dict.fromkeys(lengths):
            result.append((stem, [each for each in members if each.parameters["DEPTH"] == length]))
    return result


def pieces(body: Module) -> dict[str, int]:
    """The inputs of which a body reads pieces alone, all of them as wide as each other, and that width."""
    ports = {port.name: body.signals[port.name].width for port in body.ports if not port.output}
    found: dict[str, set[int]] = {name: set() for name in ports}
    stack, seen = list(rewrite.expressions(body)), set[int]()
    while stack:
        each = stack.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        match each:
            case Slice(Ref(name), start, width, lanes=lanes) if name in ports:
                aligned = all(offset % width == 0 for offset in (start, ports[name], *(by for _, by in lanes)))
                found[name].add(width if aligned else 0)
            case Fit(Ref(name), width) if name in ports:
                found[name].add(width if ports[name] % width == 0 else 0)
            case Ref(name) if name in ports:
                found[name].add(0)
            case _:
                stack += children(each)
    return {name: widths.pop() for name, widths in found.items() if len(widths) == 1 and widths - {0, ports[name]}}
