"""Writes notes as Markdown: a list, or one note in full."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Protocol

from symindex.render.markdown import code_span, fence


class ShownNote(Protocol):
    """A note, as `recall/notes/note` defines it."""

    id: int
    text: str
    category: str
    time_ms: int
    project: str
    session: str
    source: str
    author: str
    links: list[str]

    @property
    def title(self) -> str: ...


def _when(note: ShownNote) -> str:
    return datetime.fromtimestamp(note.time_ms / 1_000, UTC).strftime("%Y-%m-%d %H:%M")


def render_notes(notes: Sequence[ShownNote], total: int) -> str:
    """Writes a row for each note."""
    if not total:
        return "No notes match: `symindex note add --category decision TEXT` adds one.\n"
    lines = ["| Note | When | Category | Text |", "|---|---|---|---|"]
    lines += [
        f"| {note.id} | {_when(note)} | {code_span(note.category, True)} |"
        f" {code_span(note.title, True)} |"
        for note in notes
    ]
    rest = (
        [f"\n> {len(notes)} of {total} notes; `--offset` and `--limit` show others"]
        if len(notes) < total
        else []
    )
    return "\n".join([*lines, *rest]) + "\n"


def render_note(note: ShownNote) -> str:
    """Writes a note in full. Nothing in its text can end the fence around it."""
    marks = fence(note.text, least=3)
    facts: Mapping[str, str] = {
        "project": note.project,
        "session": note.session,
        "source": note.source,
        "author": note.author,
        "links": ", ".join(note.links),
    }
    fact_lines = [f"{name}: {code_span(value)}" for name, value in facts.items() if value]
    head = f"# Note {note.id}: {code_span(note.category)}, {_when(note)}"
    return "\n".join([head, *fact_lines, marks, note.text.rstrip(), marks]) + "\n"
