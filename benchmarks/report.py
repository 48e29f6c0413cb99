"""Tables as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Rows of equal length under their heads; numbers to the right."""
    body = [list(map(str, row)) for row in rows]
    numeric = [all(row[i][:1].isdigit() for row in body if row[i]) for i in range(len(heads))]
    rule = ["---:" if right else "---" for right in numeric]
    return "\n".join(f"| {' | '.join(line)} |" for line in [list(heads), rule, *body])


def verdict(met: bool) -> str:
    return "yes" if met else "no"
