"""What happens at one depth of a process's walk, and which part of the state it touches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from halidehw.energy_model.domain import Trait, again, traits
from halidehw.energy_model.processes import Ahead, Channel, Process, Source, System
from halidehw.ir.affine import Affine
from halidehw.microarch.processes import Write, is_load, lanes_of
from halidehw.microarch.walk import Limit, Walk


@dataclass(eq=False)
class Slots:
    """Where a channel's times stand in the state: of its free parts, oldest first, and of its last full one; before a
    window the earliest cycle of its front's next step."""

    channel: Channel
    free: slice
    full: int
    number: int
    front: int | None = None


@dataclass(eq=False)
class Actor:
    """A process with its places in the state: the earliest cycle of its next step, and the cycle after its last; for
    a load the earliest cycle of its next answer, and, of partial sums, when each tile may be asked for; for one with a
    limited port the port's debt."""

    process: Process
    clock: int
    done: int
    target: Slots | None
    sources: list[Feed] = field(default_factory=list)
    taken: int | None = None
    debt: int | None = None
    queue: slice | None = None
    visits: slice | None = None
    number: int = 0


@dataclass(eq=False)
class Feed:
    """A source with its feeder's and its channel's places in the state."""

    source: Source
    feeder: Actor
    slots: Slots


@dataclass(frozen=True, eq=False)
class Handed:
    """A level of partial sums: its place in the state, who brings them, and who takes them."""

    slots: Slots
    giver: Actor
    taker: Actor


@dataclass(frozen=True, eq=False)
class Plan:
    """A tile of an actor at one depth: what opens and closes with it, whether anything happens inside it, what
    distinguishes it from other tiles, the actors and channels that it moves, and the windows that begin in it."""

    opens: tuple[tuple[Actor, Feed], ...]
    nested: bool
    traits: tuple[Trait, ...]
    actors: tuple[Actor, ...]
    channels: tuple[Slots, ...]
    windows: tuple[Feed, ...]


def plan(system: System, actor: Actor, sums: Sequence[Handed], depth: int, windowed: bool) -> Plan:
    """The plan of `actor` at `depth`. `windowed`: steps of a port differ by the words they move."""
    is_array = actor.process is system.array
    drained = [level for level in sums if is_array and level.slots.channel.tile >= depth]
    last = sums[-1]
    opened = list(_opened(actor, depth))
    if is_array and depth < last.slots.channel.tile:
        opened += _opened(last.taker, depth)
    feeds = list(_feeds(actor, depth)) + (list(_feeds(last.taker, depth)) if last in drained else [])
    deeper = is_array and sums[0].slots.channel.tile > depth
    channelled = [feed.source.channel for feed in actor.sources]
    nested = deeper or any(max(each.tile, each.ahead.depth if each.ahead else 0) > depth for each in channelled)
    actors = [actor, *(level.taker for level in drained), *(feed.feeder for feed in feeds)]
    channels = [feed.slots for feed in feeds] + [level.slots for level in drained]
    if actor.target and actor.target.channel.written == depth:
        channels.append(actor.target)
    found: dict[Trait, None] = {}
    for one in actors:
        into = one.target.channel if one.target and one is not actor else None
        if into and into.rows and depth > into.rows.anew:
            found |= dict.fromkeys(into.rows.traits(one.process.walk, depth, _windows(one, windowed)))
        elif into and into.ahead and depth > into.ahead.depth:
            found |= dict.fromkeys(_front(one, into.ahead, windowed))
        else:
            found |= dict.fromkeys(traits(one.process.walk, depth, _windows(one, windowed)))
        for feed in one.sources:
            if feed.source.channel.rows and feed.source.channel.tile >= depth:
                found |= dict.fromkeys(feed.source.channel.rows.places(depth))
        if windowed and is_load(one.process.transfer) and one.process.transfer.tap.revisit:
            found |= dict.fromkeys(again(one.process.walk, depth, one.process.transfer.tap.revisit.first))
    windows = tuple(feed for feed in actor.sources if (ahead := feed.slots.channel.ahead) and ahead.depth >= depth)
    return Plan(tuple(opened), nested, tuple(found), tuple(actors), tuple(channels), windows)


def _front(feeder: Actor, ahead: Ahead, windowed: bool) -> Iterator[Trait]:
    """What a step of a window's front, which is ahead of the array's, depends on; with its first one nothing opens."""
    walk, depth = feeder.process.walk, ahead.depth + 1
    name = walk.axes[ahead.depth].name
    at = {name: Affine.variable(name) + ahead.warm}
    limits = tuple(Limit(limit.form.substitute(at)) for limit in walk.limits)
    yield from again(walk, depth, (name,))
    places = [(form.substitute(at), size) for form, size in _windows(feeder, windowed)]
    yield from traits(Walk(walk.axes, limits), depth, places)


def _windows(actor: Actor, windowed: bool) -> Iterator[tuple[Affine, int | None]]:
    """The lanes a port moves in a step, and the places of a load's words in the tensor, where they may lie outside."""
    transfer = actor.process.transfer
    if not windowed or not (is_load(transfer) or isinstance(transfer, Write)):
        return
    lanes = lanes_of(transfer)
    for form, weight in transfer.lane_limits:
        yield form - weight * (lanes - 1), None
    if is_load(transfer):
        for d, position in enumerate(transfer.tap.positions):
            if position is not None:
                yield position, transfer.tap.extents[d] - (lanes - 1 if d == 0 else 0)


def _opened(actor: Actor, depth: int) -> Iterator[tuple[Actor, Feed]]:
    """The parts that pass for each iteration of the outer `depth` axes, those further from the array first, and windows
    before others."""
    for feed in actor.sources:
        if feed.source.channel.tile > depth:
            yield from _opened(feed.feeder, depth)
    for feed in sorted(actor.sources, key=lambda feed: feed.source.channel.ahead is None):
        if feed.source.channel.tile == depth:
            yield actor, feed


def _feeds(actor: Actor, depth: int) -> Iterator[Feed]:
    """All feeds, direct or not, that pass parts at `depth` or deeper."""
    for feed in actor.sources:
        if feed.source.channel.tile >= depth:
            yield feed
            yield from _feeds(feed.feeder, depth)
