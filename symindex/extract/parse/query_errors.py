"""What is wrong with a query, in the words of whoever writes it: file, line, and what would be right."""

import re
from difflib import get_close_matches
from typing import Final

import tree_sitter

from symindex.extract.languages.language import QUERY_OF

NOT_CODE: Final = re.compile(r'"(?:\\.|[^"\\])*"|;[^\n]*')
"""Strings and comments of a query."""

_ROW: Final = re.compile(r" ?(?:at|in pattern at)? row (\d+)(?:, column (\d+))?:? ?")


def place_in_query(language_id: str, text: str, row: int) -> str:
    """The file and line of a row of a query, which may hold those of other languages."""
    lines = text.split("\n")[: row + 1]
    for at in range(len(lines) - 1, -1, -1):
        if lines[at].startswith(QUERY_OF):
            return f"grammars/{lines[at].removeprefix(QUERY_OF)}/symbols.scm:{max(row - at, 1)}"
    return f"grammars/{language_id}/symbols.scm:{row + 1}"


def tell_query_error(language_id: str, grammar: tree_sitter.Language, text: str, error: str) -> str:
    """What tree-sitter says of a query, with the line of the file."""
    match = _ROW.search(error)
    if match is None:
        place = place_in_query(language_id, text, _unclosed(text))
        return f"{place}: {error}: a bracket of the pattern that begins here is not closed"
    what, word = error[: match.start()], error[match.end() :]
    column = f", column {match[2]}" if match[2] else ""
    like = get_close_matches(word, _known(grammar, what), 5, 0.6) if word else []
    near = f"; like it: {', '.join(like)}" if like else ""
    hint = "" if word else _HINTS.get(what, "")
    return f"{place_in_query(language_id, text, int(match[1]))}{column}: {what}{f' {word}' if word else ''}{near}{hint}"


_HINTS: Final = {"Impossible pattern": ": the grammar never puts such a node there; see `symindex dump --tree FILE`"}


def _known(grammar: tree_sitter.Language, what: str) -> list[str]:
    """The words of the grammar that could be meant."""
    if "field" in what:
        return [grammar.field_name_for_id(number) or "" for number in range(1, grammar.field_count + 1)]
    kinds = (number for number in range(grammar.node_kind_count) if grammar.node_kind_is_named(number))
    return sorted({grammar.node_kind_for_id(number) or "" for number in kinds})


def _unclosed(text: str) -> int:
    """The row of the last bracket that no other encloses."""
    depth, row, at = 0, 0, 0
    code = NOT_CODE.sub(lambda match: " " * len(match[0]), text)
    for bracket in re.finditer(r"[()\[\]]", code):
        if bracket[0] in "([":
            if depth == 0:
                row, at = row + code.count("\n", at, bracket.start()), bracket.start()
            depth += 1
        else:
            depth = max(depth - 1, 0)
    return row
