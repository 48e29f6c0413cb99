"""Layers: the loops of a convolution in two or three dimensions (and of everything that is one), and their groups.

`output[b][k][oz][oy][ox] += input[b][c][stride*oz+dilation*fz][stride*oy+dilation*fy][stride*ox+dilation*fx]
* weight[k][c][fz][fy][fx]`, once per group.
"""

from __future__ import annotations

import difflib
import json
import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import partial
from itertools import count, islice
from math import gcd, prod
from pathlib import Path
from typing import Any

from halidehw.errors import CostError, SourceLine
from halidehw.mapping.wiring import KEYS, Wiring, wiring_of
from halidehw.nested import Place, Unreadable, nested, places

DIMS = ("B", "G", "K", "C", "Y", "X", "FY", "FX", "Z", "FZ")
"""The loops, in the notation of dataflows; K and C are per group. Their positions index all arrays here."""

MOST = 2**53
"""Iterations of a layer: as many as a double counts one by one."""

ENOUGH = 1 << 20
"""A size that is proposed at most: no longer loop is searched."""

LOOKED = 1 << 16
"""Numbers among which groups are looked for."""

EXAMPLE = '{"networks": {"net": {"batch": 16, "layers": [{"name": "fc", "k": 64, "c": 64}]}}}'
"""A file of networks."""

TENSORS = ("input", "weight", "output")

RELEVANT = (
    (True, True, False, True, True, True, True, True, True, True),
    (False, True, True, True, False, False, True, True, False, True),
    (True, True, True, False, True, True, False, False, True, False),
)
"""RELEVANT[tensor][dim]: whether the tensor's index depends on the loop."""


@dataclass(frozen=True)
class Layer:
    """A layer's sizes: b batch, k/c output/input channels of all groups together, oy/ox output, fy/fx filter; oz, fz
    those of a third dimension.

    `stride`, `dilation`: how far the input moves with an output and with a tap; `_y`, `_x`, `_z`: along one alone.
    `repeat`: how often the network has it. Raises CostError on a size that is not a positive integer, on groups that do
    not divide the channels, and on more iterations than are counted exactly.
    """

    b: int = 1
    k: int = 1
    c: int = 1
    oy: int = 1
    ox: int = 1
    fy: int = 1
    fx: int = 1
    stride: int = 1
    groups: int = 1
    repeat: int = 1
    name: str = "layer"
    dilation: int = 1
    stride_y: int | None = None
    stride_x: int | None = None
    dilation_y: int | None = None
    dilation_x: int | None = None
    oz: int = 1
    fz: int = 1
    stride_z: int | None = None
    dilation_z: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise CostError(f"layer {self.name!r}: name must be a text", legal=['name="conv1"'])
        for size in fields(self):
            value = getattr(self, size.name)
            if value is None and size.default is None:
                continue
            if size.name != "name" and (not isinstance(value, int) or isinstance(value, bool) or value < 1):
                raise CostError(
                    f"{self.title}: {size.name} must be a positive integer, is {value!r}", legal=[f"{size.name}=1"]
                )
        if self.macs * self.repeat > MOST:
            raise CostError(
                f"{self.title}: {self.macs * self.repeat} iterations, more than {MOST}, up to which counts are exact",
                legal=[", ".join(f"{name}={size}" for name, size in self._fewer().items())],
            )
        for channels in ("k", "c"):
            size = getattr(self, channels)
            if size % self.groups:
                both = gcd(self.k, self.c)
                divisors = islice((g for g in range(1, min(both, LOOKED) + 1) if both % g == 0), 8)
                raise CostError(
                    f"{self.title}: groups={self.groups} does not divide {channels}={size}",
                    legal=[f"groups={g}" for g in divisors],
                )

    def _fewer(self) -> dict[str, int]:
        """The largest sizes made smaller, until there are few enough iterations and no size is over ENOUGH; channels in
        as many groups, or, where each channel is a group, as many groups as channels."""
        single, groups = self.groups == self.k == self.c > 1, self.groups if self.groups <= ENOUGH else 1
        names = ("c" if single else "k", "c", "b", "oz", "oy", "ox", "fz", "fy", "fx", "repeat")
        sizes, most = {name: int(getattr(self, name)) for name in names}, MOST * (1 if single else groups)
        before = sizes | {"k": self.k, "groups": self.groups}
        for largest in (ENOUGH, 1):
            for name in sorted(sizes, key=lambda name: -sizes[name]):
                others = prod(size for other, size in sizes.items() if other != name)
                if others * sizes[name] > most or sizes[name] > ENOUGH:
                    step = groups if name in ("k", "c") and not single else 1
                    sizes[name] = step * max(min(max(most // others, largest), ENOUGH, sizes[name]) // step, 1)
        found = sizes | ({"k": sizes["c"], "groups": sizes["c"]} if single else {"groups": groups})
        return {name: size for name, size in found.items() if size != before[name]}

    @property
    def title(self) -> str:
        return self.name if self.name == "layer" else f"layer {self.name}"

    @property
    def extents(self) -> tuple[int, ...]:
        """The trip counts of DIMS."""
        channels = self.groups, self.k // self.groups, self.c // self.groups
        return (self.b, *channels, self.oy, self.ox, self.fy, self.fx, self.oz, self.fz)

    def steps(self, dim: str) -> tuple[int, int]:
        """How far the input moves with an output and with a tap, along "Z", "Y" or "X"."""
        stride, dilation = {
            "Z": (self.stride_z, self.dilation_z), "Y": (self.stride_y, self.dilation_y),
            "X": (self.stride_x, self.dilation_x),
        }[dim]  # fmt: skip
        return stride or self.stride, dilation or self.dilation

    @property
    def macs(self) -> int:
        return prod(self.extents)

    @property
    def words(self) -> tuple[int, int, int]:
        """Words of input, weight and output."""
        spots = self.b * self.c
        for dim, outs, taps in (("Z", self.oz, self.fz), ("Y", self.oy, self.fy), ("X", self.ox, self.fx)):
            stride, dilation = self.steps(dim)
            spots *= stride * (outs - 1) + dilation * (taps - 1) + 1
        weight = self.k * self.c * self.fz * self.fy * self.fx // self.groups
        return (spots, weight, self.b * self.k * self.oz * self.oy * self.ox)

    @property
    def deep(self) -> bool:
        """Whether it has a third dimension."""
        return self.oz > 1 or self.fz > 1


def _nowhere(*place: str | int) -> None:
    """The line of a layer that is in no file."""


@dataclass(frozen=True)
class Network:
    """Layers, and for each what it reads (none given: nothing is said of any). `line`: of a layer, by its number, and
    of one of its keys, in the file that they are from."""

    name: str
    layers: tuple[Layer, ...]
    wiring: tuple[Wiring, ...] = ()
    line: Callable[..., SourceLine | None] = field(default=_nowhere, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "wiring", self.wiring or (Wiring(),) * len(self.layers))


def parse_layer(text: str) -> Layer:
    """A layer from words like `ox=13 oy=13 c=256 k=384 fx=3 fy=3 b=16`; what is left out is 1.

    Raises CostError on a word that is not name=integer, an unknown or repeated name, a size below 1.
    """
    sizes: dict[str, Any] = {}
    for word in text.replace(",", " ").split():
        match = re.fullmatch(r"(\w+)=(-?\d{1,99})", word)
        if not match:
            raise CostError(f"layer: {word!r} is not name=integer", legal=["ox=13 oy=13 c=256 k=384 fx=3 fy=3 b=16"])
        if match[1] in sizes:
            rest = [other for other in text.replace(",", " ").split() if not other.startswith(f"{match[1]}=")]
            raise CostError(f"layer: {match[1]} is given twice", legal=[" ".join([*rest, word])])
        sizes[match[1]] = int(match[2])
    if not sizes:
        raise CostError("layer: no sizes given", legal=["ox=13 oy=13 c=256 k=384 fx=3 fy=3 b=16"])
    _check_keys(sizes, "layer", None)
    try:
        return Layer(**sizes)
    except CostError as problem:
        changes = [dict(re.findall(r"(\w+)=(\d+)", each)) for each in problem.proposed]
        legal = [" ".join(f"{name}={size}" for name, size in (sizes | change).items()) for change in changes]
        raise CostError(problem.message, legal=legal) from None


def load_network(reference: str, option: str = "") -> Network:
    """The network `FILE.json:name`, or the only one of `FILE.json`; its layers get the network's batch.

    `option`: of the command that names it. Raises CostError when the file or the name does not exist, or a key or size
    is wrong.
    """
    parts = re.fullmatch(r"(.*?\.json):(.+)", reference, re.DOTALL)
    file, name = parts.groups() if parts else (reference, "")
    try:
        text = Path(file).read_text()
        found = nested(json.loads, text)
    except OSError as problem:
        why = f"cannot read the network file {file}: {problem.strerror}"
        raise CostError(why, legal=_others(Path(file), name, option)) from None
    except UnicodeDecodeError:
        raise CostError(f"cannot read the network file {file}: it is no text", legal=[EXAMPLE]) from None
    except Unreadable as problem:
        raise CostError(f"{file}: {problem}", legal=[EXAMPLE]) from None
    except json.JSONDecodeError as problem:
        line = [*problem.doc.splitlines(), ""][problem.lineno - 1]
        where = SourceLine(file, problem.lineno, line.strip(), problem.colno)
        raise CostError(f"not JSON: {problem.msg}", legal=[EXAMPLE], source=where) from None
    lines = Lines.of(file, text)
    networks = found.get("networks") if isinstance(found, dict) else None
    if not isinstance(networks, dict):
        raise CostError(f"{file} has no table 'networks'", legal=[EXAMPLE], source=lines.at("networks"))
    if not name and len(networks) == 1:
        name = next(iter(networks))
    if name not in networks:
        why = f"has no network {name!r}" if name or not networks else f"has {len(networks)} networks: say which one"
        known = [f"{file}:{each}" for each in networks]
        raise CostError(f"{file} {why}", legal=[_named(each, option) for each in known] or [EXAMPLE])
    return _network(name, networks[name], lines)


def _others(file: Path, name: str, option: str) -> list[str]:
    """For a file that cannot be read: networks in files beside it or here, those of the nearest names first; else how
    to write one."""
    folders = {folder.resolve(): folder for folder in (file.parent, Path()) if folder.is_dir()}
    beside = [each for folder in folders.values() for each in islice(sorted(folder.glob("*.json")), LOOKED >> 8)]
    near = difflib.get_close_matches(file.name, [each.name for each in beside], len(beside) or 1, 0.0)
    found = []
    for each in sorted(beside, key=lambda each: near.index(each.name)):
        names = _names_in(each)
        found += [f"{each}:{known}" for known in ([name] if name in names else names)]
    if found:
        return [_named(each, option) for each in found[:4]]
    text = EXAMPLE.replace('"net"', json.dumps(name, ensure_ascii=False)) if name else EXAMPLE
    free = (Path(f"{file.stem or 'net'}{number or ''}.json") for number in count())
    there = file.suffix == ".json" and file.parent.is_dir() and not file.exists()
    place = file if there else next(each for each in free if not each.exists())
    write = f"echo {shlex.quote(text)} > {shlex.quote(str(place))}"
    return [write] if there else [write, _named(f"{place}:{name or 'net'}", option)]


def _names_in(file: Path) -> list[str]:
    """Of the networks in a file, if it has some."""
    try:
        found = nested(json.loads, file.read_text())
    except (OSError, ValueError, Unreadable):
        return []
    networks = found.get("networks") if isinstance(found, dict) else None
    return [*networks] if isinstance(networks, dict) else []


def _named(reference: str, option: str) -> str:
    """A network as it is asked for."""
    return f"{option} {shlex.quote(reference)}" if option else f"load_network({json.dumps(reference)})"


@dataclass(frozen=True)
class Lines:
    """Where in a file of networks each key and each row stands: the offsets in its `text`."""

    file: str
    text: str
    offsets: Mapping[Place, int]

    @staticmethod
    def of(file: str, text: str) -> Lines:
        """Those of a text that is JSON. Raises CostError for a key that a table has twice."""
        offsets: dict[Place, int] = {}
        for place, offset in places(text):
            if place in offsets:
                source = Lines(file, text, {place: offset}).at(*place)
                both = [_value(text, each) for each in (offsets[place], offset)]
                why = f"{place[-1]!r} is given twice in one table, as {both[0]} and {both[1]}; remove one of them"
                legal = [f"{json.dumps(place[-1], ensure_ascii=False)}: {each}" for each in dict.fromkeys(both)]
                raise CostError(why, legal=[each for each in legal if len(each) <= 100], source=source)
            offsets[place] = offset
        return Lines(file, text, offsets)

    def at(self, *place: str | int) -> SourceLine:
        """The line of a key or a row, or of the innermost around it that there is."""
        known = (place[:n] for n in range(len(place), 0, -1))
        line = self.text.count("\n", 0, next((self.offsets[each] for each in known if each in self.offsets), 0))
        return SourceLine(self.file, line + 1, (self.text.split("\n")[line]).strip())


def _value(text: str, offset: int) -> str:
    """What a key has that stands there."""
    reads = json.JSONDecoder()
    _, end = reads.raw_decode(text, offset)
    start = re.compile(r"\s*:\s*").match(text, end)
    at = start.end() if start else end
    return text[at : reads.raw_decode(text, at)[1]]


def _network(name: str, table: Any, lines: Lines) -> Network:
    place = ("networks", name)
    rows = table.get("layers") if isinstance(table, dict) else None
    if not (isinstance(rows, list) and rows and all(isinstance(row, dict) for row in rows)):
        message = f"network {name} has no 'layers', a list with a table of sizes for each"
        raise CostError(message, legal=[EXAMPLE], source=lines.at(*place, "layers"))
    for key in table:
        if key not in ("batch", "layers", "macs_per_item", "note"):
            raise CostError(
                f"network {name}: unknown key {key!r}",
                legal=["batch", "layers", "macs_per_item", "note"],
                source=lines.at(*place, key),
            )
    batch = table.get("batch", 1)
    if not isinstance(batch, int) or isinstance(batch, bool) or batch < 1:
        raise CostError(
            f"network {name}: batch must be a positive integer, is {batch!r}",
            legal=['"batch": 1'],
            source=lines.at(*place, "batch"),
        )
    layers: list[Layer] = []
    wired: list[Wiring] = []
    for at, row in enumerate(rows):
        where, line = f"network {name}, layer {row.get('name', len(layers))}", partial(lines.at, *place, "layers", at)
        sizes = {key: value for key, value in row.items() if key not in KEYS}
        _check_keys(sizes, where, line)
        try:
            layers.append(Layer(**{"b": batch, **sizes}))
            wired.append(wiring_of(row, where))
        except CostError as problem:
            legal = [re.sub(r'(\w+)=(\d+|"\w+")', r'"\1": \2', each) for each in problem.proposed]
            keys = [found[1] for each in legal if (found := re.match(r'"(\w+)": ', each))]
            raise CostError(problem.message, legal=legal, source=line(*keys[:1])) from None
    return Network(name, tuple(layers), tuple(wired), partial(lines.at, *place, "layers"))


def _check_keys(sizes: dict[str, Any], where: str, source: Any) -> None:
    known = [*(size.name for size in fields(Layer)), *(KEYS if source else ())]
    likely = known if source else [name for name in known if name not in ("name", "repeat")]
    for key in sizes:
        if key not in known:
            close = difflib.get_close_matches(key.lower(), likely, 3, 0.3) or likely
            raise CostError(f"{where}: unknown size {key!r}", legal=close, source=source and source(key))
