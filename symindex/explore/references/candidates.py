"""Selects the files that may contain references, in search order: production code before tests and
copies."""

from typing import Final, NamedTuple

import numpy as np
from msgspec import UnsetType

from symindex.explore.references.mention_job import FileToSearch
from symindex.explore.references.reference_cursor import FileKey
from symindex.extract.path_flags import path_flags
from symindex.files.skips import files_were
from symindex.index.columns.arrays import U8
from symindex.index.columns.columns import Index
from symindex.protocol.kinds import SymbolFlag
from symindex.resolve.tree import IndexedFile, Tree
from symindex.search.answer.filters import Filter, PartFilter

_ASIDE: Final = (SymbolFlag.TEST | SymbolFlag.GENERATED | SymbolFlag.VENDORED).value


class CandidateFile(NamedTuple):
    """A file that may contain references. size: in bytes."""

    key: FileKey
    file: IndexedFile
    size: int


def candidates_of(
    tree: Tree, languages: list[str] | UnsetType, paths: list[str] | UnsetType
) -> tuple[list[CandidateFile], list[str]]:
    """Returns the files to search, in order, and notices about files that are left out."""
    by_id = tree.languages.by_id
    ids = (word if word in by_id else tree.languages.id_of(word) for word in languages or ())
    selection = Filter((), frozenset(ids), tuple(paths or ()))
    candidates: list[CandidateFile] = []
    without_rules: dict[str, int] = {}
    documents = 0
    for part in tree.snapshot.parts:
        index = part.index
        lets_through = PartFilter(part, selection).files
        ranks, sizes = _ranks(index, tree), np.frombuffer(index.columns.file_size, dtype="<u8")
        for number, path, language in part.read_files(lets_through):
            rules = tree.languages.by_id.get(language)
            if rules is None:  # a document, not code
                documents += 1
                continue
            if rules.is_data:
                documents += 1
                continue
            if not rules.rules.identifiers and not rules.embeds:
                without_rules[language] = without_rules.get(language, 0) + 1
                continue
            file = IndexedFile(part, number, path, language)
            candidates.append(
                CandidateFile((int(ranks[number]), file.path), file, int(sizes[number]))
            )
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
    return sorted(candidates, key=lambda candidate: candidate.key), left_out


def _ranks(index: Index, tree: Tree) -> U8:
    """Returns for each file 1 if its path marks a test, generated or vendored code, else 0."""
    key = ("aside",)
    ranks = index.memo.get(key)
    if ranks is None:
        flags = [
            path_flags(path, tree.languages.by_id.get(index.language_of(number)))
            for number, path in enumerate(index.paths.all)
        ]
        ranks = index.memo[key] = (np.array(flags, dtype=np.uint32) & _ASIDE != 0).astype(np.uint8)
    return ranks


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
