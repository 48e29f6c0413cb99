"""One definition of a Func: what is assigned where, and over which reduction domain."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeGuard

from halidehw.errors import AlgorithmError, SourceLine, TypeMismatch
from halidehw.expr.nodes import Access, Expr, Named, Operand, Variable, as_expr, code, convert
from halidehw.expr.tree import nodes
from halidehw.expr.types import Int, Type
from halidehw.frontend.rdom import RDom, RVar
from halidehw.frontend.reduce import domain_of, free_rvars


@dataclass(frozen=True, eq=False)
class Definition:
    """`func[args] = value`, for every point of `domain` in order where `where` holds (None: no reduction; everywhere).
    The domain of a pure definition is that of an inline reduction in it.

    `implied`: the initial value that an update without a pure definition brings along.
    """

    args: tuple[Expr, ...]
    value: Expr
    domain: RDom | None = None
    implied: bool = False
    where: Expr | None = None
    source: SourceLine | None = None

    @property
    def pure(self) -> tuple[str, ...]:
        """The variables that stand alone on the left; they range over the Func's own bounds."""
        return tuple(arg.name for arg in self.args if is_var(arg))

    @property
    def reduction(self) -> tuple[RVar, ...]:
        """The variables of the domain, x first."""
        return () if self.domain is None else self.domain.vars

    @cached_property
    def reads(self) -> tuple[Access, ...]:
        """Every access on the right, in the indices on the left, and in what leaves out points."""
        roots = (*self.args, self.value, *([] if self.where is None else [self.where]))
        return tuple(node for root in roots for node in nodes(root) if isinstance(node, Access))


def is_var(expr: Expr) -> TypeGuard[Variable]:
    """Whether the expression is a plain variable outside any RDom."""
    return isinstance(expr, Variable) and not expr.reduction


def access(target: Named, dimensions: int, kind: Type, args: object) -> Access:
    """`target[args]` of type `kind`. Raises `AlgorithmError` for a wrong number of indices."""
    return Access(kind, target, indices(target.name, dimensions, args))


def indices(name: str, dimensions: int | None, args: object) -> tuple[Expr, ...]:
    """Indices as int32 expressions. Raises `TypeMismatch` if one may not fit in 32 bits."""
    given: tuple[Operand, ...] = args if isinstance(args, tuple) else (args,)
    if dimensions is not None and len(given) != dimensions:
        letters = ", ".join("xyzw"[:dimensions]) if dimensions <= 4 else "..."
        raise AlgorithmError(
            f"{name} has {dimensions} dimension{'s' * (dimensions != 1)}, but {len(given)} indices are given",
            legal=(f"{name}[{letters}]",),
        )
    return tuple(_index(name, as_expr(arg)) for arg in given)


def _index(name: str, index: Expr) -> Expr:
    if not Int(32).covers(index.type):
        raise TypeMismatch(
            f"the index {index} of {name} is {index.type}, not int32", legal=(f"cast(Int(32), {code(index)})",)
        )
    return convert(Int(32), index)


def pure_definition(
    name: str, args: tuple[Expr, ...], value: Expr, source: SourceLine | None, implied: bool = False
) -> Definition:
    """The first definition: distinct variables on the left, nothing but them and accesses on the right."""
    names = [arg.name for arg in args if is_var(arg)]
    if len(set(names)) != len(args):
        raise AlgorithmError(
            f"the first definition of {name} must have distinct variables on its left, not {', '.join(map(str, args))}",
            legal=(f"{name}[{', '.join('xyzw'[: len(args)])}] = ...",),
            source=source,
        )
    _check_variables(name, value, set(names), source)
    for node in free_rvars(value):
        raise AlgorithmError(
            f"the pure definition of {name} uses {node} of RDom {node.domain}; only an update reduces",
            legal=(f"{name}[{', '.join(names)}] += {code(value)}", f"sum({node.domain}, ...)"),
            source=source,
        )
    return Definition(args, value, domain_of(value), implied, source=source)


def update_definition(
    func: Named, pure: tuple[str, ...], args: tuple[Expr, ...], value: Expr, source: SourceLine | None
) -> Definition:
    """A later definition of a Func whose pure variables are `pure`."""
    domain = _domain(func.name, (*args, value), source)
    where = None if domain is None else domain.predicate
    definition = Definition(args, value, domain, where=where, source=source)
    kept = {arg.name for arg, var in zip(args, pure, strict=True) if is_var(arg) and arg.name == var}
    for expr in (*args, value, *([] if where is None else [where])):
        _check_variables(func.name, expr, kept, source)
    for read in definition.reads:
        if read.target is func:
            _check_recursion(read, args, source)
    if domain is not None:
        domain.settle()
    return definition


def _check_variables(name: str, expr: Expr, known: set[str], source: SourceLine | None) -> None:
    for node in nodes(expr):
        if is_var(node) and node.name not in known:
            raise AlgorithmError(
                f"{node} is used in a definition of {name} that does not define it for each {node}; "
                f"the variables on its left are {', '.join(sorted(known)) or 'none'}",
                legal=(f"{name}[..., {node}, ...] = ...", f'{node} = RDom([(0, 4)], "{node}")'),
                source=source,
            )


def _domain(name: str, exprs: tuple[Expr, ...], source: SourceLine | None) -> RDom | None:
    """The one reduction domain the expressions use."""
    domains = [node.domain for expr in exprs for node in free_rvars(expr)]
    for other in domains[1:]:
        if not other.agrees(domains[0]):
            raise AlgorithmError(
                f"an update of {name} uses two reduction domains, {domains[0]} and {other}",
                legal=("one RDom with the dimensions of both",),
                source=source,
            )
    return domains[0] if domains else None


def _check_recursion(read: Access, args: tuple[Expr, ...], source: SourceLine | None) -> None:
    """Different points of the pure variables never meet, so they may be computed in any order."""
    for there, here in zip(read.args, args, strict=True):
        if is_var(here) and not (is_var(there) and there.name == here.name):
            raise AlgorithmError(
                f"the update reads {read} where it writes {read.target.name} at {here}: "
                "a variable on the left must stand at the same place in the Func's own values on the right",
                legal=(f"{here} = RDom([(0, 4)], '{here}') for an order of computation",),
                source=source,
            )
