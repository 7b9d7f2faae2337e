"""Writes hierarchies as Markdown: a nested list."""

from collections.abc import Iterator

from symindex.protocol.hierarchy import HierarchyResponse, RelatedItem
from symindex.render.hints import Hints, command_hint
from symindex.render.markdown import code_span, quote_notices
from symindex.text.counts import count_of

_NOTHING = {
    "subtypes": "Nothing inherits from it or overrides it.",
    "supertypes": "It inherits from nothing in the workspace.",
    "callers": "Nothing calls it by this name.",
    "callees": "It calls nothing in the workspace.",
    "tests": "No test uses it by this name.",
}

_UNKNOWN = (
    "Inheritance is not known for this language: search for the name, or list its references."
)


def render_hierarchy(response: HierarchyResponse, hints: Hints = command_hint) -> str:
    """Writes the answer as Markdown."""
    title = response.symbol.id if response.symbol is not None else response.request.symbol
    is_found = response.symbol is not None or bool(response.items)
    heading = (
        response.request.direction.capitalize()
        if is_found
        else "Several symbols"
        if response.candidates
        else "No symbol"
    )
    lines = [
        f"# {heading}: {code_span(title)}",
        "",
        *(f"- {code_span(candidate)}" for candidate in response.candidates),
        *_tree(response, hints),
        *_hidden(response, hints),
        "",
        *_legend(response.items),
        *_unresolved(response),
        *quote_notices(response.notices),
    ]
    return "\n".join(
        line for number, line in enumerate(lines) if line or number == 0 or lines[number - 1]
    )


def _tree(response: HierarchyResponse, hints: Hints) -> list[str]:
    """Returns the rows of the related symbols, or the lines for an empty answer."""
    rows = [row for item in response.items for row in _rows(item, "")]
    if response.symbol is None:
        return rows  # the workspace does not define the symbol, but something is related to it
    nothing = _UNKNOWN if response.is_known is False else _NOTHING[response.request.direction]
    lines = (
        _only_by_name(response.items)
        or rows
        or _places_that_may_inherit(response.may_inherit)
        or _empty_answer(response, nothing, hints)
    )
    if response.items and response.uncalled is not None:
        places = ", ".join(code_span(place.at) for place in response.uncalled.first)
        unlisted = response.uncalled.total - len(response.uncalled.first)
        rest = f" and {unlisted:,} more" if unlisted else ""
        lines += ["", f"Used without being called: {places}{rest}"]
    return lines


def _hidden(response: HierarchyResponse, hints: Hints) -> list[str]:
    if not response.hidden:
        return []
    request = response.request
    call = hints(
        "hierarchy",
        symbol=request.symbol,
        direction=request.direction,
        **({} if request.depth is None else {"depth": request.depth}),
        max_items=request.max_items + response.hidden,
    )
    return [f"- and {response.hidden:,} more: {code_span(call)}"]


def _legend(items: list[RelatedItem]) -> list[str]:
    """Explains the remarks on uncertain rows."""
    lines: list[str] = []
    if any(item.others for item in _all(items)):
        lines += [
            (
                "(or N more): that many other symbols have the name, and the name alone does not"
                " tell which one is meant."
            ),
            "",
        ]
    if any(item.is_unsure and not item.others for item in _all(items)):
        lines += [
            (
                "(may be another): the expression before the name may have any type, even one of a"
                " library."
            ),
            "",
        ]
    if any((item.others or item.is_unsure) and item.items for item in _all(items)):
        lines += ["Rows below an uncertain row are as uncertain.", ""]
    return lines


def _unresolved(response: HierarchyResponse) -> list[str]:
    """Returns the lines for names that were not resolved to one symbol of the workspace."""
    lines: list[str] = []
    if response.unclear:
        names = [
            f"{code_span(name)} ({count_of(count, 'symbol')})"
            for name, count in response.unclear.items()
        ]
        lines += [
            f"Unclear which symbol is meant, or whether it is from a library: {_first(names)}",
            "",
        ]
    if response.outside:
        lines += [f"Not defined here: {_first([*map(code_span, response.outside)])}", ""]
    return lines


def _first(names: list[str]) -> str:
    rest = f" and {count_of(len(names) - _LISTED, 'other')}" if len(names) > _LISTED else ""
    return ", ".join(names[:_LISTED]) + rest


_LISTED = 20
_LISTED_PLACES = 3


def _only_by_name(items: list[RelatedItem]) -> list[str]:
    """Returns the lines for files of tests that only their names suggest; empty for other rows."""
    if not items or not all(item.is_by_name for item in items):
        return []
    count = "A file of tests is" if len(items) == 1 else f"{len(items)} files of tests are"
    return [
        f"{_NOTHING['tests']} {count} named after its file or type:",
        "",
        *(f"- {code_span(item.name)}" for item in items),
    ]


def _places_that_may_inherit(places: list[RelatedItem]) -> list[str]:
    """Returns the lines for places that make an empty answer uncertain."""
    if not places:
        return []
    lines = [
        f"Nothing certainly inherits from it. {count_of(len(places), 'place')} with its name may:",
        "",
    ]
    lines += [
        f"- {code_span(place.name)} {code_span(place.at)}: {code_span(place.text.strip())}"
        for place in places[:_LISTED_PLACES]
    ]
    n_more = len(places) - _LISTED_PLACES
    return [*lines, f"- and {n_more:,} more"] if n_more > 0 else lines


def _empty_answer(response: HierarchyResponse, nothing: str, hints: Hints) -> list[str]:
    """Returns the lines for an empty answer, with the places that have the name: they make it
    uncertain."""
    lines = [] if response.unsure is not None and response.uncalled is None else [nothing]
    assert response.symbol is not None
    name = response.symbol.id.rpartition("#")[2].rpartition(".")[2].partition("~")[0]
    for places, singular, plural, target in (
        (
            response.uncalled,
            "1 place uses it without calling it:",
            "{} places use it without calling it:",
            response.symbol.id,
        ),
        (
            response.unsure,
            "1 place has this name, but may mean another symbol:",
            "{} places have this name, but may mean another symbol:",
            name,
        ),
    ):
        if places is None:
            continue
        lines += ["", singular if places.total == 1 else plural.format(f"{places.total:,}")]
        lines += [
            f"- {code_span(place.name)} {code_span(place.at)}: {code_span(place.text.strip())}"
            for place in places.first
        ]
        if places.total > len(places.first):
            lines += [
                f"- and {places.total - len(places.first):,} more:"
                f" {code_span(hints('references', name=target))}"
            ]
    return lines


def _all(items: list[RelatedItem]) -> Iterator[RelatedItem]:
    """Yields the items and everything below them."""
    for item in items:
        yield item
        yield from _all(item.items)


def doubt_of(others: int, is_unsure: bool) -> str:
    """Returns the mark of a related symbol that may be another, empty for a certain one. others: as
    in RelatedItem."""
    return f"or {others:,} more" if others else "may be another" if is_unsure else ""


def _rows(item: RelatedItem, indent: str) -> list[str]:
    place = f"{item.file_path}:{item.line}" if item.file_path else item.at
    kind = f" {item.kind}" if item.kind else ""
    remarks = [*filter(None, [doubt_of(item.others, item.is_unsure)])]
    remarks += ["by its name"] if item.is_by_name else []
    remarks += ["see above"] if item.again else []
    row = f"{indent}- {code_span(item.name)}{kind} {code_span(place)}" + (
        f" ({', '.join(remarks)})" if remarks else ""
    )
    return [row, *(line for child in item.items for line in _rows(child, indent + "  "))]
