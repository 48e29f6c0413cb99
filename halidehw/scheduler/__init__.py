"""From algorithm and directives to the scheduled loop nest."""

from halidehw.scheduler.lower import lower

__all__ = ["lower"]
