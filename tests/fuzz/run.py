"""Random designs through the simulated hardware for as long as asked: `make fuzz SECONDS=600 SEED=1`.

Prints what was refused and how often; a failure is printed with its seed and as a minimised design, and ends the run.
"""

from __future__ import annotations

import argparse
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import count
from pathlib import Path

from halidehw.errors import HalideHWError, SimulationError
from tests.fuzz.check import check_hardware, check_interpreter
from tests.fuzz.choices import Choices, replayed, seeded, simpler
from tests.fuzz.designs import Design, design

BATCH = 8
SHRINK_SECONDS = 120
PASSED = "passed"

Check = Callable[[Design], object]


def outcome(choices: Choices, check: Check) -> str:
    """ "passed", "refused: ..." with the function that refused, or "failed: ..."."""
    try:
        check(design(choices))
    except HalideHWError as error:
        kind = "failed" if isinstance(error, SimulationError) else "refused"
        return f"{kind}: {type(error).__name__} {_place(error)} {'' if kind == 'refused' else error.message}".rstrip()
    except Exception as error:
        return f"failed: {type(error).__name__} {_place(error)} {error}"
    return PASSED


def _place(error: Exception) -> str:
    """The function of the package that raised."""
    frames = traceback.extract_tb(error.__traceback__)
    inside = [frame for frame in frames if "halidehw" in Path(frame.filename).parts[-3:-1] or "fuzz" in frame.filename]
    return f"{Path(inside[-1].filename).name}:{inside[-1].name}"


def minimised(taken: list[int], check: Check, seconds: float) -> list[int]:
    """The simplest decisions found in that time that still fail."""
    end = time.monotonic() + seconds
    progress = True
    while progress:
        progress = False
        for candidate in simpler(taken):
            if time.monotonic() > end:
                return taken
            choices = replayed(candidate)
            if outcome(choices, check).startswith("failed") and _size(choices.taken) < _size(taken):
                taken, progress = choices.taken, True
                break
    return taken


def _size(taken: Iterable[int]) -> tuple[int, int]:
    found = list(taken)
    return len(found), sum(found)


def check_all(found: Design) -> None:
    check_interpreter(found)
    check_hardware(found)


def try_seed(seed: int, check: Check) -> tuple[int, str]:
    return seed, outcome(seeded(seed), check)


def report(seed: int, result: str, check: Check) -> None:
    choices = seeded(seed)
    outcome(choices, check)
    taken = minimised(choices.taken, check, SHRINK_SECONDS)
    print(f"seed {seed} {result}\nminimised to decisions {taken}:\n{design(replayed(taken))!r}", flush=True)
    print(outcome(replayed(taken), check), flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=int(time.time()), help="of the first design; the rest count up")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only-interpreter", action="store_true")
    parser.add_argument("--keep-going", action="store_true", help="report failures without minimising them")
    options = parser.parse_args()
    check = check_interpreter if options.only_interpreter else check_all
    end, tally, failures = time.monotonic() + options.seconds, Counter[str](), 0
    with ProcessPoolExecutor(options.jobs) as pool:
        for first in count(options.seed, BATCH):
            for seed, result in pool.map(partial(try_seed, check=check), range(first, first + BATCH)):
                tally[result if not result.startswith("failed") else "failed"] += 1
                if result.startswith("failed"):
                    failures += 1
                    print(f"seed {seed} {result}", flush=True)
                    if not options.keep_going:
                        report(seed, result, check)
            if time.monotonic() > end or (failures and not options.keep_going):
                break
    total = tally.total()
    print(f"seeds {options.seed} .. {options.seed + total - 1}: {tally[PASSED]} of {total} passed")
    for result, number in tally.most_common():
        print(f"{number:6} {100 * number / total:5.1f} %  {result}")
    return int(failures > 0)


if __name__ == "__main__":
    raise SystemExit(main())
