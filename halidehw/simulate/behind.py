"""The bench of an accelerator behind an AXI4 master: one memory of bytes for all of its tensors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from halidehw.buses.attached import BUNDLE, Attached
from halidehw.buses.axi import PAGE
from halidehw.simulate.bench import READ, TIMING, WRITTEN, Outside, control_pins, instance
from halidehw.simulate.scenario import Refused
from halidehw.simulate.words import checked, packed, unpacked

MEMORY = "memory"
"""What the memory's files are called."""

REFUSE, ERRORS = "refuse", "errors"
"""What is set and read in this bench besides."""

REFUSED: dict[Refused, int] = {"none": 0, "reads": 1, "writes": 2}
"""`refuse` of halidehw_axi_memory.sv."""

_ORIGIN = 0x3_0000_0000


@dataclass(frozen=True)
class Placement:
    """Where tensors lie in memory: one after the other, those that are read first, each from the first byte of a page
    on, as the model of cycles has them, or `skew` words beyond."""

    attached: Attached
    skew: int = 0

    @cached_property
    def places(self) -> dict[str, int]:
        """Tensor -> its first byte, from the memory's first one on."""
        found, at = dict[str, int](), 0
        written = [port.tensor for port in self.attached.writes]
        for tensor in self.attached.tensors:
            at = -(-at // PAGE) * PAGE + (PAGE if [tensor] == written[:1] else 0)
            found[tensor] = at + self.skew * self.attached.port(tensor).unit
            at = found[tensor] + self.attached.size(tensor)
        return found

    @property
    def outputs(self) -> tuple[int, int]:
        """The first and the last beat of tensors that are written."""
        beat, written = self.attached.bus.bytes, [port.tensor for port in self.attached.writes]
        ends = [self.places[tensor] + self.attached.size(tensor) for tensor in written]
        return min(self.places[tensor] for tensor in written) // beat, (max(ends) - 1) // beat

    @property
    def beats(self) -> int:
        return self.outputs[1] + 1

    @property
    def addresses(self) -> dict[str, int]:
        """Tensor -> the address of its first byte."""
        return {tensor: _ORIGIN + place for tensor, place in self.places.items()}

    def write(self, path: Path, inputs: Mapping[str, np.ndarray]) -> None:
        """The memory before a run, as a file of beats. Raises TypeMismatch for words that do not fit their port."""
        beat = self.attached.bus.bytes
        memory = bytearray(self.beats * beat)
        for tensor, values in inputs.items():
            port, at = self.attached.port(tensor), self.places[tensor]
            found = packed(port, checked(port, values), port.unit)
            memory[at : at + len(found)] = found
        path.write_text("\n".join(memory[at : at + beat][::-1].hex() for at in range(0, len(memory), beat)) + "\n")

    def read(self, path: Path) -> dict[str, np.ndarray]:
        """The tensors of a file of the beats that hold outputs, the low bits of each word."""
        lines = [line for line in path.read_text().splitlines() if line[:2] != "//"]
        memory = b"".join(bytes.fromhex(line)[::-1] for line in lines)
        first, found = self.outputs[0] * self.attached.bus.bytes, dict[str, np.ndarray]()
        for tensor in dict.fromkeys(port.tensor for port in self.attached.writes):
            at = self.places[tensor] - first
            port = self.attached.port(tensor)
            found[tensor] = unpacked(port, memory[at : at + self.attached.size(tensor)], port.unit)
        return found


def behind(placement: Placement, folder: int) -> Outside:
    """The memory's files are in the folder of this number."""
    attached, bus = placement.attached, placement.attached.bus
    bundle = [(name, bits) for name, bits, _ in attached.channels()]
    unused = ("LOCK", "CACHE", "PROT", "QOS")
    low, high = placement.outputs
    parameters = {"NAME": f'"{folder}/{MEMORY}"', "BITS": bus.bits, "ID_BITS": attached.id_bits,
                  "ORIGIN": f"64'd{_ORIGIN}", "BEATS": placement.beats, "OUT_LOW": low, "OUT_HIGH": high}  # fmt: skip
    pins = [
        *(f".{name}({name})" for name in ("clk", "rst", *TIMING, "asked", "pass", "fresh", "clear", "dump", "turn")),
        ".refuse(refuse)",
        *(f".{name}({name})" for name, _ in bundle if name[2:] not in unused),
        *(f".{name}({name}_0)" for name in ("owed", "failure", "failure_address")),
    ]
    return Outside(
        attached.module,
        attached.interface,
        (f"    int {REFUSE} {WRITTEN} = 0;",
         f"    logic [{len(attached.interface.ports) - 1}:0] {ERRORS} {READ};",
         *(f"    logic [{bits - 1}:0] {name};" for name, bits in bundle)),
        (".ap_clk(clk)", ".ap_rst_n(~rst)", *control_pins(attached.interface),
         ".errors(errors)", *(f".{tensor}_base(64'd{placement.addresses[tensor]})" for tensor in attached.bases),
         *(f".{BUNDLE}_{name}({name})" for name, _ in bundle)),
        (("ARVALID", "ARREADY", "RVALID", "RREADY"), ("WVALID", "WREADY", "BVALID", "BREADY")),
        (tuple(instance("halidehw_axi_memory", "memory", [f".{n}({v})" for n, v in parameters.items()], pins)),),
        soon=10_000,
    )  # fmt: skip
