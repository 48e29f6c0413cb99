"""A design through every stage of the compiler."""

from __future__ import annotations

import re

from halidehw.backend_hdl import verilog
from halidehw.backend_hdl.compiled import Compiled
from halidehw.driver.counters import check_counters
from halidehw.errors import AlgorithmError, TypeMismatch
from halidehw.frontend.design import Design, design_of
from halidehw.frontend.func import Func
from halidehw.frontend.outputs import Pipeline
from halidehw.ir.graph import Graph
from halidehw.ir.nest import Nest
from halidehw.microarch.derive import derive
from halidehw.microarch.options import COUNTER_BITS, LATENCY, Counters, Options
from halidehw.scheduler import lower_graph
from halidehw.simulate import Memory


def compile(
    design: Func | Pipeline | Design, *, port_bits: int = 0, hide_latency: int = LATENCY, counters: Counters = "basic",
    counter_bits: int = COUNTER_BITS, prefix: str = "", loops: bool = False, shared_port_bits: int = 0,
) -> Compiled:  # fmt: skip
    """The hardware of a scheduled design. The same design gives the same bytes of Verilog.

    `port_bits`: the width of every memory port; 0 for ports one word wide. `hide_latency`: cycles from a request to
    its answer for which tensors without a buffer never wait. `counters`: "none", "basic" (cycles, steps, words of each
    port) or "all" that the model counts, each of `counter_bits` bits. `prefix`: what the names of all modules begin
    with; "" for the design's name. `loops`: PEs, lanes and banks side by side are loops over arrays, which simulates
    large arrays faster, in place of instances, which tools for chips and FPGAs prefer. `shared_port_bits`: the width of
    the one memory port that all tensors share, which takes a request a cycle; 0 for a port for each. Raises what
    `scheduler.lower` raises for a schedule that is not legal, `AlgorithmError` for a tensor whose name no Verilog
    signal can have, `HardwareError` where no hardware of this kind exists, or a counter is too narrow for a run on
    the ideal memory.
    """
    options = Options(port_bits, hide_latency, counters, counter_bits, prefix, shared_port_bits)
    return built(design, options, loops=loops)


def built(design: Func | Pipeline | Design, options: Options, *, loops: bool = False) -> Compiled:
    """What `compile` gives."""
    whole, graph = design_and_graph(design)
    accelerator = derive(graph, options)
    check_counters(graph, accelerator, Memory())
    return Compiled(whole, graph, accelerator, verilog(accelerator, loops=loops))


def design_and_graph(design: Func | Pipeline | Design) -> tuple[Design, Graph]:
    """A design as written, and scheduled."""
    whole = _design(design)
    graph = lower_graph(whole)
    for nest in graph.stages:
        _check_names(nest)
    return whole, graph


def _design(value: Func | Pipeline | Design) -> Design:
    if isinstance(value, Func | Pipeline | Design):
        return design_of(value)
    kind = type(value).__name__
    raise TypeMismatch(f"a design is a Func, a Pipeline or a Design, not {kind}", legal=("compile(output)",))


def _check_names(nest: Nest) -> None:
    for name in nest.tensor:
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name):
            plain = re.sub(r"\W", "_", name, flags=re.ASCII).lstrip("_0123456789") or "tensor"
            raise AlgorithmError(
                f"{name!r} names a memory port, so it must be ASCII letters, digits and _, a letter first",
                legal=(f'"{plain}"',),
            )
    for tensor in nest.inputs:
        if nest.name in (f"{tensor.name}_req", f"{tensor.name}_resp"):
            raise AlgorithmError(
                f"the signals of {nest.name} would have the names of {tensor.name}'s: {nest.name}_valid",
                legal=(f'Func("{nest.name}_out")',),
            )
