"""Which files need not be searched for a name: those that do not contain it, by the index, and have
not changed since.

The index stores what each file of code mentions and defines (`extract/word_lists`): its tokens,
except single lower-case words. A name is in a file only if each of its tokens is.
"""

import os
import time
from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from symindex.cancellation import check_wanted
from symindex.explore.references.candidates import Choosing
from symindex.extract.documents.formats import load_formats
from symindex.extract.word_lists import is_distinctive, mention_hash, tokens_in
from symindex.files.access.beneath import Beneath
from symindex.files.change_stamp import change_stamp
from symindex.index.columns.arrays import I64, U8, Mask
from symindex.index.columns.columns import Index
from symindex.index.snapshot import Part
from symindex.resolve.tree import Tree

_AT_ONCE: Final = 256
"""Files whose state is compared between two checks of the time: some milliseconds."""


class KnownFiles:
    """The files of a tree, for one answer. Whether a file has changed is found out once."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._states: dict[int, U8] = {}

    def choosing(self, forms: Iterable[bytes], most_bytes: int, deadline: float) -> Choosing:
        """Returns what leaves out the files that certainly contain none of some names.

        forms: of the names, from `text/patterns/whole_words`. most_bytes: larger files are not
        left out, because they cannot be searched, and the answer says so. deadline: when to stop
        comparing files, by `time.monotonic`.
        """
        tokens = [[*map(bytes.decode, tokens_in(form))] for form in forms]
        formats = load_formats().by_id

        def choose(part: Part, numbers: I64) -> I64:
            index = part.index
            may_contain = _files_with(index, tokens)
            if may_contain is None:
                return numbers
            # Of a document, nothing is stored but its sections.
            is_format = np.array([one in formats for one in index.columns.language_ids], dtype=bool)
            sizes = np.frombuffer(index.columns.file_size, dtype="<u8")
            may_contain |= is_format[index.u8("file_language")] | (sizes > most_bytes)
            without = numbers[~may_contain[numbers]]
            may_contain[without] = self._states_of(part, without, deadline)[without] != _SAME
            return numbers[may_contain[numbers]]

        return choose

    def _states_of(self, part: Part, numbers: I64, deadline: float) -> U8:
        """Returns the states of all files of a part, after finding out those of the given ones."""
        states = self._states.get(id(part))
        if states is None:
            is_known = self._tree.is_stored or self._tree.is_current
            states = np.full(part.index.n_files, _SAME if is_known else _UNKNOWN, dtype=np.uint8)
            self._states[id(part)] = states
            if not self._tree.is_stored:
                states[_replaced(part, self._tree.texts)] = _OTHER
        self._compare(part, numbers[states[numbers] == _UNKNOWN], states, deadline)
        return states

    def _compare(self, part: Part, numbers: I64, states: U8, deadline: float) -> None:
        """Finds out which files are those that were indexed, until the deadline."""
        columns = part.index.columns
        sizes, times, stamps = (
            np.frombuffer(data, dtype=form)
            for data, form in (
                (columns.file_size, "<u8"),
                (columns.file_mtime, "<i8"),
                (columns.file_stamp, "<u8"),
            )
        )
        with Beneath(os.path.realpath(self._tree.roots[part.prefix]), lists=False) as folder:
            for first in range(0, len(numbers), _AT_ONCE):
                check_wanted()
                if time.monotonic() > deadline:
                    return
                some = numbers[first : first + _AT_ONCE]
                found = [*folder.statuses(part.index.paths.take(some))]
                is_there = np.array([status is not None for status in found], dtype=bool)
                states[some[~is_there]] = _OTHER
                some, there = some[is_there], [status for status in found if status is not None]
                is_same = (
                    (sizes[some] == [status.st_size for status in there])
                    & (times[some] == [status.st_mtime_ns for status in there])
                    & (stamps[some] == np.array([*map(change_stamp, there)], dtype=np.uint64))
                )
                states[some] = np.where(is_same, _SAME, _OTHER)


_UNKNOWN, _SAME, _OTHER = range(3)


def _replaced(part: Part, texts: Iterable[str]) -> list[int]:
    """Returns the numbers of the files that texts replace."""
    inside = (text.removeprefix(part.prefix) for text in texts if text.startswith(part.prefix))
    return [number for path in inside if (number := part.index.paths.find(path)) is not None]


def _files_with(index: Index, forms: Iterable[Sequence[str]]) -> Mask | None:
    """Returns by file whether it may contain one of several forms, each given by its tokens;
    `None` if the index does not tell."""
    every = np.zeros(index.n_files, dtype=bool)
    for tokens in forms:
        told = [token for token in tokens if is_distinctive(token)]
        if not told:
            return None
        of_form = np.ones(index.n_files, dtype=bool)
        for token in told:
            of_form &= _files_with_token(index, token)
        every |= of_form
    return every


def _files_with_token(index: Index, token: str) -> Mask:
    mask = np.zeros(index.n_files, dtype=bool)
    mask[index.mentions.files(mention_hash(token))] = True
    number = index.find_name(token)
    if number is not None:
        mask[index.file_of(index.rows_of_names(np.array([number], dtype=np.int64)))] = True
    return mask
