"""Memories that two stages share: what a stage makes lies where its input does, over words that nobody reads any more.

The array reads the one tensor while the writer stores the other. A word is written once its tile of sums is complete,
so after the tile's last step of the array; it may lie on a word that no later step reads. Both tensors are on the chip
as wholes, so the rest is order: all of the input is there before the first step, and all of the output before its
reader's first one. So that holds whatever the ports do, and is decided here, step by step.

With one port the array's reads and the writer's writes are to take turns, too: tile by tile, as the accumulators pass;
or, by words of several elements, in cycles that are fixed (`microarch.phases`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice, takewhile
from math import gcd

import numpy as np

from halidehw.errors import HardwareError
from halidehw.ir.affine import Affine
from halidehw.ir.graph import Graph
from halidehw.ir.nest import Nest
from halidehw.microarch.banking import power_of_two
from halidehw.microarch.network import Stage
from halidehw.microarch.phases import READ, WIDEST, Port, times, uneven, unsteady, waiting
from halidehw.microarch.processes import taps_of
from halidehw.microarch.steps import Steps, at, count, steps_of, tiles
from halidehw.microarch.stores import Memory, Store, Together
from halidehw.microarch.taps import MemorySink, MemoryTap


def united(graph: Graph, stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
    """The stages with memories in each other as it is said. Raises HardwareError where one cannot lie in the other."""
    for tenant in [memory for stage in stages for memory in stage.memories if memory.together]:
        stages = _with(graph, stages, tenant)
    return stages


def _with(graph: Graph, stages: tuple[Stage, ...], tenant: Memory) -> tuple[Stage, ...]:
    together = tenant.together
    assert together
    writer = next(stage for stage in stages if tenant.name in {sink.memory for sink in stage.write.inside})
    home = _home(writer, together)
    sink = next(sink for sink in writer.write.inside if sink.memory == tenant.name)
    _check_alike(tenant, home, together)
    for memory, tile in ((tenant, sink.tile), (home, taps_of(writer.compute.operands)[home.name].tap.tile)):
        if tile:
            raise together.refused(f"{memory.name} is filled tile by tile, and is not there as a whole")
    use = _use(writer, tenant, home)
    if use.overwritten(together.first).size:
        raise _overwriting(writer, use, together)
    if together.first > power_of_two(tenant.depth):
        behind = -(-use.least // tenant.word) * tenant.word
        raise together.refused(
            f"in each bank {tenant.name} takes {tenant.depth} words, and those up to word {together.first} would be "
            "nobody's", together.line(first=behind),
        )  # fmt: skip
    total, common = max(tenant.depth, together.first + home.depth), max(tenant.type.bits, home.type.bits)
    one, word = tenant.one_port or home.one_port, tenant.word
    changed: dict[str, Store] = {
        tenant.name: replace(tenant, room=total, common=common, home=home.name, one_port=one),
        home.name: replace(home, room=total, common=common, first=together.first, one_port=one, word=word),
    }
    if word > 1:
        _check_phases(writer, tenant, home, together)
    elif one:
        sums = writer.sums[-1]
        changed[sums.name] = replace(sums, kept=_kept(graph.stage[writer.name], writer, use, home, together))
    regular = replace(writer, compute=replace(writer.compute, cadence=word))
    return tuple(
        replace(stage, stores=tuple(changed.get(store.name, store) for store in stage.stores))
        for stage in (regular if stage is writer else stage for stage in stages)
    )


def _home(writer: Stage, together: Together) -> Memory:
    """The memory in which the stage that makes the tenant reads its input."""
    read = writer.read_by(writer.compute.operands).values()
    found = [memory for memory in read if memory.tensor == together.tensor]
    if len(found) != 1:
        others = dict.fromkeys(memory.tensor for memory in read if memory.tensor != together.tensor)
        raise together.refused(
            f"{writer.name} reads {together.tensor} from {len(found)} memories outside its PEs, not from one",
            *(together.line(of=name) for name in others),
        )
    return found[0]


def _check_alike(tenant: Memory, home: Memory, together: Together) -> None:
    """Both are wholes, in as many banks, each with a port to be read and one to be written."""
    for memory in (tenant, home):
        if memory.halves > 1 or memory.ring or memory.behind:
            raise together.refused(
                f"{memory.name} has {memory.parts} parts that pass, and is not there as a whole",
                f"{memory.tensor}.compute_root()" if memory is tenant else f"{memory.tensor}.in_().compute_root()",
            )
        if memory.common:
            raise together.refused(f"{memory.name} lies together with another memory already")
    if tenant.banks != home.banks:
        raise together.refused(
            f"{tenant.name} is read from {tenant.banks} bank{'s' * (tenant.banks > 1)} side by side, and {home.name} "
            f"from {home.banks}"
        )


@dataclass(frozen=True)
class _Use:
    """`read`: of each bank and word of the home the last step that reads it, else -1, without those beyond, which only
    lanes without work ask for; `written`: of the tenant the step
    after which it is written, else a step that is after all others. Shapes (banks, words)."""

    read: np.ndarray
    written: np.ndarray
    steps: int

    def overwritten(self, first: int) -> np.ndarray:
        """Pairs (bank, word of the tenant) that would be written over words still to be read, where the home's words
        begin with word `first`; shape (pairs, 2)."""
        least, most = first, min(self.written.shape[1], first + self.read.shape[1])
        late = self.read[:, : max(most - least, 0)] > self.written[:, least:most]
        return np.argwhere(late) + np.array([0, least])

    @property
    def least(self) -> int:
        """Where the home's words may begin, so that the whole takes few words: as far on as the tenant has words is
        always right."""
        low, high = 0, self.written.shape[1]
        while low < high:
            half = (low + high) // 2
            low, high = (half + 1, high) if self.overwritten(half).size else (low, half)
        return low


def _use(stage: Stage, tenant: Memory, home: Memory) -> _Use:
    compute, write = stage.compute, stage.write
    lanes, walk = taps_of(compute.operands)[home.name], steps_of(compute.walk)
    steps = count(walk)
    read = np.full((home.banks, home.depth), -1)
    for bank, word in read_places(home, lanes.tap, walk if not lanes.window else steps_of(lanes.window.run)):
        there = word < home.depth
        step = np.arange(steps) if not lanes.window else np.full(len(word), steps - 1)
        np.maximum.at(read, (bank[there], word[there]), step[there])
    depth = write.tap.tile
    made = tiles(walk, [axis.name for axis in compute.walk.axes[:depth]])
    last = np.append(np.flatnonzero(made[1:] != made[:-1]), steps - 1)
    sink, stored = next(sink for sink in write.inside if sink.memory == tenant.name), steps_of(write.walk)
    after = last[tiles(stored, [axis.name for axis in write.walk.axes[:depth]])]
    written = np.full((tenant.banks, tenant.depth), steps)
    for bank, word, there in written_places(tenant, sink, stored, write.lane_limits):
        np.minimum.at(written, (bank[there], word[there]), after[there])
    return _Use(read, written, steps)


def read_places(home: Memory, tap: MemoryTap, walk: Steps) -> list[tuple[np.ndarray, np.ndarray]]:
    """Of each lane the banks and words that it reads."""
    turning = [d for d, dim in enumerate(home.dims) if dim.rotating]
    places = {d: at(form, walk) for d, form in zip(turning, tap.rotations, strict=True)}
    found = []
    for lane in home.lanes:
        bank, word = np.zeros_like(at(tap.address, walk)), at(tap.address, walk)
        for d, (dim, offset) in enumerate(zip(home.dims, lane, strict=True)):
            place = places.get(d, 0) + offset
            bank = bank + place % dim.factor * dim.bank_stride
            word = word + place // dim.factor * dim.stride
        found.append((bank, word))
    return found


def written_places(
    tenant: Memory, sink: MemorySink, walk: Steps, limits: tuple[tuple[Affine, int], ...]
) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Of each lane of the writer the banks and words that it writes, and whether it writes."""
    bank, word = sum((at(form, walk) * dim.bank_stride for form, dim in zip(sink.digits, tenant.dims, strict=True)),
                     np.zeros_like(at(sink.address, walk))), at(sink.address, walk)  # fmt: skip
    found = []
    for lane in range(tenant.vector):
        there = np.full(len(word), True)
        for form, weight in limits:
            there &= at(form, walk) >= weight * lane
        found.append((bank + lane * tenant.dims[0].bank_stride, word, there))
    return found


def _kept(nest: Nest, writer: Stage, use: _Use, home: Memory, together: Together) -> int:
    """Cycles more for which the array does not get a part of its sums back, so that the last word of a tile is written
    before a word is read for the next one, at the one port of both.

    Where there is one tile, no word is read after it. Where its sums have one part, writer and array take turns anyway:
    a read comes at least two cycles after the part is free, and a free part a cycle after its return. Raises
    HardwareError for words that are written while the array goes on.
    """
    if not (many := int((use.written < use.steps - 1).sum())):
        return 0
    takes_turns = len(writer.sums) == 1 and home.name not in writer.compute.windows
    if takes_turns and writer.sums[0].halves == 1:
        return max(writer.write.latency - 1 - writer.sums[0].drained, 0)
    possible = _in_turn(nest) if takes_turns else ()
    raise together.refused(
        f"with one port {many} of the {int((use.written < use.steps).sum())} words of {writer.name} are written in "
        f"cycles in which one of {home.tensor} may be read, as the array goes on with the next tile"
        + ("" if possible else "; remove single_port()"),
        *possible,
    )


def _check_phases(writer: Stage, tenant: Memory, home: Memory, together: Together) -> None:
    """By words of several elements, the home is read and the tenant written in different cycles. Raises HardwareError
    where these are not known, or the same; and for words that elements come to, or go from, in no such order."""

    def ports() -> Iterator[Port]:
        common = gcd(*(len(places) for _, places in port.writes.values()))
        words = [word for word in range(2, WIDEST + 1) if common % word == 0]
        words.sort(key=lambda word: (word & (word - 1) > 0, word))
        return (port_of(writer, tenant, home, word) for word in words)

    def late(port: Port) -> str:
        return uneven(writer, port.word) if port.waiting else ""

    def refused(why: str, works: Iterable[Port] = ()) -> HardwareError:
        right = (each.word for each in works if not (each.broken or each.meetings or late(each)))
        lines = [f"{together.line()}.single_port({word})" for word in islice(right, 3)]
        none = "" if lines else f"; no words of up to {WIDEST} elements do; remove single_port({tenant.word})"
        return together.refused(f"at one port, in words of {tenant.word} elements: {why}{none}", *lines)

    if why := unsteady(writer, tenant, home):
        raise refused(why)
    port = port_of(writer, tenant, home, tenant.word)
    if port.broken:
        raise refused(port.broken, ports())
    if why := late(port):
        raise refused(why)
    if port.meetings:
        read, written = (", ".join(map(str, each)) for each in port.phases)
        raise refused(
            f"{port.meetings} words of {writer.name} would be written in cycles in which one of {home.tensor} is read; "
            f"modulo {port.word} reads come in cycle {read} of the array, writes in cycle {written}", ports(),
        )  # fmt: skip


def port_of(stage: Stage, tenant: Memory, home: Memory, word: int) -> Port:
    """What passes the ports of both, of which a stage reads the home and writes the tenant, by words of `word`
    elements."""
    assert tenant.together
    (begun, stored, final), write = times(stage, word), stage.write
    reads = read_places(home, taps_of(stage.compute.operands)[home.name].tap, steps_of(stage.compute.walk))
    sink = next(sink for sink in write.inside if sink.memory == tenant.name)
    lanes = written_places(tenant, sink, steps_of(write.walk), write.lane_limits)
    bank, place, there = (np.stack(each, axis=1) for each in zip(*lanes, strict=True))
    writes = dict[int, tuple[np.ndarray, np.ndarray]]()
    for number in np.unique(bank[there]):
        step, lane = np.nonzero(there & (bank == number))
        writes[int(number)] = stored[step] + write.latency, place[step, lane]
    read = {int(bank[0]): (begun + READ, place + tenant.together.first) for bank, place in reads}
    return Port(word, read, writes, final + write.latency, waiting(stage))


def _in_turn(nest: Nest) -> tuple[str, ...]:
    """Where the sums of a stage are to lie so that array and writer take turns, if a line can say it."""
    if not any(loop.reduction for loop in nest.loops):
        return ()
    of, sums = nest.consumer, nest.sums
    if not sums and of != nest.name:
        return (f"{of}.in_().compute_root()",)
    outside = takewhile(lambda loop: not loop.reduction, nest.loops[nest.place :])
    loops = [sums[-1].at] if sums else [each.name for each in outside if each.lanes == 1 and not each.fused]
    return tuple(f"{of}.in_().compute_at({of}, {at.split('.', 1)[-1]}).single_buffer()" for at in loops[-1:] if at)


def _overwriting(writer: Stage, use: _Use, together: Together) -> HardwareError:
    """Which word would go first, and where it would not."""
    pairs = use.overwritten(together.first)
    order = np.lexsort((pairs[:, 1], use.written[pairs[:, 0], pairs[:, 1]]))
    bank, word = (int(each) for each in pairs[order[0]])
    after, until = int(use.written[bank, word]), int(use.read[bank, word - together.first])
    tile = int(np.searchsorted(np.unique(use.written), after))
    return together.refused(
        f"tile {tile} of {writer.name} is stored after step {after + 1} of {use.steps} of its array, and its word "
        f"{word} of bank {bank} lies on a word of {together.tensor} that is read until step {until + 1}; so do "
        f"{len(pairs)} of its {int((use.written < use.steps).sum())} words",
        together.line(first=use.least),
    )
