"""A file's bytes as the text in which symbols are counted: in UTF-8, with a digest.

This is apart from the modules that parse, so that a process that only shows a file loads no parser.
"""

import codecs
import hashlib
import os
from typing import Final, NamedTuple

from symindex.extract.records import DIGEST_BYTES
from symindex.files.access.beneath import read_beneath

BINARY_BYTES: Final = 8_000
"""git, too, looks for a NUL byte in the first 8,000."""


class FileText(NamedTuple):
    """The text of a file.

    data: mostly UTF-8 (see `to_utf8`); byte offsets in the index count these bytes. digest: of the file's bytes.
    has_mark: the file begins with a UTF-8 byte order mark, which is blank in `data`.
    """

    data: bytes
    digest: bytes
    has_mark: bool

    @property
    def marked(self) -> bytes:
        """The data with the byte order mark: for the index it is three bytes, for an editor nothing."""
        return codecs.BOM_UTF8 + self.data[len(codecs.BOM_UTF8) :] if self.has_mark else self.data

    @property
    def lines(self) -> list[str]:
        """The lines, without line breaks and without the byte order mark; numbered as in the index."""
        lines = [line.removesuffix(b"\r").decode("utf-8", "replace") for line in self.data.split(b"\n")]
        if self.has_mark:
            lines[0] = lines[0][len(codecs.BOM_UTF8) :]
        return lines[:-1] if len(lines) > 1 and not lines[-1] else lines


def read_text_of(root: str | os.PathLike[str], path: str, most_bytes: int) -> FileText:
    """The text of a file below a root. Raises OSError as `read_beneath`."""
    return text_of(read_beneath(root, path, most_bytes))


def text_of(data: bytes) -> FileText:
    """The text of a file with these bytes."""
    return FileText(to_utf8(data)[0], digest_of(data), data.startswith(codecs.BOM_UTF8))


def digest_of(data: bytes) -> bytes:
    """The digest of a file's content: BLAKE2b."""
    return hashlib.blake2b(data, digest_size=DIGEST_BYTES).digest()


def odd_lines(data: bytes, is_marked: bool) -> int:
    """In how many of its first lines an editor counts lines or columns otherwise: in all where a lone carriage return ends lines
    for editors, in the first that begins with blanks in place of a byte order mark, else in none."""
    is_lone = b"\r" in data and data.count(b"\r") != data.count(b"\r\n")  # to look for one is ten times as quick as to count
    return data.count(b"\n") + 1 if is_lone else int(is_marked)


def to_utf8(data: bytes) -> tuple[bytes, str]:
    """The bytes as UTF-8, and the name of the encoding if it was another.

    A UTF-8 byte order mark is blanked, so that offsets stay. UTF-16 (recognised by its mark) is recoded; offsets are those of the
    recoded text. Other bytes that are not UTF-8 stay: ASCII parts are read, the rest shows as replacement characters.
    """
    if data.startswith(codecs.BOM_UTF8):
        data = b"   " + data[3:]
    elif data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace").encode("utf-8", "replace"), "utf-16"
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return data, "" if b"\0" in data[:BINARY_BYTES] else "not UTF-8"
    return data, ""
