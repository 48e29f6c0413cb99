"""The programs of a machine for drivers in C."""

from __future__ import annotations

from collections.abc import Iterator

from halidehw.backend_hdl.library import identifier
from halidehw.machines.machine import Machine

_ROW = 8
"""Words of a descriptor in a line."""

_DESCRIBE = """
/* The descriptor of a program whose tensors lie at these addresses. */
static inline void {name}_describe(uint32_t *to, unsigned program, const uint64_t *bases) {{
    uint32_t sum = 0;
    for (unsigned i = 1; i < {NAME}_WORDS; i++) {{
        to[i] = {name}_programs[program][i];
        if (i <= 2 * {NAME}_BASES) to[i] = (uint32_t)(bases[(i - 1) / 2] >> (i % 2 ? 0 : 32));
        sum += to[i];
    }}
    to[0] = {NAME}_KEY - sum;
}}
"""


def programs_header(machine: Machine) -> str:
    """A C header: NAME_PROGRAM_design, NAME_BASE_port, and NAME_describe, which makes descriptors of both."""
    name, descriptors = machine.network.prefix, machine.descriptors
    upper = name.upper()
    lines = [f"/* The programs of {name}: descriptors, and the ports whose tensors have an address in each. */",
             f"#ifndef {upper}_PROGRAMS_H", f"#define {upper}_PROGRAMS_H", "", "#include <stdint.h>", "",
             *_enumerated(f"{upper}_PROGRAM_", [each.design.name for each in descriptors], f"{upper}_PROGRAMS"),
             *_enumerated(f"{upper}_BASE_", descriptors[0].bases, f"{upper}_BASES"),
             f"#define {upper}_WORDS {len(descriptors[0].words)}", f"#define {upper}_KEY {descriptors[0].key:#x}u", "",
             f"static const uint32_t {name}_programs[{upper}_PROGRAMS][{upper}_WORDS] = {{"]  # fmt: skip
    for each in descriptors:
        words = [f"{word:#x}u" for word in each.words.tolist()]
        rows = [", ".join(words[at : at + _ROW]) for at in range(0, len(words), _ROW)]
        lines += ["    {", *(f"        {row}," for row in rows), "    },"]
    return "\n".join([*lines, "};", _DESCRIBE.format(name=name, NAME=upper), "#endif", ""])


def _enumerated(prefix: str, names: list[str] | tuple[str, ...], count: str) -> Iterator[str]:
    yield from ("enum {", *(f"    {prefix}{identifier(name)}," for name in names), f"    {count}", "};")
