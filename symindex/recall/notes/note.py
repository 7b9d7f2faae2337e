"""Notes, and which of them are valid."""

import re
from typing import Final

import msgspec

from symindex.errors import RequestError
from symindex.recall.database import LAST_MS
from symindex.text.escaping import shorten

COMMON_CATEGORIES: Final = {
    "decision": "what was decided, and why",
    "error": "what failed",
    "error-resolution": "how a failure was repaired",
    "blocker": "what work waits for",
    "plan": "what will be done",
    "user-prompt": "what a person asked for",
    "rejected-approach": "what was tried or considered, and why not",
    "compaction": "a summary of a long session",
    "learned": "what is good to know",
}
"""Categories that other systems share. The list is open: any word of small letters, digits and `-`
is valid."""

MOST_BYTES: Final = 65_536
"""Longest text, in bytes."""

LONGEST_FIELD: Final = 1_000
MOST_LINKS: Final = 50
TITLE_CHARACTERS: Final = 120

_CATEGORY: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")


class Note(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """A note.

    Attributes:
        id: its number, 0 until it is stored.
        uid: identifies it in all copies.
        time_ms: when it was written, in milliseconds since 1970.
        project: the root of the project, as text; empty if it is about none.
        session: of the agent or person that wrote it.
        source: what wrote it, for example `hook`.
        links: ids of symbols that it is about.
    """

    text: str
    category: str = "learned"
    id: int = 0
    uid: str = ""
    time_ms: int = 0
    project: str = ""
    session: str = ""
    source: str = ""
    author: str = ""
    links: list[str] = []

    @property
    def title(self) -> str:
        """The first line."""
        return shorten(self.text.strip().partition("\n")[0].strip(), TITLE_CHARACTERS)


def check_category(category: str) -> str:
    """Returns the category in its usual form. Raises RequestError for a text that is not a
    category."""
    if _CATEGORY.fullmatch(category) is None:
        common = ", ".join(COMMON_CATEGORIES)
        raise RequestError(
            f"category {shorten(category, 40)!r}: expected a word of small letters, digits and `-`,"
            f" as {common}"
        )
    return category


def check_note(note: Note) -> None:
    """Raises RequestError for a note that is not valid."""
    check_category(note.category)
    if not note.text.strip():
        raise RequestError("the note is empty: give its text, or - to read it from standard input")
    check_size(note.text)
    for name in ("uid", "project", "session", "source", "author"):
        if len(getattr(note, name)) > LONGEST_FIELD:
            raise RequestError(f"{name} has more than {LONGEST_FIELD:,} characters")
    if len(note.links) > MOST_LINKS or any(len(link) > LONGEST_FIELD for link in note.links):
        raise RequestError(f"links: at most {MOST_LINKS}, of {LONGEST_FIELD:,} characters each")
    for text in (note.uid, note.project, note.session, note.source, note.author, *note.links):
        if not text.isprintable() and any("\ud800" <= character <= "\udfff" for character in text):
            raise RequestError("a field of the note is not valid Unicode: give it as UTF-8")
    if not 0 <= note.time_ms <= LAST_MS:
        raise RequestError(
            f"time_ms {note.time_ms}: expected milliseconds since 1970, before the year 10000"
        )


def check_size(text: str) -> None:
    """Raises RequestError for a text that is too long for a note, or not valid Unicode."""
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise RequestError("the note is not valid Unicode: give it as UTF-8") from None
    if size > MOST_BYTES:
        raise RequestError(
            f"the note has {size:,} bytes: at most {MOST_BYTES:,}; `symindex add` keeps longer"
            " texts"
        )
