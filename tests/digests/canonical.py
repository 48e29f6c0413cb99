"""Verilog without its internal names: two texts that differ in those alone have one digest."""

from __future__ import annotations

import hashlib
import re

from halidehw.microarch.interface import Interface

TOKEN = re.compile(r"//[^\n]*|\d*'s?[bdh][\da-fA-F_]+|\$?[A-Za-z_]\w*|\S")
WORDS = frozenset(re.findall(r"\w+", """
    module endmodule input output inout wire reg logic signed parameter localparam integer assign always begin end if
    else case casez endcase default posedge negedge for generate endgenerate genvar initial function endfunction or
    always_comb always_ff always_latch int automatic unsigned bit"""))  # fmt: skip


def canonical(verilog: str, interface: Interface) -> str:
    """The text's tokens without comments, each internal name replaced by the number of its first use."""
    counters = (counter.name for counter in interface.counters)
    ports = {"clk", "rst", "start", "done", "abort", interface.module, *counters}
    outside = tuple(f"{port.name}_" for port in interface.ports)
    numbers: dict[str, str] = {}

    def word(token: str) -> str:
        plain = token in WORDS or token in ports or token.startswith(outside) or not re.match(r"[A-Za-z_]", token)
        return token if plain else numbers.setdefault(token, f"_{len(numbers)}")

    return " ".join(word(token) for token in TOKEN.findall(verilog) if not token.startswith("//"))


def digest(verilog: str, interface: Interface) -> str:
    return hashlib.sha256(canonical(verilog, interface).encode()).hexdigest()[:16]
