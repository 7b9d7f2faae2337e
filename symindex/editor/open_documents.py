"""The documents that one client has open: their texts while they are edited, and their symbols,
which a separate process parses.

Editing never waits: a thread carries out the orders in turn. A process that dies is replaced, and
receives the texts again. The document that killed it keeps its last symbols until it is edited.
"""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, Final, Literal, TypeVar

import msgspec

from symindex.errors import RequestError, StorageError
from symindex.extract.languages.registry import load_languages, pack_languages
from symindex.files.skips import SkipReason
from symindex.settings import DEFAULTS
from symindex.text.decoding import decode
from symindex.text.editing.edit_buffer import Encoding, Place, encode
from symindex.workers.child import Cause
from symindex.workers.document_messages import (
    Ask,
    Change,
    Close,
    DocumentsSetup,
    Message,
    Open,
    ParsedDocument,
    Word,
)
from symindex.workers.framing import OUT_OF_TIME, Job
from symindex.workers.memory_limit import DOCUMENTS, worker_memory
from symindex.workers.pool import Slot

IDLE_SECONDS: Final = 0.05
"""Time without an edit, in seconds, after which changed documents are parsed before anyone asks for
their symbols."""

LONGEST_LOG: Final = 64
"""Largest number of edits that are stored with a text; then the current text replaces both."""

CLOCK_FACTOR: Final = 3 if OUT_OF_TIME else 1
"""Factor by which a document may exceed its time limit on the wall clock: the limit is in processor
time."""

_T = TypeVar("_T")


def _sent(text: str) -> str:
    """Returns a text as valid UTF-8, which file names and the texts of editors need not be."""
    return text.encode("utf-8", "backslashreplace").decode()


class _DiedError(Exception):
    """The process has ended instead of answering. The message, if any, says which limit it
    exceeded."""


class _EditedText(msgspec.Struct):
    """A text and the edits since then, to send to a new process. is_dirty: whether it has changed
    since it was parsed."""

    order: Open
    log: list[Change] = []
    is_dirty: bool = True


class OpenDocuments:
    """See the module. All methods return at once, and any thread may call them.

    Args:
        encoding: the unit of columns.
        on_notice: called in a thread of its own with a line for each problem.
        max_file_bytes: larger documents have no symbols.
        file_seconds: processor time after which a document is given up.

    latest: the documents as they were last parsed, by key. It is never changed in place; a new
    dictionary replaces it.
    """

    def __init__(
        self,
        encoding: Encoding,
        on_notice: Callable[[str], object],
        max_file_bytes: int = DEFAULTS.max_file_bytes,
        file_seconds: float = DEFAULTS.file_seconds,
    ) -> None:
        self._encoding, self._max_file_bytes, self._file_seconds = (
            encoding,
            max_file_bytes,
            file_seconds,
        )
        self._on_notice = on_notice
        self._orders: SimpleQueue[tuple[Callable[[], object], Future[Any]]] = SimpleQueue()
        self._documents: dict[str, _EditedText] = {}
        self._slot: Slot | None = None
        self._unsent: list[Message] = []
        self._thread: threading.Thread | None = None
        self._n_edits = self._n_parsed = 0
        self._lock = threading.Lock()
        self._is_stopped = False
        self.latest: dict[str, ParsedDocument] = {}

    @property
    def is_settled(self) -> bool:
        """Whether `latest` reflects every edit."""
        return self._n_edits == self._n_parsed

    def open(self, key: str, path: str, language: str, text: str) -> None:
        """Opens a document, or replaces it. path, language: as for
        `workers/document_messages.Open`."""
        order = Open(_sent(key), _sent(path), _sent(language), encode(text))

        def edit() -> None:
            self._documents[key] = _EditedText(order)
            self._send_later(order)

        self._queue_edit(edit)

    def change(self, key: str, edits: list[tuple[Place | None, Place | None, str]]) -> None:
        """Applies edits to a document in turn. An edit has a start, an end, and the text that
        replaces everything between them; or `None` twice and the whole text."""
        orders = [Change(_sent(key), start, end, encode(text)) for start, end, text in edits]

        def edit() -> None:
            document = self._documents.get(key)
            if document is not None:
                document.is_dirty = True
                document.log += orders
                self._send_later(*orders)

        self._queue_edit(edit)

    def close(self, key: str) -> None:
        """Closes a document: from now on, its file counts."""

        def edit() -> None:
            if self._documents.pop(key, None) is not None:
                self._send_later(Close(_sent(key)))
            self.latest = {
                open_key: doc for open_key, doc in self.latest.items() if open_key != key
            }

        self._queue_edit(edit)

    def settle(self) -> "Future[dict[str, ParsedDocument]]":
        """Returns `latest` once it reflects every edit before this call."""
        return self._queue(self._settle)

    def _settle(self) -> dict[str, ParsedDocument]:
        with self._lock:
            n_edits = self._n_edits
        for key in self._dirty():
            self._look(key)
        self._n_parsed = max(self._n_parsed, n_edits)
        return self.latest

    def _dirty(self) -> list[str]:
        """Returns the keys of the documents that have changed since they were parsed."""
        return [key for key, document in self._documents.items() if document.is_dirty]

    def parsed(self, key: str) -> "Future[ParsedDocument]":
        """Returns the symbols of a document. Raises RequestError if it is not open, or could never
        be parsed."""
        return self._queue(lambda: self._parsed(key))

    def _parsed(self, key: str) -> ParsedDocument:
        if self._document(key).is_dirty:
            self._look(key)
        document = self.latest.get(key)
        if document is None:
            raise RequestError(f"{key}: could not be read: a process that tried has ended")
        return document

    def word(self, key: str, place: Place) -> "Future[Word]":
        """Returns the name at a place of a document. Raises RequestError if it is not open."""
        return self._queue(lambda: self._ask(key, "word", Word, place))

    def text(self, key: str) -> "Future[bytes]":
        """Returns the text of a document, in UTF-8. Raises RequestError if it is not open."""
        return self._queue(lambda: self._ask(key, "text", bytes))

    def _document(self, key: str) -> _EditedText:
        if key not in self._documents:
            raise RequestError(f"{key}: is not open")
        return self._documents[key]

    def stop(self) -> None:
        """Ends the process, even in the middle of its work. Unanswered and later questions are
        cancelled."""
        with self._lock:  # lets a thread finish starting
            self._is_stopped = True
            thread = self._thread
        slot = self._slot
        if slot is not None:
            slot.stop()
        self._orders.put((lambda: None, Future()))  # wakes the thread
        if thread is not None:
            thread.join()

    def _queue_edit(self, order: Callable[[], object]) -> None:
        with self._lock:
            self._n_edits += 1
        self._queue(lambda: self._carry_out_edit(order))

    def _queue(self, order: Callable[[], _T]) -> "Future[_T]":
        """Gives an order to the thread; after `stop`, cancels it."""
        future: Future[_T] = Future()
        with self._lock:
            if self._is_stopped:
                future.cancel()
                return future
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._serve, name="symindex-documents", daemon=True
                )
                self._thread.start()
            self._orders.put((order, future))
        return future

    def _serve(self) -> None:
        while not self._is_stopped:
            try:
                order, future = self._orders.get(timeout=IDLE_SECONDS if self._dirty() else None)
            except Empty:
                self._carry_out_edit(self._look_at_one)
                continue
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(order())
                except BaseException as error:
                    future.set_exception(error)
        if self._slot is not None:
            self._slot.close()
        while not self._orders.empty():  # otherwise their callers would wait forever
            self._orders.get()[1].cancel()

    def _carry_out_edit(self, order: Callable[[], object]) -> None:
        """Carries out an edit. Nobody waits for its result, so its errors become notices."""
        try:
            order()
        except (_DiedError, StorageError) as error:
            self._notice(
                str(error) or "the process that reads open documents has ended, and is replaced"
            )
        except Exception as error:  # of one order: the others must still be carried out
            self._notice(f"an open document could not be updated ({type(error).__name__})")

    def _look_at_one(self) -> None:
        self._look(self._dirty()[0])
        if not self._dirty():
            self._settle()

    def _look(self, key: str) -> None:
        """Parses a document."""
        document = self._documents[key]
        # First, so that a document that kills the process is left alone until it is edited.
        document.is_dirty = False
        for attempt in (1, 2):
            try:
                self.latest = {**self.latest, key: self._ask(key, "symbols", ParsedDocument)}
                break
            except _DiedError as error:
                if attempt == 2 or str(error):
                    why = str(error) or "ended the process that reads it"
                    self._notice(f"{document.order.path}: {why}; its last symbols are kept")
                    return
        if len(document.log) > LONGEST_LOG:
            text = self._ask(key, "text", bytes)
            document.order, document.log = msgspec.structs.replace(document.order, text=text), []

    def _send_later(self, *messages: Message) -> None:
        """Queues messages without an answer; they are sent with the next question. A new process
        receives all documents in their current state, so it does not need these messages."""
        if not self._start():
            self._unsent += messages

    def _ask(
        self,
        key: str,
        subject: Literal["symbols", "text", "word"],
        kind: type[_T],
        place: Place = (0, 0),
    ) -> _T:
        """Asks the process a question about a document. Raises _DiedError if the process ends
        instead, with a message if it exceeded its time or memory."""
        question = Ask(self._document(key).order.key, subject, place)
        self._start()
        messages, self._unsent = [*self._unsent, question], []
        return decode(self._carry_out(messages)[0], kind)

    def _start(self) -> bool:
        """Starts a process if none is running. Returns whether it did."""
        slot = self._slot = self._slot or self._new_slot()
        if self._is_stopped:  # `stop` may have run before there was a slot to stop
            raise _DiedError
        if slot.is_running:
            return False
        self._unsent = []
        slot.start()
        for document in self._documents.values():  # one at a time, within the limits of an answer
            self._carry_out([document.order, *document.log])
        return True

    def _carry_out(self, messages: list[Message]) -> list[bytes]:
        assert self._slot is not None
        answers = list(self._slot.ask(msgspec.msgpack.encode(messages)))
        exit = self._slot.exit
        if exit is None:
            return answers
        if exit.cause is Cause.OUT_OF_TIME:
            raise _DiedError(f"took longer than {self._file_seconds:g} s")
        raise _DiedError(SkipReason.MEMORY if exit.cause is Cause.OUT_OF_MEMORY else "")

    def _new_slot(self) -> Slot:
        setup = DocumentsSetup(
            pack_languages(load_languages(check=False)), self._max_file_bytes, self._encoding
        )
        memory = worker_memory()
        job = Job(
            "symindex.workers.document_job",
            msgspec.msgpack.encode(setup),
            self._file_seconds,
            DOCUMENTS * memory,
            memory,
        )
        return Slot(job, self._file_seconds * CLOCK_FACTOR + 1.0)

    def _notice(self, text: str) -> None:
        if not self._is_stopped:
            with suppress(Exception):
                self._on_notice(text)
