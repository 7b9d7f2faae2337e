"""Stores, finds, filters and exports notes.

An acknowledged note is on disk twice: in the database, and in its backup or a file of its own
(`note_copies`). The database is backed up before each migration, and about once an hour when
something is written. A damaged one is restored from all of these, and the answer tells so.
"""

import os
import sqlite3
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Final

import msgspec

from symindex.errors import RequestError, StorageError
from symindex.recall.database import LARGEST_INTEGER, now_ms
from symindex.recall.notes.note import Note, check_note
from symindex.recall.notes.note_copies import MOST_NAMES, digest_in, digest_of
from symindex.recall.notes.note_database import (
    COLUMNS,
    MOST_COPIES,
    NoteDatabase,
    insert,
    sound_note,
)
from symindex.text.counts import count_of

HURRIED_SECONDS: Final = 1.2
"""Longest wait for the database, in seconds, of a note that cannot wait; then it is stored in a
file. A hook must not delay an agent by more than two seconds, and its process needs some of them to
start."""

TAKING_IN_SECONDS: Final = 0.3
"""Longest wait, in seconds, of readers that add waiting notes first."""

MOST_COPIED: Final = 50
"""Most notes that are added together and get files; more are followed by a backup instead."""

MOST_LINE: Final = 1_000_000
"""Longest line of an export, in bytes: twice the longest note with everything escaped."""

MOST_NAMED: Final = 5
"""Most damaged rows that are named; the others are counted."""


class NoteFilter(msgspec.Struct, frozen=True, kw_only=True):
    """Which notes are selected. project: those of a project and those of none; `None` for all.
    since_ms: the oldest time."""

    project: str | None = None
    categories: Sequence[str] = ()
    session: str = ""
    source: str = ""
    since_ms: int = 0

    def as_sql(self) -> tuple[str, list[Any]]:
        """Returns a condition in SQL, and its values."""
        parts: list[str] = ["TRUE"]
        values: list[Any] = []
        conditions: list[tuple[str, list[Any]]] = []
        if self.since_ms:  # damaged rows are included, so that they are named
            conditions.append(
                (
                    "NOT (typeof(time_ms) = 'integer' AND time_ms BETWEEN 0 AND ? - 1)",
                    [self.since_ms],
                )
            )
        if self.project is not None:
            conditions.append(("(project IN (?, '') OR typeof(project) != 'text')", [self.project]))
        if self.categories:
            conditions.append(
                (f"category IN ({', '.join('?' * len(self.categories))})", [*self.categories])
            )
        if self.session:
            conditions.append(("session = ?", [self.session]))
        if self.source:
            conditions.append(("instr(lower(source), lower(?))", [self.source]))
        for part, some in conditions:
            parts.append(part)
            values += some
        return " AND ".join(parts), values


class NoteStore:
    """The notes in a folder. Every method raises StorageError as `Database` does."""

    def __init__(self, folder: Path) -> None:
        self.database: NoteDatabase = NoteDatabase(folder)
        self._copies = self.database.copies
        self._lost: set[int] = set()
        self._taken: tuple[int, set[str]] = (0, set())
        self._bad: dict[int, None] = {}

    def take_notices(self) -> list[str]:
        """Returns warnings since the last call: what was restored, set aside, left out, or is
        waiting."""
        bad, self._bad = [*self._bad], {}
        aside, self._copies.bad = self._copies.bad, []
        notices = self.database.take_notices()
        if bad:
            numbers = ", ".join(map(str, bad[:MOST_NAMED])) + (
                f" and {len(bad) - MOST_NAMED} more" * (len(bad) > MOST_NAMED)
            )
            words = (
                f"note {numbers} is left out: its row"
                if len(bad) == 1
                else f"notes {numbers} are left out: their rows"
            )
            end = "is not a valid note" if len(bad) == 1 else "are not valid notes"
            notices.append(f"{words} in {self.database.path} {end}")
        unread, self._copies.unread = self._copies.unread, {}
        if unread:
            waiting = count_of(len(unread), "note waits", "notes wait")
            reason = next(iter(unread.values()))
            notices.append(f"{waiting} in {self._copies.folder.path}, cannot be read: {reason}")
        if aside:
            no_notes = count_of(
                len(aside), "file is not a valid note and was", "files are not valid notes and were"
            )
            notices.append(f"in {self._copies.folder.path}, {no_notes} set aside: {aside[0]}.bad")
        if self._copies.is_cut:
            notices.append(
                f"{self._copies.folder.path} has more than {MOST_NAMES:,} files: notes in the"
                " others wait until some are gone"
            )
        return notices

    def exists(self) -> bool:
        return self.database.exists() or bool(self._copies.names())

    def identity(self) -> bytes:
        """Returns the identity of this database; no earlier one had it."""
        with self.database.reading() as connection:
            return bytes(connection.execute("SELECT identity FROM meta").fetchone()[0])

    def add(self, note: Note) -> Note:
        """Stores a note; it is on disk when this returns. Raises RequestError for one that is not
        valid."""
        (kept,) = self._add([_whole(note)])
        return kept

    def add_soon(self, note: Note) -> Note:
        """Stores a note as `add` does, but without a long wait for other processes: then it is in a
        file and has no number yet, and a notice tells so."""
        whole = _whole(note)
        self.hurry()
        try:
            return self.add(whole)
        except StorageError as error:
            self._copies.keep_waiting(whole)
            self.database.notice(
                f"{error}; the note waits in a file, and the next command that writes notes takes"
                " it in"
            )
            return whole
        finally:
            self.database.deadline = None

    def hurry(self) -> None:
        """Limits all further waits for other processes to the time that a hook may take."""
        if self.database.deadline is None:
            self.database.deadline = time.monotonic() + HURRIED_SECONDS

    def take_in(self, notes: Iterable[Note]) -> int:
        """Stores exported notes, all or none; those that exist stay unchanged. Returns how many are
        new."""
        newest_id = self.newest() if self.exists() else 0
        return sum(note.id > newest_id for note in self._add([_whole(note) for note in notes]))

    def _add(self, notes: Sequence[Note]) -> list[Note]:
        """Stores notes in one transaction; returns them with their numbers."""
        self._catch_up(waits=True)
        is_copied = len(notes) <= MOST_COPIED
        names: list[str] = []

        def change(connection: sqlite3.Connection) -> list[Note]:
            return [
                msgspec.structs.replace(
                    note, id=insert(connection, note) or _number(connection, note)
                )
                for note in notes
            ]

        try:
            names += (self._copies.keep(note) for note in notes if is_copied)
            return self.database.write(change, backs_up=not is_copied)
        except BaseException:
            with suppress(Exception):
                self._copies.delete(names)
            raise

    def _catch_up(self, waits: bool = False) -> None:
        """Adds the notes that only files have. waits: whether that may take as long as a change."""
        if not self._copies.names():
            return
        digests = self._stored_digests()
        missing = self._copies.missing(digests)
        if not missing:
            return

        def change(connection: sqlite3.Connection) -> None:
            for note in self._copies.read(missing):
                insert(connection, note)

        before, database = self.database.deadline, self.database
        if not waits:
            database.deadline = min(before or LARGEST_INTEGER, time.monotonic() + TAKING_IN_SECONDS)
        try:
            database.write(change)
            digests.update(digest_in(name) for name in missing if name not in self._copies.unread)
        except StorageError as error:
            if waits:
                raise
            database.notice(
                f"{count_of(len(missing), 'note waits', 'notes wait')} in"
                f" {self._copies.folder.path}: {error}"
            )
        finally:
            database.deadline = before

    def _stored_digests(self) -> set[str]:
        """Returns the digests of the newest notes in the database, which files may have as well."""
        if self.database.n_opened == self._taken[0] and self._taken[1].issuperset(
            map(digest_in, self._copies.names())
        ):
            return self._taken[1]
        statement = f"SELECT {COLUMNS} FROM note ORDER BY id DESC LIMIT ?"
        rows = self.database.read(
            lambda connection: connection.execute(statement, (10 * MOST_COPIES,)).fetchall()
        )
        digests = {digest_of(note.uid) for note in map(sound_note, rows) if note is not None}
        self._taken = self.database.n_opened, digests
        return digests

    def get(self, number: int) -> Note | None:
        if number > LARGEST_INTEGER:
            return None
        return next(iter(self._rows("id = ?", [number])), None)

    def delete(self, number: int) -> bool:
        """Deletes a note; returns whether it existed. Makes a backup, so that no backup restores
        it."""
        if not self.exists() or number > LARGEST_INTEGER:
            return False
        self._catch_up(waits=True)

        def change(connection: sqlite3.Connection) -> bool:
            uids = [
                row[0] for row in connection.execute("SELECT uid FROM note WHERE id = ?", (number,))
            ]
            for uid in uids:
                self._copies.forget(str(uid))
            return bool(connection.execute("DELETE FROM note WHERE id = ?", (number,)).rowcount)

        return self.database.write(change, backs_up=True)

    def newest_first(
        self, wanted: NoteFilter, most: int, offset: int = 0
    ) -> tuple[list[Note], int]:
        """Returns the newest notes first, and the number of all. Of equal times, the note that was
        stored later comes first."""
        notes: list[Note] = []
        total = 0
        for note in self._rows(*wanted.as_sql()):
            if total >= offset and (most < 0 or len(notes) < most):
                notes.append(note)
            total += 1
        return notes, total

    def _rows(
        self, condition: str, values: list[Any], order: str = "time_ms DESC, id DESC"
    ) -> list[Note]:
        if not self.exists():
            return []
        self._catch_up()
        statement = f"SELECT {COLUMNS} FROM note WHERE {condition} ORDER BY {order}"

        def notes(connection: sqlite3.Connection) -> list[Note]:
            return [
                note
                for row in connection.execute(statement, values)
                if (note := self._sound(row)) is not None
            ]

        stored_notes = self.database.read(notes)
        if self._bad.keys() - self._lost:
            self._restore_rows()
            stored_notes = self.database.read(notes)
        return stored_notes

    def _restore_rows(self) -> None:
        """Restores damaged rows from the backup. Rows that it lacks are lost, and are not searched
        again."""
        before, self.database.deadline = (
            self.database.deadline,
            time.monotonic() + TAKING_IN_SECONDS,
        )
        damaged, self._bad = self._bad, {}
        try:
            self.database.write(lambda connection: None, backs_up=True)
        except StorageError as error:
            self.database.notice(
                f"{count_of(len(damaged), 'note')} cannot be restored now: {error}"
            )
        finally:
            self.database.deadline = before
            self._lost |= damaged.keys()

    def _sound(self, row: tuple[Any, ...]) -> Note | None:
        """Returns the note of a row; `None` for a damaged row, which a notice names."""
        note = sound_note(row)
        if note is None:
            self._bad[row[0]] = None
        return note

    def numbers(self, wanted: NoteFilter) -> list[int]:
        """Returns the numbers of the selected notes, in order."""
        condition, values = wanted.as_sql()
        with self.database.reading() as connection:
            return [
                row[0]
                for row in connection.execute(
                    f"SELECT id FROM note WHERE {condition} ORDER BY id", values
                )
            ]

    def count(self, wanted: NoteFilter) -> dict[str, int]:
        """Counts the selected notes by category."""
        return dict(sorted(Counter(note.category for note in self._rows(*wanted.as_sql())).items()))

    def export(self) -> Iterator[Note]:
        """Returns all notes, in the order in which they were stored."""
        yield from self._rows("TRUE", [], "id")

    def after(self, number: int) -> Iterator[tuple[int, str, str]]:
        """Yields number, title and words of all notes above a number, in order; the words are the
        category and the text. A damaged row has no words."""
        with self.database.reading() as connection:
            rows = connection.execute(
                f"SELECT {COLUMNS} FROM note WHERE id > ? ORDER BY id", (number,)
            ).fetchall()
        for row in rows:
            note = self._sound(row)
            yield (
                (row[0], note.title, f"{note.category}\n{note.text}")
                if note is not None
                else (row[0], "", "")
            )

    def newest(self) -> int:
        """Returns the highest number that was ever used."""
        self._catch_up()
        with self.database.reading() as connection:
            notes = connection.execute(
                "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'note'"
            ).fetchone()
        return int(notes[0])

    def n_after(self, number: int) -> int:
        """Counts the notes above a number."""
        with self.database.reading() as connection:
            return int(
                connection.execute("SELECT count(*) FROM note WHERE id > ?", (number,)).fetchone()[
                    0
                ]
            )


def _whole(note: Note) -> Note:
    """Returns a note with its uid and time. Raises RequestError for one that is not valid."""
    whole = msgspec.structs.replace(
        note, id=0, uid=note.uid or os.urandom(16).hex(), time_ms=note.time_ms or now_ms()
    )
    check_note(whole)
    return whole


def _number(connection: sqlite3.Connection, note: Note) -> int:
    """Returns the number of a note that another process has added from its file, or that exists for
    another reason."""
    row = connection.execute("SELECT id FROM note WHERE uid = ?", (note.uid,)).fetchone()
    return int(row[0])


def read_lines(lines: BinaryIO | list[bytes]) -> Iterator[Note]:
    """Reads the notes of an export. Raises RequestError that names a line which is not a note."""
    decoder = msgspec.json.Decoder(Note)
    pieces = lines if isinstance(lines, list) else iter(partial(lines.readline, MOST_LINE + 1), b"")
    for number, line in enumerate(pieces, 1):
        if not line.strip():
            continue
        try:
            if len(line) > MOST_LINE:
                raise RequestError(f"more than {MOST_LINE:,} bytes")
            note = decoder.decode(line)
            check_note(note)
        except (msgspec.MsgspecError, RequestError, RecursionError, ValueError) as error:
            raise RequestError(
                f"line {number}: {error}: expected a note as `symindex note export` writes it"
            ) from None
        yield msgspec.structs.replace(note, id=0)
