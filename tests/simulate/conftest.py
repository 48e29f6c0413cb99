"""Hand-written accelerators that obey the port protocol."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from halidehw.microarch.interface import Counter, Interface, Port

ADDRESS_BITS = 8


@dataclass(frozen=True)
class Design:
    verilog: str
    interface: Interface


def port(name: str, tensor: str, kind: str, lanes: int, words: int, bits: int = 16, signed: bool = True) -> Port:
    return Port(name, tensor, kind, lanes, bits, signed, words, ADDRESS_BITS)  # type: ignore[arg-type]


def _mask(lanes: int, count: str) -> str:
    return f"{{{', '.join(f'({count} + {lane} < WORDS)' for lane in reversed(range(lanes)))}}}"


def _pins(ports: tuple[Port, ...]) -> str:
    lines = []
    for p in ports:
        data, top = f"[{p.lanes * p.bits - 1}:0]", f"[{ADDRESS_BITS - 1}:0]"
        q = f"{p.name}_req" if p.kind == "read" else p.name
        lines += [f"output {q}_valid", f"input {q}_ready", f"output {top} {q}_addr"]
        lines += [f"output [{p.lanes - 1}:0] {q}_mask"] if p.lanes > 1 else []
        if p.kind == "read":
            r = f"{p.name}_resp"
            lines += [f"input {r}_valid", f"output {r}_ready", f"input {data} {r}_data"]
        else:
            lines += [f"output {data} {p.name}_data"]
    return ", ".join(lines)


def add_design(lanes: int, words: int, *, passes: int = 1, bits: int = 16, edit: Callable[[str], str] = str) -> Design:
    """y = a + b in one pass; in two passes y = a, then y = y + b, reading y back."""
    second = "b" if passes == 1 else "y_read"
    ports = (
        port("a", "a", "read", lanes, words, bits),
        port(second, second[0], "read", lanes, words, bits),
        port("y", "y", "write", lanes, words, bits),
    )
    masks = f"assign y_mask = {_mask(lanes, 'written')};" if lanes > 1 else ""
    reads = "".join(
        f"""
  reg [{ADDRESS_BITS}:0] asked_{name};
  assign {name}_req_valid = running && asked_{name} < WORDS{enable};
  assign {name}_req_addr = asked_{name};
  {f"assign {name}_req_mask = {_mask(lanes, f'asked_{name}')};" if lanes > 1 else ""}
  always @(posedge clk) if (rst || (start && !running) || next_pass) asked_{name} <= 0;
    else if ({name}_req_valid && {name}_req_ready) asked_{name} <= asked_{name} + {lanes};"""
        for name, enable in (("a", ""), (second, "" if passes == 1 else " && pass != 0"))
    )
    sums = " ".join(
        f"assign y_data[{bits * i} +: {bits}] = a_resp_data[{bits * i} +: {bits}]"
        f" + (second_used ? {second}_resp_data[{bits * i} +: {bits}] : {bits}'d0);"
        for i in range(lanes)
    )
    verilog = f"""
module add (
  input clk, input rst, input start, input abort, output idle, output reg done, output reg [31:0] cycles, {_pins(ports)}
);
  localparam WORDS = {words};
  reg running;
  reg [3:0] pass;
  reg [{ADDRESS_BITS}:0] written;
  assign idle = !running;
  wire second_used = {1 if passes == 1 else "pass != 0"};
  wire last = y_valid && y_ready && written + {lanes} >= WORDS;
  wire next_pass = last && pass + 1 < {passes};
{reads}
  assign y_valid = a_resp_valid && ({second}_resp_valid || !second_used);
  assign a_resp_ready = y_valid && y_ready;
  assign {second}_resp_ready = y_valid && y_ready && second_used;
  assign y_addr = written;
  {masks}
  {sums}
  always @(posedge clk) begin
    if (running) cycles <= cycles + 1;
    if (y_valid && y_ready) written <= written + {lanes};
    if (next_pass) begin written <= 0; pass <= pass + 1; end
    else if (last) begin running <= 0; done <= 1; end
    if (start && !running) begin running <= 1; done <= 0; written <= 0; pass <= 0; cycles <= 0; end
    if (rst) begin running <= 0; done <= 0; written <= 0; pass <= 0; cycles <= 0; end
  end
endmodule
"""
    return Design(edit(verilog), Interface("add", ports, (Counter("cycles", 32, "clock cycles"),)))


@pytest.fixture
def design() -> Callable[..., Design]:
    return add_design
