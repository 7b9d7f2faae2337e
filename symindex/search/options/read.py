"""Reads the options of a request.

| option | form |
|---|---|
| `limit`, `offset` | other names of `max_items` and `start_index`; give one of the two |
| `fields` | for each field, a query for it (`options/field_queries`) |
| `filters` | exact values for fields, and two dates (`options/exact_values`, `options/dates`) |
| `fuzzy` | a bool, or `enabled`, `max_distance`: the most edits in a word; fewer in a short one |
| `proximity` | `enabled` and `max_distance`: the most words between (`options/proximity`) |
| `whole_words` | a bool: all words must match in full or by their stems; no parts of names |
| `sort_by` | `score`, `date` or `name` (`search/answer/sort`) |
| `scope` | a type and a namespace, or several (`options/scopes`) |
| `space` | `project`, `user`, `system` or `all` |
"""

from collections.abc import Mapping, Set
from typing import Any, Final

import msgspec
from msgspec import UNSET

from symindex.errors import RequestError, one_of
from symindex.protocol.search import SearchRequest
from symindex.search.language.query import Node
from symindex.search.options.dates import DATES, DateRange, read_dates
from symindex.search.options.exact_values import ExactValues, read_filters
from symindex.search.options.field_queries import read_fields
from symindex.search.options.given import shown
from symindex.search.options.scopes import Scope, read_scopes, read_types
from symindex.search.words.meaning import Tolerance
from symindex.search.words.misspelt import MOST_EDITS

SCORE: Final = "score"
DATE: Final = "date"
NAME: Final = "name"
SORTS: Final = (SCORE, DATE, NAME)

EVERY_SPACE: Final = "all"
SPACES: Final = ("project", "user", "system", EVERY_SPACE)

MOST_BETWEEN: Final = 1_000
"""Largest distance between words: no text that is searched has more words."""


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """The meaning of the options, independent of the form in which a request gives them.

    whole: whether all words must match, each as a whole word. weak: forces or forbids the weak
    tiers; `None` lets the hits decide. edits: the most edits in a word, which also excludes
    scattered letters; `None` for as many as the word's length allows (`names.edits_allowed`).
    between: the most other words between the words of the query. fields: queries that must match as
    well. filters, dates: a row must pass all of them. scopes, types: a row must pass one of each.
    """

    whole: bool = False
    weak: bool | None = None
    edits: int | None = None
    between: int | None = None
    sort_by: str = SCORE
    fields: tuple[Node, ...] = ()
    filters: tuple[ExactValues, ...] = ()
    dates: DateRange | None = None
    scopes: tuple[Scope, ...] = ()
    types: tuple[str, ...] = ()
    space: str = EVERY_SPACE

    @property
    def tolerance(self) -> Tolerance:
        """How the words of a tree are matched. If the weak tiers are forced, any word may be
        misspelt, even one that occurs as it is."""
        return Tolerance(bool(self.weak), self.edits, self.whole)

    def without(self, fields: Set[str]) -> "Options":
        """Returns the options without the meaning of some fields of a request."""
        dropped = {
            name: default for field in fields for name, default in _MEANINGS.get(field, {}).items()
        }
        return msgspec.structs.replace(self, **dropped)

    @property
    def need_dates(self) -> bool:
        """Whether the answer depends on the dates of files."""
        return self.sort_by == DATE or self.dates is not None


_MEANINGS: Final[Mapping[str, Mapping[str, Any]]] = {
    "fields": {"fields": ()},
    "filters": {"filters": (), "dates": None},
    "proximity": {"between": None},
    "scope": {"scopes": ()},
    "space": {"space": EVERY_SPACE},
    "type": {"types": ()},
}
"""For each field of a request that leaves out rows: the options that it sets, with their
defaults."""


def with_own_names(request: SearchRequest) -> SearchRequest:
    """Returns the request with `max_items` and `start_index` under these names. Raises RequestError
    if it gives both names of one."""
    if request.limit is UNSET and request.offset is UNSET:
        return request
    changes: dict[str, Any] = {"limit": UNSET, "offset": UNSET}
    for name, alias, default in (("max_items", "limit", None), ("start_index", "offset", 0)):
        value = getattr(request, alias)
        if value is UNSET:
            continue
        if getattr(request, name) != default:
            raise RequestError(f"{alias} is another name of {name}: give one of the two")
        least = 1 if name == "max_items" else 0
        if value is not default and (
            not isinstance(value, int) or isinstance(value, bool) or value < least
        ):
            raise RequestError(f"{alias} is {shown(value)}: it must be {least} or more")
        changes[name] = value
    return msgspec.structs.replace(request, **changes)


def read_options(request: SearchRequest) -> Options:
    """Reads the options of a request. Raises RequestError, which names the option and the expected
    form."""
    weak, edits = _fuzzy(request.fuzzy)
    exact, dates = _dict("filters", request.filters), None
    if date_values := {name: exact.pop(name) for name in DATES if name in exact}:
        dates = read_dates(date_values)
    return Options(
        whole=_flag("whole_words", request.whole_words),
        weak=weak,
        edits=edits,
        between=_proximity(request.proximity),
        sort_by=_word("sort_by", request.sort_by, SORTS, SCORE),
        fields=read_fields(_dict("fields", request.fields)),
        filters=read_filters(exact),
        dates=dates,
        scopes=read_scopes(request.scope) if request.scope is not UNSET else (),
        types=read_types(request.type) if request.type is not UNSET else (),
        space=_word("space", request.space, SPACES, EVERY_SPACE),
    )


def _flag(option: str, value: Any) -> bool:
    if value is UNSET or value is None or isinstance(value, bool):
        return value is True
    raise RequestError(f"{option} is {shown(value)}: expected true or false")


def _fuzzy(value: Any) -> tuple[bool | None, int | None]:
    """Returns whether the weak tiers are forced or forbidden, and the most edits in a word."""
    if value is UNSET or value is None or isinstance(value, bool):
        return value if isinstance(value, bool) else None, None
    enabled, distance = _switch("fuzzy", value, MOST_EDITS, "true or false")
    if enabled is None:
        return None, None
    return (False, None) if not enabled or distance == 0 else (True, distance)


def _proximity(value: Any) -> int | None:
    if value is UNSET or value is None:
        return None
    enabled, between = _switch("proximity", value, MOST_BETWEEN)
    if not enabled:
        return None
    return DEFAULT_BETWEEN if between is None else between


DEFAULT_BETWEEN: Final = 5
"""Words between if the request gives no number."""


def _switch(
    option: str, value: Any, max_distance: int, *other_forms: str
) -> tuple[bool | None, int | None]:
    """Reads `enabled` and `max_distance` of an option. The second alone enables it; an empty object
    counts as absent."""
    expected = ", or ".join(
        [*other_forms, f'{{"enabled": true, "max_distance": 0 to {max_distance:,}}}']
    )
    if not isinstance(value, Mapping):
        raise RequestError(f"{option} is {shown(value)}: expected {expected}")
    for name in value:
        if name not in ("enabled", "max_distance"):
            raise one_of(f"part of {option}", str(name)[:100], ("enabled", "max_distance"))
    enabled, distance = value.get("enabled"), value.get("max_distance")
    if enabled is not None and not isinstance(enabled, bool):
        raise RequestError(f"{option}: enabled is {shown(enabled)}: expected true or false")
    if distance is not None and (
        not isinstance(distance, int)
        or isinstance(distance, bool)
        or not 0 <= distance <= max_distance
    ):
        raise RequestError(
            f"{option}: max_distance is {shown(distance)}: it must be an integer from 0 to"
            f" {max_distance:,}"
        )
    return (True if enabled is None and distance is not None else enabled), distance


def _word(option: str, value: Any, words: tuple[str, ...], default: str) -> str:
    if value is UNSET or value is None:
        return default
    if not isinstance(value, str) or value.lower() not in words:
        raise one_of(option, value[:100] if isinstance(value, str) else shown(value), words)
    return value.lower()


def _dict(option: str, fields: Any) -> dict[str, Any]:
    if fields is UNSET or fields is None:
        return {}
    if not isinstance(fields, Mapping):
        raise RequestError(
            f'{option} is {shown(fields)}: expected an object, for example {{"name": "login"}}'
        )
    return {str(name).strip().lower(): value for name, value in fields.items()}
