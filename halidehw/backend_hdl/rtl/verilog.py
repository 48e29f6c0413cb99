"""Modules as Verilog-2005."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from halidehw.backend_hdl.rtl import text
from halidehw.backend_hdl.rtl.declare import extents_of, initial_of, listed, range_of, spans, storage, typed
from halidehw.backend_hdl.rtl.described import described, lanes_of
from halidehw.backend_hdl.rtl.ir import (
    Assign,
    Binary,
    Case,
    Choice,
    Const,
    Expr,
    For,
    If,
    Instance,
    Lane,
    Module,
    Place,
    Ref,
    Signal,
    Statement,
    Store,
    Word,
    bodies,
    targets,
)  # fmt: skip
from halidehw.backend_hdl.rtl.layout import INDENT, Group, comment, wrapped
from halidehw.backend_hdl.rtl.names import Names
from halidehw.backend_hdl.rtl.read import CLOCK, RESET
from halidehw.backend_hdl.rtl.rewrite import free
from halidehw.backend_hdl.rtl.terms import Terms


def written(module: Module, modules: Mapping[str, Module], prefix: str, groups: tuple[Group, ...] = ()) -> str:
    """The text of a module. `modules`: those it may use, besides the primitives, whose names begin with `prefix`;
    `groups`: of its ports; others come first."""
    return _Writer(module, modules, prefix, groups).text()


class _Writer:
    """One module on its way to text; the scope that its expressions stand in."""

    def __init__(self, module: Module, modules: Mapping[str, Module], prefix: str, groups: tuple[Group, ...]):
        self.module, self.modules, self.prefix, self.groups = module, modules, prefix, groups
        self.signals: dict[str, Signal] = dict(module.signals)
        self.wires: dict[str, Expr] = dict(module.wires)
        labels = (each.label for each in module.instances)
        self.names = Names((CLOCK, RESET, *self.signals, *module.memories, *labels))
        self.terms = Terms()
        self.holders: dict[int, Ref] = {}
        self.used: dict[str, int] = {}
        self.lines: list[str] = []
        self.begun: set[str] = set()
        self.subject = ""
        arrays = [name for name, signal in module.registers.items() if signal.dims]
        self.next = {name: self.names.new(f"{name}_next") for name in arrays}

    # What expressions ask of their scope

    def read(self, name: str, start: int, width: int) -> None:
        self.define(name)
        self.used[name] = self.used.get(name, 0) | (((1 << width) - 1) << start)

    def name(self, expr: Expr) -> Ref | None:
        if isinstance(expr, Const | Ref):
            return None
        number = self.terms.number(expr)
        if number not in self.holders and self.terms.shared(expr) and not lanes_of(expr):
            return self.named(expr)
        return self.holders.get(number)

    def named(self, expr: Expr) -> Ref:
        number = self.terms.number(expr)
        width = min(self.terms.bits.get(number, expr.width), expr.width)
        if isinstance(expr, Word) or (isinstance(expr, Binary) and expr.op == ">>"):
            width = expr.width  # the text of no part of it is shorter
        name, lanes = self.names.new(self.describe(expr)), lanes_of(expr)
        dims = tuple(lane.count for lane in lanes)
        self.signals[name] = Signal(name, width, expr.signed and width == expr.width, dims=dims)
        self.holders[number] = Ref(name, expr.width, expr.signed, tuple(Place(((lane, 1),)) for lane in lanes))
        self.wires[name] = expr
        return self.holders[number]

    def describe(self, expr: Expr) -> str:
        """A name for an expression: what it does with which signals, or that it is a part of the one being written."""
        found = described(expr, 3)
        return found if found[:1].isalpha() and len(found) <= 40 else f"{self.subject}_part"

    # The text

    def text(self) -> str:
        module = self.module
        for name, value in module.wires.items():
            self.terms.use(value, self.signals[name].width)
        for value in free(module):
            self.terms.use(value, value.width)
        for name, value in module.wires.items():
            number = self.terms.number(value)
            plain = isinstance(value, Const | Ref) or value.width != self.signals[name].width
            if not plain and self.terms.uses[number] > 1:
                self.holders.setdefault(number, Ref(name, value.width, value.signed))
        loops = [line for each in module.loops for line in self.looping(each)]
        instances = [line for each in module.instances for line in ("", *self.instance(each))]
        clocked = list(self.clocked())
        for name in module.wires:
            self.define(name)
        ports = [line for line in self.ports()]
        declared = list(self.declarations())
        body = [*declared, *self.lines, *loops, *instances, *clocked, *self.unused()]
        head = comment(module.comment)
        return "\n".join([*head, *ports, *(wrapped(line) for line in body), "endmodule"]) + "\n"

    def define(self, name: str) -> None:
        """The assignment of a wire, and before it those of all that it reads."""
        if name in self.begun or name not in self.wires:
            return
        self.begun.add(name)
        value, signal = self.wires[name], self.signals[name]
        subject, self.subject = self.subject, name
        outside = name in {port.name for port in self.module.ports}
        if signal.dims:
            lines = self.array(signal, value)
        elif isinstance(value, Choice):
            lines = self.choice(name, value, outside)
        else:
            held = self.name(value)
            if held is not None and held.name != name:
                found = text.text(self, value, signal.width)
            else:
                found = text.whole(self, value, signal.width)
            lines = [f"  assign {name} = {found};" if outside else f"  wire {typed(signal)} = {found};"]
        self.lines += lines
        self.subject = subject

    def array(self, signal: Signal, value: Expr) -> list[str]:
        """A value that depends on lanes, for all of them."""
        lanes = lanes_of(value)
        place = signal.name + text.places(tuple(Place(((lane, 1),)) for lane in lanes))
        if isinstance(value, Choice):
            inner = [f"{text.selector(value.cases)} ({text.text(self, value.index, value.index.width)})"]
            for patterns, each in value.cases:
                inner.append(f"  {text.patterns(patterns)}: {place} = {text.whole(self, each, signal.width)};")
            inner.append("endcase")
        else:
            inner = [f"{place} = {text.whole(self, value, signal.width)};"]
        heads = [f"{INDENT * depth}{_loop(lane, 0)}" for depth, lane in enumerate(lanes, 2)]
        body = [INDENT * (len(lanes) + 2) + line for line in inner]
        declared = f"  reg {typed(signal)}{extents_of(signal.dims)};"
        return [declared, *self.combining({lane.depth for lane in lanes}, [*heads, *body])]

    def looping(self, statements: tuple[Statement, ...]) -> list[str]:
        """A block that drives an array of wires."""
        inner = [line for each in statements for line in self.statement(each, 2, "=")]
        return ["", *self.combining({lane.depth for each in statements for lane in _loops(each)}, inner)]

    def combining(self, depths: set[int], body: list[str]) -> list[str]:
        """Statements that follow from what they read, with loops over lanes of such depths."""
        name = self.names.new("combine")
        return [*_function(name, depths, body), f"  always_comb {name}();"]

    def choice(self, name: str, choice: Choice, outside: bool) -> list[str]:
        signal = self.signals[name]
        lines = [] if outside else [f"  reg {typed(signal)};"]
        index = text.text(self, choice.index, choice.index.width)
        lines += ["  always @*", f"    {text.selector(choice.cases)} ({index})"]
        for patterns, value in choice.cases:
            lines.append(f"      {text.patterns(patterns)}: {name} = {text.whole(self, value, signal.width)};")
        return [*lines, "    endcase"]

    def assigned(self, value: Expr, width: int) -> str:
        """What a register takes."""
        return (text.whole if self.name(value) is None else text.text)(self, value, width)

    def instance(self, each: Instance) -> list[str]:
        module = self.modules.get(each.module)
        self.subject = each.label
        pins: list[str] = []
        order = [port.name for port in module.ports] if module else [*each.inputs, *each.outputs]
        for port in order:
            if port in each.outputs:
                pins.append(f".{port}({each.outputs[port]})")
            elif port in each.inputs:
                value = each.inputs[port]
                width = module.signals[port].width if module else value.width
                pins.append(f".{port}({text.text(self, value, width)})")
            elif module:
                open_ = replace(module.signals[port], name=self.names.new(f"{each.label}_{port}_unused"))
                self.lines.append(f"  wire {typed(open_)};")
                pins.append(f".{port}({open_.name})")
        values = ", ".join(f".{name}({value})" for name, value in each.parameters.items())
        kind = each.module if module else f"{self.prefix}{each.module}"
        head = f"  {kind} " + (f"#({values}) " if values else "") + f"{each.label} ("
        return [head, *(f"    {pin}," for pin in pins[:-1]), f"    {pins[-1]}", "  );"]

    def clocked(self) -> Iterator[str]:
        """A block for the registers that reset clears, and one for the others."""
        module, registers = self.module, self.module.registers
        cleared = [name for name, signal in registers.items() if signal.reset]
        with_reset = [each for each in module.clocked if any(name in cleared for name in targets(each))]
        others = [each for each in module.clocked if each not in with_reset]
        for body, names in ((with_reset, cleared), (others, [])):
            if not body:
                continue
            yield ""
            if len(body) == 1 and not names and isinstance(body[0], Assign | Store) and not body[0].index:
                yield f"  always @(posedge {CLOCK}) {next(self.statement(body[0], 0))}"
                continue
            depths = {lane.depth for each in body for lane in _loops(each)}
            depths |= {depth for name in names for depth in range(len(registers[name].dims))}
            lines = [line for each in body for line in self.statement(each, 2)]
            lines += self.cleared(names)
            changed = dict.fromkeys(name for each in body for name in targets(each))
            arrays = [name for name in changed if name in self.next]
            if depths or arrays:
                update = self.names.new("update")
                yield from _function(update, depths, lines)
                lines = [f"    {update}();"]
                lines += [f"    {name} <= {self.next[name]};" for name in arrays]
            yield from (f"  always @(posedge {CLOCK}) begin", *lines, "  end")
        if module.clocked or module.memories:
            self.read(CLOCK, 0, 1)

    def cleared(self, names: list[str]) -> Iterator[str]:
        """What reset does to registers."""
        if not names:
            return
        self.read(self.module.reset, 0, 1)
        yield f"    if ({self.module.reset}) begin"
        for name in names:
            signal = self.module.signals[name]
            loops = "".join(_loop(Lane(depth, count), 0) + " " for depth, count in enumerate(signal.dims))
            place = "".join(f"[i{depth}]" for depth in range(len(signal.dims)))
            target, sign = (self.next[name], "=") if name in self.next else (name, "<=")
            yield f"      {loops}{target}{place} {sign} {initial_of(signal)};"
        yield "    end"

    def statement(self, statement: Statement, depth: int, sign: str = "<=") -> Iterator[str]:
        margin = INDENT * depth
        match statement:
            case Assign(name, start, width, value, index):
                self.subject = name
                bits = "" if width == self.signals[name].width else f"[{start + width - 1}:{start}]"
                target, sign = (self.next[name], "=") if name in self.next else (name, sign)
                yield f"{margin}{target}{text.places(index)}{bits} {sign} {self.assigned(value, width)};"
            case Store(memory, address, value, index):
                self.subject = memory
                place = f"{memory}{text.places(index)}[{text.text(self, address, address.width)}]"
                yield f"{margin}{place} {sign} {self.assigned(value, value.width)};"
            case For(lane, body, first):
                for each in body:
                    lines = list(self.statement(each, depth + 1, sign))
                    whole = ((first, lane.count),)
                    for start, end in spans(*whole[0]) if isinstance(each, Assign) else whole:
                        head = f"{margin}{_loop(replace(lane, count=end), start)}"
                        if len(lines) == 1:
                            yield f"{head} {lines[0].lstrip()}"
                        else:
                            yield from (f"{head} begin", *lines, f"{margin}end")
            case If(branches, other):
                yield from self.conditional(branches, other, margin, depth)
            case Case(value, cases):
                yield f"{margin}{text.selector(cases)} ({text.text(self, value, value.width)})"
                for patterns, body in cases:
                    yield f"{margin}  {text.patterns(patterns)}: begin"
                    for each in body:
                        yield from self.statement(each, depth + 2)
                    yield f"{margin}  end"
                if not any(not patterns for patterns, _ in cases):
                    yield f"{margin}  default: ;"
                yield f"{margin}endcase"

    def conditional(
        self, branches: tuple[tuple[Expr, tuple[Statement, ...]], ...], other: tuple[Statement, ...], margin: str,
        depth: int,
    ) -> Iterator[str]:  # fmt: skip
        """An if; without begin and end where all its branches are single assignments."""
        heads: list[str] = []
        for test, body in branches:
            self.subject = next(targets(body[0]))
            heads.append(f"{'else ' * bool(heads)}if ({text.text(self, test, 1)})")
        parts = [*zip(heads, (body for _, body in branches), strict=True), *([("else", other)] if other else [])]
        if all(len(body) == 1 and isinstance(body[0], Assign | Store) for _, body in parts):
            for head, body in parts:
                yield f"{margin}{head} {next(self.statement(body[0], 0))}"
            return
        for number, (head, body) in enumerate(parts):
            yield f"{margin}{'end ' * (number > 0)}{head} begin"
            for each in body:
                yield from self.statement(each, depth + 1)
        yield f"{margin}end"

    def ports(self) -> Iterator[str]:
        module = self.module
        listed = {name for group in self.groups for name in group.ports}
        known = {port.name: port for port in module.ports}
        free = [Group("", tuple(name for name in known if name not in listed)), *self.groups]
        rows: list[str] = []
        last = [name for group in free for name in group.ports if name in known][-1:]
        width = max((len(range_of(module.signals[name])) for name in known), default=0)
        for group in free:
            names = [name for name in group.ports if name in known]
            if names and group.comment:
                rows += [*[""] * bool(rows), *(INDENT + line for line in comment(group.comment))]
            for name in names:
                signal, port = module.signals[name], known[name]
                register = name in module.registers or isinstance(module.wires.get(name), Choice)
                kind = ("output reg " if register else "output wire") if port.output else "input  wire"
                begins = f" = {initial_of(signal)}" if name in module.registers else ""
                comma = "" if [name] == last else ","
                shape = f"{range_of(signal):{width}} " if width else ""
                rows.append(f"  {kind} {shape}{name}{begins}{comma}")
        yield f"module {module.name} ("
        yield from rows
        yield ");"

    def declarations(self) -> Iterator[str]:
        module = self.module
        outside = {port.name for port in module.ports}
        inside = {each for instance in module.instances for each in instance.outputs.values()}
        looped = {name: None for body in module.loops for each in body for name in targets(each)}
        arrays = [module.signals[name] for name in looped]
        registers = [signal for name, signal in module.registers.items() if name not in outside]
        arrays += [signal for signal in registers if signal.dims]
        registers = [signal for signal in registers if not signal.dims]
        for signal in sorted(arrays, key=storage):
            yield f"  reg {typed(signal)}{extents_of(signal.dims)};"
            if signal.name in self.next:
                yield f"  reg {typed(replace(signal, name=self.next[signal.name]))}{extents_of(signal.dims)};"
        wires = [module.signals[name] for name in inside_order(module) if name in inside and name not in outside]
        yield from listed("reg", registers, initial=True)
        for memory in module.memories.values():
            yield f"  reg [{memory.width - 1}:0] {memory.name}{extents_of(memory.dims) or ' '}[0:{memory.depth - 1}];"
        yield from listed("wire", wires, initial=False)

    def unused(self) -> Iterator[str]:
        """A place for the bits that nobody reads, so that a tool which looks for mistakes finds none here."""
        outputs = {port.name for port in self.module.ports if port.output}
        left: list[str] = []
        for name, signal in self.signals.items():
            bits = ((1 << signal.width) - 1) & ~self.used.get(name, 0)
            if name in outputs or not bits or signal.dims:
                continue
            start = 0
            while bits >> start:
                if bits >> start & 1:
                    count = 1
                    while bits >> (start + count) & 1:
                        count += 1
                    left.append(
                        name if count == signal.width
                        else f"{name}[{start}]" if count == 1 else f"{name}[{start + count - 1}:{start}]"
                    )  # fmt: skip
                    start += count
                start += 1
        if left:
            yield ""
            yield f"  wire {self.names.new('unused')} = &{{1'b0, {', '.join(left)}}};"


def inside_order(module: Module) -> list[str]:
    return [name for each in module.instances for name in each.outputs.values()]


def _function(name: str, depths: set[int], body: list[str]) -> list[str]:
    """Statements with loops over lanes of such depths, whose numbers are a simulator's local variables here."""
    integers = [f"    int unsigned {', '.join(f'i{depth}' for depth in sorted(depths))};"] if depths else []
    return [f"  function automatic void {name}();", *integers, *body, "  endfunction"]


def _loop(lane: Lane, first: int) -> str:
    name = f"i{lane.depth}"
    return f"for ({name} = {first}; {name} < {lane.count}; {name} = {name} + 1)"


def _loops(statement: Statement) -> Iterator[Lane]:
    match statement:
        case For(lane, body):
            yield lane
            for each in body:
                yield from _loops(each)
        case If() | Case():
            for inner in bodies(statement):
                for each in inner:
                    yield from _loops(each)
