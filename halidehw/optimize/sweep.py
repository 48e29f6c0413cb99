"""Many searches at once: processes on this machine or a Dask cluster, with a journal to resume from.

Tasks are independent and their answers do not depend on who computes them, so any number of workers gives the same
results in the same order. A worker that dies is replaced and its task done again.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path
from shlex import quote
from typing import Any, NoReturn

from halidehw.errors import CostError, SourceLine
from halidehw.mapping.architecture import Architecture
from halidehw.mapping.layer import Layer
from halidehw.optimize import kept
from halidehw.optimize.options import Options
from halidehw.optimize.solve import optimize_with

BEGIN = '{"key": "'
"""How a line of a journal begins, torn or not."""

ATTEMPTS = 3
"""How often tasks are started anew after workers died."""


@dataclass(frozen=True)
class Task:
    layer: Layer
    arch: Architecture
    options: Options

    @property
    def key(self) -> str:
        """The same for the same layer shape, architecture and options, in every process."""
        plain = asdict(self)
        for unused in ("name", "repeat"):
            plain["layer"].pop(unused)
        if self.arch.table:
            plain["arch"]["table"].pop("file")
        return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()[:24]


@dataclass(frozen=True)
class Journal:
    """Answers by task key, one JSON line each, appended as they come; unfinished lines are ignored.

    Raises CostError for a file that is something else.
    """

    file: Path

    def read(self) -> dict[str, dict[str, Any]]:
        if not self.file.exists():
            return {}
        answers = {}
        for number, line in enumerate(self.file.read_text(errors="replace").splitlines(), 1):
            try:
                entry = json.loads(line)
                answers[entry["key"]] = entry["answer"]
            except json.JSONDecodeError:
                if not BEGIN.startswith(line[: len(BEGIN)]):
                    self._refuse(number, line)
            except (ValueError, TypeError, KeyError, RecursionError):
                self._refuse(number, line)
        return answers

    def _refuse(self, number: int, line: str) -> NoReturn:
        names = (self.file.with_name(f"{self.file.stem}{each or ''}.journal") for each in count())
        raise CostError(
            f"{self.file} is no journal of searches",
            legal=[f"--journal {quote(str(next(name for name in names if not name.exists())))}"],
            source=SourceLine(str(self.file), number, line.strip()[:80]),
        )

    def append(self, key: str, answer: dict[str, Any]) -> None:
        with self.file.open("a") as out:
            out.write("\n" * self._unfinished() + json.dumps({"key": key, "answer": answer}) + "\n")
            out.flush()
            os.fsync(out.fileno())

    def _unfinished(self) -> bool:
        if not self.file.exists() or not self.file.stat().st_size:
            return False
        with self.file.open("rb") as text:
            text.seek(-1, os.SEEK_END)
            return text.read(1) != b"\n"


def solve(task: Task) -> dict[str, Any]:
    """The answer to one task as plain values; an infeasible one has the keys `infeasible`, the
    reason, and `legal`, what would work."""
    try:
        return optimize_with(task.layer, task.arch, task.options).as_json()
    except CostError as reason:
        return {"infeasible": reason.message, "legal": list(reason.legal)}


def sweep(
    tasks: list[Task],
    *,
    workers: int | None = None,
    cluster: str | None = None,
    journal: Path | None = None,
    warm: bool = False,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[dict[str, Any]]:
    """The answers to `tasks`, in their order.

    `workers`: processes (None: one per core); `cluster`: the address of a Dask scheduler instead; `journal`: a file
    of answers that is read first and appended to; `warm`: recall what was asked before, and keep what is new;
    `progress(done, total)` is called after each answer. Raises CostError when the cluster cannot be reached or Dask is
    not installed, or workers keep dying.
    """
    store = Journal(journal) if journal else None
    answers = store.read() if store else {}
    wanted = {task.key: task for task in tasks}
    if warm:
        recalled = {key: kept.recall(key) for key in wanted if key not in answers}
        found = {key: answer for key, answer in recalled.items() if answer}
        answers |= found
        if store:
            for key, answer in found.items():
                store.append(key, {**answer, "kept": False})
    missing = {key: task for key, task in wanted.items() if key not in answers}
    progress(len(wanted) - len(missing), len(wanted))
    compute = _on_cluster(missing, cluster) if cluster is not None else _on_processes(missing, workers)
    for key, answer in compute:
        answers[key] = answer
        if store:
            store.append(key, answer)
        if warm:
            keep(missing[key], answer)
        progress(sum(each in answers for each in wanted), len(wanted))
    if warm and missing:
        kept.prune()
    return [_named(task, answers[task.key]) for task in tasks]


def solve_warm(task: Task) -> dict[str, Any]:
    """As `solve`, recalled if it was asked before, else kept; raises CostError where nothing is feasible."""
    answer = kept.recall(task.key)
    if answer is None:
        answer = optimize_with(task.layer, task.arch, task.options).as_json()
        keep(task, answer)
        kept.prune()
    return _named(task, answer)


def keep(task: Task, answer: dict[str, Any]) -> None:
    """Keep an answer that does not depend on the speed of a machine."""
    if "infeasible" not in answer and task.options.time_limit is None:
        kept.keep(task.key, answer)


def _named(task: Task, answer: dict[str, Any]) -> dict[str, Any]:
    """The answer under the name of this task's layer: equal layers share one."""
    return {**answer, "layer": task.layer.name}


def _on_processes(tasks: dict[str, Task], workers: int | None) -> Iterator[tuple[str, dict[str, Any]]]:
    from joblib import Parallel, delayed
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    remaining = dict(tasks)
    for _ in range(ATTEMPTS):
        if not remaining:
            return
        run = Parallel(n_jobs=workers or -1, return_as="generator_unordered", pre_dispatch="all", batch_size=1)
        try:
            for key, answer in run(delayed(_keyed)(key, task) for key, task in list(remaining.items())):
                del remaining[key]
                yield key, answer
        except TerminatedWorkerError:
            continue
    if remaining:
        raise CostError(f"workers died {ATTEMPTS} times; {len(remaining)} of {len(tasks)} searches are not done")


def _keyed(key: str, task: Task) -> tuple[str, dict[str, Any]]:
    return key, solve(task)


def _on_cluster(tasks: dict[str, Task], address: str) -> Iterator[tuple[str, dict[str, Any]]]:
    try:
        from distributed import Client, as_completed
    except ImportError:
        raise CostError("a cluster needs Dask", legal=["pip install halidehw[cluster]"]) from None
    try:
        client = Client(address, timeout=10)
    except (OSError, ValueError) as problem:
        why = f"no Dask scheduler at {address}: {problem}"
        raise CostError(why, legal=["--cluster tcp://127.0.0.1:8786"]) from None
    with client:
        futures = [
            client.submit(_keyed, key, task, key=f"halidehw-{key}", retries=ATTEMPTS) for key, task in tasks.items()
        ]
        for future in as_completed(futures):
            yield future.result()
