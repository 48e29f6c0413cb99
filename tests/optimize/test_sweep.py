"""Sweeps: the same answers whoever computes them, through dying workers and clients."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from halidehw.errors import CostError
from halidehw.mapping.layer import Layer
from halidehw.optimize import Options, architecture
from halidehw.optimize.sweep import Journal, Task, sweep

pytest.importorskip("joblib")

SHAPES = [Layer(k=16 * n, c=8 * n, ox=7, oy=7, fx=3, fy=3, name=f"layer{n}") for n in range(1, 9)]


def tasks():
    return [Task(layer, architecture("eyeriss"), Options()) for layer in SHAPES]


def timeless(answers):
    return [{key: value for key, value in answer.items() if key != "seconds"} for answer in answers]


@pytest.fixture(scope="module")
def expected():
    return timeless(sweep(tasks(), workers=1))


def test_any_number_of_workers_gives_the_same(expected):
    assert timeless(sweep(tasks(), workers=2)) == expected
    assert [answer["layer"] for answer in expected] == [layer.name for layer in SHAPES]


@pytest.mark.soak
def test_the_widest_space_gives_the_same_in_any_order_with_any_number_of_workers():
    widest = Options("any", replicate=True, ragged=True)
    each = [Task(layer, architecture(name), widest) for layer in SHAPES[:1] for name in ("eyeriss", "interstellar")]
    assert timeless(sweep(each, workers=1)) == timeless(sweep(each[::-1], workers=2))[::-1]


def test_equal_layers_are_searched_once_and_keep_their_names():
    twice = [Task(Layer(k=8, c=8, name=name), architecture("eyeriss"), Options()) for name in ("one", "two")]
    seen = []
    answers = sweep(twice, workers=1, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(0, 1), (1, 1)]
    assert [answer["layer"] for answer in answers] == ["one", "two"]


def test_a_journal_is_resumed_even_when_its_last_line_is_torn(tmp_path, expected):
    journal = tmp_path / "journal.jsonl"
    sweep(tasks(), workers=1, journal=journal)
    text = journal.read_text()
    journal.write_text(text[: len(text) * 2 // 3])
    held = len(Journal(journal).read())
    assert 0 < held < len(SHAPES)
    seen = []
    answers = sweep(tasks(), workers=1, journal=journal, progress=lambda done, total: seen.append(done))
    assert seen[0] == held
    assert timeless(answers) == expected
    assert len(Journal(journal).read()) == len(SHAPES)


def test_a_journal_has_what_was_kept_too(tmp_path, monkeypatch, expected):
    """Answers that were asked before were not in it, so it could not be taken to another machine."""
    monkeypatch.setenv("HALIDEHW_CACHE", str(tmp_path))
    sweep(tasks(), workers=1, warm=True)
    journal = tmp_path / "journal.jsonl"
    assert all(answer["kept"] for answer in sweep(tasks(), workers=1, warm=True, journal=journal))
    assert len(Journal(journal).read()) == len(SHAPES)
    assert timeless(sweep(tasks(), workers=1, journal=journal)) == expected


@pytest.mark.soak
def test_a_killed_worker_is_replaced(expected):
    from joblib.externals.loky import reusable_executor

    killed = []

    def kill(done, total):
        if done == 2 and not killed:
            killed.append(next(iter(reusable_executor._executor._processes)))
            os.kill(killed[0], signal.SIGKILL)

    assert timeless(sweep(tasks(), workers=2, progress=kill)) == expected
    assert killed


CLIENT = """
from pathlib import Path
import sys
from tests.optimize.test_sweep import tasks
from halidehw.optimize.sweep import sweep
sweep(tasks(), workers=1, journal=Path(sys.argv[1]))
"""


@pytest.mark.soak
def test_a_killed_client_is_resumed(tmp_path, expected):
    journal = tmp_path / "journal.jsonl"
    root = os.getcwd()
    client = subprocess.Popen(
        [sys.executable, "-c", CLIENT, str(journal)],
        cwd=root,
        env={**os.environ, "PYTHONPATH": root + os.pathsep + os.environ.get("PYTHONPATH", "")},
    )
    deadline = time.monotonic() + 60
    while len(Journal(journal).read()) < 2 and time.monotonic() < deadline:
        time.sleep(0.01)
    client.kill()
    client.wait()
    assert len(Journal(journal).read()) >= 2
    assert timeless(sweep(tasks(), workers=1, journal=journal)) == expected


def test_a_cluster_gives_the_same_even_when_a_worker_is_killed(expected):
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 2, "threads_per_worker": 1, "host": "127.0.0.1", "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster:
        workers = [nanny.pid for nanny in cluster.workers.values()]

        def kill(done, total):
            if done == 2 and workers:
                os.kill(workers.pop(), signal.SIGKILL)

        assert timeless(sweep(tasks(), cluster=cluster.scheduler_address, progress=kill)) == expected
        assert len(workers) == 1


def test_no_cluster_at_an_address():
    pytest.importorskip("distributed")
    with pytest.raises(CostError, match=r"no Dask scheduler at tcp://127\.0\.0\.1:9: "):
        sweep(tasks(), cluster="tcp://127.0.0.1:9")


def test_an_infeasible_task_says_why_and_leaves_the_others():
    small = Task(SHAPES[0], architecture("eyeriss"), Options(max_cycles=10))
    answers = sweep([small, tasks()[1]], workers=1)
    assert "no mapping takes at most 10 cycles" in answers[0]["infeasible"]
    assert answers[1]["optimal"]


@pytest.mark.parametrize(
    "text", ['{"a": 1}\n', "garbage\n", '["key", "answer"]\n', "3\n", "[" * 100000], ids=lambda text: text[:20]
)
@pytest.mark.parametrize("name", ["notes.txt", "notes.journal"])
def test_a_file_that_is_no_journal_is_left_alone(tmp_path, text, name):
    journal = tmp_path / name
    journal.write_text(text)
    with pytest.raises(CostError, match=f"{name} is no journal of searches") as caught:
        sweep(tasks(), workers=1, journal=journal)
    assert not Path(caught.value.legal[0].removeprefix("--journal ")).exists()
    assert journal.read_text() == text
