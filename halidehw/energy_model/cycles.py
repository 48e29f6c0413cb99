"""Cycles of a run, what the array waited for, and what made it wait."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import inf

from halidehw.buses.axi import AXI
from halidehw.energy_model.attachment import Attachment, Following
from halidehw.energy_model.bus import SharedReads
from halidehw.energy_model.deadline import Late
from halidehw.energy_model.points import iterations
from halidehw.energy_model.processes import Channel, Line, Process, Source, System, system
from halidehw.energy_model.state import Standing
from halidehw.energy_model.timekeeper import Timekeeper, Times
from halidehw.errors import CostError
from halidehw.microarch.network import Network
from halidehw.microarch.processes import Transfer, Write, is_load
from halidehw.microarch.shared import crosses
from halidehw.microarch.taps import FileTap, Lanes, MemoryTap
from halidehw.simulate.memory import Memory, memory_of


@dataclass(frozen=True)
class Culprit:
    """Why the array waited `cycles` for `buffer`: words of `tensor` were late on their way out of `level` ("memory":
    the port), or into it where `buffer` is "sums". `cause`: the "latency" or "bandwidth" of the memory outside, or of
    the port that all share, or the "width": a port or transfer moves only so many words a cycle; of a window its
    "start", the steps of a run in which it is not yet filled; of words that another stage makes (`level`) that "stage".
    """

    buffer: str
    tensor: str
    level: str
    cause: str
    cycles: int


@dataclass(frozen=True)
class StageCycles:
    """A stage's share of a run, as `Cycles` has it of the output's. `busiest`: of the processes from its ports to its
    writer that with the most steps, and how many `steps` that takes: the fewest cycles that the stage can take.
    """

    name: str
    fill: int
    busy: int
    stalls: dict[str, int]
    drain: int
    busiest: str
    steps: int


@dataclass(frozen=True)
class Cycles:
    """`total` is fill + busy + stalls + drain: from start to the array's first step, its steps, its waits between
    them by the buffer that was not ready (its name; "sums": no accumulator was free), from its last step to done.

    `tensors`: the tensor of each buffer in `stalls`; `culprits`: who made the array wait, adding up to `stalls`. All
    of that is said of the output's stage, and in `stages` of each, the output's last.
    """

    total: int
    fill: int
    busy: int
    stalls: dict[str, int]
    drain: int
    tensors: dict[str, str]
    culprits: tuple[Culprit, ...] = ()
    stages: tuple[StageCycles, ...] = ()

    @property
    def slowest(self) -> StageCycles:
        """The stage that no memory between stages can make faster: the one with the busiest process."""
        return max(self.stages, key=lambda stage: stage.steps)


def cycles(
    accelerator: Network, memory: Memory | None = None, bus: AXI | None = None, attached: Attachment | None = None
) -> Cycles:
    """The cycles of a run on a memory (default: the ideal one; behind a bus one as slow as that expects), without
    simulating it. `bus`: what all ports share. `attached`: that bus where more than this run goes on there.

    Exact on memories without random stalls; behind a bus where tensors begin with a page of 4 KiB. Raises CostError for
    a memory with random stalls, and one of few words a cycle behind a bus.
    """
    return following(accelerator, {}, memory, bus, attached)[0]


def total_cycles(accelerator: Network, most: float = inf) -> int:
    """The cycles of a run on an ideal memory, as `cycles` has them, without what was waited for; where they are more
    than `most`, a number over that which they are at least. Raises CostError where they are not known."""
    memory, made = memory_of(None), system(accelerator)
    _check_shared(made, memory)
    if most < 1:
        return 1
    try:
        return Timekeeper(made, memory, most=most).run().done
    except Late as error:
        return error.least


def following(
    accelerator: Network, early: Mapping[str, Standing], memory: Memory | None = None, bus: AXI | None = None,
    attached: Attachment | None = None,
) -> tuple[Cycles, dict[str, Standing]]:  # fmt: skip
    """The cycles of a run as `cycles` has them, of which the loads `early` have begun before it; and how its loads
    stand after it."""
    memory, made = _checked(memory, bus), system(accelerator)
    _check_shared(made, memory)
    _check_pieces(made, bus)
    keeper = Timekeeper(made, memory, bus=attached or _attached(bus, memory), early=early)
    times = keeper.run()
    stages = tuple(_stage(line, times) for line in made.lines)
    channels, last = _waited(made.output), stages[-1]
    tensors = {name: channel.tensor for name, channel in channels.items()}
    culprits = tuple(_culprits(made, memory, times.waits, bus)) if any(last.stalls.values()) else ()
    found = Cycles(times.done, last.fill, last.busy, last.stalls, last.drain, tensors, culprits, stages)
    return found, keeper.standing()


def repeated_cycles(accelerator: Network, memory: Memory, bus: AXI) -> int:
    """The cycles of two runs one after the other in a list behind a bus: the loads of the second one have begun while
    the first one was at work, as far as their memories have room. Raises what `cycles` does."""
    memory, loads = _checked(memory, bus), {load.name: load for load in accelerator.loads}
    reads, made = SharedReads(bus, memory), system(accelerator)
    before = Attachment(reads, following=Following(loads, lambda: 0, {}))
    first = Timekeeper(made, memory, bus=before).run().done
    return first + Timekeeper(made, memory, bus=Attachment(reads, first, kept=before.left(loads))).run().done


def _checked(memory: Memory | None, bus: AXI | None) -> Memory:
    """The memory, or the one that is meant without."""
    memory = Memory(bus.latency) if bus and memory is None else memory_of(memory)
    if memory.stall_probability:
        raise CostError(
            f"a stall probability of {memory.stall_probability}: the model knows no chance",
            legal=("Memory(stall_probability=0)",),
        )
    if bus and memory.words_per_cycle:
        raise CostError(
            f"a memory of {memory.words_per_cycle} words a cycle behind a bus: the model has one of a beat a cycle",
            legal=(f"Memory(latency={memory.latency})",),
        )
    return memory


def is_known(accelerator: Network, memory: Memory) -> bool:
    """Whether the cycles of a run without a bus are known, on a memory without random stalls."""
    try:
        _check_shared(system(accelerator), memory)
    except CostError:
        return False
    return True


def _check_pieces(made: System, bus: AXI | None) -> None:
    """Raises CostError for tiles in pieces behind a bus."""
    for source in _sources(made) if bus else ():
        if source.channel.pieces or source.channel.finished:
            way = "come in" if source.channel.pieces else "leave"
            raise CostError(
                f"{source.channel.name} behind a bus: its tiles {way} by pieces, the model of a bus has whole ones",
                legal=("bus=None",),
            )


def _sources(made: System) -> Iterator[Source]:
    """All that processes read, from the arrays and what takes their sums outwards."""
    sources = [source for line in made.lines for each in (line.array, *line.takers) for source in each.sources]
    while sources:
        yield (source := sources.pop())
        sources += source.feeder.sources


def _check_shared(made: System, memory: Memory) -> None:
    """Raises CostError for what is not known of a port that all share."""
    if what := next(_unknown(made, memory), None) if made.shared else None:
        raise CostError(
            f"{what} at a port that all tensors share: the model has a request a cycle, for tiles of one stage",
            legal=("shared_port_bits=0", 'bus="axi4"') if not memory.words_per_cycle else ("Memory(latency=50)",),
        )


def _unknown(made: System, memory: Memory) -> Iterator[str]:
    """What the model of such a port has not."""
    if memory.words_per_cycle:
        yield f"a memory of {memory.words_per_cycle} words a cycle"
    if len(made.lines) > 1:
        yield "several stages"
    for each in _sources(made):
        if each.channel.stepwise:
            yield f"single words of {each.channel.tensor}"
        if each.channel.rows and not is_load(each.feeder.work):
            yield f"rows of {each.channel.tensor} that come from another memory"
    if any(crosses(line.stage) for line in made.lines):
        yield "rows of two inputs, of which one begins anew or is filled inside the loops that slide the other"


def _stage(line: Line, times: Times) -> StageCycles:
    first, end = times.first[line.stage.name], times.end[line.stage.name]
    stalls = {name: times.waits[channel.name] for name, channel in _waited(line).items()}
    busy = end - first - sum(stalls.values())
    steps, busiest = max((iterations(process.walk), process.name) for process in line.stage.processes)
    return StageCycles(line.stage.name, first - 1, busy, stalls, times.done - end + 1, busiest, steps)


def _waited(line: Line) -> dict[str, Channel]:
    """What the array of a stage waits for: full parts of what it reads, and free ones for its sums."""
    return {source.channel.name: source.channel for source in line.array.sources} | {"sums": line.sums[0]}


def _attached(bus: AXI | None, memory: Memory) -> Attachment | None:
    return Attachment.alone(bus, memory) if bus else None


def _culprits(made: System, memory: Memory, waits: dict[str, int], bus: AXI | None) -> Iterator[Culprit]:
    """The array waits for a transfer as long as that does not wait for another one further out; the waits that are
    left to a port are due to the memory's latency, then its bandwidth, as far as without them there are fewer."""
    quick = waits if memory.latency == 1 else _without(made, Memory(1, memory.words_per_cycle), bus)
    alone = memory.words_per_cycle is None and bus is None and not made.shared
    ideal = quick if alone else _without(replace(made, shared=False), Memory(), None)
    line = made.output
    for source in line.array.sources:
        at_port = waits[source.channel.name]
        begun = min(at_port, _begun(line.array, source.channel))
        yield from _some(source.channel.name, source.channel.tensor, f"{source.channel.name}_window", start=begun)
        at_port -= begun
        level = source
        while isinstance(level.feeder.work, Transfer) and level.feeder.sources:
            (further,) = level.feeder.sources
            late = min(at_port, waits[further.channel.name])
            yield from _some(source.channel.name, source.channel.tensor, _from(level), width=at_port - late)
            at_port, level = late, further
        if isinstance(level.feeder.work, Write):
            yield from _some(source.channel.name, source.channel.tensor, level.channel.tensor, stage=at_port)
        else:
            yield from _port(source.channel.name, source.channel.tensor, at_port, waits, quick, ideal)
    sums, *outer = line.sums
    at_port = waits[sums.name]
    for channel in outer:
        late = min(at_port, waits[channel.name])
        yield from _some(sums.name, sums.tensor, channel.name, width=at_port - late)
        at_port = late
    yield from _port(sums.name, sums.tensor, at_port, waits, quick, ideal)


def _begun(array: Process, channel: Channel) -> int:
    """The array's waits for the first steps of a window's runs, but for the first run's."""
    return channel.ahead.warm * (iterations(array.walk, channel.ahead.depth) - 1) if channel.ahead else 0


def _without(made: System, memory: Memory, bus: AXI | None) -> dict[str, int]:
    """The waits with a better memory."""
    return Timekeeper(made, memory, bus=_attached(bus, memory)).run().waits


def _from(level: Source) -> str:
    """The memory that a transfer reads."""
    transfer = level.feeder.work
    assert isinstance(transfer, Transfer)
    match transfer.tap:
        case FileTap(file=name) | Lanes(tap=MemoryTap(memory=name)):
            return name
    return "memory"


def _port(
    buffer: str, tensor: str, late: int, waits: dict[str, int], quick: dict[str, int], ideal: dict[str, int]
) -> Iterator[Culprit]:
    """`late` cycles of waits at a port."""
    latency = min(late, max(0, waits[buffer] - quick[buffer]))
    bandwidth = min(late - latency, max(0, quick[buffer] - ideal[buffer]))
    yield from _some(buffer, tensor, "memory", latency=latency, bandwidth=bandwidth, width=late - latency - bandwidth)


def _some(buffer: str, tensor: str, level: str, **cycles: int) -> Iterator[Culprit]:
    """One for each cause that cost any."""
    yield from (Culprit(buffer, tensor, level, cause, lost) for cause, lost in cycles.items() if lost)
