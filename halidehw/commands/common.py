"""What the commands share: options of hardware, files to be written, progress, JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import wraps
from itertools import count
from pathlib import Path
from shlex import quote
from tempfile import TemporaryDirectory
from typing import Any, get_args

import click
from rich.console import Console

from halidehw.buses.axi import AXI, WIDTHS
from halidehw.commands.refused import Refused
from halidehw.microarch.options import COUNTER_BITS, LATENCY, Counters, Options

PICTURES = (".png", ".svg", ".pdf")

file_argument = click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
_port_option = click.option(
    "--port-bits", type=click.IntRange(min=0), default=0, metavar="N", help="Width of each memory port (0: one word)."
)
_shared_option = click.option(
    "--shared-port-bits", type=click.IntRange(min=0), default=0, metavar="N",
    help="Width of one memory port that all tensors share (0: each has its own).",
)  # fmt: skip
_latency_option = click.option(
    "--hide-latency", type=click.IntRange(min=1), default=LATENCY, metavar="CYCLES",
    help=f"Memory latency for which unbuffered tensors never wait.  [{LATENCY}]",
)  # fmt: skip
_prefix_option = click.option(
    "--prefix", default="", metavar="NAME", help="What the names of all modules begin with (the design's name)."
)

_counters_option = click.option(
    "--counters", type=click.Choice(get_args(Counters)), default="basic", help="Which ones the hardware has.  [basic]"
)
_bits_option = click.option(
    "--counter-bits", type=int, default=COUNTER_BITS, metavar="N", help=f"Of each counter.  [{COUNTER_BITS}]"
)


def hardware_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options that say what a schedule does not, for a command that takes them as `options`."""

    @_port_option
    @_shared_option
    @_latency_option
    @_prefix_option
    @wraps(command)
    def with_options(
        *args: Any, port_bits: int, shared_port_bits: int, hide_latency: int, prefix: str, **others: Any
    ) -> None:
        options = Options(port_bits, hide_latency, prefix=prefix, shared_port_bits=shared_port_bits)
        command(*args, options=options, **others)

    return with_options


def bus_options(command: Callable[..., None]) -> Callable[..., None]:
    """What stands around the accelerator, for a command that takes it as `bus`."""

    @click.option("--bus", "kind", type=click.Choice(["axi4"]), help="An AXI4 master, AXI4-Lite control, and drivers.")
    @click.option("--bus-bits", type=click.Choice([*map(str, WIDTHS)]), metavar="N",
                  help=f"Of the master: {', '.join(map(str, WIDTHS))}.  [{AXI().bits}]")  # fmt: skip
    @wraps(command)
    def with_bus(*args: Any, kind: str | None, bus_bits: str | None, **others: Any) -> None:
        if bus_bits and not kind:
            raise click.UsageError(f"--bus-bits {bus_bits} is the width of a bus: --bus axi4 --bus-bits {bus_bits}")
        command(*args, bus=AXI(int(bus_bits or AXI().bits)) if kind else None, **others)

    return with_bus


def counter_options(command: Callable[..., None]) -> Callable[..., None]:
    """Below `hardware_options`: what `options` say of counters."""

    @_counters_option
    @_bits_option
    @wraps(command)
    def with_counters(*args: Any, options: Options, counters: Counters, counter_bits: int, **others: Any) -> None:
        command(*args, options=replace(options, counters=counters, counter_bits=counter_bits), **others)

    return with_counters


def in_folder(ctx: click.Context, param: click.Parameter, value: Path | None) -> Path | None:
    """A file to be written, whose folder is there: found out before the work is done."""
    if value is None:
        return None
    there, option = value.absolute().parent, param.opts[0]
    if not there.is_dir():
        problem = f"{value.parent} is a file, not a folder" if there.exists() else f"there is no folder {value.parent}"
    elif not value.exists() and not _takes_files(there):
        problem = f"nothing may be written in {there}"
    elif value.is_dir() and isinstance(param.type, click.Path) and not param.type.dir_okay:
        problem = "this names a folder, not a file"
    else:
        return value
    names = (f"{value.stem or 'out'}{number or ''}{value.suffix}" for number in count())
    works = f"\n  what would work:\n    {option} {quote(next(name for name in names if not Path(name).exists()))}"
    raise Refused(f"{option} {value}: {problem}" + works * _takes_files(Path()))


def folder(ctx: click.Context, param: click.Parameter, value: Path | None) -> Path | None:
    """A folder to be written, or made: found out before the work is done."""
    if value is None:
        return None
    for place in (value, value.parent):
        there = next(each for each in (place.absolute(), *place.absolute().parents) if each.exists())
        if not there.is_dir():
            problem = f"{there} is a file, not a folder"
        elif not _takes_files(there):
            problem = f"nothing may be written in {there}"
        else:
            continue
        names = (f"build{number or ''}" for number in count())
        works = f"\n  what would work:\n    -o {next(name for name in names if not Path(name).exists())}"
        raise Refused(f"-o {value}: {problem}" + works * _takes_files(Path()))
    return value


def _takes_files(there: Path) -> bool:
    """Whether something may be written in a folder: found out by doing so, which alone says it."""
    try:
        TemporaryDirectory(prefix=".", dir=there).cleanup()
    except OSError:
        return False
    return True


def picture(ctx: click.Context, param: click.Parameter, value: Path | None) -> Path | None:
    """A picture to be written, whose format its ending says."""
    if value is not None and value.suffix not in PICTURES:
        legal = value.with_suffix(PICTURES[0]).name
        raise Refused(f"{value} does not end in {', '.join(PICTURES)}\n  what would work:\n    --plot {legal}")
    return in_folder(ctx, param, value)


@contextmanager
def progress(step: str) -> Iterator[None]:
    """Shows what is being done, on a terminal only."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    with console.status(f"{step} ..."):
        yield


def print_json(value: dict[str, Any]) -> None:
    click.echo(json.dumps(value, indent=2))
