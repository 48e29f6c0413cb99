"""Readable Verilog from what Yosys writes."""

from __future__ import annotations

import re

_REGISTER = re.compile(r"  always @\(posedge clk\)\n    (\S+) <= (n\d+) ?;\n")
_BLOCK = re.compile(r"  always @\(\*\) begin\n    (n\d+) = .*?^  end\n", re.M | re.S)


def tidy(text: str) -> str:
    """Plain names where Yosys escaped them, no simulation guards, and each register assigned where its next value
    is decided."""
    text = re.sub(r"^ *reg \\\$auto\$verilog_backend\S+ *= 0;\n", "", text, flags=re.M)
    text = re.sub(r"^ *if \(\\\$auto\$verilog_backend\S+ *\) begin end\n", "", text, flags=re.M)
    text = text.replace("always @* begin", "always @(*) begin")
    text = re.sub(r"\\\$(\d+) ", r"n\1", text)
    text = re.sub(r"^(  (?:in|out)put ((?:\[\S+\] )?\S+;)\n)  wire \2\n", r"\1", text, flags=re.M)
    text = re.sub(r"\\([A-Za-z_][\w.$]*) ", lambda name: re.sub(r"\W", "__", name[1]), text)
    return re.sub(r"^module .*?^endmodule$", lambda module: _registers(module[0]), text, flags=re.M | re.S)


def _registers(module: str) -> str:
    """Fold `register <= next` and the block that computes `next`, last assignment winning, into one clocked block."""
    uses: dict[str, int] = {}
    for name in re.findall(r"\bn\d+\b", module):
        uses[name] = uses.get(name, 0) + 1
    blocks = {block[1]: block[0] for block in _BLOCK.finditer(module)}
    for register, following in _REGISTER.findall(module):
        block = blocks.get(following)
        if block is None or uses[following] != len(re.findall(rf"\b{following}\b", block)) + 2:
            continue
        clocked = re.sub(rf"\b{following}(\[[^\]]*\])? = ", rf"{register}\1 <= ", block)
        clocked = clocked.replace("always @(*)", "always @(posedge clk)", 1)
        clocked = clocked.replace(f"    {register} <= {register};\n", "", 1)
        module = module.replace(f"  always @(posedge clk)\n    {register} <= {following};\n", "", 1)
        module = module.replace(f"  always @(posedge clk)\n    {register} <= {following} ;\n", "", 1)
        module = module.replace(block, clocked, 1)
        module = re.sub(rf"^  reg (\[[^\]]*\] )?{following};\n", "", module, count=1, flags=re.M)
    return module


def comment(text: str) -> str:
    """`text` as comment lines of at most 120 columns."""
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) > 115:
            lines.append("")
        lines[-1] += f" {word}"
    return "".join(f"//{line}\n" for line in lines)
