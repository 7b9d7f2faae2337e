"""Turns a file's bytes into the text in which symbols are counted: UTF-8, with a digest.

This module imports none that parse, so that a process that only shows a file loads no parser.
"""

import codecs
import hashlib
import os
import re
from typing import Final, NamedTuple

from symindex.extract.records import DIGEST_BYTES
from symindex.extract.texts.encodings import (
    HEAD_BYTES,
    decode_legacy,
    decode_shifted,
    is_mostly_utf8,
    untrue_of_utf8,
    wide_without_mark,
)
from symindex.files.access.beneath import read_beneath

BINARY_BYTES: Final = 8_000
"""Bytes that are searched for a NUL byte to detect a binary file, as git does."""


class FileText(NamedTuple):
    """The text of a file.

    data: mostly UTF-8 (see `to_utf8`); byte offsets in the index count these bytes. digest: that of
    the file's bytes. has_mark: whether the file begins with a UTF-8 byte order mark, which is
    blanked in `data`.
    """

    data: bytes
    digest: bytes
    has_mark: bool

    @property
    def marked(self) -> bytes:
        """The data with its byte order mark. The index counts the mark as three bytes, editors do
        not count it."""
        return codecs.BOM_UTF8 + self.data[len(codecs.BOM_UTF8) :] if self.has_mark else self.data

    @property
    def lines(self) -> list[str]:
        """The lines, without line breaks and the byte order mark; numbered as in the index."""
        lines = [
            line.removesuffix(b"\r").decode("utf-8", "replace") for line in self.data.split(b"\n")
        ]
        if self.has_mark:
            lines[0] = lines[0][len(codecs.BOM_UTF8) :]
        return lines[:-1] if len(lines) > 1 and not lines[-1] else lines


def read_text_of(root: str | os.PathLike[str], path: str, most_bytes: int) -> FileText:
    """Reads a file below a root. Raises OSError, as `read_beneath` does."""
    return text_of(read_beneath(root, path, most_bytes))


def text_of(data: bytes) -> FileText:
    """Returns the text of a file with these bytes."""
    return FileText(to_utf8(data)[0], digest_of(data), data.startswith(codecs.BOM_UTF8))


def digest_of(data: bytes) -> bytes:
    """Returns the digest of a file's content (BLAKE2b)."""
    return hashlib.blake2b(data, digest_size=DIGEST_BYTES).digest()


def to_utf8(data: bytes) -> tuple[bytes, str]:
    """Decodes bytes to UTF-8 with a line feed at the end of each line. Also returns how they were
    encoded, if not in UTF-8.

    A UTF-8 byte order mark is blanked and a lone carriage return becomes a line feed, so that
    offsets stay. Other encodings (`encodings`) are recoded, and offsets are those of the recoded
    text. UTF-8 with few wrong bytes stays, and these show as replacement characters.
    """
    data, encoding = _recoded(data)
    if b"\r" in data and data.count(b"\r") != data.count(
        b"\r\n"
    ):  # a search is ten times as quick as a count
        data = _LONE_RETURN.sub(b"\n", data)
    return data, encoding


_LONE_RETURN: Final = re.compile(rb"\r(?!\n)")

_WIDE_MARKS: Final = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""Longer marks come first: those of UTF-32 begin with those of UTF-16."""

_ESCAPES: Final = re.compile(rb"\x1b[$(]|~\{")
"""Sequences that lead from ASCII to other characters in ISO-2022 and HZ, whose bytes are all
ASCII."""


def _recoded(data: bytes) -> tuple[bytes, str]:
    if data.isascii() and b"\0" not in data[:BINARY_BYTES]:
        if b"coding" not in data[:HEAD_BYTES] or not _ESCAPES.search(data):
            return data, ""
        decoded = decode_shifted(data)
        return (
            (data, "")
            if decoded is None
            else (decoded.text.encode("utf-8", "replace"), decoded.encoding)
        )
    if data.startswith(codecs.BOM_UTF8):
        data = b"   " + data[3:]
    for mark, encoding in _WIDE_MARKS:
        if data.startswith(mark):
            return data.decode(encoding, "replace").encode("utf-8", "replace"), encoding
    if b"\0" in data[:BINARY_BYTES]:
        codec = wide_without_mark(data)
        return (
            (data.decode(codec, "replace").encode("utf-8", "replace"), codec)
            if codec
            else (data, "")
        )
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        if is_mostly_utf8(data):
            return data, "UTF-8, but for some bytes"
        decoded = decode_legacy(data)
        untrue = f"; {decoded.untrue}, which it declares, is not true" if decoded.untrue else ""
        return decoded.text.encode("utf-8", "replace"), f"{decoded.encoding}{untrue}"
    return data, untrue_of_utf8(data)
