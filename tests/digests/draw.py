"""Draws random designs and writes them as texts: `python -m tests.digests.draw 48`."""

from __future__ import annotations

import sys
from itertools import islice

from halidehw.frontend.design import design_of
from halidehw.frontend.text.writer import write
from tests.digests.test_digests import HERE
from tests.fuzz.check import accepted


def main() -> None:
    folder = HERE / "designs"
    folder.mkdir(exist_ok=True)
    for number, design in enumerate(islice(accepted(range(5000, 9000)), int(sys.argv[1]))):
        text = write(design_of(design.func))
        (folder / f"random{number:02}.hh").write_text(f"// port_bits={design.options.port_bits}\n{text}")


if __name__ == "__main__":
    main()
