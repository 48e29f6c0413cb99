"""What the documentation shows is what happens."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

import halidehw as hl
from halidehw.report.picture import picture

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    str(path.relative_to(ROOT))
    for folder in (".", "docs", "docs/design", "benchmarks")
    for path in (ROOT / folder).glob("*.md")
)
PROGRAM = re.compile(r"^```python\n(.*?)^```\n(?:(?:(?!```).)*?^```text\n(.*?)^```\n)?", re.M | re.S)


def examples(page: str) -> list[tuple[str, str]]:
    """Each Python program of a page and the output printed below it."""
    return PROGRAM.findall((ROOT / page).read_text())


@pytest.mark.parametrize("page", [page for page in PAGES if examples(page)])
def test_programs_print_what_the_page_says(page, tmp_path, monkeypatch, capsys):
    """Each alone, as pasted, in a folder that has the examples."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    for number, (program, output) in enumerate(examples(page)):
        path = tmp_path / f"program{number}.py"
        path.write_text(program)
        runpy.run_path(str(path), run_name="__main__")
        assert capsys.readouterr() == (output, "")


def test_every_kind_of_page_has_programs():
    assert {"README.md", "docs/language.md", "docs/model.md", "docs/tutorial.md"} <= {p for p in PAGES if examples(p)}


def test_the_picture_is_of_the_example(request):
    path, drawn = ROOT / "docs" / "conv.svg", picture(hl.compile(hl.load(ROOT / "examples" / "conv.hh")).accelerator)
    if request.config.getoption("--update-golden"):
        path.write_text(drawn)
    assert path.read_text() == drawn


@pytest.mark.parametrize("page", PAGES)
def test_links_and_named_files_exist(page):
    path = ROOT / page
    for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text()):
        assert (path.parent / target).exists(), target
