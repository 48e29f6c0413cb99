"""The commands, each of which is loaded when it is called, and how they end where something is wrong."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click

from halidehw.errors import HalideHWError

NAMES = (
    "check", "compile", "demo", "estimate", "fuse", "machine", "network", "optimize", "run", "show", "simulate",
    "synth", "transfer",
)  # fmt: skip


class Refused(click.ClickException):
    """Something the user can put right: its message goes to stderr, the exit code is 2."""

    exit_code = 2

    def show(self, file: Any = None) -> None:
        click.echo(f"halidehw: {self.message}", file=file, err=True)


class Interrupted(Refused):
    """Ctrl-C: everything has ended, and the exit code is that of shells."""

    exit_code = 130


class Commands(click.Group):
    """A group whose commands end in a message, not in a traceback, where the user can put something right."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(NAMES)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in NAMES:
            return None
        found: click.Command = getattr(import_module(f"halidehw.commands.{name}"), f"{name}_command")
        return found

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except HalideHWError as error:
            raise Refused(str(error)) from error
        except BrokenPipeError:
            raise
        except KeyboardInterrupt:
            raise Interrupted("interrupted") from None
        except OSError as error:
            reason = error.strerror or str(error)
            raise Refused(f"{error.filename}: {reason}" if error.filename else reason) from error
