"""Work on several processors."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")

_MOST = 4
"""Processes at most, each of which needs as much memory as the work itself."""


def side_by_side(work: Callable[[T], R], tasks: Sequence[T]) -> list[R]:
    """What `work` gives for each of the tasks, in as many processes as there are processors, up to four. They are
    copies of this one, which begin with what it knows; where a system has no such copies the tasks go one by one."""
    count = min(len(tasks), len(os.sched_getaffinity(0)), _MOST) if sys.platform == "linux" else 1
    if count < 2:
        return [work(task) for task in tasks]
    with ProcessPoolExecutor(count, mp_context=get_context("fork")) as pool:
        return list(pool.map(work, tasks))
