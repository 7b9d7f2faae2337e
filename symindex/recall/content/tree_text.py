"""The prose of a source tree as a collection: its documents, and the items in it.

Their words are in the index of the tree (`recall/chunk_index/tree_index`), so an answer only reads
the texts that it ranks and shows. Docs of symbols are found by a search.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Final

import numpy as np

from symindex.errors import StorageError
from symindex.extract.items.field_values import as_text
from symindex.extract.items.item import ItemFacts, Value
from symindex.extract.languages.registry import Languages
from symindex.extract.path_flags import path_flags
from symindex.extract.records import DIGEST_BYTES
from symindex.files.access.private_folder import PrivateFolder
from symindex.index.columns.arrays import I64, Mask
from symindex.index.snapshot import Part, Snapshot
from symindex.index.store import TABLE_NAME
from symindex.protocol.kinds import KINDS, SymbolFlag, SymbolKind
from symindex.protocol.recall import TextRequest
from symindex.recall.chunk_index.chunk_index import ChunkIndex
from symindex.recall.chunk_index.tree_index import tree_chunks
from symindex.recall.chunks.collection import Shown
from symindex.recall.content.commit_dates import CommitDates
from symindex.recall.content.content_store import Source, StoredChunk
from symindex.recall.content.priors import prior_of
from symindex.recall.content.source_table import (
    DOCUMENT,
    DOCUMENTS,
    ITEM_ID,
    Sources,
    SourceTable,
    date_of,
    is_document,
)
from symindex.recall.content.tree_files import TreeFiles

FOLDER: Final = "text"
_LAST: Final = SymbolFlag.TEST | SymbolFlag.VENDORED | SymbolFlag.GENERATED
_SECTION: Final = KINDS[SymbolKind.SECTION].code

_TEST: Final = "\0test"
"""Key in the metadata of texts from tests and from third parties. No metadata of a file has this
name."""


class TreeText:
    """The prose of one root.

    Args:
        root: the folder.
        folder: that of its index.
        texts: files that are not on the disk, by path.

    Attributes:
        languages: those of the snapshots that follow; settings of the tree may change them.
    """

    def __init__(
        self, root: Path, folder: Path, languages: Languages, texts: Mapping[str, bytes]
    ) -> None:
        self._root, self._folder, self._texts = root, folder / FOLDER, texts
        self.languages: Languages = languages
        self._dates = CommitDates(root, self._folder)
        self._rows: _TreeRows | None = None

    def close(self) -> None:
        self._rows = None

    def end(self) -> None:
        """Ends an answer; to be called after each."""
        if self._rows is not None:
            self._rows.files.clear()

    def collection(self, snapshot: Snapshot, request: TextRequest, prefix: str) -> Sources:
        """Returns the collection for a search. prefix: begins each shown path."""
        rows = self._rows
        if rows is None or rows.snapshot is not snapshot or rows.languages is not self.languages:
            files = TreeFiles(self._root, self.languages, self._texts)
            rows = self._rows = _TreeRows(files, snapshot, self.languages)
            self._delete_former()
        rows.files.clear()
        if request.since or request.boost_recent or request.sort == "timeline":
            self._dates.bring_up_to_date()
        return Sources(
            rows,
            rows.table,
            request,
            lambda source: prefix + source.origin,
            lambda _, source, chunk: self._shown(source, chunk, prefix, request.by_entity),
            rows.files.notices,  # more follow while texts are read
            self._when,
        )

    def _delete_former(self) -> None:
        """Deletes the table and the word columns of earlier versions."""
        for name in ("", "chunks", "chunks-new"):
            with suppress(OSError, StorageError):
                PrivateFolder(self._folder / name).delete(TABLE_NAME)

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


class _TreeRows:
    """The sections and items of a snapshot as sources (`source_table.ChunkStore`). The number of a
    chunk is that of its place among all parts, from 1."""

    def __init__(self, files: TreeFiles, snapshot: Snapshot, languages: Languages) -> None:
        self.snapshot = snapshot
        self.languages = languages
        self._parts = snapshot.documents.parts
        self.files = files
        sources = [source for part in self._parts for source in _sources(part, languages)]
        self.table: SourceTable = SourceTable(sources)

    @cached_property
    def _indexes(self) -> list[ChunkIndex]:
        return [tree_chunks(part.index, 1 + part.base, _existing(part)) for part in self._parts]

    def indexes(self, newest: int) -> list[ChunkIndex]:
        """See `ChunkStore`."""
        return self._indexes

    def code_chunks(self) -> list[int]:
        """See `ChunkStore`."""
        numbers: list[int] = []
        for part in self._parts:
            flagged = np.flatnonzero(_with_flag(part, SymbolFlag.MOSTLY_CODE))
            numbers += (flagged + 1 + part.base).tolist()
        return numbers

    def chunk(self, source: Source, number: int) -> StoredChunk:
        """See `ChunkStore`."""
        part, place = self.snapshot.documents.locate(number - 1)
        return self.files.chunk(part, place, as_text(source.facts.get("title", "")))


def _traits(part: Part) -> I64:
    """Returns kind + 256 * flags by place."""
    index = part.index
    traits: I64 = np.array(index.columns.traits_of, dtype=np.int64)[index.traits[index.row_at]]
    return traits


def _existing(part: Part) -> Mask | None:
    """Returns by place whether the file of a row counts; `None` if all do."""
    return None if part.live is None else np.repeat(part.live, np.diff(part.index.file_first))


def _with_flag(part: Part, flag: SymbolFlag) -> Mask:
    mask: Mask = (_traits(part) >> 8 & flag) != 0
    return mask


def _sources(part: Part, languages: Languages) -> Iterator[Source]:
    """Yields the sources of a part: a document with all its sections, an item of another file, the
    text that a file of code begins with."""
    index, columns = part.index, part.index.columns
    is_section = _traits(part) & 255 == _SECTION
    edges = index.file_first.astype(np.int64)
    n_sections = np.diff(np.concatenate(([0], np.cumsum(is_section)))[edges]).tolist()
    first_places = edges.tolist()
    fact_of = dict(zip(index.items[0].tolist(), index.items[1], strict=True))
    sizes = np.frombuffer(columns.file_size, dtype="<u8").tolist()
    mtimes = np.frombuffer(columns.file_mtime, dtype="<i8").tolist()
    paths, language_of = index.paths.all, columns.language_ids
    of_files = columns.file_language.tolist()
    for file in part.live_files():
        path, language = paths[file], language_of[of_files[file]]
        code = languages.code(language)
        common: dict[str, Value] = {"language": language}
        if code is not None and path_flags(path, code) & _LAST:
            common[_TEST] = True
        low, high = first_places[file : file + 2]
        groups = [(place, place + 1, fact_of.get(place)) for place in range(low, high)]
        if code is None and n_sections[file]:
            whole = _whole(path, fact_of.get(low), languages)
            groups = [(high - n_sections[file], high, whole)]
        digest = bytes(columns.file_digest[DIGEST_BYTES * file : DIGEST_BYTES * (file + 1)]).hex()
        for number, (first, end, fact) in enumerate(groups):
            own = fact.fields if fact is not None else {}
            yield Source(
                label=f"{path}\0{number}",
                origin=path,
                path="",
                digest=digest,
                size=sizes[file],
                mtime_ns=mtimes[file],
                added_ms=max(0, mtimes[file] // 1_000_000),
                first=1 + part.base + first,
                last=part.base + end,
                time_ms=date_of(own) if own else 0,
                facts=_facts(fact, own, common),
            )


def _whole(path: str, fact: ItemFacts | None, languages: Languages) -> ItemFacts | None:
    """Returns the facts about the first item of a document, if it is all of the document and not a
    part of it."""
    types = languages.item_types
    if fact is None or fact.type not in types.part_types:
        return fact
    item_type = types.match(path)
    return fact if item_type is not None and fact.id == item_type.id_of(path) else None


def _facts(
    fact: ItemFacts | None, own: dict[str, Value], common: dict[str, Value]
) -> dict[str, Value]:
    type_ = fact.type if fact is not None else DOCUMENT
    facts = {"type": type_, **common, **own, "item_type": type_}
    if fact is not None and fact.id:
        facts[ITEM_ID] = fact.id
    return facts
