"""The counters of hardware: the basic ones, and one for every count of the analytical model."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from halidehw.microarch.interface import Counter, Port
from halidehw.microarch.network import Network, Stage
from halidehw.microarch.processes import Load, Write, lanes_of, taps_of
from halidehw.microarch.spacetime import SpaceTime
from halidehw.microarch.stores import Memory
from halidehw.microarch.taps import Mask
from halidehw.microarch.travel import plain, travels


def basic(ports: tuple[Port, ...], bits: int) -> tuple[Counter, ...]:
    """Those of `counters="basic"`."""
    counters = [Counter("cycles", bits, "cycles from start to done"), Counter("steps", bits, "array steps issued")]
    for port in ports:
        verb = "read from" if port.kind == "read" else "written to"
        counters.append(Counter(f"{port.name}_words", bits, f"words {verb} {port.tensor}"))
    return tuple(counters)


def most(network: Network) -> dict[str, int]:
    """What basic counters do not exceed in a run, whatever the memory does: all but the cycles. In a list of programs
    they go on from one to the next, without bound."""
    if network.interface.listed:
        return {}
    found = dict[str, int]()
    for stage in network.stages:
        found[f"{stage.label}steps"] = prod(stage.compute.walk.extents.values())
        moving: dict[str, Load | Write] = {load.tap.port.name: load for load in stage.loads}
        moving |= {sink.port.name: stage.write} if (sink := stage.write.outside) else {}
        found |= {f"{port}_words": prod(each.walk.extents.values()) * lanes_of(each) for port, each in moving.items()}
    return found


def detailed(stage: Stage, bits: int) -> tuple[Counter, ...]:
    """Those that `counters="all"` has besides, of a stage that watches its lanes."""
    return tuple(Counter(name, bits, meaning) for name, meaning in _counters(stage))


def activity(st: SpaceTime) -> tuple[Mask, ...]:
    """The limits that leave lanes of the array idle in some steps."""
    times = [axis.name for axis in st.times]
    lanes = [space.name for space in st.spaces]
    cutting = [limit for limit in st.limits if limit.names & set(lanes) and limit.range_over(st.extents)[0] < 0]
    return tuple(
        Mask(
            f"active{number}",
            limit.only(times) + limit.constant,
            tuple((name, -limit[name]) for name in lanes if limit[name]),
        )
        for number, limit in enumerate(cutting)
    )


def _counters(stage: Stage) -> Iterator[tuple[str, str]]:
    own = stage.label
    yield from [(f"{own}steps", f"array steps issued of {stage.name}")] if own else []
    yield f"{own}macs", "iterations executed"
    yield f"{own}pe_slots", "PEs in array steps, at work or not"
    for memory in stage.memories:
        name = plain(memory.name)
        yield f"{name}_written", f"words written to {memory.name}"
        yield f"{name}_read", f"words read from {memory.name}"
        if memory.word > 1:
            verb = "written to" if memory.home else "read from"
            yield in_words(memory), f"words of {memory.word} elements {verb} {memory.name}"
        if memory.shifting or memory.name in stage.compute.windows:
            yield f"{name}_shifted", f"words of {memory.name} passed from lane to lane"
    for file in stage.files:
        yield f"{plain(file.name)}_written", f"words written to {file.name} in all PEs"
        yield f"{plain(file.name)}_read", f"words read from {file.name} in all PEs"
    for travel in travels(stage):
        yield travel.name, f"{travel.kind}s along {travel.space.name}"
    first = plain(stage.sums[0].name)
    yield f"{first}_read", "partial sums read back"
    yield f"{first}_written", "partial sums written"
    yield f"{first}_drained", "sums taken out of the accumulators"
    for level in stage.sums[1:]:
        name = plain(level.name)
        yield f"{name}_read", f"partial sums read back from {level.name}"
        yield f"{name}_written", f"partial sums written to {level.name}"
        yield f"{name}_drained", f"sums taken out of {level.name}"
    yield from idle(stage).items()


def in_words(memory: Memory) -> str:
    """The counter of what passes the one port by words of several elements: read from a memory in which another one
    lies, or written to that. The rest passes one element at a time."""
    return f"{plain(memory.name)}_words_{'written' if memory.home else 'read'}"


def idle(stage: Stage) -> dict[str, str]:
    """The counters of cycles without an array step, each cycle of which counts once: name -> meaning."""
    own = stage.label
    found = {f"{own}fill_cycles": "cycles before the first array step"}
    found |= {f"{own}drain_cycles": "cycles after the last array step"}
    for name in (*waits(stage), "sums"):
        found[f"{own}stalls_{plain(name)}"] = f"cycles between array steps in which {name} was waited for"
    return found


def waits(stage: Stage) -> dict[str, tuple[int, int]]:
    """What the array waits for besides free sums: buffer -> depth of its tile, or (behind those) of its window."""
    windows = stage.compute.windows
    found = {name: (lanes.tap.taken, 0) for name, lanes in taps_of(stage.compute.operands).items()}
    found |= {name: (tile, 0) for name, tile in stage.compute.files.items()}
    return found | {name: (window.depth, 1) for name, (window, _) in windows.items()}
