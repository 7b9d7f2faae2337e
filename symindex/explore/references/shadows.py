"""Finds mentions of a name that mean a local binding and not a symbol.

If the rules of a language tell what opens a scope, each mention has the place of its binding
(`extract/parse/bindings`). Otherwise a name counts as bound in the whole symbol that binds it,
except that a call is left open if only a block or a lambda may bind it.
"""

import re
from collections.abc import Sequence
from typing import Final

from symindex.explore.references.receivers import own_name
from symindex.explore.references.scopes import Scope, scopes_around
from symindex.resolve.reading.excerpts import NOT_BOUND, NOT_KNOWN, Mention

OF_TYPES: Final = frozenset({"type", "inherit", "implement", "import"})
"""Roles of names that no variable has."""


class Shadows:
    """The local bindings of a name in one file. qualified_name: of the symbol. is_own: whether this
    file defines it."""

    def __init__(
        self, pairs: Sequence[tuple[Mention, Scope]], qualified_name: str, is_own: bool
    ) -> None:
        self._qualified_name = qualified_name
        self._defined = {
            mention.start_byte: _name_of(mention, scope) for mention, scope in pairs if scope.names
        }
        self._is_local = is_own and any(
            mention.binding >= 0 and self._defined[mention.start_byte] == qualified_name
            for mention, scope in pairs
            if scope.names
        )
        self._defaults = {
            mention.start_byte
            for mention, _ in pairs
            if mention.is_bound and _is_by_default(mention)
        }
        bound = [
            (mention, scope.qualified_name)
            for mention, scope in pairs
            if mention.is_bound and not scope.names
        ]
        self._binding = {name for _, name in bound} - {""}
        self._names = {
            name for mention, name in bound if mention.start_byte not in self._defaults
        } - {""}
        self._types = {
            mention.start_byte
            for mention, scope in pairs
            if mention.is_bound and mention.role in OF_TYPES and not scope.names
        }
        self._of_heads = {name for mention, name in bound if _is_in_head(mention, name)}

    def hide(self, mention: Mention, scope: Scope) -> bool:
        """Whether a mention means a local binding. A name with a receiver does not, and a type
        seldom has the name of a variable, but that of a type parameter."""
        is_unseen = mention.is_outside and mention.binding == NOT_KNOWN
        if mention.receiver or scope.names or is_unseen:
            return False
        if mention.role in OF_TYPES:
            own = self._qualified_name
            is_other = self._defined.get(mention.binding, own) != own
            return mention.binding in self._types or is_other
        if mention.binding != NOT_KNOWN and not (mention.is_bound and mention.binding == NOT_BOUND):
            return self._is_bound_elsewhere(mention)
        names = self._binding if mention.is_bound else self._names
        return bool(names) and not names.isdisjoint(scopes_around(scope.qualified_name))

    def _is_bound_elsewhere(self, mention: Mention) -> bool:
        """Whether the place that binds a mention is not a definition of the symbol."""
        if mention.binding == NOT_BOUND:
            return self._is_local
        if mention.binding in self._defined:
            return self._defined[mention.binding] != self._qualified_name
        return mention.is_bound or mention.binding not in self._defaults

    def bind(self, mention: Mention) -> str:
        """Returns the qualified name of the symbol of the file that binds a bare name; empty if
        none does."""
        return "" if mention.receiver else self._defined.get(mention.binding, "")

    def may_hide(self, mention: Mention, scope: Scope) -> bool:
        """Whether only a block or a lambda hides a call, so that the call may be outside of it."""
        if mention.binding != NOT_KNOWN:
            return False
        return mention.role == "call" and self._of_heads.isdisjoint(
            scopes_around(scope.qualified_name)
        )


def _name_of(mention: Mention, scope: Scope) -> str:
    """Returns the qualified name of the symbol that a mention defines."""
    return f"{scope.qualified_name}.{mention.name}" if scope.qualified_name else mention.name


def _is_in_head(mention: Mention, function: str) -> bool:
    """Whether the line that begins a function binds a name, as a parameter."""
    name = re.escape(own_name(function))
    return (
        re.search(
            rf"(?<!\w){name}(?!\w).{{0,200}}(?<!\w){re.escape(mention.name)}(?!\w)", mention.text
        )
        is not None
    )


def _is_by_default(mention: Mention) -> bool:
    """Whether a parameter has the symbol of its own name as its default: `def make(parse=parse)`. A
    variable that a statement declares is another symbol."""
    name = re.escape(mention.name)
    declared = r"(?<!let )(?<!var )(?<!val )"
    given = rf"(?: ?: ?[^=,)]{{1,80}})? ?= ?{name}(?![\w(])"
    return re.search(rf"(?<!\w){declared}{name}{given}", mention.text) is not None
