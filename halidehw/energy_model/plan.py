"""What happens at one depth of a process's walk, and which part of the state it touches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import Any

from halidehw.energy_model.domain import Trait, Values
from halidehw.energy_model.slots import Actor, Feed, Slots
from halidehw.energy_model.views import View, begun, driver, traits
from halidehw.ir.affine import Affine
from halidehw.microarch.processes import Compute, Write, is_load, lanes_of
from halidehw.microarch.walk import Walk

NOTHING = frozenset[Feed]()
"""What has come in already before anything does."""


@dataclass(frozen=True)
class Places:
    """Where in the state there are: the times that a tile depends on (`read`), all that it moves, these first
    (`moved`), and debts and numbers of parts (`counts`)."""

    read: tuple[int, ...]
    moved: tuple[int, ...]
    counts: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Plan:
    """A tile of an actor at one depth: what opens with it, in which order that is made, what closes with it, the
    windows that begin in it, whether anything happens inside it, what distinguishes it from other tiles, the actors
    (readers before their feeders) and channels that it moves, and the windows among them."""

    opens: tuple[Feed, ...]
    pulls: tuple[Feed, ...]
    leaves: tuple[Feed, ...]
    begins: tuple[Feed, ...]
    nested: bool
    traits: tuple[Trait, ...]
    actors: tuple[Actor, ...]
    channels: tuple[Slots, ...]
    windows: tuple[Feed, ...]
    members: frozenset[Actor]
    comes: tuple[tuple[Feed, Trait], ...]
    """What comes in pieces, and which axes tell whether it is there already."""
    filled: tuple[Slots, ...]
    """Of what the actor fills, that of which a part, or a piece, is complete with the tile."""
    returning: tuple[tuple[Actor, slice], ...]
    """The loads of partial sums that may not run too far ahead of the tile, of its reader, a writer."""

    @cached_property
    def fronts(self) -> tuple[int, ...]:
        """Where the fronts that it moves stand in the state: those of its windows, and those that take what it makes
        eagerly."""
        slots = (*(feed.slots for feed in self.windows), *(each for each in self.channels if each.eager))
        return tuple(dict.fromkeys(each.front for each in slots if each.front is not None))

    @cached_property
    def places(self) -> Places:
        """Where in the state that stands which it moves."""
        waiting = [slots.untaken for slots in self.channels if slots.untaken]
        owed = [one.debt for one in self.actors if one.debt is not None]
        alone = [[each.count] if each.alone is None else [each.count, each.alone] for each in waiting]
        read = [one.clock for one in self.actors]
        for one in self.actors:
            read += [] if one.taken is None else [one.taken]
            read += [place for each in (one.queue, one.visits) if each for place in range(each.start, each.stop)]
        read += [place for each in waiting for place in range(each.ready.start, each.ready.stop)]
        read += self.fronts
        done = [*(slots.full for slots in self.channels), *(one.done for one in self.actors)]
        return Places(tuple(read), (*read, *done), (*owed, *(place for each in alone for place in each)))

    @cached_property
    def turning(self) -> tuple[Actor, ...]:
        """Those of a cadence."""
        return tuple(one for one in self.actors if one.cadence > 1)

    @cached_property
    def inside_out(self) -> tuple[tuple[Actor, int | None, tuple[Slots, ...]], ...]:
        """The actors, feeders before their readers; of each the clock of what brings its sums here, and what it fills
        as room is there."""
        given = (one.giver.feeder.clock if one.giver and one.giver.feeder in self.members else None
                 for one in reversed(self.actors))  # fmt: skip
        room = (() if one.targets and one.targets[0].channel.sums else tuple(one.targets)
                for one in reversed(self.actors))  # fmt: skip
        return tuple(zip(reversed(self.actors), given, room, strict=True))

    @cached_property
    def _moving(self) -> dict[int, list[tuple[Trait, int]]]:
        """By the place of an axis what tells its iterations apart, and its weight there."""
        found = dict[int, list[tuple[Trait, int]]]()
        for trait in self.traits:
            for place, weight in trait.term.weights:
                found.setdefault(place, []).append((trait, weight))
        return found

    @cached_property
    def _told(self) -> tuple[tuple[tuple[tuple[int, int], ...], int, int, float], ...]:
        """Of each trait its weights, its constant, and between which values nothing is told apart."""
        return tuple((t.term.weights, t.term.const, t.low, inf if t.high is None else t.high) for t in self.traits)

    def shape(self, values: Values) -> tuple[int, ...]:
        """What the tile's shape knows of its outer axes: of each trait the term's value, or `low` for all that are not
        told apart."""
        found = []
        for weights, value, low, high in self._told:
            for place, weight in weights:
                value += weight * values[place]
            found.append(low if low <= value <= high else value)
        return tuple(found)

    def there(self, values: Values) -> frozenset[Feed]:
        """What has come in already at `values`, and is gone through again."""
        found = [feed for feed, trait in self.comes if trait.term.at(values) >= trait.low]
        return frozenset(found) if found else NOTHING

    def alike(self, values: Values, value: int, trip: int) -> int:
        """The end of the run of iterations, from `value` on, that have one shape, of an axis inside `values`."""
        at, end = [*values, value], trip
        for trait, weight in self._moving.get(len(values), ()):
            end = min(end, value + 1 + int(min(trait.lasts(at, weight), trip)))
        return end


Beginning = tuple[int, int | None, tuple[Any, ...]]
"""How a tile begins: the actor's clock, when it takes the port that all share, and its state, times from that clock."""

Tile = Callable[[Values, Beginning | None], None]
"""What happens in an iteration, which begins so, if that is known."""


@dataclass(frozen=True)
class Run:
    """Iterations of an axis of an actor, with their plan, what happens in each, and a time besides that moves on."""

    actor: Actor
    made: Plan
    tile: Tile
    front: int | None


@dataclass(frozen=True)
class Early:
    """A front that takes `rows` rows alone: where the first one of them, and the first step of each, lie among the
    rows and steps of the reader whose first row begins."""

    feed: Feed
    row: int
    column: int
    rows: int


def early(feeds: Iterable[Feed], planned: Callable[[Actor, int], Plan], row: int, column: int) -> Iterator[Early]:
    """How fronts are ahead of a reader whose first row begins at `row`, its steps at `column`: those of `feeds`, and of
    what comes from one writer on several ways those further up."""
    for feed in feeds:
        ahead = feed.source.channel.ahead
        if not ahead or not feed.slots.channel.stepwise or not ahead.rows:
            continue
        found = Early(feed, row - ahead.rows, column - ahead.warm, ahead.rows)
        yield found
        if feed.slots.meets and feed.slots.leads:
            further = planned(feed.feeder, ahead.depth).begins
            yield from early([each for each in further if each.slots.meets], planned, found.row, found.column)


def plan(
    actor: Actor, depth: int, order: tuple[Actor, ...], windowed: bool, there: frozenset[Feed] = frozenset()
) -> Plan:
    """The plan of `actor` at `depth`. `order`: all actors, readers before their feeders. `windowed`: steps of a port
    differ by the words they move. `there`: what has come in already."""
    depths: dict[Actor, int] = {actor: depth}
    views: dict[Actor, dict[object, View]] = {actor: {None: driver(actor.process.walk, depth)}}
    found, windows, channels, comes = dict[Trait, None](), list[Feed](), list[Slots](), list[tuple[Feed, Trait]]()
    walk = actor.process.walk
    for one in order:
        if one not in depths:
            continue
        own, seen = depths[one], list(views[one].values())
        if one is not actor or (one.targets and one.written >= depth):
            channels += one.targets
        for view in seen:
            found |= dict.fromkeys(traits(view, walk, (*_places(one, windowed), *_fronts(one))))
            if windowed and is_load(one.process.work) and one.process.work.tap.revisit:
                found |= dict.fromkeys(begun(view, walk, one.process.work.tap.revisit.first))
        for feed in one.sources:
            channel = feed.source.channel
            if channel.ahead and channel.ahead.depth >= own:
                windows.append(feed)
            if channel.pieces:
                again = [one.process.walk.axes[place].name for place in channel.pieces.again]
                comes += [(feed, trait) for view in seen for trait in begun(view, walk, again)]
            if channel.taken < own or feed in there:
                continue
            deep = channel.fed(own)
            depths[feed.feeder] = min(deep, depths.get(feed.feeder, deep))
            into = views.setdefault(feed.feeder, {})
            for view in seen:
                for further in _fed(view, feed):
                    shape = further.shape()
                    into[shape] = into[shape].joined(further) if shape in into else further
                found |= dict.fromkeys(_placed(view, feed, walk))
    read = [feed.source.channel for feed in actor.sources]
    nested = any(max(each.taken, each.ahead.depth if each.ahead else 0) > depth for each in read)
    nested |= bool(actor.targets) and actor.written > depth
    opens, leaves, begins = _passing(actor, depth)
    opens = tuple(feed for feed in opens if feed not in there)
    found |= dict.fromkeys(trait for _, trait in comes)
    pulls = tuple(sorted(opens, key=lambda feed: -_stages(feed.feeder)))
    return Plan(
        opens, pulls, leaves, begins, nested, tuple(found), tuple(one for one in order if one in depths),
        tuple(channels), tuple(windows), frozenset(depths), tuple(comes),
        tuple(actor.targets) if actor.targets and actor.written == depth else (), tuple(_returning(actor, depth)),
    )  # fmt: skip


def _passing(actor: Actor, depth: int) -> tuple[tuple[Feed, ...], tuple[Feed, ...], tuple[Feed, ...]]:
    """The parts that are taken for each iteration of the outer `depth` axes, those further from the driver first, and
    windows before others; those that are given back; and the windows that begin."""
    driven = feeders_first([actor], lambda feed: _together(feed, depth))
    feeds = [sorted(one.sources, key=lambda feed: feed.source.channel.ahead is None) for one in driven]
    passing = [(feed, feed.source.channel) for each in feeds for feed in each]
    opens = tuple(feed for feed, channel in passing if channel.taken == depth)
    leaves = tuple(feed for feed, channel in passing if channel.tile == depth)
    begins = ((feed, feed.source.channel.ahead) for one in driven for feed in one.sources)
    return opens, leaves, tuple(feed for feed, ahead in begins if ahead and ahead.depth == depth)


def _together(feed: Feed, depth: int) -> bool:
    """Whether a feeder's iterations of the outer `depth` axes are those of its reader. What the writer of pieces reads
    for a whole tile is wanted where that begins, and not first with a piece."""
    channel = feed.source.channel
    behind = channel.ahead and channel.ahead.rows and depth == channel.ahead.depth
    return feed.slots.leads and depth < (channel.tile + 1 if channel.pieces else channel.written) and not behind


def _stages(feeder: Actor) -> int:
    """The most stages one after the other on a way to what an actor writes, its own included. What comes on the longest
    way is made first: a store on a shorter one has room for what that needs, and not the other way round."""
    longest = dict[Actor, int]()
    for one in feeders_first([feeder], lambda feed: True):
        further = max((longest[feed.feeder] for feed in one.sources), default=0)
        longest[one] = isinstance(one.process.work, Write) + further
    return longest[feeder]


def feeders_first(actors: Sequence[Actor], through: Callable[[Feed], bool]) -> tuple[Actor, ...]:
    """Actors behind all that feed them, directly or not, as far as feeds lead `through`, each once."""
    found = dict[Actor, None]()

    def visit(one: Actor) -> None:
        for feed in one.sources:
            if feed.feeder not in found and through(feed):
                visit(feed.feeder)
        found[one] = None

    for actor in actors:
        visit(actor)
    return tuple(found)


def _fed(view: View, feed: Feed) -> Iterator[View]:
    """A feeder's walk as its reader's driver sees it: of sums that are finished piece by piece the piece, and what each
    loop that comes back to it goes through before."""
    channel, walk = feed.source.channel, feed.feeder.process.walk
    if rows := channel.rows:
        row = view.span(rows.passed).moved(0, rows.window - 1)
        yield view.common(walk, rows.anew).at(walk.axes[rows.anew].name, row)
        return
    further, ahead, passed = view.common(walk, channel.tile), channel.ahead, iter(channel.passed)
    for axis, moves in zip(walk.axes[channel.tile :], channel.moved, strict=False):
        if not moves:
            yield further
        elif span := view.spans.get(view.walk.axes[next(passed)].name):
            further = further.at(axis.name, span)
    if ahead and channel.stepwise:
        for depth, low, high in ahead.moved:
            if span := further.spans.get(walk.axes[depth].name):
                further = further.at(walk.axes[depth].name, span.moved(low, high))
    yield further


def _placed(view: View, feed: Feed, driven: Walk) -> Iterator[Trait]:
    """What of its reader's place matters for a feed: for a line buffer whether the window has moved on since it began
    anew, and whether it is near the last row; for a window's front, which is ahead of the array, whether it has begun.
    """
    if rows := feed.source.channel.rows:
        slide = rows.walk.axes[rows.anew : rows.tile]
        yield from begun(view, driven, [axis.name for axis in slide])
        unlimited = replace(view, walk=Walk(view.walk.axes))
        yield from traits(unlimited, driven, [(form - rows.window - 1, None) for form in rows.left])
    elif feed.piecewise:
        inside = [view.walk.axes[place].name for place in feed.source.channel.passed]
        for place in range(len(inside)):
            yield from begun(view, driven, inside[place:])
    elif ahead := feed.source.channel.ahead:
        for depth in [place for place, _, _ in ahead.moved if place < feed.source.channel.tile]:
            if (name := view.walk.axes[depth].name) in view.spans:
                yield from begun(view, driven, (name,))
        if ahead.taken is not None:
            bringing = Affine((), ahead.taken - 1 - ahead.warm) - Affine.variable(view.walk.axes[ahead.depth].name)
            yield from traits(replace(view, walk=Walk(view.walk.axes)), driven, [(bringing, None)])


def _fronts(writer: Actor) -> Iterator[tuple[Affine, None]]:
    """The places in a writer's walk from which on the fronts that take its words eagerly step with their readers, and
    where their rows end."""
    axes = writer.process.walk.axes
    for slots in writer.targets:
        if slots.eager and (ahead := slots.channel.ahead):
            yield Affine.variable(axes[ahead.depth].name) - ahead.warm, None
            if ahead.rows:
                yield Affine.variable(axes[ahead.depth - 1].name) - ahead.rows, None
            if ahead.idle:
                yield Affine((), axes[ahead.depth].extent - 2) - Affine.variable(axes[ahead.depth].name), None


def _places(actor: Actor, windowed: bool) -> Iterator[tuple[Affine, int | None]]:
    """The lanes a port moves in a step, and the places of a load's words in the tensor, where they may lie outside."""
    work = actor.process.work
    if not windowed or isinstance(work, Compute) or not (is_load(work) or isinstance(work, Write)):
        return
    lanes = lanes_of(work)
    for form, weight in work.lane_limits:
        yield form - weight * (lanes - 1), None
    if is_load(work):
        for d, position in enumerate(work.tap.positions):
            if position is not None:
                yield position, work.tap.extents[d] - (lanes - 1 if d == 0 else 0)


def cuts(driver: Actor) -> list[Feed]:
    """Where what a driver waits for has loads, and so has what it waits for besides: each of them may be ahead of the
    driver, and leave parts that loads fill again."""
    found = list[Feed]()
    for actor in feeders_first([driver], lambda feed: True):
        for feed in actor.sources:
            others = feeders_first([each.feeder for each in actor.sources if each is not feed], lambda _: True)
            inside = feeders_first([feed.feeder], lambda _: True)
            channel = feed.source.channel
            simple = feed.slots.untaken is None and not channel.ahead and not channel.rows
            beside = any(is_load(one.process.work) for one in others)
            if simple and beside and feed.feeder.sources and not set(others) & set(inside):
                found.append(feed)
    return found


def _returning(writer: Actor, depth: int) -> Iterator[tuple[Actor, slice]]:
    """As `Plan.returning`."""
    if writer.giver is not None and writer.giver.source.channel.tile == depth:
        yield from ((feed.feeder, feed.feeder.visits) for feed in writer.sources if feed.feeder.visits)
