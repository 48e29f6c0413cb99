"""What the counters of `Options(counters="all")` count, from the signals of the top module."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from math import prod

from amaranth.hdl import Const, Mux, Value

from halidehw.backend_hdl.library import Ports
from halidehw.microarch.counters import waits
from halidehw.microarch.network import Network
from halidehw.microarch.stores import Memory
from halidehw.microarch.taps import Window
from halidehw.microarch.travel import ARRAY, plain, travels


def detailed(
    acc: Network, buffers: Mapping[str, Ports], fillers: Mapping[str, Ports],
    sequencer: Ports, running: Value, steps: Value, folded: Sequence[tuple[Value, Value, Value]],
    drained: Value,
) -> dict[str, Value]:  # fmt: skip
    """Counter -> events of the cycle. `steps`: array steps before this cycle; `folded`: for each fold its step, its
    words, and whether they are first visits; `drained`: words leaving the last level of partial sums."""
    step = sequencer.step
    events: dict[str, Value] = {"macs": Mux(step, _active(acc, sequencer), 0), "pe_slots": Mux(step, acc.pes, 0)}
    for memory in acc.memories:
        events |= _memory(memory, buffers[memory.name], acc.compute.windows.get(memory.name, (None,))[0])
    process = {ARRAY: step}
    for fill in acc.fills:
        file, process[fill.name] = acc.file(fill.sink.file), fillers[fill.name].valid
        reached = prod(space.extent for space in acc.spaces if space.name not in fill.sink.selects)
        events[f"{plain(file.name)}_written"] = Mux(process[fill.name], reached * file.reads, 0)
    for copy in acc.copies:
        written = acc.pes * acc.file(copy.sink.file).reads
        events[f"{plain(copy.sink.file)}_written"] = Mux(fillers[copy.name].valid, written, 0)
        events[f"{plain(copy.tap.file)}_read"] = Mux(fillers[copy.name].r_step, acc.pes, 0)
    for name in acc.compute.files:
        events[f"{plain(name)}_read"] = Mux(step, acc.pes * acc.file(name).reads, 0)
    for travel in travels(acc):
        events[travel.name] = Mux(process[travel.process], travel.words, 0)
    lanes = prod(space.extent for space in acc.spaces if not space.reduction)
    leaving = [*(Mux(when, words, 0) for when, words, _ in folded), drained]
    coming = [(step, lanes, sequencer.first), *folded]
    for level, (when, words, first), taken in zip(acc.sums, coming, leaving, strict=True):
        name = plain(level.name)
        events[f"{name}_read"] = Mux(when & ~first, words, 0)
        events[f"{name}_written"] = Mux(when, words, 0)
        events[f"{name}_drained"] = taken
    return events | _waiting(acc, sequencer, running, steps)


def _active(acc: Network, sequencer: Ports) -> Value:
    """The PEs inside the domain in this step."""
    limits = acc.compute.activity
    ragged = [space for space in acc.spaces if any(space.name in dict(limit.weights) for limit in limits)]
    total: Value = Const(0)
    for lanes in product(*(range(space.extent) for space in ragged)):
        place = {space.name: lane for space, lane in zip(ragged, lanes, strict=True)}
        inside: Value = Const(1)
        for limit in limits:
            reach = sum(weight * place[name] for name, weight in limit.weights)
            inside = inside & (sequencer[limit.name] >= reach)
        total = total + inside
    return total * prod(space.extent for space in acc.spaces if space not in ragged)


def _memory(memory: Memory, buffer: Ports, window: Window | None) -> dict[str, Value]:
    name = plain(memory.name)
    words: Value = Const(1)
    if memory.vector > 1:
        words = sum((buffer.w_mask[lane] for lane in range(memory.vector)), Const(0))
    fresh = buffer.r_fresh if memory.follows else Const(1)
    events = {
        f"{name}_written": Mux(buffer.w_valid, words, 0),
        f"{name}_read": Mux(buffer.r_step, Mux(fresh, len(memory.lanes), memory.fetched), 0),
    }
    if memory.shifting:
        moved = sum(source not in (None, lane) for lane, source in enumerate(memory.follows))
        events[f"{name}_shifted"] = Mux(buffer.r_step & ~fresh, moved, 0)
    if window:
        events[f"{name}_shifted"] = Mux(buffer.r_step, window.shifted, 0)
    return events


def _waiting(acc: Network, sequencer: Ports, running: Value, steps: Value) -> dict[str, Value]:
    """Cycles without a step by what was waited for, the outermost tile first."""
    tile = acc.compute.sink.tile
    reasons = [(at, f"stalls_{plain(name)}", ~sequencer[f"{name}_full"]) for name, at in waits(acc).items()]
    reasons.append(((tile, 2), "stalls_sums", sequencer.crowded))
    events: dict[str, Value] = {
        "fill_cycles": running & sequencer.active & ~sequencer.step & (steps == 0),
        "drain_cycles": running & ~sequencer.active,
    }
    open_: Value = running & sequencer.active & ~sequencer.step & (steps != 0)
    for _, name, missing in sorted(reasons, key=lambda reason: reason[0]):
        events[name] = open_ & missing
        open_ = open_ & ~missing
    return events
