"""The bytes of a file as the text that symbols are counted in: in UTF-8, and with a digest that tells whether it has changed.

Apart from what parses it, so that who only shows a file loads no parser. What a file of a tree holds is read here, by
`read_text_of`, or piece by piece by who reads many (`files/access/beneath`).
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
    """data: in UTF-8, or nearly so, as the index counts its bytes. digest: of the file's bytes. has_mark: the file begins with a
    byte order mark of UTF-8, which is blanked."""

    data: bytes
    digest: bytes
    has_mark: bool

    @property
    def marked(self) -> bytes:
        """With that mark: it is three bytes to the index, and nothing to an editor."""
        return codecs.BOM_UTF8 + self.data[len(codecs.BOM_UTF8) :] if self.has_mark else self.data

    @property
    def lines(self) -> list[str]:
        """Its lines, without their ends and without the mark; numbered as the index numbers them."""
        lines = [line.removesuffix(b"\r").decode("utf-8", "replace") for line in self.data.split(b"\n")]
        if self.has_mark:
            lines[0] = lines[0][len(codecs.BOM_UTF8) :]
        return lines[:-1] if len(lines) > 1 and not lines[-1] else lines


def read_text_of(root: str | os.PathLike[str], path: str, most_bytes: int) -> FileText:
    """The text of a file below a root. Raises OSError as `read_beneath`."""
    return text_of(read_beneath(root, path, most_bytes))


def text_of(data: bytes) -> FileText:
    """The text that a file's bytes are."""
    return FileText(to_utf8(data)[0], digest_of(data), data.startswith(codecs.BOM_UTF8))


def digest_of(data: bytes) -> bytes:
    """What tells a file's content from others: BLAKE2b."""
    return hashlib.blake2b(data, digest_size=DIGEST_BYTES).digest()


def to_utf8(data: bytes) -> tuple[bytes, str]:
    """The bytes as UTF-8 without a byte order mark's meaning lost, and the name of the encoding if it was another.

    A UTF-8 mark is blanked, so that places stay. UTF-16 (told by its mark) is recoded; places are then those of the recoded
    text. Other bytes that are not UTF-8 are left as they are: ASCII parts are read, the rest shows as replacement characters.
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
