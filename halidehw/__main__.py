"""`python -m halidehw`: the command line."""

from halidehw.cli import main

main(prog_name="halidehw")
