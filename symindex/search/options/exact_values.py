"""The option `filters`: fields that must have a value, one of several values, or none of some.

`"class"` is a value, `["class", "enum"]` means either, `"!test"` excludes one. Values are complete,
and in the case of the source tree, except for words of closed lists. The fields of VALUES concern
symbols and items; any other field concerns the metadata of items. Versions are compared there
(`>=1.2.0`, `==1.2`); a text that is not a version matches no comparison.
"""

import operator
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec
import numpy as np

from symindex.errors import RequestError
from symindex.extract.languages.registry import Languages
from symindex.index.columns.arrays import Mask
from symindex.index.snapshot import Part
from symindex.search.answer.filters import path_files
from symindex.search.answer.items import rows_where, values_of
from symindex.search.language.fields import FACTS
from symindex.search.language.query import LISTED, Term
from symindex.search.options.given import read_text, shown
from symindex.search.options.scopes import rows_named
from symindex.text.versions import is_version, version_key

MOST_VALUES: Final = 100

_COMPARISON: Final = re.compile(r"(?P<operator>[<>]=?|==?)\s*(?P<version>v?\d.*)", re.DOTALL)

_COMPARED: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "==": operator.eq,
}


class ExactValues(msgspec.Struct, frozen=True):
    """A field, with the values that it may have and the values that it must not have. Without
    `any_of`, every value that is not excluded passes."""

    field: str
    any_of: tuple[str, ...]
    none_of: tuple[str, ...]


def read_filters(filters: Mapping[str, Any]) -> tuple[ExactValues, ...]:
    """Reads the filters of a request. Raises RequestError for a value that cannot be read."""
    return tuple(_read(name, value) for name, value in sorted(filters.items()))


def _read(name: str, values: Any) -> ExactValues:
    field = ALIASES.get(name, name)
    read_text("filters: the name of a field", name, '"category"')
    several = values if isinstance(values, list | tuple) else [values]
    if len(several) > MOST_VALUES:
        raise RequestError(
            f"filters: {name} has {len(several):,} values: at most {MOST_VALUES} are allowed"
        )
    any_of: list[str] = []
    none_of: list[str] = []
    for value in several:
        text = read_text(f"filters: {name}", value, '"value", "!value" or a list of these')
        if (compared := _COMPARISON.fullmatch(text)) is not None:
            _check_comparison(name, field, text, compared["version"])
        is_not = text.startswith("!") and text.strip("!=") != ""
        (none_of if is_not else any_of).append(text.removeprefix("!").strip() if is_not else text)
    return ExactValues(field, tuple(any_of), tuple(none_of))


def _check_comparison(name: str, field: str, text: str, version: str) -> None:
    if field in VALUES and field not in _OF_ITEMS:
        raise RequestError(
            f"filters: {name} {shown(text)}: only versions are compared, and {field} has none"
        )
    if not is_version(version):
        raise RequestError(
            f"filters: {name} {shown(text)}: {shown(version)} is not a version: expected one as in"
            " >=1.2.0"
        )


def rows_with_values(part: Part, exact: ExactValues, languages: Languages) -> Mask:
    """Returns for each row whether it has the values. Raises RequestError for a value that is not
    in the closed list of its field."""
    matches = VALUES.get(exact.field)

    def holding(values: tuple[str, ...]) -> Mask:
        masks = [
            _of_items(part, exact.field, value)
            for value in values
            if matches is None or exact.field in _OF_ITEMS
        ]
        if matches is not None:
            masks += [
                matches(
                    part,
                    ",".join(sorted(languages.ids_of(value))) if exact.field == "lang" else value,
                )
                for value in values
            ]
        mask: Mask = np.logical_or.reduce(masks)
        return mask

    mask = holding(exact.any_of) if exact.any_of else np.ones(part.index.n_symbols, dtype=bool)
    return mask & ~holding(exact.none_of) if exact.none_of else mask


_OF_ITEMS: Final = ("title", "category")
"""The fields of VALUES that are also metadata of items."""


def _of_items(part: Part, field: str, value: str) -> Mask:
    """Returns the items whose metadata has a value, alone or in a list, or a version that passes a
    comparison."""
    compared = _COMPARISON.fullmatch(value)
    if compared is None:
        return rows_where(
            part.index, lambda fact: any(text == value for text in values_of(fact, field))
        )
    compare, version = _COMPARED[compared["operator"]], version_key(compared["version"])

    def compares(text: str) -> bool:
        return is_version(text) and compare(version_key(text), version)

    return rows_where(part.index, lambda fact: any(map(compares, values_of(fact, field))))


def _name(part: Part, value: str) -> Mask:
    mask, number = np.zeros(part.index.n_symbols, dtype=bool), part.index.find_name(value)
    if number is not None:
        mask[part.index.rows_of_names(np.array([number], dtype=np.int64))] = True
    return mask


def _container(part: Part, value: str) -> Mask:
    number = part.index.containers.find(value)
    mask: Mask = part.index.all_containers() == (-1 if number is None else number)
    return mask


def _path(part: Part, value: str) -> Mask:
    """Returns the rows with the path of a file or folder, or with a path that matches a glob."""
    files = path_files(part.index, (value,), part.prefix).copy()
    for path in {value, value.removeprefix(part.prefix)}:
        number = part.index.paths.find(path)  # a path may look like a glob
        if number is not None:
            files[number] = True
    mask: Mask = part.index.spread_files(files).astype(bool)
    return mask


def _category(part: Part, value: str) -> Mask:
    """Returns the rows with this container, or in this folder."""
    folder = value.rstrip("/") + "/"
    numbers = [
        part.index.folders.find(candidate)
        for candidate in (folder, folder.removeprefix(part.prefix))
    ]
    files = np.isin(
        part.index.folder_of,
        np.array([number for number in numbers if number is not None], dtype=np.int64),
    )
    mask: Mask = _container(part, value) | part.index.spread_files(files).astype(bool)
    return mask


def _fact(field: str) -> Callable[[Part, str], Mask]:
    return lambda part, value: FACTS[field](part, Term(field, value))


def _title(part: Part, value: str) -> Mask:
    return rows_named(part.index, value)


VALUES: Final[Mapping[str, Callable[[Part, str], Mask]]] = {
    "name": _name,
    "title": _title,
    "container": _container,
    "category": _category,
    "path": _path,
    **{field: _fact(field) for field in ("id", *LISTED)},
}
"""For each field: a function that finds the rows of a part with a value."""

ALIASES: Final[Mapping[str, str]] = {
    "language": "lang",
    "flags": "is",
    "flag": "is",
    "source": "space",
    "file": "path",
    "file_path": "path",
}
"""Other names of these fields."""
