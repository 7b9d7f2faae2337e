"""Packs the tokens of a file's symbols, and the names that the file mentions, for the index.

A token is a run of letters, digits and underscores: an identifier, or a word of prose. Tokens are
found by the worker that reads the file, so that the workers share this work. The index divides the
distinct tokens into words.
"""

import sys
from array import array
from collections import defaultdict
from collections.abc import Sequence
from typing import Final
from zlib import crc32

import msgspec

TEXT_FIELDS: Final = ("signature", "summary", "doc")
"""The texts of a symbol: its signature, the first line of its doc, and the rest of the doc."""

ODD_SIGNATURE: Final = "\x01"
"""Added to the tokens of a signature that does not contain the symbol's name. From all other
signatures the name is dropped: it is stored anyway, and a good part of all tokens."""

_TOKEN_BYTES: Final = bytes(
    code if chr(code).isalnum() or code in b"_\0" or code >= 128 else ord(" ")
    for code in range(256)
)
"""Translation of bytes: a byte stays if it may be in a token, or ends a text; others become
blanks."""


class PackedTokens(msgspec.Struct, array_like=True, frozen=True):
    """The tokens of the texts of a file's symbols, each once for each text.

    texts: all that occur, UTF-8, a NUL byte after each. numbers: the numbers of the tokens of each
    text, symbol by symbol, field by field. counts: how many these are, for each of TEXT_FIELDS of
    each symbol. Both unsigned 32-bit, little-endian.
    """

    texts: bytes = b""
    numbers: bytes = b""
    counts: bytes = b""


def pack_tokens(names: bytes, signatures: Sequence[str], docs: Sequence[str]) -> PackedTokens:
    """Collects the tokens of symbols. names: with a NUL byte after each; no text contains one."""
    numbering: defaultdict[bytes, int] = defaultdict()
    numbering.default_factory = numbering.__len__
    distinct: list[bytes] = []
    counts: list[int] = []
    of_signatures = _divide(signatures)
    of_docs = _divide([doc.replace("\n", "\0", 1) if "\n" in doc else doc + "\0" for doc in docs])
    for name, signature, head, rest in zip(
        names.split(b"\0"), of_signatures, of_docs[::2], of_docs[1::2], strict=False
    ):
        tokens = dict.fromkeys(
            signature.split()
        )  # not a set, whose order differs from process to process
        if name in tokens:
            del tokens[name]
        else:
            tokens[_ODD_SIGNATURE] = None
        distinct += tokens
        counts.append(len(tokens))
        if head:  # most symbols have no doc
            tokens = dict.fromkeys(head.split())
            distinct += tokens
            counts.append(len(tokens))
        else:
            counts.append(0)
        if rest:
            tokens = dict.fromkeys(rest.split())
            distinct += tokens
            counts.append(len(tokens))
        else:
            counts.append(0)
    numbers = array("I", map(numbering.__getitem__, distinct))
    return PackedTokens(
        b"\0".join([*numbering, b""]), _little_endian(numbers), _little_endian(array("I", counts))
    )


_ODD_SIGNATURE: Final = ODD_SIGNATURE.encode()


def _divide(texts: Sequence[str]) -> list[bytes]:
    """Returns the text before each NUL byte in or after the texts, with blanks between the
    tokens."""
    return "\0".join(texts).encode().translate(_TOKEN_BYTES).split(b"\0")


def _little_endian(numbers: "array[int]") -> bytes:
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()


def pack_mentions(data: bytes, names: bytes) -> bytes:
    """Returns the names that a file mentions and does not define, each once, as the CRC-32 of their
    UTF-8, of which the index keeps MENTION_MASK; unsigned 32-bit, little-endian, in order.

    names: those that it defines, a NUL byte after each. Single lower-case words are left out,
    because they may be anything.
    """
    tokens = (
        set(data.translate(_TOKEN_BYTES).split()) - _UNCOUNTED
    )  # `difference_update` would go through all uncounted words
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
"""Lower-case words of earlier files. Those of the next file are mostly the same, and subtracting a
set is quicker than testing each word. Some megabytes."""


def mention_hash(name: str) -> int:
    """Returns the number of a name among the mentions of a file: the lower 24 bits of the CRC-32 of
    its UTF-8. Of half a million names, three in a hundred share theirs with another."""
    return crc32(name.encode()) & MENTION_MASK


MENTION_MASK: Final = 2**24 - 1


def is_token(text: str) -> bool:
    """Whether a text may be a whole token."""
    return b" " not in text.encode().translate(_TOKEN_BYTES)


def is_distinctive(name: str) -> bool:
    """Whether the mentions of a name are counted: it has more than one word, or letters that are
    not lower case."""
    token = name.encode()
    return not token.islower() or b"_" in token[1:-1]
