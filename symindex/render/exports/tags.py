"""Symbols as universal-ctags writes tags: the parts that its tags files and its JSON share.

A tag leads to its line, even in an older or newer version of the file, by a search pattern: the
line itself or its first PATTERN_BYTES. If the line cannot be in a tags file (it contains control
characters or changes the direction of text; its file is not UTF-8, or differs from its indexed
version), there is no pattern, only the line's number.

Kinds are symindex's own, because universal-ctags has other names in each language. The signature is
the list of parameters, as in universal-ctags. Scopes are joined by dots in every language.
"""

import codecs
import re
from collections.abc import Iterator
from typing import Final

import msgspec

from symindex.explore.listing import ListedFile
from symindex.extract.languages.registry import Languages
from symindex.extract.records import Symbol
from symindex.extract.texts.file_text import to_utf8
from symindex.protocol.kinds import CALLABLE_KINDS, SymbolFlag

PATTERN_BYTES: Final = 96
"""Longest part of a line in its pattern, in bytes; universal-ctags has the same limit."""

UNKNOWN_KIND: Final = "unknown"
"""The kind of a scope that is not in the index; universal-ctags uses the same word."""


class Tag(
    msgspec.Struct,
    omit_defaults=True,
    tag_field="_type",
    tag="tag",
    rename={"scope_kind": "scopeKind"},
):
    """A tag. Its JSON has the fields of universal-ctags, in their order. file: whether it is local
    to its file. end: the last line. Lines are 1-based."""

    name: str
    path: str
    pattern: str = ""
    file: bool = False
    language: str = ""
    line: int = 0
    kind: str = ""
    signature: str = ""
    scope: str = ""
    scope_kind: str = ""
    end: int = 0


def tags_of(file: ListedFile, languages: Languages) -> Iterator[tuple[Tag, int]]:
    """Yields the tags of a file's symbols. With each comes the line after which a search for its
    pattern must begin, if a search from the top of the file would end too early; otherwise 0."""
    language = languages.by_id.get(file.known.language)
    language_name = (
        language.rules.format_names.get("ctags", language.rules.name)
        if language is not None
        else file.known.language
    )
    patterns = _LinePatterns(file.text)
    for number in file.wanted:
        symbol = file.symbols[number]
        pattern, search_after = patterns.of_line(symbol.name_row)
        tag = Tag(
            name=symbol.name,
            path=file.path,
            pattern=pattern,
            file=symbol.flags & _LOCAL != 0,
            language=language_name,
            line=symbol.name_row + 1,
            kind=symbol.kind.value,
            signature=parameters_of(symbol),
            scope=symbol.container,
            scope_kind=_scope_kind(file, number) if symbol.container else "",
            end=symbol.end_row + 1,
        )
        yield tag, search_after


_LOCAL: Final = SymbolFlag.LOCAL.value  # a plain number, because every symbol of a tree is tested


def _scope_kind(file: ListedFile, number: int) -> str:
    outer = file.outer[number]
    kind = (
        file.symbols[outer].kind
        if outer >= 0
        else file.kinds_elsewhere.get(file.symbols[number].container)
    )
    return kind.value if kind is not None else UNKNOWN_KIND


class _LinePatterns:
    """The lines of a file as search patterns."""

    def __init__(self, text: bytes | None) -> None:
        self._lines = text.removeprefix(codecs.BOM_UTF8).split(b"\n") if text is not None else []
        # If only some lines end with a carriage return, it is a part of these lines.
        self._line_end = (
            b"\r" if text is not None and text.count(b"\r\n") == len(self._lines) - 1 else b""
        )
        # An editor reads a file in one encoding, and only ASCII is the same in all encodings that
        # it may choose.
        self._is_utf8 = text is None or not to_utf8(text)[1]
        numbers = range(len(self._lines) - 1, -1, -1)
        self._first = {
            self._lines[number][:PATTERN_BYTES]: number for number in numbers
        }  # of equal lines the first one stays

    def of_line(self, row: int) -> tuple[str, int]:
        """Returns the pattern that finds a line, empty if none can, and the 1-based line after
        which the search must begin."""
        if row >= len(self._lines):
            return "", 0
        line = self._lines[row]
        is_cut = len(line) > PATTERN_BYTES
        line = line[:PATTERN_BYTES] if is_cut else line.removesuffix(self._line_end)
        if _CONTROLS.search(line) or not (self._is_utf8 or line.isascii()):
            return "", 0
        text = line.decode(errors="ignore")  # drops half a character at the end
        if _ACTING.search(text):
            return "", 0
        end = "" if is_cut else "$"
        escaped = text.replace("\\", r"\\").replace("/", r"\/")
        if escaped.endswith("$"):  # anywhere else it has no special meaning
            escaped = escaped[:-1] + r"\$"
        return f"/^{escaped}{end}/", row if self._first[
            self._lines[row][:PATTERN_BYTES]
        ] < row else 0


_CONTROLS: Final = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")
_ACTING: Final = re.compile("[\x80-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def parameters_of(symbol: Symbol) -> str:
    """Returns the parameters in a signature, with their parentheses, cut where the signature is
    cut; empty for a symbol that is not callable."""
    if symbol.kind not in CALLABLE_KINDS:
        return ""
    text = symbol.signature
    position = text.find(symbol.name)
    while position >= 0:
        start = position + len(symbol.name)
        if not (
            _is_word(text[position - 1 : position]) and _is_word(text[position])
        ) and not _is_word(text[start : start + 1]):
            start = _BETWEEN.match(text, _skip_brackets(text, start, "<[")).end()  # type: ignore[union-attr]  # matches nothing, too
            if text.startswith("(", start):
                return text[start : _skip_brackets(text, start, "(")]
        position = text.find(symbol.name, position + 1)
    return ""


_BETWEEN: Final = re.compile(
    r"[?!]?\s*(?:[:=]\s*)?(?:async\b\s*)?(?:function\b\s*\*?\s*[\w$]*\s*)?"
)
"""The text between a name and its parameters, for example if a function is a value."""


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


_CLOSING: Final = {"(": ")", "[": "]", "{": "}", "<": ">"}

_BRACKETS: Final = re.compile(
    r"""[()\[\]{}<]|(?<![-=])>|"(?:[^"\\]|\\.)*"|(?<==)\s?'(?:[^'\\]|\\.)*'|'.'"""
)
"""Brackets, and literals that may contain some. A single quote does not begin a literal in every
language."""


def _skip_brackets(text: str, start: int, kinds: str) -> int:
    """Returns the place after the bracket that closes the one at `start`, or the end of the text;
    `start` if no bracket of `kinds` is there."""
    if start >= len(text) or text[start] not in kinds:
        return start
    expected = []
    for match in _BRACKETS.finditer(text, start):
        bracket = match[0]
        if bracket in _CLOSING and (bracket != "<" or kinds != "("):
            expected.append(_CLOSING[bracket])
        elif bracket == expected[-1]:
            expected.pop()
            if not expected:
                return match.end()
    return len(text)
