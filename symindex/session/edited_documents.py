"""The documents that a client has open: where they lie in its folders, and their symbols while they are edited.

A document that was just saved and closed stays until the index has read its file: what was found a moment ago should not be gone
meanwhile.
"""

import threading
import time
from collections.abc import Callable
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from symindex.session.merged_view import Folder, OpenDocument
from symindex.session.open_documents import OpenDocuments
from symindex.workers.document_messages import Seen

SETTLE_SECONDS: Final = 0.25
"""How long a search waits for what was just typed to be read; then it answers with what was read before."""

CATCH_UP_SECONDS: Final = 3.0
"""How long a document that was saved and closed is waited with, at most."""


class _Leaving(NamedTuple):
    """A document that was closed. digest: of its file, as the index knew it then; until: by the monotonic clock, in seconds."""

    digest: bytes | None
    until: float


def stored_digest(document: OpenDocument) -> bytes | None:
    """The digest of a document's file in the index, if that knows it."""
    if document.place is None:
        return None
    folder, path = document.place
    known = folder.tree.layers.find(path) if folder.tree.layers is not None else None
    return known[0].index.file(known[1]).digest if known is not None else None


class EditedDocuments:
    """See the module. Its methods may be called from any thread.

    Args:
        texts: what reads them, in another process.
        place_of: the folder that a file lies in, and its path there.

    opened: the open documents, by key; never changed, but replaced.
    """

    def __init__(self, texts: OpenDocuments, place_of: Callable[[Path | None], tuple[Folder, str] | None]) -> None:
        self.texts = texts
        self.opened: dict[str, OpenDocument] = {}
        self._place_of = place_of
        self._leaving: dict[str, _Leaving] = {}
        self._lock = threading.Lock()

    def place_again(self) -> None:
        """After folders have come or gone: each document lies where it lies now."""
        with self._lock:
            self.opened = {
                key: OpenDocument(document.path, self._place_of(document.path)) for key, document in self.opened.items()
            }

    def open(self, key: str, path: Path | None, language: str, text: str) -> None:
        """A document is open from now on. key: what the client calls it. path: `None` where it is no file."""
        with self._lock:
            place = self._place_of(path)
            self._leaving.pop(key, None)
            self.opened = {**self.opened, key: OpenDocument(path, place)}
            told = place[1] if place is not None else path.name if path is not None else ""
            self.texts.open(key, told, language, text)

    def close(self, key: str, stored: Callable[[OpenDocument], bytes | None] | None = None) -> None:
        """The end of that. stored: where the file was just written, gives its digest as the index knows it."""
        document, seen = self.opened.get(key), self.texts.latest.get(key)
        if stored is not None and document is not None and document.place is not None:
            digest = stored(document)
            if not self.texts.is_settled or (seen is not None and seen.file.digest != digest):
                self._leaving[key] = _Leaving(digest, time.monotonic() + CATCH_UP_SECONDS)
                return
        self._drop(key)

    def _drop(self, key: str, leaving: _Leaving | None = None) -> None:
        """leaving: as it was found; not dropped if it is another meanwhile, or none, for then it was opened again."""
        with self._lock:
            if leaving is not None and self._leaving.get(key) is not leaving:
                return
            self._leaving.pop(key, None)
            self.opened = {other: document for other, document in self.opened.items() if other != key}
            self.texts.close(key)

    def drop_leaving(self) -> None:
        """Lets go of what was closed, where the index has caught up."""
        for key, leaving in list(self._leaving.items()):
            document = self.opened.get(key)
            if document is None or time.monotonic() > leaving.until or stored_digest(document) != leaving.digest:
                self._drop(key, leaving)

    def settled(self) -> dict[str, Seen]:
        """The documents as they were last read; an edit that was just made is waited for a little."""
        self.drop_leaving()
        if not self.texts.is_settled:
            with suppress(FutureTimeoutError):
                return self.texts.settle().result(SETTLE_SECONDS)
        return self.texts.latest
