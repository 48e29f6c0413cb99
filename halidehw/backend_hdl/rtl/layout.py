"""How a text is laid out: groups of ports, comments, long lines."""

from __future__ import annotations

from dataclasses import dataclass

COLUMNS = 120
INDENT = "  "


@dataclass(frozen=True)
class Group:
    """Ports that stand together, under a comment."""

    comment: str
    ports: tuple[str, ...]


def comment(words: str) -> list[str]:
    """Paragraphs of words as lines of a comment."""
    lines: list[str] = []
    for paragraph in words.split("\n\n"):
        if not paragraph.strip():
            continue
        lines += ["//"] if lines else []
        line = "//"
        for word in paragraph.split():
            if len(line) + 1 + len(word) > COLUMNS:
                lines.append(line)
                line = "//"
            line += f" {word}"
        lines.append(line)
    return lines


def wrapped(line: str) -> str:
    """A line, broken at spaces where it is too long."""
    if len(line) <= COLUMNS:
        return line
    margin = line[: len(line) - len(line.lstrip())]
    lines, current = [], margin
    for word in line.split():
        if current.strip() and len(current) + 1 + len(word) > COLUMNS:
            lines.append(current)
            current = margin + 2 * INDENT
        current += f" {word}" if current.strip() else word
    return "\n".join([*lines, current])
