"""Explains what is wrong with a query: file, line, and a hint at what would be right."""

import json
import re
from typing import Final

import tree_sitter

from symindex.errors import like_it
from symindex.extract.languages.language import QUERY_OF

NOT_CODE: Final = re.compile(r'"(?:\\.|[^"\\])*"|;[^\n]*')
"""Strings and comments of a query."""

_ROW: Final = re.compile(r" ?(?:at|in pattern at)? row (\d+)(?:, column (\d+))?:? ?")


def place_in_query(language_id: str, text: str, row: int) -> str:
    """Returns the file and line of a row of a query, which may include queries of other
    languages."""
    lines = text.split("\n")[: row + 1]
    for number in range(len(lines) - 1, -1, -1):
        if lines[number].startswith(QUERY_OF):
            folder = lines[number].removeprefix(QUERY_OF)
            return f"grammars/{folder}/symbols.scm:{max(row - number, 1)}"
    return f"grammars/{language_id}/symbols.scm:{row + 1}"


def tell_query_error(language_id: str, grammar: tree_sitter.Language, text: str, error: str) -> str:
    """Translates a message of tree-sitter to the line of the file; columns count from 1."""
    match = _ROW.search(error)
    if match is None:
        place = place_in_query(language_id, text, _unclosed(text))
        return f"{place}: {error}: a bracket of the pattern that begins here is not closed"
    row, fault, word = int(match[1]), error[: match.start()], error[match.end() :]
    if word == "regular expression error":
        return _tell_expression(language_id, text, row)
    if match[2] is None:
        return f"{place_in_query(language_id, text, row)}: {fault}: {word}"
    line = text.split("\n")[row].encode()
    rest = line[int(match[2]) :].decode("utf-8", "replace")
    place = f"{place_in_query(language_id, text, row)}, column {len(line) - len(rest.encode()) + 1}"
    if fault == "Invalid syntax":
        return f"{place}: {fault}{_hint(rest)}"
    if not word and "node" in fault:  # text in quotes
        word = json.dumps(re.split(r'(?<!\\)"', rest)[0])
        return (
            f"{place}: {fault} {word}: the grammar has no such text; see `symindex dump --tree"
            " --anonymous FILE`"
        )
    words = {*_captures(text)} - {word} if "capture" in fault else known_words(grammar, fault)
    impossible = (
        ": the grammar never puts such a node there; see `symindex dump --tree FILE`"
        if fault.startswith("Imp")
        else ""
    )
    return (
        f"{place}:"
        f" {fault}{f' {word}' if word else ''}{like_it(word, words) if word else ''}{impossible}"
    )


def _hint(rest: str) -> str:
    """Returns a hint for invalid syntax. rest: the line from the error on."""
    if rest.startswith("#"):
        return ": a comment begins with `;`"
    if rest.startswith("@"):
        return ": a capture follows its node, `(node) @capture`; is a bracket missing before it?"
    if rest.startswith((")", "]")):
        return ": this bracket closes nothing"
    if rest.startswith('"'):
        return ": this quote is not closed"
    return f" at {rest[:20]!r}: a pattern is `(node field: (node) @capture) @capture`"


_MATCH: Final = re.compile(r'#(?:not-|any-)*match\?\s+@[\w.-]+\s+"((?:\\.|[^"\\])*)"')


_ESCAPES: Final = {"n": "\n", "r": "\r", "t": "\t", "0": "\0"}


def _tell_expression(language_id: str, text: str, row: int) -> str:
    """Explains which regular expression of the pattern on a row is wrong, and how."""
    start = sum(len(line) + 1 for line in text.split("\n")[:row])
    for match in _MATCH.finditer(text, start):
        pattern = re.sub(r"\\(.)", lambda escape: _ESCAPES.get(escape[1], escape[1]), match[1])
        try:
            re.compile(pattern)
        except re.error as error:
            place = place_in_query(language_id, text, text.count("\n", 0, match.start()))
            return f"{place}: expression {pattern!r}: {error}"
    return (
        f"{place_in_query(language_id, text, row)}: a regular expression of this pattern is wrong"
    )


def _captures(text: str) -> list[str]:
    return re.findall(r"@([\w.-]+)", NOT_CODE.sub("", text))


def known_words(grammar: tree_sitter.Language, sort: str) -> list[str]:
    """Returns the words of the grammar that could be meant: its fields, or its named nodes."""
    if "field" in sort:
        return [
            grammar.field_name_for_id(number) or "" for number in range(1, grammar.field_count + 1)
        ]
    kinds = (
        number for number in range(grammar.node_kind_count) if grammar.node_kind_is_named(number)
    )
    return sorted({grammar.node_kind_for_id(number) or "" for number in kinds})


def _unclosed(text: str) -> int:
    """Returns the row of the last bracket that no other bracket encloses."""
    depth, row, row_start = 0, 0, 0
    code = NOT_CODE.sub(lambda match: " " * len(match[0]), text)
    for bracket in re.finditer(r"[()\[\]]", code):
        if bracket[0] in "([":
            if depth == 0:
                row, row_start = row + code.count("\n", row_start, bracket.start()), bracket.start()
            depth += 1
        else:
            depth = max(depth - 1, 0)
    return row
