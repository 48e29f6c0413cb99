"""The programs of a machine for drivers in C."""

from __future__ import annotations

from collections.abc import Iterator

from halidehw.backend_hdl.library import identifier
from halidehw.errors import HardwareError
from halidehw.machines.engine import Engine
from halidehw.machines.machine import Machine

_ROW = 8
"""Words of a descriptor in a line."""

_DESCRIBE = """
/* The descriptor of a program whose tensors lie at these addresses{more}. Returns 0; of an address
   that is no multiple of the bytes of its words the number, from 1, and then describes nothing. */{bits}
static inline unsigned {name}_describe(uint32_t *to, unsigned program, const uint64_t *bases{taken}) {{
    uint32_t sum = 0;
    for (unsigned i = 0; i < {NAME}_BASES; i++)
        if (bases[i] % {name}_bytes[i]) return i + 1;
    for (unsigned i = 1; i < {NAME}_WORDS; i++) {{
        to[i] = {name}_programs[program][i];
{after}        if (i > {head} && i <= {head} + 2 * {NAME}_BASES)
            to[i] = (uint32_t)(bases[(i - 1 - {head}) / 2] >> ((i - {head}) % 2 ? 0 : 32));
        sum += to[i];
    }}
    to[0] = {NAME}_KEY - sum;
    return 0;
}}
"""

_AFTER = "        if (i <= {others}) to[i] = after[i - 1];\n"
_EARLY = "        if (i > {others} && i <= {head}) to[i] = early[i - 1 - {others}];\n"
_BITS = """
/* early: for each port NAME_EARLY_... 0 where the program before does not write what it reads, else 0xffffffff. */"""


def _describing(name: str, others: tuple[str, ...], head: int) -> str:
    """`others`: the engines besides, of which a program may wait for programs. `head`: the words before addresses."""
    places, early = {"others": f"{len(others)}u", "head": f"{head}u"}, head > len(others)
    more = f", after so many programs of {', '.join(others)}" if others else ""
    return _DESCRIBE.format(
        name=name, NAME=name.upper(), head=f"{head}u", more=more,
        taken=", const uint32_t *after" * bool(others) + ", const uint32_t *early" * early,
        after=_AFTER.format(**places) * bool(others) + _EARLY.format(**places) * early,
        bits=_BITS.replace("NAME", name.upper()) * early,
    )  # fmt: skip


def programs_headers(machine: Machine) -> dict[str, str]:
    """File name -> text: for each engine with lists a C header with NAME_PROGRAM_design, NAME_BASE_port, and
    NAME_describe, which makes descriptors of both; NAME is the machine's, of several engines with the engine's. Raises
    HardwareError for two designs of an engine that are called alike."""
    names = tuple(machine.engines)
    return {
        f"{engine.network.prefix}_programs.h": _header(engine, tuple(each for each in names if each != name))
        for name, engine in machine.engines.items() if engine.network.interface.listed
    }  # fmt: skip


def _header(engine: Engine, others: tuple[str, ...]) -> str:
    name, descriptors = engine.network.prefix, engine.descriptors
    designs = [each.design.name for each in descriptors]
    called = [identifier(each) for each in designs]
    if twice := [each for at, each in enumerate(designs) if called[at] in called[:at]]:
        raise HardwareError(f"two designs are called {twice[0]}, as which {name}_programs.h has their programs",
                            legal=(f'Func("{twice[0]}_2")',))  # fmt: skip
    upper, units = name.upper(), {port.name: port.unit for port in engine.network.interface.ports}
    lines = [f"/* The programs of {name}: descriptors, and the ports whose tensors have an address in each. */",
             f"#ifndef {upper}_PROGRAMS_H", f"#define {upper}_PROGRAMS_H", "", "#include <stdint.h>", "",
             *_enumerated(f"{upper}_PROGRAM_", designs, f"{upper}_PROGRAMS"),
             *_enumerated(f"{upper}_BASE_", descriptors[0].bases, f"{upper}_BASES"),
             *(_enumerated(f"{upper}_EARLY_", early, f"{upper}_EARLY") if (early := descriptors[0].early) else ()),
             f"#define {upper}_WORDS {len(descriptors[0].words)}", f"#define {upper}_KEY {descriptors[0].key:#x}u", "",
             f"static const uint8_t {name}_bytes[{upper}_BASES] = "
             f"{{{', '.join(str(units[port]) for port in descriptors[0].bases)}}};",
             f"static const uint32_t {name}_programs[{upper}_PROGRAMS][{upper}_WORDS] = {{"]  # fmt: skip
    for each in descriptors:
        words = [f"{word:#x}u" for word in each.words.tolist()]
        rows = [", ".join(words[at : at + _ROW]) for at in range(0, len(words), _ROW)]
        lines += ["    {", *(f"        {row}," for row in rows), "    },"]
    return "\n".join([*lines, "};", _describing(name, others, descriptors[0].head - 1), "#endif", ""])


def _enumerated(prefix: str, names: list[str] | tuple[str, ...], count: str) -> Iterator[str]:
    yield from ("enum {", *(f"    {prefix}{identifier(name)}," for name in names), f"    {count}", "};")
