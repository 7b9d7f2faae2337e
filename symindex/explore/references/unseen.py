"""Tells which names cannot mean a symbol, or hardly, by where it is visible."""

import re
from collections.abc import Sequence
from typing import Final

from symindex.explore.references.module_judge import Verdict
from symindex.explore.references.module_paths import folder_of
from symindex.explore.references.receivers import last_name
from symindex.explore.references.scopes import Scope, scopes_around
from symindex.explore.references.symbol_facts import SymbolFacts
from symindex.protocol.kinds import SymbolKind
from symindex.resolve.denoted import is_named_as_its_type
from symindex.resolve.reading.excerpts import NOT_BOUND, Mention
from symindex.resolve.tree import Row
from symindex.text.receivers import first_name

_MAKES: Final = re.compile(r"\w+(?:<[^<>]{0,80}>)?\s*(?:\w+\s*)?[({]")
"""Matches a type that may create a value: `Cart cart(1)`, `Cart{1}`."""

ALSO_USES: Final = ("inherit", "implement")
"""Roles of names that may define a symbol too: an embedded type names its field, the type that a
protocol is implemented for names the implementation."""

_MACRO: Final = re.compile(r"\w{1,100}[ \t]{0,8}\(")
"""The beginning of a line that calls a macro."""

_VALUES: Final = frozenset({SymbolKind.VARIABLE, SymbolKind.CONSTANT})


def is_unseen(symbol: SymbolFacts, row: Row, mention: Mention, scope: Scope) -> bool:
    """Whether a bare name is outside of the function that its type is local to, or in a function
    that does not see the variables of its script. row: the symbol."""
    around = row.container
    if symbol.is_type and around and symbol.is_function(around):
        return not f"{scope.qualified_name}.".startswith(f"{around}.")
    is_closed = symbol.rules.closed_functions and not around and row.kind in _VALUES
    return (
        is_closed
        and mention.is_variable
        and mention.binding != NOT_BOUND  # the function does not declare it global
        and any(map(symbol.is_function, scopes_around(scope.qualified_name)))
    )


def of_constructor(symbol: SymbolFacts, row: Row, mention: Mention, verdict: Verdict) -> Verdict:
    """Returns the verdict on a name that a constructor shares with its type: only a call means the
    constructor, and a declaration where one creates a value."""
    if verdict is Verdict.OTHER or mention.role == "call" or not is_named_as_its_type(row):
        return verdict
    may_create = symbol.rules.declarations_create and mention.role == "type"
    is_open = may_create and _MAKES.match(mention.onward) is not None
    return Verdict.MAY_BE if is_open else Verdict.OTHER


def is_named_by_chance(symbol: SymbolFacts, path: str, mention: Mention) -> bool:
    """Whether a receiver only has the name of the member's type, which its file neither imports nor
    defines."""
    is_named = symbol.is_member and last_name(mention.receiver) == symbol.container
    return (
        is_named
        and symbol.rules.imports_names
        and path != symbol.path
        and not mention.imports
        and folder_of(path) != folder_of(symbol.path)
    )


def has_other_whole_name(row: Row, mention: Mention) -> bool:
    """Whether a definition names a namesake by its whole name: `defmodule Other.Cart`. row: the
    symbol."""
    whole = f".{mention.receiver}.{mention.name}"
    is_whole = "." in row.name and bool(mention.receiver)
    return is_whole and not f".{row.name}".endswith(whole)


def is_given_to_macro(
    symbol: SymbolFacts, mentions: Sequence[Mention], scopes: Sequence[Scope]
) -> bool:
    """Whether a macro at the top of a file gets the name of a function, which it may define: the
    parser takes the name for a type, and no function is one."""
    return symbol.is_called and any(
        mention.role == "type" and not scope.qualified_name and _MACRO.match(mention.text)
        for mention, scope in zip(mentions, scopes, strict=True)
    )


def is_of_local_object(mention: Mention) -> bool:
    """Whether the receiver of a name is a local object that may have it as a member."""
    member = re.compile(rf"=\s*\{{.*?(?<![\w$.]){re.escape(mention.name)}\s*[,}}]")
    texts = mention.local.get(first_name(mention.receiver), ())
    return any(member.match(text) is not None for text in texts)


def is_plain_variable(symbol: SymbolFacts, row: Row, mention: Mention) -> bool:
    """Whether a name cannot be that of a member, by its form: one that binds a variable where bare
    names call methods, and a bare one where fields have receivers. row: the symbol."""
    if mention.receiver:
        return False
    is_field = row.kind is SymbolKind.FIELD and symbol.rules.fields_have_receivers
    return is_field or (mention.is_bound and bool(symbol.rules.bare_calls))
