"""The job of open documents: stores their texts, applies edits, and parses a document when its
symbols are requested.

Edits and parsing hold Python's interpreter lock, which the process that serves the editor needs.
"""

import re
from collections.abc import Callable
from contextlib import suppress
from typing import Final

import msgspec

from symindex.errors import RequestError
from symindex.extract.containment import find_parents
from symindex.extract.documents.formats import load_formats
from symindex.extract.languages.language import Language
from symindex.extract.languages.registry import Languages, unpack_languages
from symindex.extract.parse.partial import PreviousParse
from symindex.extract.read import read_bytes
from symindex.extract.records import FileSymbols, Symbol
from symindex.extract.texts.file_text import digest_of
from symindex.files.skips import SkipReason
from symindex.text.editing.edit_buffer import Buffer, Encoding, Place, count_units
from symindex.text.separators import IN_CODE
from symindex.workers.document_messages import (
    Change,
    Close,
    DocumentsSetup,
    Message,
    Open,
    ParsedDocument,
    SymbolPosition,
    Word,
)
from symindex.workers.framing import Handler


class _OpenDocument:
    def __init__(self, order: Open, languages: Languages, encoding: Encoding) -> None:
        self.path = order.path
        self.buffer = Buffer(order.text, encoding)
        self._languages = languages
        self._fallback: Language | None = None
        self._fallback_format = load_formats().named(order.language)
        with suppress(RequestError):  # the editor's word may be unknown to us
            self._fallback = languages.get(order.language)
        self._previous = PreviousParse()

    def symbols(self, max_file_bytes: int) -> ParsedDocument:
        """Returns the symbols; parses only what has changed since the last call."""
        data = self.buffer.data
        file = FileSymbols(self.path, len(data), 0)
        if len(data) > max_file_bytes:
            file.skip, file.detail = SkipReason.TOO_LARGE, f"more than {max_file_bytes:,} bytes"
            return ParsedDocument(file, [])
        file.digest = digest_of(data)
        read_bytes(
            file,
            data,
            self._languages,
            otherwise=self._fallback,
            otherwise_format=self._fallback_format,
            previous=self._previous,
        )
        file_format = load_formats().by_id.get(file.language)
        is_prose = file_format is not None and bool(file_format.reader)
        described = [*map(self._with_one_line, self._positions(list(file.documents)))]
        return ParsedDocument(file, self._positions(list(file.symbols)), described, is_prose)

    def _positions(self, rows: list[Symbol]) -> list[SymbolPosition]:
        offsets = [
            offset
            for row in rows
            for offset in (row.start_byte, row.end_byte, row.name_start, row.name_end)
        ]
        places = iter(self.buffer.places(offsets))
        return [
            SymbolPosition(*position)
            for position in zip(places, places, places, places, find_parents(rows), strict=True)
        ]

    def _with_one_line(self, position: SymbolPosition) -> SymbolPosition:
        """Cuts the name of a position to its first line: the heading of a page may span several."""
        line = position.name_start[0]
        if position.name_end[0] == line:
            return position
        return position._replace(
            name_end=(line, count_units(self.buffer.line(line), self.buffer.encoding))
        )

    def word(self, place: Place) -> Word:
        """Returns the name at a place or directly before it."""
        line, offset = self.buffer.line(place[0]), self.buffer.byte_in_line(place)
        text = line.decode("utf-8", "replace")
        for match in _QUALIFIED.finditer(text):
            names = list(_NAME.finditer(match[0]))
            for number, name in enumerate(names):
                start = len(text[: match.start() + name.start()].encode())
                end = start + len(name[0].encode())
                if start <= offset <= end:
                    first = self.buffer.line_start(place[0])
                    places = self.buffer.places([first + start, first + end])
                    return Word(name[0], [qualifier[0] for qualifier in names[:number]], *places)
        return Word("", [], place, place)


_NAME: Final = re.compile(r"[^\W\d][\w$]*")
_QUALIFIED: Final = re.compile(rf"{_NAME.pattern}(?:{IN_CODE}{_NAME.pattern})*")


def prepare(setup: bytes) -> Handler:
    """Prepares the job. An order is a list of messages."""
    options = msgspec.msgpack.decode(setup, type=DocumentsSetup)
    languages = unpack_languages(options.languages)
    documents: dict[str, _OpenDocument] = {}
    encoder, decoder = msgspec.msgpack.Encoder(), msgspec.msgpack.Decoder(list[Message])

    def carry_out(order: bytes, send: Callable[[bytes], None]) -> None:
        for message in decoder.decode(order):
            if isinstance(message, Open):
                documents[message.key] = _OpenDocument(message, languages, options.encoding)
            elif isinstance(message, Change):
                documents[message.key].buffer.replace(message.start, message.end, message.text)
            elif isinstance(message, Close):
                del documents[message.key]
            elif message.what == "text":
                send(encoder.encode(documents[message.key].buffer.data))
            elif message.what == "word":
                send(encoder.encode(documents[message.key].word(message.place)))
            else:
                send(encoder.encode(documents[message.key].symbols(options.max_file_bytes)))

    return carry_out
