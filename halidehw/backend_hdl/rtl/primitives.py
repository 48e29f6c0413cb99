"""The primitives as modules without parameters, for designs that take them in."""

from __future__ import annotations

from halidehw.backend_hdl.rtl.ir import (
    Assign,
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
    Store,
    Word,
)  # fmt: skip


def body(use: Instance) -> Module:
    """What an instance of a primitive does."""
    width, depth = use.parameters["WIDTH"], use.parameters["DEPTH"]
    if use.module == "ram":
        return _ram(width, depth, use.parameters["ADDRESS"])
    return _delay(width, depth, use.module == "delay_reset")


def _module(name: str, inputs: dict[str, int], output: str, signals: dict[str, Signal], **rest: object) -> Module:
    ports = (*(Port(each, False) for each in inputs), Port(output, True))
    signals = {each: Signal(each, width) for each, width in inputs.items()} | signals
    empty: dict[str, object] = {"wires": {}, "clocked": (), "memories": {}, "instances": (), "reset": "rst"}
    return Module(name, "", ports, signals, **(empty | rest))  # type: ignore[arg-type]


def _ram(width: int, depth: int, address: int) -> Module:
    write, read = Ref("write_address", address), Ref("read_address", address)
    inputs = {"clk": 1, "write_enable": 1, "write_address": address, "write_data": width, "read_enable": 1,
              "read_address": address}  # fmt: skip
    clocked = (
        If(((Ref("write_enable", 1), (Store("words", write, Ref("write_data", width)),)),)),
        If(((Ref("read_enable", 1), (Assign("word", 0, width, Word("words", read, width)),)),)),
        Assign("read_data", 0, width, Ref("word", width)),
    )
    signals = {name: Signal(name, width) for name in ("word", "read_data")}
    memories = {"words": Memory("words", width, depth)}
    return _module("ram", inputs, "read_data", signals, clocked=clocked, memories=memories)


def _delay(width: int, depth: int, reset: bool) -> Module:
    inputs, entering = {"clk": 1, "rst": 1, "d": width}, Ref("d", width)
    if depth == 1:
        late = {"q": Signal("q", width, reset=reset)}
        return _module("delay", inputs, "q", late, clocked=(Assign("q", 0, width, entering),))
    lane = Lane(0, depth)
    here, before = Place(((lane, 1),)), Place(((lane, 1),), -1)
    clocked = (
        Assign("stages", 0, width, entering, (Place(),)),
        For(lane, (Assign("stages", 0, width, Ref("stages", width, index=(before,)), (here,)),), 1),
    )
    signals = {"stages": Signal("stages", width, reset=reset, dims=(depth,)), "q": Signal("q", width)}
    wires = {"q": Ref("stages", width, index=(Place((), depth - 1),))}
    return _module("delay", inputs, "q", signals, clocked=clocked, wires=wires)
