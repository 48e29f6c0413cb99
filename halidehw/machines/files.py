"""What is written about a machine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from halidehw.buses.axi import AXI
from halidehw.buses.controlled import behind
from halidehw.driver.output import behind_files, written
from halidehw.machines.descriptor import Descriptor
from halidehw.machines.header import programs_headers
from halidehw.machines.machine import Machine


def document(machine: Machine) -> dict[str, Any]:
    """A machine as plain data: its module, its ports, and of each of its designs the descriptor, with the name of its
    engine where there are several."""
    hardware = machine.hardware
    interface = hardware.interface
    return {
        "module": interface.module,
        "pes": hardware.pes,
        "ports": [
            {"name": port.name, "kind": port.kind, "lanes": port.lanes, "bits": port.bits, "signed": port.signed,
             "words": port.words, "address_bits": port.address_bits}
            for port in interface.ports
        ],
        "programs": [_program(name, each) for name, engine in machine.engines.items() for each in engine.descriptors],
    }  # fmt: skip


def _program(engine: str, descriptor: Descriptor) -> dict[str, Any]:
    told = {"name": descriptor.design.name, "words": descriptor.words.tolist(), "numbers": dict(descriptor.numbers)}
    return told | ({"engine": engine} if engine else {})


def files(machine: Machine, bus: AXI | None = None) -> dict[str, str]:
    """File name -> text of everything that `write` writes."""
    name = machine.hardware.prefix
    told = {"machine.json": json.dumps(document(machine), indent=2) + "\n"}
    if bus is None:
        return {f"{name}.v": machine.verilog(), **told}
    return {**behind_files(behind(machine.hardware, bus), f"{name}.v"), **programs_headers(machine), **told}


def write(machine: Machine, directory: Path | str, *, bus: AXI | None = None) -> list[Path]:
    """Write a machine's Verilog and description into a folder, which is made if it is not there; all or nothing. `bus`:
    behind AXI4, with drivers.

    Raises OSError if the folder cannot be written, HardwareError for a bus that is narrower than a port.
    """
    return written(files(machine, bus), directory)
