"""The registers of an accelerator, from what it has outside."""

from __future__ import annotations

from halidehw.backend_hdl.library import identifier
from halidehw.buses.registers import Argument, RegisterMap, register_map
from halidehw.microarch.interface import BASE_BITS, PROGRAM_BITS, Counter, Interface


def registers_of(name: str, interface: Interface) -> RegisterMap:
    """An address for each tensor that does not get one with each program, and what a list of programs has besides.

    `name`: what the names of all modules begin with."""
    units = {port.tensor: port.unit for port in interface.ports if not port.based}
    arguments = [
        Argument(f"{identifier(tensor)}_base", BASE_BITS, f"the address of {tensor}", unit)
        for tensor, unit in units.items()
    ]
    status = [("error", "a port was answered with an error; `errors` has a bit for each")]
    ports = ", ".join(f"{place}: {port.name}" for place, port in enumerate(interface.ports))
    results = [Counter("errors", len(interface.ports), f"ports with errors; {ports}")]
    for each in interface.lists:
        arguments.append(Argument(f"{each}programs", PROGRAM_BITS, "how many descriptors the list has"))
        status.append((f"{each}corrupt", "a descriptor of the list is none of this machine's"))
        results.append(Counter(f"{each}completed", PROGRAM_BITS, "programs of the list that are done"))
    commands = [("stop", "ends the list after the program under way")] if interface.lists else []
    return register_map(name, arguments, status, commands, results, interface.counters)
