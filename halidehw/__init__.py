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
    MemoryType,
    OutputImageParam,
    Param,
    Pipeline,
    RDom,
    RVar,
    Stage,
    Tuple,
    Type,
    UInt,
    Var,
    abs,
    absd,
    argmax,
    argmin,
    cast,
    clamp,
    count_leading_zeros,
    count_trailing_zeros,
    div_round_to_zero,
    halving_add,
    halving_sub,
    i8,
    i8_sat,
    i16,
    i16_sat,
    i32,
    i32_sat,
    i64,
    i64_sat,
    lerp,
    likely,
    logical_and,
    logical_not,
    logical_or,
    max,
    maximum,
    min,
    minimum,
    mod_round_to_zero,
    mul_shift_right,
    mux,
    popcount,
    pow,
    product,
    requantize,
    requantize_q31,
    round_significant,
    rounding_halving_add,
    rounding_mul_shift_right,
    rounding_shift_left,
    rounding_shift_right,
    saturating_add,
    saturating_cast,
    saturating_sub,
    select,
    sum,
    u8,
    u8_sat,
    u16,
    u16_sat,
    u32,
    u32_sat,
    u64,
    u64_sat,
    vars,
    widening_add,
    widening_mul,
    widening_shift_left,
    widening_shift_right,
    widening_sub,
)
from halidehw.frontend.absent import Unknown, absent_attribute
from halidehw.frontend.design import Design
from halidehw.methods import print_loop_nest, realize, realize_all
from halidehw.reference.reference import reference
from halidehw.simulate import Memory, Waves

Func.print_loop_nest, Func.realize = print_loop_nest, realize
Pipeline.print_loop_nest, Pipeline.realize = print_loop_nest, realize_all

if TYPE_CHECKING:
    from halidehw.buses.axi import AXI
    from halidehw.driver import Compiled, Estimate, Result, compile, estimate, simulate, write
    from halidehw.energy_model.symbolic import Batch, Formulas, symbolic
    from halidehw.frontend.load import load
    from halidehw.machines import Descriptor, Machine, Seam, machine, seam
    from halidehw.schedules import Schedule
else:
    _LATE = {
        **dict.fromkeys(
            ("Compiled", "Estimate", "Result", "compile", "estimate", "simulate", "write"), "halidehw.driver"
        ),
        **dict.fromkeys(("Descriptor", "Machine", "Seam", "machine", "seam"), "halidehw.machines"),
        **dict.fromkeys(("Batch", "Formulas", "symbolic"), "halidehw.energy_model.symbolic"),
        "AXI": "halidehw.buses.axi",
        "load": "halidehw.frontend.load",
        "Schedule": "halidehw.schedules",
    }
    del simulate  # the folder: here the name is the function's

    def __getattr__(name: str) -> object:
        if name not in _LATE:
            message = f"module {__name__!r} has no attribute {name!r}"
            raise absent_attribute(name) or Unknown(message, name, lambda: __all__)
        globals()[name] = getattr(import_module(_LATE[name]), name)
        return globals()[name]

    def __dir__() -> list[str]:
        return sorted({*globals(), *_LATE})

__all__ = [
    "AXI",
    "Batch",
    "Bool",
    "BoundaryConditions",
    "Buffer",
    "Compiled",
    "Descriptor",
    "Design",
    "Estimate",
    "Expr",
    "Formulas",
    "Func",
    "HalideHWError",
    "ImageParam",
    "Int",
    "Machine",
    "Memory",
    "MemoryType",
    "OutputImageParam",
    "Param",
    "Pipeline",
    "RDom",
    "RVar",
    "Result",
    "Schedule",
    "Seam",
    "Stage",
    "Tuple",
    "Type",
    "UInt",
    "Var",
    "Waves",
    "abs",
    "absd",
    "argmax",
    "argmin",
    "cast",
    "clamp",
    "compile",
    "count_leading_zeros",
    "count_trailing_zeros",
    "div_round_to_zero",
    "estimate",
    "halving_add",
    "halving_sub",
    "i8",
    "i8_sat",
    "i16",
    "i16_sat",
    "i32",
    "i32_sat",
    "i64",
    "i64_sat",
    "lerp",
    "likely",
    "load",
    "logical_and",
    "logical_not",
    "logical_or",
    "machine",
    "max",
    "maximum",
    "min",
    "minimum",
    "mod_round_to_zero",
    "mul_shift_right",
    "mux",
    "popcount",
    "pow",
    "product",
    "reference",
    "requantize",
    "requantize_q31",
    "round_significant",
    "rounding_halving_add",
    "rounding_mul_shift_right",
    "rounding_shift_left",
    "rounding_shift_right",
    "saturating_add",
    "saturating_cast",
    "saturating_sub",
    "seam",
    "select",
    "simulate",
    "sum",
    "symbolic",
    "u8",
    "u8_sat",
    "u16",
    "u16_sat",
    "u32",
    "u32_sat",
    "u64",
    "u64_sat",
    "vars",
    "widening_add",
    "widening_mul",
    "widening_shift_left",
    "widening_shift_right",
    "widening_sub",
    "write",
]
