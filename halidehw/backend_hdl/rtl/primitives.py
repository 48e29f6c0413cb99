"""The primitives as modules without parameters, for designs that take them in."""

from __future__ import annotations

from collections.abc import Sequence

from halidehw.backend_hdl.rtl import build
from halidehw.backend_hdl.rtl.ir import (
    Assign,
    Const,
    Expr,
    For,
    If,
    Instance,
    Lane,
    Memory,
    Module,
    Place,
    Port,
    Ref,
    Signal,
    Statement,
    Store,
    Word,
)  # fmt: skip

DELAYS = ("delay", "delay_reset")

MEMORIES = ("ram", "one_port")

FEW = 4
"""Cycles of a delay whose registers have names of their own; those of a longer one are an array."""

WORDS = 8
"""Words of a memory that are registers: a loop over many such memories asks each word whether it is meant, which g++
makes vector instructions of, and not of an address in each."""


def body(use: Instance) -> Module:
    """What an instance of a primitive does."""
    width, depth = use.parameters["WIDTH"], use.parameters["DEPTH"]
    if use.module in MEMORIES:
        alone = use.module == "one_port"
        return (_few if depth <= WORDS else _ram)(width, depth, use.parameters["ADDRESS"], alone)
    return (_short if depth <= FEW else _long)(width, depth, use.module == "delay_reset")


def delays(uses: Sequence[Instance]) -> Module:
    """What delays of several lengths do: as long as the longest one, in an array of stages."""
    width, depth = uses[0].parameters["WIDTH"], max(each.parameters["DEPTH"] for each in uses)
    return _long(width, depth, uses[0].module == "delay_reset")


def register(body: Module) -> tuple[Statement, ...]:
    """What happens in a delay of one cycle with such signals."""
    width = body.signals["q"].width if "q" in body.signals else 0
    return (Assign("q", 0, width, Ref("d", width)),)


def _module(name: str, inputs: dict[str, int], output: str, signals: dict[str, Signal], **rest: object) -> Module:
    ports = (*(Port(each, False) for each in inputs), Port(output, True))
    signals = {each: Signal(each, width) for each, width in inputs.items()} | signals
    empty: dict[str, object] = {"wires": {}, "clocked": (), "memories": {}, "instances": (), "reset": "rst"}
    return Module(name, "", ports, signals, **(empty | rest))  # type: ignore[arg-type]


def _ram(width: int, depth: int, address: int, alone: bool) -> Module:
    write = Store("words", Ref("write_address", address), Ref("write_data", width))
    written = If(((Ref("write_enable", 1), (write,)),))
    return _memory(
        width, address, (written,), Word("words", Ref("read_address", address), width), (), alone,
        memories={"words": Memory("words", width, depth)},
    )  # fmt: skip


def _few(width: int, depth: int, address: int, alone: bool) -> Module:
    """A memory whose words are registers."""
    words = [f"words{number}" for number in range(depth)]
    written = []
    for number, name in enumerate(words):
        meant = build.binary("==", Ref("write_address", address), Const(number, address))
        enable = build.binary("&", Ref("write_enable", 1), meant)
        written.append(If(((enable, (Assign(name, 0, width, Ref("write_data", width)),)),)))
    read: Expr = Ref(words[-1], width)
    for number, name in reversed([*enumerate(words)][:-1]):
        meant = build.binary("==", Ref("read_address", address), Const(number, address))
        read = build.mux(meant, Ref(name, width), read)
    return _memory(width, address, tuple(written), read, words, alone)


def _memory(
    width: int, address: int, written: tuple[Statement, ...], read: Expr, words: Sequence[str], alone: bool,
    **rest: object,
) -> Module:  # fmt: skip
    """`words`: the names of those that are registers; `alone`: nothing is read in a cycle in which a word is
    written."""
    reading: Expr = Ref("read_enable", 1)
    if alone:
        reading = build.mux(Ref("write_enable", 1), Const(0, 1), reading)
    inputs = {"clk": 1, "write_enable": 1, "write_address": address, "write_data": width, "read_enable": 1,
              "read_address": address}  # fmt: skip
    clocked = (
        *written,
        If(((reading, (Assign("word", 0, width, read),)),)),
        Assign("read_data", 0, width, Ref("word", width)),
    )
    signals = {name: Signal(name, width) for name in (*words, "word", "read_data")}
    return _module("one_port" if alone else "ram", inputs, "read_data", signals, clocked=clocked, **rest)


_DELAYED = {"clk": 1, "rst": 1}


def _short(width: int, depth: int, reset: bool) -> Module:
    names = [*(f"stage{number}" for number in range(1, depth)), "q"]
    entering = ["d", *names]
    clocked = tuple(Assign(name, 0, width, Ref(entering[number], width)) for number, name in enumerate(names))
    late = {name: Signal(name, width, reset=reset) for name in names}
    return _module("delay", _DELAYED | {"d": width}, "q", late, clocked=clocked)


def _long(width: int, depth: int, reset: bool) -> Module:
    lane = Lane(0, depth)
    here, before = Place(((lane, 1),)), Place(((lane, 1),), -1)
    clocked = (
        Assign("stages", 0, width, Ref("d", width), (Place(),)),
        For(lane, (Assign("stages", 0, width, Ref("stages", width, index=(before,)), (here,)),), 1),
    )
    signals = {"stages": Signal("stages", width, reset=reset, dims=(depth,)), "q": Signal("q", width)}
    wires = {"q": Ref("stages", width, index=(Place((), depth - 1),))}
    return _module("delay", _DELAYED | {"d": width}, "q", signals, clocked=clocked, wires=wires)
