"""The database of notes: its tables and rows, and how damaged ones are restored.

Each row has a digest of its values. SQLite detects damage to its own structure but not to the bytes
of a text; the digest detects both. A row whose digest does not match is restored from the backup,
or from the file with a copy of the note.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from typing import Any, Final

import msgspec

from symindex.errors import RequestError
from symindex.recall.database import as_stored, transaction
from symindex.recall.notes.note import Note, check_note
from symindex.recall.notes.note_copies import NoteCopies
from symindex.recall.precious_database import PreciousDatabase

FILE_NAME: Final = "notes.db"

VALUES: Final = "uid, time_ms, category, text, project, session, source, author, links"
"""The columns that the digest covers."""

COLUMNS: Final = f"id, {VALUES}, digest"
"""The columns that `sound_note` reads."""

MOST_COPIES: Final = 200
"""Files of notes above which a backup follows the next note and makes the files superfluous."""

_MIGRATIONS: Final = (
    """
CREATE TABLE meta (identity BLOB NOT NULL);
INSERT INTO meta VALUES (randomblob(16));
CREATE TABLE note (
    id INTEGER PRIMARY KEY AUTOINCREMENT, uid TEXT NOT NULL UNIQUE, time_ms INTEGER NOT NULL, category TEXT NOT NULL,
    text TEXT NOT NULL, project TEXT NOT NULL, session TEXT NOT NULL, source TEXT NOT NULL, author TEXT NOT NULL,
    links TEXT NOT NULL
);
CREATE INDEX note_project ON note (project, time_ms)
""",  # noqa: E501
    f"""
ALTER TABLE note ADD COLUMN digest BLOB NOT NULL DEFAULT x'';
UPDATE note SET digest = note_digest({VALUES})
""",
)


class NoteDatabase(PreciousDatabase):
    """The database. When restored, it gets the notes that its backup lacks."""

    def __init__(self, folder: Path) -> None:
        super().__init__(
            folder, FILE_NAME, _MIGRATIONS, "there is no backup of it; move it away to begin anew"
        )
        self.copies: NoteCopies = NoteCopies(self.folder)

    def _check(self, connection: sqlite3.Connection) -> None:
        connection.create_function(
            "note_digest", len(VALUES.split(", ")), _digest, deterministic=True
        )
        super()._check(connection)

    def backed_up(self, copy: sqlite3.Connection) -> None:
        self.copies.backed_up({note.uid for note in _sound_notes(copy)})

    def merge(self, connection: sqlite3.Connection, backup: sqlite3.Connection) -> None:
        sound: set[str] = set()
        damaged: set[int] = set()
        for row in connection.execute(f"SELECT {COLUMNS} FROM note"):
            note = sound_note(row)
            damaged.add(row[0]) if note is None else sound.add(note.uid)
        notes = [note for note in _sound_notes(backup) if note.uid not in sound]
        if not notes:
            return
        with transaction(connection):
            for note in notes:
                if note.id in damaged:
                    _replace(connection, note, note.id)
                else:
                    insert(connection, note)
            _renew_identity(connection)

    def is_backup_old(self) -> bool:
        return super().is_backup_old() or len(self.copies.names()) > MOST_COPIES

    def salvage(self, connection: sqlite3.Connection, aside: Sequence[Path]) -> int:
        with transaction(connection):
            _renew_identity(connection)
            notes = chain(
                self.copies.read(self.copies.names()), chain.from_iterable(map(_readable, aside))
            )
            return sum(bool(insert(connection, note)) for note in notes)


def sound_note(row: Sequence[Any]) -> Note | None:
    """Returns the note of a row of `COLUMNS`; `None` for a damaged row or a note that is not valid:
    SQLite stores any type in any column."""
    number, *values, digest = row
    if digest != _digest(*values):
        return None
    try:
        fields = dict(zip(VALUES.split(", "), values, strict=True))
        note = msgspec.convert(
            {**fields, "id": number, "links": msgspec.json.decode(fields["links"], type=list[str])},
            Note,
        )
        check_note(note)
    except (msgspec.MsgspecError, RequestError, TypeError, ValueError, RecursionError):
        return None
    return note


def insert(connection: sqlite3.Connection, note: Note) -> int:
    """Stores a note that is new, or whose row is damaged. Returns its number, 0 if it is known."""
    values = _values(note)
    done = connection.execute(
        f"INSERT OR IGNORE INTO note ({COLUMNS}) VALUES (NULL{', ?' * len(values)})", values
    )
    if done.rowcount:
        return done.lastrowid or 0
    (row,) = connection.execute(f"SELECT {COLUMNS} FROM note WHERE uid = ?", (note.uid,))
    if sound_note(row) is None:
        _replace(connection, note, row[0])
        _renew_identity(connection)
        return int(row[0])
    return 0


def _replace(connection: sqlite3.Connection, note: Note, number: int) -> None:
    """Writes a note over the row of a number."""
    values = _values(note)
    columns = COLUMNS.removeprefix("id, ")
    connection.execute(
        f"UPDATE OR REPLACE note SET ({columns}) = (?{', ?' * (len(values) - 1)}) WHERE id = ?",
        (*values, number),
    )


def _values(note: Note) -> tuple[Any, ...]:
    values = (
        note.uid,
        note.time_ms,
        note.category,
        note.text,
        note.project,
        note.session,
        note.source,
        note.author,
        msgspec.json.encode(note.links).decode(),
    )
    return (*values, _digest(*values))


def _digest(*values: object) -> bytes:
    text = "\0".join(map(str, values))
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _renew_identity(connection: sqlite3.Connection) -> None:
    """Changes the identity, so that everything derived from notes is rebuilt: notes have new
    numbers or texts."""
    connection.execute("UPDATE meta SET identity = randomblob(16)")


def _sound_notes(connection: sqlite3.Connection, order: str = "ASC") -> Iterator[Note]:
    """Yields the sound notes of a file of any version, with their numbers. Raises sqlite3.Error at
    the first damaged page."""
    has_digests = any(row[1] == "digest" for row in connection.execute("PRAGMA table_info(note)"))
    columns = COLUMNS if has_digests else f"id, {VALUES}"
    for row in connection.execute(f"SELECT {columns} FROM note ORDER BY id {order}"):
        if note := sound_note(row if has_digests else (*row, _digest(*row[1:]))):
            yield note


def _readable(aside: Path) -> Iterator[Note]:
    """Returns the notes that SQLite can still read in a damaged file: from its beginning, then from
    its end, up to the damage."""
    if not aside.is_file():
        return
    for order in ("ASC", "DESC"):
        with (
            suppress(sqlite3.Error),
            closing(sqlite3.connect(aside, isolation_level=None)) as connection,
        ):
            connection.text_factory = as_stored
            yield from _sound_notes(connection, order)
