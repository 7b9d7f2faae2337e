"""Hierarchies as Markdown: a nested list."""

from symindex.protocol.hierarchy import HierarchyResponse, KinItem
from symindex.render.hints import Hints, command_hint
from symindex.render.markdown import code_span, count_of, quote_notices

_NOTHING = {
    "subtypes": "Nothing inherits from it or overrides it.",
    "supertypes": "It inherits from nothing in the workspace.",
    "callers": "Nothing calls it by this name.",
    "callees": "It calls nothing in the workspace.",
    "tests": "No test uses it by this name.",
}

_UNKNOWN = "What inherits or implements what is not known for this language: search for the name, or list its references."


def render_hierarchy(response: HierarchyResponse, hints: Hints = command_hint) -> str:
    """The answer as Markdown."""
    direction = response.request.direction
    title = response.symbol.id if response.symbol is not None else response.request.symbol
    lines = [f"# {direction.capitalize()}: {code_span(title)}", ""]
    lines += [f"- {code_span(candidate)}" for candidate in response.candidates]
    if response.symbol is not None:
        nothing = _UNKNOWN if response.is_known is False else _NOTHING[direction]
        rows = [row for item in response.items for row in _rows(item, "")]
        lines += rows or _places_that_may(response.may_inherit) or [nothing]
    if response.hidden:
        request = response.request
        depth = {} if request.depth is None else {"depth": request.depth}
        most = request.max_items + response.hidden
        more = hints("hierarchy", symbol=request.symbol, direction=direction, **depth, max_items=most)
        lines += [f"- and {response.hidden:,} more: {code_span(more)}"]
    lines += [""]
    if any(map(_has_others, response.items)):
        lines += ["(or N more): that many others have the name, and names alone do not tell which is meant.", ""]
    if response.outside:
        some = ", ".join(map(code_span, response.outside[:_LISTED]))
        rest = f" and {count_of(len(response.outside) - _LISTED, 'other')}" if len(response.outside) > _LISTED else ""
        lines += [f"Not defined here: {some}{rest}", ""]
    return "\n".join([*lines, *quote_notices(response.notices)])


_LISTED = 20
_LISTED_PLACES = 3


def _places_that_may(places: list[KinItem]) -> list[str]:
    """The places that make it no certain no."""
    if not places:
        return []
    lines = [f"Nothing surely inherits. {count_of(len(places), 'place')} with this name may say so:", ""]
    lines += [
        f"- {code_span(each.name)} {code_span(each.at)}: {code_span(each.text.strip())}" for each in places[:_LISTED_PLACES]
    ]
    more = len(places) - _LISTED_PLACES
    return [*lines, f"- and {more:,} more"] if more > 0 else lines


def _has_others(item: KinItem) -> bool:
    return bool(item.others) or any(map(_has_others, item.items))


def _rows(item: KinItem, indent: str) -> list[str]:
    place = f"{item.file_path}:{item.line}" if item.file_path else item.at
    kind = f" {item.kind}" if item.kind else ""
    said = [f"or {item.others} more"] if item.others else []
    said += ["see above"] if item.again else []
    row = f"{indent}- {code_span(item.name)}{kind} {code_span(place)}" + (f" ({', '.join(said)})" if said else "")
    return [row, *(line for each in item.items for line in _rows(each, indent + "  "))]
