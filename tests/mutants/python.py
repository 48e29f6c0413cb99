"""Mistakes in the package's source, each against tests that call its function: `python -m tests.mutants.python`.

First the tests are run once, to note what each calls (kept with the journal); then each mistake against those that
call its function, the most particular ones and then those that call the most. Every answer is journalled; a run goes on
where the last one ended.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from tests.mutants.journal import Journal
from tests.mutants.source import ROOT, Change, changes

SEED, PARTICULAR, WIDE, SECONDS = 1, 16, 12, 150
SURVIVES = "survives"
NOBODY = "no test calls it"


def called(folder: Path, tests: Sequence[str]) -> dict[str, list[str]]:
    """Function (file and line) -> the tests that call it, those that call the fewest functions first."""
    notes = folder / "calls.jsonl"
    if not notes.exists():
        _pytest(tests, {"HALIDEHW_CALLS": str(notes.absolute())}, None)
    found = [json.loads(line) for line in notes.read_text().splitlines()]
    by: dict[str, list[str]] = {}
    for test, functions in sorted(found, key=lambda each: len(each[1])):
        for function in functions:
            by.setdefault(function, []).append(test)
    return by


def answer(change: Change, by: Mapping[str, Sequence[str]]) -> str:
    every = by.get(f"{change.file}:{change.function}", ())
    tests = dict.fromkeys((*every[:PARTICULAR], *every[-WIDE:]))
    if not tests:
        return NOBODY
    environment = {"HALIDEHW_CHANGE": json.dumps(asdict(change))}
    try:
        return _pytest(["-x", *tests], environment, SECONDS) or SURVIVES
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
    parser.add_argument("tests", nargs="*", default=["tests"])
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    by, journal = called(options.folder, options.tests), Journal(options.folder / "answers.jsonl")
    survivors = 0
    for change in random.Random(SEED).sample(changes(), options.number):
        key = f"{change} {(ROOT / change.file).read_text().splitlines()[change.line - 1].strip()}"
        if key not in journal.known:
            journal(key, answer(change, by))
        survivors += journal.known[key] in (SURVIVES, NOBODY)
        print(f"{key}\n    {journal.known[key]}", flush=True)
    print(f"{options.number} mistakes, {survivors} not found")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
