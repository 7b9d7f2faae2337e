"""The workspace of a server's client: its folders, its open documents, and the answers that only
editors need."""

import codecs
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from symindex.editor.edited_documents import EditedDocuments
from symindex.editor.editor_positions import Match, rank_candidates
from symindex.editor.editor_rows import EditorRows
from symindex.editor.folders_source import FoldersSource
from symindex.editor.followed_folders import FollowedFolders, Place
from symindex.editor.merged_view import Folder, prefixed
from symindex.editor.open_documents import OpenDocuments
from symindex.errors import RequestError
from symindex.extract.texts.file_text import to_utf8
from symindex.files.walk import VERSION_CONTROL
from symindex.protocol.freshness import CACHED, Freshness
from symindex.protocol.search import SearchRequest
from symindex.text.editing.edit_buffer import Encoding
from symindex.workers.document_messages import ParsedDocument, Word
from symindex.workspace.answers import Answers, folder_of
from symindex.workspace.repair import with_repair
from symindex.workspace.watched_tree import TreeEvent, WatchedTrees

if TYPE_CHECKING:
    from symindex.editor.editor_relations import Definitions, Relations
    from symindex.editor.named_here import NamedHere
    from symindex.protocol.overview import FolderResponse

_T = TypeVar("_T")

N_CANDIDATES: Final = 200
"""Number of symbols with the same name that are ranked by their distance."""

_FILE_NUMBERS: Final = count()


class FollowedWorkspace(Answers):
    """Answers a client's requests. Any thread may call its methods.

    Args:
        trees: shares trees with other clients.
        encoding: the unit of columns, as the client counts them.
        on_event: called in background threads for each event in the folders.
        on_notice: called in background threads with a line for each problem.
        allowed: if not empty, only files in these folders are read.

    folders: the client's folders. documents: its open documents. rows: what its symbol picker
    shows.
    """

    def __init__(
        self,
        trees: WatchedTrees,
        encoding: Encoding = "utf-8",
        on_event: Callable[[TreeEvent], object] = lambda _: None,
        on_notice: Callable[[str], object] = lambda _: None,
        allowed: tuple[Path, ...] = (),
    ) -> None:
        self.encoding = encoding
        self.folders: FollowedFolders = FollowedFolders(
            trees, on_event, lambda: self.documents.place_again(), allowed
        )
        self.documents: EditedDocuments = EditedDocuments(
            OpenDocuments(encoding, on_notice),
            self.folders.place_of,
            lambda read: with_repair(self._folders_source, read),
        )
        self._folders_source = FoldersSource(self.folders, self.documents)
        self.rows: EditorRows = EditorRows(self._folders_source, encoding)
        super().__init__(self._folders_source)

    def close(self) -> None:
        """Closes all folders and documents. Answers in progress raise NotWantedError."""
        self.folders.is_closed = True
        self.documents.texts.stop()
        self.folders.close()
        self._folders_source.close()

    def document_symbols(self, key: str, path: Path | None) -> ParsedDocument:
        """Returns the symbols of an open document as it is, or of a file. Raises RequestError for a
        key that is neither."""
        texts = self.documents.texts
        if key in self.documents.opened:
            return texts.parsed(key).result()
        if path is None:
            raise RequestError(f"{key}: is neither an open document nor a file")
        try:
            data = self.folders.read(path)
        except OSError as error:
            raise RequestError(f"{path.name}: cannot be read: {error.strerror}") from None
        place = self.folders.place_of(path)
        text = _decode(data)
        with self._opened(key, place[1] if place is not None else path.name, text) as file_key:
            parsed = texts.parsed(file_key)
        return parsed.result()

    @contextmanager
    def _opened(self, key: str, path: str, text: str) -> Iterator[str]:
        """Opens a file as a document, with a key of its own: another request may be for the same
        file, or open it as a document."""
        texts, file_key = self.documents.texts, f"{next(_FILE_NUMBERS)} {key}"
        texts.open(file_key, path, "", text)
        try:
            yield file_key
        finally:
            texts.close(file_key)

    def named_at(self, key: str, place: tuple[int, int]) -> tuple[Word, list[Match]]:
        """Returns the name at a place of an open document, and the symbols with that name,
        likeliest first. Raises RequestError if the document is not open."""
        texts = self.documents.texts
        word = texts.word(key, place).result()
        if not word.name:
            return word, []
        text = texts.text(key).result().decode("utf-8", "replace")
        document = self.documents.opened.get(key)
        return word, [] if document is None else self._likeliest(word, document.place, text)

    def folder(self, path: str, *, freshness: Freshness = CACHED) -> "FolderResponse":
        """Returns the files and folders in a folder, with how many files and symbols they contain.
        path: as in answers."""
        from symindex.protocol.overview import FolderRequest

        return folder_of(self, FolderRequest(path=path), freshness)

    def file_bytes(self, path: str, most_bytes: int) -> bytes:
        """Returns the bytes of a file. path: as in answers. Raises RequestError for a file that
        cannot be read, and for one with more than `most_bytes`."""
        from symindex.resolve.tree import read_bytes

        if not VERSION_CONTROL.isdisjoint(path.lower().split("/")):
            raise RequestError(f"{path}: belongs to version control")
        return read_bytes(self._folders_source.folders_alone(), path, most_bytes)

    def named_in_file(self, path: str, place: tuple[int, int]) -> "NamedHere":
        """Returns the name at a place of a file, and what it means. path: as in answers. place:
        line and column, 0-based. Raises RequestError for a file that cannot be read."""
        from symindex.editor.named_here import (  # deferred, because most requests search
            NamedHere,
            NamedSymbol,
            named_here,
            symbol_of_match,
        )

        folder, inside = self._folder_of(path)
        text = _decode(self.file_bytes(path, self._folders_source.file_limits[0]))
        with self._opened(path, inside, text) as key:
            word = self.documents.texts.word(key, place).result()
        if not word.name:
            return NamedHere("", [])

        def by_name() -> list[NamedSymbol]:
            matches = self._likeliest(word, (folder, inside), text)
            own = self._language(path)
            matches.sort(key=lambda match: _language_of(match) != own)  # others are unlikelier
            return [symbol_of_match(match) for match in matches]

        source = self._folders_source
        if source.why_incomplete():
            return NamedHere(word.name, by_name())
        tree, limits = source.tree_of(source.view()), source.file_limits
        return named_here(tree, limits, path, place, word.name, by_name)

    def _language(self, path: str) -> str:
        """Returns the language of a file in the index; empty if it has none."""
        found = self._folders_source.view().snapshot.find(path)
        return found[0].index.language_of(found[1]) if found is not None else ""

    def has_symbols_named(self, name: str) -> bool:
        """Whether the index has, or had a moment ago, symbols with exactly this name."""
        return any(part.may_have_name(name) for part in self._folders_source.view().snapshot.parts)

    def _folder_of(self, path: str) -> tuple[Folder, str]:
        """Returns the folder of a path in an answer, and the path in it."""
        for prefix, folder in prefixed(self.folders.all):
            if path.startswith(prefix):
                return folder, path.removeprefix(prefix)
        raise RequestError(f"{path[:200]}: is in none of the folders")

    def _likeliest(self, word: Word, place: Place | None, text: str) -> list[Match]:
        request = SearchRequest(query=word.name, max_items=N_CANDIDATES, fuzzy=False)
        matches = [m for m in self.rows.symbols(request).matches if m.name == word.name]
        return rank_candidates(matches, place, word, text)

    def definitions(self, key: str, place: tuple[int, int]) -> "tuple[Word, Definitions]":
        """Returns the name at a place of an open document, and what it means. Without an index, the
        symbols that have the name. Raises RequestError if the document is not open."""
        from symindex.editor.editor_relations import Definitions

        word, matches = self.named_at(key, place)
        if word.name and not self._folders_source.why_incomplete():
            return word, self.relate(lambda relations: relations.definitions(key, place))
        return word, Definitions(matches, [], False)

    def relate(self, work: "Callable[[Relations], _T]") -> _T:
        """Returns the result of work on the relations of symbols. Raises RequestError if no folder
        has an index yet."""
        from symindex.editor.editor_relations import SECONDS, Editor, Relations
        from symindex.explore.relations.uses import Limits  # deferred, because most requests search

        source = self._folders_source

        def read() -> _T:
            source.wait_for_reported()
            view = source.view()
            editor = Editor(self.named_at, self.documents.opened, self.encoding)
            limits = Limits(*source.file_limits, SECONDS)
            return work(Relations(editor, view, source.tree_of(view), limits))

        return with_repair(source, read)


def _decode(data: bytes) -> str:
    """Decodes a file as a document: without a byte order mark, and with replacement characters."""
    text = to_utf8(data.removeprefix(codecs.BOM_UTF8))[0].decode("utf-8", "surrogateescape")
    return text.encode("utf-8", "replace").decode()


def _language_of(match: Match) -> str:
    index = match.part.index
    return index.language_of(index.file_at(match.row))
