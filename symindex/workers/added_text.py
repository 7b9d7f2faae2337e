"""Converts added content in a worker process: decodes it, divides it into chunks, and reads its
metadata.

A hostile text can make a reader hang or use all memory. Here that costs only the conversion: the
worker has limits of time and memory, and the size of its answer is bounded.
"""

from collections.abc import Callable, Iterator
from typing import Final

import msgspec

from symindex.errors import RequestError, StorageError
from symindex.extract.documents.chunks import chunks_of
from symindex.extract.documents.nesting import shorten_title
from symindex.extract.documents.to_text import MOST_BYTES, PDF, to_text
from symindex.extract.items.front_matter import FrontMatter, read_front_matter
from symindex.extract.items.item import Value
from symindex.text.decoding import decode
from symindex.text.escaping import shorten
from symindex.workers.child import Cause
from symindex.workers.framing import Handler, Job
from symindex.workers.memory_limit import worker_memory
from symindex.workers.pool import Slot, skip_of

SECONDS: Final = 10.0
"""Processor seconds for one text that a person or an agent adds. The largest texts need a third of
it."""

PDF_SECONDS: Final = 60.0
"""Processor seconds for one PDF file. A hundred pages take about a second."""

CLOCK: Final = 2
"""The time limit by the clock, as a multiple of the limit of processor time: other processes may
use the processor."""

MOST_CHUNKS: Final = 50_000
"""Most chunks of one text. The largest text has 25,000 chunks if they are half full."""

_FRAME_BYTES: Final = 1_000_000
"""Approximate size of one answer in bytes, so that the process that stores the chunks never has all
of them in memory."""

ConvertedChunk = tuple[str, str, int, bool]
"""A chunk as in `extract/documents/text_parts`: the headings above it, its text, its first line
(1-based), and whether it is code."""


class _TextOrder(msgspec.Struct, array_like=True, frozen=True):
    """The arguments of `to_text`. title: the title to use if the text has none."""

    data: bytes
    name: str
    content_type: str
    title: str


class _FirstAnswer(msgspec.Struct, array_like=True, frozen=True):
    """The first answer.

    facts: the metadata of the text's front matter. error: why the text was refused; empty if it was
    not.
    """

    facts: dict[str, Value] = {}
    error: str = ""


class GivenUpError(RequestError):
    """A text that needs too much time or memory, or crashes its reader. A second attempt would fail
    as well."""


class Conversion:
    """A conversion in progress. facts: the metadata of the text."""

    def __init__(self, facts: dict[str, Value], answers: Iterator[bytes]) -> None:
        self.facts = facts
        self._answers = answers

    def chunks(self) -> Iterator[ConvertedChunk]:
        """Yields the chunks, once. Raises like `Converter.convert`."""
        for answer in self._answers:
            yield from decode(answer, list[ConvertedChunk])


class Converter:
    """Converts texts one by one in a process that the first text starts and `close` ends. For one
    thread."""

    def __init__(self) -> None:
        self._slot: Slot | None = None
        self._seconds = 0.0

    def convert(
        self, data: bytes, name: str, content_type: str, title: str, seconds: float = 0.0
    ) -> Conversion:
        """Converts a text; `data`, `name` and `content_type` are those of `to_text`.

        title: the title to use if the text has none. seconds: processor time; 0: the usual limit
        for this kind of text. Raises RequestError if the data is not text, GivenUpError if it needs
        too much, and StorageError if no process can be started or somebody has ended it.
        """
        seconds = seconds or (PDF_SECONDS if data.startswith(PDF) else SECONDS)
        if self._slot is None or seconds != self._seconds:
            self.close()
            job = Job("symindex.workers.added_text", b"", seconds, worker_memory())
            self._slot, self._seconds = Slot(job, CLOCK * seconds), seconds
        answers = self._answers(self._slot, _TextOrder(data, name, content_type, title))
        head = decode(next(answers), _FirstAnswer)
        if head.error:
            list(answers)  # makes the process usable again
            raise RequestError(head.error)
        return Conversion(head.facts, answers)

    def _answers(self, slot: Slot, order: _TextOrder) -> Iterator[bytes]:
        yield from slot.ask(msgspec.msgpack.encode(order))
        if slot.exit is None:
            return
        reason, detail = skip_of(slot.exit, self._seconds)
        message = f"{shorten(order.name or order.title, 80)}: {reason}" + f" ({detail})" * bool(
            detail
        )
        if slot.exit.cause is Cause.KILLED:
            raise StorageError(f"{message}: try again")
        raise GivenUpError(
            f"{message}: it cannot be added as it is; divide it, or make plain text of it"
        )

    def close(self) -> None:
        """Ends the process."""
        slot, self._slot = self._slot, None
        if slot is not None:
            slot.close()


def prepare(setup: bytes) -> Handler:
    """Prepares the job. An order is one text."""
    return _convert


def _convert(order: bytes, send: Callable[[bytes], None]) -> None:
    request = decode(order, _TextOrder)
    try:
        read = to_text(request.data, request.name, request.content_type)
        front = read_front_matter(read.text) if read.format_id == "markdown" else FrontMatter({})
        text = read.text[front.end :]
        if len(text) > MOST_BYTES:
            raise RequestError(
                f"{shorten(request.name, 80)}: is more than {MOST_BYTES:,} bytes of text; divide it"
            )
        chunks = chunks_of(text, read.format_id)
        if len(chunks) > MOST_CHUNKS:
            raise RequestError(
                f"{shorten(request.name, 80)}: is more than {MOST_CHUNKS:,} passages of text;"
                " divide it"
            )
    except RequestError as error:
        send(msgspec.msgpack.encode(_FirstAnswer(error=str(error))))
        return
    except MemoryError:
        raise  # the parent process reports why this one ended
    except Exception as error:
        # a fault of a reader costs only the text, and is reported in one line
        message = (
            f"{shorten(request.name or request.title, 80)}: cannot be read"
            f" ({type(error).__name__}); add plain text of it instead"
        )
        send(msgspec.msgpack.encode(_FirstAnswer(error=message)))
        return
    send(msgspec.msgpack.encode(_FirstAnswer(front.fields)))
    title, line = (
        shorten_title(read.title) or request.title,
        read.text.count(b"\n", 0, front.end) + 1,
    )
    batch: list[ConvertedChunk] = []
    n_bytes = 0
    for chunk in chunks:
        data = text[chunk.start : chunk.end]
        batch.append(
            (
                chunk.title or title,
                data.decode("utf-8", "replace"),
                line + chunk.line,
                chunk.is_code,
            )
        )
        n_bytes += len(data)
        if n_bytes > _FRAME_BYTES:
            send(msgspec.msgpack.encode(batch))
            batch, n_bytes = [], 0
    if batch:
        send(msgspec.msgpack.encode(batch))
