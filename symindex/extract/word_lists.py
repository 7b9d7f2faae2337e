"""Packs the tokens of a file's symbols, and what else the file mentions, for the index.

A token is a run of letters, digits and underscores: an identifier, or a word of prose. Tokens are
found by the worker that reads the file, so that the workers share this work. The index divides the
distinct tokens into words.
"""

import re
import sys
from array import array
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import Final
from zlib import crc32

import msgspec

from symindex.text.words import STOP_WORDS, stem, tokens_of

TEXT_FIELDS: Final = ("signature", "summary", "doc")
"""The texts of a symbol: its signature, the first line of its doc, and the rest of the doc."""

ODD_SIGNATURE: Final = "\x01"
"""Added to the tokens of a signature that does not contain the symbol's name. From all other
signatures the name is dropped: it is stored anyway, and a good part of all tokens. In prose no name
is dropped, and the marker is added to all."""

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

MOST_REPEATS: Final = 4
"""Most times that a token of prose is packed for one text: a higher count ranks it no higher."""


def pack_prose(
    names: Sequence[str],
    signatures: Sequence[str],
    docs: Sequence[str],
    contents: Sequence[str],
    wholes: Collection[int] = (),
) -> PackedTokens:
    """Collects the tokens of the sections and items of a file.

    They are those of `text/words.tokens_of`, so that identifiers are found as a whole. A token is
    packed as often as the content contains it, up to MOST_REPEATS times. names: empty where the
    name does not count as a part of the title. wholes: the numbers of the rows whose content
    consists of the titles and contents of all other rows. No text contains a NUL byte.
    """
    tokens: list[list[str]] = []
    for number, (name, signature, doc) in enumerate(zip(names, signatures, docs, strict=True)):
        title = [*dict.fromkeys(_prose_tokens(f"{name} {signature}")), ODD_SIGNATURE]
        tokens += [title, [*dict.fromkeys(_prose_tokens(doc))]]
        tokens.append([] if number in wholes else _repeated_tokens(contents[number]))
    if wholes:
        others = (of_text for i, of_text in enumerate(tokens) if i // 3 not in wholes)
        distinct = dict.fromkeys(chain.from_iterable(others))
        every = [token for token in distinct if token != ODD_SIGNATURE]
        for number in wholes:
            tokens[3 * number + 2] = every
    numbering: defaultdict[str, int] = defaultdict()
    numbering.default_factory = numbering.__len__
    numbers = array("I", map(numbering.__getitem__, chain.from_iterable(tokens)))
    return PackedTokens(
        "\0".join([*numbering, ""]).encode(),
        _little_endian(numbers),
        _little_endian(array("I", map(len, tokens))),
    )


def _repeated_tokens(text: str) -> list[str]:
    """Returns the tokens of a text, each as often as it occurs, up to MOST_REPEATS times."""
    counts = Counter(_prose_tokens(text))
    repeated = [pair for pair in counts.items() if pair[1] > 1]
    more = [token for token, count in repeated for _ in range(min(count, MOST_REPEATS) - 1)]
    return [*counts, *more]


def _prose_tokens(text: str) -> Iterator[str]:
    return chain.from_iterable(map(_TOKENS_OF.__getitem__, text.split()))


class _TokensOf(dict[str, list[str]]):
    """A cache: text without blanks -> its tokens. Texts of more than _LONGEST_CACHED characters are
    not cached."""

    def __missing__(self, text: str) -> list[str]:
        tokens = tokens_of(text)
        if len(text) <= _LONGEST_CACHED:
            if len(self) >= _MOST_CACHED:
                self.clear()
            self[text] = tokens
        return tokens


_LONGEST_CACHED: Final = 50


_TOKENS_OF: Final = _TokensOf()


def _divide(texts: Sequence[str]) -> list[bytes]:
    """Returns the text before each NUL byte in or after the texts, with blanks between the
    tokens."""
    return "\0".join(texts).encode().translate(_TOKEN_BYTES).split(b"\0")


def _little_endian(numbers: "array[int]") -> bytes:
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()


def pack_mentions(data: bytes, names: bytes, described: bytes) -> bytes:
    """Returns what a file mentions besides its symbols, each once, in order; unsigned 32-bit,
    little-endian: names that it does not define, by `mention_hash`, and words of its code, comments
    and strings, by `word_hash`.

    Single lower-case words are no names, because they may be anything. Words are those of tokens
    that the file repeats: what it is about, at a third of the size of all words.

    names: those that it defines, a NUL byte after each. described: the tokens of the texts of its
    symbols, likewise; their words are stored anyway.
    """
    counts = Counter(tokens_in(data))
    tokens = counts.keys() - _UNCOUNTED  # `difference_update` would go through all uncounted words
    tokens.difference_update(names.split(b"\0"))
    uncounted = [token for token in tokens if token.islower() and b"_" not in token[1:-1]]
    tokens.difference_update(uncounted)
    if len(_UNCOUNTED) > _MOST_CACHED:
        _UNCOUNTED.clear()
    _UNCOUNTED.update(uncounted)
    repeated = [token for token, count in counts.items() if count > 1]
    if len(_NUMBER_OF) > _MOST_CACHED:
        _NUMBER_OF.clear()
    words = _word_numbers(b" ".join(repeated)) - _word_numbers(b" ".join([names, described]))
    words.discard(_OF_COMMON)
    # Sets have other orders in each process.
    mentions = {crc32(token) & MENTION_MASK for token in tokens}
    return _little_endian(array("I", [*sorted(mentions), *sorted(words)]))


def tokens_in(data: bytes) -> list[bytes]:
    """Returns the tokens of a text in order. A NUL byte is in no token."""
    return data.translate(_TOKEN_BYTES).replace(b"\0", b" ").split()


_UNCOUNTED: Final[set[bytes]] = set()
"""Lower-case words of earlier files. Those of the next file are mostly the same, and subtracting a
set is quicker than testing each word."""

_MOST_CACHED: Final = 50_000
"""Most words in a cache: some megabytes."""


def _word_numbers(text: bytes) -> set[int]:
    return {*map(_NUMBER_OF.__getitem__, {*_WORD.findall(text)})}


_WORD: Final = re.compile(rb"[A-Z][a-z\x80-\xff]{2,}|[a-z\x80-\xff]{3,}|[A-Z]{3,}")
_COMMON: Final = frozenset(word.encode() for word in STOP_WORDS)
_OF_COMMON: Final = 0
"""In place of the number of a common English word; the numbers of all other words are higher."""


class _WordNumbers(dict[bytes, int]):
    """A cache: word, in any case -> its number, or _OF_COMMON."""

    def __missing__(self, word: bytes) -> int:
        folded = word.lower()
        self[word] = number = (
            _OF_COMMON if folded in _COMMON else word_hash(folded.decode("utf-8", "replace"))
        )
        return number


_NUMBER_OF: Final = _WordNumbers()


@lru_cache(maxsize=50_000)
def word_hash(word: str) -> int:
    """Returns the number of a folded word among the mentions of a file. All words with a stem have
    one number, above those of names."""
    return WORD_BIT | mention_hash(stem(word))


def mention_hash(name: str) -> int:
    """Returns the number of a name among the mentions of a file: the lower 24 bits of the CRC-32 of
    its UTF-8. Of half a million names, three in a hundred share theirs with another."""
    return crc32(name.encode()) & MENTION_MASK


MENTION_MASK: Final = 2**24 - 1
WORD_BIT: Final = 2**24


def is_token(text: str) -> bool:
    """Whether a text may be a whole token."""
    return b" " not in text.encode().translate(_TOKEN_BYTES)


def is_distinctive(name: str) -> bool:
    """Whether the mentions of a name are counted: it has more than one word, or letters that are
    not lower case."""
    token = name.encode()
    return not token.islower() or b"_" in token[1:-1]
