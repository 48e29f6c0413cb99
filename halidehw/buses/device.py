"""An accelerator as a program on its host sees it: registers, arguments, runs.

`halidehw` writes this file beside an accelerator's Verilog, with its registers below: there it needs nothing of
halidehw. With PYNQ:

    from pynq import MMIO, allocate
    device = Device(MMIO(base, SIZE), REGISTERS, allocate)
    a, y = device.allocate((4, 8), "i1"), device.allocate((4, 8), "i4")
    device.call(a, y)
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, Protocol

IGNORED = "ignored"
"""The flag of a start that came while a run went on, which does that run no harm."""

POLL = 1e-4
"""Seconds between two looks at a run, where nobody else lets the time pass."""


class Bus(Protocol):
    """Words of 32 bits at byte addresses, as `pynq.MMIO` has them."""

    def read(self, offset: int) -> int: ...

    def write(self, offset: int, value: int) -> None: ...


class DeviceError(RuntimeError):
    """A run that did not start, did not end, or failed."""


class Device:
    """An accelerator behind a bus.

    registers: by name, with `offset` and `bits`; of an argument also `align`; with the places of their `fields`.
    allocate: of a shape and a dtype, an array that the accelerator reaches at its `device_address`.
    """

    def __init__(
        self, bus: Bus, registers: Mapping[str, Mapping[str, Any]], allocate: Callable[..., Any] | None = None
    ) -> None:
        self.bus, self.registers, self._allocate = bus, registers, allocate
        self.arguments = [name for name, register in registers.items() if "align" in register]

    def allocate(self, shape: Any, dtype: Any = "u4") -> Any:
        if self._allocate is None:
            raise DeviceError("this device was given nothing to allocate with: Device(bus, REGISTERS, pynq.allocate)")
        return self._allocate(shape, dtype)

    def read(self, name: str) -> int:
        """A register or a number. One of more than 32 bits may move on between its words while a run goes on."""
        register = self._register(name)
        places = range(-(-register["bits"] // 32))
        return sum(int(self.bus.read(register["offset"] + 4 * place)) << 32 * place for place in places)

    def write(self, name: str, value: int) -> None:
        register = self._register(name)
        if not 0 <= value < 1 << register["bits"]:
            raise DeviceError(f"{name} has {register['bits']} bits, and {value} is given")
        if value % register.get("align", 1):
            raise DeviceError(f"{name} must be a multiple of {register['align']}, and is {value:#x}")
        for place in range(-(-register["bits"] // 32)):
            self.bus.write(register["offset"] + 4 * place, value >> 32 * place & 0xFFFFFFFF)

    def fields(self, name: str) -> dict[str, bool]:
        """The bits of a register."""
        value = self.read(name)
        return {field: bool(value >> at & 1) for field, at in self._register(name)["fields"].items()}

    def start(self, *arguments: Any) -> None:
        """A run with these arguments, in their order: numbers, or arrays that stand for their addresses. Those that are
        not given stay. Raises DeviceError while a run goes on."""
        if len(arguments) > len(self.arguments):
            raise DeviceError(f"{len(arguments)} arguments, of {', '.join(self.arguments)}")
        for name, argument in zip(self.arguments, arguments, strict=False):
            self.write(name, argument if isinstance(argument, int) else int(argument.device_address))
        if self.fields("ap_ctrl")["ap_start"]:
            raise DeviceError("a run goes on: wait() for its end, or abort()")
        self.bus.write(self._register("ap_ctrl")["offset"], 1)

    def wait(self, seconds: float = 60.0) -> None:
        """Until the run is over. Raises DeviceError when it has failed, or does not end in time."""
        pause = getattr(self.bus, "pause", lambda: time.sleep(POLL))
        limit = time.monotonic() + seconds
        while not self.over:
            if time.monotonic() > limit:
                raise DeviceError(f"the run has not ended after {seconds} s")
            pause()
        wrong = [flag for flag, risen in self.fields("status").items() if risen and flag != IGNORED]
        if wrong:
            raise DeviceError(f"the run has failed: {', '.join(wrong)}")

    @property
    def over(self) -> bool:
        """Whether no run goes on. Looking clears `ap_done`."""
        control = self.fields("ap_ctrl")
        return control["ap_done"] or control["ap_idle"]

    def call(self, *arguments: Any, seconds: float = 60.0) -> None:
        """A whole run."""
        self.start(*arguments)
        self.wait(seconds)

    def abort(self) -> None:
        """Ends the run early; `wait()` then says so."""
        self.command("abort")

    def command(self, name: str) -> None:
        """Says one of the fields of `abort`: of a list of programs `stop` too, which ends it after the one under way;
        `completed` then says how many are done, and the others can be run as a list of their own."""
        register = self._register("abort")
        if name not in register["fields"]:
            raise DeviceError(f"no command is called {name}: there are {', '.join(register['fields'])}")
        self.bus.write(register["offset"], 1 << register["fields"][name])

    def _register(self, name: str) -> Mapping[str, Any]:
        if name not in self.registers:
            raise DeviceError(f"no register is called {name}: there are {', '.join(self.registers)}")
        return self.registers[name]
