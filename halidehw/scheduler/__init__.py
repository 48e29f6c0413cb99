"""From algorithm and directives to the scheduled loop nest, or the graph of nests."""

from halidehw.scheduler.graph import lower_graph
from halidehw.scheduler.lower import lower

__all__ = ["lower", "lower_graph"]
