"""The database of added content: its sources, and their chunks with their texts.

It is in SQLite, in the user's own data folder: what was fetched or piped in exists nowhere else. A source is replaced as a whole,
in one transaction. Its chunks have numbers in a row that are never given again, so that the columns of words (`index/prose`) can
follow behind.
"""

import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import msgspec

from symindex.errors import StorageError
from symindex.files.access.private_folder import PrivateFolder

FILE_NAME: Final = "content.db"
VERSION: Final = 1
BUSY_SECONDS: Final = 10.0

_SCHEMA: Final = """
CREATE TABLE meta (identity BLOB NOT NULL);
CREATE TABLE source (
    label TEXT PRIMARY KEY, origin TEXT NOT NULL, path TEXT NOT NULL, digest TEXT NOT NULL, size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL, added_ms INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL
);
CREATE TABLE chunk (
    id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL, text TEXT NOT NULL, line INTEGER NOT NULL, is_code INTEGER NOT NULL
);
CREATE INDEX code_chunk ON chunk (id) WHERE is_code;
"""


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """label: as it is called. origin: where it came from, as a person reads it: a path, an address, or `standard input`. path: of
    a file that is read again when it changes; else empty. digest: BLAKE2b of the bytes, hexadecimal. size: in bytes. mtime_ns:
    the file's, 0 where there is none. added_ms: when, in milliseconds since 1970. first, last: the numbers of its chunks; last is
    before first where it has none."""

    label: str
    origin: str
    path: str
    digest: str
    size: int
    mtime_ns: int
    added_ms: int
    first: int = 1
    last: int = 0

    @property
    def n_chunks(self) -> int:
        return self.last - self.first + 1


class StoredChunk(msgspec.Struct, frozen=True):
    """title: the headings above it. line: its first in the source, 1-based. is_code: whether most of it is."""

    title: str
    text: str
    line: int
    is_code: bool


class ContentStore:
    """The database in a folder, which is made when something is first added. Every method raises StorageError where the disk or
    another process is in the way, or the file is damaged."""

    def __init__(self, folder: Path) -> None:
        self.folder = PrivateFolder(folder, otherwise="move it away")
        self._path = self.folder / FILE_NAME
        self._connection: sqlite3.Connection | None = None

    def exists(self) -> bool:
        return self._path.exists()

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        try:
            if self._connection is None:
                self._connection = self._connect()
            yield self._connection
        except sqlite3.Error as error:
            raise StorageError(f"{self._path}: {_remedy(error)}") from None
        except OSError as error:
            raise StorageError(f"{self._path}: cannot be opened: {error.strerror or error}") from None

    def _connect(self) -> sqlite3.Connection:
        self.folder.make()
        if self._path.is_symlink():
            raise StorageError(f"{self._path}: is a symbolic link: move it away")
        with suppress(FileExistsError):
            self.folder.write(FILE_NAME, [], replaces=False)  # with rights for the user alone, before anything is in it
        connection = sqlite3.connect(self._path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        try:
            _use_log(connection)
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            if version == 0:
                self._make(connection)
            elif version != VERSION:
                raise StorageError(f"{self._path}: was made by another version of symindex: use that, or delete the file")
        except BaseException:
            connection.close()
            raise
        return connection

    def _make(self, connection: sqlite3.Connection) -> None:
        with _transaction(connection):
            if connection.execute("PRAGMA user_version").fetchone()[0]:  # another process was sooner
                return
            for statement in filter(str.strip, _SCHEMA.split(";")):
                connection.execute(statement)
            connection.execute("INSERT INTO meta VALUES (?)", (os.urandom(16),))
            connection.execute(f"PRAGMA user_version = {VERSION}")

    def identity(self) -> bytes:
        """Of this database, other than that of any before it."""
        with self._opened() as connection:
            return bytes(connection.execute("SELECT identity FROM meta").fetchone()[0])

    def replace(self, source: Source, chunks: Iterable[StoredChunk]) -> Source:
        """Adds a source, in the place of the one of its label. Returns it with the numbers of its chunks."""
        with self._opened() as connection, _transaction(connection):
            self._delete(connection, source.label)
            before = connection.execute("SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'chunk'").fetchone()[0]
            connection.executemany(
                "INSERT INTO chunk (title, text, line, is_code) VALUES (?, ?, ?, ?)",
                ((each.title, each.text, each.line, each.is_code) for each in chunks),
            )
            after = connection.execute("SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'chunk'").fetchone()[0]
            kept = msgspec.structs.replace(source, first=before + 1, last=after)
            connection.execute("INSERT INTO source VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", msgspec.structs.astuple(kept))
        return kept

    def note_unchanged(self, source: Source, mtime_ns: int, size: int) -> None:
        """Notes that a file has the same content at another time."""
        with self._opened() as connection:
            connection.execute("UPDATE source SET mtime_ns = ?, size = ? WHERE label = ?", (mtime_ns, size, source.label))

    def forget(self, label: str) -> bool:
        """Deletes a source; whether there was one."""
        with self._opened() as connection, _transaction(connection):
            return self._delete(connection, label)

    @staticmethod
    def _delete(connection: sqlite3.Connection, label: str) -> bool:
        found = connection.execute("SELECT first, last FROM source WHERE label = ?", (label,)).fetchone()
        if found is None:
            return False
        connection.execute("DELETE FROM chunk WHERE id BETWEEN ? AND ?", found)
        connection.execute("DELETE FROM source WHERE label = ?", (label,))
        return True

    def sources(self) -> list[Source]:
        """All, by label."""
        if not self.exists():
            return []
        with self._opened() as connection:
            return [Source(**dict(zip(Source.__struct_fields__, row, strict=True))) for row in
                    connection.execute("SELECT * FROM source ORDER BY label")]  # fmt: skip

    def chunks(self, ids: Sequence[int]) -> dict[int, StoredChunk]:
        """Some chunks by their numbers; those that are gone are left out."""
        found: dict[int, StoredChunk] = {}
        with self._opened() as connection:
            for at in range(0, len(ids), 500):
                some = ids[at : at + 500]
                marks = ", ".join("?" * len(some))
                rows = connection.execute(f"SELECT id, title, text, line, is_code FROM chunk WHERE id IN ({marks})", some)
                found.update((row[0], StoredChunk(row[1], row[2], row[3], bool(row[4]))) for row in rows)
        return found

    def after(self, number: int) -> Iterator[tuple[int, str, str]]:
        """Number, title and text of all chunks above a number, in order."""
        with self._opened() as connection:
            yield from connection.execute("SELECT id, title, text FROM chunk WHERE id > ? ORDER BY id", (number,))

    def code_chunks(self) -> list[int]:
        """The numbers of those that are mostly code, in order."""
        with self._opened() as connection:
            return [row[0] for row in connection.execute("SELECT id FROM chunk WHERE is_code ORDER BY id")]


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _use_log(connection: sqlite3.Connection) -> None:
    """Write-ahead logging, with which readers never wait. SQLite does not wait for another process to do the same."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)


def _remedy(error: sqlite3.Error) -> str:
    """What is wrong, and what would be right."""
    text = str(error)
    if "locked" in text or "busy" in text:
        return f"another process has been writing it for {BUSY_SECONDS:.0f} s: try again when it is done"
    if "full" in text:
        return "the disk is full: make room, nothing was changed"
    if "readonly" in text or "unable to open" in text:
        return f"cannot be written: {text}"
    return f"is damaged ({text}): move it away and add its sources again"


def now_ms() -> int:
    return time.time_ns() // 1_000_000
