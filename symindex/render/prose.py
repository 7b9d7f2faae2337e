"""An answer of a search in prose as Markdown: a section for each question, and below it a piece of text for each hit."""

from symindex.render.markdown import code_span, fence, quote_notices
from symindex.search.prose.contract import TextResponse, TextSection


def render_text_search(response: TextResponse) -> str:
    """Whatever stands in a text, it cannot end the fence around it."""
    lines: list[str] = []
    for section in response.sections:
        lines += _section(section)
    lines += quote_notices(response.notices)
    if response.document_count and response.usage_hint:
        lines += quote_notices([response.usage_hint])
    return "\n".join(lines).rstrip() + "\n"


def _section(section: TextSection) -> list[str]:
    found = f"Found {section.total} result{'' if section.total == 1 else 's'} (showing {len(section.items)})"
    lines = [f"# Search: {code_span(section.query)}", section.error or found, ""]
    for hit in section.items:
        marks = fence(hit.content, least=3)
        place = f"{code_span(hit.source)}:{hit.line}" + (" (stale)" if hit.stale else "")
        lines += [f"## {code_span(hit.title)}", f"{place} {code_span(hit.id)}", marks, hit.content.rstrip(), marks, ""]
    return [*lines, *quote_notices(section.notices)]
