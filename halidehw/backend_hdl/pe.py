"""The processing element."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import count

from amaranth.hdl import Const, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out

from halidehw.backend_hdl.accumulate import Accumulate, AccumulateSpec
from halidehw.backend_hdl.datapath import as_type, pipeline, shape_of
from halidehw.backend_hdl.library import Library, Part, delay, ram
from halidehw.backend_hdl.wave import Wire
from halidehw.expr.nodes import Expr
from halidehw.expr.types import Type
from halidehw.ir.nest import Combine, Load, LoopValue, Scan
from halidehw.ir.sums import identity
from halidehw.microarch.network import Stage
from halidehw.microarch.operands import operand_name
from halidehw.microarch.stores import LEAD, RegisterFile
from halidehw.microarch.taps import FileTap

STEP = "step"
"""The wire of a step that a PE has where it keeps states."""


@dataclass(frozen=True)
class Held:
    """A register file. `readers`: whose wires say what is read, operands or the file that takes the words; `source`:
    the file whose words it takes (None: they come with a fill wave). `table`: the expression says what is read."""

    file: RegisterFile
    readers: tuple[str, ...]
    source: str | None
    table: bool = False


def held(stage: Stage) -> tuple[Held, ...]:
    """The register files of every PE, each after the one it takes its words from."""
    takers = [(copy.tap.file, copy.sink.file) for copy in stage.copies]
    reads = ((operand.source, operand.name) for operand in stage.compute.operands)
    files = [(tap, name) for tap, name in reads if isinstance(tap, FileTap)]
    takers += [(tap.file, name) for tap, name in files if not tap.data]
    tables = {tap.file for tap, _ in files if tap.data}
    sources = {copy.sink.file: copy.tap.file for copy in stage.copies}
    return tuple(
        Held(file, tuple(taker for name, taker in takers if name == file.name), sources.get(file.name),
             file.name in tables)
        for file in reversed(stage.files)
    )


@dataclass(frozen=True)
class PESpec:
    """The expression, the wires that reach it, its register files, its masks."""

    value: Expr
    type: Type
    combine: Combine | None
    wires: tuple[Wire, ...]
    files: tuple[Held, ...]
    masks: tuple[str, ...]


class PE(Part[PESpec]):
    """One multiplier's worth of the array: register files and the expression of one iteration.

    Operands arrive with a wave, register file addresses RAM_LATENCY cycles ahead; `product` follows the operands by
    the expression's latency. A fill wave writes the register file where its `valid` reaches this PE; a register file
    between two takes the word that its source was asked for RAM_LATENCY cycles before. Where a mask is low the product
    is the reduction's identity. No handshake, no reset.
    """

    title = "pe"
    role = "datapath"

    def __init__(self, library: Library, spec: PESpec):
        members = {wire.name: In(wire.bits) for wire in spec.wires} | {"product": Out(spec.type.bits)}
        super().__init__(library, spec, members)

    def elaborate(self, platform: object) -> Module:
        m, spec = Module(), self.spec
        stored, tables = dict[str, Value](), dict[str, Callable[[Value], Value]]()
        for each in spec.files:
            name, words = each.file.name, each.file.halves * each.file.words
            data = stored[name] if each.source else self[f"{name}_data"]
            write = (self[f"{name}_valid"], self[f"{name}_address"], data)
            if each.table:
                tables[each.file.tensor] = partial(_looked_up, m, each.file, write, count())
            for reader in each.readers:
                read = (self[f"{reader}_read"], self[f"{reader}_read_address"])
                label = name if len(each.readers) == 1 else f"{name}_{reader}"
                stored[reader] = ram(m, label, words, write, read)

        def leaf(expr: Expr) -> Value:
            assert isinstance(expr, Load | LoopValue)
            name = operand_name(expr)
            value = stored[name] if name in stored else self[safe(name)]
            return as_type(value, expr.type)

        number = count()

        def follow(scan: Scan, first: Value, address: Value, word: Value, time: int) -> Value:
            """The states of a recurrence, as sums are kept."""
            kind, given = scan.merge.value.type, scan.word.type
            each = AccumulateSpec(scan.words, kind, scan.merge, 0, first_only=False, given=given)
            name = f"states{next(number) or ''}"
            ports = {
                "valid": delay(m, f"{name}_valid", self[STEP], time, reset=True),
                "first": first,
                "address": address[: max((scan.words - 1).bit_length(), 1)],
                "value": delay(m, f"{name}_word", word, LEAD),
            }
            return self.library.use(m, name, Accumulate, each, ports).state

        result = pipeline(m, self.library, spec.value, leaf, tables=tables, follow=follow)
        value, time = result.value, result.time
        if spec.masks:
            active: Value = Const(1)
            for name in spec.masks:
                active = active & self[name]
            out = Signal(shape_of(spec.type), name="masked", reset_less=True)
            idle = Const(identity(spec.combine or "add", spec.type), shape_of(spec.type))
            m.d.sync += out.eq(Mux(delay(m, "active", active, time), value, idle))
            value = out
        m.d.comb += self.product.eq(value)
        return m


def _looked_up(
    m: Module, file: RegisterFile, write: tuple[Value, Value, Value], number: Iterator[int], address: Value
) -> Value:
    """The word at an address, RAM_LATENCY cycles later: of a memory for each look-up, which have numbers."""
    return ram(m, f"{file.name}{next(number) or ''}", file.words, write, (Const(1), address))


def safe(name: str) -> str:
    """A wire's name as an attribute and port."""
    return "".join(c if c.isalnum() else "_" for c in name)
