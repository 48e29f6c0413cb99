"""The optimizer beside ZigZag (zigzag-dse): the same layers, array and memories, both mappings under one cost model.

    python benchmarks/optimizer.py examples/networks.json:alexnet [--arch eyeriss] [--only conv3] [--keep FILE]

Needs `pip install zigzag-dse six` for the comparison; without it only our own times are printed. ZigZag searches
with its default engine and loop limit, for energy, with mappings in which all operands split their loops at the same
places (`even`), so that both tools search the same kind of mapping; sums are as wide as words for both. Seconds are
processor time. `--keep FILE` keeps ZigZag's mappings and seconds, as it takes minutes, and takes those that are there:
to cost them by another model.
"""

from __future__ import annotations

import argparse
import json
import logging
import time
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from halidehw.errors import CostError
from halidehw.mapping.architecture import Architecture
from halidehw.mapping.evaluate import evaluate
from halidehw.mapping.layer import DIMS, Layer, load_network
from halidehw.mapping.mapping import Mapping
from halidehw.optimize import architecture, optimize

NAMES = {"B": "B", "G": "G", "K": "K", "C": "C", "Y": "OY", "X": "OX", "FY": "FY", "FX": "FX"}
MEMORY_OPERANDS = {"I": "I1", "W": "I2", "O": "O"}


@dataclass(frozen=True)
class Row:
    layer: str
    ours_s: float
    ours_pj: float
    theirs_s: float
    theirs_pj: float

    def __str__(self) -> str:
        ratio = f"{self.theirs_pj / self.ours_pj:8.3f}" if self.theirs_pj else "       -"
        return (
            f"{self.layer:20}{self.ours_s:9.3f}{self.ours_pj / 1e6:14.1f}"
            f"{self.theirs_s:11.2f}{self.theirs_pj / 1e6:14.1f}{ratio}"
        )


def memory(arch: Architecture, at: int) -> dict[str, Any]:
    """One level of ours as ZigZag describes it: ports of one word, so that a word costs one access."""
    level, word = arch.levels[at], arch.word_bits
    outermost = at == len(arch.levels) - 1
    ports = [
        {"type": "read_write", "allocation": [f"{operand}, {way}" for operand in ("I1", "I2") for way in ways]}
        for ways in (("tl",), *(() if outermost else (("fh",),)))
    ]
    ports[0]["allocation"] += ["O, tl", "O, fl"]
    if not outermost:
        ports[1]["allocation"] += ["O, fh", "O, th"]
    return {
        "size": (level.words or 10**12) * word,
        "r_cost": level.energy,
        "w_cost": level.energy,
        "area": 0,
        "latency": 1,
        "auto_cost_extraction": False,
        "operands": list(MEMORY_OPERANDS.values()),
        "ports": [
            {"name": f"rw_port_{n + 1}", "bandwidth_min": word, "bandwidth_max": 1024 * word, **p}
            for n, p in enumerate(ports)
        ],
        "served_dimensions": [] if level.per_pe else [f"D{d + 1}" for d in range(len(arch.array))],
    }


def accelerator(arch: Architecture) -> dict[str, Any]:
    return {
        "name": arch.name,
        "memories": {level.name: memory(arch, at) for at, level in enumerate(arch.levels)},
        "operational_array": {
            "unit_energy": arch.mac,
            "unit_area": 1,
            "input_precision": [arch.word_bits, arch.word_bits],
            "dimensions": [f"D{d + 1}" for d in range(len(arch.array))],
            "sizes": list(arch.array),
        },
    }


def workload(layer: Layer) -> list[dict[str, Any]]:
    relations = [
        f"{i} = {stride}*{out} + {dilation}*{tap}"
        for i, out, tap in (("IX", "OX", "FX"), ("IY", "OY", "FY"))
        for stride, dilation in [layer.steps(out[1])]
    ]
    return [
        {
            "id": 0,
            "name": layer.name,
            "operator_type": "Conv",
            "equation": "O[b][g][k][oy][ox]+=W[g][k][c][fy][fx]*I[b][g][c][iy][ix]",
            "dimension_relations": [relation.lower() for relation in relations],
            "loop_dims": list(NAMES.values()),
            "loop_sizes": list(layer.extents),
            "operand_precision": {"W": 16, "I": 16, "O": 16, "O_final": 16},
            "operand_source": {"I": 0, "W": 0},
        }
    ]


def spatial(layer: Layer, arch: Architecture, dataflow: tuple[str, ...]) -> dict[str, Any]:
    extents = dict(zip(DIMS, layer.extents, strict=True))
    lanes = {}
    for axis, (dim, size) in enumerate(zip(dataflow, arch.array, strict=True)):
        lanes[f"D{axis + 1}"] = [f"{NAMES[dim]}, {max(n for n in range(1, size + 1) if extents[dim] % n == 0)}"]
    return {"name": "default", "spatial_mapping": lanes, "memory_operand_links": {"O": "O", "W": "I2", "I": "I1"}}


def zigzag(layer: Layer, arch: Architecture, dataflow: tuple[str, ...], folder: Path) -> Mapping:
    """ZigZag's best mapping for energy (by its own cost model), as one of ours."""
    import yaml
    from zigzag.api import get_hardware_performance_zigzag

    for name, content in (
        ("workload", workload(layer)),
        ("accelerator", accelerator(arch)),
        ("mapping", [spatial(layer, arch, dataflow)]),
    ):
        (folder / f"{name}.yaml").write_text(yaml.safe_dump(content, sort_keys=False))
    *_, found = get_hardware_performance_zigzag(
        *(str(folder / f"{name}.yaml") for name in ("workload", "accelerator", "mapping")),
        opt="energy",
        temporal_mapping_type="even",
        dump_folder=str(folder / "out"),
        loma_show_progress_bar=False,
    )
    evaluation, _ = found[0][1][0]
    return mapping_of(evaluation, layer, dataflow)


def mapping_of(evaluation: Any, layer: Layer, dataflow: tuple[str, ...]) -> Mapping:
    ours = {theirs: name for name, theirs in NAMES.items()}
    levels = next(iter(evaluation.temporal_mapping.mapping_dic_origin.values()))
    temporal = []
    for loops in levels:
        merged: dict[str, int] = {}
        for dim, trips in loops:
            name = ours[str(dim)]
            merged[name] = merged.get(name, 1) * int(trips)
        temporal.append(tuple(merged.items()))
    rest = dict(zip(DIMS, layer.extents, strict=True))
    for loops in temporal:
        for name, trips in loops:
            rest[name] //= trips
    return Mapping(tuple(temporal), tuple(((dim, rest[dim]),) for dim in dataflow))


@dataclass(frozen=True)
class Kept:
    """ZigZag's mapping of each layer and the seconds it took, in a JSON file if there is one."""

    file: Path | None

    def mapping(self, layer: Layer, arch: Architecture, dataflow: tuple[str, ...]) -> tuple[Mapping, float]:
        found = json.loads(self.file.read_text()) if self.file and self.file.exists() else {}
        key = f"{layer} {arch.name}"
        if key not in found:
            start = time.process_time()
            with TemporaryDirectory() as folder:
                mapping = zigzag(layer, arch, dataflow, Path(folder))
            found[key] = [mapping.temporal, mapping.spatial, time.process_time() - start]
            if self.file:
                self.file.write_text(json.dumps(found))
        *loops, seconds = found[key]
        temporal, spatial = (tuple(tuple(map(tuple, level)) for level in each) for each in loops)
        return Mapping(temporal, spatial), seconds


def compare(layer: Layer, arch: Architecture, dataflow: tuple[str, ...], peer: Kept | None) -> Row:
    start = time.process_time()
    ours = optimize(layer, arch, " | ".join(dataflow))
    ours_s = time.process_time() - start
    if peer is None:
        return Row(layer.name, ours_s, ours.energy_pj, 0.0, 0.0)
    theirs, seconds = peer.mapping(layer, arch, dataflow)
    try:
        energy = evaluate(layer, arch, theirs).energy_pj
    except CostError as reason:
        print(f"{layer.name}: ZigZag's mapping is not one of ours: {reason.message}")
        energy = 0.0
    return Row(layer.name, ours_s, ours.energy_pj, seconds, energy)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("network", help="FILE.json:name")
    arguments.add_argument("--arch", default="eyeriss", help="an architecture's file or name")
    arguments.add_argument("--only", nargs="*", help="names of layers")
    arguments.add_argument("--keep", type=Path, help="a file for ZigZag's mappings")
    given = arguments.parse_args()
    logging.disable(logging.CRITICAL)
    try:
        import zigzag.api  # noqa: F401

        peer: Kept | None = Kept(given.keep)
    except ImportError:
        peer = None
        print("zigzag-dse is not installed: pip install zigzag-dse six")
    arch = architecture(given.arch)
    single = tuple(replace(level, buffers=1) for level in arch.levels)
    arch = replace(arch, levels=single, sum_bits=arch.word_bits)
    print(f"{'layer':20}{'ours s':>9}{'ours uJ':>14}{'ZigZag s':>11}{'ZigZag uJ':>14}{'ratio':>8}")
    rows = []
    for layer in load_network(given.network).layers:
        if not given.only or layer.name in given.only:
            rows.append(compare(layer, arch, ("C", "K"), peer))
            print(rows[-1], flush=True)
    total = Row("total", *(sum(getattr(r, f) for r in rows) for f in ("ours_s", "ours_pj", "theirs_s", "theirs_pj")))
    print(total)


if __name__ == "__main__":
    main()
