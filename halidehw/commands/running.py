"""How a simulation is shown while it runs, and the options that say how it runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from halidehw.driver import Result
from halidehw.driver.observer import Observer
from halidehw.simulate import Waves

_once = click.option("--once", is_flag=True, help="Only the run itself: no second start, abort, reset or stalls.")
_timeout = click.option(
    "--timeout-cycles", type=click.IntRange(min=1), metavar="CYCLES",
    help="Give up after so many.  [more than the design can take]",
)  # fmt: skip
_waves = click.option(
    "--waves", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Waveforms, .vcd or .fst."
)
_first = click.option("--waves-from", "first", type=click.IntRange(min=0), metavar="CYCLE", help="Their first cycle.")
_last = click.option("--waves-to", "last", type=click.IntRange(min=1), metavar="CYCLE", help="The one after the last.")
_scope = click.option("--waves-scope", "scope", metavar="NAME", help="The part of the accelerator they are of.")


def run_options(command: Callable[..., None]) -> Callable[..., None]:
    """`--once` and `--timeout-cycles`."""
    return _once(_timeout(command))


def waves_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options of waveforms, for a command that takes them as `waves`."""

    @_waves
    @_first
    @_last
    @_scope
    @wraps(command)
    def with_waves(
        *args: Any, waves: Path | None, first: int | None, last: int | None, scope: str | None, **others: Any
    ) -> None:
        if waves is None and (first, last, scope) != (None, None, None):
            raise click.UsageError("--waves-from, --waves-to and --waves-scope say which part of --waves is written")
        shown = None if waves is None else Waves(waves, first or 0, last, scope or "")
        command(*args, waves=shown, **others)

    return with_waves


class Shown(Observer):
    """On a terminal a bar with the simulated cycles and the time left; before large waveforms, their size."""

    def __init__(self, bar: Progress, task: TaskID) -> None:
        self._bar, self._task = bar, task

    def simulated(self, cycles: int, expected: int) -> None:
        further = "" if cycles <= expected else " and further runs"
        self._bar.update(
            self._task, completed=min(cycles, expected), total=expected,
            description=f"simulating: {cycles} of {expected} cycles{further}",
        )  # fmt: skip

    def foretold(self, size: int, cycles: int) -> None:
        click.echo(f"halidehw: the waveforms of {cycles} cycles will take about {_readable(size)}", err=True)


@contextmanager
def shown() -> Iterator[Shown]:
    """An observer for the time of a simulation."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        yield Shown(bar, bar.add_task("simulating", total=None))


def _readable(size: int) -> str:
    for unit, name in ((10**9, "GB"), (10**6, "MB")):
        if size >= unit:
            return f"{size / unit:.1f} {name}"
    return f"{-(-size // 1000)} kB"


def compared(result: Result) -> dict[str, Any]:
    """What was compared, as JSON types."""
    return {
        "match": result.match,
        "mismatches": result.mismatches,
        "compared": {"words": result.words, "distinct": result.distinct, "saturated": result.saturated},
        "further": [
            {"run": extra.name, "cycles": extra.cycles, "words": extra.words, "mismatches": extra.mismatches,
             "wrong_counters": list(extra.counters)}
            for extra in result.extras
        ],
    }  # fmt: skip


def verdict(name: str, result: Result) -> str:
    """The same as lines of text."""
    state = f"{result.mismatches} words DIFFER" if result.mismatches else "bit for bit as the algorithm"
    kinds = " and ".join(dict.fromkeys(str(each.type) for each in result.written))
    words = f"{result.words} words compared: {result.distinct} distinct"
    lines = [f"{name}: {state}", f"  {words}, {result.saturated} the least or greatest {kinds}"]
    for extra in result.extras:
        state = f"{extra.mismatches} words DIFFER" if extra.mismatches else "as well"
        lines.append(f"  {extra.name}: {extra.words} words compared, {state}")
        if extra.counters:
            lines.append(f"    counters that DIFFER: {', '.join(extra.counters)}")
    return "\n".join(lines)
