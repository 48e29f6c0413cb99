"""A file that says what a machine runs: its designs, its bus and memory, and the steps (docs/buses.md)."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from halidehw.buses.axi import AXI
from halidehw.driver.build import design_and_graph
from halidehw.driver.draw import random_inputs
from halidehw.errors import ParseError
from halidehw.frontend.design import Design
from halidehw.frontend.load import load_all
from halidehw.host.runtime import ROOM
from halidehw.host.steps import Output, Step
from halidehw.machines.machine import Machine, machine
from halidehw.simulate import Memory

_FILE = {"designs": list, "others": list, "machine": dict, "bus": dict, "memory": dict, "bytes": int, "step": list}
_MACHINE = {"name": str, "port_bits": int, "hide_latency": int, "counters": int, "words": int}
_BUS = {"bits": int, "burst": int, "latency": int}
_MEMORY = {"latency": int, "words_per_cycle": (int, float), "stall_probability": (int, float), "stall_seed": int}
_STEP = {"design": str, "inputs": dict, "addresses": dict, "save": str}
_OUTPUT = {"step": int, "output": str}


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
        told = tomllib.loads(path.read_text())
    except tomllib.TOMLDecodeError as problem:
        raise ParseError(f"{path} is no TOML: {problem}") from None
    _check(told, _FILE, str(path))
    if not told.get("designs") or not told.get("step"):
        raise ParseError(f"{path} has no {'step' if told.get('designs') else 'designs'}",
                         legal=('designs = ["layers.py"]', "[[step]]", 'design = "first"'))  # fmt: skip
    for name, kinds in (("machine", _MACHINE), ("bus", _BUS), ("memory", _MEMORY)):
        _check(told.get(name, {}), kinds, f"[{name}] of {path}")
    bus, memory = AXI(**told.get("bus", {})), Memory(**told.get("memory", {}))
    members = [design for file in told["designs"] for design in load_all(path.parent / file)]
    others = [design for file in told.get("others", []) for design in load_all(path.parent / file)]
    known = {design.name: design for design in (*others, *members)}
    steps = tuple(_step(step, number, known, path, seed) for number, step in enumerate(told["step"]))
    saved = {number: path.parent / step["save"] for number, step in enumerate(told["step"]) if "save" in step}
    made = machine(members, **told.get("machine", {}))
    return Listing(made, steps, bus, memory, told.get("bytes", ROOM), saved)


def _step(told: dict[str, Any], number: int, known: Mapping[str, Design], path: Path, seed: int) -> Step:
    where = f"step {number} of {path}"
    _check(told, _STEP, where)
    if told.get("design") not in known:
        raise ParseError(f"{where} runs {told.get('design', 'no design')}; there are {', '.join(known)}",
                         legal=(f'design = "{next(iter(known))}"',))  # fmt: skip
    design, graph = design_and_graph(known[told["design"]])
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


def _check(told: Mapping[str, Any], kinds: Mapping[str, Any], where: str) -> None:
    for name, value in told.items():
        if name not in kinds:
            raise ParseError(f"{where} says {name}; it may say {', '.join(kinds)}")
        if not isinstance(value, kinds[name]) or isinstance(value, bool):
            raise ParseError(f"{where}: {name} is {value!r}")
