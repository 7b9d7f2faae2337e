"""Reads the text of comments and docstrings without their markers, by the rules of their
language."""

import re
import sys
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from symindex.extract.languages.language import Language
from symindex.extract.languages.rules import RulePattern, rules_of

_ALPHANUMERIC: Final = re.compile(r"[^\W_]")


class CommentText:
    """A language's rules for comments."""

    def __init__(self, language: Language) -> None:
        rules = language.rules.doc
        self.skip: RulePattern = rules_of(language).doc_skip
        self.replacements: list[tuple[RulePattern, str]] = rules_of(language).doc_replace
        self.delimiters: list[tuple[str, str, str]] = [
            *((*pair, "*") for pair in rules.block),
            *((*pair, "") for pair in rules.quotes),
        ]
        self.line_markers: list[str] = rules.line

    def clean(self, comments: Iterable[str], most_characters: int) -> str:
        """Returns the text of a run of comments, with stripped lines. A cut text ends with a mark,
        which counts towards its length."""
        text = "\n".join(self.doc_lines(comments, most_characters)).strip()
        return text if len(text) <= most_characters else text[: most_characters - 1] + "…"

    def doc_lines(self, comments: Iterable[str], most_characters: int = sys.maxsize) -> list[str]:
        """Returns the lines of the comments that are documentation, up to the line that passes the
        given number of characters. A list, because generators take much of the time for all docs of
        a tree."""
        lines: list[str] = []
        size = 0
        for text in comments:
            if self.skip.is_in(text):
                continue
            replacements = self.replacements
            while replacements and not replacements[0][0].can_be_in(
                text
            ):  # one replacement may make text that a later one matches
                replacements = replacements[1:]
            for line in self._lines(text.strip()):
                plain = line
                if line:
                    for finder, template in replacements:
                        plain = finder.replace(template, plain)
                    if replacements:
                        plain = plain.strip()
                    if not plain[:1].isalnum() and not _ALPHANUMERIC.search(
                        plain
                    ):  # a line of markup alone
                        continue
                lines.append(plain)
                size += len(plain)
                if size > most_characters:
                    return lines
        return lines

    def _lines(self, text: str) -> list[str]:
        """Returns the lines of a comment without its markers, stripped."""
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
    """Returns the rules for comments of a language, compiled once."""
    return CommentText(language)
