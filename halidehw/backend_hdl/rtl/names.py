"""Identifiers that Verilog takes, each once."""

from __future__ import annotations

import re
from collections.abc import Iterable

_RESERVED = """
    always and assign automatic begin bit buf byte case casex casez cell chandle checker class config const
    context continue cover cross default defparam disable do edge else end endcase endfunction endgenerate
    endmodule endtask enum event expect export extends final for force forever fork function generate genvar
    global if iff ifnone import incdir include initial inout input inside instance int integer interface join
    large let liblist library local localparam logic longint loop macromodule medium modport module nand negedge
    new nmos nor not null or output package packed parameter pmos posedge primitive priority program property
    protected pull0 pull1 pulldown pullup pure rand randc randcase ref reg release repeat restrict return
    scalared sequence shortint shortreal signed small solve specify specparam static string strong strong0
    strong1 struct super supply0 supply1 table tagged task this throughout time timeprecision timeunit tran tri
    tri0 tri1 triand trior trireg type typedef union unique unsigned untyped use uwire var vectored virtual void
    wait wand weak weak0 weak1 while wildcard wire with within wor xnor xor
"""


class Names:
    """The identifiers of one module."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self.taken = {*_RESERVED.split(), *taken}

    def new(self, wanted: str) -> str:
        """`wanted`, with a number behind it where it is taken."""
        base = re.sub(r"\W", "_", wanted, flags=re.ASCII) or "signal"
        name, number = base, 2
        while name in self.taken:
            name, number = f"{base}_{number}", number + 1
        self.taken.add(name)
        return name
