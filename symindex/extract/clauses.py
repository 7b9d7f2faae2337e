"""Joins definitions that are one symbol: the clauses of a function, and names that count once in a
file.

The clauses of a function follow each other. They share the name, the container and, if the language
distinguishes functions by it, the number of parameters. Comments, docs, attributes and values may
be between them.
"""

import re
from collections.abc import Callable
from typing import Final

from symindex.extract.captures import Definition
from symindex.extract.languages.language import Language
from symindex.extract.scopes import ScopeNode
from symindex.protocol.kinds import SymbolKind

VALUE_KINDS: Final = frozenset(
    {
        SymbolKind.VARIABLE.value,
        SymbolKind.CONSTANT.value,
        SymbolKind.PROPERTY.value,
        SymbolKind.FIELD.value,
    }
)
"""Kinds that are not symbols directly inside a function: nobody looks them up from elsewhere."""

_Key = tuple[str, str, int]
"""Kind, qualified name, number of parameters."""


class Repeated:
    """The definitions of a file so far. It is called for each in the order of the names. text:
    returns the text between two bytes."""

    def __init__(self, language: Language, text: Callable[[int, int], str]) -> None:
        rules = language.rules
        self._once, self._clauses = frozenset(rules.once), frozenset(rules.clauses)
        self._by_arity, self._text = rules.arity, text
        self._seen: set[_Key] = set()
        self._last: dict[int, tuple[_Key, int]] = {}

    def clause_of(self, node: ScopeNode, definition: Definition, number: int) -> int:
        """Returns the number of the symbol that a definition is a further clause of; `number` if it
        is a new symbol; or -1 if it does not count, because the file has one of its name."""
        kind, role = node.kind, definition.pattern.settings.role
        is_clause = kind in self._clauses
        if role != "clause" and not is_clause and kind not in self._once:
            if kind not in VALUE_KINDS:
                self._last.pop(id(node.parent), None)
            return number
        last = self._last.get(id(node.parent))
        if role == "clause":
            return last[1] if last is not None else -1
        by_arity = self._by_arity
        arity = (
            count_parameters(self._text(definition.name_end, definition.body_byte))
            if by_arity
            else 0
        )
        key = (kind, node.path, arity)
        if is_clause and last is not None and last[0] == key:
            return last[1]
        if kind in self._once:
            if key in self._seen:
                self._last.pop(id(node.parent), None)
                return -1
            self._seen.add(key)
        if is_clause or kind not in VALUE_KINDS:
            self._last[id(node.parent)] = key, number
        return number


_MOST_CHARACTERS: Final = 2_000
"""Most characters of a list of parameters that are read."""

_TOKEN: Final = re.compile(
    r"""<<|>>|[(\[{)\]},]|"(?:[^"\\\n]|\\.)*+"?|'(?:[^'\\\n]|\\.)*+'?|(?<!\w)[?$]\\?.|[^\s(\[{)\]},"'?<>]++|\S"""
)
"""Brackets, commas, strings, characters (`?,`, `$,`), words. `<<a, b>>` is a bracket, too."""


def count_parameters(text: str) -> int:
    """Counts the parameters in the brackets at the start of `text`; 0 without brackets."""
    return len(split_parameters(text))


def split_parameters(text: str) -> list[str]:
    """Counts the parameters in the brackets at the start of `text`. Strings may contain
    anything."""
    text = text[:_MOST_CHARACTERS].lstrip()
    if not text.startswith("("):
        return []
    depth, parameters, start, end = 0, [], 1, len(text)
    for token in _TOKEN.finditer(text):
        sign = token[0]
        if sign in (")", "]", "}", ">>"):
            depth -= 1
            if depth == 0:
                end = token.start()
                break
        elif sign == "," and depth == 1:
            parameters.append(text[start : token.start()].strip())
            start = token.end()
        else:
            depth += sign in ("(", "[", "{", "<<")
    last = text[start:end].strip()
    return [*parameters, last] if parameters or last else []
