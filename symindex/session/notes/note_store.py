"""The database of notes, in a file of its own that no indexing touches.

What was acknowledged is on the disk. The file is backed up before each migration and about once an hour when something is
written, and a damaged one is restored from that, with a word.
"""

import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from symindex.errors import RequestError
from symindex.session.database import Database, now_ms
from symindex.session.notes.note import Note, check_note

FILE_NAME: Final = "notes.db"

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
""",
)

_COLUMNS: Final = "id, uid, time_ms, category, text, project, session, source, author, links"


class NoteFilter(msgspec.Struct, frozen=True, kw_only=True):
    """Which notes are meant. project: those of a project, and those of none; `None` for all. since_ms: not older."""

    project: str | None = None
    categories: Sequence[str] = ()
    session: str = ""
    source: str = ""
    since_ms: int = 0

    def as_sql(self) -> tuple[str, list[Any]]:
        """A condition, and its values."""
        parts, values = ["time_ms >= ?"], [self.since_ms]
        conditions: list[tuple[str, list[Any]]] = []
        if self.project is not None:
            conditions.append(("project IN (?, '')", [self.project]))
        if self.categories:
            conditions.append((f"category IN ({', '.join('?' * len(self.categories))})", [*self.categories]))
        if self.session:
            conditions.append(("session = ?", [self.session]))
        if self.source:
            conditions.append(("instr(lower(source), lower(?))", [self.source]))
        for part, some in conditions:
            parts.append(part)
            values += some
        return " AND ".join(parts), values


class NoteStore:
    """The database in a folder. Every method raises StorageError as `Database` does."""

    def __init__(self, folder: Path) -> None:
        self.database = Database(folder, FILE_NAME, _MIGRATIONS, "there is no backup of it; move it away to begin anew", True)

    def identity(self) -> bytes:
        """Of this database, other than that of any before it."""
        with self.database.reading() as connection:
            return bytes(connection.execute("SELECT identity FROM meta").fetchone()[0])

    def add(self, note: Note) -> Note:
        """Keeps a note; it is on the disk when this returns. Raises RequestError for one that is not valid."""
        (kept,) = self._add([note])
        return kept

    def take_in(self, notes: Iterable[Note]) -> int:
        """Keeps notes that were exported; those that are here already stay as they are. How many are new; all or none."""
        return len(self._add(notes))

    def _add(self, notes: Iterable[Note]) -> list[Note]:
        kept = []
        with self.database.writing() as connection:
            for note in notes:
                whole = msgspec.structs.replace(note, uid=note.uid or os.urandom(16).hex(), time_ms=note.time_ms or now_ms())
                check_note(whole)
                values = (whole.uid, whole.time_ms, whole.category, whole.text, whole.project, whole.session, whole.source,
                          whole.author, msgspec.json.encode(whole.links).decode())  # fmt: skip
                done = connection.execute(
                    f"INSERT OR IGNORE INTO note ({_COLUMNS}) VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?)", values
                )
                if done.rowcount:
                    kept.append(msgspec.structs.replace(whole, id=done.lastrowid or 0))
        return kept

    def get(self, number: int) -> Note | None:
        found = self._rows("id = ?", [number], 1, 0)
        return found[0] if found else None

    def delete(self, number: int) -> bool:
        """Deletes a note; whether there was one."""
        if not self.database.exists():
            return False
        with self.database.writing() as connection:
            return bool(connection.execute("DELETE FROM note WHERE id = ?", (number,)).rowcount)

    def newest_first(self, wanted: NoteFilter, most: int, offset: int = 0) -> list[Note]:
        """The newest first; of equal times the one that was kept later."""
        return self._rows(*wanted.as_sql(), most, offset)

    def _rows(self, condition: str, values: list[Any], most: int, offset: int) -> list[Note]:
        if not self.database.exists():
            return []
        statement = f"SELECT {_COLUMNS} FROM note WHERE {condition} ORDER BY time_ms DESC, id DESC LIMIT ? OFFSET ?"
        with self.database.reading() as connection:
            rows = connection.execute(statement, [*values, most, offset]).fetchall()
        return [note for note in map(self._sound, rows) if note is not None]

    def _sound(self, row: tuple[Any, ...]) -> Note | None:
        """The note of a row; `None`, and a notice, for one that is none: SQLite keeps any type in any column."""
        try:
            note = _note(row)
            check_note(note)
        except (msgspec.MsgspecError, RequestError, TypeError, ValueError):
            number = row[0] if isinstance(row[0], int) else "?"
            self.database.notice(f"note {number} is left out: its row in {self.database.path} is no valid note")
            return None
        return note

    def numbers(self, wanted: NoteFilter) -> list[int]:
        """The numbers of those that are meant, in order."""
        condition, values = wanted.as_sql()
        with self.database.reading() as connection:
            return [row[0] for row in connection.execute(f"SELECT id FROM note WHERE {condition} ORDER BY id", values)]

    def count(self, wanted: NoteFilter) -> dict[str, int]:
        """How many there are of each category, by its name."""
        if not self.database.exists():
            return {}
        condition, values = wanted.as_sql()
        statement = f"SELECT category, count(*) FROM note WHERE {condition} GROUP BY category ORDER BY category"
        with self.database.reading() as connection:
            return {str(name): count for name, count in connection.execute(statement, values)}

    def export(self) -> Iterator[Note]:
        """All, in the order in which they were kept."""
        if self.database.exists():
            with self.database.reading() as connection:
                rows = connection.execute(f"SELECT {_COLUMNS} FROM note ORDER BY id").fetchall()
            yield from (note for note in map(self._sound, rows) if note is not None)

    def after(self, number: int) -> Iterator[tuple[int, str, str]]:
        """Number, title and text of all notes above a number, in order."""
        with self.database.reading() as connection:
            for row in connection.execute("SELECT id, text, category FROM note WHERE id > ? ORDER BY id", (number,)):
                text = row[1] if isinstance(row[1], str) else ""
                yield row[0], Note(text=text).title, text

    def newest(self) -> int:
        """The highest number that was ever given."""
        with self.database.reading() as connection:
            found = connection.execute("SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'note'").fetchone()
        return int(found[0])

    def n_after(self, number: int) -> int:
        """How many have numbers above one."""
        with self.database.reading() as connection:
            return int(connection.execute("SELECT count(*) FROM note WHERE id > ?", (number,)).fetchone()[0])


def _note(row: sqlite3.Row | tuple[Any, ...]) -> Note:
    values = dict(zip(_COLUMNS.split(", "), row, strict=True))
    return msgspec.convert({**values, "links": msgspec.json.decode(values["links"], type=list[str])}, Note)


def read_lines(lines: Iterable[bytes]) -> Iterator[Note]:
    """The notes of an export. Raises RequestError that names the line that is none."""
    decoder = msgspec.json.Decoder(Note)
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            note = decoder.decode(line)
            check_note(note)
        except (msgspec.MsgspecError, RequestError, RecursionError, UnicodeDecodeError) as error:
            raise RequestError(f"line {number}: {error}: expected a note as `symindex note export` writes it") from None
        yield msgspec.structs.replace(note, id=0)
