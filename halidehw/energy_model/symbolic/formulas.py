"""The counts of one schedule as functions of the factors of its splits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import sympy

from halidehw.energy_model.costs.table import CostTable, load_costs
from halidehw.energy_model.symbolic.batch import Batch, batch, needed
from halidehw.energy_model.symbolic.chains import factor, variables
from halidehw.energy_model.symbolic.late import late_entries
from halidehw.energy_model.symbolic.loops import Entry, Loops
from halidehw.energy_model.symbolic.sums import output_entries
from halidehw.energy_model.symbolic.supply import Input
from halidehw.energy_model.symbolic.terms import Terms, Value
from halidehw.energy_model.symbolic.tiles import Indexed
from halidehw.errors import CostError
from halidehw.expr.tree import nodes
from halidehw.frontend.design import Design, design_of
from halidehw.frontend.directives import StoreAt, StoreRoot
from halidehw.frontend.func import Func
from halidehw.frontend.outputs import Pipeline
from halidehw.ir.affine import Affine
from halidehw.ir.nest import Access, Load, LoopValue, Nest
from halidehw.microarch.spacetime import spacetime
from halidehw.scheduler import lower_graph
from halidehw.scheduler.kernel import Kernel, kernel
from halidehw.scheduler.pipeline import pipeline_of


@dataclass(frozen=True)
class Formulas:
    """All counts of a schedule in its factors, which are named by the inner loops of their splits.

    `entries`: each count with the case, 0 or 1, in which it is one; several of one name exclude each other.
    """

    name: str
    factors: tuple[str, ...]
    loops: Loops
    entries: tuple[tuple[Value, Entry], ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The counts, by the names that `Estimate.count` knows."""
        return tuple(dict.fromkeys(entry.name for _, entry in self.entries))

    def formula(self, name: str) -> sympy.Expr:
        """A count over the factors' symbols. Raises CostError for one that no choice of factors has."""
        found = [case * entry.words for case, entry in self.entries if entry.name == name]
        if not found:
            raise CostError(f"{name} is no count of {self.name}", legal=[f'formula("{each}")' for each in self.names])
        return self.loops.terms.expanded(sum(found))

    def evaluate(self, factors: Mapping[str, Any], costs: CostTable | str | Path = "table3") -> Batch:
        """The counts of many choices: `factors`, per name an array of integers (or one for all), as long as each other.

        A factor of 1 is as if there were no split. Raises CostError for factors that are missing, unknown, no positive
        integers or of different lengths, for a choice that splits a loop by more than its iterations or leaves one
        fewer than lanes, and for a cost table with cells.
        """
        table = costs if isinstance(costs, CostTable) else load_costs(costs)
        if table.cells:
            raise CostError(
                f"the cost table {table.name!r} charges what happens in cells, which cannot be counted in symbols",
                legal=['evaluate(factors, "table3")'],
                source=table.file,
            )
        columns = _columns(self.factors, factors)
        size = len(next(iter(columns.values()), [0]))
        wanted, function = self._compiled
        results = zip(wanted, function(*columns.values()), strict=True)
        values = {value: np.broadcast_to(np.asarray(result), size) for value, result in results}
        return batch(self.name, self.loops, self.entries, values, columns, table)

    @cached_property
    def _compiled(self) -> tuple[list[Value], Callable[..., list[Any]]]:
        wanted = needed(self.loops, self.entries)
        return wanted, self.loops.terms.function([factor(name) for name in self.factors], wanted)


def symbolic(design: Func | Pipeline | Design, *factors: Any) -> Formulas:
    """The counts of a scheduled design as formulas in the factors of its splits.

    `factors`: the inner loops (Vars or names) of the splits whose factors vary; none: all of them. The ports are one
    word wide. Raises CostError for what has no closed form here, saying what it is, and what `lower_graph` raises.
    """
    whole = design_of(design)
    output, graph = whole.output, lower_graph(whole)
    if len(graph.stages) > 1:
        raise CostError(
            f"{output.name} has {len(graph.stages)} stages: a design of several cannot be counted in symbols",
            legal=("estimate(f)",),
        )
    core, nest = kernel(output, pipeline_of(output)), graph.output
    _check(core, nest)
    terms = Terms()
    splits = [split.inner for split in core.stage.loops.derived if hasattr(split, "factor")]
    chosen = tuple(map(str, factors)) or tuple(splits)
    loops = Loops(terms, nest, variables(terms, core, nest, chosen), spacetime(nest).spaces)
    entries = [(1, entry) for entry in (*_work(loops), *output_entries(loops))]
    final = [] if nest.epilogue is None else nodes(nest.epilogue)
    late = {nest.reads[leaf.read].tensor for leaf in final if isinstance(leaf, Load)}
    for name in dict.fromkeys(access.tensor for access in nest.reads):
        found = Input(loops, *_indexed(loops, name), nest.levels(name)[::-1])
        entries += late_entries(found) if name in late else found.entries()
    return Formulas(nest.name, chosen, loops, tuple(entries))


def _check(core: Kernel, nest: Nest) -> None:
    """What has no formula."""
    for directive in core.directives:
        if isinstance(directive, StoreAt | StoreRoot):
            raise CostError(f"{directive}: a line buffer cannot be counted in symbols", source=directive.source)
    if nest.sums[1:]:
        raise CostError(
            f"{nest.sums[1].name}: partial sums in several levels cannot be counted in symbols",
            source=nest.sums[1].source,
        )
    if laid := next((tensor for tensor in nest.tensor.values() if tensor.layout), None):
        raise CostError(
            f"{laid.name} lies in memory in an order of its own, which cannot be counted in symbols",
            legal=("estimate(f)",), source=nest.source,
        )  # fmt: skip
    if nest.tables or nest.scattered:
        raise CostError(f"{nest.name}: indices that are data cannot be counted in symbols", source=nest.source)
    if any(isinstance(leaf, LoopValue) for leaf in nodes(nest.value)):
        raise CostError(
            f"{nest.name}: the value of a loop as an operand cannot be counted in symbols", source=nest.source
        )


def _work(loops: Loops) -> list[Entry]:
    steps = loops.steps()
    macs = loops.terms.product(variable.extent for variable in loops.variables)
    pes = loops.terms.product(space.extent for space in loops.spaces)
    return [
        Entry("macs", "array", "", "mac", macs),
        Entry("steps", "array", "", "work", steps),
        Entry("pe_slots", "array", "", "work", loops.terms.named(steps * pes)),
    ]


def _indexed(loops: Loops, name: str) -> tuple[Indexed, tuple[int, ...]]:
    """A tensor's reads over the algorithm's variables, and their numbers."""
    nest = loops.nest
    reads = [number for number, access in enumerate(nest.reads) if access.tensor == name]
    forms = [_forms(nest.reads[number]) for number in reads]
    dims = tuple(
        {each.name: form[each.digits[-1].loop] for each in loops.variables if form[each.digits[-1].loop]}
        for form in forms[0]
    )
    several = [variable for variable in loops.variables if sum(variable.name in dim for dim in dims) > 1]
    for variable in several:
        raise CostError(f"{name}: {variable.name} in two dimensions cannot be counted in symbols", source=nest.source)
    for dim in dims:
        if any(coefficient < 0 for coefficient in dim.values()):
            raise CostError(f"{name}: a falling index cannot be counted in symbols", source=nest.source)
    tensor, mins = nest.tensor[name], {loop.name: loop.min for loop in nest.loops}
    taps = tuple(tuple(form.at(mins) - low for form, low in zip(each, tensor.mins, strict=True)) for each in forms)
    outside = tensor.boundary is not None and tensor.boundary.kind == "constant_exterior"
    edges = tensor.extents if outside else ()
    return Indexed(name, tensor.type.bits, dims or ({},), taps if dims else ((0,),), edges), tuple(reads)


def _forms(access: Access) -> list[Affine]:
    return list(access.indices)


def _columns(names: Sequence[str], given: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """The factors as int64 arrays of one length."""
    values = {str(name): np.atleast_1d(np.asarray(value)) for name, value in given.items()}
    for name in names:
        if name not in values:
            raise CostError(f"no factors for {name}", legal=[f'evaluate({{"{each}": [2, 4], ...}})' for each in names])
    for name, array in values.items():
        if name not in names:
            raise CostError(f"{name} is not among the factors", legal=list(names))
        if array.ndim != 1 or not np.issubdtype(array.dtype, np.integer) or (array < 1).any():
            raise CostError(f"{name}: factors are a row of positive integers")
    lengths = {name: len(array) for name, array in values.items() if len(array) > 1}
    if len(set(lengths.values())) > 1:
        raise CostError("as many factors are needed of each, are: " + ", ".join(f"{k} {n}" for k, n in lengths.items()))
    size = max(len(array) for array in values.values()) if values else 1
    return {name: np.broadcast_to(values[name].astype(np.int64), size) for name in names}
