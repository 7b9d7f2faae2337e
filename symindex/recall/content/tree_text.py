"""The prose of a source tree as a collection: its documents, and the items in them.

It is derived from the tree and its index. Before an answer it follows the index: documents with a
new digest are divided again (`tree_chunks`). Docs of symbols are in the index, where a search finds
them.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from symindex.cancellation import check_wanted
from symindex.extract.documents.text_parts import DOCUMENT, TextChunk, text_parts
from symindex.extract.items.field_values import as_text
from symindex.extract.items.item import Value
from symindex.extract.languages.registry import Languages
from symindex.extract.path_flags import path_flags
from symindex.extract.records import FileSymbols
from symindex.extract.texts.file_text import FileText, read_text_of
from symindex.index.snapshot import Part, Snapshot
from symindex.protocol.kinds import SymbolFlag
from symindex.protocol.recall import TextRequest
from symindex.recall.chunks.collection import Shown
from symindex.recall.content.commit_dates import CommitDates
from symindex.recall.content.content_store import Source, StoredChunk
from symindex.recall.content.priors import prior_of
from symindex.recall.content.source_table import (
    DOCUMENTS,
    ITEM_ID,
    Sources,
    SourceTable,
    date_of,
    is_document,
)
from symindex.recall.content.tree_chunks import MOST_BYTES, TreeChunks, TreePlaces
from symindex.text.counts import count_of

VERSION: Final = b"8"
"""Version of the division into chunks: data of another version is discarded."""

FOLDER: Final = "text"
_LAST: Final = SymbolFlag.TEST | SymbolFlag.VENDORED | SymbolFlag.GENERATED

_TEST: Final = "\0test"
"""Key in the metadata of texts from tests and from third parties. No metadata of a file has this
name."""


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
        self._chunks = TreeChunks(root, folder / FOLDER, self._divided)
        self._dates = CommitDates(root, folder / FOLDER)
        self._table = SourceTable([])
        self._places: TreePlaces | None = None
        self._snapshot: Snapshot | None = None
        self._files: dict[str, tuple[Part, int]] = {}
        self._unread: list[str] = []

    def close(self) -> None:
        self._chunks.drop()
        self._snapshot, self._files = None, {}

    def end(self) -> None:
        """Ends an answer; to be called after each."""
        self._chunks.end()

    def forget(self) -> None:
        """Deletes what was derived from the tree. It is derived again for the next answer."""
        self._chunks.delete()

    def is_ready(self, snapshot: Snapshot) -> bool:
        """Whether the documents are divided already; a few changed files do not matter."""
        return self._chunks.exists(self._version)

    def collection(self, snapshot: Snapshot, request: TextRequest, prefix: str) -> Sources:
        """Returns the collection for a search, up to date with the index. prefix: begins each shown
        path."""
        self.end()
        self._refresh(snapshot)
        if request.since or request.boost_recent or request.sort == "timeline":
            self._dates.bring_up_to_date()
        notices = self._chunks.notices  # more follow while texts are read
        if self._unread:
            paths = ", ".join(self._unread[:3])
            notices.append(f"{count_of(len(self._unread), 'document')} cannot be read: {paths}")
        return Sources(
            self._chunks,
            self._table,
            request,
            lambda source: prefix + source.origin,
            lambda _, source, chunk: self._shown(source, chunk, prefix, request.by_entity),
            notices,
            self._when,
        )

    @property
    def _version(self) -> bytes:
        """The version of the division, and the rules by which files are read."""
        return VERSION + self.languages.reading_digest

    def _refresh(self, snapshot: Snapshot) -> None:
        generation = snapshot.generation.to_bytes(16, "little")
        self._chunks.notices = []
        if self._snapshot is not snapshot:
            self._snapshot, self._files = snapshot, {}
        if not self._chunks.is_current(self._version, generation):
            self._unread = []
            digests = {
                path: part.index.file(number).digest.hex()
                for path, (part, number) in self._documents().items()
            }
            self._chunks.bring_to(
                digests, self._version, self._read, lambda: b"" if self._unread else generation
            )
        elif self._places is not self._chunks.places:
            self._unread = []
        if self._places is not self._chunks.places:
            self._places = self._chunks.places
            self._table = SourceTable(self._places.sources)

    def _documents(self) -> dict[str, tuple[Part, int]]:
        """Returns the documents of the snapshot by path: their parts, and their numbers there."""
        if not self._files and self._snapshot is not None:
            parts = self._snapshot.parts
            self._files = {path: place for part in parts for path, place in _files(part)}
        return self._files

    def _read(self, path: str) -> Iterator[tuple[Source, list[TextChunk]]]:
        check_wanted()
        part, number = self._documents()[path]
        record = part.index.file(number)
        if (text := self._text_of(record)) is None:  # it is read with the next question
            return
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
        parts = text_parts(record.path, text.data, self.languages, record.language)
        for place, text_part in enumerate(parts):
            facts = {
                "type": text_part.type,
                **common,
                **text_part.facts,
                "item_type": text_part.type,
            }
            if text_part.id:
                facts[ITEM_ID] = text_part.id
            yield (
                msgspec.structs.replace(
                    source,
                    label=f"{record.path}\0{place}",
                    facts=facts,
                    time_ms=date_of(text_part.facts),
                ),
                text_part.chunks,
            )

    def _divided(self, path: str, data: bytes) -> list[list[TextChunk]]:
        """Returns the chunks of the parts of a document, read anew."""
        part, number = self._documents()[path]
        language = part.index.file(number).language
        return [part.chunks for part in text_parts(path, data, self.languages, language)]

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
        return source.time_ms or self._dates.of(source.origin) or source.added_ms

    def _shown(self, source: Source, chunk: StoredChunk, prefix: str, by_entity: bool) -> Shown:
        """Returns a chunk as it is shown. by_entity: items are shown, and not their parts."""
        path = prefix + source.origin
        item_id = source.facts.get(ITEM_ID)
        item = str(source.facts.get("item_type"))
        is_one = item_id and (source.n_chunks == 1 or by_entity) and item not in DOCUMENTS
        shown_id = f"{item}:{item_id}" if is_one else f"{path}:{chunk.line}"
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
            weight=prior_of(source.origin, _TEST in source.facts),
            is_document=is_document(source),
        )


def _files(part: Part) -> Iterator[tuple[str, tuple[Part, int]]]:
    """Yields the files that contain documents or items, with their numbers."""
    index = part.index
    described = {*index.document_files.tolist()} if index.documents is not None else set()
    for number in part.live_files():
        if number in described:
            yield index.paths[number], (part, number)
