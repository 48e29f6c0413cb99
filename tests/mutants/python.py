"""Mistakes in the package's source, each against tests that call its function: `python -m tests.mutants.python`.

First the tests are run once, to note what each calls and how long it takes (kept with the journal); then each mistake
against those that call its function: in turn the quickest of each file, as many as take `QUICK` seconds, and if these
pass, those that call the fewest functions, and the digests of the Verilog. Every answer is journalled; a run goes on
where the last one ended.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import accumulate, zip_longest
from pathlib import Path

from tests.mutants.journal import Journal
from tests.mutants.source import ROOT, Change, chosen

QUICK, MORE, TIMEOUT = 40, 100, 600
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
    environment = {"HALIDEHW_CHANGE": json.dumps(asdict(change))}
    try:
        failed = (_pytest(["-x", *tests], environment, TIMEOUT) for tests in rounds(calling) if tests)
        return next(filter(None, failed), SURVIVES if calling else NOBODY)
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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--number", type=int, default=100)
    parser.add_argument("--folder", type=Path, default=Path("build/python-mutants"), help="of the journal")
    parser.add_argument("--room", default="", help="only in this one")
    parser.add_argument("tests", nargs="*", default=["tests"])
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    by, journal = called(options.folder, options.tests), Journal(options.folder / "answers.jsonl")
    survivors = 0
    for change in chosen(options.number, options.room):
        key = str(change)
        if key not in journal.known:
            journal(key, answer(change, by))
        survivors += journal.known[key] in (SURVIVES, NOBODY)
        print(f"{change.line}: {key}\n    {journal.known[key]}", flush=True)
    print(f"{options.number} mistakes, {survivors} not found")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
