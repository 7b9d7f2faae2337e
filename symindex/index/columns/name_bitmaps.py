"""Bitmaps of names: which letters, word initials and pairs of letters a name contains. They filter
names before any is read.

A name that lacks a bit of the query cannot match it; a name that has all of them may still not
match. The bits are stored in slices, one bitset over all names for each bit. So a query of ten
letters combines ten short arrays instead of reading every name.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from typing import Final

import numpy as np

from symindex.index.columns.arrays import I64, U8, U32, U64, Mask
from symindex.text.folding import SEPARATORS, fold, word_starts

LETTERS: Final = 32
"""Bits for letters: 26 for a-z, 3 that the digits share, 3 that all other characters share.
Separators have none."""

PAIRS: Final = 128
"""Bits for pairs of adjacent characters, including separators, by a hash."""

SLICES: Final = 2 * LETTERS + PAIRS
"""Number of slices: letters, then initials of words (in the same order), then pairs."""

_SAMPLE: Final = 256
"""Number of 64-bit words of a bitset that an estimate counts."""

_SPARSE: Final = 0.01
"""Share of names at which about half of a bitset's 64-bit words are 0."""

_FEW: Final = 8
"""Number of 64-bit words below which another condition costs more than it saves."""

Slice = int | None
"""The number of a slice, or `None` for all names, where there is nothing to filter by."""


def letter(character: str) -> Slice:
    """Returns the slice of names that contain a folded character; all names for a separator."""
    if character in SEPARATORS:
        return None
    code = ord(character)
    if 97 <= code <= 122:
        return code - 97
    return (26 if 48 <= code <= 57 else 29) + code % 3


def initial(character: str) -> Slice:
    """Returns the slice of names with a word that begins with the character."""
    bit = letter(character)
    return None if bit is None else LETTERS + bit


def pair(first: str, second: str) -> int:
    """Returns the slice of names that contain two characters side by side."""
    return 2 * LETTERS + (ord(first) * 37 + ord(second) * 11) % PAIRS


def _letters_of(text: str) -> list[list[Slice]]:
    """Returns a condition for every character of the text."""
    return [[letter(character)] for character in sorted(set(text))]


def _pairs_of(text: str) -> list[list[Slice]]:
    """Returns a condition for every two adjacent characters of the text."""
    return [[pair(first, second)] for first, second in sorted(set(pairwise(text)))]


def _distinct_letters(text: str) -> list[int]:
    return sorted({bit for bit in map(letter, text) if bit is not None})


_NONE: Final = 255
_SLICE_OF_BYTE: Final = np.array(
    [_NONE if not code or (_bit := letter(chr(code))) is None else _bit for code in range(256)],
    dtype=np.uint8,
)
"""By byte of a folded name: the slice of its letter, `_NONE` for separators and NUL bytes."""


def build_slices(blob: memoryview, offsets: U32, odd: I64, names: list[str]) -> tuple[U64, U32]:
    """Builds the slices of a table of names.

    blob, offsets: the table; each name ends with a NUL byte. odd: the numbers of the names that are
    read one by one. names: all names. Returns an array of shape (SLICES, 64-bit words for all
    names), and the number of names in each slice.
    """
    n = len(offsets) - 1
    slices = np.zeros((SLICES, -(-n // 64) * 8), dtype=np.uint8)
    counts = np.zeros(SLICES, dtype=np.uint32)
    step = 1 << 13  # Names at a time, a multiple of 64; it limits the memory for temporary arrays.
    for start in range(0, n, step):
        end = min(start + step, n)
        matrix = _bits_of(blob, offsets[start : end + 1])
        for number in odd[np.searchsorted(odd, start) : np.searchsorted(odd, end)].tolist():
            matrix[:, number - start] = bits_of_name(names[number])
        counts += np.count_nonzero(matrix, axis=1).astype(np.uint32)
        packed = np.packbits(matrix, axis=1, bitorder="little")
        slices[:, start // 8 : start // 8 + packed.shape[1]] = packed
    return slices.view(np.uint64), counts


def _bits_of(blob: memoryview, offsets: U32) -> Mask:
    """Returns the bits of ASCII names, in shape (SLICES, names)."""
    n = len(offsets) - 1
    plain = np.frombuffer(blob, dtype=np.uint8)[offsets[0] : offsets[-1]]
    lower = np.frombuffer(plain.tobytes().lower(), dtype=np.uint8)
    owner = np.repeat(np.arange(n), np.diff(offsets).astype(np.int64))
    matrix = np.zeros((SLICES, n), dtype=bool)
    letters = _SLICE_OF_BYTE[lower]
    real = letters != _NONE
    matrix[letters[real], owner[real]] = True
    starts = np.flatnonzero(word_begins(plain))
    matrix[LETTERS + letters[starts].astype(np.int64), owner[starts]] = True
    pairs = np.flatnonzero((lower[:-1] != 0) & (lower[1:] != 0))
    mixed = (lower[:-1].astype(np.int64) * 37 + lower[1:].astype(np.int64) * 11) % PAIRS
    matrix[2 * LETTERS + mixed[pairs], owner[pairs]] = True
    return matrix


def bits_of_name(name: str) -> Mask:
    """Returns the bits of any name."""
    folded = fold(name)
    numbers = [letter(character) for character in folded]
    numbers += [initial(folded[start]) for start in word_starts(name) if start < len(folded)]
    numbers += [pair(first, second) for first, second in pairwise(folded)]
    bits = np.zeros(SLICES, dtype=bool)
    bits[[number for number in numbers if number is not None]] = True
    return bits


def _bits_of_byte(code: int) -> int:
    bit = letter(chr(code).lower())
    return 2**64 - 1 if code > 127 else 0 if not code or bit is None else 1 << bit


_BITS_OF_BYTE: Final = np.array([_bits_of_byte(code) for code in range(256)], dtype=np.uint64)


def letters_and_initials(blob: memoryview, offsets: U32) -> U64:
    """Returns, for each text of a table, its letters in the bits of `letter`, and its words'
    initials 32 bits higher. Texts beyond ASCII have all bits."""
    bits_of_text = np.zeros(len(offsets) - 1, dtype=np.uint64)
    step = 1 << 14  # Texts at a time; it limits the memory for temporary arrays.
    for start in range(0, len(bits_of_text), step):
        edges = offsets[start : start + step + 1].astype(np.int64)
        plain = np.frombuffer(blob, dtype=np.uint8)[edges[0] : edges[-1]]
        bits = _BITS_OF_BYTE[plain]
        bits |= np.where(word_begins(plain), bits << np.uint64(32), np.uint64(0))
        bits_of_text[start : start + step] = np.bitwise_or.reduceat(bits, edges[:-1] - edges[0])
    return bits_of_text


_OTHER, _DIGIT, _CAPITAL, _SMALL = range(4)
_KIND_OF_BYTE: Final = np.full(256, _OTHER, dtype=np.uint8)
_KIND_OF_BYTE[ord("0") : ord("9") + 1] = _DIGIT
_KIND_OF_BYTE[ord("A") : ord("Z") + 1] = _CAPITAL
_KIND_OF_BYTE[ord("a") : ord("z") + 1] = _SMALL


def _begins(preceding: int, middle: int, following: int) -> bool:
    return (
        (middle == _CAPITAL and (preceding != _CAPITAL or following == _SMALL))
        or (middle == _SMALL and preceding not in (_SMALL, _CAPITAL))
        or (middle == _DIGIT and preceding != _DIGIT)
    )


_BEGINS: Final = np.array([_begins(three >> 4, three >> 2 & 3, three & 3) for three in range(64)])
"""By the kinds of three adjacent bytes, 16 * preceding + 4 * middle + following: whether a word
begins at the middle one."""


def word_begins(plain: U8) -> Mask:
    """Returns a mask over the bytes of ASCII names: where a word (`text/folding.word_starts`)
    begins."""
    kinds = np.zeros(len(plain) + 2, dtype=np.uint8)
    kinds[1:-1] = _KIND_OF_BYTE[plain]
    begins: Mask = _BEGINS[kinds[:-2] << 4 | kinds[1:-1] << 2 | kinds[2:]]
    return begins


def begins_word(plain: U8, places: I64) -> Mask:
    """Returns whether a word begins at each of several places, the last of which is not the last
    byte."""
    preceding = _KIND_OF_BYTE[plain[places - 1]]
    if len(places) and places[0] == 0:
        preceding[0] = _OTHER
    middle, following = (
        _KIND_OF_BYTE[plain[places]],
        _KIND_OF_BYTE[plain[np.minimum(places + 1, len(plain) - 1)]],
    )
    begins: Mask = _BEGINS[preceding << 4 | middle << 2 | following]
    return begins


@dataclass(frozen=True)
class Slices:
    """Bitsets over all names: 64 names per integer, the lowest bit first. counts: names in each
    slice.

    The methods take folded texts; letters are folded texts without separators. They select the
    names that may match.
    """

    bits: U64
    counts: U32
    n_names: int

    def containing(self, text: str, letters: str = "") -> "NameSelection":
        """Selects names that contain a text. letters: its letters, which exclude a few more."""
        return self._choose(*_pairs_of(text), *_letters_of(letters))

    def with_letters(self, letters: str, begins_word: bool) -> I64:
        """Returns the names with all letters. begins_word: whether the first begins a word."""
        begins = [[initial(letters[0])]] if begins_word else []
        return self._choose(*begins, *_letters_of(letters)).numbers()

    def with_humps(self, runs: Sequence[str]) -> I64:
        """Returns the names in which every run of letters begins a word. Within a single run, each
        letter either follows the one before it or begins a word."""
        letters = _letters_of("".join(runs))
        begins = [[initial(run[0])] for run in runs]
        if len(runs) > 1:
            return self._choose(*begins, *letters).numbers()
        pairs = list(pairwise(runs[0]))
        later = [[pair(previous, letter), initial(letter)] for previous, letter in pairs]
        any_later = [initial(letter) for _, letter in pairs]
        return self._choose(*begins, *later, any_later, *letters).numbers()

    def with_most_letters(self, letters: str) -> I64:
        """Returns the names with two thirds of the letters."""
        bits = _distinct_letters(letters)
        return NameSelection(self).keep_most(bits, len(bits) - len(bits) // 3).numbers()

    def within_edits(self, text: str, letters: str, pieces: Sequence[str], edits: int) -> I64:
        """Returns the names that so many edits may turn into the text, or that begin like such a
        name. An edit removes at most one letter and three pairs of neighbours, and leaves one of
        the pieces of the text unchanged, if there are any."""
        bits = _distinct_letters(letters)
        pairs = {pair(*two) for two in pairwise(text)}
        chosen = NameSelection(self).keep_most(bits, len(bits) - edits)
        chosen.keep_most(sorted(pairs), len(pairs) - 3 * edits)
        if pieces:
            chosen.keep_one_of(
                [[pair(*two) for two in pairwise(piece)] or [letter(piece)] for piece in pieces]
            )
        return chosen.numbers()

    def _choose(self, *conditions: Sequence[Slice]) -> "NameSelection":
        """Selects the names that meet every condition. A condition is met by a name in any of its
        slices."""
        return NameSelection(self).keep(*conditions)


class NameSelection:
    """A selection of names that is narrowed step by step. Once it is sparse, only its words that
    are not empty are processed."""

    def __init__(self, slices: Slices) -> None:
        self.slices = slices
        self._bits: U64 | None = None  # `None` for all names.
        self._at: I64 | None = (
            None  # Positions of `_bits` in a whole bitset, once the selection is sparse.
        )

    @property
    def estimate(self) -> int:
        """About how many names are left, from a sample."""
        if self._bits is None:
            return self.slices.n_names
        sample = self._bits[:: len(self._bits) // _SAMPLE + 1]
        count = int(np.unpackbits(np.ascontiguousarray(sample).view(np.uint8)).sum())
        return count * len(self._bits) // max(len(sample), 1)

    def keep(self, *conditions: Sequence[Slice]) -> "NameSelection":
        """Keeps only the names that meet every condition, starting with the rarest."""
        sizes, n_names = self.slices.counts.tolist(), max(self.slices.n_names, 1)
        alternatives = {
            tuple(sorted({number for number in condition if number is not None}))
            for condition in conditions
            if None not in condition
        }
        share = 1.0  # The share of names, if their bits were independent.
        for count, numbers in sorted(
            (sum(sizes[number] for number in condition), condition) for condition in alternatives
        ):
            bits = [self._left_of(number) for number in numbers]
            share *= min(count / n_names, 1.0)
            self._narrow(np.bitwise_or.reduce(bits) if len(bits) > 1 else bits[0], share < _SPARSE)
            if self._at is not None and len(self._at) < _FEW:
                break  # Checking the few names left is cheaper than further conditions.
        return self

    def keep_with_initial(self, letters: str) -> "NameSelection":
        """Keeps only the names with a word that begins with one of the letters."""
        return self.keep([initial(letter) for letter in letters])

    def leave_out(self, names: Mask) -> "NameSelection":
        """Removes the marked names."""
        packed = np.zeros(8 * self.slices.bits.shape[1], dtype=np.uint8)
        packed[: -(-len(names) // 8)] = np.packbits(names, bitorder="little")
        unmarked = ~packed.view(np.uint64)
        return self._narrow(
            unmarked if self._at is None else unmarked[self._at], may_be_sparse=False
        )

    def keep_one_of(self, groups: Sequence[Sequence[Slice]]) -> "NameSelection":
        """Keeps only the names that are in all slices of one of the groups."""
        alternatives = [
            sorted({number for number in group if number is not None}) for group in groups
        ]
        if not all(alternatives):
            return self
        return self._narrow(
            np.bitwise_or.reduce(
                [reduce(np.bitwise_and, map(self._left_of, group)) for group in alternatives]
            )
        )

    def keep_most(self, slices: Sequence[int], least: int) -> "NameSelection":
        """Keeps only the names that are in at least `least` of the slices."""
        if least <= 0:
            return self
        # First pass: count the slices of each name in binary, for all names at once. `digits` has
        # one bitset per binary digit, the lowest first, and each slice is added with carry. Second
        # pass: compare each count with `least`, from the highest digit down.
        digits: list[U64] = []
        for number in slices:
            carry = self._left_of(number)
            for place, digit in enumerate(digits):
                digits[place], carry = digit ^ carry, digit & carry
            if len(digits) < len(slices).bit_length():
                digits.append(carry)
        above = np.zeros(
            self.slices.bits.shape[1] if self._at is None else len(self._at), dtype=np.uint64
        )
        if least >> len(digits):
            return self._narrow(above)
        equal = ~above
        for place in range(len(digits) - 1, -1, -1):
            if least >> place & 1:
                equal &= digits[place]
            else:
                above |= equal & digits[place]
                equal &= ~digits[place]
        return self._narrow(above | equal)

    def _left_of(self, number: int) -> U64:
        """Returns a slice, reduced to the words of the selection that are left."""
        bits: U64 = self.slices.bits[number]
        return bits if self._at is None else bits[self._at]

    def _narrow(self, bits: U64, may_be_sparse: bool = True) -> "NameSelection":
        """Keeps only the names in a bitset over the words that are left."""
        self._bits = bits if self._bits is None else self._bits & bits
        if may_be_sparse:
            filled = np.flatnonzero(self._bits != 0)
            if len(filled) * 2 <= len(self._bits):
                self._bits = self._bits[filled]
                self._at = filled if self._at is None else self._at[filled]
        return self

    def numbers(self) -> I64:
        """Returns the numbers of the names, in order."""
        if self._bits is None:
            return np.arange(self.slices.n_names)
        spread = np.flatnonzero(
            np.unpackbits(self._bits.view(np.uint8), bitorder="little").view(np.bool_)
        )
        if self._at is not None:
            spread = self._at[spread >> 6] * 64 + (spread & 63)
        names: I64 = spread[: np.searchsorted(spread, self.slices.n_names)]
        return names
