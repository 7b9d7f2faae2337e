"""The tests of a symbol: what uses it in tests, and what is named or placed as its tests are."""

import re
from typing import Final

from symindex.explore.kin.types import Related
from symindex.explore.kin.uses import Use, UseSearch
from symindex.explore.narrowing import Narrowing, Verdict
from symindex.explore.tree import Row, Tree, indexed_files, rows_of
from symindex.extract.path_flags import path_flags
from symindex.protocol.kinds import SymbolFlag
from symindex.text.folding import fold, squash

_TEST_WORDS: Final = re.compile(r"^(?:test_?|it_|should_)|(?:_?tests?|_?spec|IT|Tests?)$", re.IGNORECASE)


def tests_of(search: UseSearch, row: Row) -> list[Related]:
    """The likeliest first: tests whose name has the symbol's, then those that use it, then files of tests named after its own.
    What may be a member of any type counts only in files that name the symbol's own."""
    tree = search.tree
    judge = Narrowing(tree, row)
    by_file: dict[str, list[Use]] = {}
    family = [*tree.languages.relatives_of(row.file.known_language)]
    owner = row.container.rpartition(".")[2]
    with_owner: set[str] = set()
    for use in search.find([row.name, owner] if owner else [row.name], languages=family):
        if use.name == row.name:
            by_file.setdefault(use.file.path, []).append(use)
        if use.name == owner:
            with_owner.add(use.file.path)
    doubtful: set[Row] = set()
    found: dict[object, tuple[int, Related]] = {}
    wanted = _key(row.name)
    for path, uses in by_file.items():
        is_test_file = _is_test(tree, path, uses[0].file.known_language)
        verdicts = judge.judge(path, uses[0].file.known_language, [use.mention for use in uses], [use.scope for use in uses])
        for use, verdict in zip(uses, verdicts, strict=True):
            around = use.around
            is_test = is_test_file or (around is not None and bool(around.flags & SymbolFlag.TEST))
            if verdict is Verdict.OTHER or not is_test or use.mention.role == "import" or around is None or use.scope.names:
                continue
            if verdict is Verdict.MAY_BE and judge.n_namesakes and owner and path not in with_owner:
                doubtful.add(around)  # it may be of any type that has such a member
                continue
            is_named = bool(wanted) and wanted in _key(around.name)
            rank = 2 * (verdict is Verdict.MAY_BE) + (not is_named)
            found.setdefault(
                around, (rank, Related(around.qualified_name, around, f"{path}:{use.mention.line}", use.mention.text))
            )
    if doubtful := doubtful - found.keys():
        n_tests = "1 test uses" if len(doubtful) == 1 else f"{len(doubtful):,} tests use"
        search.tell(f"{n_tests} {row.name} of something in files without {owner}: left out")
    named = [Related(path, None, f"{path}:1", "") for path in _files_named_after(tree, row)]
    ordered = sorted(found.values(), key=lambda pair: (pair[0], pair[1].at))
    seen = {related.at.rpartition(":")[0] for _, related in ordered}
    return [related for _, related in ordered] + [each for each in named if each.name not in seen]


def _is_test(tree: Tree, path: str, language: str) -> bool:
    return bool(path_flags(path, tree.languages.by_id.get(language)) & SymbolFlag.TEST)


def _key(name: str) -> str:
    return squash(fold(_TEST_WORDS.sub("", name)))


def _files_named_after(tree: Tree, row: Row) -> list[str]:
    """Files of tests whose name is that of the symbol's file or type: `test_cart.py`, `CartTests.java`, `cart.spec.ts`."""
    stem = row.file.path.rpartition("/")[2].partition(".")[0]
    keys = {_key(stem), _key(row.container.partition(".")[0] or row.name)} - {""}
    named = [
        file.path
        for file in indexed_files(tree)
        if file.path != row.file.path
        and _key(file.path.rpartition("/")[2].partition(".")[0]) in keys
        and _is_test(tree, file.path, file.known_language)
        and rows_of(file)
    ]
    return named if len(named) <= MOST_NAMED else []


MOST_NAMED: Final = 3
"""More files of one name, as of `utils`, say nothing."""
