"""Small netlists, in the JSON of Yosys, of a library with inverters, exclusive ors and registers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from halidehw.synthesis.liberty import Cell, CellLibrary, Register

LIBRARY = CellLibrary(
    "few",
    Path("few.lib"),
    1.8,
    {
        "INV": Cell("INV", 1.0, ("A",), {"Y": 0b01}, None),
        "XOR": Cell("XOR", 2.0, ("A", "B"), {"Y": 0b0110}, None, {"A": 0.25, "B": 0.5}),
        "FLOP": Cell("FLOP", 4.0, ("CLK", "D"), {}, Register("Q", "D", "CLK"), {"CLK": 9.0, "D": 1.0}),
        "WIDE": Cell("WIDE", 4.0, ("A", "B", "C", "D", "E"), {"Y": 0}, None),
    },
)


def module(ports: dict[str, tuple[str, list]], cells: dict[str, tuple[str, dict[str, list]]], **attributes: str) -> Any:
    return {
        "attributes": attributes,
        "ports": {name: {"direction": side, "bits": bits} for name, (side, bits) in ports.items()},
        "cells": {
            name: {"type": kind, "connections": pins, "parameters": {}, "attributes": {}}
            for name, (kind, pins) in cells.items()
        },
    }


def counter() -> str:
    """Two bits that count cycles, the toggle of each in a module of its own; `wide` is both and a constant."""
    toggle = module(
        {"clk": ("input", [2]), "enable": ("input", [3]), "q": ("output", [4])},
        {
            "$1": ("FLOP", {"CLK": [2], "D": [5], "Q": [4]}),
            "$2": ("XOR", {"A": [3], "B": [4], "Y": [5]}),
        },
    )
    top = module(
        {"clk": ("input", [2]), "wide": ("output", [3, 4, "1"]), "in": ("input", [9]), "same": ("output", [9])},
        {
            "low": (r"$paramod$1\toggle", {"clk": [2], "enable": ["1"], "q": [3]}),
            "high": (r"$paramod$1\toggle", {"clk": [2], "enable": [3], "q": [4]}),
        },
        top="00000000000000000000000000000001",
    )
    return json.dumps({"modules": {r"$paramod$1\toggle": toggle, "counter": top}})


def loop() -> str:
    top = module(
        {"y": ("output", [2])},
        {"a": ("INV", {"A": [3], "Y": [2]}), "b": ("INV", {"A": [2], "Y": [3]})},
        top="1",
    )
    return json.dumps({"modules": {"loop": top}})


def single(kind: str, inputs: str) -> str:
    pins = {pin: [place + 2] for place, pin in enumerate(inputs)} | {"Y": [20]}
    return json.dumps({"modules": {"single": module({"y": ("output", [20])}, {"g": (kind, pins)}, top="1")}})
