"""What the user writes: types, expressions, Funcs and their schedules."""

from halidehw.expr.expr import (
    Expr,
    Var,
    abs,
    cast,
    clamp,
    div_round_to_zero,
    i8,
    i8_sat,
    i16,
    i16_sat,
    i32,
    i32_sat,
    i64,
    i64_sat,
    logical_and,
    logical_not,
    logical_or,
    max,
    min,
    mod_round_to_zero,
    pow,
    saturating_cast,
    select,
    u8,
    u8_sat,
    u16,
    u16_sat,
    u32,
    u32_sat,
    u64,
    u64_sat,
    vars,
)
from halidehw.expr.intrinsics import (
    absd,
    count_leading_zeros,
    count_trailing_zeros,
    halving_add,
    halving_sub,
    lerp,
    likely,
    mul_shift_right,
    mux,
    popcount,
    rounding_halving_add,
    rounding_mul_shift_right,
    rounding_shift_left,
    rounding_shift_right,
    saturating_add,
    saturating_sub,
    widening_add,
    widening_mul,
    widening_shift_left,
    widening_shift_right,
    widening_sub,
)
from halidehw.expr.tuples import Tuple
from halidehw.expr.types import Bool, Int, Type, UInt
from halidehw.frontend import boundary as BoundaryConditions
from halidehw.frontend.func import Func
from halidehw.frontend.params import Buffer, ImageParam
from halidehw.frontend.rdom import RDom, RVar
from halidehw.frontend.reduce import argmax, argmin, maximum, minimum, product, sum
from halidehw.frontend.scalar import Param
from halidehw.frontend.stage import Stage

__all__ = [
    "Bool", "BoundaryConditions", "Buffer", "Expr", "Func", "ImageParam", "Int", "Param", "RDom", "RVar", "Stage",
    "Tuple", "Type", "UInt", "Var", "abs", "absd", "argmax", "argmin", "cast", "clamp", "count_leading_zeros",
    "count_trailing_zeros", "div_round_to_zero", "halving_add", "halving_sub", "i8", "i8_sat", "i16", "i16_sat",
    "i32", "i32_sat", "i64", "i64_sat", "lerp", "likely", "logical_and", "logical_not", "logical_or", "max",
    "maximum", "min", "minimum", "mod_round_to_zero", "mul_shift_right", "mux", "popcount", "pow", "product",
    "rounding_halving_add", "rounding_mul_shift_right", "rounding_shift_left", "rounding_shift_right",
    "saturating_add", "saturating_cast", "saturating_sub", "select", "sum", "u8", "u8_sat", "u16", "u16_sat", "u32",
    "u32_sat", "u64", "u64_sat", "vars", "widening_add", "widening_mul", "widening_shift_left",
    "widening_shift_right", "widening_sub",
]  # fmt: skip
