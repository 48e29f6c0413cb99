"""Wires that are only other names of something give way to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from halidehw.backend_hdl.rtl import rewrite
from halidehw.backend_hdl.rtl.ir import Cat, Const, Expr, Fit, Module, Ref, Slice, parts_of


def propagated(module: Module) -> Module:
    """The module with one name for each value: a wire that another signal or a constant drives gives way to that, a
    wire whose value leaves by a port has the port's name, and wiring that one instance alone takes stands there."""
    module = _aliases(module)
    module = _leaving(module)
    return _wiring(module)


def _aliases(module: Module) -> Module:
    outputs = {port.name for port in module.ports if port.output}
    values: dict[str, Expr] = {}
    while True:
        found = {
            name: value
            for name, value in module.wires.items()
            if name not in outputs and name not in values and isinstance(value, Const | Ref)
        }
        if not found:
            return module
        values = {name: _end(value, found) for name, value in found.items()}
        kept = {name: value for name, value in module.wires.items() if name not in values}
        signals = {name: signal for name, signal in module.signals.items() if name not in values}
        module = rewrite.module(replace(module, wires=kept, signals=signals), rewrite.substituting(values))


def _end(value: Expr, found: Mapping[str, Expr]) -> Expr:
    """What a chain of names ends in."""
    while isinstance(value, Ref) and value.name in found:
        after = found[value.name]
        value = replace(after, signed=value.signed) if isinstance(after, Ref) else after
    return value


def _leaving(module: Module) -> Module:
    kept = {port.name for port in module.ports} | module.registers.keys()
    outputs = [port.name for port in module.ports if port.output]
    renamed: dict[str, str] = {}
    for name in outputs:
        value = module.wires.get(name)
        if not isinstance(value, Ref) or value.name in kept or value.name in renamed:
            continue
        if module.signals[value.name].width == module.signals[name].width:
            renamed[value.name] = name
    if not renamed:
        return module
    wires = {name: value for name, value in module.wires.items() if name not in set(renamed.values())}
    wires = {renamed.get(name, name): value for name, value in wires.items()}
    signals = {name: signal for name, signal in module.signals.items() if name not in renamed}
    signals |= {new: replace(module.signals[old], name=new) for old, new in renamed.items()}
    instances = tuple(
        replace(each, outputs={port: renamed.get(name, name) for port, name in each.outputs.items()})
        for each in module.instances
    )
    values = {old: Ref(new, signals[new].width, signals[new].signed) for old, new in renamed.items()}
    module = replace(module, wires=wires, signals=signals, instances=instances)
    return rewrite.module(module, rewrite.substituting(values))


def _wiring(module: Module) -> Module:
    """Slices and bundles that are the input of one instance, and nothing else, in place of their names."""
    uses = Counter(name for expr in rewrite.expressions(module) for name in _names(expr))
    inputs = {
        value.name for each in module.instances for value in each.inputs.values() if isinstance(value, Ref)
    }
    outputs = {port.name for port in module.ports if port.output}
    plain = {
        name: value
        for name, value in module.wires.items()
        if name in inputs and name not in outputs and uses[name] == 1 and is_wiring(value)
    }
    if not plain:
        return module
    wires = {name: value for name, value in module.wires.items() if name not in plain}
    signals = {name: signal for name, signal in module.signals.items() if name not in plain}
    change = rewrite.substituting(plain)
    instances = tuple(
        replace(each, inputs={port: change(value) for port, value in each.inputs.items()}) for each in module.instances
    )
    return replace(module, wires=wires, signals=signals, instances=instances)


def is_wiring(value: Expr) -> bool:
    match value:
        case Const() | Ref():
            return True
        case Slice(inner) | Fit(inner):
            return isinstance(inner, Ref)
        case Cat(parts):
            return len(parts) <= 4 and all(is_wiring(part) for part in parts)
    return False


def _names(expr: Expr) -> list[str]:
    """The signals that an expression reads, once each."""
    return list(dict.fromkeys(each.name for each in parts_of(expr) if isinstance(each, Ref)))
