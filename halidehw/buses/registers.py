"""The registers of an accelerator behind AXI4-Lite: one description, from which hardware, drivers and pages are made.

The map is that of Vitis HLS for `ap_ctrl_hs`: control at 0x00, interrupts at 0x04 to 0x0C, arguments from 0x10, 64-bit
ones every 12 bytes and others every 8. Status, abort and counters follow.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from halidehw.microarch.interface import Counter

BYTES = 4
"""Of a register."""

BITS = 8 * BYTES
FIRST_ARGUMENT = 0x10

Access = Literal["start", "flag", "read", "write", "toggle", "pulse"]
"""What the bus does to a field.

start: a 1 written sets it, and the accelerator clears it. flag: the accelerator sets it, reading clears it. read: only
read. write: read and written. toggle: the accelerator sets it, and a 1 written turns it over. pulse: a 1 written is one
for a cycle, and 0 is read.
"""


@dataclass(frozen=True)
class Field:
    """`bits` bits of a register from bit `at` on."""

    name: str
    access: Access
    meaning: str
    at: int = 0
    bits: int = 1


@dataclass(frozen=True)
class Register:
    """A word of 32 bits at a byte address; bits without a field read 0."""

    name: str
    offset: int
    fields: tuple[Field, ...]

    def field(self, name: str) -> Field:
        return next(each for each in self.fields if each.name == name)


@dataclass(frozen=True)
class Argument:
    """What the host tells the accelerator for a run: a number of up to 64 bits. `align`: what it is a multiple of, a
    power of two; a run with another one is refused."""

    name: str
    bits: int
    meaning: str
    align: int = 1


@dataclass(frozen=True)
class Value:
    """A number at a byte address: an argument, or one that is only read. The low word is first."""

    name: str
    offset: int
    bits: int
    access: Access
    meaning: str
    align: int = 1

    @property
    def words(self) -> int:
        return -(-self.bits // BITS)

    @property
    def registers(self) -> Iterator[Register]:
        for word in range(self.words):
            bits = min(self.bits - word * BITS, BITS)
            field = Field("value", self.access, self.meaning, 0, bits)
            yield Register(f"{self.name}_high" if word else self.name, self.offset + word * BYTES, (field,))


@dataclass(frozen=True)
class RegisterMap:
    """All registers. `name`: the accelerator's. `arguments`: in the order of their addresses; `numbers`: those that are
    only read."""

    name: str
    arguments: tuple[Value, ...]
    control: tuple[Register, ...]
    numbers: tuple[Value, ...]

    @cached_property
    def registers(self) -> tuple[Register, ...]:
        """In the order of their addresses."""
        values = (*self.arguments, *self.numbers)
        found = [*self.control, *(register for value in values for register in value.registers)]
        return tuple(sorted(found, key=lambda register: register.offset))

    def register(self, name: str) -> Register:
        return next(each for each in self.registers if each.name == name)

    @property
    def inputs(self) -> tuple[Field | Value, ...]:
        """What the accelerator drives."""
        return (*self.status, *self.numbers)

    @property
    def commands(self) -> tuple[Field, ...]:
        """What the host can say to a run."""
        return self.register("abort").fields

    @property
    def address_bits(self) -> int:
        """Of a byte address."""
        return (self.registers[-1].offset + BYTES - 1).bit_length()

    @property
    def status(self) -> tuple[Field, ...]:
        """The fields of `status` that the accelerator drives."""
        own = {each.name for each in OWN_STATUS}
        return tuple(each for each in self.register("status").fields if each.name not in own)


CONTROL = (
    Register("ap_ctrl", 0x00, (
        Field("ap_start", "start", "starts a run; 1 until it is over", 0),
        Field("ap_done", "flag", "a run is over; `status` says how", 1),
        Field("ap_idle", "read", "no run goes on", 2),
        Field("ap_ready", "flag", "another run can be started", 3),
        Field("auto_restart", "write", "each run that ends well is followed by another one", 7),
    )),
    Register("gie", 0x04, (Field("enable", "write", "the interrupt is not held back", 0),)),
    Register("ier", 0x08, (
        Field("done", "write", "`ap_done` asks for an interrupt", 0),
        Field("ready", "write", "`ap_ready` asks for an interrupt", 1),
    )),
    Register("isr", 0x0C, (
        Field("done", "toggle", "`ap_done` has asked for an interrupt", 0),
        Field("ready", "toggle", "`ap_ready` has asked for an interrupt", 1),
    )),
)  # fmt: skip
"""Registers at addresses that never change."""

ABORT = ("abort", "ends the run early")

OWN_STATUS = (
    Field("ignored", "read", "a start came while a run went on, and was ignored", 0),
    Field("misaligned", "read", "an argument was not aligned, and nothing was run", 1),
    Field("aborted", "read", "the run was ended by `abort`", 2),
)
"""What the registers themselves know of a run; 0 from its start on."""


def register_map(
    name: str, arguments: Iterable[Argument], status: Iterable[tuple[str, str]] = (),
    commands: Iterable[tuple[str, str]] = (), results: Iterable[Counter] = (), counters: Iterable[Counter] = (),
) -> RegisterMap:  # fmt: skip
    """The registers of an accelerator. `status`: name and meaning of each further flag of a run; `commands`: of what
    else can be said to a run than `abort`; `results`: numbers of the last run that do not count cycles or words."""
    offset, given = FIRST_ARGUMENT, list[Value]()
    for argument in arguments:
        given.append(Value(argument.name, offset, argument.bits, "write", argument.meaning, argument.align))
        offset += (given[-1].words + 1) * BYTES
    flags = (Field(flag, "read", meaning, at) for at, (flag, meaning) in enumerate(status, start=len(OWN_STATUS)))
    last = Register("status", offset, (*OWN_STATUS, *flags))
    said = (Field(command, "pulse", meaning, at) for at, (command, meaning) in enumerate((ABORT, *commands)))
    stop = Register("abort", offset + BYTES, tuple(said))
    offset += 2 * BYTES
    offset += -offset % (2 * BYTES)
    read = list[Value]()
    for counter in (*results, *counters):
        read.append(Value(counter.name, offset, counter.bits, "read", counter.meaning))
        offset += -(-read[-1].words // 2) * 2 * BYTES
    return RegisterMap(name, tuple(given), (*CONTROL, last, stop), tuple(read))
