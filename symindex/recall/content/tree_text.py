"""The prose of a source tree as a collection: its documents and items, and the docs of its symbols.

It is derived from the tree and its index, in a database next to the index. Before an answer it
follows the index: files with a new digest are read again.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import Final

import msgspec

from symindex.cancellation import check_wanted
from symindex.errors import DamagedDatabaseError, StorageError, UnwritableError
from symindex.extract.documents.text_parts import DOCUMENT, text_parts
from symindex.extract.items.field_values import as_text
from symindex.extract.items.item import Value
from symindex.extract.languages.registry import Languages
from symindex.extract.path_flags import path_flags
from symindex.extract.records import FileSymbols, Symbol
from symindex.extract.texts.file_text import FileText, read_text_of
from symindex.index.columns.rows import symbols_of_files
from symindex.index.snapshot import Part, Snapshot
from symindex.protocol.kinds import SymbolFlag
from symindex.protocol.recall import TextRequest
from symindex.recall.chunks.collection import Shown
from symindex.recall.content.commit_dates import commit_dates, head_of
from symindex.recall.content.content_store import ContentStore, Source, StoredChunk
from symindex.recall.content.priors import prior_of
from symindex.recall.content.source_table import (
    DOCUMENTS,
    ITEM_ID,
    SYMBOL,
    Sources,
    SourceTable,
    date_of,
    is_document,
)
from symindex.text.counts import count_of

VERSION: Final = b"7"
"""Version of the division into chunks: data of another version is discarded."""

FOLDER: Final = "text"
_LAST: Final = SymbolFlag.TEST | SymbolFlag.VENDORED | SymbolFlag.GENERATED

_TEST: Final = "\0test"
"""Key in the metadata of texts from tests and from third parties. No metadata of a file has this
name."""

MOST_BYTES: Final = 16_000_000
"""Largest document, in bytes."""


class TreeText:
    """The prose of one root.

    Args:
        root: the folder.
        folder: that of its index.

    Attributes:
        languages: those of the snapshots that follow; settings of the tree may change them.
    """

    def __init__(self, root: Path, folder: Path, languages: Languages) -> None:
        self._root = root
        self.languages: Languages = languages
        self._store = ContentStore(folder / FOLDER)
        self._known = self._edition = b""
        self._table = SourceTable([])
        self._unread: list[str] = []
        self._dates: tuple[str, dict[str, int]] | None = None

    def close(self) -> None:
        self._known = b""
        self._store.database.close()

    def end(self) -> None:
        """Ends an answer; to be called after each."""
        self._store.database.end()

    def forget(self, error: StorageError, to_memory: bool = True) -> None:
        """Discards what was derived, after an error in reading it. It is derived anew, in memory or
        in the same place."""
        self._known, self._dates = b"", None
        if isinstance(error, DamagedDatabaseError):
            self._store.database.delete()
        self._store.database.move(to_memory)
        if to_memory:
            self._store.database.notice(
                "the documents of the tree were read again for this answer, which takes longer:"
                f" {error}"
            )

    def is_ready(self, snapshot: Snapshot) -> bool:
        """Whether the chunks exist already; a few changed files do not matter."""
        return bool(self._known) or (
            self._store.database.exists() and self._store.state("version") == self._version
        )

    def collection(self, snapshot: Snapshot, request: TextRequest, prefix: str) -> Sources:
        """Returns the collection for a search, up to date with the index. Raises StorageError.

        If the disk cannot be written, the chunks stay in memory until the index changes. prefix:
        begins each shown path.
        """
        edition = self._version + snapshot.generation.to_bytes(16, "little")
        if self._known not in (b"", edition) and self._store.database.is_in_memory:
            self._store.database.move(to_memory=False)
        for to_memory in (False, True):
            try:
                return self._collection(snapshot, edition, request, prefix)
            except (DamagedDatabaseError, UnwritableError) as error:
                if self._store.database.is_in_memory:
                    raise
                self.forget(error, to_memory)
        return self._collection(snapshot, edition, request, prefix)

    @property
    def _version(self) -> bytes:
        """The version of the division, and the rules by which files are read."""
        return VERSION + self.languages.reading_digest

    def _refresh(self, snapshot: Snapshot, wanted: bytes) -> None:
        store = self._store
        if store.state("generation") != wanted:
            files = {path: place for part in snapshot.parts for path, place in _files(part)}
            digests = {
                path: part.index.file(number).digest.hex() for path, (part, number) in files.items()
            }
            store.bring_to(
                digests,
                self._version,
                lambda changed: self._read(files, changed),
                lambda: {"generation": b"" if self._unread else wanted},
            )
        self._known = wanted if not self._unread else b""

    def _begin(self) -> None:
        """Reads from one moment from now on. Lists the sources of that moment if they have changed:
        another process may have divided the documents again, and its chunks have other numbers."""
        store = self._store
        store.database.begin()
        edition = store.state("edition")
        if edition == self._edition:
            return
        notices = store.database.take_notices()
        sources = store.listed()
        damaged = store.database.take_notices()
        for notice in notices:
            store.database.notice(notice)
        if damaged:
            raise DamagedDatabaseError(damaged[0])
        self._table, self._edition = SourceTable(sources), edition

    def _read(
        self, files: Mapping[str, tuple[Part, int]], changed: Set[str]
    ) -> Iterator[tuple[Source, list[StoredChunk]]]:
        self._unread = []
        by_part: dict[int, tuple[Part, list[int]]] = {}
        for path, (part, number) in files.items():
            if path in changed:
                by_part.setdefault(id(part), (part, []))[1].append(number)
        for part, numbers in by_part.values():
            numbers.sort()
            described = (
                {*part.index.document_files.tolist()} if part.index.documents is not None else set()
            )
            with_symbols = symbols_of_files(part.index, numbers)
            following = next(with_symbols, None)
            for number in numbers:
                check_wanted()
                symbols: Sequence[Symbol] = ()
                if following is not None and following[0] == number:
                    symbols, following = following[1], next(with_symbols, None)
                yield from self._sources(part.index.file(number), symbols, number in described)

    def _sources(
        self, record: FileSymbols, symbols: Sequence[Symbol], is_described: bool
    ) -> Iterator[tuple[Source, list[StoredChunk]]]:
        source = Source(
            label=record.path,
            origin=record.path,
            path="",
            digest=record.digest.hex(),
            size=record.size,
            mtime_ns=record.mtime_ns,
            added_ms=max(0, record.mtime_ns // 1_000_000),
        )
        common: dict[str, Value] = {"language": record.language}
        code = self.languages.code(record.language)
        if code is not None and path_flags(record.path, code) & _LAST:
            common[_TEST] = True
        text = self._text_of(record) if is_described else None
        if is_described and text is None:  # not stored, so it is read with the next question
            return
        facts = {**common, "type": SYMBOL, "item_type": SYMBOL}
        yield (
            msgspec.structs.replace(source, facts=facts),
            [_doc(symbol) for symbol in symbols if _says_something(symbol)],
        )
        if text is None:
            return
        for number, part in enumerate(
            text_parts(record.path, text.data, self.languages, record.language)
        ):
            facts = {"type": part.type, **common, **part.facts, "item_type": part.type}
            if part.id:
                facts[ITEM_ID] = part.id
            chunks = [StoredChunk(*chunk) for chunk in part.chunks]
            yield (
                msgspec.structs.replace(
                    source,
                    label=f"{record.path}\0{number}",
                    facts=facts,
                    time_ms=date_of(part.facts),
                ),
                chunks,
            )

    def _text_of(self, record: FileSymbols) -> FileText | None:
        """Returns the text of a document. Only bytes that a worker read within its limits are read
        here: other bytes than the indexed ones wait."""
        try:
            text = read_text_of(self._root, record.path, MOST_BYTES)
        except OSError as error:
            self._unread.append(f"{record.path} ({error.strerror or error})")
            return None
        if text.digest != record.digest:
            self._unread.append(f"{record.path} (has changed meanwhile)")
            return None
        return text

    def _when(self, source: Source) -> int:
        """Returns when a source was written: by its metadata, by git, or by its file."""
        dates = self._dates[1] if self._dates is not None else {}
        return source.time_ms or dates.get(source.origin, source.added_ms)

    def _date(self) -> None:
        """Loads dates from git, once for each commit that is checked out."""
        head = head_of(self._root)
        if self._dates is None or self._dates[0] != head:
            stored = self._store.state("dates")
            dates = (
                msgspec.msgpack.decode(stored, type=tuple[str, dict[str, int]])
                if stored
                else ("", {})
            )
            if dates[0] != head:
                dates = head, commit_dates(self._root) if head else {}
                self._store.keep("dates", msgspec.msgpack.encode(dates))
            self._dates = dates

    def _collection(
        self, snapshot: Snapshot, wanted: bytes, request: TextRequest, prefix: str
    ) -> Sources:
        self.end()
        self._refresh(snapshot, wanted)
        if request.since or request.boost_recent or request.sort == "timeline":
            self._date()
        self._begin()
        table = self._table
        # Code is newest wherever somebody works, and a request for entities already finds symbols
        # by name and doc.
        if request.by_entity or (request.sort == "timeline" and not request.types):
            table = SourceTable(
                [source for source in table.sources if source.facts.get("item_type") != SYMBOL]
            )
        paths = ", ".join(self._unread[:3])
        notices = self._store.database.take_notices()
        notices += (
            [f"{count_of(len(self._unread), 'document')} cannot be read: {paths}"]
            if self._unread
            else []
        )

        return Sources(
            self._store,
            table,
            request,
            lambda source: prefix + source.origin,
            lambda _, source, chunk: self._shown(source, chunk, prefix, request.by_entity),
            notices,
            self._when,
        )

    def _shown(self, source: Source, chunk: StoredChunk, prefix: str, by_entity: bool) -> Shown:
        """Returns a chunk as it is shown. by_entity: items are shown, and not their parts."""
        path = prefix + source.origin
        item_id = source.facts.get(ITEM_ID)
        item = str(source.facts.get("item_type"))
        is_one = item_id and (source.n_chunks == 1 or by_entity) and item not in DOCUMENTS
        shown_id = (
            f"{path}#{chunk.title}"
            if item == SYMBOL
            else f"{item}:{item_id}"
            if is_one
            else f"{path}:{chunk.line}"
        )
        return Shown(
            shown_id,
            chunk.title,
            chunk.text,
            path,
            chunk.line,
            chunk.is_code,
            self._when(source),
            type=as_text(source.facts.get("type", DOCUMENT)),
            facts=source.facts,
            path=path,
            weight=prior_of(source.origin, item == SYMBOL, _TEST in source.facts),
            is_document=is_document(source),
        )


def _files(part: Part) -> Iterator[tuple[str, tuple[Part, int]]]:
    """Yields the files that may contain text, with their numbers."""
    index = part.index
    described = {*index.document_files.tolist()} if index.documents is not None else set()
    for number in part.live_files():
        if number in described or index.file_first[number] < index.file_first[number + 1]:
            yield index.paths[number], (part, number)


def _says_something(symbol: Symbol) -> bool:
    return bool(symbol.doc) and not symbol.flags & SymbolFlag.DECLARATION


def _doc(symbol: Symbol) -> StoredChunk:
    return StoredChunk(
        symbol.qualified_name, f"{symbol.signature}\n{symbol.doc}", symbol.name_row + 1, False
    )
