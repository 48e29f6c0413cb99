"""Whether the counters of hardware are wide enough for its run, and say the same of each."""

from __future__ import annotations

from halidehw.driver.limits import limits
from halidehw.energy_model.counters import predicted, timed
from halidehw.energy_model.traffic import traffic
from halidehw.errors import HardwareError
from halidehw.ir.graph import Graph
from halidehw.ir.nest import Nest
from halidehw.microarch.counters import idle
from halidehw.microarch.network import Network
from halidehw.simulate import Memory, Run, Scenario


def check_counters(design: Nest | Graph, accelerator: Network, memory: Memory) -> None:
    """Raises HardwareError for a counter that a run on this memory would fill, with the bits that it needs.

    Cycles are predicted where those of a run in which nothing overlaps do not fit; under random stalls, where nothing
    can be predicted, they are what counts.
    """
    if not (counters := accelerator.interface.counters):
        return
    longest = limits(accelerator, memory).timeout
    counts = {count.name: count.words for count in traffic(accelerator, design)}
    most = {counter.name: counts.get(counter.name, longest) for counter in counters}
    bits = counters[0].bits
    if max(most.values()).bit_length() > bits and not memory.stall_probability:
        most = predicted(design, accelerator, memory)
    name = max((counter.name for counter in counters), key=lambda name: most[name])
    needed = most[name].bit_length()
    if needed > bits:
        upto = "up to " if memory.stall_probability and name not in counts else ""
        raise HardwareError(
            f"`{name}` of {accelerator.name} counts {upto}{most[name]}, for which {bits} bits are too few",
            legal=(f"counter_bits={needed}", 'counters="none"'),
        )


def differing(scenario: Scenario, run: Run, first: tuple[Scenario, Run], accelerator: Network) -> tuple[str, ...]:
    """The counters of a further run that are not as they must be, by those of the first one.

    What is moved and worked does not depend on the memory, nor on what was before; what passes in time does not either
    where the memory is the same and does nothing at random, and is as the model says where it is another such one; and
    the cycles, which the bench counts too, are those of an array's steps, those before the first and after the last
    one, and those in which it waited for something. All is compared as far as counters have bits. Of a run that was
    stopped, none.
    """
    if not run.whole or not run.counters:
        return ()
    idles = [list(idle(stage)) for stage in accelerator.stages]
    passing = {"cycles", *(name for names in idles for name in names)}
    most = 1 << accelerator.interface.counters[0].bits
    right = {name: count for name, count in first[1].counters.items() if name not in passing}
    if not scenario.hold and not scenario.memory.stall_probability:
        same = scenario.memory == first[0].memory
        right = first[1].counters if same else timed(accelerator, scenario.memory) | right
    wrong = [name for name, count in run.counters.items() if (right.get(name, count) - count) % most]
    if (run.cycles - run.counters["cycles"]) % most:
        wrong.append("cycles")
    for stage, names in zip(accelerator.stages, idles, strict=True):
        if all(name in run.counters for name in names):
            spent = run.counters[f"{stage.label}steps"] + sum(run.counters[name] for name in names)
            wrong += names if (run.cycles - spent) % most else []
    return tuple(dict.fromkeys(wrong))
