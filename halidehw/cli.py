"""The command line."""

from __future__ import annotations

import click

from halidehw.commands.check import check_command
from halidehw.commands.common import Commands
from halidehw.commands.compile import compile_command
from halidehw.commands.demo import demo_command
from halidehw.commands.estimate import estimate_command
from halidehw.commands.fuse import fuse_command
from halidehw.commands.machine import machine_command
from halidehw.commands.network import network_command
from halidehw.commands.optimize import optimize_command
from halidehw.commands.run import run_command
from halidehw.commands.show import show_command
from halidehw.commands.simulate import simulate_command
from halidehw.commands.synth import synth_command
from halidehw.commands.transfer import transfer_command


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="halidehw")
def main() -> None:
    """Halide-style algorithms and schedules compiled to verified hardware."""


for command in (
    compile_command, simulate_command, show_command, estimate_command, check_command, optimize_command, fuse_command,
    transfer_command, machine_command, run_command, network_command, synth_command, demo_command,
):  # fmt: skip
    main.add_command(command)
