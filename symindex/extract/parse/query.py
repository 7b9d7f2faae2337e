"""A language's query (`symbols.scm`), compiled and ready to run."""

import re
from functools import cache, cached_property
from typing import Final

import tree_sitter

from symindex.extract.languages.language import QUERY_OF, Language
from symindex.extract.parse.grammar import load_grammar
from symindex.extract.parse.patterns import Match, PatternSet
from symindex.extract.parse.query_errors import NOT_CODE
from symindex.extract.parse.skipping import switch
from symindex.extract.parse.skipping.pattern_words import blank_patterns, divide
from symindex.extract.parse.skipping.query_parts import QueryParts


class CompiledQuery(QueryParts):
    """A language's query, ready to run."""

    def __init__(
        self,
        language_id: str,
        grammar: tree_sitter.Language,
        text: str,
        depth: int = 0,
        root: str = "",
        search_words: bool = False,
        skips: bool = True,
    ) -> None:
        """skips: patterns that cannot match may be left out. The others: see `QueryParts`."""
        text = without_foreign_nodes(text, grammar)
        patterns = divide(text, grammar) if skips else []
        super().__init__(language_id, grammar, text, patterns, depth, root, search_words)
        self.has_parts: bool = all(f"@{capture}" in text for capture in ("whole", "part", "body"))

    @cached_property
    def _comments(self) -> tuple[PatternSet, frozenset[int]]:
        numbers = [
            pattern.number
            for pattern in self.patterns
            if "doc" in pattern.captures and not pattern.settings.doc
        ]
        return self.part(tuple(numbers)), frozenset(numbers)

    def comments_in(self, node: tree_sitter.Node, start: int, end: int) -> list[Match]:
        """Returns the comments in a range of bytes of a node, at any depth."""
        patterns, numbers = self._comments
        return [match for match in patterns.run_in(node, start, end) if match[0].number in numbers]


def without_foreign_nodes(text: str, grammar: tree_sitter.Language) -> str:
    """Blanks the patterns of the languages that a query builds on if the query's own grammar does
    not have their nodes."""
    own_start = text.rfind("\n" + QUERY_OF)
    if own_start < 0:
        return text

    def is_foreign(code: str) -> bool:
        names = set(_NODE.findall(NOT_CODE.sub("", code))) - {"MISSING", "ERROR", "_"}
        return any(grammar.id_for_node_kind(name, True) is None for name in names)

    if not is_foreign(text[:own_start]):
        return text
    patterns = divide(text[:own_start], grammar)
    return blank_patterns(
        text, [pattern for pattern in patterns if is_foreign(text[pattern.start : pattern.end])]
    )


_NODE: Final = re.compile(r"\((\w+)")


def compile_query(language: Language) -> CompiledQuery:
    """Compiles and checks a language's query, once.

    Raises GrammarError for the capture, setting or node that is wrong.
    """
    rules = language.rules
    return _compile(
        language.id,
        load_grammar(language),
        language.query,
        rules.query_depth,
        rules.query_root,
        rules.search_words,
        switch.IS_ON,
    )


# Without a bound: freeing a compiled query while others are in use has crashed py-tree-sitter 0.26.
@cache
def _compile(
    language_id: str,
    grammar: tree_sitter.Language,
    text: str,
    depth: int,
    root: str,
    search_words: bool,
    skips: bool,
) -> CompiledQuery:
    return CompiledQuery(language_id, grammar, text, depth, root, search_words, skips)
