"""The workspace of a server's client: its folders, its open documents, and the answers that only
editors need."""

import codecs
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from symindex.editor.edited_documents import EditedDocuments
from symindex.editor.editor_positions import Match, rank_candidates
from symindex.editor.editor_rows import EditorRows
from symindex.editor.folders_source import FoldersSource
from symindex.editor.followed_folders import FollowedFolders
from symindex.editor.open_documents import OpenDocuments
from symindex.errors import RequestError
from symindex.extract.texts.file_text import to_utf8
from symindex.protocol.search import SearchRequest
from symindex.text.editing.edit_buffer import Encoding
from symindex.workers.document_messages import ParsedDocument, Word
from symindex.workspace.answers import Answers
from symindex.workspace.repair import with_repair
from symindex.workspace.watched_tree import TreeEvent, WatchedTrees

if TYPE_CHECKING:
    from symindex.editor.editor_relations import Relations

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
        text = to_utf8(data.removeprefix(codecs.BOM_UTF8))[0].decode("utf-8", "surrogateescape")
        # A key of its own: another request may be for the same file, or open it as a document.
        file_key, place = f"{next(_FILE_NUMBERS)} {key}", self.folders.place_of(path)
        texts.open(
            file_key,
            place[1] if place is not None else path.name,
            "",
            text.encode("utf-8", "replace").decode(),
        )
        parsed = texts.parsed(file_key)
        texts.close(file_key)
        return parsed.result()

    def named_at(self, key: str, place: tuple[int, int]) -> tuple[Word, list[Match]]:
        """Returns the name at a place of an open document, and the symbols with that name,
        likeliest first. Raises RequestError if the document is not open."""
        texts = self.documents.texts
        word = texts.word(key, place).result()
        if not word.name:
            return word, []
        request = SearchRequest(query=word.name, max_items=N_CANDIDATES, fuzzy=False)
        matches = [m for m in self.rows.symbols(request).matches if m.name == word.name]
        text = texts.text(key).result().decode("utf-8", "replace")
        document = self.documents.opened.get(key)
        if document is None:
            return word, []
        return word, rank_candidates(matches, document.place, word, text)

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
