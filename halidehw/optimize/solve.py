"""`optimize`: the best mapping of a layer on an architecture."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from halidehw.errors import CostError
from halidehw.mapping.architecture import Architecture
from halidehw.mapping.architecture_file import line_of, load_architecture, pasted
from halidehw.mapping.layer import Layer, parse_layer
from halidehw.optimize.cheapest import cheapest
from halidehw.optimize.objective import objective as objective_named
from halidehw.optimize.options import Options, check, check_own
from halidehw.optimize.result import Hardware, Result
from halidehw.optimize.steady import ported, steady
from halidehw.optimize.timed import in_time

Kind = TypeVar("Kind")

SHIPPED = Path(__file__).parent / "arch"
"""The architectures that come with the package."""


def architecture(file: str | Path) -> Architecture:
    """The architecture in a TOML file, or a shipped one by name.

    Raises CostError as `load_architecture` does, and for a dataflow that is none, with the file's line.
    """
    if not isinstance(file, (str, Path)):
        raise CostError(f"{file!r} is no name of an architecture, nor its file", legal=['architecture("eyeriss")'])
    arch = load_architecture(file, SHIPPED)
    try:
        check_own(arch)
    except CostError as problem:
        legal, source = pasted(file, problem.proposed), line_of(file, ("dataflow",))
        raise CostError(problem.message, legal=legal, source=source) from None
    return arch


def optimize(
    layer: Layer | str,
    arch: Architecture | str | Path,
    dataflow: str | None = None,
    objective: str = "energy",
    convention: str = "exact",
    time_limit: float | None = None,
    **more: bool | float,
) -> Result:
    """The mapping of `layer` on `arch` of least energy, delay or energy-delay product (`edp`).

    A layer may be its sizes, `"k=64 c=64 b=16"`, an architecture the name of a shipped one or a file's.
    `convention`: `exact` or `paper`; the rest as in Options. The answer is the same in every run, unless
    the time limit cuts it off. Raises CostError when nothing is feasible, or on an unknown name.
    """
    return optimize_with(layer, arch, Options(dataflow, objective, convention, time_limit, **more))  # type: ignore[arg-type]


def optimize_with(layer: Layer | str, arch: Architecture | str | Path, options: Options) -> Result:
    """As `optimize`, the options in one value.

    What is generated decides, for energy as `cheapest` says. Where time matters, memories with one half are tried with
    two as well, and so are mappings without register files, and ragged lanes where they may save much: while its only
    half is filled or drained, the array waits, or the port.
    """
    start = time.perf_counter()
    layer = parse_layer(layer) if isinstance(layer, str) else _of(layer, Layer, '"k=64 c=64 b=16"')
    arch = architecture(arch) if isinstance(arch, (str, Path)) else _of(arch, Architecture, 'architecture("eyeriss")')
    check(arch, options)
    arch = ported(arch, options)
    goal = objective_named(options.objective)
    if goal.timed and options.convention == "exact":
        found = in_time(layer, arch, options, Hardware())
    elif goal.timed:
        found = in_steady_state(steady(layer, arch, options))
    else:
        found = cheapest(layer, arch, options)
    return replace(found, warning=_lonely(found, options), seconds=time.perf_counter() - start)


def in_steady_state(result: Result) -> Result:
    """With that in what is said of its proof: that is not about the run of the hardware."""
    space = f"{result.space}; in the steady state, which the hardware's run is longer than"
    return replace(result, about="the steady state", space=space)


def _of(value: Any, kind: type[Kind], example: str) -> Kind:
    """A value of some kind. Raises CostError for any other."""
    if not isinstance(value, kind):
        name = kind.__name__
        raise CostError(f"{value!r} is no {name}, nor a text that says one", legal=[example])
    return value


def _lonely(result: Result, options: Options) -> str:
    """What is said of a dataflow that leaves a single PE at work, where another one would not."""
    layer, arch, flow = result.layer, result.arch, options.flow(result.arch)
    if arch.pes == 1 or flow == "any" or result.used:
        return ""
    other = optimize_with(layer, arch, replace(options, dataflow="any", max_cycles=float("inf")))
    if not other.used:
        return ""
    return (
        f"1 of {arch.pes} PEs is at work under {flow}; {result.run_cycles / other.run_cycles:.1f} times fewer "
        f'cycles and {other.pj / result.pj:.2f} of the energy with --dataflow "{other.used}"'
    )
