"""Added content as one object: add, list, forget, search.

A source that came from a file follows it: before an answer, files that have changed are read again, a few at a time, and those
that are gone leave with a notice.
"""

import os
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO, Final
from urllib.parse import urlsplit

from symindex.errors import RequestError, SymindexError
from symindex.extract.documents.chunks import chunks_of
from symindex.extract.documents.text_parts import DOCUMENT
from symindex.extract.documents.to_text import MOST_BYTES, PDF, ReadContent, to_text
from symindex.extract.items.front_matter import FrontMatter, read_front_matter
from symindex.files.access.regular import read_regular
from symindex.files.locations import data_folder, index_folder
from symindex.search.prose.collection import Shown
from symindex.search.prose.contract import TextRequest
from symindex.session.content.content_store import ContentStore, Source, StoredChunk
from symindex.session.content.source_table import Sources, SourceTable, date_of
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

    def add_page(self, url: str, label: str, allow_private: bool = False, with_pdf: bool = True) -> Source:
        """Adds a page of the web.

        with_pdf: whether it may be PDF, whose reader knows no time limit within a page. Raises RequestError for an address that
        is refused, StorageError for a server that does not answer as it should.
        """
        from symindex.explore.fetch.http_reader import origin_of, read_url  # here, because few sources are pages

        data = read_url(url, MOST_OF_PAGE, origin_of(url) if allow_private else None)
        if not with_pdf and data.startswith(PDF):
            raise RequestError(f"{shorten(url, 80)}: is PDF: `symindex add` takes it, where a person can end it")
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
        front = read_front_matter(read.text) if read.format_id == "markdown" else FrontMatter({})
        status = path.stat() if path is not None else None
        source = Source(
            label=label,
            origin=origin,
            path=str(path) if path is not None else "",
            digest=blake2b(data, digest_size=16).hexdigest(),
            size=len(data),
            mtime_ns=status.st_mtime_ns if status is not None else 0,
            added_ms=now_ms(),
            time_ms=date_of(front.fields),
            facts=front.fields,
        )
        return self._store.replace(source, _stored_chunks(read, label, front.end))

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

    def collection(self, request: TextRequest) -> Sources:
        """What a search looks through, after changed files were read again."""
        notices = self.refresh(self._store.sources())
        stale = self._stale

        def show(number: int, source: Source, chunk: StoredChunk) -> Shown:
            return Shown(
                f"chunk:{number}", chunk.title, chunk.text, source.label, chunk.line, chunk.is_code, source.when_ms,
                stale=source.label in stale, type=str(source.facts.get("type", DOCUMENT)), facts=source.facts,
                url=source.origin if source.origin.startswith("http") else "",
            )  # fmt: skip

        table = SourceTable(self._store.sources())
        return Sources(self._store, table, request, lambda source: source.label, show, notices)


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


def _stored_chunks(read: ReadContent, label: str, start: int) -> list[StoredChunk]:
    """start: of the text, behind its front matter."""
    title, text, line = read.title or label, read.text[start:], read.text.count(b"\n", 0, start) + 1
    return [
        StoredChunk(each.title or title, text[each.start : each.end].decode("utf-8", "replace"), line + each.line, each.is_code)
        for each in chunks_of(text, read.format_id)
    ]


def content_folder(root: Path) -> Path:
    """The folder of a project's content, in the user's data folder."""
    return data_folder() / "content" / index_folder(root, os.sep).name
