"""The job of looking for a name in files: first in their bytes, then, in those that hold it, for identifiers.

The first answer to a list of files says of each whether it holds the name, or why it could not be read. Then comes one answer for
each file that holds it, when that is parsed: so the caller knows which file a process hangs on. The parser is loaded only then.
"""

import contextlib
import gc
import os
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Final

import msgspec

from symindex.extract.file_text import BINARY_BYTES, digest_of, to_utf8
from symindex.extract.languages.language import Language
from symindex.extract.languages.registry import unpack_languages
from symindex.files.access.beneath import Beneath
from symindex.search.unindexed.prefilter import recode
from symindex.text.whole_words import find_words
from symindex.workers.framing import Handler

MOST_TEXT: Final = 200
"""Characters of a line that are shown."""

_MOST_BYTES: Final = 4 * MOST_TEXT
"""Bytes of a line that are read on each side of a name: they hold enough characters."""


class MentionSetup(msgspec.Struct, array_like=True, frozen=True):
    """roots: folders as the system's bytes, without links. languages: packed. forms: of the name, as of `text/whole_words`."""

    roots: list[bytes]
    languages: bytes
    forms: list[bytes]
    max_file_bytes: int


class FileToSearch(msgspec.Struct, array_like=True, frozen=True):
    """root: its number. path: relative to it. language: its id. digest: of the bytes that were indexed. text: counts instead of
    what is on the disk."""

    root: int
    path: str
    language: str
    digest: bytes
    text: bytes | None = None


class Mention(msgspec.Struct, array_like=True, frozen=True):
    """start_byte: in the text as it is read for the index. line, column (in characters), text: as of `protocol.Reference`."""

    start_byte: int
    line: int
    column: int
    text: str


class SymbolRange(msgspec.Struct, array_like=True, frozen=True):
    """Where a symbol and its name stand, in bytes, and what it is called."""

    start_byte: int
    end_byte: int
    name_start: int
    name_end: int
    container: str
    name: str


class FileMentions(msgspec.Struct, array_like=True, frozen=True):
    """What one file holds. symbols: its own, `None` where they are as the index has them. problem: why the file could not be
    looked into, empty where it was."""

    mentions: list[Mention] = []
    symbols: list[SymbolRange] | None = None
    problem: str = ""


def prepare(setup: bytes) -> Handler:
    """The handler of orders, which are lists of files."""
    job = msgspec.msgpack.decode(setup, type=MentionSetup)
    languages = cache(lambda: unpack_languages(job.languages).by_id)
    encode, decode = msgspec.msgpack.Encoder().encode, msgspec.msgpack.Decoder(list[FileToSearch]).decode
    gc.disable()  # what a file takes is freed when it is done, but for few cycles

    def search(order: bytes, tell: Callable[[bytes], None]) -> None:
        files = decode(order)
        scanned = list(_scan(files, job))
        tell(encode([isinstance(each, bytes) or each for each in scanned]))
        for file, data in zip(files, scanned, strict=True):
            if isinstance(data, bytes):
                tell(encode(_find_mentions(languages()[file.language], data, file.digest, job.forms)))

    return search


def _scan(files: Sequence[FileToSearch], job: MentionSetup) -> Iterator[bytes | str | bool]:
    """For each file its bytes if they hold the name, `False` if not, or why they could not be read."""
    with contextlib.ExitStack() as stack:
        trees = [stack.enter_context(Beneath(os.fsdecode(root))) for root in job.roots]
        for file in files:
            try:
                data = file.text if file.text is not None else trees[file.root].read(file.path, job.max_file_bytes)
            except OSError as error:
                yield error.strerror or str(error)
                continue
            if len(data) > job.max_file_bytes:
                yield f"larger than {job.max_file_bytes:,} bytes"
                continue
            text = recode(data)
            holds = text.find(b"\0", 0, BINARY_BYTES) < 0 and find_words(text, job.forms)
            yield data if holds else False


def _find_mentions(language: Language, data: bytes, digest: bytes, forms: Sequence[bytes]) -> FileMentions:
    """The identifiers of that name in a file's bytes, whatever is wrong with these."""
    from symindex.extract.parse.mentions import find_mentions  # here, because it loads the parser

    text = to_utf8(data)[0]
    starts = find_mentions(language, text, forms)
    if not starts or digest_of(data) == digest:
        return FileMentions(_mentions(text, starts))
    from symindex.extract.symbols import extract_symbols  # here, because few files have changed

    symbols = msgspec.convert(extract_symbols(language, text)[0], list[SymbolRange], from_attributes=True)
    return FileMentions(_mentions(text, starts), symbols)


def _mentions(text: bytes, starts: list[int]) -> list[Mention]:
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
    """The line of a place, or the part of a long one around it, of MOST_TEXT characters at most."""
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
