"""Simulations that were made before: the same Verilog, bench, words and memories give the same runs.

A state of the compiler that differs from the last one in a few designs has only these simulated; every design of it is
drawn, derived, written and judged anew. Only runs that ended are kept, so that what went wrong is tried again.
"""

from __future__ import annotations

import hashlib
import os
import pickle
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from halidehw.errors import SimulationError
from halidehw.simulate import Experiment, Run, simulate_together
from halidehw.simulate.build import find_toolchain
from halidehw.simulate.sources import sources
from tests.fuzz.journal import FOLDER, ROOT

Runs = tuple[Run, ...]


def remembered(experiments: Sequence[Experiment], folder: Path = FOLDER / "runs") -> list[Runs | SimulationError]:
    """`simulate_together`, but for what `folder` has. Experiments have no companion."""
    paths = [folder / key(experiment) for experiment in experiments]
    found: list[Runs | SimulationError | None] = [_kept(path) for path in paths]
    missing = [number for number, runs in enumerate(found) if runs is None]
    for number, runs in zip(missing, simulate_together([experiments[each] for each in missing]), strict=True):
        found[number] = runs
        if not isinstance(runs, SimulationError):
            _keep(paths[number], runs)
    return [runs for runs in found if runs is not None]


def key(experiment: Experiment) -> str:
    """Of all that the simulator sees of an experiment, and of the tools."""
    assert not experiment.beside.sources
    found = hashlib.sha256(_tools().encode())
    for part in _parts(experiment):
        found.update(len(part).to_bytes(8, "little") + part)
    return found.hexdigest()


def _parts(experiment: Experiment) -> Iterator[bytes]:
    for name, text in sources([(experiment.verilog, experiment.outside(0))]).items():
        yield from (name.encode(), text.encode())
    yield repr((experiment.interface, experiment.placement) if experiment.placement else experiment.interface).encode()
    for scenario in experiment.scenarios:
        yield repr(replace(scenario, inputs={})).encode()
        for name, words in sorted(scenario.inputs.items()):
            yield from (name.encode(), f"{words.dtype} {words.shape}".encode(), words.tobytes())


@cache
def _tools() -> str:
    """The toolchain, and what drives it."""
    found = hashlib.sha256(repr(find_toolchain(None, "build").key).encode())
    for path in sorted((ROOT / "halidehw" / "simulate").rglob("*.*")):
        if path.suffix != ".pyc":
            found.update(path.read_bytes())
    return found.hexdigest()


def _kept(path: Path) -> Runs | None:
    return pickle.loads(path.read_bytes()) if path.exists() else None  # our own, in the build folder


def _keep(path: Path, runs: Runs) -> None:
    """All of it or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    private = path.with_suffix(f".{os.getpid()}")
    private.write_bytes(pickle.dumps(runs))
    os.replace(private, path)
