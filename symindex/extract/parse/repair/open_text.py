"""Finds a string, heredoc or docstring that a file ends inside of.

All after its beginning is text and defines nothing, even if it looks like code. The language says
which texts span lines (`[blocks].texts`). A stray quote in the middle of a file also opens such a
text. It is told apart by the code after it, which closes what is open around the quote or is
indented less. Then only the line of the quote is text, or the line is left to `half_typed`.
"""

import re
from functools import lru_cache
from typing import Final

from symindex.extract.blocks import blocks_of
from symindex.extract.languages.language import Language, compile_bytes

_LINE: Final = re.compile(rb"\n([ \t]*+)(?=[^\s])")
_CLOSING: Final = re.compile(rb"[\])}]++[;,.)]*+[ \t\r]*+(?:\n|\Z)")
_STRINGS: Final = (r'"(?:[^"\\\n]|\\[\s\S])*+"', r"'(?:[^'\\\n]|\\.)*+'")


class OpenTexts:
    """The texts of a language that may span lines."""

    def __init__(self, language: Language) -> None:
        rules, doc = language.rules.blocks, language.rules.doc
        texts = [
            rf"(?:{opens})(?:[\s\S]*?(?:{closes})|(?P<open{i}>))"
            for i, (opens, closes) in enumerate(rules.texts)
        ]
        comments = [
            rf"{re.escape(opens)}[\s\S]*?{re.escape(closes)}" for opens, closes in doc.block
        ]
        comments += [rf"{re.escape(mark)}[^\n]*+" for mark in doc.line]
        quiet = rules.quiet or [*comments, *_STRINGS]
        self._tokens = compile_bytes("|".join([*texts, *quiet])) if texts else None
        blocks = blocks_of(language)
        self._closer = blocks.closer if blocks is not None and blocks.texts else _CLOSING.match
        self._heads = blocks.heads if blocks is not None else None
        self._are_lines_repaired = blocks is not None
        self._has_closers = bool(rules.pairs)

    def find(self, source: bytes) -> tuple[int, int] | None:
        """Returns the range of an open text; `None` if there is none, or if its line is repaired in
        another way."""
        if self._tokens is None:
            return None
        for token in self._tokens.finditer(source):
            if (token.lastgroup or "").startswith("open"):
                if not self._goes_on(source, token.start(), token.end()):
                    return token.start(), len(source)
                line_end = source.find(b"\n", token.start())
                return (
                    None
                    if self._are_lines_repaired
                    else (token.start(), line_end if line_end >= 0 else len(source))
                )
        return None

    def _goes_on(self, source: bytes, start: int, end: int) -> bool:
        """Whether the text after a quote is the code around it."""
        line = source.rfind(b"\n", 0, start) + 1
        indent = len(source[line:start]) - len(source[line:start].lstrip())
        for line_match in _LINE.finditer(source, end):
            depth, code = len(line_match[1]), line_match.end()
            if depth > indent or (depth == indent and indent):
                continue
            if self._closer(source, code) is not None or (
                self._heads is not None and self._heads(source, code) is not None
            ):
                return True
            if depth < indent and not self._has_closers:
                return True
        return False


open_texts_of: Final = lru_cache(maxsize=64)(OpenTexts)
