"""The text of comments and docstrings without their markers, by the rules of their language."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from symindex.extract.languages.language import Language
from symindex.extract.languages.rules import rules_of

_ALPHANUMERIC: Final = re.compile(r"[^\W_]")


class CommentText:
    """What a language's comments say."""

    def __init__(self, language: Language) -> None:
        rules = language.rules.doc
        self.skip = rules_of(language).doc_skip
        self.replacements = rules_of(language).doc_replace
        self.delimiters = [*((*pair, "*") for pair in rules.block), *((*pair, "") for pair in rules.quotes)]
        self.line_markers = rules.line

    def clean(self, comments: Iterable[str], most_characters: int) -> str:
        """The text of a run of comments, lines stripped, the mark of a cut included in its length."""
        kept: list[str] = []
        size = 0
        for line in self.doc_lines(comments):
            kept.append(line)
            size += len(line)
            if size > most_characters:
                break
        text = "\n".join(kept).strip()
        return text if len(text) <= most_characters else text[: most_characters - 1] + "…"

    def doc_lines(self, comments: Iterable[str]) -> Iterator[str]:
        """The lines of the comments that are documentation."""
        for text in comments:
            if self.skip.is_in(text):
                continue
            for line in self._lines(text.strip()):
                plain = line
                for finder, template in self.replacements if line else ():
                    plain = finder.replace(template, plain)
                plain = plain.strip()
                if not line or _ALPHANUMERIC.search(plain):  # not what consists of markup alone
                    yield plain

    def _lines(self, text: str) -> list[str]:
        """The lines of a comment without its markers."""
        for opening, closing, margin in self.delimiters:
            if text.startswith(opening):
                lines = text[len(opening) :].removesuffix(closing).splitlines()
                return [line.strip().lstrip(margin).strip() for line in lines]
        return [self._clean_line(line.strip()) for line in text.splitlines()]

    def _clean_line(self, line: str) -> str:
        for marker in self.line_markers:
            if line.startswith(marker):
                return line[len(marker) :].strip()
        return line


@lru_cache(maxsize=64)
def comment_text_of(language: Language) -> CommentText:
    """The same for all files of a language."""
    return CommentText(language)
