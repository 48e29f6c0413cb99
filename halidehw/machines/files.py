"""What is written about a machine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from halidehw.buses.axi import AXI
from halidehw.buses.controlled import behind
from halidehw.driver.output import behind_files, written
from halidehw.machines.descriptor import Descriptor
from halidehw.machines.header import programs_header
from halidehw.machines.machine import Machine


def document(machine: Machine) -> dict[str, Any]:
    """A machine as plain data: its module, its ports, and of each of its designs the descriptor."""
    interface = machine.network.interface
    return {
        "module": interface.module,
        "pes": machine.network.pes,
        "ports": [
            {"name": port.name, "kind": port.kind, "lanes": port.lanes, "bits": port.bits, "signed": port.signed,
             "words": port.words, "address_bits": port.address_bits}
            for port in interface.ports
        ],
        "programs": [_program(each) for each in machine.descriptors],
    }  # fmt: skip


def _program(descriptor: Descriptor) -> dict[str, Any]:
    return {"name": descriptor.design.name, "words": descriptor.words.tolist(), "numbers": dict(descriptor.numbers)}


def files(machine: Machine, bus: AXI | None = None) -> dict[str, str]:
    """File name -> text of everything that `write` writes."""
    name = machine.network.prefix
    told = {"machine.json": json.dumps(document(machine), indent=2) + "\n"}
    if bus is None:
        return {f"{name}.v": machine.verilog(), **told}
    programs = {f"{name}_programs.h": programs_header(machine)} if machine.network.interface.listed else {}
    return {**behind_files(behind(machine.network, bus), f"{name}.v"), **programs, **told}


def write(machine: Machine, directory: Path | str, *, bus: AXI | None = None) -> list[Path]:
    """Write a machine's Verilog and description into a folder, which is made if it is not there; all or nothing. `bus`:
    behind AXI4, with drivers.

    Raises OSError if the folder cannot be written, HardwareError for a bus that is narrower than a port.
    """
    return written(files(machine, bus), directory)
