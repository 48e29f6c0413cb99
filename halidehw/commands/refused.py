"""How a command ends where the user can put something right."""

from __future__ import annotations

from typing import Any

import click


class Refused(click.ClickException):
    """Something the user can put right: its message goes to stderr, the exit code is 2."""

    exit_code = 2

    def show(self, file: Any = None) -> None:
        click.echo(f"halidehw: {self.message}", file=file, err=True)


class Interrupted(Refused):
    """Ctrl-C: everything has ended, and the exit code is that of shells."""

    exit_code = 130
