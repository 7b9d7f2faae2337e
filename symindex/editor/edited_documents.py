"""The documents that a client has open: their places in its folders, and their symbols while they
are edited.

A document that was just saved and closed remains until the index has read its file, so that its
symbols do not vanish for a moment.
"""

import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from symindex.editor.merged_view import Folder, OpenDocument, stored_digest
from symindex.editor.open_documents import OpenDocuments
from symindex.errors import RequestError
from symindex.workers.document_messages import ParsedDocument

SETTLE_SECONDS: Final = 0.25
"""Longest wait of a search, in seconds, for the latest edit to be parsed. After that, the search
uses the previous symbols."""

CATCH_UP_SECONDS: Final = 3.0
"""Longest time, in seconds, that a document remains after it was saved and closed."""


class _ClosedDocument(NamedTuple):
    """A document that was saved and closed. digest: of its file in the index at that time; `None`
    if it was not indexed. until: seconds of the monotonic clock."""

    folder: Folder
    path: str
    digest: bytes | None
    until: float


class EditedDocuments:
    """See the module. Any thread may call its methods.

    Args:
        texts: the documents' texts and symbols.
        place_of: returns the folder that contains a file, and the path in it.
        with_repair: reads from an index, like `workspace/repair.with_repair`.

    opened: the open documents by key. It is never changed in place; a new dictionary replaces it.
    """

    def __init__(
        self,
        texts: OpenDocuments,
        place_of: Callable[[Path | None], tuple[Folder, str] | None],
        with_repair: Callable[[Callable[[], bytes | None]], bytes | None],
    ) -> None:
        self.texts = texts
        self.opened: dict[str, OpenDocument] = {}
        self._place_of, self._with_repair = place_of, with_repair
        self._leaving: dict[str, _ClosedDocument] = {}
        self._lock = threading.Lock()

    def place_again(self) -> None:
        """Finds the place of each document again after folders were added or removed."""
        with self._lock:
            self.opened = {
                key: OpenDocument(document.path, self._place_of(document.path))
                for key, document in self.opened.items()
            }

    def open(self, key: str, path: Path | None, language: str, text: str) -> None:
        """Opens a document. key: the client's name for it. path: `None` if it is not a file."""
        with self._lock:
            place = self._place_of(path)
            self._leaving.pop(key, None)
            self.opened = {**self.opened, key: OpenDocument(path, place)}
            shown = place[1] if place is not None else path.name if path is not None else ""
            self.texts.open(key, shown, language, text)

    def close(self, key: str, is_saved: bool = False) -> None:
        """Closes a document. is_saved: whether its file was just written; then the document remains
        until the index has read the file."""
        document, parsed = self.opened.get(key), self.texts.latest.get(key)
        if is_saved and document is not None and document.place is not None:
            folder, path = document.place
            digest = self._with_repair(lambda: stored_digest(folder.tree.layers, path))
            if not self.texts.is_settled or (parsed is not None and parsed.file.digest != digest):
                self._leaving[key] = _ClosedDocument(
                    folder, path, digest, time.monotonic() + CATCH_UP_SECONDS
                )
                return
        self._drop(key)

    def _drop(self, key: str, leaving: _ClosedDocument | None = None) -> None:
        """Removes a document. leaving: its entry among the closed documents; if that has changed,
        the document was opened again and remains."""
        with self._lock:
            if leaving is not None and self._leaving.get(key) is not leaving:
                return
            self._leaving.pop(key, None)
            self.opened = {
                open_key: document for open_key, document in self.opened.items() if open_key != key
            }
            self.texts.close(key)

    def texts_of(self, keys: Iterable[str]) -> dict[str, bytes]:
        """Returns the texts of documents, except those that were closed in the meantime."""
        texts: dict[str, bytes] = {}
        for key in keys:
            with suppress(RequestError):
                texts[key] = self.texts.text(key).result()
        return texts

    def drop_leaving(self) -> None:
        """Removes the closed documents whose files the index has read."""
        for key, leaving in list(self._leaving.items()):
            is_read = stored_digest(leaving.folder.tree.layers, leaving.path) != leaving.digest
            if is_read or time.monotonic() > leaving.until:
                self._drop(key, leaving)

    def settled(self) -> dict[str, ParsedDocument]:
        """Returns the documents as they were last parsed. Waits briefly for an edit that was just
        made."""
        self.drop_leaving()
        if not self.texts.is_settled:
            with suppress(FutureTimeoutError):
                return self.texts.settle().result(SETTLE_SECONDS)
        return self.texts.latest
