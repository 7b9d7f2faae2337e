"""Tools for authors of languages: the checks that only `symindex check` makes, and a syntax tree as
text.

The checks find mistakes that make a language find less, not those that make it unusable. They take
longer than loading a language, so nothing else runs them.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

import tree_sitter

from symindex.errors import GrammarError, like_it, right_words
from symindex.extract.languages.language import Language
from symindex.extract.languages.schema import RoleRules
from symindex.extract.parse.grammar import load_grammar
from symindex.extract.parse.query_errors import known_words, place_in_query
from symindex.extract.parse.roles import FIRST, LAST, ROLES
from symindex.extract.parse.skipping.pattern_words import TOKEN, read_patterns


def check_for_author(language: Language) -> None:
    """Raises GrammarError for the first mistake in a language."""
    grammar = load_grammar(language)
    _check_roles(language, grammar)
    for pattern in read_patterns(language.query, grammar):
        text = language.query[pattern.start : pattern.end]
        for capture in sorted(set(re.findall(r"@definition\.\w+", text))):
            if _is_apart(text, capture):
                place = place_in_query(
                    language.id, language.query, language.query.count("\n", 0, pattern.start)
                )
                raise GrammarError(
                    f"{place}: {capture} is on two sibling nodes: capture one of them, or the"
                    " node around both"
                )


def _check_roles(language: Language, grammar: tree_sitter.Language) -> None:
    table, rules = f"grammars/{language.id}/language.toml: roles", language.rules.roles
    for role, _ in rules.rules:
        if role not in ROLES:
            raise GrammarError(
                f"{table}.rules: unknown role {role!r}{right_words(role, ROLES)}",
                "roles.rules",
                role,
            )
    fields = set(known_words(grammar, "field"))
    numbers = filter(grammar.node_kind_is_visible, range(grammar.node_kind_count))
    nodes = {grammar.node_kind_for_id(number) or "" for number in numbers}
    for key, pattern, sort, word in _words_of(rules):
        words = {"field": fields, "node": nodes}.get(sort, fields | nodes)
        if word and word not in words:
            near = like_it(word, known_words(grammar, "node" if sort == "node" else "field"))
            message = (
                f"{table}.{key}: {word!r}, in {pattern!r}, is not a {sort} of the grammar"
                f" {language.rules.grammar}{near}"
            )
            raise GrammarError(message, f"roles.{key}", pattern)


def _words_of(rules: RoleRules) -> Iterator[tuple[str, str, str, str]]:
    """Yields the nodes and fields that `[roles]` names: the key, the pattern, the kind of word
    (`node`, `field`, `field or node`), and the word."""
    patterns: list[tuple[str, Iterable[str]]] = [
        ("rules", [pattern for _, pattern in rules.rules]),
        ("members", rules.members),
        ("receivers", rules.receivers),
        ("qualifiers", rules.qualifiers),
        ("modules", rules.modules),
        ("kin", [pattern for pattern, _ in rules.kin]),
        ("values", rules.values),
        ("variables", rules.variables),
        ("binds", rules.binds),
        ("locals", rules.locals),
        ("hoisted", rules.hoisted),
        ("blocks", rules.blocks),
        ("type_bodies", rules.type_bodies),
        ("tokens", rules.tokens),
        ("dotted", rules.dotted),
    ]
    for key, texts in patterns:
        for text in texts:
            steps, _, node = text.removesuffix("/**").partition("@")
            is_field = node.startswith(("!", "+"))
            for word in node.lstrip("!+").split("/"):
                yield key, text, "field or node" if is_field else "node", word
            for step in steps.split("/"):
                outer, _, field = step.partition(".")
                yield key, text, "node", outer.replace("*", "").partition("[")[0]
                yield key, text, "field", field if field not in (FIRST, LAST) else ""
    for _, neighbour in rules.kin:
        yield "kin", neighbour, "field or node", neighbour


_NO_NODE: Final = re.compile(r"[?*+;.#!].*|.*:")


def _is_apart(pattern: str, capture: str) -> bool:
    """Whether a pattern has a capture on two nodes that are both in a match, neither inside the
    other."""
    around: list[list[bool]] = [
        []
    ]  # for each open bracket: whether each node in it is or contains one with the capture
    for match in TOKEN.finditer(pattern):
        token = match[0]
        if token in ("(", "["):
            around.append([])
        elif token in (")", "]"):
            inner = around.pop()
            if token == ")" and sum(inner) > 1:
                return True
            around[-1].append(any(inner))
        elif token == capture and around[-1]:
            around[-1][-1] = True
        elif token[0] != "@" and _NO_NODE.fullmatch(token) is None:
            around[-1].append(False)
    return False


DEEPEST_SHOWN: Final = 200
"""Deepest level that is indented: more blanks would grow with the square of the depth."""


def print_tree(language: Language, data: bytes, with_anonymous: bool = False) -> str:
    """Returns the syntax tree of `data`, one line for each node, with its field, type and place."""
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
