"""What an AXI4 master is: its width, its bursts, and how tensors lie in the bytes behind it."""

from __future__ import annotations

from dataclasses import dataclass

from halidehw.errors import HardwareError
from halidehw.microarch.interface import Interface, Port

WIDTHS = (32, 64, 128, 256, 512)
ADDRESS = 64
"""Bits of the address of a byte."""

PAGE = 4096
"""Bytes of which no burst leaves one for the next."""

MOST = 256
"""Beats of the longest burst that AXI4 has."""

RESPONSE_OK = 1
"""The greatest response that is no error: OKAY, EXOKAY; then SLVERR, DECERR."""


@dataclass(frozen=True)
class AXI:
    """One AXI4 master of `bits` bits, shared by all tensors.

    burst: the most beats of a burst. latency: cycles from an address to its data that reads do not wait for, as far as
    the accelerator asks ahead: so many beats have room in each read port.

    Raises HardwareError for a width that AXI does not have, and bursts longer than it has.
    """

    bits: int = 128
    burst: int = 32
    latency: int = 50

    def __post_init__(self) -> None:
        for name in ("burst", "latency"):
            if not isinstance(value := getattr(self, name), int):
                raise HardwareError(f"{name}={value!r} of an AXI bus: it is a whole number", legal=(f"AXI({name}=16)",))
        if self.bits not in WIDTHS:
            raise HardwareError(f"an AXI bus of {self.bits} bits: it has {', '.join(map(str, WIDTHS))}",
                                legal=("AXI(bits=128)",))  # fmt: skip
        if not 1 <= self.burst <= MOST:
            raise HardwareError(f"bursts of {self.burst} beats: AXI4 has 1 to {MOST}", legal=("AXI(burst=16)",))
        if self.latency < 1:
            raise HardwareError(f"a latency of {self.latency} cycles: it is 1 at least", legal=("AXI(latency=50)",))

    @property
    def bytes(self) -> int:
        """Of a beat."""
        return self.bits // 8

    @property
    def room(self) -> int:
        """Beats that a read port has room for: those of the latency, and two bursts, in a power of two."""
        return 1 << (self.latency + 2 * self.burst - 1).bit_length()


@dataclass(frozen=True)
class Lanes:
    """A native port as an adapter meets it: `lanes` words of `bits` bits at addresses of so many bits, next to a bus of
    `beat` bytes. A word takes `size` bytes, a power of two, as in NumPy: int4 one, int24 four, with its sign or zeros
    above.
    """

    lanes: int
    bits: int
    signed: bool
    address_bits: int
    size: int
    beat: int

    @property
    def words(self) -> int:
        """Of a beat."""
        return self.beat // self.size

    @property
    def near(self) -> int:
        """The low bits of a beat's address that tell apart those of one tensor, and the one beyond it."""
        return min(max(self.address_bits + log2(self.size) - log2(self.beat), 0) + 2, self.beats)

    @property
    def beats(self) -> int:
        """Bits of a beat's address."""
        return ADDRESS - log2(self.beat)


def log2(power: int) -> int:
    return power.bit_length() - 1


def bus_of(bus: AXI | str | None) -> AXI | None:
    """The bus that an argument states; "axi4" is `AXI()`, None none. Raises HardwareError for what is no bus."""
    if bus is None or isinstance(bus, AXI):
        return bus
    if bus == "axi4":
        return AXI()
    raise HardwareError(f"no bus is {bus!r}", legal=('bus="axi4"', "bus=AXI(bits=128)"))


def lanes_of(port: Port, bus: AXI) -> Lanes:
    return Lanes(port.lanes, port.bits, port.signed, port.address_bits, port.unit, bus.bytes)


def check(interface: Interface, bus: AXI) -> None:
    """Raises HardwareError for a port that moves more than a beat in a cycle, and for ports that share one already."""
    if interface.shared:
        raise HardwareError(
            f"all tensors share a port of {interface.shared} bits already: a bus has a port of its own for each",
            legal=(f"port_bits={interface.shared}", "shared_port_bits=0"),
        )
    for port in interface.ports:
        needed = 8 * port.lanes * port.unit
        if needed > bus.bits:
            what = f"{port.lanes} words of" if port.lanes > 1 else "words of"
            wider, fits = [width for width in WIDTHS if width >= needed], bus.bytes // port.unit * port.bits
            raise HardwareError(
                f"the port {port.name} moves {what} {8 * port.unit} bits in a cycle, and the bus is narrower: "
                f"{bus.bits} bits",
                legal=(f"bus=AXI(bits={wider[0]})" if wider else f"port_bits={fits}",),
            )
