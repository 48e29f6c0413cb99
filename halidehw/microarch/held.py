"""What the components of a design hold: its registers, as the generator made them and models of energy charge them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from halidehw.microarch.network import Network

Role = Literal["", "buffer", "datapath", "sums", "links"]
"""What a component is there for; "": for the same as what contains it."""


@dataclass(frozen=True)
class Held:
    """Register bits of a component at `path` (instance names from the top), and of memory if it is one."""

    path: tuple[str, ...]
    role: Role
    registers: int
    memory: int = 0


Elaborated = Callable[[Network], tuple[Held, ...]]
"""The components of a design, each with its own registers, those inside it apart."""
