"""Added content as one object: add, list, forget, search.

Texts are converted in a worker process (`workers/added_text`). A source from a file follows the
file (`refreshed`).
"""

import os
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO, Final
from urllib.parse import urlsplit

from symindex.errors import RequestError
from symindex.extract.documents.to_text import MOST_BYTES
from symindex.files.access.followed import FileIdentity, FollowedFile, resolved
from symindex.files.access.regular import LargeFileError
from symindex.files.locations import data_folder, index_folder
from symindex.protocol.recall import TextRequest
from symindex.recall.chunks.collection import Shown
from symindex.recall.content.content_store import ContentStore, Source, StoredChunk
from symindex.recall.content.refreshed import Refreshed
from symindex.recall.content.source_table import (
    DOCUMENT,
    Sources,
    SourceTable,
    date_of,
    is_document,
)
from symindex.recall.database import now_ms
from symindex.text.escaping import shorten
from symindex.workers.added_text import Conversion, Converter

STANDARD_INPUT: Final = "standard input"
LONGEST_LABEL: Final = 200

MOST_OF_PAGE: Final = 10_000_000
"""Largest web page, in bytes."""


class Content:
    """The content that was added for one project. For one thread at a time.

    Args:
        folder: the user's own, for this project.
        root: the folder of the project; none of its links may lead out of it.
    """

    def __init__(self, folder: Path, root: Path | None = None) -> None:
        self._store, self._root = ContentStore(folder), root
        self._converter = Converter()

    def close(self) -> None:
        self._converter.close()
        self._store.database.close()

    def __enter__(self) -> "Content":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def add_file(self, path: Path, label: str) -> Source:
        """Adds a file, which is followed from now on by its path with links resolved. Raises
        RequestError if it cannot be read, or if a link leads out of the project."""
        data, real, taken = _read_file(path, self._root)
        return self.add(data, label, str(real), real.name, path=real, taken=taken)

    def add_stream(self, stream: BinaryIO, label: str) -> Source:
        """Adds the content of a stream."""
        data = stream.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise RequestError(
                f"{STANDARD_INPUT}: more than {MOST_BYTES:,} bytes, the most that can be added;"
                " divide it"
            )
        return self.add(data, label, STANDARD_INPUT)

    def add_page(self, url: str, label: str, allow_private: bool = False) -> Source:
        """Adds a web page. Raises RequestError for an address that is refused, StorageError for a
        server that does not answer properly."""
        from symindex.fetch.http_reader import (
            origin_of,
            read_url,
        )  # few sources are pages

        data = read_url(url, MOST_OF_PAGE, origin_of(url) if allow_private else None)
        return self.add(data, label, url, urlsplit(url).path)

    def add(
        self,
        data: bytes,
        label: str,
        origin: str,
        name: str = "",
        content_type: str = "",
        path: Path | None = None,
        taken: FileIdentity | None = None,
        seconds: float = 0.0,
    ) -> Source:
        """Adds a source, or replaces the one with its label. Raises RequestError for data that is
        not text, or too large; GivenUpError if it takes too much time or memory.

        Args:
            name: of the file; its ending tells the format.
            content_type: of an HTTP response.
            path: of a file that is followed.
            taken: the identity of that file.
            seconds: as in `Converter.convert`.
        """
        label = _checked_label(label)
        read = self._converter.convert(data, name or origin, content_type, label, seconds)
        source = Source(
            label=label,
            origin=origin,
            path=str(path) if path is not None else "",
            digest=digest_of(data),
            size=len(data),
            mtime_ns=taken.mtime_ns if taken is not None else 0,
            added_ms=now_ms(),
            time_ms=date_of(read.facts),
            facts=read.facts,
        )
        return self._store.replace(source, _stored(read), taken)

    def sources(self) -> list[Source]:
        """Returns all sources, ordered by label."""
        return self._store.sources()

    def take_notices(self) -> list[str]:
        """Returns warnings since the last call: rows of the database that are not valid."""
        return self._store.database.take_notices()

    def forget(self, label: str) -> bool:
        """Deletes a source; returns whether it existed."""
        return self._store.database.exists() and self._store.forget(label)

    def end(self) -> None:
        """Ends an answer; to be called after each."""
        self._store.database.end()

    def collection(self, request: TextRequest, prefix: str = "") -> Sources:
        """Returns the collection for a search, after changed files were read again. prefix: begins
        shown ids."""
        self.end()
        refreshed = Refreshed(self._store, self.add)
        try:
            refreshed.refresh(self._store.sources())
        finally:
            self._converter.close()
        stale = refreshed.stale
        if self._store.database.exists():
            self._store.database.begin()

        def show(number: int, source: Source, chunk: StoredChunk) -> Shown:
            return Shown(
                f"{prefix}chunk:{number}",
                chunk.title,
                chunk.text,
                source.label,
                chunk.line,
                chunk.is_code,
                source.when_ms,
                stale=source.label in stale,
                type=str(source.facts.get("type", DOCUMENT)),
                facts=source.facts,
                url=source.origin if source.origin.startswith("http") else "",
                is_document=is_document(source),
            )

        table = SourceTable(self._store.sources())
        return Sources(
            self._store,
            table,
            request,
            lambda source: source.label,
            show,
            [*refreshed.notices, *self.take_notices()],
        )


def _read_file(path: Path, root: Path | None) -> tuple[bytes, Path, FileIdentity]:
    """Returns the bytes of a file, its path with links resolved, and its identity. Raises
    RequestError."""
    try:
        real = resolved(path)
        if root is not None and _leads_out(path, real, root):
            raise RequestError(
                f"{path}: a link leads out of the project, to {real}: name that path if you mean it"
            )
        with FollowedFile(str(real)) as file:
            try:
                return file.read(MOST_BYTES), real, file.identity
            except LargeFileError:
                size = file.identity.size
                raise RequestError(
                    f"{path}: {size:,} bytes: at most {MOST_BYTES:,} can be added; divide it"
                ) from None
    except OSError as error:
        raise RequestError(f"{path}: cannot be read: {error.strerror or error}") from None


def _leads_out(path: Path, real: Path, root: Path) -> bool:
    """Whether a path through the project leads to a file outside it."""
    return not real.is_relative_to(root) and any(
        os.path.realpath(above) == str(root) for above in path.absolute().parents
    )


def digest_of(data: bytes) -> str:
    """Returns the BLAKE2b digest of a source's bytes, in hexadecimal."""
    return blake2b(data, digest_size=16).hexdigest()


def _checked_label(label: str) -> str:
    if not label.strip() or len(label) > LONGEST_LABEL or not label.isprintable():
        raise RequestError(
            f"source {shorten(label, 40)!r}: give a label of 1 to {LONGEST_LABEL} printable"
            " characters"
        )
    return label.strip()


def _stored(read: Conversion) -> Iterator[StoredChunk]:
    return (StoredChunk(*chunk) for chunk in read.chunks())


def content_folder(root: Path) -> Path:
    """Returns the folder for a project's content, in the user's data folder."""
    return data_folder() / "content" / index_folder(root, os.sep).name
