"""Which files need not be searched for a name: those that do not contain it, by the index, and have
not changed since.

The index stores what each file of code mentions and defines (`extract/word_lists`): its tokens,
except single lower-case words. A name is in a file only if each of its tokens is.
"""

import os
import time
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from typing import Final

import numpy as np

from symindex.cancellation import check_wanted
from symindex.explore.references.candidates import CandidateFile
from symindex.extract.documents.formats import load_formats
from symindex.extract.word_lists import is_distinctive, mention_hash, tokens_in
from symindex.files.access.beneath import Beneath
from symindex.files.change_stamp import change_stamp
from symindex.index.columns.arrays import Mask
from symindex.index.columns.columns import Index
from symindex.resolve.tree import Tree

_AT_ONCE: Final = 256
"""Files whose state is compared between two checks of the time: some milliseconds."""


class KnownFiles:
    """The files of a tree, for one answer. Whether a file has changed is found out once."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._is_same: dict[str, bool] = {}

    def without(
        self,
        forms: Iterable[bytes],
        candidates: Sequence[CandidateFile],
        most_bytes: int,
        deadline: float,
    ) -> frozenset[int]:
        """Returns the numbers of candidates that certainly contain none of some names.

        forms: of the names, from `text/patterns/whole_words`. most_bytes: larger files are not
        among them, because they cannot be searched. deadline: when to stop comparing files, by
        `time.monotonic`.
        """
        tokens = [[*map(bytes.decode, tokens_in(form))] for form in forms]
        masks: dict[int, Mask | None] = {}
        formats = load_formats().by_id
        numbers = []
        for number, candidate in enumerate(candidates):
            file = candidate.file
            key = id(file.part)
            if key not in masks:
                masks[key] = _files_with(file.part.index, tokens)
            mask = masks[key]
            if mask is None:
                continue
            # Of a document, nothing is stored but its sections.
            if not (
                mask[file.number] or candidate.size > most_bytes or file.known_language in formats
            ):
                numbers.append(number)
        if self._tree.is_stored:
            return frozenset(numbers)
        self._compare([candidates[number] for number in numbers], deadline)
        return frozenset(
            number for number in numbers if self._is_same.get(candidates[number].file.path)
        )

    def _compare(self, candidates: Sequence[CandidateFile], deadline: float) -> None:
        """Finds out which files are those that were indexed, until the deadline."""
        tree, is_same = self._tree, self._is_same
        with ExitStack() as stack:
            folders = {
                prefix: stack.enter_context(Beneath(os.path.realpath(root), lists=False))
                for prefix, root in tree.roots.items()
            }
            states: dict[int, tuple[list[int], list[int], list[int]]] = {}
            for count, (_, file, _) in enumerate(candidates):
                if count % _AT_ONCE == 0:
                    check_wanted()
                    if time.monotonic() > deadline:
                        return
                path, part, number = file.path, file.part, file.number
                if path in is_same:
                    continue
                state = states.get(id(part))
                if state is None:
                    state = states[id(part)] = _states(part.index)
                try:
                    status = folders[part.prefix].lstat(path[len(part.prefix) :])
                except OSError:
                    is_same[path] = False
                    continue
                is_same[path] = (
                    status.st_size == state[0][number]
                    and status.st_mtime_ns == state[1][number]
                    and change_stamp(status) == state[2][number]
                    and path not in tree.texts
                )


def _states(index: Index) -> tuple[list[int], list[int], list[int]]:
    """Returns the sizes, times and stamps of all files."""
    columns = index.columns
    return (
        np.frombuffer(columns.file_size, dtype="<u8").tolist(),
        np.frombuffer(columns.file_mtime, dtype="<i8").tolist(),
        np.frombuffer(columns.file_stamp, dtype="<u8").tolist(),
    )


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
