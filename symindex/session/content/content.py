"""Added content as one object: add, list, forget, search.

A source that came from a file follows it: before an answer, files that have changed are read again, a few at a time, and those
that are gone leave with a notice.
"""

import os
from bisect import bisect_right
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO, Final
from urllib.parse import urlsplit

import numpy as np

from symindex.errors import RequestError, SymindexError
from symindex.extract.documents.chunks import chunks_of
from symindex.extract.documents.to_text import MOST_BYTES, ReadContent, to_text
from symindex.files.access.regular import read_regular
from symindex.files.locations import data_folder, index_folder
from symindex.index.arrays import Mask
from symindex.index.prose.build_chunks import Chunk
from symindex.index.prose.chunk_index import ChunkIndex
from symindex.index.prose.kept_chunks import KeptChunks, within
from symindex.search.prose.collection import Shown
from symindex.search.prose.contract import TextRequest
from symindex.session.content.content_store import ContentStore, Source, StoredChunk
from symindex.session.database import now_ms
from symindex.text.escaping import shorten

STANDARD_INPUT: Final = "standard input"
LONGEST_LABEL: Final = 200

MOST_OF_PAGE: Final = 10_000_000
"""Bytes of a page of the web."""

MOST_REFRESHED: Final = 20
MOST_REFRESHED_BYTES: Final = 20_000_000
"""What is read again before one answer; what else has changed is marked as stale."""


class Content:
    """The content that was added for one project.

    Args:
        folder: the user's own, of this project.
    """

    def __init__(self, folder: Path) -> None:
        self._store = ContentStore(folder)
        self._stale: set[str] = set()

    def close(self) -> None:
        self._store.database.close()

    def __enter__(self) -> "Content":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def add_file(self, path: Path, label: str) -> Source:
        """Adds a file, which is followed. Raises RequestError for one that cannot be read."""
        path = path.absolute()
        return self.add(_read_file(path), label, str(path), path.name, path=path)

    def add_stream(self, stream: BinaryIO, label: str) -> Source:
        """Adds what a stream holds."""
        data = stream.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise RequestError(f"{STANDARD_INPUT}: more than {MOST_BYTES:,} bytes, the most that can be added; divide it")
        return self.add(data, label, STANDARD_INPUT)

    def add_page(self, url: str, label: str, allow_private: bool = False) -> Source:
        """Adds a page of the web. Raises RequestError for an address that is refused, StorageError for a server that does not
        answer as it should."""
        from symindex.explore.fetch.http_reader import origin_of, read_url  # here, because few sources are pages

        data = read_url(url, MOST_OF_PAGE, origin_of(url) if allow_private else None)
        return self.add(data, label, url, urlsplit(url).path)

    def add(
        self, data: bytes, label: str, origin: str, name: str = "", content_type: str = "", path: Path | None = None
    ) -> Source:
        """Adds a source, or replaces the one of its label.

        name: of the file, whose ending tells the format. content_type: of an HTTP answer. path: of a file that is followed.
        Raises RequestError for what is no text, or too large.
        """
        label = _checked_label(label)
        read = to_text(data, name or origin, content_type)
        status = path.stat() if path is not None else None
        source = Source(
            label=label,
            origin=origin,
            path=str(path) if path is not None else "",
            digest=blake2b(data, digest_size=16).hexdigest(),
            size=len(data),
            mtime_ns=status.st_mtime_ns if status is not None else 0,
            added_ms=now_ms(),
        )
        return self._store.replace(source, _stored_chunks(read, label))

    def sources(self) -> list[Source]:
        """All, by label."""
        return self._store.sources()

    def forget(self, label: str) -> bool:
        """Deletes a source; whether there was one."""
        return self._store.database.exists() and self._store.forget(label)

    def refresh(self, sources: Sequence[Source]) -> list[str]:
        """Reads files that have changed again; returns notices."""
        notices, n_bytes, n_read = [], 0, 0
        self._stale = set()
        for source in sources:
            if not source.path:
                continue
            path = Path(source.path)
            try:
                status = path.stat()
            except OSError:
                self._store.forget(source.label)
                notices.append(f"{source.label}: its file is gone, and its content with it ({source.path})")
                continue
            if (status.st_mtime_ns, status.st_size) == (source.mtime_ns, source.size):
                continue
            if n_read >= MOST_REFRESHED or n_bytes + status.st_size > MOST_REFRESHED_BYTES:
                self._stale.add(source.label)
                continue
            n_read, n_bytes = n_read + 1, n_bytes + status.st_size
            try:
                data = read_regular(path, MOST_BYTES, follow=True)
                if blake2b(data, digest_size=16).hexdigest() == source.digest:
                    self._store.note_unchanged(source, status.st_mtime_ns, status.st_size)
                else:
                    self.add(data, source.label, source.origin, path.name, path=path)
            except (OSError, SymindexError) as error:
                self._stale.add(source.label)
                notices.append(f"{source.label}: its file has changed and cannot be read ({error})")
        if self._stale:
            told = ", ".join(sorted(self._stale)[:3])
            notices.append(f"{len(self._stale)} sources are stale, as their files have changed: {told}; add them again")
        return notices

    def collection(self, request: TextRequest, since_ms: int) -> "ContentCollection":
        """What a search looks through, after changed files were read again."""
        notices = self.refresh(self._store.sources())
        return ContentCollection(self._store, self._store.sources(), self._stale, notices, request, since_ms)


def _read_file(path: Path) -> bytes:
    """The bytes of a file that is added. Raises RequestError in a line."""
    try:
        return read_regular(path, MOST_BYTES, follow=True)
    except OSError as error:
        try:
            size = path.stat().st_size
        except OSError:
            size = 0
        if size > MOST_BYTES:
            raise RequestError(f"{path}: {size:,} bytes: at most {MOST_BYTES:,} can be added; divide it") from None
        raise RequestError(f"{path}: cannot be read: {error.strerror or error}") from None


def _checked_label(label: str) -> str:
    if not label.strip() or len(label) > LONGEST_LABEL or not label.isprintable():
        raise RequestError(f"source {shorten(label, 40)!r}: give a label of 1 to {LONGEST_LABEL} printable characters")
    return label.strip()


def _stored_chunks(read: ReadContent, label: str) -> list[StoredChunk]:
    title = read.title or label
    return [
        StoredChunk(each.title or title, read.text[each.start : each.end].decode("utf-8", "replace"), each.line + 1, each.is_code)
        for each in chunks_of(read.text, read.format_id)
    ]


class ContentCollection:
    """Added content as `session/recall` searches it."""

    origin = "document"

    def __init__(
        self,
        store: ContentStore,
        sources: Sequence[Source],
        stale: set[str],
        notices: list[str],
        request: TextRequest,
        since_ms: int,
    ) -> None:
        self._store, self._stale = store, stale
        self._sources = sorted(sources, key=lambda source: source.first)
        self._first = [source.first for source in self._sources]
        self.notices = notices
        self._request, self._since_ms = request, since_ms
        self.is_empty = not sources

    def indexes(self) -> list[ChunkIndex]:
        """The columns of all chunks."""
        newest = max((source.last for source in self._sources), default=0)
        if not newest:
            return []
        store = self._store
        kept = KeptChunks(store.database.folder, store.identity(), lambda number: (Chunk(*row) for row in store.after(number)))
        return kept.segments(newest, self._n_after)

    def _n_after(self, number: int) -> int:
        return sum(max(0, source.last - max(source.first, number + 1) + 1) for source in self._sources)

    def live(self, index: ChunkIndex) -> Mask:
        """By place: whether the chunk is still there."""
        return within(index, _ranges(self._sources))

    def wanted(self, index: ChunkIndex) -> Mask:
        """By place: whether the filters let the chunk through."""
        request = self._request
        if request.category:  # which only notes have
            return np.zeros(len(index), dtype=bool)
        label = request.source.casefold()
        chosen = [each for each in self._sources if label in each.label.casefold() and each.added_ms >= self._since_ms]
        mask = within(index, _ranges(chosen))
        if request.content_type is not None:
            is_code = np.zeros(len(index), dtype=bool)
            is_code[index.places_of(np.array(self._store.code_chunks(), dtype=np.int64))] = True
            mask &= is_code if request.content_type == "code" else ~is_code
        return mask

    def shown(self, number: int) -> Shown:
        """A chunk as it is shown."""
        chunk = self._store.chunk(number) or StoredChunk("", "", 1, False)
        source = self._sources[bisect_right(self._first, number) - 1]
        return Shown(
            f"chunk:{number}",
            chunk.title,
            chunk.text,
            source.label,
            chunk.line,
            chunk.is_code,
            source.added_ms,
            source.label in self._stale,
        )


def _ranges(sources: Sequence[Source]) -> list[tuple[int, int]]:
    return [(source.first, source.last) for source in sources]


def content_folder(root: Path) -> Path:
    """The folder of a project's content, in the user's data folder."""
    return data_folder() / "content" / index_folder(root, os.sep).name
