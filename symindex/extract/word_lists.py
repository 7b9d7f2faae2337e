"""The tokens of a file's symbols, and the names that the file mentions, packed for the index.

A token is a run of letters, digits and underscores: an identifier, or a word of prose. They are
found where the file is read, so that what is done for each of a tree's is shared among the workers.
The index divides the distinct ones into words.
"""

import sys
from array import array
from collections import defaultdict
from collections.abc import Sequence
from typing import Final
from zlib import crc32

import msgspec

TEXT_FIELDS: Final = ("signature", "summary", "doc")
"""The texts of a symbol: its signature, the first line of its doc, and the rest of that."""

ODD_SIGNATURE: Final = "\x01"
"""Stands among the tokens of a signature that the symbol's name is none of. From any other the name
is left out: it is stored anyway, and a good part of all."""

_TOKEN_BYTES: Final = bytes(
    code if chr(code).isalnum() or code in b"_\0" or code >= 128 else ord(" ")
    for code in range(256)
)
"""By byte: itself where it may stand in a token, or ends a text, else a blank."""


class PackedTokens(msgspec.Struct, array_like=True, frozen=True):
    """The tokens of the texts of a file's symbols, each once for each text.

    texts: all that occur, UTF-8, a NUL byte behind each. numbers: which of these stand in a text,
    symbol by symbol, field by field; unsigned 32-bit. counts: how many they are, for each of
    TEXT_FIELDS of each symbol; the same. Little-endian.
    """

    texts: bytes = b""
    numbers: bytes = b""
    counts: bytes = b""


def pack_tokens(names: bytes, signatures: Sequence[str], docs: Sequence[str]) -> PackedTokens:
    """The tokens of some symbols. names: with a NUL byte behind each; no text holds one."""
    numbering: defaultdict[bytes, int] = defaultdict()
    numbering.default_factory = numbering.__len__
    found: list[bytes] = []
    counts: list[int] = []
    of_signatures = _divide(signatures)
    of_docs = _divide([doc.replace("\n", "\0", 1) if "\n" in doc else doc + "\0" for doc in docs])
    for name, signature, head, rest in zip(
        names.split(b"\0"), of_signatures, of_docs[::2], of_docs[1::2], strict=False
    ):
        tokens = dict.fromkeys(
            signature.split()
        )  # no set: its order differs from process to process
        if name in tokens:
            del tokens[name]
        else:
            tokens[_ODD_SIGNATURE] = None
        found += tokens
        counts.append(len(tokens))
        if head:  # most symbols have no doc
            tokens = dict.fromkeys(head.split())
            found += tokens
            counts.append(len(tokens))
        else:
            counts.append(0)
        if rest:
            tokens = dict.fromkeys(rest.split())
            found += tokens
            counts.append(len(tokens))
        else:
            counts.append(0)
    numbers = array("I", map(numbering.__getitem__, found))
    return PackedTokens(
        b"\0".join([*numbering, b""]), _little_endian(numbers), _little_endian(array("I", counts))
    )


_ODD_SIGNATURE: Final = ODD_SIGNATURE.encode()


def _divide(texts: Sequence[str]) -> list[bytes]:
    """What stands before each NUL byte in or behind the texts, with blanks between the tokens."""
    return "\0".join(texts).encode().translate(_TOKEN_BYTES).split(b"\0")


def _little_endian(numbers: "array[int]") -> bytes:
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()


def pack_mentions(data: bytes, names: bytes) -> bytes:
    """The names that a file mentions and does not define, each once, as the CRC-32 of their UTF-8,
    of which the index keeps MENTION_MASK; unsigned 32-bit, little-endian, in order.

    names: those it defines, a NUL byte behind each. A single small word may be anything, and is
    left out.
    """
    tokens = (
        set(data.translate(_TOKEN_BYTES).split()) - _UNCOUNTED
    )  # `difference_update` looks at all that are uncounted
    tokens.difference_update(names.split(b"\0"))
    uncounted = [token for token in tokens if token.islower() and b"_" not in token[1:-1]]
    tokens.difference_update(uncounted)
    if len(_UNCOUNTED) > _MOST_UNCOUNTED:
        _UNCOUNTED.clear()
    _UNCOUNTED.update(uncounted)
    return _little_endian(
        array("I", sorted(map(crc32, tokens)))
    )  # a set has another order in each process


_UNCOUNTED: Final[set[bytes]] = set()
_MOST_UNCOUNTED: Final = 50_000
"""Small words that were met: those of the next file are mostly the same, and to take a set from
another is quicker than to look at each. Some megabytes."""


def mention_hash(name: str) -> int:
    """The number that stands for a name among what files mention: the lower 24 bits of the CRC-32
    of its UTF-8. Of half a million names, three in a hundred share theirs with another."""
    return crc32(name.encode()) & MENTION_MASK


MENTION_MASK: Final = 2**24 - 1


def is_token(text: str) -> bool:
    """Whether a text may be a token as a whole."""
    return b" " not in text.encode().translate(_TOKEN_BYTES)


def is_distinctive(name: str) -> bool:
    """Whether the mentions of a name are counted: it has more than one word, or letters that are
    not small."""
    token = name.encode()
    return not token.islower() or b"_" in token[1:-1]
