"""The job of reading open documents: holds their texts, applies edits, and parses them anew when asked for their symbols.

It is done apart from the process that serves the editor, because to apply an edit and to parse hold Python's interpreter lock,
and because a grammar that never returns can only be ended together with its process.
"""

import contextlib
import hashlib
import re
from collections.abc import Callable
from typing import Final

import msgspec

from symindex.errors import RequestError
from symindex.extract.containment import find_parents
from symindex.extract.languages.packed import unpack_languages
from symindex.extract.languages.registry import Language, Languages
from symindex.extract.parse import Memory
from symindex.extract.read import read_bytes
from symindex.extract.records import DIGEST_BYTES, FileSymbols, Symbol
from symindex.files.skips import SkipReason
from symindex.text.edit_buffer import Buffer, Encoding, Place
from symindex.workers.document_messages import AskText, AskWord, Change, Close, DocumentsSetup, Message, Open, Seen, Spot, Word
from symindex.workers.framing import Handler


class _Document:
    def __init__(self, order: Open, languages: Languages, encoding: Encoding) -> None:
        self.path = order.path
        self.buffer = Buffer(order.text, encoding)
        self._languages = languages
        self._otherwise = language_of_editor(languages, order.language)
        self._memory = Memory()

    def look(self, max_file_bytes: int) -> Seen:
        """Parses it, or what has changed since the last time."""
        data = self.buffer.data
        file = FileSymbols(self.path, len(data), 0)
        if len(data) > max_file_bytes:
            file.skip, file.detail = SkipReason.TOO_LARGE, f"more than {max_file_bytes:,} bytes"
            return Seen(file, [])
        file.digest = hashlib.blake2b(data, digest_size=DIGEST_BYTES).digest()
        read_bytes(file, data, self._languages, otherwise=self._otherwise, memory=self._memory)
        return Seen(file, self._spots(list(file.symbols)))

    def _spots(self, symbols: list[Symbol]) -> list[Spot]:
        offsets = [at for s in symbols for at in (s.start_byte, s.end_byte, s.name_start, s.name_end)]
        places = self.buffer.places(offsets)
        parents = find_parents(symbols)
        ends = iter(places)
        of_symbols = zip(ends, ends, ends, ends, parents, strict=True)
        return [Spot(start, end, name_start, name_end, parent) for start, end, name_start, name_end, parent in of_symbols]

    def word(self, place: Place) -> Word:
        """What is named at a place, or directly before it."""
        line, at = self.buffer.line(place[0]), self.buffer.byte_in_line(place)
        text = line.decode("utf-8", "replace")
        for match in _PATH.finditer(text):
            names = list(_NAME.finditer(match[0]))
            for number, name in enumerate(names):
                start = len(text[: match.start() + name.start()].encode())
                end = start + len(name[0].encode())
                if start <= at <= end:
                    first = self.buffer.line_start(place[0])
                    places = self.buffer.places([first + start, first + end])
                    return Word(name[0], [other[0] for other in names[:number]], *places)
        return Word("", [], place, place)


_NAME: Final = re.compile(r"[^\W\d][\w$]*")
_PATH: Final = re.compile(r"[^\W\d][\w$]*(?:(?:\.|::|->|#|\?\.)[^\W\d][\w$]*)*")
"""A name with what qualifies it, in the separators of most languages."""


def language_of_editor(languages: Languages, word: str) -> Language | None:
    """The language that an editor's word for one means, `None` where it is none of ours."""
    with contextlib.suppress(RequestError):
        return languages.get(word)
    return None


def prepare(setup: bytes) -> Handler:
    """Orders are lists of messages."""
    told = msgspec.msgpack.decode(setup, type=DocumentsSetup)
    languages = unpack_languages(told.languages)
    documents: dict[str, _Document] = {}
    encoder, decoder = msgspec.msgpack.Encoder(), msgspec.msgpack.Decoder(list[Message])

    def carry_out(order: bytes, tell: Callable[[bytes], None]) -> None:
        for message in decoder.decode(order):
            if isinstance(message, Open):
                documents[message.key] = _Document(message, languages, told.encoding)
            elif isinstance(message, Change):
                documents[message.key].buffer.replace(message.start, message.end, message.text)
            elif isinstance(message, Close):
                del documents[message.key]
            elif isinstance(message, AskText):
                tell(encoder.encode(documents[message.key].buffer.data))
            elif isinstance(message, AskWord):
                tell(encoder.encode(documents[message.key].word(message.place)))
            else:
                tell(encoder.encode(documents[message.key].look(told.max_file_bytes)))

    return carry_out
