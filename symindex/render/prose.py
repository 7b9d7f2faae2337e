"""Writes the answer of a search in prose as Markdown: a section for each question, and in it a
piece of text for each hit."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from symindex.protocol.recall import TextHit, TextResponse, TextSection
from symindex.render.markdown import code_span, fence, location, quote_notices
from symindex.text.counts import count_of

if TYPE_CHECKING:
    from symindex.protocol.recall import Related


def render_text_search(response: TextResponse) -> str:
    """Writes the answer. Nothing in a text can end the fence around it."""
    lines: list[str] = []
    for section in response.sections:
        lines += _section(section, response.request.sort == "timeline")
    lines += quote_notices(response.notices)
    if response.document_count and response.usage_hint:
        lines += quote_notices([response.usage_hint])
    return "\n".join(lines).rstrip() + "\n"


def place_of(hit: TextHit, is_dated: bool) -> str:
    """Writes the origin of a hit: its source and line, or its category; for a note also its time
    and session; for a guess at a symbol's name, the reason. is_dated: whether documents show their
    dates, too."""
    is_note = hit.result_origin == "note"
    told = [code_span(hit.source) if hit.type == "note" else f"{code_span(hit.source)}:{hit.line}"]
    if hit.added and (is_note or is_dated):
        told.append(hit.added[:16].replace("T", " "))
    if session := hit.metadata.get("session"):
        told.append(f"session {code_span(str(session))}")
    guess = hit.metadata.get("match") if hit.result_origin == "symbol" else None
    return ", ".join(told) + (" (stale)" if hit.stale else "") + (f" ({guess})" if guess else "")


def _section(section: TextSection, is_dated: bool) -> list[str]:
    found = f"Found {count_of(section.total, 'result')} (showing {len(section.items)})"
    lines = [f"# Search: {code_span(section.query)}", section.error or found, ""]
    for hit in section.items:
        marks = fence(hit.content, least=3)
        told = place_of(hit, is_dated)
        told += "" if hit.id == f"{hit.source}:{hit.line}" else f" {code_span(hit.id)}"
        lines += [f"## {code_span(hit.title)}", told, marks, hit.content.rstrip(), marks, ""]
    return [*lines, *quote_notices(section.notices)]


def render_related(hit: TextHit, found: "Sequence[Related]") -> str:
    """Writes everything related to a hit, as a list for each relation."""
    lines = [f"# Related: {code_span(hit.id)}", ""]
    relation = ""
    for each in found:
        if each.relation != relation:
            lines += [*([""] if relation else []), f"## {each.relation}", ""]
            relation = each.relation
        place = f"{each.hit.source}:{each.hit.line}"
        found_by = "" if each.hit.id == place else f" {code_span(each.hit.id)}"
        lines.append(
            f"- {code_span(each.hit.title)} {location(each.hit.source, each.hit.line)}{found_by}"
        )
    return "\n".join(lines if found else [*lines, "> Nothing is known to be beside it.", ""]) + "\n"
