"""Adds the options of a search to a command, from their table (`protocol/search_options`)."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Final

import click
from msgspec import UNSET

from symindex.errors import RequestError
from symindex.protocol.search_options import SEARCH_OPTIONS, SearchOption
from symindex.serve.cli import completion
from symindex.serve.cli.common_options import list_option

_ORDER: Final = (
    "phrasings", "limit", "offset", "fields", "filters", "scope", "type", "space", "proximity",
    "sort_by",
)  # fmt: skip
"""The options as the help lists them."""


def _click_option(option: SearchOption) -> Callable[[Any], Any]:
    """The option of the command line for a row of the table."""
    more: dict[str, Any] = {"metavar": option.metavar, "help": option.help}
    if option.completes:
        more["shell_complete"] = getattr(completion, option.completes)
    flag = option.flag or f"--{option.name.replace('_', '-')}"
    if option.value in ("texts", "pairs"):
        return list_option(flag, option.name, **more)
    return click.option(flag, option.name, type=str if option.value == "text" else int, **more)


def _all_options() -> list[Callable[[Any], Any]]:
    rows = {option.name: _click_option(option) for option in SEARCH_OPTIONS if option.metavar}
    rows["proximity"] = _with_distance(rows["proximity"])
    return [rows[name] for name in dict.fromkeys([*_ORDER, *rows])]


def _with_distance(proximity: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """`--proximity`, and before it `--max-distance`, which is a part of `fuzzy`."""
    distance = click.option(
        "--max-distance",
        type=int,
        metavar="N",
        help="With --fuzzy: allow at most N edits per word.",
    )
    return lambda command: distance(proximity(command))


def with_options(command: Callable[..., int]) -> Callable[..., int]:
    """These options. The command gets them as fields of the request, but for those that are not
    given."""

    @wraps(command)
    def run(
        *tree: Any, max_distance: int | None, proximity: int | None, limit: int | None, **given: Any
    ) -> int:
        given |= words_apart(given["fuzzy"], max_distance, proximity)
        for option in SEARCH_OPTIONS:
            if option.value == "pairs":
                joined = option.name == "fields"
                given[option.name] = pairs(option.flag, given[option.name], joined=joined)
        return command(
            *tree,
            **{
                name: UNSET if value is None and name in _UNSET else value
                for name, value in given.items()
            },
            limit=UNSET if limit is None else limit or None,  # 0 is all
        )

    with_all: Callable[..., int] = run
    for option in reversed(_all_options()):
        with_all = option(with_all)
    return with_all


def words_apart(fuzzy: Any, max_distance: int | None, proximity: int | None) -> dict[str, Any]:
    """The options `fuzzy` and `proximity` of a request, as far as they are given. fuzzy: of the two
    options of that name."""
    options: dict[str, Any] = {} if fuzzy in (None, UNSET) else {"fuzzy": fuzzy}
    if max_distance is not None:
        options["fuzzy"] = {"enabled": options.get("fuzzy", True), "max_distance": max_distance}
    if proximity is not None:
        options["proximity"] = {"enabled": True, "max_distance": proximity}
    return options


_UNSET: Final = frozenset(
    option.name for option in SEARCH_OPTIONS if option.value in ("text", "number")
)
"""Options whose absence is `UNSET` in a request."""


def pairs(option: str, given: Any, joined: bool) -> Any:
    """Texts `name=value` by name; several values of a name as a list, or as one query in which all
    must match."""
    if given is UNSET:
        return UNSET
    values_by_name: dict[str, list[str]] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not (name and equals):
            raise RequestError(
                f"{option} {text!r}: expected a field and a value, as {option} kind=class"
            )
        values_by_name.setdefault(name.lower(), []).append(value)
    if joined:
        return {
            name: " ".join(f"({value})" if len(values) > 1 else value for value in values)
            for name, values in values_by_name.items()
        }
    return {
        name: values[0] if len(values) == 1 else values for name, values in values_by_name.items()
    }
