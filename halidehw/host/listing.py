"""A file that says what a machine runs: its designs, its bus and memory, and the steps (docs/buses.md)."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np

from halidehw.buses.axi import AXI
from halidehw.driver.build import design_and_graph
from halidehw.driver.draw import random_inputs
from halidehw.driver.files import found_in
from halidehw.errors import ParseError
from halidehw.frontend.design import Design
from halidehw.frontend.load import SUFFIXES, load_all
from halidehw.host.runtime import ROOM
from halidehw.host.steps import Output, Step
from halidehw.machines.machine import Machine, machine
from halidehw.nested import Unreadable, nested
from halidehw.simulate import Memory

_FILE = {"designs": list, "others": list, "machine": dict, "bus": dict, "memory": dict, "bytes": int, "step": list}
_MACHINE = {"name": str, "port_bits": int, "hide_latency": int, "counters": int, "words": int}
_BUS = {"bits": int, "burst": int, "latency": int}
_MEMORY = {"latency": int, "words_per_cycle": (int, float), "stall_probability": (int, float), "stall_seed": int}
_STEP = {"design": str, "inputs": dict, "addresses": dict, "save": str}
_OUTPUT = {"step": int, "output": str}
_LINES = {
    "designs": 'designs = ["layers.py"]', "others": 'others = ["more.py"]', "machine": "[machine]", "bus": "[bus]",
    "memory": "[memory]", "bytes": "bytes = 65536", "step": "[[step]]", "name": 'name = "layers"',
    "port_bits": "port_bits = 64", "hide_latency": "hide_latency = 50", "counters": "counters = 16",
    "words": "words = 4096", "bits": "bits = 128", "burst": "burst = 16", "latency": "latency = 50",
    "words_per_cycle": "words_per_cycle = 1", "stall_probability": "stall_probability = 0.3",
    "stall_seed": "stall_seed = 1", "design": 'design = "first"', "inputs": 'inputs = {image = "image.npy"}',
    "addresses": "addresses = {image = 0}", "save": 'save = "sum.npy"', "output": 'output = "sum"',
}  # fmt: skip
_WHOLE = (_LINES["designs"], _LINES["step"], _LINES["design"])


@dataclass(frozen=True)
class Listing:
    """What a file says. `saved`: the file for the output of a step, by its number."""

    machine: Machine
    steps: tuple[Step, ...]
    bus: AXI
    memory: Memory
    room: int
    saved: Mapping[int, Path]


def listing(path: Path, seed: int = 0) -> Listing:
    """Reads a TOML file and what it names, relative to its folder. Inputs that a step does not name are random.

    Raises ParseError for a file that says something else, and what a design, a machine, a bus and a memory raise.
    """
    try:
        told = nested(tomllib.loads, path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, Unreadable) as problem:
        legal = (f"halidehw simulate {path}",) if path.suffix in SUFFIXES else _WHOLE
        raise ParseError(f"{path} is no TOML: {problem}", legal=legal) from None
    _check(told, _FILE, str(path))
    if not told.get("designs") or not told.get("step"):
        raise ParseError(f"{path} has no {'step' if told.get('designs') else 'designs'}", legal=_WHOLE)
    for name in ("designs", "others"):
        if not all(isinstance(each, str) for each in told.get(name, [])):
            raise _wrong(str(path), name, told[name])
    if told.get("bytes", ROOM) < 1:
        raise _wrong(str(path), "bytes", told["bytes"])
    for name, kinds in (("machine", _MACHINE), ("bus", _BUS), ("memory", _MEMORY)):
        _check(told.get(name, {}), kinds, f"[{name}] of {path}")
    bus, memory = AXI(**told.get("bus", {})), Memory(**told.get("memory", {}))
    members = [design for file in told["designs"] for design in found_in(path.parent / file, load_all)]
    others = [design for file in told.get("others", []) for design in found_in(path.parent / file, load_all)]
    known = dict[str, list[Design]]()
    for design in {id(design): design for design in (*others, *members)}.values():
        known.setdefault(design.name, []).append(design)
    steps = tuple(_step(step, number, known, path, seed) for number, step in enumerate(told["step"]))
    saved = {number: path.parent / step["save"] for number, step in enumerate(told["step"]) if "save" in step}
    made = machine(members, **told.get("machine", {}))
    return Listing(made, steps, bus, memory, told.get("bytes", ROOM), saved)


def _step(told: dict[str, Any], number: int, known: Mapping[str, Sequence[Design]], path: Path, seed: int) -> Step:
    where = f"step {number} of {path}"
    _check(told, _STEP, where)
    if told.get("design") not in known:
        raise ParseError(f"{where} runs {told.get('design', 'no design')}; there are {', '.join(known)}",
                         legal=(f'design = "{next(iter(known))}"',))  # fmt: skip
    if len(known[told["design"]]) > 1:
        raise ParseError(f"{where} runs {told['design']}, and {len(known[told['design']])} designs are called that",
                         legal=(f'Func("{told["design"]}_2")',))  # fmt: skip
    design, graph = design_and_graph(known[told["design"]][0])
    if not all(type(at) is int for at in told.get("addresses", {}).values()):
        raise _wrong(where, "addresses", told["addresses"])
    given = {name: _input(value, f"{name} in {where}", path) for name, value in told.get("inputs", {}).items()}
    unset = {image.name for image in design.inputs if image.buffer is None} - given.keys()
    drawn = random_inputs(graph, seed + number) if unset else {}
    return Step(design, given | {name: drawn[name] for name in unset}, told.get("addresses", {}))


def _input(value: Any, where: str, path: Path) -> np.ndarray | Output:
    """An array of a file, or what a step writes."""
    match value:
        case str():
            try:
                return np.asarray(np.load(path.parent / value))
            except (OSError, ValueError) as problem:
                raise ParseError(f"{where}: {value} is no .npy file: {problem}") from None
        case bool():
            pass
        case int():
            return Output(value)
        case dict():
            _check(value, _OUTPUT, where)
            return Output(value.get("step", 0), value.get("output", ""))
    raise ParseError(f"{where} is {value!r}: it is a file, or the number of a step",
                     legal=('image = "image.npy"', "image = 0", 'image = {step = 0, output = "sum"}'))  # fmt: skip


def _check(told: Any, kinds: Mapping[str, Any], where: str) -> None:
    if not isinstance(told, dict):
        raise ParseError(f"{where} is {told!r}, and no table", legal=[_LINES[name] for name in kinds][:1])
    for name, value in told.items():
        if name not in kinds:
            meant = get_close_matches(name, kinds, 1) or list(kinds)[:1]
            legal = [_LINES[each] for each in meant]
            raise ParseError(f"{where} says {name}; it may say {', '.join(kinds)}", legal=legal)
        if not isinstance(value, kinds[name]) or isinstance(value, bool):
            raise _wrong(where, name, value)


def _wrong(where: str, name: str, value: Any) -> ParseError:
    return ParseError(f"{where}: {name} is {value!r}", legal=(_LINES[name],))
