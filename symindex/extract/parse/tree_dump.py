"""The syntax tree of a source as text, for authors of queries."""

from typing import Final

import tree_sitter

from symindex.extract.languages.language import Language
from symindex.extract.parse.query import load_grammar

DEEPEST_SHOWN: Final = 200
"""Deeper levels are not indented further: the blanks would grow with the square of the depth."""


def print_tree(language: Language, data: bytes, with_anonymous: bool = False) -> str:
    """The syntax tree of `data`: a line for each node, with its field, type and place."""
    cursor = tree_sitter.Parser(load_grammar(language)).parse(data).walk()
    lines: list[str] = []
    while True:
        node = cursor.node
        if node is not None and (node.is_named or with_anonymous or node.is_missing):
            (row, column), (end_row, end_column) = node.start_point, node.end_point
            text = ""
            if node.child_count == 0:
                text = " " + repr(
                    data[node.start_byte : node.end_byte].decode("utf-8", "replace")[:60]
                )
            label = f"{cursor.field_name}: " if cursor.field_name else ""
            missing = " MISSING" if node.is_missing else ""
            place = f"[{row + 1}:{column} - {end_row + 1}:{end_column}]"
            lines.append(
                f"{'  ' * min(cursor.depth, DEEPEST_SHOWN)}{label}({node.type}){missing}"
                f" {place}{text}"
            )
        if cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return "\n".join(lines) + "\n"
