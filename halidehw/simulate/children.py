"""Other programs, none of which outlives the call that started it."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

AT_ONCE = min(2, os.cpu_count() or 1)


@contextmanager
def child(command: Sequence[str], **options: Any) -> Iterator[subprocess.Popen[str]]:
    """A program, for `options` see Popen; whatever ends the block ends it too, with all that it has started."""
    process = subprocess.Popen(command, text=True, start_new_session=True, **options)
    try:
        yield process
    finally:
        if process.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def finished(
    commands: Sequence[Sequence[str]], folder: Path, environment: dict[str, str] | None = None
) -> list[tuple[int, str, str]]:
    """Run programs in a folder, a few side by side: the exit code of each, what it printed, and its errors."""
    with ExitStack() as stack:
        running: list[tuple[subprocess.Popen[str], IO[str], IO[str]]] = []
        for number, command in enumerate(commands):
            if number >= AT_ONCE:
                running[number - AT_ONCE][0].wait()
            out, err = (stack.enter_context(TemporaryFile("w+", errors="replace")) for _ in range(2))
            process = child(command, cwd=folder, env=environment, stdout=out, stderr=err)
            running.append((stack.enter_context(process), out, err))
        return [(process.wait(), _text(out), _text(err)) for process, out, err in running]


def _text(file: IO[str]) -> str:
    file.seek(0)
    return file.read()
