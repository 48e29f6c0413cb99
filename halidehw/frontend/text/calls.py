"""Everything a text can call: the functions of expressions and types, and the methods of each kind of object."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from operator import methodcaller

from halidehw.errors import ParseError
from halidehw.expr import expr, intrinsics
from halidehw.expr.nodes import Operators
from halidehw.expr.tuples import Tuple
from halidehw.expr.types import Bool, Int, Type, UInt
from halidehw.frontend import boundary, reduce
from halidehw.frontend.absent import absent_function
from halidehw.frontend.func import Func
from halidehw.frontend.output_buffer import OutputImageParam
from halidehw.frontend.params import Dimension, ImageParam
from halidehw.frontend.rdom import RDom
from halidehw.frontend.scalar import Param
from halidehw.frontend.stage import Stage
from halidehw.frontend.text import syntax
from halidehw.frontend.text.scope import Value
from halidehw.frontend.text.signature import (
    EXPR,
    EXPRS,
    FUNC,
    INPUT,
    INT,
    MEMORY,
    RANGES,
    STRING,
    TENSOR,
    TYPE,
    VAR,
    Kind,
    Signature,
    maybe,
    several,
    signature,
)  # fmt: skip
from halidehw.frontend.wrapper import Wrapper


def _pairs(ranges: list[list[int]]) -> list[tuple[int, ...]]:
    return [tuple(pair) for pair in ranges]


def _boundary(function: Callable[..., Func]) -> Callable[..., Func]:
    return lambda source, *rest: function(source, *(_pairs(arg) if isinstance(arg, list) else arg for arg in rest))


REDUCTIONS = ("sum", "product", "maximum", "minimum", "argmax", "argmin")
"""Names that a text may give to something of its own."""

REDUCED = Kind("an RDom, an expression or a name", lambda value: isinstance(value, int | str | Operators))


def _reduction(name: str) -> Callable[..., Value]:
    return lambda values: getattr(reduce, name)(*values)


@cache
def functions() -> dict[str, Signature]:
    """The functions, by the name a text calls them with."""
    of_two = {"a": EXPR, "b": EXPR, "rest": several(EXPR)}
    known = (
        signature("Int", Int, bits=INT),
        signature("UInt", UInt, bits=INT),
        signature("Bool", Bool),
        signature("Expr", expr.as_expr, value=EXPR),
        signature("cast", expr.cast, type=TYPE, value=EXPR),
        signature("saturating_cast", expr.saturating_cast, type=TYPE, value=EXPR),
        signature("select", lambda c, a, b, rest: expr.select(c, a, b, *rest), condition=EXPR, **of_two),
        signature("min", lambda a, b, rest: expr.min(a, b, *rest), **of_two),
        signature("max", lambda a, b, rest: expr.max(a, b, *rest), **of_two),
        *(signature(name, _reduction(name), values=several(REDUCED)) for name in REDUCTIONS),
        signature("Tuple", lambda values: Tuple(*values), values=several(EXPR)),
        signature("clamp", expr.clamp, value=EXPR, low=EXPR, high=EXPR),
        signature("abs", expr.abs, value=EXPR),
        signature("div_round_to_zero", expr.div_round_to_zero, a=EXPR, b=EXPR),
        signature("mod_round_to_zero", expr.mod_round_to_zero, a=EXPR, b=EXPR),
        signature(
            "BoundaryConditions::constant_exterior", _boundary(boundary.constant_exterior),
            source=TENSOR, value=INT, bounds=maybe(RANGES),
        ),
        *(
            signature(f"BoundaryConditions::{way.__name__}", _boundary(way), source=TENSOR, bounds=maybe(RANGES))
            for way in (boundary.repeat_edge, boundary.repeat_image, boundary.mirror_image, boundary.mirror_interior)
        ),
    )  # fmt: skip
    conversions = (each for bits in (8, 16, 32, 64) for each in (f"i{bits}", f"u{bits}"))
    short = (signature(way, getattr(expr, way), value=EXPR) for name in conversions for way in (name, f"{name}_sat"))
    return {each.name: each for each in (*known, *short, *_intrinsics())}


def _intrinsics() -> Iterator[Signature]:
    for name in ("popcount", "count_leading_zeros", "count_trailing_zeros", "likely"):
        yield signature(name, getattr(intrinsics, name), value=EXPR)
    for name in ("absd", "saturating_add", "saturating_sub", "halving_add", "halving_sub", "rounding_halving_add",
                 "widening_add", "widening_sub", "widening_mul"):  # fmt: skip
        yield signature(name, getattr(intrinsics, name), a=EXPR, b=EXPR)
    for name in ("widening_shift_left", "widening_shift_right", "rounding_shift_left", "rounding_shift_right"):
        yield signature(name, getattr(intrinsics, name), value=EXPR, amount=EXPR)
    for name in ("mul_shift_right", "rounding_mul_shift_right"):
        yield signature(name, getattr(intrinsics, name), a=EXPR, b=EXPR, amount=EXPR)
    yield signature("lerp", intrinsics.lerp, zero=EXPR, one=EXPR, weight=EXPR)
    yield signature("round_significant", intrinsics.round_significant, value=EXPR, bits=INT)
    yield signature("requantize", intrinsics.requantize, a=EXPR, scale=EXPR, zero_point=EXPR)
    yield signature(
        "requantize_q31", intrinsics.requantize_q31, a=EXPR, multiplier=EXPR, exponent=EXPR, zero_point=EXPR
    )
    yield signature("mux", intrinsics.mux, index=EXPR, values=EXPRS)
    yield signature("pow", expr.pow, value=EXPR, exponent=INT)


def element_type(node: syntax.Templated) -> Type:
    """The type of `<int16_t>`. Raises `ParseError` for one that C++ does not have."""
    if node.type in ("bool", "int"):
        return Bool() if node.type == "bool" else Int(32)
    if node.type in ("float", "double") and (absent := absent_function("Float")):
        raise absent.at(node.source)
    found = re.fullmatch(r"(u?)int(8|16|32|64)_t", node.type)
    if not found:
        legal = ("int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "bool", f"{node.function}(Int(12), ...)")
        raise ParseError(f"{node.type} is not an integer type", legal=legal, source=node.source)
    return (UInt if found[1] else Int)(int(found[2]))


def _method(name: str, /, **parameters: Kind) -> Signature:
    python = {"in": "in_"}.get(name, name)
    return signature(name, lambda of, *args: methodcaller(python, *args)(of), **parameters)


_SIZES = ("width", "height", "channels", "left", "right", "top", "bottom")


def _on_loops() -> tuple[Signature, ...]:
    sizes = {"xfactor": INT, "yfactor": INT}
    return (
        _method("split", old=VAR, outer=VAR, inner=VAR, factor=INT),
        _method("reorder", vars=several(VAR)),
        _method("tile", x=VAR, y=VAR, xo=VAR, yo=VAR, xi=VAR, yi=VAR, **sizes),
        _method("tile", x=VAR, y=VAR, xi=VAR, yi=VAR, **sizes),
        _method("fuse", inner=VAR, outer=VAR, fused=VAR),
        _method("unroll", var=VAR, factor=maybe(INT)),
        _method("vectorize", var=VAR, factor=maybe(INT)),
        _method("parallel", var=VAR, task_size=maybe(INT)),
        _method("systolic", vars=several(VAR)),
        _method("dataflow", text=STRING, rows=maybe(INT), cols=maybe(INT)),
    )


def _on_buffers() -> tuple[Signature, ...]:
    return (
        _method("compute_at", consumer=FUNC, var=VAR),
        _method("store_at", consumer=FUNC, var=VAR),
        _method("store_root"),
        _method("single_buffer"),
        _method("ring_buffer", extent=INT),
        _method("capacity", words=INT),
        _method("single_port", words=maybe(INT)),
    )


def _ordered() -> tuple[Signature, ...]:
    return (
        signature("reorder_storage", lambda of, order: of.reorder_storage(*order), dimensions=several(INT)),
        _method("align_storage", dimension=INT, multiple=INT),
    )


def _on_stored() -> tuple[Signature, ...]:
    return (_method("dim", dimension=INT), *_ordered(), *map(_method, _SIZES))


def methods(of: Value) -> tuple[Signature, ...]:
    """The methods of an object; one may take its arguments in several ways, and then is there several times."""
    return next((own for kind, own in _methods().items() if isinstance(of, kind)), ())


@cache
def _methods() -> dict[type, tuple[Signature, ...]]:
    """Those of all objects of a kind."""
    wrap = _method("in", consumer=maybe(FUNC))
    return {
        Stage: _on_loops(),
        Func: (
            _method("update", index=maybe(INT)),
            *_on_loops(),
            _method("bound", var=VAR, min=INT, extent=INT),
            _method("set_estimate", var=VAR, min=INT, extent=INT),
            signature("set_estimates", lambda func, ranges: func.set_estimates(_pairs(ranges)), ranges=RANGES),
            signature("set_bounds", lambda func, ranges: func.set_bounds(_pairs(ranges)), ranges=RANGES),
            wrap,
            _method("output_buffer"),
            *_on_buffers(),
            _method("compute_root"),
            _method("fold_storage", var=VAR, rows=INT),
            _method("store_with", other=INPUT, words=maybe(INT)),
            signature("reorder_storage", lambda of, order: of.reorder_storage(*order), vars=several(VAR)),
            _method("align_storage", var=VAR, multiple=INT),
            _method("store_in", memory=MEMORY),
            _method("check_overflow"),
            _method("accelerate", inputs=several(INPUT)),
        ),
        ImageParam: (wrap, *_on_stored()),
        OutputImageParam: _on_stored(),
        Param: (wrap,),
        Wrapper: (wrap, *_on_buffers(), _method("vectorize", words=INT), _method("compute_root"), *_ordered()),
        RDom: (_method("where", condition=EXPR),),
        Dimension: (
            _method("set_bounds", min=INT, extent=INT),
            _method("set_estimate", min=INT, extent=INT),
            _method("set_min", min=INT),
            _method("set_stride", stride=INT),
            _method("set_block", elements=INT),
            *map(_method, ("min", "extent", "max")),
        ),
    }
