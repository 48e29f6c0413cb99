"""Halide-style algorithms and schedules compiled to verified hardware.

What writes algorithms is imported at once; the compiler, the simulators and the model when they are first named.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from halidehw.errors import HalideHWError
from halidehw.frontend import (
    Bool,
    BoundaryConditions,
    Buffer,
    Expr,
    Func,
    ImageParam,
    Int,
    RDom,
    RVar,
    Stage,
    Type,
    UInt,
    Var,
    abs,
    cast,
    clamp,
    div_round_to_zero,
    i8,
    i16,
    i32,
    i64,
    logical_and,
    logical_not,
    logical_or,
    max,
    min,
    mod_round_to_zero,
    saturating_cast,
    select,
    u8,
    u16,
    u32,
    u64,
)
from halidehw.frontend.design import Design
from halidehw.methods import print_loop_nest, realize
from halidehw.reference.reference import reference
from halidehw.simulate import Memory

Func.print_loop_nest, Func.realize = print_loop_nest, realize

if TYPE_CHECKING:
    from halidehw.driver import Compiled, Result, compile, simulate, write
    from halidehw.energy_model.estimate import Estimate, estimate
    from halidehw.energy_model.symbolic import Batch, Formulas, symbolic
    from halidehw.frontend.load import load
else:
    _LATE = {
        **dict.fromkeys(("Compiled", "Result", "compile", "simulate", "write"), "halidehw.driver"),
        **dict.fromkeys(("Estimate", "estimate"), "halidehw.energy_model.estimate"),
        **dict.fromkeys(("Batch", "Formulas", "symbolic"), "halidehw.energy_model.symbolic"),
        "load": "halidehw.frontend.load",
    }
    del simulate  # the folder: here the name is the function's

    def __getattr__(name: str) -> object:
        if name not in _LATE:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = getattr(import_module(_LATE[name]), name)
        return globals()[name]

    def __dir__() -> list[str]:
        return sorted({*globals(), *_LATE})

__all__ = [
    "Batch", "Bool", "BoundaryConditions", "Buffer", "Compiled", "Design", "Estimate", "Expr", "Formulas", "Func",
    "HalideHWError", "ImageParam", "Int", "Memory", "RDom", "RVar", "Result", "Stage", "Type", "UInt", "Var", "abs",
    "cast", "clamp", "compile", "div_round_to_zero", "estimate", "i8", "i16", "i32", "i64", "load", "logical_and",
    "logical_not", "logical_or", "max", "min", "mod_round_to_zero", "reference", "saturating_cast", "select",
    "simulate", "symbolic", "u8", "u16", "u32", "u64", "write",
]  # fmt: skip
