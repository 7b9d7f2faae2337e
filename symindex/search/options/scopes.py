"""The options `scope` and `type`: a type and optionally a namespace, such as `class.src.auth.*`. A
row passes if any of several lets it through.

The namespace of a symbol is the path of its file without the extension, then its containers, all
joined by dots; that of an item is its id, with dots for slashes. A scope ends where a part of the
namespace ends: `symbol.src.auth.*` contains `src/auth/` and `src/auth.py`, and nothing of
`src/auth-extra/`.
"""

import re
from typing import Any, Final

import msgspec
import numpy as np

from symindex.errors import RequestError, one_of
from symindex.extract.items.item import ItemFacts
from symindex.index.columns.arrays import Mask
from symindex.index.columns.columns import Index
from symindex.index.snapshot import Part
from symindex.protocol.kinds import SymbolKind
from symindex.search.answer.filters import kind_traits
from symindex.search.answer.items import rows_where
from symindex.search.language.qualifiers import path_parts
from symindex.search.options.given import read_text, shown

ANY_TYPE: Final = "symbol"
EVERYTHING: Final = "all"
ANY_ITEM: Final = "item"

MOST_SCOPES: Final = 100

_TYPE: Final = re.compile(r"[A-Za-z][\w-]*")
"""A possible name of a type. Whether the type exists is decided by the table of types
(`search/answer/universe`)."""

_KIND_OF: Final = {str(kind).lower(): str(kind) for kind in SymbolKind}
_CAPABILITY: Final = re.compile(r"rye\.(?:search|fetch)\.")
_EXAMPLE: Final = '"class.src.auth.*"'


class Scope(msgspec.Struct, frozen=True):
    """A scope. kind: a kind of symbols, a type of items, or one of the words above. namespace:
    joined by dots; empty for all. is_below: whether only the contents of the namespace count, not
    the symbol that it names."""

    kind: str
    namespace: str
    is_below: bool


def read_scopes(value: Any) -> tuple[Scope, ...]:
    """Reads the scopes of a request, given as one text or several. Raises RequestError."""
    several = [value] if isinstance(value, str) else value
    if not isinstance(several, list | tuple):
        raise RequestError(
            f"scope is {shown(value)}: expected a string, for example {_EXAMPLE}, or a list of"
            " strings"
        )
    if len(several) > MOST_SCOPES:
        raise RequestError(f"scope has {len(several):,} strings: at most {MOST_SCOPES} are allowed")
    return tuple(dict.fromkeys(_read(text) for text in several))


def _read(value: Any) -> Scope:
    text = read_text("scope", value, _EXAMPLE)
    word, _, namespace = _CAPABILITY.sub("", text, count=1).partition(".")
    kind = _read_type(word.rstrip("*"))
    bare = namespace.rstrip("*")
    bare = bare.removesuffix(".") if bare != namespace else bare
    if "*" in bare:
        raise RequestError(
            f"scope {shown(text)}: a * may only be at the end, as in {ANY_TYPE}.src.auth.*"
        )
    full_name = bare.replace("/", ".").rstrip(".")
    return Scope(kind, full_name, full_name != "" and bare != namespace)


def read_types(value: Any) -> tuple[str, ...]:
    """Reads the types of a request, given as one text or several. Raises RequestError."""
    several = [value] if isinstance(value, str) else value
    if not isinstance(several, list | tuple):
        raise RequestError(
            f'type is {shown(value)}: expected a string, for example "all", or a list of strings'
        )
    if len(several) > MOST_SCOPES:
        raise RequestError(f"type has {len(several):,} strings: at most {MOST_SCOPES} are allowed")
    words = [word for text in several for word in read_text("type", text, '"all"').split(",")]
    return tuple(dict.fromkeys(_read_type(word.strip()) for word in words))


def _read_type(word: str) -> str:
    """Returns a type by its name; kinds in their own case."""
    lower = word.lower()
    if lower in (ANY_TYPE, EVERYTHING, ANY_ITEM):
        return lower
    if not _TYPE.fullmatch(word):
        raise one_of(
            "type", word[:100], sorted({EVERYTHING, ANY_TYPE, ANY_ITEM, *map(str, SymbolKind)})
        )
    return _KIND_OF.get(lower, word)


def rows_of_types(part: Part, types: tuple[str, ...]) -> Mask:
    """Returns for each row whether it has one of the types."""
    mask = np.zeros(part.index.n_symbols, dtype=bool)
    for type_name in types:
        mask |= _of_type(part, type_name)
    return mask


def _of_type(part: Part, word: str) -> Mask:
    index = part.index
    if word == EVERYTHING:
        return np.ones(index.n_symbols, dtype=bool)
    if word in _KIND_OF.values():
        return kind_traits(index, (word,))[index.traits]
    if word == ANY_TYPE:
        described = kind_traits(index, (SymbolKind.SECTION.value, SymbolKind.ITEM.value))
        return ~described[index.traits]
    return rows_where(index, lambda fact: fact.type == word)


def rows_in_scopes(part: Part, scopes: tuple[Scope, ...]) -> Mask:
    """Returns for each row whether one of the scopes lets it through."""
    mask = np.zeros(part.index.n_symbols, dtype=bool)
    for scope in scopes:
        mask |= _rows(part, scope)
    return mask


def _rows(part: Part, scope: Scope) -> Mask:
    mask = _of_type(part, scope.kind)
    if not scope.namespace:
        return mask
    prefix = f"{scope.namespace}."

    def is_inside(fact: ItemFacts) -> bool:
        dotted = fact.id.replace("/", ".")
        return dotted.startswith(prefix) or (dotted == scope.namespace and not scope.is_below)

    of_items = rows_where(part.index, is_inside)
    is_item = kind_traits(part.index, (SymbolKind.ITEM.value,))[part.index.traits]
    inside: Mask = mask & np.where(is_item, of_items, _in_namespace(part, scope))
    return inside


def _in_namespace(part: Part, scope: Scope) -> Mask:
    """Returns for each row whether it is in the namespace. The prefix of paths in one of several
    trees may be left out."""
    index, namespace = part.index, f"{scope.namespace}."
    prefixes = {"", part.prefix}
    folders = [
        {f"{prefix}{folder}".replace("/", ".") for prefix in prefixes}
        for folder in index.folders.all
    ]
    wholly = np.array(
        [any(name.startswith(namespace) for name in dotted) for dotted in folders], dtype=bool
    )[index.folder_of]
    on_the_way = np.array(
        [any(map(namespace.startswith, dotted)) for dotted in folders], dtype=bool
    )[index.folder_of]
    partly: dict[str, list[int]] = {}
    for number in np.flatnonzero(on_the_way & ~wholly).tolist():
        for prefix in prefixes:
            dotted = ".".join(path_parts(f"{prefix}{index.paths[number]}")) + "."
            if dotted.startswith(namespace):
                wholly[number] = True
            elif namespace.startswith(dotted):
                partly.setdefault(scope.namespace.removeprefix(dotted), []).append(number)
    mask: Mask = index.spread_files(wholly).astype(bool)
    for containers, files in partly.items():
        is_file = np.zeros(index.n_files, dtype=bool)
        is_file[files] = True
        mask |= index.spread_files(is_file).astype(bool) & _in_containers(
            index, containers, scope.is_below
        )
    return mask


def _in_containers(index: Index, qualified: str, is_below: bool) -> Mask:
    """Returns for each row whether it is a member of a container, at any depth, or the container
    itself."""
    hits = np.array(
        [f"{name}.".startswith(f"{qualified}.") for name in index.containers.all], dtype=bool
    )
    mask: Mask = hits[index.all_containers()]
    return mask if is_below else mask | rows_named(index, qualified)


def rows_named(index: Index, qualified: str) -> Mask:
    """Returns for each row whether it has this qualified name."""
    mask = np.zeros(index.n_symbols, dtype=bool)
    parts = qualified.split(".")
    for split in range(len(parts)):  # a name may contain a dot
        name, container = (
            index.find_name(".".join(parts[split:])),
            index.containers.find(".".join(parts[:split])),
        )
        if name is not None and container is not None:
            rows = index.rows_of_names(np.array([name], dtype=np.int64))
            mask[rows[index.container_of(rows) == container]] = True
    return mask
