"""What `import halidehw` brings with it: what writes algorithms. The rest comes when it is first used."""

from __future__ import annotations

import subprocess
import sys

import pytest

import halidehw

HEAVY = ["amaranth", "cocotb", "dask", "matplotlib", "pytest", "rich", "sympy", "yaml"]
ALGORITHM = """
import halidehw as hl
x, f, image = hl.Var("x"), hl.Func("f"), hl.ImageParam(hl.Int(8), 1, "image")
f[x] = hl.i32(image[x]) + hl.i32(image[x + 1])
f.bound(x, 0, 8)
"""


@pytest.mark.parametrize("program", ["import halidehw", ALGORITHM], ids=["alone", "an_algorithm"])
def test_heavy_modules_wait_until_they_are_used(program: str):
    found = f"import sys; print([name for name in {HEAVY} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", f"{program}\n{found}"], capture_output=True, text=True)
    assert run.stdout.strip() == "[]", run.stdout + run.stderr


@pytest.mark.parametrize("command", ["check", "estimate", "optimize"])
def test_commands_wait_for_no_expressions(command: str):
    """Sizes and loops are numbers here; what prints expressions loads the library for them."""
    run = f"from halidehw.commands.{command} import *; import sys; print('sympy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", run], capture_output=True, text=True).stdout == "False\n"


def test_every_name_is_there():
    assert [name for name in halidehw.__all__ if not hasattr(halidehw, name)] == []
    assert set(halidehw.__all__) <= set(dir(halidehw))


def test_simulate_is_the_function_whatever_was_imported_first():
    program = "import halidehw.simulate.build, halidehw.driver.run, halidehw as hl; print(callable(hl.simulate))"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout == "True\n"


def test_names_that_are_not_there():
    with pytest.raises(AttributeError, match="module 'halidehw' has no attribute 'nothing'"):
        _ = halidehw.nothing
