"""The command line: commands, each of which is loaded when it is called."""

from __future__ import annotations

from typing import Any

import click

from halidehw.commands.refused import Interrupted, Refused
from halidehw.errors import HalideHWError

NAMES = (
    "check", "compile", "demo", "estimate", "fuse", "machine", "network", "optimize", "run", "show", "simulate",
    "synth", "transfer",
)  # fmt: skip


class Commands(click.Group):
    """A group whose commands end in a message, not in a traceback, where the user can put something right."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(NAMES)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        found: click.Command
        match name:
            case "check":
                from halidehw.commands.check import check_command as found
            case "compile":
                from halidehw.commands.compile import compile_command as found
            case "demo":
                from halidehw.commands.demo import demo_command as found
            case "estimate":
                from halidehw.commands.estimate import estimate_command as found
            case "fuse":
                from halidehw.commands.fuse import fuse_command as found
            case "machine":
                from halidehw.commands.machine import machine_command as found
            case "network":
                from halidehw.commands.network import network_command as found
            case "optimize":
                from halidehw.commands.optimize import optimize_command as found
            case "run":
                from halidehw.commands.run import run_command as found
            case "show":
                from halidehw.commands.show import show_command as found
            case "simulate":
                from halidehw.commands.simulate import simulate_command as found
            case "synth":
                from halidehw.commands.synth import synth_command as found
            case "transfer":
                from halidehw.commands.transfer import transfer_command as found
            case _:
                return None
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


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="halidehw")
def main() -> None:
    """Halide-style algorithms and schedules compiled to verified hardware."""


if __name__ == "__main__":
    main(prog_name="halidehw")
