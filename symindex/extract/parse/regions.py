"""Tells whether a place is in a comment, in the text of a string, or in other code.

The types of nodes decide: all grammars name comments and strings alike. Code that is interpolated
into a string counts as code.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import Final

import tree_sitter

from symindex.extract.languages.language import Language
from symindex.extract.languages.rules import parser_text
from symindex.extract.parse.partial import PartialParser

COMMENTS: Final = "comments"
STRINGS: Final = "strings"
CODE: Final = "code"

_STRING: Final = re.compile(
    r"(?:^|_)(?:string|strings|char|character|rune|heredoc|nowdoc|template_literal|regex|regexp|jsx_text|text|xml_doc)(?:_|$)"
    r"|^(?:symbol_array|subshell_text|encapsed_string|shell_command_expression)$"
)
_COMMENT: Final = re.compile(r"comment(?!_parameter)|^(?:hash_bang_line|shebang)$")
_INSERTED: Final = re.compile(r"interpolation|substitution|expansion|interpolated_expression")


def regions_at(language: Language, data: bytes, places: Sequence[tuple[int, int]]) -> list[str]:
    """Returns COMMENTS, STRINGS or CODE for each range of `data` (UTF-8), in order, by where the
    range begins. Raises nothing for bad source."""
    source = parser_text(language, data)
    parsed = PartialParser(language).parse_once(source, places)
    children: dict[int, tuple[list[tree_sitter.Node], list[int]]] = {}
    return [_region(parsed.tree.root_node, start, children) for start, _ in places]


def _region(
    node: tree_sitter.Node,
    place: int,
    children: dict[int, tuple[list[tree_sitter.Node], list[int]]],
) -> str:
    region = CODE
    while True:
        kind = node.type
        if node.is_named:
            if _COMMENT.search(kind):
                return COMMENTS
            if _INSERTED.search(kind):
                region = CODE
            elif _STRING.search(kind):
                region = STRINGS
        cached = children.get(node.id)
        if cached is None:
            inner = node.children
            cached = children[node.id] = inner, [child.end_byte for child in inner]
        number = bisect_right(cached[1], place)
        if number == len(cached[0]) or cached[0][number].start_byte > place:
            return region
        node = cached[0][number]
