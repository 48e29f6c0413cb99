"""What Halide has and this package has not: why, and what takes its place.

The error is an `AttributeError` too, so that `hasattr` and completion work as everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

from halidehw.errors import AlgorithmError, SourceLine


class Absent(AlgorithmError, AttributeError):
    """A name of Halide's that this package does not have."""

    def at(self, source: SourceLine) -> Absent:
        """The same at a place in a text, in its notation."""
        return Absent(self.message, legal=self.proposed, source=source)


@dataclass(frozen=True)
class Instead:
    """`names`: of Halide's; `why` they are not here; `code` that takes their place, `{of}` for what was asked."""

    names: str
    why: str
    code: tuple[str, ...] = ()


_FLOATS = "there is no hardware for floats: a number stands for itself times 2**n, here with n = 8"

_FUNCTIONS = (
    Instead("Float BFloat f32 f64", _FLOATS, ("Int(16)", "(cast(Int(32), a) * cast(Int(32), b)) >> 8")),
    Instead("acos acosh asin asinh atan atan2 atanh cos cosh erf exp fast_cos fast_exp fast_inverse fast_inverse_sqrt "
            "fast_log fast_pow fast_sin hypot log sin sinh sqrt tan tanh",
            f"it computes with floats. {_FLOATS[0].upper()}{_FLOATS[1:]}; a function of few bits is a table",
            ('table = ImageParam(Int(16), 1, "table")', 'r = RDom([(0, 256)], "r")',
             "f[x] += select(cast(Int(32), a[x]) == r, table[r], 0)")),
    Instead("ceil floor fract is_finite is_inf is_nan round strict_float trunc random_float",
            "it computes with floats; integers are rounded by shifts", ("rounding_shift_right(a, 8)", "a >> 8")),
    Instead("Handle reinterpret", "there are integers alone; one of the same width has the same bits",
            ("cast(UInt(16), a)",)),
    Instead("concat_bits extract_bits", "bits are put together by shifts", ("cast(UInt(16), a) << 8 | b", "a >> 4")),
    Instead("gather scatter", "an element is chosen by comparing its place", ("select(i == r, a[r], 0)",)),
    Instead("random_int random_uint", "hardware has no chance; random values are an input",
            ('noise = ImageParam(UInt(8), 2, "noise")',)),
    Instead("Callable", "a design is compiled once and simulated many times",
            ("design = compile(f)", 'simulate(design, {"a": array})')),
    Instead("memoize_tag", "nothing is computed again that stays on the chip", ("g.compute_root()",)),
    Instead("print print_when require", "hardware cannot print; waveforms show every value",
            ('simulate(f, waves="run.vcd")',)),
    Instead("undef", "an element that nobody defines is 0", ("0",)),
    Instead("unsafe_promise_clamped", "an index that can lie outside is clamped", ("clamp(i, 0, 15)",)),
    Instead("likely_if_innermost", "hardware takes both ways at once", ("likely(a)",)),
    Instead("lambda_func lambda", "a Func is defined by an assignment", ("f[x, y] = ...",)),
    Instead("evaluate", "a Func of no dimension is realized", ("f.realize([])",)),
    Instead("widen_right_add widen_right_mul widen_right_sub", "the operators convert", ("a + b",)),
    Instead("Generator GeneratorParam InputBuffer InputScalar OutputBuffer OutputScalar alias "
            "create_callable_from_generator",
            "a design is a Python file or a text", ('load("design.py")', 'load("design.hh")')),
    Instead("Target TargetArch TargetFeature TargetOS DeviceAPI get_host_target get_target_from_environment "
            "get_jit_target_from_environment",
            "the target is hardware", ("compile(f, port_bits=64)",)),
    Instead("TailStrategy LoopLevel",
            "a split that does not divide idles at its end; places are named by loops",
            ("f.split(x, xo, xi, 8)", "a.in_().compute_at(f, xo)")),
)  # fmt: skip

_UNROLL = ("{of}.unroll(x, 4)", '{of}.dataflow("x | y", rows=4, cols=4)')

_OF_FUNCS = (
    Instead("gpu gpu_blocks gpu_lanes gpu_single_thread gpu_threads gpu_tile hexagon",
            "there is no GPU: loops are laid out on PEs", _UNROLL),
    Instead("serial", "a loop that is not unrolled runs one iteration after another; remove the line"),
    Instead("async_ atomic allow_race_conditions hoist_storage hoist_storage_root prefetch",
            "memories are filled while their last tile is used", ("a.in_().compute_at({of}, x)",)),
    Instead("memoize", "an input that does not change is kept on the chip", ("a.in_().compute_root()",)),
    Instead("compute_inline", "a Func without a place is computed where it is used; remove the line"),
    Instead("compute_with clone_in rfactor",
            "the array computes one nest of loops", ("{of}.split(x, xo, xi, 8)",)),
    Instead("specialize specialize_fail partition never_partition never_partition_all always_partition "
            "always_partition_all", "hardware is made for the extents that are stated", ("{of}.bound(x, 0, 16)",)),
    Instead("align_bounds align_extent bound_extent bound_storage",
            "tensors lie densely, their first dimension fastest", ("{of}.bound(x, 0, 16)",)),
    Instead("estimate", "Halide calls it set_estimate now", ("{of}.set_estimate(x, 0, 16)",)),
    Instead("compile_jit compile_to compile_to_callable compile_to_file compile_to_header compile_to_module "
            "compile_to_object compile_to_static_library compile_to_c compile_to_lowered_stmt",
            "a Func becomes Verilog", ("compile({of}).verilog", 'write(compile({of}), "build")')),
    Instead("debug_to_file trace_loads trace_stores trace_realizations add_trace_tag",
            "waveforms show every value", ('simulate({of}, waves="run.vcd")',)),
    Instead("apply_autoscheduler", "the best schedule of a layer is found by a command",
            ('halidehw optimize --layer "ox=13 oy=13 c=8 k=8 fx=3 fy=3 b=1" --arch eyeriss',)),
    Instead("infer_input_bounds", "the extents of inputs follow from those of the Func",
            ("compile({of}).nest.inputs",)),
    Instead("has_update_definition num_update_definitions", "the first stage is pure, the others are updates",
            ("len({of}.stages) - 1",)),
    Instead("output_buffers", "a Func has one", ("{of}.output_buffer()",)),
    Instead("outputs", "the values of a Func are those of its type", ("{of}.type",)),
    Instead("define_extern is_extern extern_function_name", "hardware is made of what is defined here"),
    Instead("value values update_values", "it is an attribute of each definition", ("{of}.pure.value",)),
    Instead("set_host_alignment host_alignment", "tensors begin at address 0"),
)  # fmt: skip

FUNCTIONS = {name: each for each in _FUNCTIONS for name in each.names.split()}
METHODS = {name: each for each in _OF_FUNCS for name in each.names.split()}


def absent_function(name: str) -> Absent | None:
    """The error for a name of Halide's module; None if that is no such name."""
    return _error(FUNCTIONS.get(name), name, "")


def absent_attribute(name: str) -> Absent | None:
    """The same of a name that is looked for in this module: also for a method, of which it says what a Func f has."""
    return absent_function(name) or _error(METHODS.get(name), name, "f")


def absent_method(of: str, name: str) -> Absent | None:
    """The error for a method that Halide's Funcs or stages have; None if that is none."""
    return _error(METHODS.get(name), f"{of}.{name}", of)


def _error(found: Instead | None, asked: str, of: str) -> Absent | None:
    if found is None:
        return None
    return Absent(f"{asked} is not there: {found.why}", legal=[line.replace("{of}", of) for line in found.code])


class Unknown(AttributeError):
    """The error for a name that nobody has, with those like it, which are looked for when it is shown: most who ask
    are content that it is not there."""

    def __init__(self, message: str, asked: str, names: Callable[[], Iterable[str]]):
        super().__init__(message)
        self.asked, self.names = asked, names

    def __str__(self) -> str:
        near = get_close_matches(self.asked, [each for each in self.names() if not each.startswith("_")])
        return self.args[0] + f"; did you mean {' or '.join(near)}?" * bool(near)


class Helpful:
    """Answers for the methods that Halide has and the class has not."""

    name: str

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            own = self.__dict__.get("name", "f")
            message = f"{type(self).__name__} has no attribute {name!r}"
            raise absent_method(own, name) or Unknown(message, name, lambda: dir(type(self)))
