"""The design in a file that a command is given."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click

from halidehw.commands.common import progress
from halidehw.driver.build import Compiled, built
from halidehw.driver.files import found_in
from halidehw.frontend.design import Design
from halidehw.frontend.load import load
from halidehw.microarch.options import Options
from halidehw.notes import Note


def read(file: Path) -> Design:
    """The design in a file. Raises `ParseError` for an exception of a Python file's own."""
    return found_in(file, load)


def compiled(file: Path, options: Options, *, loops: bool = False) -> Compiled:
    """The hardware of the design in a file."""
    with progress(f"reading {file}"):
        design = read(file)
    with progress(f"compiling {design.name}"):
        found = built(design, options, loops=loops)
    say(found.notes)
    return found


def say(notes: Iterable[Note]) -> None:
    """The notes of a design, beside what a command prints."""
    for note in notes:
        click.echo(f"note: {note}", err=True)
