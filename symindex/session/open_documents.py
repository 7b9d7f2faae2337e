"""The documents that one client has open: their texts as they are edited, and their symbols, read in a process of their own.

Whoever edits waits for nothing: orders are carried out one after the other by a thread, in the order in which they came. A
process that dies is replaced, and told the texts again. A document that it died of is left as it was last read until it is
edited.
"""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, Final, TypeVar

import msgspec

from symindex.errors import RequestError, StorageError
from symindex.extract.languages.packed import pack_languages
from symindex.extract.languages.registry import load_languages
from symindex.files.skips import SkipReason
from symindex.text.decoding import decode
from symindex.text.edit_buffer import Encoding, Place, encode
from symindex.workers.child import Cause
from symindex.workers.document_messages import AskText, AskWord, Change, Close, DocumentsSetup, Look, Message, Open, Seen, Word
from symindex.workers.framing import OUT_OF_TIME, Job
from symindex.workers.memory_limit import DOCUMENTS, worker_memory
from symindex.workers.pool import Slot

IDLE_SECONDS: Final = 0.05
"""Nobody has typed for so long: what has changed is read, before somebody asks for it."""

LONGEST_LOG: Final = 64
"""Edits that are kept beside a text; then the text as it is takes their place."""

WAITING: Final = 3 if OUT_OF_TIME else 1
"""By the clock a document may take so many times its limit, which is of the processor's time."""

_T = TypeVar("_T")


def _sent(text: str) -> str:
    """A text as the process is told it: names of files, and what editors send, need not be Unicode."""
    return text.encode("utf-8", "backslashreplace").decode()


class _DiedError(Exception):
    """The process has ended instead of answering."""


class _Kept:
    """What is needed to tell a document again: its text, and the edits since."""

    def __init__(self, order: Open) -> None:
        self.order = order
        self.log: list[Change] = []
        self.is_dirty = True


class OpenDocuments:
    """See the module. All methods return at once and may be called from any thread.

    Args:
        encoding: what columns count.
        max_file_bytes: larger documents have no symbols.
        file_seconds: of the processor's time; a document that takes longer is given up.
        on_notice: told, in a thread of its own, what went wrong, a line each.
    """

    def __init__(
        self, encoding: Encoding, *, max_file_bytes: int, file_seconds: float, on_notice: Callable[[str], object]
    ) -> None:
        self._encoding, self._max_file_bytes, self._file_seconds = encoding, max_file_bytes, file_seconds
        self._on_notice = on_notice
        self._orders: SimpleQueue[tuple[Callable[[], object], Future[Any] | None] | None] = SimpleQueue()
        self._documents: dict[str, _Kept] = {}
        self._slot: Slot | None = None
        self._untold: list[Message] = []
        self._thread: threading.Thread | None = None
        self._n_edits = self._n_seen = 0
        self._lock = threading.Lock()
        self._is_stopped = False
        self.latest: dict[str, Seen] = {}
        """The documents as they were last read, by key; never changed, but replaced."""

    @property
    def is_settled(self) -> bool:
        """Whether `latest` shows every edit."""
        return self._n_edits == self._n_seen

    def open(self, key: str, path: str, language: str, text: str) -> None:
        """A document; one that is open already is replaced. key: what it is called from then on. path, language: as in
        `workers/document_messages.Open`."""
        order = Open(_sent(key), _sent(path), _sent(language), encode(text))
        with self._lock:
            self._n_edits += 1
        self._queue(lambda: self._open(key, order))

    def _open(self, key: str, order: Open) -> None:
        self._documents[key] = _Kept(order)
        self._tell(order)

    def change(self, key: str, edits: list[tuple[Place | None, Place | None, str]]) -> None:
        """Edits of a document, each of the text that the one before has left: two places and what takes the place of what is
        between them, or `None` twice and a whole text."""
        orders = [Change(_sent(key), start, end, encode(text)) for start, end, text in edits]
        with self._lock:
            self._n_edits += 1
        self._queue(lambda: self._change(key, orders))

    def _change(self, key: str, orders: list[Change]) -> None:
        kept = self._documents.get(key)
        if kept is not None:
            kept.is_dirty = True
            kept.log += orders
            self._tell(*orders)

    def close(self, key: str) -> None:
        """The document is as it is on disk again, for whoever asks."""
        with self._lock:
            self._n_edits += 1
        self._queue(lambda: self._close(key))

    def _close(self, key: str) -> None:
        if self._documents.pop(key, None) is not None:
            self._tell(Close(_sent(key)))
        self.latest = {other: seen for other, seen in self.latest.items() if other != key}

    def settle(self) -> "Future[dict[str, Seen]]":
        """`latest`, when it shows every edit that was told before this call."""
        return self._ask(self._settle)

    def _settle(self) -> dict[str, Seen]:
        with self._lock:
            n_edits = self._n_edits
        for key in [key for key, kept in self._documents.items() if kept.is_dirty]:
            self._look(key)
        self._n_seen = max(self._n_seen, n_edits)
        return self.latest

    def seen(self, key: str) -> "Future[Seen]":
        """The symbols of a document. Raises RequestError where it is not open, or could never be read."""
        return self._ask(lambda: self._seen(key))

    def _seen(self, key: str) -> Seen:
        if self._kept(key).is_dirty:
            self._look(key)
        seen = self.latest.get(key)
        if seen is None:
            raise RequestError(f"{key}: could not be read: a process that tried has ended")
        return seen

    def word(self, key: str, place: Place) -> "Future[Word]":
        """What is named at a place of a document. Raises RequestError as `seen`."""
        return self._ask(lambda: self._answer(AskWord(self._kept(key).order.key, place), Word))

    def text(self, key: str) -> "Future[bytes]":
        """The text of a document, in UTF-8. Raises RequestError where it is not open."""
        return self._ask(lambda: self._answer(AskText(self._kept(key).order.key), bytes))

    def _kept(self, key: str) -> _Kept:
        if key not in self._documents:
            raise RequestError(f"{key}: is not open")
        return self._documents[key]

    def stop(self) -> None:
        """Ends the process, whatever it is doing. What is asked from then on, or was not answered yet, is cancelled."""
        with self._lock:  # a thread that is just being started is started
            self._is_stopped = True
            thread = self._thread
        slot = self._slot
        if slot is not None:
            slot.stop()
        self._orders.put(None)
        if thread is not None:
            thread.join()

    def _ask(self, answer: Callable[[], _T]) -> "Future[_T]":
        future: Future[_T] = Future()

        def run() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(answer())
            except BaseException as error:
                future.set_exception(error)

        self._queue(run, future)
        return future

    def _queue(self, order: Callable[[], object], asked: "Future[Any] | None" = None) -> None:
        with self._lock:
            is_stopped = self._is_stopped
            if self._thread is None and not is_stopped:
                self._thread = threading.Thread(target=self._serve, name="symindex-documents", daemon=True)
                self._thread.start()
            if not is_stopped:
                self._orders.put((order, asked))
        if is_stopped and asked is not None:
            asked.cancel()

    def _serve(self) -> None:
        while not self._is_stopped:
            is_dirty = any(kept.is_dirty for kept in self._documents.values())
            try:
                ordered = self._orders.get(timeout=IDLE_SECONDS if is_dirty else None)
            except Empty:
                ordered = self._look_at_one, None
            if ordered is None:
                break
            try:
                ordered[0]()
            except (_DiedError, StorageError) as error:
                self._notice(str(error) or "the process that reads open documents has ended; another one takes its place")
            except Exception as error:  # of one order; the others must still be carried out
                self._notice(f"an order for an open document could not be carried out ({type(error).__name__})")
        if self._slot is not None:
            self._slot.close()
        self._cancel_asked()

    def _cancel_asked(self) -> None:
        """Of what was asked and not answered: whoever waits for it would wait for good. From here on nothing is queued."""
        with suppress(Empty):
            while True:
                ordered = self._orders.get_nowait()
                if ordered is not None and ordered[1] is not None:
                    ordered[1].cancel()

    def _look_at_one(self) -> None:
        key = next(key for key, kept in self._documents.items() if kept.is_dirty)
        self._look(key)
        if not any(kept.is_dirty for kept in self._documents.values()):
            self._settle()

    def _look(self, key: str) -> None:
        kept = self._documents[key]
        kept.is_dirty = False  # before, so that one that ends the process is left until it is edited
        for attempt in (1, 2):
            try:
                self.latest = {**self.latest, key: self._answer(Look(kept.order.key), Seen)}
            except _DiedError as error:
                if attempt == 2 or str(error):
                    self._notice(f"{kept.order.path}: {error or 'ended the process that reads it'}; its last symbols are kept")
                    return
            else:
                break
        if len(kept.log) > LONGEST_LOG:
            text = self._answer(AskText(kept.order.key), bytes)
            kept.order, kept.log = msgspec.structs.replace(kept.order, text=text), []

    def _tell(self, *messages: Message) -> None:
        """Says something that has no answer: it goes with the next question, for what is edited is read soon. A new process is
        told all documents, and so of this as well."""
        if not self._start():
            self._untold += messages

    def _answer(self, question: Message, kind: type[_T]) -> _T:
        """Asks the process. Raises _DiedError where it ends instead: with words where it was ended for what it took."""
        self._start()
        messages, self._untold = [*self._untold, question], []
        return decode(self._carry_out(messages)[0], kind)

    def _start(self) -> bool:
        """Sees to it that there is a process; whether it is a new one."""
        slot = self._slot = self._slot or self._new_slot()
        if self._is_stopped:  # whoever has stopped this may have seen no slot
            raise _DiedError
        if slot.is_running:
            return False
        self._untold = []
        slot.start()
        for kept in self._documents.values():  # each by itself, within the limits of an answer
            self._carry_out([kept.order, *kept.log])
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
        setup = DocumentsSetup(pack_languages(load_languages(check=False)), self._max_file_bytes, self._encoding)
        memory = worker_memory()
        job = Job("symindex.workers.document_job", msgspec.msgpack.encode(setup), self._file_seconds, DOCUMENTS * memory, memory)
        return Slot(job, self._file_seconds * WAITING + 1.0)

    def _notice(self, text: str) -> None:
        if not self._is_stopped:
            with suppress(Exception):
                self._on_notice(text)
