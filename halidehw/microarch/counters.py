"""The counters of hardware: the basic ones, and one for every count of the analytical model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from halidehw.microarch.interface import Counter, Port
from halidehw.microarch.network import Network
from halidehw.microarch.processes import taps_of
from halidehw.microarch.spacetime import SpaceTime
from halidehw.microarch.taps import Mask
from halidehw.microarch.travel import plain, travels


def basic(ports: tuple[Port, ...], bits: int) -> tuple[Counter, ...]:
    """Those of `counters="basic"`."""
    counters = [Counter("cycles", bits, "cycles from start to done"), Counter("steps", bits, "array steps issued")]
    for port in ports:
        verb = "read from" if port.kind == "read" else "written to"
        counters.append(Counter(f"{port.name}_words", bits, f"words {verb} {port.tensor}"))
    return tuple(counters)


def with_all(acc: Network, st: SpaceTime, bits: int) -> Network:
    """The accelerator, which has the basic counters, with those of `counters="all"`."""
    counters = tuple(Counter(name, bits, meaning) for name, meaning in _counters(acc))
    interface = replace(acc.interface, counters=(*acc.interface.counters, *counters))
    return replace(acc, compute=replace(acc.compute, activity=_activity(st)), interface=interface)


def _activity(st: SpaceTime) -> tuple[Mask, ...]:
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


def _counters(acc: Network) -> Iterator[tuple[str, str]]:
    yield "macs", "iterations executed"
    yield "pe_slots", "PEs in array steps, at work or not"
    for memory in acc.memories:
        name = plain(memory.name)
        yield f"{name}_written", f"words written to {memory.name}"
        yield f"{name}_read", f"words read from {memory.name}"
        if memory.shifting or memory.name in acc.compute.windows:
            yield f"{name}_shifted", f"words of {memory.name} passed from lane to lane"
    for file in acc.files:
        yield f"{plain(file.name)}_written", f"words written to {file.name} in all PEs"
        yield f"{plain(file.name)}_read", f"words read from {file.name} in all PEs"
    for travel in travels(acc):
        yield travel.name, f"{travel.kind}s along {travel.space.name}"
    yield "sums_read", "partial sums read back"
    yield "sums_written", "partial sums written"
    yield "sums_drained", "sums taken out of the accumulators"
    for level in acc.sums[1:]:
        name = plain(level.name)
        yield f"{name}_read", f"partial sums read back from {level.name}"
        yield f"{name}_written", f"partial sums written to {level.name}"
        yield f"{name}_drained", f"sums taken out of {level.name}"
    yield "fill_cycles", "cycles before the first array step"
    yield "drain_cycles", "cycles after the last array step"
    for name in (*waits(acc), "sums"):
        yield f"stalls_{plain(name)}", f"cycles between array steps in which {name} was waited for"


def waits(acc: Network) -> dict[str, tuple[int, int]]:
    """What the array waits for besides free sums: buffer -> depth of its tile, or (behind those) of its window."""
    windows = acc.compute.windows
    found = {name: (lanes.tap.tile, 0) for name, lanes in taps_of(acc.compute.operands).items()}
    found |= {name: (tile, 0) for name, tile in acc.compute.files.items()}
    return found | {name: (window.depth, 1) for name, (window, _) in windows.items()}
