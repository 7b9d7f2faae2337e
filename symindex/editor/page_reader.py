"""Reads files and folders for pages, from any answers: of roots, of a store of repositories.

It opens a file as a document only to find the name at a place. Nothing is edited.
"""

import codecs
from itertools import count
from typing import Final

from symindex.editor.followed_workspace import N_CANDIDATES
from symindex.editor.named_here import NamedHere, NamedSymbol, named_here
from symindex.editor.open_documents import OpenDocuments
from symindex.errors import RequestError
from symindex.extract.texts.file_text import to_utf8
from symindex.files.walk import VERSION_CONTROL
from symindex.protocol.freshness import CACHED, SOON, Freshness
from symindex.protocol.overview import FolderRequest, FolderResponse
from symindex.protocol.search import SearchItem, SearchRequest
from symindex.resolve.tree import read_bytes
from symindex.workspace.answers import Answers, folder_of

_FILE_NUMBERS: Final = count()


class PageReader:
    """Reads for the pages of some answers. Any thread may use it; all paths are as in answers."""

    def __init__(self, answers: Answers) -> None:
        self._answers = answers
        self._documents = OpenDocuments("utf-8", lambda _: None)

    def close(self) -> None:
        """Ends the process that reads documents."""
        self._documents.stop()

    def folder(self, path: str, *, freshness: Freshness = CACHED) -> FolderResponse:
        """Returns the files and folders in a folder. Raises RequestError for one without files."""
        return folder_of(self._answers, FolderRequest(path=path), freshness)

    def file_bytes(self, path: str, most_bytes: int) -> bytes:
        """Returns the bytes of a file. Raises RequestError for a file that cannot be read, and for
        one with more than `most_bytes`."""
        if not VERSION_CONTROL.isdisjoint(path.lower().split("/")):
            raise RequestError(f"{path}: belongs to version control")
        return read_bytes(self._answers.source.tree(), path, most_bytes)

    def has_symbols_named(self, name: str) -> bool:
        """Whether there are symbols of exactly this name."""
        return any(part.may_have_name(name) for part in self._answers.source.view().snapshot.parts)

    def named_in_file(self, path: str, place: tuple[int, int]) -> NamedHere:
        """Returns the name at a place of a file, and what it means. place: line and column,
        0-based. Raises RequestError for a file that cannot be read."""
        data = self.file_bytes(path, self._answers.source.file_limits[0])
        text = to_utf8(data.removeprefix(codecs.BOM_UTF8))[0].decode("utf-8", "replace")
        key = f"{next(_FILE_NUMBERS)} {path}"
        self._documents.open(key, path, "", text)
        try:
            word = self._documents.word(key, place).result()
        finally:
            self._documents.close(key)
        if not word.name:
            return NamedHere("", [])
        source = self._answers.source
        return named_here(
            source.tree(),
            source.file_limits,
            path,
            place,
            word.name,
            lambda: self._having(word.name, path),
        )

    def _having(self, name: str, path: str) -> list[NamedSymbol]:
        """Returns the symbols that have a name: those of the file first, then of its folder, its
        repository and its language."""
        request = SearchRequest(
            query=f'name:"{name}"',
            max_items=N_CANDIDATES,
            fuzzy=False,
            include=["id", "signature", "doc", "language"],
        )
        found = self._answers.search(request, freshness=SOON).items
        items = [item for item in found if item.name == name]
        language = next((item.language for item in items if item.file_path == path), "")
        items.sort(key=lambda item: _distance(item, path, str(language or "")))
        return [_symbol_of(item) for item in items]


def _distance(item: SearchItem, path: str, language: str) -> tuple[bool, int]:
    """Returns how far an item is from a file: another language, then fewer common folders."""
    parts, own = item.file_path.split("/"), path.split("/")
    same = 0
    while same < min(len(parts), len(own)) and parts[same] == own[same]:
        same += 1
    return bool(language) and item.language != language, -same


def _symbol_of(item: SearchItem) -> NamedSymbol:
    return NamedSymbol(
        item.id or item.file_path,
        item.kind,
        item.file_path,
        item.line,
        item.container or "",
        item.signature or "",
        item.doc or "",
    )
