"""What the documentation shows is what happens."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import halidehw as hl
from halidehw.report.picture import picture

ROOT = Path(__file__).parents[1]
PAGES = ("README.md", "docs/language.md", "docs/tutorial.md")


def examples(page: str) -> list[tuple[str, str]]:
    """Each Python program of a page and the output printed below it."""
    text = (ROOT / page).read_text()
    return re.findall(r"^```python\n(.*?)^```\n.*?^```text\n(.*?)^```\n", text, re.M | re.S)


@pytest.mark.parametrize("page", PAGES)
def test_programs_print_what_the_page_says(page, tmp_path):
    found = examples(page)
    assert found
    for number, (program, output) in enumerate(found):
        path = tmp_path / f"program{number}.py"
        path.write_text(program)
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        done = subprocess.run([sys.executable, path], env=environment, cwd=tmp_path, capture_output=True, text=True)
        assert (done.stderr, done.stdout) == ("", output)


def test_the_picture_is_of_the_example(request):
    path, drawn = ROOT / "docs" / "conv.svg", picture(hl.compile(hl.load(ROOT / "examples" / "conv.hh")).accelerator)
    if request.config.getoption("--update-golden"):
        path.write_text(drawn)
    assert path.read_text() == drawn


@pytest.mark.parametrize("page", ["README.md", *(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md"))])
def test_links_and_named_files_exist(page):
    path = ROOT / page
    for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text()):
        assert (path.parent / target).exists(), target
