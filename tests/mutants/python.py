"""Mistakes in the package's source, each against tests that call its function: `python -m tests.mutants.python`.

First the tests are run once, to note what each calls and how long it takes (kept with the journal); then each mistake
against those that call its function: in turn the quickest of each file, as many as take `QUICK` seconds, and if these
pass, those that call the fewest functions, and the digests of the Verilog. Mistakes in `microarch` are also tried
against its own tests and the snapshots alone. Every answer is journalled; a run goes on where the last one ended. What
no test finds is explained in `explained.toml` where it changes nothing; the table goes to benchmarks/source_mutants.md.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import accumulate, zip_longest
from pathlib import Path

from tests.mutants.journal import Journal
from tests.mutants.source import ROOMS, ROOT, Change, chosen

QUICK, MORE, TIMEOUT = 40, 100, 600
FOLDER = Path(__file__).parent
EXPLAINED, TABLE = FOLDER / "explained.toml", FOLDER.parents[1] / "benchmarks" / "source_mutants.md"
MICROARCH, FEW = ("tests/microarch", "tests/snapshots/test_snapshots.py"), 20
DIGESTS = "tests/digests/test_digests.py::test_the_hardware_is_what_it_was"
SURVIVES = "survives"
NOBODY = "no test calls it"


@dataclass(frozen=True)
class Caller:
    """`functions`: how many it calls."""

    name: str
    seconds: float
    functions: int


Called = Mapping[str, Sequence[Caller]]
"""Function (file and line) -> the tests that call it."""


def called(folder: Path, tests: Sequence[str]) -> Called:
    notes = folder / "calls.jsonl"
    if not notes.exists():
        _pytest(tests, {"HALIDEHW_CALLS": str(notes.absolute())}, None)
    found = [json.loads(line) for line in notes.read_text().splitlines()]
    by: dict[str, list[Caller]] = defaultdict(list)
    for name, functions, seconds in found:
        for function in functions:
            by[function].append(Caller(name, seconds, len(functions)))
    return by


def rounds(calling: Sequence[Caller]) -> Iterator[list[str]]:
    """The tests that try a mistake, and those that try it if it passes."""
    files: dict[str, list[Caller]] = defaultdict(list)
    for test in sorted(calling, key=lambda test: test.seconds):
        files[test.name.partition("::")[0]].append(test)
    quick = _within(QUICK, [test for row in zip_longest(*files.values()) for test in row if test])
    yield [test.name for test in quick]
    more = _within(MORE, sorted(set(calling) - set(quick), key=lambda test: (test.functions, test.name)))
    digests = [DIGESTS] if DIGESTS in {test.name for test in calling} else []
    yield list(dict.fromkeys([*(test.name for test in more), *digests]))


def _within(seconds: float, tests: Sequence[Caller]) -> list[Caller]:
    """As many of them as there is time for, at least one."""
    ends = zip(tests, accumulate(test.seconds for test in tests), strict=True)
    return [test for number, (test, end) in enumerate(ends) if end <= seconds or not number]


def answer(change: Change, by: Called) -> str:
    calling = by.get(f"{change.file}:{change.function}", ())
    return _first(change, rounds(calling)) if calling else NOBODY


def _first(change: Change, tries: Iterable[Sequence[str]]) -> str:
    """What the first test says that fails, of several runs of them."""
    environment = {"HALIDEHW_CHANGE": json.dumps(asdict(change))}
    try:
        failed = (_pytest(["-x", *tests], environment, TIMEOUT) for tests in tries if tests)
        return next(filter(None, failed), SURVIVES)
    except subprocess.TimeoutExpired:
        return "does not end"


def _pytest(arguments: Sequence[str], environment: Mapping[str, str], seconds: int | None) -> str:
    """What pytest says of the first test that fails; nothing where all pass."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "tests.mutants.plugin", *arguments]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True, timeout=seconds
    )
    failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return (failed or ["the package cannot be imported"])[0][:160] if done.returncode else ""


def argument(name: str) -> str | None:
    """Why nothing changes with a mistake of that name, as `explained.toml` says."""
    return tomllib.loads(EXPLAINED.read_text())["source"].get(name)


def table(found: Mapping[Change, str], quick: Mapping[Change, str]) -> str:
    """The page: by room what was found, explained and not found; `quick`: what the tests of `microarch` say."""
    why = {change: argument(str(change)) for change, how in found.items() if how in (SURVIVES, NOBODY)}
    kept = [change for change, reason in why.items() if not reason]
    lines = ["# Mistakes in the source that tests find", ""]
    lines += [f"{len(found)} mistakes, drawn at random among all of `tests/mutants/source.py`: one operator, number"]
    lines += ["or condition of a function is another one. Each is tried against tests that call it (`make soak`).", ""]
    lines += ["| room | made | found by a test | change nothing | open |", "|---|---|---|---|---|"]
    for room in (*ROOMS, ""):
        own = {change for change in found if change.file.startswith(f"halidehw/{room}")}
        numbers = (len(own), len(own - set(why)), len(own & set(why) - set(kept)), len(own & set(kept)))
        lines.append(f"| {room or 'all'} | {' | '.join(map(str, numbers))} |")
    lines += ["", "## Which change nothing", "", "| mistake | why nothing changes |", "|---|---|"]
    lines += [f"| {_cell(change)} | {reason} |" for change, reason in why.items() if reason]
    lines += ["", "## Open", "", "No test that was tried fails. Each counts as a gap of the tests.", ""]
    lines += [f"- {_cell(change)}" for change in kept] or ["There are none."]
    lines += ["", "## Mistakes in `microarch`, against its own tests and the snapshots of its values", ""]
    lines += ["| mistake | found by |", "|---|---|"]
    lines += [f"| {_cell(change)} | {_test(how)} |" for change, how in quick.items()]
    return "\n".join(lines) + "\n"


def _cell(change: Change) -> str:
    return "`" + str(change).removeprefix("halidehw/").replace("|", "\\|") + "`"


def _test(how: str) -> str:
    failed = re.match(r"(?:FAILED|ERROR) tests/(.*?)(?: - |$)", how)
    return f"`{failed[1]}`" if failed else how


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--number", type=int, default=120)
    parser.add_argument("--folder", type=Path, default=Path("build/python-mutants"), help="of the journal")
    parser.add_argument("tests", nargs="*", default=["tests"])
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    by, journal = called(options.folder, options.tests), Journal(options.folder / "answers.jsonl")
    found, quick = {}, {}
    for change in chosen(options.number):
        found[change] = _known(journal, str(change), lambda change=change: answer(change, by))
        print(f"{change.line}: {change}\n    {found[change]}", flush=True)
    for change in chosen(FEW, "microarch"):
        quick[change] = _known(journal, f"microarch {change}", lambda change=change: _first(change, [MICROARCH]))
    TABLE.write_text(table(found, quick))
    left = [change for change, how in found.items() if how in (SURVIVES, NOBODY) and not argument(str(change))]
    print(f"{len(found)} mistakes, {len(left)} neither found nor explained")
    return 0


def _known(journal: Journal, key: str, ask: Callable[[], str]) -> str:
    if key not in journal.known:
        journal(key, ask())
    return journal.known[key]


if __name__ == "__main__":
    raise SystemExit(main())
