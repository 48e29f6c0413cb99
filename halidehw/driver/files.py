"""What is in a file of the user's, whose own Python may stop."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import TypeVar

from halidehw.errors import HalideHWError, ParseError

T = TypeVar("T")


def found_in(file: Path, load: Callable[[Path], T]) -> T:
    """What `load` finds; what the file prints goes to standard error, as standard output has what was asked for.
    Raises `ParseError`, with the line, for an exception of the file's own, and what `load` raises."""
    try:
        with redirect_stdout(sys.stderr):
            return load(file)
    except (HalideHWError, OSError):
        raise
    except (Exception, SystemExit) as error:
        place = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(file)]
        line = f"\n  at {file}:{place[-1].lineno}\n    {place[-1].line}" if place else ""
        raise ParseError(f"{file} stops with {type(error).__name__}: {error}{line}") from error
