"""Where the chunks of a tree's documents are: a table next to its index.

The table has no texts: a chunk is read from its file, at the place that it had when the file was
divided. If the file has changed since, its present text is divided instead. The table is derived,
and may be deleted at any time.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
import numpy as np

from symindex.errors import IndexFileError, StorageError
from symindex.extract.documents.text_parts import TextChunk
from symindex.extract.texts.file_text import FileText, read_text_of
from symindex.files.access.private_folder import PrivateFolder
from symindex.index.columns.arrays import I64, U8, U32
from symindex.index.columns.integer_columns import join_ranges, pack, require
from symindex.index.columns.strings import StringTable, pack_texts
from symindex.index.store import TABLE_NAME, read_table, write_table
from symindex.recall.chunk_index.build_chunks import Chunk
from symindex.recall.chunk_index.chunk_index import ChunkIndex
from symindex.recall.chunk_index.kept_chunks import FOLDERS, KeptChunks, LastSegments
from symindex.recall.content.content_store import Source, StoredChunk

MOST_BYTES: Final = 16_000_000
"""Largest document, in bytes."""

MOST_KEPT: Final = 32_000_000
"""Bytes of documents that are cached during an answer."""

_OF_BEFORE: Final = ("content.db", "content.db-wal", "content.db-shm")
"""Files in which earlier versions stored the texts themselves."""

_LOCK: Final = "write.lock"
_LOCK_SECONDS: Final = 10.0

Divide = Callable[[str, bytes], list[list[TextChunk]]]
"""Divides a document, given its path and its data, into the chunks of each of its parts."""

Read = Callable[[str], Iterable[tuple[Source, list[TextChunk]]]]
"""Reads a document by its path: its sources, with their chunks."""


class TreeTable(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """The table as it is stored.

    Attributes:
        generation: that of the index when the table was complete; empty if it is not.
        identity: random, new for each table that does not continue another.
        newest: the highest number that a chunk ever had.
        sources: with the numbers of their chunks, ascending.
        titles, title_sizes: by chunk, a table of strings.
        lines: by chunk, its first line; 32-bit.
        starts, ends: by chunk, its range in bytes; empty where the text is made from the file by
            more than cutting, as from a comment; 32-bit.
        is_code: by chunk, whether most of it is code; 8-bit.
    """

    generation: bytes
    identity: bytes
    newest: int
    sources: list[Source]
    titles: memoryview
    title_sizes: memoryview
    lines: memoryview
    starts: memoryview
    ends: memoryview
    is_code: memoryview


class _Place(NamedTuple):
    """The place of a chunk in its file."""

    title: str
    line: int
    start: int
    end: int
    is_code: bool


class TreePlaces:
    """Reads a table. Raises DamagedIndexError for columns that do not fit together."""

    def __init__(self, table: TreeTable) -> None:
        self.table = table
        self.sources: list[Source] = table.sources
        firsts = np.array([source.first for source in table.sources], dtype=np.int64)
        lasts = np.array([source.last for source in table.sources], dtype=np.int64)
        self._counts: I64 = lasts - firsts + 1
        self._first_rows: I64 = np.cumsum(self._counts) - self._counts
        n_chunks = int(self._counts.sum())
        self._titles = StringTable(table.titles, table.title_sizes, "titles", n_chunks)
        self._lines: U32 = np.frombuffer(table.lines, dtype="<u4")
        self._starts: U32 = np.frombuffer(table.starts, dtype="<u4")
        self._ends: U32 = np.frombuffer(table.ends, dtype="<u4")
        self._is_code: U8 = np.frombuffer(table.is_code, dtype="<u1")
        lengths = {len(self._lines), len(self._starts), len(self._ends), len(self._is_code)}
        require(lengths == {n_chunks}, "documents: columns of several lengths")
        require(
            bool((self._counts > 0).all() and (firsts[1:] > lasts[:-1]).all())
            and (not len(firsts) or (int(firsts[0]) > 0 and int(lasts[-1]) <= table.newest)),
            "documents: numbers of chunks that cannot be",
        )
        self._number_of = {source.first: number for number, source in enumerate(table.sources)}

    def place(self, source: Source, number: int) -> _Place:
        """Returns the place of a chunk of a source of this table."""
        row = int(self._first_rows[self._number_of[source.first]]) + number - source.first
        return _Place(
            self._titles[row],
            int(self._lines[row]),
            int(self._starts[row]),
            int(self._ends[row]),
            bool(self._is_code[row]),
        )

    @cached_property
    def code_chunks(self) -> list[int]:
        """The numbers of the chunks that are mostly code."""
        firsts = np.array([source.first for source in self.sources], dtype=np.int64)
        numbers: list[int] = join_ranges(firsts, self._counts)[self._is_code > 0].tolist()
        return numbers

    def with_sources(
        self,
        kept: list[int],
        added: Sequence[tuple[Source, list[TextChunk]]],
        generation: bytes,
    ) -> TreeTable:
        """Returns a table with some of the sources here, by their numbers, and others, whose
        chunks get new numbers."""
        sources = [self.sources[number] for number in kept]
        newest = self.table.newest
        for source, chunks in added:
            first, newest = newest + 1, newest + len(chunks)
            sources.append(msgspec.structs.replace(source, first=first, last=newest))
        new = [chunk for _, chunks in added for chunk in chunks]
        rows = join_ranges(self._first_rows[kept], self._counts[kept])
        new_titles = (chunk.title.replace("\0", "") for chunk in new)
        titles, title_sizes = pack_texts([*self._titles.take(rows), *new_titles])

        def joined(column: U32 | U8, values: list[int], dtype: str) -> memoryview:
            return pack(np.concatenate((column[rows], np.array(values, dtype=dtype))), dtype)

        return TreeTable(
            generation=generation,
            identity=self.table.identity,
            newest=newest,
            sources=sources,
            titles=titles,
            title_sizes=title_sizes,
            lines=joined(self._lines, [chunk.line for chunk in new], "<u4"),
            starts=joined(self._starts, [chunk.start for chunk in new], "<u4"),
            ends=joined(self._ends, [chunk.end for chunk in new], "<u4"),
            is_code=joined(self._is_code, [chunk.is_code for chunk in new], "<u1"),
        )


def _empty() -> TreePlaces:
    """Returns a table without sources, which continues no other."""
    nothing = memoryview(b"")
    titles, title_sizes = pack_texts([])
    return TreePlaces(
        TreeTable(
            generation=b"",
            identity=os.urandom(16),
            newest=0,
            sources=[],
            titles=titles,
            title_sizes=title_sizes,
            lines=nothing,
            starts=nothing,
            ends=nothing,
            is_code=nothing,
        )
    )


class TreeChunks:
    """The chunks of a root's documents (`source_table.ChunkStore`). For one thread at a time.

    Args:
        root: the folder of the tree.
        folder: the user's own, for the table.
        divide: see `Divide`.

    Attributes:
        places: the table, as it was last brought up to date.
        notices: warnings about texts that could not be shown.
    """

    def __init__(self, root: Path, folder: Path, divide: Divide) -> None:
        self._root, self._divide = root, divide
        self._folder = PrivateFolder(folder)
        self.places: TreePlaces = _empty()
        self.notices: list[str] = []
        self._version = b""
        self._files: dict[str, FileText | None] = {}
        self._segments = LastSegments()

    def drop(self) -> None:
        """Forgets what is in memory."""
        self.places, self._version, self._segments = _empty(), b"", LastSegments()
        self.end()

    def delete(self) -> None:
        """Deletes the table and the columns of words. They are made again for the next answer."""
        self.drop()
        for folder in (self._folder.path, *map(self._folder.__truediv__, FOLDERS)):
            with suppress(OSError, StorageError):
                PrivateFolder(folder).delete(TABLE_NAME)

    def end(self) -> None:
        """Forgets the files that were read for an answer."""
        self._files.clear()

    def exists(self, version: bytes) -> bool:
        """Whether documents have been divided by a version of the rules."""
        return self._version == version or self._stored(version) is not None

    def is_current(self, version: bytes, generation: bytes) -> bool:
        """Whether the table is that of an index: the one in memory, else the stored one, which is
        then used. Nothing is written."""
        if self._version == version and self.places.table.generation == generation:
            return True
        stored = self._stored(version)
        if stored is None or stored.table.generation != generation:
            return False
        self._use(stored, version)
        return True

    def _use(self, places: TreePlaces, version: bytes) -> None:
        self.places, self._version = places, version
        self.end()

    def bring_to(
        self,
        digests: Mapping[str, str],
        version: bytes,
        read: Read,
        generation: Callable[[], bytes],
    ) -> None:
        """Divides the documents that have changed, and leaves out those that are gone. If the
        table cannot be written, it stays in memory, and a notice says so.

        Args:
            digests: of the documents of the tree, by path.
            version: of the rules; a table of another version is made anew.
            generation: returns that of the table, after all documents were read.
        """
        table: TreeTable | None = None
        try:
            with self._folder.locked(_LOCK, _LOCK_SECONDS) as is_locked:
                before = (self._stored(version) if is_locked else None) or _empty()
                table = self._changed(before, digests, read, generation)
                if is_locked:
                    write_table(self._folder, _rules(version), table)
                    for name in _OF_BEFORE:
                        with suppress(OSError, StorageError):
                            self._folder.delete(name)
        except (OSError, StorageError) as error:
            table = table or self._changed(_empty(), digests, read, generation)
            table = msgspec.structs.replace(table, identity=os.urandom(16))  # it is not stored
            self.notices.append(
                f"the documents of the tree were divided for this answer alone: {error}"
            )
        self._use(TreePlaces(table), version)

    def _stored(self, version: bytes) -> TreePlaces | None:
        try:
            table = read_table(self._folder, _rules(version), TreeTable)
            return TreePlaces(table) if table is not None else None
        except (IndexFileError, StorageError):
            return None

    def _changed(
        self,
        before: TreePlaces,
        digests: Mapping[str, str],
        read: Read,
        generation: Callable[[], bytes],
    ) -> TreeTable:
        kept = [
            number
            for number, source in enumerate(before.sources)
            if digests.get(source.origin) == source.digest
        ]
        unchanged = {before.sources[number].origin for number in kept}
        added = [pair for path in digests if path not in unchanged for pair in read(path)]
        return before.with_sources(kept, added, generation())

    # What `source_table.ChunkStore` asks for.

    def indexes(self, newest: int) -> list[ChunkIndex]:
        """See `ChunkStore`."""
        identity = self.places.table.identity
        kept = KeptChunks(self._folder, identity, self._after)
        return self._segments.of(kept, identity, newest, self._n_after)

    def code_chunks(self) -> list[int]:
        """See `ChunkStore`."""
        return self.places.code_chunks

    def chunk(self, source: Source, number: int) -> StoredChunk:
        """See `ChunkStore`."""
        place = self.places.place(source, number)
        return StoredChunk(
            place.title, self._text(source, number, place), place.line, place.is_code
        )

    def _after(self, number: int) -> Iterator[Chunk]:
        for source in self.places.sources:
            for own in range(max(source.first, number + 1), source.last + 1):
                chunk = self.chunk(source, own)
                yield Chunk(own, chunk.title, chunk.text)

    def _n_after(self, number: int) -> int:
        return sum(
            max(source.last - max(source.first, number + 1) + 1, 0)
            for source in self.places.sources
        )

    def _text(self, source: Source, number: int, place: _Place) -> str:
        """Returns the text of a chunk; of a file that has changed, that of the chunk with its title
        nearest to its line. Empty, with a notice, if there is none."""
        file = self._file(source)
        if file is None:
            return ""
        is_same = file.digest.hex() == source.digest
        if is_same and place.start < place.end:
            return file.data[place.start : place.end].decode("utf-8", "replace")
        parts = self._divide(source.origin, file.data)
        part = int(source.label.partition("\0")[2] or 0)
        chunks = parts[part] if part < len(parts) else []
        if is_same:
            own = number - source.first
            return chunks[own].text if own < len(chunks) else ""
        alike = [chunk for chunk in chunks if chunk.title == place.title]
        return min(alike, key=lambda chunk: abs(chunk.line - place.line)).text if alike else ""

    def _file(self, source: Source) -> FileText | None:
        """Returns the file of a source, read once in an answer; `None` if it cannot be read."""
        path = source.origin
        if path not in self._files:
            if sum(len(file.data) for file in self._files.values() if file) > MOST_KEPT:
                self._files.clear()
            file = None
            try:
                file = read_text_of(self._root, path, MOST_BYTES)
                if file.digest.hex() != source.digest:
                    self.notices.append(
                        f"{path} has changed since it was indexed, and is shown as it is now"
                    )
            except OSError as error:
                self.notices.append(f"{path} cannot be shown: {error.strerror or error}")
            self._files[path] = file
        return self._files[path]


def _rules(version: bytes) -> bytes:
    return blake2b(version, digest_size=16).digest()
