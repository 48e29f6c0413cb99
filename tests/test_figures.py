"""The paper's figures from the model: each script in its small mode writes a picture and a table of claims."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

FIGURES = Path(__file__).parents[1] / "examples" / "figures"


@pytest.mark.parametrize(
    ("name", "claims", "numbers"),
    [
        pytest.param("figure7a", 1, ["| os4, model |", "| os4, counters |", "0.00% at most by the hardware's counters"],
                     marks=pytest.mark.soak),
        pytest.param("figure7b", 4, ["| conv3 | 6.468 | 0.670 |", "11.7 times"], marks=pytest.mark.soak),
        pytest.param("figure1", 3, ["| loop blocking | 68 |", "half within 1.41x"], marks=pytest.mark.soak),
        ("im2col_figure14", 4, ["| 256 | 1406 | 1790 | 15 | 524 |", "| 9 | 131454 | 8.977 |"]),
        pytest.param("im2col_figure16", 4, ["| 32 | 98.576 | 94.821 |", "to 0.55 of it"], marks=pytest.mark.soak),
        pytest.param("im2col_table1", 5, ["| 34.6445, 311.8008 | agree |"], marks=pytest.mark.soak),
        ("figure10", 1, ["| 1.25x |", "of all 612"]),
        pytest.param("figure11", 4, ["| conv3, 512 B |", "| fc8, 64 B |"], marks=pytest.mark.soak),
        pytest.param("figure12", 3, ["| 32 KB |", "| 512 KB |"], marks=pytest.mark.soak),
        pytest.param("figure8", 3, ["| K \\| C |", "100% against 76%"], marks=pytest.mark.soak),
        pytest.param("figure14", 4, ["| mlp_m |", "| mlp_l: 0.48 TOPS/W |"], marks=pytest.mark.soak),
    ],
)
def test_a_figure(name: str, claims: int, numbers: list[str], tmp_path: Path):
    pytest.importorskip("matplotlib")
    command = [sys.executable, str(FIGURES / f"{name}.py"), "--small", "--out", str(tmp_path)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert ran.returncode == 0, ran.stderr
    page = (tmp_path / f"{name}.md").read_text()
    assert page.strip() in ran.stdout
    rows = [line for line in page.split("| the paper | here | |")[1].splitlines() if line.startswith("| ")]
    assert len(rows) == claims
    assert all(row.endswith("| agree |") or "| disagree: " in row for row in rows)
    assert all(number in page for number in numbers)
    assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")
