"""What a note is, and which are valid."""

import re
from typing import Final

import msgspec

from symindex.errors import RequestError
from symindex.recall.database import LAST_MS
from symindex.text.escaping import shorten

COMMON_CATEGORIES: Final = {
    "decision": "what was decided, and why",
    "error": "what failed",
    "error-resolution": "how a failure was mended",
    "blocker": "what work waits for",
    "plan": "what will be done",
    "user-prompt": "what a person asked for",
    "rejected-approach": "what was tried or considered, and why not",
    "compaction": "a summary of a long session",
    "learned": "what is good to know",
}
"""Those that others know, too. The list is open: any word of small letters, digits and `-`."""

MOST_BYTES: Final = 65_536
"""Of a text."""

LONGEST_FIELD: Final = 1_000
MOST_LINKS: Final = 50
TITLE_CHARACTERS: Final = 120

_CATEGORY: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")


class Note(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """A note.

    id: its number, 0 before it is kept. uid: the same wherever it is copied to. time_ms: when, in
    milliseconds since 1970. project: the root of the project, as text; empty for a note about none.
    session: of the agent or person that wrote it. source: what wrote it, such as `hook`. links: ids
    of symbols that it is about.
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
    """The same category. Raises RequestError for what is none."""
    if _CATEGORY.fullmatch(category) is None:
        common = ", ".join(COMMON_CATEGORIES)
        raise RequestError(
            f"category {shorten(category, 40)!r}: expected a word of small letters, digits and `-`,"
            f" as {common}"
        )
    return category


def check_note(note: Note) -> None:
    """Raises RequestError for a note that cannot be kept."""
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
    """Raises RequestError for a text that is too long for a note, or no Unicode."""
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise RequestError("the note is not valid Unicode: give it as UTF-8") from None
    if size > MOST_BYTES:
        raise RequestError(
            f"the note has {size:,} bytes: at most {MOST_BYTES:,}; `symindex add` keeps longer"
            " texts"
        )
