"""The syntax tree of a `.hh` text: what was written, where, and nothing of what it means."""

from __future__ import annotations

from dataclasses import dataclass, field

from halidehw.errors import SourceLine


@dataclass(frozen=True)
class Node:
    """Something written at `source` (for an operator or a method: the operator, the method's name)."""

    source: SourceLine = field(compare=False)


@dataclass(frozen=True)
class Number(Node):
    value: int | float


@dataclass(frozen=True)
class String(Node):
    text: str


@dataclass(frozen=True)
class Name(Node):
    """An identifier, or a qualified one such as `BoundaryConditions::repeat_edge`."""

    name: str


@dataclass(frozen=True)
class Templated(Node):
    """`function<type>`, such as `cast<int32_t>`."""

    function: str
    type: str


@dataclass(frozen=True)
class Member(Node):
    of: Node
    name: str


@dataclass(frozen=True)
class Call(Node):
    callee: Node
    arguments: tuple[Node, ...]


@dataclass(frozen=True)
class Subscript(Node):
    """`of[index]`, such as `r[4]`."""

    of: Node
    index: Node


@dataclass(frozen=True)
class Braces(Node):
    items: tuple[Node, ...]


@dataclass(frozen=True)
class Unary(Node):
    op: str
    a: Node


@dataclass(frozen=True)
class Binary(Node):
    op: str
    a: Node
    b: Node


@dataclass(frozen=True)
class Declare(Node):
    """`kind name;`, `kind name(arguments);` or `kind name = value;`."""

    kind: str
    name: str
    arguments: tuple[Node, ...] | None = None
    value: Node | None = None


@dataclass(frozen=True)
class Define(Node):
    """`target op value;` with op one of = += -= *= /=."""

    target: Node
    op: str
    value: Node


@dataclass(frozen=True)
class Direct(Node):
    """A chain of schedule directives, `call;`."""

    call: Node


Statement = Declare | Define | Direct
