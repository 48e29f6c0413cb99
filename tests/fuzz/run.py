"""Random designs through the simulated hardware for as long as asked: `make fuzz SECONDS=600`.

A run goes on where the last one of the same state of the compiler has stopped; SEED=1 says where to begin instead. With
NUMBER=3000 it ends when so many designs of this state have been tried. Of a new state, only designs are simulated whose
Verilog or words are new (`remembered.py`); all are drawn, derived and judged.
Prints what was refused and how often; a failure is printed with its seed and as a minimised design, and ends the run.
"""

from __future__ import annotations

import argparse
import gc
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from halidehw.errors import HalideHWError, SimulationError
from tests.fuzz.chains import machine_or_chain, run_machines_and_chains
from tests.fuzz.check import check_interpreter, checked
from tests.fuzz.choices import Choices, replayed, seeded, simpler
from tests.fuzz.designs import Design, design, shared
from tests.fuzz.journal import DESIGNS, MACHINES, Journal, State, digest, resumed
from tests.fuzz.pieces import by_pieces
from tests.fuzz.pipelines import pipeline
from tests.fuzz.remembered import remembered
from tests.fuzz.together import together
from tests.fuzz.turns import layer

TOGETHER = 12  # designs in one build
SHRINK_SECONDS = 120
PASSED = "passed"

Check = Callable[[Sequence[Any]], Sequence[object]]
"""For each design, or machine, anything, or the exception that says what is wrong."""


@dataclass(frozen=True)
class Trial:
    """Where designs come from, what must hold of them, and the state of the compiler that they are of."""

    make: Callable[[Choices], object]
    check: Check
    state: State = DESIGNS


def outcomes(each: Sequence[Choices], trial: Trial) -> list[str]:
    """ "passed", "refused: ..." with the function that refused, or "failed: ..."."""
    results: list[object] = [_made(choices, trial) for choices in each]
    numbers = [number for number, result in enumerate(results) if not isinstance(result, Exception)]
    designs = [results[number] for number in numbers]
    for number, result in zip(numbers, _found(designs, trial.check), strict=True):
        results[number] = result
    return [_told(result) for result in results]


def _made(choices: Choices, trial: Trial) -> object:
    try:
        return trial.make(choices)
    except Exception as error:
        return error


def _found(designs: Sequence[object], check: Check) -> Sequence[object]:
    """What the check says of each; where it fails as a whole, of each alone."""
    try:
        return check(designs)
    except Exception as error:
        return [error] if len(designs) == 1 else [result for each in designs for result in _found([each], check)]


def _told(result: object) -> str:
    match result:
        case HalideHWError() if not isinstance(result, SimulationError):
            return f"refused: {type(result).__name__} {_place(result)}"
        case Exception():
            return f"failed: {type(result).__name__} {_place(result)} {result}"
    return PASSED


def _place(error: Exception) -> str:
    """The function of the package that raised."""
    frames = traceback.extract_tb(error.__traceback__)
    inside = [frame for frame in frames if "halidehw" in Path(frame.filename).parts[-3:-1] or "fuzz" in frame.filename]
    return f"{Path(inside[-1].filename).name}:{inside[-1].name}" if inside else ""


def minimised(taken: list[int], trial: Trial, seconds: float) -> list[int]:
    """The simplest decisions found in that time that still fail."""
    end = time.monotonic() + seconds
    progress = True
    while progress:
        progress = False
        for candidate in simpler(taken):
            if time.monotonic() > end:
                return taken
            choices = replayed(candidate)
            if outcomes([choices], trial)[0].startswith("failed") and _size(choices.taken) < _size(taken):
                taken, progress = choices.taken, True
                break
    return taken


def _size(taken: Iterable[int]) -> tuple[int, int]:
    found = list(taken)
    return len(found), sum(found)


def one_of_six(choices: Choices) -> Design:
    """Of six designs two are pipelines, and tiles of one pass by pieces; now and then there is a layer in turns at a
    port instead, or all tensors share a port, which is decided last, so that the others are what they were."""
    found = choices.pick([design, design, design, pipeline, pipeline, by_pieces])(choices)
    found = layer(choices) if choices.chance(12) else found
    return shared(choices, found)


def interpreted(designs: Sequence[Design]) -> list[Exception | None]:
    return [_exception(check_interpreter, design) for design in designs]


def _exception(check: Callable[[Design], object], design: Design) -> Exception | None:
    try:
        check(design)
    except Exception as error:
        return error
    return None


def both(designs: Sequence[Design]) -> list[object]:
    """Of each design what is wrong in the interpreter, or else in the hardware."""
    found = checked(designs, simulate=remembered)
    return [first or then for first, then in zip(interpreted(designs), found, strict=True)]


def try_seeds(seeds: Sequence[int], trial: Trial) -> list[tuple[int, str]]:
    return list(zip(seeds, outcomes([seeded(seed) for seed in seeds], trial), strict=True))


def groups(first: int, last: int, end: float) -> Iterator[range]:
    """Seeds from `first` to the one before `last` for as many designs in one build, up to a time."""
    while first < last and time.monotonic() < end:
        yield range(first, min(first + TOGETHER, last))
        first += TOGETHER


def in_order(pool: ProcessPoolExecutor, seeds: Iterator[range], trial: Trial, jobs: int) -> Iterator[tuple[int, str]]:
    """What becomes of the seeds, one after the other, while a few groups ahead are on their way."""
    waiting = deque(pool.submit(try_seeds, group, trial) for group in islice(seeds, 3 * jobs))
    while waiting:
        yield from waiting.popleft().result()
        waiting.extend(pool.submit(try_seeds, group, trial) for group in islice(seeds, 1))


def settle() -> None:
    """A worker looks for garbage seldom: designs are small, and nearly all that there is stays."""
    gc.freeze()
    gc.set_threshold(200_000, 20, 20)


def report(seed: int, result: str, trial: Trial) -> None:
    choices = seeded(seed)
    outcomes([choices], trial)
    taken = minimised(choices.taken, trial, SHRINK_SECONDS)
    print(f"seed {seed} {result}\nminimised to decisions {taken}:", flush=True)
    try:
        print(repr(trial.make(replayed(taken))), flush=True)
    except Exception as error:  # what makes the design fails itself, and its notes say on what
        traceback.print_exception(error)
    print(*outcomes([replayed(taken)], trial), flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--number", type=int, default=1 << 40, help="of designs of this state after which it ends")
    parser.add_argument("--seed", type=int, help="of the first design; the rest count up  [where the last run stopped]")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only-interpreter", action="store_true")
    parser.add_argument("--keep-going", action="store_true", help="report failures without minimising them")
    parser.add_argument("--together", action="store_true", help="designs of what the language has beyond one reduction")
    parser.add_argument("--pieces", action="store_true", help="designs whose tiles pass by pieces alone")
    parser.add_argument("--machines", action="store_true", help="machines with lists, and chains that are cut off")
    options = parser.parse_args()
    check = interpreted if options.only_interpreter else both
    trial = Trial(together if options.together else by_pieces if options.pieces else one_of_six, check)
    trial = Trial(machine_or_chain, run_machines_and_chains, MACHINES) if options.machines else trial
    kind = f"{trial.make.__name__}_{trial.check.__name__}"
    journal = resumed(kind, trial.state) if options.seed is None else Journal(None, options.seed)
    failures, last = 0, journal.next + options.number - journal.tally.total()
    seeds = groups(journal.next, last, time.monotonic() + options.seconds)
    with ProcessPoolExecutor(options.jobs, initializer=settle) as pool:
        for seed, result in in_order(pool, seeds, trial, options.jobs):
            if result.startswith("failed"):
                failures += 1
                print(f"seed {seed} {result}", flush=True)
                if not options.keep_going:
                    pool.shutdown(wait=False, cancel_futures=True)
                    report(seed, result, trial)
                    break
            journal.tally[result if not result.startswith("failed") else "failed"] += 1
            journal.next = seed + 1
            journal.save()
            passed, total = journal.tally[PASSED], journal.tally.total()
            print(f"{total} designs: {passed} passed, {failures} failed", end="\r", flush=True)
    print_tally(journal, trial.state)
    return int(failures > 0)


def print_tally(journal: Journal, state: State) -> None:
    """How many designs of this state have passed, in all runs, and what became of the others."""
    total = journal.tally.total()
    passed = f"{journal.tally[PASSED]} of {total} designs of state {digest(state)} have passed"
    print(f"seeds up to {journal.next - 1}: {passed}")
    for result, number in journal.tally.most_common():
        print(f"{number:6} {100 * number / total:5.1f} %  {result}")


if __name__ == "__main__":
    raise SystemExit(main())
