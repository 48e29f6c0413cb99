"""Kernel classes: what two algorithms have in common that differ in sizes, names and constants alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from halidehw.expr.nodes import Access, Binary, Cast, Const, Expr, Select, Unary, Variable
from halidehw.expr.tree import fold, nodes, plain
from halidehw.frontend.definition import Definition
from halidehw.frontend.design import design_of
from halidehw.frontend.func import Func
from halidehw.frontend.params import ImageParam


@dataclass(frozen=True)
class Kernel:
    """A Func with all that it is computed from, by its structure. `funcs`: those of an algorithm, a Func after what it
    reads, the output last; `inputs`, in the order of reading."""

    funcs: tuple[Func, ...]
    inputs: tuple[ImageParam, ...]

    @cached_property
    def signature(self) -> str:
        """The class: the sequence of operations, without names, types, sizes and numbers. Of an index, which loops it
        depends on."""
        tensors: dict[object, str] = {tensor: f"in{n}" for n, tensor in enumerate(self.inputs)}
        tensors |= {func: f"f{n}" for n, func in enumerate(self.funcs)}
        return "; ".join(part for func in self.funcs for part in _written(func, tensors))

    @property
    def tensors(self) -> tuple[str, ...]:
        """The names of Funcs and inputs: in two kernels of a class, each at the place of its counterpart."""
        return tuple(each.name for each in (*self.funcs, *self.inputs))

    def loops(self, func: Func) -> tuple[str, ...]:
        """The names of a Func's loops before any directive: its variables, then those of its reductions."""
        reduced = (var.name for stage in func.stages for var in stage.definition.reduction)
        return (*func.args, *dict.fromkeys(reduced)) if func.stages else ()

    def extents(self) -> Mapping[str, int]:
        """The extents of all loops that are known, by the name that a size has for them: of the output's loops their
        own, of another Func's with its name before it."""
        found: dict[str, int] = {}
        for func in self.funcs:
            known = {name: pair[1] for name, pair in func.known.items()}
            known |= {var.name: var.extent for stage in func.stages for var in stage.definition.reduction}
            found |= {self.symbol(func, name): known[name] for name in self.loops(func) if name in known}
        return found

    def symbol(self, func: Func, loop: str) -> str:
        """What a size calls the extent of a loop."""
        return loop if func is self.funcs[-1] else f"{func.name}.{loop}"


def kernel_of(func: Func) -> Kernel:
    """Raises `AlgorithmError` if two tensors of it share a name."""
    design = design_of(func)
    return Kernel(design.funcs, design.inputs)


def _written(func: Func, tensors: Mapping[object, str]) -> list[str]:
    """A line for each definition."""
    if not func.stages:
        return [f"{tensors[func]} = outside({tensors[func.sources[0]]})"]
    explicit = [stage.definition for stage in func.stages if not stage.definition.implied]
    return [_definition(func, each, tensors) for each in explicit]


def _definition(func: Func, definition: Definition, tensors: Mapping[object, str]) -> str:
    loops = {name: f"x{n}" for n, name in enumerate(func.args)}
    loops |= {var.name: f"r{n}" for n, var in enumerate(definition.reduction)}
    known = {**tensors, func: tensors[func]}

    def written(node: Expr, parts: tuple[str, ...]) -> str:
        match node:
            case Const():
                return "#"
            case Variable(name=name):
                return loops[name]
            case Access(target=target, args=args):
                return f"{known[target]}[{', '.join(_index(arg, loops) for arg in args)}]"
            case Cast():
                return parts[0]
            case Binary(op=op) | Unary(op=op):
                return f"{op}({', '.join(parts)})"
            case Select():
                return f"select({', '.join(parts)})"
        shown = [str(each) for each in plain(node) if isinstance(each, str)]
        return f"{type(node).__name__}({', '.join((*shown, *parts))})"

    place = ", ".join(_index(arg, loops) for arg in definition.args)
    where = "" if definition.where is None else f" where {fold(definition.where, written)}"
    return f"{tensors[func]}[{place}] = {fold(definition.value, written)}{where}"


def _index(arg: Expr, loops: Mapping[str, str]) -> str:
    """The loops that an index depends on, in one way or with quotients."""
    used = sorted({loops[node.name] for node in nodes(arg) if isinstance(node, Variable)})
    divided = any(isinstance(node, Binary) and node.op in ("div", "mod") for node in nodes(arg))
    return "+".join(used) + "/" * divided or "#"
