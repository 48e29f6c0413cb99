"""Whether the counters of hardware are wide enough for its run."""

from __future__ import annotations

from halidehw.driver.limits import limits
from halidehw.energy_model.counters import predicted
from halidehw.energy_model.traffic import traffic
from halidehw.errors import HardwareError
from halidehw.ir.nest import Nest
from halidehw.microarch.network import Network
from halidehw.simulate import Memory


def check_counters(nest: Nest, accelerator: Network, memory: Memory) -> None:
    """Raises HardwareError for a counter that a run on this memory would fill, with the bits that it needs.

    Cycles are predicted where those of a run in which nothing overlaps do not fit; under random stalls, where nothing
    can be predicted, they are what counts.
    """
    if not (counters := accelerator.interface.counters):
        return
    longest = limits(accelerator, memory).timeout
    counts = {count.name: count.words for count in traffic(accelerator, nest)}
    most = {counter.name: counts.get(counter.name, longest) for counter in counters}
    bits = counters[0].bits
    if max(most.values()).bit_length() > bits and not memory.stall_probability:
        most = predicted(nest, accelerator, memory)
    name = max((counter.name for counter in counters), key=lambda name: most[name])
    needed = most[name].bit_length()
    if needed > bits:
        upto = "up to " if memory.stall_probability and name not in counts else ""
        raise HardwareError(
            f"`{name}` of {accelerator.name} counts {upto}{most[name]}, for which {bits} bits are too few",
            legal=(f"counter_bits={needed}", 'counters="none"'),
        )
