"""The command line."""

from __future__ import annotations

import click

from halidehw.commands.group import Commands


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="halidehw")
def main() -> None:
    """Halide-style algorithms and schedules compiled to verified hardware."""
