"""What has a symbol's name and is neither a caller nor a test of it for sure: no answer is a
certain no while code names it."""

from collections.abc import Iterable, Sequence
from typing import Final

from symindex.explore.relations.resolving import is_type
from symindex.explore.relations.tests_of import is_test
from symindex.explore.relations.uses import Use, UseSearch
from symindex.explore.tree import Row
from symindex.extract.parse.roles import CALL
from symindex.protocol.hierarchy import HierarchyResponse, KinItem, NamedPlaces

SHOWN: Final = 3
"""Places that are listed."""


def add_places(search: UseSearch, row: Row, response: HierarchyResponse) -> None:
    """Adds to an answer about callers or tests the places that use a symbol without calling it,
    and, where nothing was found, those that only have its name. Only then are the files of other
    languages looked through."""
    beside = [each for each in search.beside if each.row == row and not each.use.mention.is_module]
    uncalled: list[Use] = []
    if response.request.direction == "callers":
        uncalled = [
            each.use
            for each in beside
            if each.is_sure and (not response.items or _is_handed_over(row, each.use))
        ]
        uncalled = [
            use
            for use in uncalled
            if _tells_calls(search, use)
            and use.mention.role != "import"
            and not use.mention.is_bound
        ]
        response.uncalled = _places(uncalled)
    if response.items:
        return
    unsure = _without([each.use for each in beside], uncalled)
    if not unsure and not uncalled:
        near = search.tree.languages.relatives_of(row.file.known_language)
        far = sorted(each for each in search.tree.languages.by_id if each not in near)
        unsure = search.find([row.name], languages=far, keeps=lambda use: not use.defines)
        if response.request.direction == "tests":
            unsure = [
                use
                for use in unsure
                if is_test(search.tree, use.file.path, use.file.known_language)
            ]
    response.unsure = _places(unsure)


def _is_handed_over(row: Row, use: Use) -> bool:
    """Whether a use that is no call hands a function over. A type is named in many other ways."""
    return not is_type(row) and use.mention.role == "read" and not use.mention.is_label


def _tells_calls(search: UseSearch, use: Use) -> bool:
    """Whether the rules of the language of a use say what is called."""
    known = search.tree.languages.by_id.get(use.file.known_language)
    return known is not None and any(role == CALL for role, _ in known.rules.roles.rules)


def _without(uses: Sequence[Use], others: Iterable[Use]) -> list[Use]:
    known = {id(use) for use in others}
    return [use for use in uses if id(use) not in known and not use.mention.is_bound]


def _places(uses: Sequence[Use]) -> NamedPlaces | None:
    """How many they are, and the first, those in imports last."""
    if not uses:
        return None
    of_lines = {(use.file.path, use.mention.line): use for use in reversed(uses)}
    first = sorted(reversed(of_lines.values()), key=lambda use: use.mention.role == "import")[
        :SHOWN
    ]
    return NamedPlaces(total=len(of_lines), first=[_item(use) for use in first])


def _item(use: Use) -> KinItem:
    around, path = use.around, use.file.path
    name = around.qualified_name if around is not None else path
    return KinItem(name=name, at=f"{path}:{use.mention.line}", text=use.mention.text)
