"""A design as a set of distinct components, each emitted once.

Amaranth repeats a submodule for every instance. Here a component is described by a frozen `spec`; a parent that
uses one gets signals for its ports and an `Instance`, and components with equal class and spec share one module.
"""

from __future__ import annotations

import re
from importlib import resources
from types import SimpleNamespace
from typing import Any, Generic, TypeVar

from amaranth._toolchain.yosys import find_yosys
from amaranth.back import rtlil
from amaranth.hdl import Cat, ClockSignal, Const, Instance, Module, ResetSignal, Shape, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from halidehw.backend_hdl.tidy import comment, tidy

RAM_LATENCY = 2


S = TypeVar("S")


class Part(wiring.Component, Generic[S]):
    """A component of the library: `spec` says all there is about it, `title` names its module.

    Every part has the clock and the synchronous reset of the domain `sync`.
    """

    title = "part"

    def __init__(self, library: Library, spec: S, signature: dict[str, wiring.Member]):
        self.library, self.spec = library, spec
        super().__init__(signature)


class Library:
    """The modules of one design by class and spec."""

    def __init__(self) -> None:
        self._parts: dict[tuple[type, object], tuple[str, Part[Any]]] = {}
        self._texts: dict[str, str] = {}
        self._notes: dict[str, str] = {}

    def add(self, kind: type[Part[Any]], spec: object) -> tuple[str, Part[Any]]:
        """The module of the component `kind` with `spec`, elaborated when it is new."""
        if (kind, spec) not in self._parts:
            part = kind(self, spec)  # type: ignore[call-arg]
            base = identifier(part.title)
            same = sum(name == base or name.startswith(f"{base}_") for name, _ in self._parts.values())
            name = f"{base}_{same + 1}" if same else base
            self._parts[kind, spec] = name, part
            self._texts[name] = rtlil.convert(part, name=name, emit_src=False)
            self._notes[name] = " ".join((kind.__doc__ or "").split("\n\n")[0].split())
        return self._parts[kind, spec]

    def use(
        self, m: Module, label: str, kind: type[Part[Any]], spec: object, inputs: dict[str, Value] | None = None
    ) -> SimpleNamespace:
        """Instantiate a component in `m` under `label`; its ports as signals of the parent, but for those that
        `inputs` connects to a value."""
        inputs = inputs or {}
        (module, part), label = self.add(kind, spec), identifier(label)
        ports, wires = {}, SimpleNamespace()
        for path, member, _value in part.signature.flatten(part):
            name = "__".join(map(str, path))
            shape = Shape.cast(member.shape)
            if name in inputs:
                ports[f"i_{name}"] = resize(inputs[name], shape.width)
                continue
            signal = Signal(shape, name=f"{label}_{name}")
            ports[f"{'i' if member.flow == In else 'o'}_{name}"] = signal
            setattr(wires, name, signal)
        m.submodules[label] = Instance(module, i_clk=ClockSignal(), i_rst=ResetSignal(), **ports)
        return wires

    def verilog(self, header: str = "") -> str:
        """All modules as Verilog, users before what they use."""
        script = "\n".join(
            ["read_rtlil <<rtlil", *self._texts.values(), "rtlil", "proc -nomux -norom", "memory_collect",
             "attrmap -remove src -remove generator -remove top", "attrmap -modattr -remove src -remove generator "
             "-remove top -remove amaranth.hierarchy", "write_verilog -norename -noattr"]
        )  # fmt: skip
        text = find_yosys(lambda version: version >= (0, 40)).run(["-q", "-"], script, ignore_warnings=True)
        modules = dict(re.findall(r"^(?=module (\S+?) ?\()(.*?^endmodule)$", tidy(text), re.M | re.S))
        chunks = [header] if header else []
        for name in reversed(self._texts):
            inner = [body for other, body in modules.items() if other.startswith(f"{name}__")]
            chunks += [comment(self._notes[name]) + modules[name], *inner]
        chunks.append(resources.files(__package__).joinpath("primitives.v").read_text())
        return "\n".join(chunk.rstrip() + "\n" for chunk in chunks)


def identifier(name: str) -> str:
    """A Verilog identifier for a name of the design; a letter beyond ASCII is written as its number."""
    return re.sub(r"\W", lambda found: "_" if found[0].isascii() else f"u{ord(found[0]):x}", name, flags=re.ASCII)


def ram(m: Module, label: str, depth: int, write: tuple[Value, Value, Value], read: tuple[Value, Value]) -> Signal:
    """A memory of `depth` words: write = (enable, address, data), read = (enable, address); the word read,
    RAM_LATENCY cycles later, and until the next one."""
    enable, address, data = write
    out = Signal(len(data), name=f"{label}_word")
    bits = max((depth - 1).bit_length(), 1)
    m.submodules[label] = Instance(
        "halidehw_ram", p_WIDTH=len(data), p_DEPTH=depth, p_ADDRESS=bits, i_clk=ClockSignal(), i_write_enable=enable,
        i_write_address=resize(address, bits), i_write_data=data, i_read_enable=read[0],
        i_read_address=resize(read[1], bits), o_read_data=out,
    )  # fmt: skip
    return out


def delay(m: Module, label: str, value: Value, cycles: int, *, reset: bool = False) -> Value:
    """`value`, `cycles` later; with `reset`, zero after reset."""
    if cycles == 0 or len(value) == 0:
        return value
    out = Signal(value.shape(), name=f"{label}_late{cycles}")
    clear = {"i_rst": ResetSignal()} if reset else {}
    m.submodules[f"{label}_delay{cycles}"] = Instance(
        "halidehw_delay_reset" if reset else "halidehw_delay",
        p_WIDTH=len(value), p_DEPTH=cycles, i_clk=ClockSignal(), i_d=value, o_q=out, **clear,
    )  # fmt: skip
    return out


def resize(value: Value, bits: int) -> Value:
    """The low `bits` of a value, extended by its sign where it is narrower."""
    value = Value.cast(value)
    if len(value) == bits:
        return value
    top = value[-1] if value.shape().signed else Const(0, 1)
    return Cat(value, *[top] * (bits - len(value)))[:bits]
