"""Tasks that wait for each other, and for what takes time: each in a thread, of which one goes on at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Semaphore, Thread

from halidehw.errors import CostError


class _Over(BaseException):
    """Ends a task that is not waited for any more."""


class _Turn:
    """A task; `ready`: whether what it waits for is there."""

    def __init__(self, task: Callable[[], None], back: Semaphore):
        self.ready: Callable[[], bool] = lambda: True
        self.go, self.back, self.over = Semaphore(0), back, False
        self.error: BaseException | None = None
        self.done = False
        Thread(target=self._run, args=(task,), daemon=True).start()

    def _run(self, task: Callable[[], None]) -> None:
        try:
            self._resumed()
            task()
        except _Over:
            pass
        except BaseException as error:
            self.error = error
        self.done = True
        self.back.release()

    def wait(self, ready: Callable[[], bool]) -> None:
        self.ready = ready
        self.back.release()
        self._resumed()

    def _resumed(self) -> None:
        self.go.acquire()
        if self.over:
            raise _Over


class Turns:
    """Tasks, as if all went on at once. A task calls `wait`; while all wait, `passing` lets time pass."""

    def __init__(self, passing: Callable[[], None]):
        self.passing, self.back = passing, Semaphore(0)
        self.now: _Turn | None = None
        self.timed = 0
        self.alive = list[_Turn]()

    def beside(self, others: Sequence[Callable[[], None]], task: Callable[[], None]) -> None:
        """Of the task that goes on: others beside it, and a part of its own, until all have ended."""
        made = [_Turn(each, self.back) for each in others]
        self.alive += made
        task()
        self.wait(lambda: all(turn.done for turn in made), timed=False)

    def wait(self, ready: Callable[[], bool], *, timed: bool = True) -> None:
        """Of the task that goes on: until it is `ready`, which time will bring about if it is `timed`, else another
        task."""
        if not ready():
            turn, self.timed = self.now, self.timed + timed
            assert turn
            turn.wait(ready)
            self.timed -= timed

    def run(self, tasks: Sequence[Callable[[], None]]) -> None:
        """Until all have ended. Raises what a task raises, and CostError where each of those that are left waits for
        another one."""
        self.timed, self.alive = 0, [_Turn(task, self.back) for task in tasks]
        try:
            while self.alive:
                able = [turn for turn in self.alive if turn.ready()]
                if not able and not self.timed:
                    raise CostError(f"the model of the bus ends nowhere: {len(self.alive)} tasks wait for each other")
                for turn in able:
                    self._resume(turn)
                if not able:
                    self.passing()
                self.alive = [turn for turn in self.alive if not turn.done]
        finally:
            for turn in self.alive:
                turn.over = True
                if not turn.done:
                    self._resume(turn)

    def _resume(self, turn: _Turn) -> None:
        self.now = turn
        turn.go.release()
        self.back.acquire()
        if turn.error:
            raise turn.error
