"""Design files: what `load` takes as the design, and what it says when there is none."""

from pathlib import Path

import pytest

from halidehw import load
from halidehw.errors import ParseError, ScheduleError
from halidehw.frontend.load import EXAMPLE

TEXT = "Var x; ImageParam a(Int(16), 1); Func f; f(x) = a(x); f.accelerate({a});"
PYTHON = """
from halidehw.expr.expr import Var
from halidehw.frontend.func import Func
from halidehw.frontend.params import ImageParam
from halidehw.expr.types import Int

x, a, f, g = Var("x"), ImageParam(Int(16), 1, "a"), Func("f"), Func("g")
f[x] = a[x]
g[x] = f[x] + 1
assert __name__ != "__main__"
"""


def written(folder: Path, text: str, name: str = "file.py") -> Path:
    (folder / name).write_text(text)
    return folder / name


def failure(path: Path) -> ParseError:
    with pytest.raises(ParseError) as caught:
        load(path)
    return caught.value


def test_a_text(tmp_path: Path) -> None:
    assert load(written(tmp_path, TEXT, "file.hh")).name == "f"


@pytest.mark.parametrize(
    "ending",
    [
        "design = g",
        "from halidehw.frontend.design import design_of\ndesign = design_of(g)",
        "g.accelerate([a])",
        "g.accelerate([a]); alias = g",
        "f.accelerate([a]); g.accelerate([a]); design = g",
    ],
)
def test_a_python_file_names_its_design_or_accelerates_one_func(tmp_path: Path, ending: str) -> None:
    design = load(str(written(tmp_path, PYTHON + ending)))
    assert design.name == "g" and [func.name for func in design.funcs] == ["f", "g"]


def test_a_folder(tmp_path: Path) -> None:
    found = failure(written(tmp_path, PYTHON + "design = g").parent)
    assert found.message == f"{tmp_path} is a folder; a design is a file, .hh or .py"
    assert found.legal == (f'load("{tmp_path / "file.py"}")',)


def test_a_folder_proposes_nothing_but_designs(tmp_path: Path) -> None:
    """Not what holds none, is broken, or accelerates inside of a function; none of them is run."""
    written(tmp_path, TEXT, "a.hh")
    written(tmp_path, "Var x; Func", "b.hh")
    written(tmp_path, PYTHON + "g.accelerate([a])", "c.py")
    written(tmp_path, "def made(f): return f.accelerate([])", "d.py")
    written(tmp_path, "raise SystemExit", "e.py")
    written(tmp_path, "design =", "f.py")
    (tmp_path / "g.py").mkdir()
    assert failure(tmp_path).legal == tuple(f'load("{tmp_path / name}")' for name in ("a.hh", "c.py"))


def test_a_python_file_without_a_design(tmp_path: Path) -> None:
    found = failure(written(tmp_path, PYTHON))
    assert found.message.endswith("file.py accelerates no Func, and does not say which one is its design")
    assert found.legal == ("design = g",)


BUILD = PYTHON.replace("\n", "\n    ") + "g.accelerate([a])\n    return g\n"
MANY = "many, table = [3, build(1)], {'a': (build(2))}"


@pytest.mark.parametrize(("program", "proposed"), [
    ("x = 3", (EXAMPLE,)),
    ("from halidehw import Func\nf = Func('f')", (EXAMPLE,)),
    ("design = 3", (EXAMPLE,)),
    ("if __name__ == '__main__':\n    design = 3", (EXAMPLE,)),
    (f"def build(size=3):{BUILD}", ("design = build()",)),
    (f"def build(size):{BUILD}", (EXAMPLE,)),
    (f"def build(size):{BUILD}{MANY}", ("design = many[1]", "design = table['a']")),
    (f"def build():{BUILD.replace('return g', 'return 3')}", (EXAMPLE,)),
    ("def build(f=None):\n    return f.accelerate([])", ("design = build()",)),
])  # fmt: skip
def test_a_python_file_whose_funcs_have_no_names(tmp_path: Path, program: str, proposed: tuple[str, ...]) -> None:
    """Nothing was proposed."""
    found = failure(written(tmp_path, program))
    assert found.legal == proposed and found.message.endswith("as __main__") == program.startswith("if __name__")
    for line in proposed if "None" not in program else ():
        assert load(written(tmp_path, f"{program}\n{line}\n")).name in "fg"


def test_what_is_proposed_as_a_design_is_there(tmp_path: Path) -> None:
    more = "h = Func('h')\nh[x] = a[x]\nempty, again = Func('e'), h\n"
    assert failure(written(tmp_path, PYTHON + more)).legal == ("design = g", "design = h")
    assert failure(written(tmp_path, PYTHON + more + "design = 3")).legal == ("design = g", "design = h")
    assert load(written(tmp_path, PYTHON + more + "design = h")).name == "h"


def test_a_python_file_with_two_accelerated_funcs(tmp_path: Path) -> None:
    found = failure(written(tmp_path, PYTHON + "f.accelerate([a]); g.accelerate([a])"))
    assert found.message.endswith("accelerates f, g, and does not say which one is its design")
    assert found.legal == ("design = f", "design = g")


def test_a_design_that_is_none(tmp_path: Path) -> None:
    found = failure(written(tmp_path, "design = 3"))
    assert found.message.endswith("file.py is int, neither a Func nor a Pipeline nor a Design")


def test_errors_of_the_file_itself_pass_through(tmp_path: Path) -> None:
    with pytest.raises(ScheduleError, match="the factor 0 is not a positive number") as caught:
        load(written(tmp_path, PYTHON + "f.split(x, 'xo', 'xi', 0)"))
    assert caught.value.source is not None and caught.value.source.text == "f.split(x, 'xo', 'xi', 0)"


def test_a_missing_file(tmp_path: Path) -> None:
    assert failure(tmp_path / "none.hh").message == f"there is no file {tmp_path / 'none.hh'}"


def test_another_kind_of_file(tmp_path: Path) -> None:
    found = failure(tmp_path / "design.txt")
    assert found.message.endswith("design.txt is neither a .hh text nor a Python file")
    assert found.legal == ()
    written(tmp_path, TEXT, "design.hh")
    assert failure(tmp_path / "design.txt").legal == (str(tmp_path / "design.hh"),)


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "file.hh").write_bytes(b"Var \xff;")
    assert failure(tmp_path / "file.hh").message.endswith("file.hh is not a UTF-8 text: byte 4 is 0xff")
