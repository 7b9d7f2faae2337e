"""Places that have a symbol's name but are not certainly its callers or tests. An answer shows them
so that it is not mistaken for proof that nothing uses the symbol."""

from collections.abc import Iterable, Sequence
from typing import Final

from symindex.explore.relations.resolving import is_type
from symindex.explore.relations.tests_of import is_test
from symindex.explore.relations.uses import Use, UseSearch
from symindex.extract.parse.roles import CALL
from symindex.protocol.hierarchy import HierarchyResponse, NamedPlaces, RelatedItem
from symindex.resolve.denoted import UNKNOWN
from symindex.resolve.overloading import Overloads
from symindex.resolve.tree import Row

SHOWN: Final = 3
"""Places that are listed."""


def add_places(search: UseSearch, row: Row, response: HierarchyResponse) -> None:
    """Adds to an answer about callers or tests the places that use the symbol without calling it;
    if nothing was found, also those that only have its name. Only then are files of other languages
    searched."""
    overloads = Overloads(search.resolver, row)
    rejected = [
        entry
        for entry in search.rejected
        if entry.row == row
        and not entry.use.mention.is_module
        and not _is_of_overload(overloads, entry.use)
    ]
    uncalled: list[Use] = []
    if response.request.direction == "callers":
        uncalled = [
            entry.use
            for entry in rejected
            if entry.is_sure
            and (not response.items or _is_passed_on(row, entry.use))
            and _has_call_rules(search, entry.use)
            and entry.use.mention.role != "import"
            and not entry.use.mention.is_bound
        ]
        response.uncalled = _places(uncalled)
    if response.items:
        return
    unsure = _without([entry.use for entry in rejected], uncalled)
    if not unsure and not uncalled:
        languages = search.tree.languages
        family = languages.relatives_of(row.file.known_language)
        foreign = sorted(language for language in languages.by_id if language not in family)
        unsure = search.find([row.name], languages=foreign, keeps=lambda use: not use.defines)
        if response.request.direction == "tests":
            unsure = [
                use
                for use in unsure
                if is_test(search.tree, use.file.path, use.file.known_language)
            ]
    response.unsure = _places(unsure)


def _is_of_overload(overloads: Overloads, use: Use) -> bool:
    """Whether a call has arguments that another overload takes, and not the symbol."""
    around = use.scope.qualified_name
    meant = overloads.meant(use.mention, UNKNOWN, use.file.path, around)
    return bool(meant) and overloads.row not in meant


def _is_passed_on(row: Row, use: Use) -> bool:
    """Whether a use passes a function on without calling it. Types are named in many other ways."""
    return not is_type(row) and use.mention.role == "read" and not use.mention.is_label


def _has_call_rules(search: UseSearch, use: Use) -> bool:
    """Whether the rules of a use's language tell what is called."""
    language = search.tree.languages.by_id.get(use.file.known_language)
    return language is not None and any(role == CALL for role, _ in language.rules.roles.rules)


def _without(uses: Sequence[Use], excluded: Iterable[Use]) -> list[Use]:
    ids = {id(use) for use in excluded}
    return [use for use in uses if id(use) not in ids and not use.mention.is_bound]


def _places(uses: Sequence[Use]) -> NamedPlaces | None:
    """Returns the number of lines with these uses, and the first lines, imports last."""
    if not uses:
        return None
    by_line = {(use.file.path, use.mention.line): use for use in reversed(uses)}
    first = sorted(reversed(by_line.values()), key=lambda use: use.mention.role == "import")[:SHOWN]
    return NamedPlaces(total=len(by_line), first=[_item(use) for use in first])


def _item(use: Use) -> RelatedItem:
    around = use.around
    name = around.qualified_name if around is not None else use.file.path
    return RelatedItem(name=name, at=use.at, text=use.mention.text)
