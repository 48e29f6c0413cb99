"""What the counters of `Options(counters="all")` count, from the signals of the top module."""

from __future__ import annotations

from itertools import product
from math import prod

from amaranth.hdl import Const, Mux, Value

from halidehw.backend_hdl.library import Ports, ones
from halidehw.backend_hdl.stage import Wired
from halidehw.backend_hdl.words import moved, place
from halidehw.microarch.counters import in_words, waits
from halidehw.microarch.network import Stage
from halidehw.microarch.stores import Memory
from halidehw.microarch.taps import Window
from halidehw.microarch.travel import ARRAY, plain, travels


def detailed(wired: Wired, running: Value, steps: Value, drained: Value) -> dict[str, Value]:
    """Counter -> events of the cycle, of one stage. `steps`: array steps before this cycle; `drained`: words leaving
    the last level of partial sums."""
    stage, buffers, fillers, sequencer = wired.spec, wired.buffers, wired.fillers, wired.sequencer
    folded = [(each.r_step, words, each.first) for each, words in zip(wired.folders, wired.folded, strict=True)]
    step, own = sequencer.step, stage.label
    events: dict[str, Value] = {
        f"{own}macs": Mux(step, _active(stage, sequencer), 0),
        f"{own}pe_slots": Mux(step, stage.pes, 0),
    }
    for memory in stage.memories:
        events |= _memory(memory, buffers[memory.name], stage.compute.windows.get(memory.name, (None,))[0])
    process = {ARRAY: step}
    for fill in stage.fills:
        file, process[fill.name] = stage.file(fill.sink.file), fillers[fill.name].valid
        reached = prod(space.extent for space in stage.spaces if space.name not in fill.sink.selects)
        events[f"{plain(file.name)}_written"] = Mux(process[fill.name], reached * file.reads, 0)
    for copy in stage.copies:
        written = stage.pes * stage.file(copy.sink.file).reads
        events[f"{plain(copy.sink.file)}_written"] = Mux(fillers[copy.name].valid, written, 0)
        events[f"{plain(copy.tap.file)}_read"] = Mux(fillers[copy.name].r_step, stage.pes, 0)
    for name in stage.compute.files:
        events[f"{plain(name)}_read"] = Mux(step, stage.pes * stage.file(name).reads, 0)
    for travel in travels(stage):
        events[travel.name] = Mux(process[travel.process], travel.words, 0)
    lanes = prod(space.extent for space in stage.spaces if not space.reduction)
    leaving = [*(Mux(when, words, 0) for when, words, _ in folded), drained]
    coming = [(step, lanes, sequencer.first), *folded]
    for level, (when, words, first), taken in zip(stage.sums, coming, leaving, strict=True):
        name = plain(level.name)
        events[f"{name}_read"] = Mux(when & ~first, words, 0)
        events[f"{name}_written"] = Mux(when, words, 0)
        events[f"{name}_drained"] = taken
    return events | _waiting(stage, sequencer, running, steps)


def _active(stage: Stage, sequencer: Ports) -> Value:
    """The PEs inside the domain in this step."""
    limits = stage.compute.activity
    ragged = [space for space in stage.spaces if any(space.name in dict(limit.weights) for limit in limits)]
    total: Value = Const(0)
    for lanes in product(*(range(space.extent) for space in ragged)):
        place = {space.name: lane for space, lane in zip(ragged, lanes, strict=True)}
        inside: Value = Const(1)
        for limit in limits:
            reach = sum(weight * place[name] for name, weight in limit.weights)
            inside = inside & (sequencer[limit.name] >= reach)
        total = total + inside
    return total * prod(space.extent for space in stage.spaces if space not in ragged)


def _memory(memory: Memory, buffer: Ports, window: Window | None) -> dict[str, Value]:
    name = plain(memory.name)
    words: Value = Const(1)
    if memory.vector > 1:
        words = ones(buffer.w_mask)
    fresh = buffer.r_fresh if memory.follows else Const(1)
    events = {
        f"{name}_written": Mux(buffer.w_valid, words * len(memory.beside), 0) + Mux(buffer.r_step, memory.kept, 0),
        f"{name}_read": Mux(buffer.r_step, Mux(fresh, memory.taken, memory.fetched), 0),
    }
    if memory.word > 1:
        events[in_words(memory)] = _in_words(memory, buffer, words)
    if memory.shifting:
        moved = sum(source not in (None, lane) for lane, source in enumerate(memory.follows))
        events[f"{name}_shifted"] = Mux(buffer.r_step & ~fresh, moved, 0)
    if window:
        events[f"{name}_shifted"] = Mux(buffer.r_step, window.shifted, 0)
    return events


def _in_words(memory: Memory, buffer: Ports, lanes: Value) -> Value:
    """Words of several elements that pass the port: written with their last one, or read with their first one."""
    word = memory.word
    if memory.home:
        return Mux(buffer.w_valid & (place(buffer.w_address, word) == word - 1), lanes, 0)
    total: Value = Const(0)
    for lane in memory.lanes:
        offset = sum(at // dim.factor * dim.stride for dim, at in zip(memory.dims, lane, strict=True))
        total = total + (place(moved(buffer.r_address, memory.first + offset, word), word) == 0)
    return Mux(buffer.r_step, total, 0)


def _waiting(stage: Stage, sequencer: Ports, running: Value, steps: Value) -> dict[str, Value]:
    """Cycles without a step by what was waited for, the outermost tile first."""
    tile = stage.compute.sink.tile
    reasons = [(at, f"stalls_{plain(name)}", ~sequencer[f"{name}_full"]) for name, at in waits(stage).items()]
    reasons.append(((tile, 2), "stalls_sums", sequencer.crowded))
    events: dict[str, Value] = {
        f"{stage.label}fill_cycles": running & sequencer.active & ~sequencer.step & (steps == 0),
        f"{stage.label}drain_cycles": running & ~sequencer.active,
    }
    open_: Value = running & sequencer.active & ~sequencer.step & (steps != 0)
    for _, name, missing in sorted(reasons, key=lambda reason: reason[0]):
        events[stage.label + name] = open_ & missing
        open_ = open_ & ~missing
    if stage.compute.cadence > 1:  # what is left is waited for sums that go to a port in turn
        events[f"{stage.label}stalls_sums"] |= open_
    return events
