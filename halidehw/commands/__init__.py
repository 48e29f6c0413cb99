"""The subcommands of `halidehw`, one a file; `cli` puts them together."""
