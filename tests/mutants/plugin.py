"""For pytest (`-p tests.mutants.plugin`): the package with a change, or a note of which test calls which function.

HALIDEHW_CHANGE: the change, as JSON. HALIDEHW_CALLS: the file for the notes, a line of JSON for each test: its
name, the functions, and its seconds.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

from tests.mutants.source import ROOT, Change, changed

_PACKAGE = str(ROOT / "halidehw")


def _install(change: Change) -> None:
    target, read = str(ROOT / change.file), SourceFileLoader.get_code

    def get_code(self: SourceFileLoader, fullname: str) -> CodeType | None:
        if self.path != target:
            return read(self, fullname)
        return compile(changed(Path(target).read_text(), change), target, "exec")

    SourceFileLoader.get_code = get_code  # type: ignore[method-assign]


if text := os.environ.get("HALIDEHW_CHANGE"):
    _install(Change(**json.loads(text)))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Note the functions of the package that a test calls, its fixtures included."""
    notes = os.environ.get("HALIDEHW_CALLS")
    if not notes:
        yield
        return
    called: set[CodeType] = set()
    begun = time.monotonic()

    def trace(frame: FrameType, event: str, argument: Any) -> None:
        called.add(frame.f_code)

    sys.settrace(trace)
    yield
    sys.settrace(None)
    inside = sorted({f"{os.path.relpath(code.co_filename, ROOT)}:{code.co_firstlineno}" for code in called
                     if code.co_filename.startswith(_PACKAGE)})  # fmt: skip
    with open(notes, "a") as stream:
        stream.write(json.dumps([item.nodeid, inside, round(time.monotonic() - begun, 2)]) + "\n")
