"""Selects the files that may contain references, in search order: production code before tests and
copies."""

from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np
from msgspec import UnsetType

from symindex.explore.references.mention_job import FileToSearch
from symindex.explore.references.reference_cursor import FileKey
from symindex.extract.path_flags import path_flags
from symindex.files.skips import files_were
from symindex.index.columns.arrays import I64
from symindex.index.snapshot import Part
from symindex.protocol.kinds import SymbolFlag
from symindex.resolve.tree import IndexedFile, Tree
from symindex.search.answer.filters import Filter, PartFilter

_ASIDE: Final = (SymbolFlag.TEST | SymbolFlag.GENERATED | SymbolFlag.VENDORED).value


class CandidateFile(NamedTuple):
    """A file that may contain references. size: in bytes."""

    key: FileKey
    file: IndexedFile
    size: int


Choosing = Callable[[Part, I64], I64]
"""Returns those of some files of a part, by their numbers, that may contain what is sought."""


class Candidates(NamedTuple):
    """The files to search.

    Attributes:
        files: in order.
        n_files: how many files of code pass the filters, whether or not they are searched.
        notices: about files that are left out.
    """

    files: list[CandidateFile]
    n_files: int
    notices: list[str]


def candidates_of(
    tree: Tree,
    languages: list[str] | UnsetType,
    paths: list[str] | UnsetType,
    choose: Choosing = lambda _, numbers: numbers,
    family: frozenset[str] = frozenset(),
) -> Candidates:
    """Returns the files to search. choose: leaves out those that need not be. family: the ids of
    the languages in which uses can be; empty for all."""
    by_id = tree.languages.by_id
    ids = (word if word in by_id else tree.languages.id_of(word) for word in languages or ())
    selection = Filter((), frozenset(ids), tuple(paths or ()))
    files: list[CandidateFile] = []
    without_rules: dict[str, int] = {}
    n_files = documents = 0
    for part in tree.snapshot.parts:
        index = part.index
        numbers = part.files_read(PartFilter(part, selection).files)
        codes = index.u8("file_language")[numbers]
        is_searched = np.zeros(256, dtype=bool)
        for code, count in enumerate(np.bincount(codes).tolist()):
            rules = by_id.get(index.columns.language_ids[code]) if count else None
            if rules is None or rules.is_data:  # a document, not code
                documents += count
            elif not rules.rules.identifiers and not rules.embeds:
                without_rules[rules.id] = without_rules.get(rules.id, 0) + count
            else:
                n_files += count
                is_searched[code] = not family or rules.id in family
        numbers = choose(part, numbers[is_searched[codes]])
        columns = (
            index.paths.take(numbers),
            numbers.tolist(),
            index.languages_of(numbers),
            np.frombuffer(index.columns.file_size, dtype="<u8")[numbers].tolist(),
        )
        for inside, number, language, size in zip(*columns, strict=True):
            path = part.prefix + inside
            rank = int(path_flags(inside, by_id[language]) & _ASIDE != 0)
            file = IndexedFile(part, number, path, language)
            files.append(CandidateFile((rank, path), file, size))
    left_out = []
    if without_rules:
        names = ", ".join(sorted(without_rules))
        left_out.append(
            f"{files_were(sum(without_rules.values()))} left out: references are not searched in"
            f" {names}"
        )
    if documents and languages:  # otherwise the request does not mention documents
        left_out.append(
            f"{files_were(documents)} left out: references are searched in code, not in documents"
        )
    return Candidates(sorted(files, key=lambda file: file.key), n_files, left_out)


def order_of(tree: Tree, candidate: CandidateFile) -> FileToSearch:
    """Returns the order that tells a worker to search a file."""
    file = candidate.file
    record = file.known
    root = list(tree.roots).index(file.part.prefix)
    text, problem = None, ""
    try:
        text = tree.texts.get(candidate.key[1])
    except OSError as error:
        problem = error.strerror or str(error)
    return FileToSearch(root, record.path, record.language, record.digest, text, problem)
