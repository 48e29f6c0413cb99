"""How a simulation ended, and the error that says so."""

from __future__ import annotations

from enum import IntEnum

from halidehw.errors import SimulationError
from halidehw.microarch.interface import Interface
from halidehw.simulate.behind import Placement
from halidehw.simulate.bench import memories
from halidehw.simulate.scenario import Scenario


class Outcome(IntEnum):
    """`outcome` of halidehw_control.sv."""

    FINISHED = 0
    FAILED = 1
    TIMED_OUT = 2
    CUT_TOO_LATE = 3
    ANSWERS_LEFT = 4
    ABORT_IGNORED = 5
    STUCK = 6
    STOPPED = 7
    ABORT_LATE = 8


class Violation(IntEnum):
    """`failure` of halidehw_memory.sv."""

    READ_OUTSIDE = 1
    WRITE_OUTSIDE = 2
    READ_UNSTABLE = 3
    WRITE_UNSTABLE = 4
    READ_UNKNOWN = 5
    WRITE_UNKNOWN = 6
    READ_SHAPE = 7
    WRITE_SHAPE = 8
    WRITE_LAST = 9


WRONG = {
    Violation.READ_OUTSIDE: "reads outside of the memory",
    Violation.WRITE_OUTSIDE: "writes outside of the tensors that are written",
    Violation.READ_UNSTABLE: "changes or withdraws the address of a read before it is accepted",
    Violation.WRITE_UNSTABLE: "changes or withdraws the address or the data of a write before it is accepted",
    Violation.READ_UNKNOWN: "drives an unknown value (x) on a channel of reads",
    Violation.WRITE_UNKNOWN: "drives an unknown value (x) on a channel of writes",
    Violation.READ_SHAPE: "asks for a burst that is not of whole beats inside 4 KiB",
    Violation.WRITE_SHAPE: "announces a burst that is not of whole beats inside 4 KiB",
    Violation.WRITE_LAST: "marks another beat than the last one of a burst as its last",
}
"""What a bus does that it must not, by the `failure` of halidehw_axi_memory.sv."""


def check_outcome(
    values: dict[str, int], interface: Interface, scenario: Scenario, placement: Placement | None = None
) -> None:
    """Raise SimulationError unless the bench finished, or was stopped as asked.

    values: the bench's control signals (`bench.CONTROL_SIGNALS`) when it halted.
    """
    cycles = values["cycles"]
    match Outcome(values["outcome"]):
        case Outcome.FAILED:
            raise SimulationError(f"cycle {cycles}: {_violation(values, interface, placement)}")
        case Outcome.TIMED_OUT:
            ports = _ports(values["status"], interface, placement)
            raise SimulationError(
                f"{interface.module} is not done after {cycles} cycles: {ports}", legal=(_later(cycles),)
            )
        case Outcome.STUCK:
            ports = _ports(values["status"], interface, placement)
            raise SimulationError(
                f"{interface.module} is stuck: no word has crossed a port in the last {scenario.quiet} of {cycles} "
                f"cycles: {ports}",
                legal=(_later(scenario.quiet),),
            )
        case Outcome.CUT_TOO_LATE:
            kind = scenario.cut
            raise SimulationError(
                f"{kind}_at={values['cut_cycle']}: {interface.module} is done after {cycles} cycles, before the {kind}",
                legal=(f"{kind}_at={max(1, cycles // 2)}",),
            )
        case Outcome.ANSWERS_LEFT:
            ports = _ports(values["status"], interface, placement)
            raise SimulationError(
                f"{interface.module} is idle {cycles - values['cut_cycle']} cycles after an abort, but a memory "
                f"still waits for it: {ports}"
            )
        case Outcome.ABORT_LATE:
            raise SimulationError(
                f"{interface.module} is not idle {cycles - values['cut_cycle']} cycles after an abort, though no "
                f"memory waits for it any more"
            )
        case Outcome.ABORT_IGNORED:
            raise SimulationError(
                f"{interface.module} goes on for {cycles - values['cut_cycle']} cycles after an abort, and is done"
            )


def _later(cycles: int) -> str:
    return f"timeout_cycles={10 * cycles}"


def _violation(values: dict[str, int], interface: Interface, placement: Placement | None) -> str:
    if placement:
        kind, address = Violation(values["failure"]), values["failure_address"]
        return f"the AXI master of {interface.module} {WRONG[kind]} (address {address:#x})"
    memory = memories(interface)[values["failure_memory"]]
    kind, address = Violation(values["failure"]), values["failure_address"]
    port = memory.read if kind.name.startswith("READ") else memory.write
    assert port is not None
    match kind:
        case Violation.READ_OUTSIDE | Violation.WRITE_OUTSIDE:
            return (
                f"port {port.name} {port.kind}s address {address} of {port.tensor}, "
                f"which has {port.words} words (0 .. {port.words - 1})"
            )
        case Violation.READ_UNSTABLE | Violation.WRITE_UNSTABLE:
            return f"port {port.name} changes or withdraws what it offers before it is accepted (address {address})"
        case _:
            return f"port {port.name} drives an unknown value (x) on its handshake, address or mask"


def _ports(status: int, interface: Interface, placement: Placement | None) -> str:
    """What each port is doing, or each direction of a bus, from four bits each."""
    names = ["reading", "writing"] if placement else [port.name for port in interface.ports]
    return "; ".join(f"{name} {_state(status >> 4 * i)}" for i, name in enumerate(names))


def _state(bits: int) -> str:
    valid, ready, answer_valid, answer_ready = (bool(bits & bit) for bit in (8, 4, 2, 1))
    if answer_valid and not answer_ready:
        return "does not take the answer it is offered"
    if valid and not ready:
        return "waits for the memory to accept what it offers"
    if valid or answer_valid:
        return "is moving words"
    return "waits for an answer" if answer_ready else "is idle"
