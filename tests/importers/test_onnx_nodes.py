"""ONNX's own tests of its operators, of all those that are claimed, with integers: imported, evaluated, equal. Where
they and ONNX Runtime differ, which is in how halves are rounded, ONNX Runtime decides. The table of operators in
docs/networks.md is made here."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from functools import cache
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

from halidehw.errors import NetworkError
from halidehw.importers.onnx.network import OPERATORS, imported
from halidehw.importers.steps import Host

PAGE = Path(__file__).parents[2] / "docs/networks.md"

FREE = {"QLinearConv": (0,), "ConvInteger": (0,), "QLinearMatMul": (0, 3), "MatMulInteger": (0, 1), "Clip": (0,),
        "Pad": (0,), "Slice": (0,), "Reshape": (0,), "Resize": (0,), "Unsqueeze": (0,), "Squeeze": (0,)}  # fmt: skip
"""Of these operators, the inputs that are no constants of the network."""

MATRICES = {"QLinearMatMul": 3, "MatMulInteger": 1}
"""The second matrix; as weights it is a constant of two dimensions."""


INTEGERS = {onnx.helper.np_dtype_to_tensor_dtype(np.dtype(kind))
            for kind in (bool, *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)))}  # fmt: skip


NEWEST = 21
"""The opset that its latest tests are run as, since ONNX Runtime is not always as new."""


@cache
def cases() -> dict[str, list[onnx.backend.test.case.test_case.TestCase]]:
    """By operator: the tests of one node of integers."""
    from onnx.backend.test.case.node import collect_testcases

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        every = collect_testcases(None)
    found: dict[str, list[onnx.backend.test.case.test_case.TestCase]] = {}
    for case in every:
        nodes = case.model.graph.node
        if len(nodes) == 1 and ("", nodes[0].op_type) in OPERATORS and of_integers(case):
            found.setdefault(nodes[0].op_type, []).append(case)
    return found


def of_integers(case) -> bool:
    """Whether what passes is integers; scales are floats."""
    kinds = [each.type.tensor_type.elem_type for each in (case.model.graph.input[0], case.model.graph.output[0])]
    return set(kinds) <= INTEGERS and bool(case.data_sets)


def free(op: str, arrays: list[np.ndarray]) -> tuple[int, ...]:
    """Which inputs are tensors."""
    places = FREE.get(op, tuple(range(len(arrays))))
    second = MATRICES.get(op)
    return tuple(at for at in places if at != second or arrays[at].ndim > 2)


def bound(case) -> tuple[onnx.ModelProto, dict[str, np.ndarray]]:
    """The network with its constants, and what it is fed."""
    model = onnx.ModelProto()
    model.CopyFrom(case.model)
    model.ir_version = min(model.ir_version, 10)
    for opset in model.opset_import:
        opset.version = min(opset.version, NEWEST)
    arrays = [np.asarray(each) for each in case.data_sets[0][0]]
    names = [each.name for each in model.graph.input]
    tensors = free(model.graph.node[0].op_type, arrays)
    given = [each for at, each in enumerate(model.graph.input) if at in tensors]
    held = [numpy_helper.from_array(arrays[at], names[at]) for at in range(len(names)) if at not in tensors]
    del model.graph.input[:]
    model.graph.input.extend(given)
    model.graph.initializer.extend(held)
    return model, {names[at]: arrays[at] for at in tensors}


def outcome(case) -> str:
    """How a case ends: `equal`, or why it is not here."""
    model, feeds = bound(case)
    if any(array.size == 0 or array.ndim == 0 for array in feeds.values()):
        return "tensors without elements or dimensions"
    try:
        found = imported(model, case.name)
    except NetworkError as problem:
        return "that ONNX Runtime does not run" if "ONNX Runtime" in problem.message else problem.message
    hosted = [step.reason for step in found.network.steps if isinstance(step, Host)]
    if hosted:
        return f"host: {hosted[0]}"
    (name,) = found.network.outputs
    ours = found.network.evaluate(feeds)[name]
    np.testing.assert_array_equal(ours, found.expected(feeds)[name], err_msg=case.name)
    own = np.asarray(case.data_sets[0][1][0])
    if found.network.layers and own.dtype.kind != "b" and case.model.graph.node[0].op_type.startswith("QLinear"):
        assert np.abs(ours.astype(int) - own.astype(int)).max() <= 1
    else:
        np.testing.assert_array_equal(ours, own, err_msg=case.name)
    return "equal"


def row(op: str) -> str:
    counts = Counter(map(outcome, cases()[op]))
    others = "; ".join(f"{number} {why}" for why, number in sorted(counts.items()) if why != "equal")
    return f"| `{op}` | {counts['equal']} | {others} |"


def test_every_case_of_the_operators_that_are_claimed(request):
    rows = [row(op) for op in sorted(cases())]
    text = PAGE.read_text()
    table = "\n".join(["| operator | ONNX's cases, equal | others |", "| --- | --- | --- |", *rows])
    if request.config.getoption("--update-golden"):
        text = re.sub(r"\| operator \| ONNX's cases.*?\n\n", lambda _: table + "\n\n", text, flags=re.S)
        PAGE.write_text(text)
    assert table in PAGE.read_text()


