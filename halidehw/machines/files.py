"""What is written about a machine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from halidehw.driver.output import written
from halidehw.machines.descriptor import Descriptor
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


def write(machine: Machine, directory: Path | str) -> list[Path]:
    """Write a machine's Verilog and description into a folder, which is made if it is not there; all or nothing.

    Raises OSError if the folder cannot be written.
    """
    name = machine.network.prefix
    return written({f"{name}.v": machine.verilog(), "machine.json": json.dumps(document(machine), indent=2) + "\n"},
                   directory)  # fmt: skip
