"""When the words of a writer behind an AXI4 master are in memory: the bursts of `buses.writes`, and their responses."""

from __future__ import annotations

from dataclasses import dataclass

from halidehw.buses.axi import AXI, PAGE
from halidehw.buses.waits import IDLE

TURNED = 3
"""Cycles from a word's acceptance until it is in its beat, in each of which there may be one."""

GONE = 2
"""Cycles from a burst's end to its address and its first beat on the bus."""


@dataclass
class PostedWrites:
    """The bursts of one write port, as words come. `settled`: from when on all that have come are in memory, but for
    the burst that is open, whose `last` beat was the latest to come; `free`: when the channel of data is; `granted`:
    when the last burst was. `done`: when the last requests were in their beats. `ending`: of how many tiles the last
    words are in the open burst; `arrived`: of those in bursts since it was emptied, when they are in memory."""

    bus: AXI
    latency: int
    settled: int = 0
    free: int = 0
    granted: int = 0
    last: int | None = None
    length: int = 0
    done: tuple[int, ...] = (0,) * (TURNED + 1)
    ending: int = 0
    arrived: tuple[int, ...] = ()

    @property
    def ready(self) -> int:
        """The first cycle in which a request is accepted: all stages hold one, and one may wait before them."""
        return self.done[0] + 1

    def word(self, time: int, beat: int, two: bool) -> None:
        """Words of one request, accepted at a time, lie in a beat, or in that and in the next."""
        now = max(time + TURNED, self.done[-1] + 1)
        if self.last is not None and self._ends < now:
            self._leave(self._ends)
        if not (same := beat == self.last):
            now = self._begin(beat, now)
        if two:
            now = self._begin(beat + 1, now if same else now + 1)
        self.done = (*self.done[1:], now)

    def ends_tile(self) -> None:
        """What has come last were the last words of a tile."""
        if self.last is None:
            self.arrived += (self.settled,)
        else:
            self.ending += 1

    def end(self) -> int:
        """The first cycle in which all is in memory, if no more words come."""
        if self.last is not None:
            self._leave(self._ends)
        return self.settled

    @property
    def _ends(self) -> int:
        """When the open burst is handed over if nothing comes."""
        came = self.done[-1]
        return max(came + 1, self.granted, min(came + IDLE + 1, self.settled))

    def _begin(self, beat: int, now: int) -> int:
        """Another beat is open, in that cycle or later."""
        follows = self.last is not None and beat == self.last + 1 and beat % (PAGE // self.bus.bytes) != 0
        if follows and self.length != self.bus.burst - 1:
            self.length += 1
        else:
            if self.last is not None:
                now = max(now, self.granted)
                self._leave(now)
            self.length = 0
        self.last = beat
        return now

    def _leave(self, time: int) -> None:
        begin = max(time + GONE, self.free)
        self.granted = begin - 1
        self.free = begin + self.length + 1
        self.settled = self.free + self.latency
        self.last = None
        self.arrived += (self.settled,) * self.ending
        self.ending = 0
