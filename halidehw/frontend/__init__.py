"""What the user writes: types, expressions, Funcs and their schedules."""

from halidehw.expr.expr import (
    Expr,
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
from halidehw.expr.types import Bool, Int, Type, UInt
from halidehw.frontend import boundary as BoundaryConditions
from halidehw.frontend.func import Func
from halidehw.frontend.params import Buffer, ImageParam
from halidehw.frontend.rdom import RDom, RVar
from halidehw.frontend.stage import Stage

__all__ = [
    "Bool", "BoundaryConditions", "Buffer", "Expr", "Func", "ImageParam", "Int", "RDom", "RVar", "Stage", "Type",
    "UInt", "Var", "abs", "cast", "clamp", "div_round_to_zero", "i8", "i16", "i32", "i64", "logical_and",
    "logical_not", "logical_or", "max", "min", "mod_round_to_zero", "saturating_cast", "select", "u8", "u16", "u32",
    "u64",
]  # fmt: skip
