"""Shared by all tests: the golden-snapshot fixture and hypothesis profiles."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("halidehw", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("halidehw")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite the golden snapshots instead of comparing")


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
