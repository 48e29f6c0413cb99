"""Text to syntax tree, with errors that show the place and say what was expected."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from functools import cache, lru_cache
from importlib.resources import files
from itertools import takewhile
from typing import Any

from lark import Lark, Token, Tree, UnexpectedCharacters, UnexpectedInput, UnexpectedToken, v_args
from lark.lexer import PatternStr
from lark.tree import Meta
from lark.visitors import Transformer_NonRecursive

from halidehw.errors import ParseError, SourceLine
from halidehw.frontend.text import syntax
from halidehw.notation import TEXT

PRECEDENCE = (
    ("OR",), ("AND",), ("BIT_OR",), ("BIT_XOR",), ("BIT_AND",), ("EQUALITY",), ("LESS", "GREATER", "RELATION"),
    ("SHIFT",), ("PLUS", "MINUS"), ("PRODUCT",),
)  # fmt: skip
"""The operators between two operands, C++'s, those that bind loosest first."""

_BINDS = {name: level for level, names in enumerate(PRECEDENCE) for name in names}
_WORDS = {"NAME": "an identifier", "COMPOUND": "'+='", "$END": "the end of the file"}
_AFTER_OPERAND = frozenset({*_BINDS, "LPAR", "LSQB", "DOT", "SCOPE"})
_OPERAND = frozenset({"NAME", "NUMBER", "FLOAT", "STRING", "TEMPLATE", "EXPR", "LPAR", "MINUS", "PLUS", "UNARY"})


@cache
def _grammar() -> Lark:
    text = files(__package__).joinpath("grammar.lark").read_text()
    return Lark(text, parser="lalr", lexer="basic", propagate_positions=True)


@lru_cache(maxsize=1 << 12)
def _parsed(statements: str) -> Tree[Token]:
    """The tree of some statements: texts have many in common."""
    return _grammar().parse(statements)


class Text:
    """A text under a file name, able to point at its places; of a part of one, so many lines are `before` it."""

    def __init__(self, text: str, filename: str, before: int = 0):
        self.text, self.filename, self.before = text, filename, before
        self._lines = text.expandtabs(1).split("\n")

    def place(self, line: int, column: int) -> SourceLine:
        return SourceLine(self.filename, self.before + line, self._lines[line - 1].rstrip(), column, TEXT)

    def parts(self) -> Iterator[tuple[str, int]]:
        """The text in parts that end with a line's last semicolon, each with the lines before it."""
        lines, first = self.text.split("\n"), 0
        for at, line in enumerate(lines, 1):
            if line.split("//")[0].rstrip().endswith(";") or at == len(lines):
                yield "\n".join(lines[first:at]), first
                first = at

    def at(self, token: Token) -> SourceLine:
        return self.place(token.line or 1, token.column or 1)

    def end(self) -> SourceLine:
        return self.place(len(self._lines), 1)

    def after(self, token: Token) -> SourceLine:
        return self.place(token.end_line or 1, token.end_column or 1)


def syntax_of(text: Text) -> tuple[syntax.Statement, ...]:
    """The statements of a text. Raises `ParseError` with line, column, caret and what was expected."""
    with suppress(UnexpectedInput):
        return tuple(each for part, before in text.parts() for each in _statements(part, text.filename, before))
    try:
        tree = _grammar().parse(text.text)
    except UnexpectedCharacters as error:
        place = text.place(error.line, error.column)
        raise _around(place) or ParseError(_unreadable(text.text[error.pos_in_stream or 0 :]), source=place) from None
    except UnexpectedToken as error:
        raise _around(text.at(error.token)) or _unexpected(text, error) from None
    return _Build(text).transform(tree)


@lru_cache(maxsize=1 << 12)
def _statements(part: str, filename: str, before: int) -> tuple[syntax.Statement, ...]:
    """The statements of a part of a text, where others have the same one at the same line, once."""
    return _Build(Text(part, filename, before)).transform(_parsed(part))


def _around(place: SourceLine) -> ParseError | None:
    """The error at a line that C++ has around a program; None if it is no such line."""
    if not re.match(r"#\s*(include|define|pragma|if)|using\b|(int|void)\s+main\b", place.text.lstrip()):
        return None
    why = "a design is the statements alone; delete the lines of #include and using, and main with its braces"
    return ParseError(why, source=place)


def _unreadable(rest: str) -> str:
    if rest.startswith('"'):
        return "this string has no closing '\"' on its line"
    if rest.startswith("/*"):
        return "this comment has no closing '*/'"
    if word := re.match(r"\d[\w.]*", rest):
        return f"'{word[0]}' is neither a decimal integer (such as 16) nor a hexadecimal one (0x10)"
    return f"the character {rest[0]!r} has no meaning here"


def _unexpected(text: Text, error: UnexpectedToken) -> ParseError:
    """What is missing at a line's end is shown there, after the token before; anything else where it stands."""
    token, ended = error.token, error.token.type == "$END"
    start = len(text.text) if ended else token.start_pos or 0
    if text.text.startswith("/*", start):
        return ParseError(_unreadable("/*"), source=text.at(token))
    before = deque(takewhile(lambda other: (other.end_pos or 0) <= start, _grammar().lex(text.text)), maxlen=1)
    missing = before and (ended or before[0].end_line != token.line)
    source = text.after(before[0]) if missing else text.at(token)
    found = "the end of the file" if ended else f"'{token}'"
    return ParseError(f"expected {_alternatives(error.accepts or set())}, but found {found}", source=source)


def _alternatives(terminals: set[str]) -> str:
    """Terminals in a reader's words, sorted: all operators as one, all beginnings of an expression as one."""
    words = []
    for word, sign, group in (("an operator", "PRODUCT", _AFTER_OPERAND), ("an expression", "NUMBER", _OPERAND)):
        if sign in terminals:
            words.append(word)
            terminals = terminals - group
    *most, last = sorted(_human(terminal) for terminal in terminals) + words
    return f"{', '.join(most)} or {last}" if most else last


def _human(terminal: str) -> str:
    if terminal in _WORDS:
        return _WORDS[terminal]
    pattern = _grammar().get_terminal(terminal).pattern
    return f"'{pattern.value}'" if isinstance(pattern, PatternStr) else terminal.lower()


class _Build(Transformer_NonRecursive[Token, Any]):
    """lark's tree to `syntax`, bottom up: one method a rule."""

    def __init__(self, text: Text):
        super().__init__()
        self._text = text

    def start(self, statements: list[Any]) -> tuple[syntax.Statement, ...]:
        return tuple(one for each in statements for one in (each if isinstance(each, list) else [each]))

    def declaration(self, items: list[Any]) -> list[syntax.Declare]:
        kind, *declarators = items
        return [
            syntax.Declare(
                self._text.at(name),
                kind,
                str(name),
                initial if isinstance(initial, tuple) else None,
                None if isinstance(initial, tuple) else initial,
            )
            for name, initial in declarators
        ]

    def kind(self, tokens: list[Token]) -> str:
        return str(tokens[-1])

    def param(self, items: list[Any]) -> str:
        return f"Param<{''.join(map(str, items[1:-1]))}>"

    def declarator(self, items: list[Any]) -> tuple[Token, Any]:
        return items[0], items[1] if len(items) > 1 else None

    def value(self, items: list[Any]) -> syntax.Node:
        return items[1]

    def arguments(self, items: list[syntax.Node]) -> tuple[syntax.Node, ...]:
        return tuple(items)

    def definition(self, items: list[Any]) -> syntax.Define:
        target, op, value = items
        return syntax.Define(self._text.at(op), target, str(op), value)

    def directive(self, items: list[Any]) -> syntax.Direct:
        return syntax.Direct(items[0].source, items[0])

    @v_args(meta=True)
    def braces(self, meta: Meta, items: list[syntax.Node]) -> syntax.Braces:
        return syntax.Braces(self._text.place(meta.line, meta.column), tuple(items))

    def expr(self, items: list[Any]) -> syntax.Node:
        """Operands and the operators between them: of those on the stack each binds tighter than the one before it."""
        values, waiting = [items[0]], list[Token]()
        for op, value in zip(items[1::2], items[2::2], strict=True):
            while waiting and _BINDS[waiting[-1].type] >= _BINDS[op.type]:
                self._bind(values, waiting.pop())
            values.append(value)
            waiting.append(op)
        while waiting:
            self._bind(values, waiting.pop())
        return values[0]

    def _bind(self, values: list[Any], op: Token) -> None:
        """The last two values become one."""
        b, a = values.pop(), values.pop()
        values.append(syntax.Binary(self._text.at(op), str(op), a, b))

    def unary(self, items: list[Any]) -> syntax.Unary:
        op, a = items
        return syntax.Unary(self._text.at(op), str(op), a)

    def member(self, items: list[Any]) -> syntax.Member:
        of, name = items
        return syntax.Member(self._text.at(name), of, str(name))

    def call(self, items: list[Any]) -> syntax.Call:
        callee, *arguments = items
        return syntax.Call(callee.source, callee, tuple(arguments))

    @v_args(meta=True)
    def subscript(self, meta: Meta, items: list[syntax.Node]) -> syntax.Subscript:
        return syntax.Subscript(self._text.place(meta.line, meta.column), *items)

    def element(self, items: list[Token]) -> str:
        return str(items[0])

    def name(self, items: list[Token]) -> syntax.Name:
        return syntax.Name(self._text.at(items[0]), str(items[0]))

    def qualified(self, items: list[Token]) -> syntax.Name:
        return syntax.Name(self._text.at(items[0]), "".join(items))

    @v_args(meta=True)
    def constant_expr(self, meta: Meta, items: list[syntax.Node]) -> syntax.Call:
        source = self._text.place(meta.line, meta.column)
        return syntax.Call(source, syntax.Name(source, "Expr"), tuple(items))

    def templated(self, items: list[Any]) -> syntax.Templated:
        function, _less, of, _greater = items
        return syntax.Templated(self._text.at(function), str(function), of)

    def number(self, items: list[Token]) -> syntax.Number:
        return syntax.Number(self._text.at(items[0]), int(items[0], 0))

    def float(self, items: list[Token]) -> syntax.Number:
        return syntax.Number(self._text.at(items[0]), float(str(items[0]).rstrip("f")))

    def string(self, items: list[Token]) -> syntax.String:
        return syntax.String(self._text.at(items[0]), str(items[0])[1:-1])
