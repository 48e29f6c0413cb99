"""Halide-style algorithms and schedules compiled to verified hardware."""

from halidehw.driver import Compiled, Result, compile, simulate, write
from halidehw.energy_model.estimate import Estimate, estimate
from halidehw.energy_model.symbolic import Batch, Formulas, symbolic
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
    i8,
    i16,
    i32,
    i64,
    logical_and,
    logical_not,
    logical_or,
    max,
    min,
    reference,
    saturating_cast,
    select,
    u8,
    u16,
    u32,
    u64,
)
from halidehw.frontend.design import Design
from halidehw.frontend.load import load
from halidehw.simulate import Memory

__all__ = [
    "Batch", "Bool", "BoundaryConditions", "Buffer", "Compiled", "Design", "Estimate", "Expr", "Formulas", "Func",
    "HalideHWError", "ImageParam", "Int", "Memory", "RDom", "RVar", "Result", "Stage", "Type", "UInt", "Var", "abs",
    "cast", "clamp", "compile", "estimate", "i8", "i16", "i32", "i64", "load", "logical_and", "logical_not",
    "logical_or", "max", "min", "reference", "saturating_cast", "select", "simulate", "symbolic", "u8", "u16", "u32",
    "u64", "write",
]  # fmt: skip
