"""Shared by all tests: the golden-snapshot fixture, hypothesis profiles, the processor time at the end."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

settings.register_profile("halidehw", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("halidehw")

WORKERS = pytest.StashKey[list[float]]()
"""Seconds of processor time of each worker that has ended."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite the golden snapshots instead of comparing")


def pytest_configure(config: pytest.Config) -> None:
    """Garbage is looked for seldom: what is imported stays, and what tests make is small. It saves a tenth."""
    gc.freeze()
    gc.set_threshold(200_000, 20, 20)
    config.stash[WORKERS] = []


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker of pytest-xdist tells the main process what it and its children have used."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["processor_seconds"] = sum(os.times()[:4])


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    node.config.stash[WORKERS].append(getattr(node, "workeroutput", {}).get("processor_seconds", 0.0))


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    workers = config.stash[WORKERS]
    seconds = sum(workers) + sum(os.times()[: 2 if workers else 4])
    terminalreporter.write_line(f"processor time of all tests: {seconds / 60:.1f} minutes")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """`golden(name, text)`: `text` equals the file `golden/name` beside the test; `--update-golden` rewrites it."""

    def check(name: str, text: str) -> None:
        path = Path(request.path).parent / "golden" / name
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        assert path.exists(), f"no snapshot {path.name}: run pytest --update-golden"
        assert text == path.read_text()

    return check
