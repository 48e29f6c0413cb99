"""What the outside sees of an accelerator behind an AXI4 master."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from halidehw.buses.axi import ADDRESS, AXI
from halidehw.microarch.interface import Interface, Port

BUNDLE = "m_axi_gmem"
"""What the signals of the master begin with."""


@dataclass(frozen=True)
class Attached:
    """The module, the accelerator's native `interface`, and the bus that it is put behind."""

    module: str
    interface: Interface
    bus: AXI

    @cached_property
    def reads(self) -> tuple[Port, ...]:
        return tuple(port for port in self.interface.ports if port.kind == "read")

    @cached_property
    def writes(self) -> tuple[Port, ...]:
        return tuple(port for port in self.interface.ports if port.kind == "write")

    @property
    def tensors(self) -> tuple[str, ...]:
        """Those that are only read, then those that are written."""
        written = dict.fromkeys(port.tensor for port in self.writes)
        return (*(name for name in dict.fromkeys(port.tensor for port in self.reads) if name not in written), *written)

    @property
    def bases(self) -> tuple[str, ...]:
        """The tensors whose address is given from outside; a program says those of the others."""
        based = {port.tensor for port in self.interface.ports if port.based}
        return tuple(tensor for tensor in self.tensors if tensor not in based)

    @property
    def id_bits(self) -> int:
        """Of the identifiers of bursts: the number of the port that a burst is for, among those of its direction."""
        return max((max(len(self.reads), len(self.writes)) - 1).bit_length(), 1)

    def channels(self) -> Iterator[tuple[str, int, bool]]:
        """The signals of the master: name, bits, whether it drives them."""
        for name in ("AW", "AR"):
            yield from ((f"{name}{each}", bits, True) for each, bits in (
                ("ID", self.id_bits), ("ADDR", ADDRESS), ("LEN", 8), ("SIZE", 3), ("BURST", 2), ("LOCK", 1),
                ("CACHE", 4), ("PROT", 3), ("QOS", 4), ("VALID", 1)))  # fmt: skip
            yield f"{name}READY", 1, False
        yield from (("WDATA", self.bus.bits, True), ("WSTRB", self.bus.bytes, True), ("WLAST", 1, True),
                    ("WVALID", 1, True), ("WREADY", 1, False))  # fmt: skip
        yield from (("BID", self.id_bits, False), ("BRESP", 2, False), ("BVALID", 1, False), ("BREADY", 1, True))
        yield from (("RID", self.id_bits, False), ("RDATA", self.bus.bits, False), ("RRESP", 2, False),
                    ("RLAST", 1, False), ("RVALID", 1, False), ("RREADY", 1, True))  # fmt: skip

    def port(self, tensor: str) -> Port:
        """The largest of a tensor's ports, which says what its words are."""
        return max((each for each in self.interface.ports if each.tensor == tensor), key=lambda each: each.words)

    def size(self, tensor: str) -> int:
        """The bytes of a tensor."""
        return self.port(tensor).words * self.port(tensor).unit
