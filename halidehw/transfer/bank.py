"""Schedules on disk, by the layers that they were found for."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from halidehw.errors import HalideHWError, ScheduleError
from halidehw.frontend.text import parse
from halidehw.mapping.architecture import Architecture
from halidehw.mapping.layer import Layer, Network
from halidehw.nested import Unreadable, nested
from halidehw.optimize.options import Options
from halidehw.optimize.schedule import Arrangement, arrangement
from halidehw.optimize.timed import filed
from halidehw.schedules import Schedule
from halidehw.transfer.kernels import kind, shape_of
from halidehw.transfer.room import Room, taken

VERSION = 1
"""Of the form of an entry."""


@dataclass(frozen=True)
class Entry:
    """A schedule that was found for `layer` of `network` on architecture `arch`: with what arrangement of the words in
    memory, how many cycles its hardware takes, what the search evaluated, and the memories of that hardware."""

    network: str
    layer: Layer
    arch: str
    arranged: Arrangement
    schedule: Schedule
    cycles: int
    evaluated: int
    room: Room

    @property
    def kind(self) -> str:
        return kind(self.layer)

    @property
    def name(self) -> str:
        return f"{self.network}/{self.layer.name}"


@dataclass(frozen=True)
class Bank:
    """`skipped`: files that could not be read, each with the reason."""

    entries: tuple[Entry, ...]
    skipped: tuple[str, ...] = ()

    def of(self, network: str) -> tuple[Entry, ...]:
        return tuple(entry for entry in self.entries if entry.network == network)

    @property
    def networks(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(entry.network for entry in self.entries))


def search(layer: Layer, network: str, arch: Architecture, options: Options) -> Entry:
    """The best schedule of a layer, as an entry. Raises what the optimizer raises."""
    best = filed(layer, arch, options)
    exact = Schedule.of(parse(best.schedule).output)
    arranged = arrangement(best.layer, best.arch, best.mapping, best.files, best.cut)
    return Entry(network, layer, arch.name, arranged, exact, best.run_cycles, best.evaluated, taken(best.hardware[1]))


def add(network: Network, arch: Architecture, options: Options, folder: Path) -> Iterator[Entry]:
    """Searches every layer of a network, of equal ones the first, and writes its schedules as they are found."""
    folder.mkdir(parents=True, exist_ok=True)
    for layer in {shape_of(layer): layer for layer in reversed(network.layers)}.values():
        entry = search(layer, network.name, arch, options)
        name = re.sub(r"\W", "_", f"{network.name}.{layer.name}", flags=re.ASCII)
        (folder / f"{name}.json").write_text(_text(entry))
        yield entry


def load_bank(folder: Path, arch: Architecture) -> Bank:
    """All that a folder has for an architecture. A file that is damaged, or of another version, is skipped and named.

    Raises `ScheduleError` for a folder that does not exist.
    """
    if not folder.is_dir():
        raise ScheduleError(f"{folder} is no bank of schedules", legal=(f"--add NETWORK.json:NAME --bank {folder}",))
    entries, skipped = [], []
    for file in sorted(folder.glob("*.json")):
        try:
            entry = _read(file)
        except (OSError, HalideHWError, ValueError, KeyError, TypeError, AttributeError) as error:
            why = error.message if isinstance(error, HalideHWError) else repr(error)
            skipped.append(f"{file.name}: {why}")
            continue
        if entry.arch == arch.name:
            entries.append(entry)
        else:
            skipped.append(f"{file.name}: it is for {entry.arch}, not {arch.name}")
    return Bank(tuple(entries), tuple(skipped))


def _text(entry: Entry) -> str:
    arranged = asdict(entry.arranged)
    table = {
        "version": VERSION, "network": entry.network, "layer": asdict(entry.layer), "arch": entry.arch,
        "cycles": entry.cycles, "evaluated": entry.evaluated, "room": asdict(entry.room), "arranged": arranged,
        "schedule": json.loads(entry.schedule.text()),
    }  # fmt: skip
    return json.dumps(table, indent=1) + "\n"


def _read(file: Path) -> Entry:
    try:
        table: dict[str, Any] = nested(json.loads, file.read_text())
    except Unreadable as problem:
        raise ScheduleError(str(problem)) from None
    if table["version"] != VERSION:
        raise ScheduleError(f"it is of version {table['version']!r}, not {VERSION}")
    arranged = table["arranged"]
    return Entry(
        str(table["network"]), Layer(**table["layer"]), str(table["arch"]),
        Arrangement(dict(arranged["pure"]), dict(arranged["reduction"]), tuple(arranged["moved"]),
                    tuple(arranged["filters"])),
        Schedule.parse(json.dumps(table["schedule"]), file.name), int(table["cycles"]), int(table["evaluated"]),
        Room(**table["room"]),
    )  # fmt: skip
