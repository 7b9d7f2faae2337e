"""Finds which items hide others of the same id: the project's hide the user's, and these hide the
system's.

Only items that can be put into another space hide others: every package has a readme, and none of
them replaces another.
"""

from functools import lru_cache
from typing import Final
from weakref import WeakKeyDictionary

from symindex.index.snapshot import Part, Snapshot, Space
from symindex.protocol.search import LABEL_IN_PATH

_Key = tuple[str, str]
_KNOWN: Final[WeakKeyDictionary[Snapshot, dict[_Key, list[tuple[Space, str]]]]] = (
    WeakKeyDictionary()
)


def shadows_of(snapshot: Snapshot, key: _Key, space: Space) -> tuple[list[dict[str, str]], str]:
    """Returns the items that an item hides, and the label of the space whose item hides it.
    snapshot: includes all spaces. key: type and id of the item. space: its own space."""
    if (
        key[0] not in movable_types() or space is Space.REGISTRY
    ):  # an item of a registry is only found if the request names the registry
        return [], ""
    spaces = _by_id(snapshot).get(key, [])
    first = min((other_space for other_space, _ in spaces), default=space)
    if first < space:
        return [], next(label for other_space, label in spaces if other_space is first)
    return [{"space": label} for other_space, label in spaces if other_space > space], ""


@lru_cache(maxsize=1)
def movable_types() -> frozenset[str]:
    """Returns the types whose items hide others: those with a folder in the user's space."""
    from symindex.extract.items.types import (
        shipped_item_types,
    )  # imported here, because few requests are about items

    return frozenset(row.type for row in shipped_item_types().rows if row.user_folder)


def space_label(part: Part, path: str) -> str:
    """Returns the label of a row's space: `project`, `user`, `system:pypi:httpx@0.27.0`."""
    package = LABEL_IN_PATH.match(part.prefix + path)
    return (
        f"{part.space.word}:{package[0]}"
        if part.space is Space.SYSTEM and package is not None
        else part.space.word
    )


def _by_id(snapshot: Snapshot) -> dict[_Key, list[tuple[Space, str]]]:
    """Returns the spaces of all items by type and id, in the order of precedence."""
    by_key = _KNOWN.get(snapshot)
    if by_key is None:
        by_key = {}
        parts = [part for part in snapshot.documents.parts if part.space is not Space.REGISTRY]
        for part in sorted(parts, key=lambda part: part.space):
            places, facts = part.index.items
            for place, fact in zip(places.tolist(), facts, strict=True):
                file = part.index.file_at(int(part.index.row_at[place]))
                if part.counts(file):
                    label = space_label(part, part.index.paths[file])
                    by_key.setdefault((fact.type, fact.id), []).append((part.space, label))
        _KNOWN[snapshot] = by_key
    return by_key
