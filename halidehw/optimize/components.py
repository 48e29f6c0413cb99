"""What the components of a design hold. What generates them is loaded when somebody asks: few cost tables do."""

from __future__ import annotations

from halidehw.microarch.held import Held
from halidehw.microarch.network import Network


def elaborated(network: Network) -> tuple[Held, ...]:
    """As `backend_hdl.registers` has it."""
    from halidehw.backend_hdl import registers

    return registers.elaborated(network)
