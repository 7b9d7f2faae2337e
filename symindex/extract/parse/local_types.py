"""Finds what the functions around a place say about a local name: the type that is declared for it,
the value that it gets, or only that it is local."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

import tree_sitter

from symindex.extract.bound import import_of
from symindex.extract.file_bindings import NOTHING, Import
from symindex.extract.languages.language import Language
from symindex.extract.parse.binding_query import find_bindings

MOST_DECLARED: Final = 4
"""Most declarations of a local name that count."""


MOST_OF_NAME: Final = 500
"""Most declarations of one name in a file that are told apart; of more, nothing is known."""


class _Declared(NamedTuple):
    """A declaration in a scope. text: `:` and a type, `=` and a value, or NOTHING."""

    start: int
    end: int
    place: int
    text: str


class LocalFacts(NamedTuple):
    """What a file says about some of its names.

    declared: by place, what the functions around it declare its name to be, nearest first.
    imports: by name, the imports of the file and of its functions that bring it in.
    """

    declared: dict[int, list[str]]
    imports: dict[str, list[Import]]


def find_local_facts(
    language: Language, tree: tree_sitter.Tree, source: bytes, names: Mapping[int, str]
) -> LocalFacts:
    """Returns what is known of names. names: by the place where each is used."""
    wanted = frozenset(names.values())
    scopes = frozenset((*language.rules.roles.blocks, *language.rules.roles.scopes))
    declared: dict[str, list[_Declared]] = {}
    imports: dict[str, list[Import]] = {}
    for match in find_bindings(language, tree, source):
        texts = match.texts
        if "declared" in texts:
            name = texts["declared"]
            if name in wanted and (range_ := _scope(tree, match.name_byte, scopes)) is not None:
                type_, value = texts.get("type"), texts.get("value")
                text = f":{type_}" if type_ else f"={value}" if value else NOTHING
                declared.setdefault(name, []).append(_Declared(*range_, match.name_byte, text))
        elif not texts.keys() & {"inherits", "returns", "parameter", "member"}:
            one = import_of(language, match)
            if one.local in wanted:
                imports.setdefault(one.local, []).append(one)
    of_places = {
        place: _around(declared[name], place) if len(declared[name]) <= MOST_OF_NAME else [NOTHING]
        for place, name in names.items()
        if name in declared
    }
    return LocalFacts(of_places, imports)


def _around(declared: Iterable[_Declared], place: int) -> list[str]:
    """Returns the declarations that count at a place: those of the innermost scope that has any,
    nearest first; those behind the place last."""
    around = [one for one in declared if one.start <= place < one.end]
    if not around:
        return []
    start = max(one.start for one in around)
    inner = _told([one for one in around if one.start == start])
    before = [one for one in inner if one.place <= place]
    ordered = sorted(before or inner, key=lambda one: -one.place)
    return list(dict.fromkeys(one.text for one in ordered))[:MOST_DECLARED]


def _told(declared: Sequence[_Declared]) -> list[_Declared]:
    """Leaves out the declarations of a place that say less than what another pattern found there: a
    type counts before a value."""
    most: dict[int, str] = {}
    for one in declared:
        most[one.place] = min(most.get(one.place, NOTHING), one.text[:1], key=_SIGNS.index)
    return [one for one in declared if one.text[:1] == most[one.place]]


_SIGNS: Final = (":", "=", NOTHING)


def _scope(tree: tree_sitter.Tree, place: int, scopes: frozenset[str]) -> tuple[int, int] | None:
    """Returns the range of the innermost function or block around a place; `None` at the top."""
    cursor, innermost = tree.walk(), None  # from above: a node finds its parent from the root
    while (node := cursor.node) is not None and node.start_byte <= place < node.end_byte:
        if node.type in scopes and node.start_byte < place:
            innermost = node.start_byte, node.end_byte
        if cursor.goto_first_child_for_byte(place) is None:
            break
    return innermost
