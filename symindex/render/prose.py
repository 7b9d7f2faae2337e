"""Writes the answer of a search in prose as Markdown: a section for each question, and in it a
piece of text for each hit."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from symindex.protocol.recall import TextHit, TextRequest, TextResponse, TextSection
from symindex.render.markdown import code_span, fence, location, question_of, quote_notices
from symindex.text.counts import count_of

if TYPE_CHECKING:
    from symindex.protocol.recall import Related


def render_text_search(response: TextResponse) -> str:
    """Writes the answer. Nothing in a text can end the fence around it."""
    lines: list[str] = []
    for section in response.sections:
        lines += _section(section, response.request)
    lines += quote_notices(response.notices)
    if response.document_count and response.usage_hint:
        lines += quote_notices([response.usage_hint])
    return "\n".join(lines).rstrip() + "\n"


def place_of(hit: TextHit, is_dated: bool) -> str:
    """Writes the origin of a hit: its source and line, or its category; for a note also its time
    and session; for a guess at a symbol's name, the reason. is_dated: whether documents show their
    dates, too."""
    is_note = hit.result_origin == "note"
    facts = [code_span(hit.source) if hit.type == "note" else f"{code_span(hit.source)}:{hit.line}"]
    if hit.added and (is_note or is_dated):
        facts.append(hit.added[:16].replace("T", " "))
    if session := hit.metadata.get("session"):
        facts.append(f"session {code_span(str(session))}")
    guess = hit.metadata.get("match") if hit.result_origin == "symbol" else None
    if hit.phrasings:
        facts.append(f"by {' '.join(map(str, hit.phrasings))}")
    return ", ".join(facts) + (" (stale)" if hit.stale else "") + (f" ({guess})" if guess else "")


def _section(section: TextSection, request: TextRequest) -> list[str]:
    is_dated = request.sort == "timeline"
    n_shown = len(section.items)
    count = f"Found {count_of(section.total, 'result')} (showing {n_shown})"
    if section.is_partial is True and n_shown:
        count = f"Nothing contains all the words (showing the nearest {n_shown})"
    lines = [
        f"# Search: {question_of(section.query, request.phrasings)}",
        section.error or count,
        "",
    ]
    for hit in section.items:
        marks = fence(hit.content, least=3)
        place = place_of(hit, is_dated)
        place += "" if hit.id == f"{hit.source}:{hit.line}" else f" {code_span(hit.id)}"
        lines += [f"## {code_span(hit.title)}", place, marks, hit.content.rstrip(), marks, ""]
    return [*lines, *quote_notices(section.notices)]


def render_related(hit: TextHit, related_hits: "Sequence[Related]") -> str:
    """Writes everything related to a hit, as a list for each relation."""
    lines = [f"# Related: {code_span(hit.id)}", ""]
    relation = ""
    for related in related_hits:
        if related.relation != relation:
            lines += [*([""] if relation else []), f"## {related.relation}", ""]
            relation = related.relation
        place = f"{related.hit.source}:{related.hit.line}"
        found_by = "" if related.hit.id == place else f" {code_span(related.hit.id)}"
        lines.append(
            f"- {code_span(related.hit.title)}"
            f" {location(related.hit.source, related.hit.line)}{found_by}"
        )
    if not related_hits:
        lines += ["> Nothing related to it is known.", ""]
    return "\n".join(lines) + "\n"
