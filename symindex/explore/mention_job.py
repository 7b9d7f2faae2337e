"""The job of looking for a name in files: first in their bytes, then, in those that hold it, for identifiers.

It first answers what it saw in the bytes, and then one thing for every file that holds the name, as that is parsed, so that who
waits knows which file a process hangs on. The parser is loaded with the first of them.
"""

import contextlib
import gc
import hashlib
import os
from collections.abc import Callable
from typing import Final

import msgspec

from symindex.extract.file_text import to_utf8
from symindex.extract.languages.packed import unpack_languages
from symindex.extract.languages.registry import Language
from symindex.extract.records import DIGEST_BYTES
from symindex.files.access.beneath import Beneath
from symindex.search.unindexed.prefilter import recode
from symindex.search.unindexed.scan_job import BINARY_BYTES
from symindex.text.whole_words import find_words
from symindex.workers.framing import Handler

MOST_TEXT: Final = 200
"""Characters of a line that are shown."""

_MOST_BYTES: Final = 4 * MOST_TEXT
"""Of a line, on each side of a name, that are looked at: so many bytes hold enough characters."""


class MentionSetup(msgspec.Struct, array_like=True, frozen=True):
    """What a worker is told. roots: folders as the system's bytes, without links. languages: packed. forms: of the name, as of
    `text/whole_words`."""

    roots: list[bytes]
    languages: bytes
    forms: list[bytes]
    max_file_bytes: int


class FileToLook(msgspec.Struct, array_like=True, frozen=True):
    """root: its number. path: relative to it. size: in bytes, and digest: of the bytes, as the index knows them. language: its
    id. text: what counts instead of what is on the disk."""

    root: int
    path: str
    size: int
    language: str
    digest: bytes
    text: bytes | None = None


class Scanned(msgspec.Struct, array_like=True, frozen=True):
    """The first answer to a list of files. holders: places in it of those that hold the name. unreadable: places of others, and
    what is wrong with them."""

    holders: list[int]
    unreadable: list[tuple[int, str]]


class Mention(msgspec.Struct, array_like=True, frozen=True):
    """start_byte: in the text as it is read for the index. line, column (in characters), text: as of `protocol.Reference`."""

    start_byte: int
    line: int
    column: int
    text: str


class FreshSymbol(msgspec.Struct, array_like=True, frozen=True):
    """A symbol of a file that is not as the index knows it. Places are bytes."""

    start_byte: int
    end_byte: int
    name_start: int
    name_end: int
    container: str
    qualified_name: str


class Looked(msgspec.Struct, array_like=True, frozen=True):
    """What there is in one file. symbols: its own, where it is not as the index knows it, else `None`. problem: why nothing is
    known of it, empty where it was read."""

    mentions: list[Mention] = []
    symbols: list[FreshSymbol] | None = None
    problem: str = ""


def prepare(setup: bytes) -> Handler:
    """Orders are lists of files."""
    looker = _Looker(msgspec.msgpack.decode(setup, type=MentionSetup))
    encoder, decoder = msgspec.msgpack.Encoder(), msgspec.msgpack.Decoder(list[FileToLook])
    gc.disable()  # what a file takes is gone when it is done, but for few cycles

    def look(order: bytes, tell: Callable[[bytes], None]) -> None:
        files = decoder.decode(order)
        texts, scanned = looker.scan(files)
        tell(encoder.encode(scanned))
        for place in scanned.holders:
            tell(encoder.encode(looker.look(files[place], texts.pop(place))))

    return look


class _Looker:
    def __init__(self, setup: MentionSetup) -> None:
        self._roots = [os.fsdecode(root) for root in setup.roots]
        self._packed = setup.languages
        self._by_id: dict[str, Language] = {}
        self._forms = setup.forms
        self._max_file_bytes = setup.max_file_bytes

    def scan(self, files: list[FileToLook]) -> tuple[dict[int, bytes], Scanned]:
        """Which of the files hold the name, and their bytes as they are on the disk."""
        holders: dict[int, bytes] = {}
        unreadable: list[tuple[int, str]] = []
        with contextlib.ExitStack() as stack:
            trees = [stack.enter_context(Beneath(root)) for root in self._roots]
            for place, file in enumerate(files):
                try:
                    data = file.text if file.text is not None else trees[file.root].read(file.path, self._max_file_bytes)
                except OSError as error:
                    unreadable.append((place, error.strerror or str(error)))
                    continue
                if len(data) > self._max_file_bytes:
                    unreadable.append((place, f"larger than {self._max_file_bytes:,} bytes"))
                    continue
                text = recode(data)
                if text.find(b"\0", 0, BINARY_BYTES) < 0 and find_words(text, self._forms):
                    holders[place] = data
        return holders, Scanned(list(holders), unreadable)

    def look(self, file: FileToLook, data: bytes) -> Looked:
        """The identifiers of that name in a file's bytes. Raises nothing for whatever is wrong with the file itself."""
        from symindex.extract.parse import find_mentions  # here, because it loads the parser

        self._by_id = self._by_id or unpack_languages(self._packed).by_id
        language = self._by_id[file.language]
        text = to_utf8(data)[0]
        starts = find_mentions(language, text, self._forms)
        if not starts:
            return Looked()
        is_known = hashlib.blake2b(data, digest_size=DIGEST_BYTES).digest() == file.digest
        return Looked(_mentions(text, starts), None if is_known else _symbols(language, text))


def _symbols(language: Language, text: bytes) -> list[FreshSymbol]:
    from symindex.extract.symbols import extract_symbols

    return [
        FreshSymbol(s.start_byte, s.end_byte, s.name_start, s.name_end, s.container, s.qualified_name)
        for s in extract_symbols(language, text)[0]
    ]


def _mentions(text: bytes, starts: list[int]) -> list[Mention]:
    """The places with their lines, as they are shown."""
    mentions = []
    line, line_start, before, column = 1, 0, 0, 1
    for start in starts:
        breaks = text.count(b"\n", before, start)
        if breaks:
            line += breaks
            line_start = before = text.rfind(b"\n", before, start) + 1
            column = 1
        column += len(text[before:start].decode("utf-8", "replace"))
        before = start
        mentions.append(Mention(start, line, column, _excerpt(text, line_start, start)))
    return mentions


def _excerpt(text: bytes, line_start: int, start: int) -> str:
    """The line of a place, or what stands around that in a long one, with no more than MOST_TEXT characters."""
    first = max(line_start, start - _MOST_BYTES)
    while first > line_start and text[first] & 0xC0 == 0x80:  # in the middle of a character
        first -= 1
    end = text.find(b"\n", start, start + _MOST_BYTES)
    is_whole = end >= 0 or start + _MOST_BYTES >= len(text)
    after = text[start : end if end >= 0 else start + _MOST_BYTES].decode("utf-8", "ignore").rstrip()
    before = text[first:start].decode("utf-8", "replace").lstrip()
    if len(before) + len(after) <= MOST_TEXT and first == line_start and is_whole:
        return before + after
    kept = max(MOST_TEXT // 4, MOST_TEXT - len(after) - 1)
    if len(before) > kept or first > line_start:
        before = "…" + before[-(kept - 1) :]
    room = MOST_TEXT - len(before)
    return before + (after if len(after) <= room and is_whole else after[: room - 1] + "…")
