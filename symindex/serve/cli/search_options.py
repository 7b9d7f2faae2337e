"""The options of `search` beside its oldest: each is a field of the request, or a part of one."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Final

import click
from msgspec import UNSET

from symindex.errors import RequestError
from symindex.serve.cli import completion
from symindex.serve.cli.common_options import list_option

_OPTIONS: Final = (
    click.option("--limit", type=int, metavar="N", help="Another name of --max-items."),
    click.option("--offset", type=int, metavar="N", help="Another name of --start-index."),
    list_option(
        "--field",
        "fields",
        metavar="FIELD=QUERY",
        help="Only where the field matches the query, too. Repeatable.",
    ),
    list_option(
        "--filter",
        "filters",
        metavar="FIELD=VALUE",
        help=(
            "Only where the field is the value, or one of several; !VALUE is not. Repeatable. Also"
            " date_from, date_to."
        ),
    ),
    list_option(
        "--scope",
        metavar="SCOPE",
        help="Only in this type and namespace, as class.src.auth.*. Repeatable.",
    ),
    list_option(
        "--type",
        metavar="TYPE",
        shell_complete=completion.types,
        help="symbol (the default), section, item, a type of items, or all. Repeatable.",
    ),
    click.option(
        "--space",
        metavar="SPACE",
        shell_complete=completion.spaces,
        help="project, user, system or all. Default: project for symbols, all for items.",
    ),
    click.option(
        "--max-distance", type=int, metavar="N", help="With --fuzzy: at most N edits in a word."
    ),
    click.option(
        "--proximity",
        type=int,
        metavar="N",
        help="Only where the words stand with at most N others between.",
    ),
    click.option(
        "--sort-by",
        metavar="ORDER",
        shell_complete=completion.orders,
        help="score, date (of the file, newest first) or name. Default: score.",
    ),
)


def with_options(command: Callable[..., int]) -> Callable[..., int]:
    """These options. The command gets them as fields of the request, but for those that are not
    given."""

    @wraps(command)
    def run(
        *tree: Any, max_distance: int | None, proximity: int | None, limit: int | None, **given: Any
    ) -> int:
        given |= words_apart(given["fuzzy"], max_distance, proximity)
        given["limit"] = UNSET if limit is None else limit or None  # 0 is all
        given["fields"] = pairs("--field", given["fields"], joined=True)
        given["filters"] = pairs("--filter", given["filters"], joined=False)
        return command(
            *tree,
            **{
                name: UNSET if value is None and name in _UNSET else value
                for name, value in given.items()
            },
        )

    with_all: Callable[..., int] = run
    for option in reversed(_OPTIONS):
        with_all = option(with_all)
    return with_all


def words_apart(fuzzy: Any, max_distance: int | None, proximity: int | None) -> dict[str, Any]:
    """The options `fuzzy` and `proximity` of a request, as far as they are given. fuzzy: of the two
    options of that name."""
    found: dict[str, Any] = {} if fuzzy in (None, UNSET) else {"fuzzy": fuzzy}
    if max_distance is not None:
        found["fuzzy"] = {"enabled": found.get("fuzzy", True), "max_distance": max_distance}
    if proximity is not None:
        found["proximity"] = {"enabled": True, "max_distance": proximity}
    return found


_UNSET: Final = ("offset", "space", "sort_by")


def pairs(option: str, given: Any, joined: bool) -> Any:
    """Texts `name=value` by name; several values of a name as a list, or as one query in which all
    must match."""
    if given is UNSET:
        return UNSET
    found: dict[str, list[str]] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not (name and equals):
            raise RequestError(
                f"{option} {text!r}: expected a field and a value, as {option} kind=class"
            )
        found.setdefault(name.lower(), []).append(value)
    if joined:
        return {
            name: " ".join(f"({value})" if len(values) > 1 else value for value in values)
            for name, values in found.items()
        }
    return {name: values[0] if len(values) == 1 else values for name, values in found.items()}
