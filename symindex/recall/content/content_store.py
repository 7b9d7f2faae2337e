"""The database of added content: its sources, and their chunks with texts.

It is in the user's own data folder: fetched or piped text exists nowhere else. A source is replaced
as a whole, in one transaction. Its chunks have consecutive numbers that are never reused, so that
the word columns (`recall/chunk_index`) can follow.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from symindex.extract.documents.chunks import MOST_TITLE
from symindex.extract.items.item import Value
from symindex.files.access.followed import FileIdentity
from symindex.recall.chunk_index.build_chunks import Chunk
from symindex.recall.chunk_index.chunk_index import ChunkIndex
from symindex.recall.chunk_index.kept_chunks import KeptChunks, LastSegments
from symindex.recall.database import FIRST_MS, LAST_MS, Database
from symindex.text.escaping import shorten

FILE_NAME: Final = "content.db"

_MIGRATIONS: Final = (
    """
CREATE TABLE meta (identity BLOB NOT NULL);
INSERT INTO meta VALUES (randomblob(16));
CREATE TABLE source (
    label TEXT PRIMARY KEY, origin TEXT NOT NULL, path TEXT NOT NULL, digest TEXT NOT NULL, size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL, added_ms INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL
);
CREATE TABLE chunk (
    id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL, text TEXT NOT NULL, line INTEGER NOT NULL, is_code INTEGER NOT NULL
);
CREATE INDEX code_chunk ON chunk (id) WHERE is_code
""",  # noqa: E501
    """
ALTER TABLE source ADD COLUMN time_ms INTEGER NOT NULL DEFAULT 0;
ALTER TABLE source ADD COLUMN facts TEXT NOT NULL DEFAULT '{}';
CREATE INDEX source_origin ON source (origin);
CREATE TABLE state (name TEXT PRIMARY KEY, value BLOB NOT NULL)
""",
    "CREATE TABLE followed (label TEXT PRIMARY KEY, file TEXT NOT NULL)",
)

_NEWEST: Final = "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'chunk'"


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """A source.

    Attributes:
        label: its name.
        origin: where it came from, for people: a path, an address, or `standard input`.
        path: of a file that is followed, else empty.
        digest: BLAKE2b of its bytes, in hexadecimal.
        size: in bytes.
        mtime_ns: of the file, 0 if there is none.
        added_ms: when it was added, in milliseconds since 1970.
        first, last: numbers of its chunks; `last` is before `first` if it has none.
        time_ms: when its content was written according to itself, else 0.
        facts: its metadata, for example front matter.
    """

    label: str
    origin: str
    path: str
    digest: str
    size: int
    mtime_ns: int
    added_ms: int
    first: int = 1
    last: int = 0
    time_ms: int = 0
    facts: dict[str, Value] = {}

    @property
    def when_ms(self) -> int:
        """When its content was written if known, else when it was added."""
        return self.time_ms or self.added_ms

    @property
    def n_chunks(self) -> int:
        return self.last - self.first + 1


class Followed(msgspec.Struct, frozen=True):
    """The file of a source that is followed. taken: its identity when its content was read.
    given_up: its identity when its content was refused, with the reason; it is not read again until
    it changes."""

    taken: FileIdentity
    given_up: FileIdentity | None = None
    reason: str = ""


class StoredChunk(msgspec.Struct, frozen=True):
    """A chunk. title: the headings above it. line: its first in the source, 1-based. is_code:
    whether most of it is code."""

    title: str
    text: str
    line: int
    is_code: bool


class ContentStore:
    """The database in a folder. Every method raises StorageError if the disk or another process
    prevents it, or the file is damaged."""

    def __init__(self, folder: Path) -> None:
        self._segments = LastSegments()
        self.database: Database = Database(
            folder, FILE_NAME, _MIGRATIONS, "move it away and add its sources again"
        )

    def identity(self) -> bytes:
        """Returns the identity of this database; no earlier one had it."""
        with self.database.reading() as connection:
            return bytes(connection.execute("SELECT identity FROM meta").fetchone()[0])

    def replace(
        self, source: Source, chunks: Iterable[StoredChunk], taken: FileIdentity | None = None
    ) -> Source:
        """Adds a source in place of the one with its label. Returns it with the numbers of its
        chunks.

        taken: the identity of its file, if that is to be followed. An exception raised by the
        chunks leaves the database unchanged.
        """
        with self.database.writing() as connection:
            stored = _put(connection, source, chunks)
            if taken is not None:
                _follow(connection, source.label, Followed(taken))
            return stored

    def note_unchanged(self, source: Source, now: FileIdentity) -> None:
        """Stores the new identity of a file whose content has not changed."""
        with self.database.writing() as connection:
            values = now.mtime_ns, now.size, source.label
            connection.execute("UPDATE source SET mtime_ns = ?, size = ? WHERE label = ?", values)
            _follow(connection, source.label, Followed(now))

    def note_given_up(self, source: Source, followed: Followed) -> None:
        """Records that the present content of a file was refused."""
        with self.database.writing() as connection:
            _follow(connection, source.label, followed)

    def followed(self) -> dict[str, Followed]:
        """Returns the files that are followed, by label."""
        if not self.database.exists():
            return {}
        with self.database.reading() as connection:
            rows = connection.execute("SELECT label, file FROM followed").fetchall()
        files = {}
        for label, file in rows:
            try:
                files[label] = _FOLLOWED.decode(file)
            except _NOT_VALID:
                self.database.notice(
                    f"{_shown(label)}: the record of its file is not valid in"
                    f" {self.database.path}; {_REMEDY}"
                )
        return files

    def forget(self, label: str) -> bool:
        """Deletes a source; returns whether it existed."""
        with self.database.writing() as connection:
            return _delete(connection, label)

    def sources(self) -> list[Source]:
        """Returns all sources, ordered by label; none if there is no database."""
        if not self.database.exists():
            return []
        with self.database.reading() as connection:
            rows = connection.execute("SELECT * FROM source ORDER BY label").fetchall()
        sources = []
        for row in rows:
            try:
                sources.append(_source(row))
            except _NOT_VALID:
                self.database.notice(
                    f"{_shown(row[0])} is left out: its row in {self.database.path} is not valid;"
                    f" {_REMEDY}"
                )
        return sources

    def chunk(self, _: Source, number: int) -> StoredChunk:
        """See `source_table.ChunkStore`."""
        with self.database.reading() as connection:
            row = connection.execute(
                "SELECT title, text, line, is_code FROM chunk WHERE id = ?", (number,)
            ).fetchone()
        title, text, line, is_code = row if row is not None else ("", "", 1, False)
        return StoredChunk(
            _as_text(title)[:MOST_TITLE],
            _as_text(text),
            line if isinstance(line, int) else 1,
            bool(is_code),
        )

    def indexes(self, newest: int) -> list[ChunkIndex]:
        """See `source_table.ChunkStore`."""
        identity = self.identity()
        kept = KeptChunks(self.database.folder, identity, self.chunks_after)
        return self._segments.of(kept, identity, newest, self.n_after)

    def chunks_after(self, number: int) -> Iterator[Chunk]:
        """Yields all chunks above a number, in order."""
        with self.database.reading() as connection:
            for row in connection.execute(
                "SELECT id, title, text FROM chunk WHERE id > ? ORDER BY id", (number,)
            ):
                yield Chunk(row[0], _as_text(row[1]), _as_text(row[2]))

    def n_after(self, number: int) -> int:
        """Returns how many chunks have higher numbers."""
        with self.database.reading() as connection:
            return int(
                connection.execute("SELECT count(*) FROM chunk WHERE id > ?", (number,)).fetchone()[
                    0
                ]
            )

    def code_chunks(self) -> Sequence[int]:
        """Returns the numbers of chunks that are mostly code, in order."""
        with self.database.reading() as connection:
            return [
                row[0]
                for row in connection.execute("SELECT id FROM chunk WHERE is_code ORDER BY id")
            ]


_FOLLOWED: Final = msgspec.json.Decoder(Followed)
_FACTS: Final = msgspec.json.Decoder(dict[str, Value])
_NOT_VALID: Final = (msgspec.MsgspecError, ValueError, TypeError, RecursionError)
_REMEDY: Final = "add it again"


def _as_text(value: object) -> str:
    """Returns a text of a chunk, even if the database contains a value of another type."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""


def _shown(label: object) -> str:
    return f"the source {shorten(_as_text(label), 60)!r}"


def _source(row: tuple[Any, ...]) -> Source:
    """Reads a row as a source. Raises one of `_NOT_VALID` for a row that is not valid: SQLite
    stores any type in any column."""
    *values, facts = row
    fields = dict(zip(Source.__struct_fields__, (*values, _FACTS.decode(facts)), strict=True))
    source = msgspec.convert(fields, Source)
    for text in (source.label, source.origin, source.path, source.digest):
        text.encode()
    if not all(FIRST_MS <= time_ms <= LAST_MS for time_ms in (source.time_ms, source.added_ms)):
        raise ValueError("a time that no calendar has")
    if not 1 <= source.first <= source.last + 1:
        raise ValueError("numbers of chunks that cannot be")
    return source


def _follow(connection: sqlite3.Connection, label: str, followed: Followed) -> None:
    connection.execute(
        "INSERT OR REPLACE INTO followed VALUES (?, ?)",
        (label, msgspec.json.encode(followed).decode()),
    )


def _put(connection: sqlite3.Connection, source: Source, chunks: Iterable[StoredChunk]) -> Source:
    _delete(connection, source.label)
    before = connection.execute(_NEWEST).fetchone()[0]
    connection.executemany(
        "INSERT INTO chunk (title, text, line, is_code) VALUES (?, ?, ?, ?)",
        ((chunk.title, chunk.text, chunk.line, chunk.is_code) for chunk in chunks),
    )
    kept = msgspec.structs.replace(
        source, first=before + 1, last=connection.execute(_NEWEST).fetchone()[0]
    )
    *values, facts = msgspec.structs.astuple(kept)
    row = (*values, msgspec.json.encode(facts).decode())
    connection.execute(f"INSERT INTO source VALUES ({', '.join('?' * len(row))})", row)
    return kept


def _delete(connection: sqlite3.Connection, label: str) -> bool:
    row = connection.execute("SELECT first, last FROM source WHERE label = ?", (label,)).fetchone()
    if row is None:
        return False
    connection.execute("DELETE FROM chunk WHERE id BETWEEN ? AND ?", row)
    connection.execute("DELETE FROM source WHERE label = ?", (label,))
    connection.execute("DELETE FROM followed WHERE label = ?", (label,))
    return True
