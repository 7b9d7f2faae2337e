"""The tests of a symbol: what uses it in tests, and what is named or placed as its tests are."""

import re
from typing import Final

from symindex.explore.references.module_judge import Verdict
from symindex.explore.references.module_paths import is_nameless
from symindex.explore.references.narrowing import ReferenceJudge
from symindex.explore.relations.aliases import aliases_in
from symindex.explore.relations.resolving import is_type
from symindex.explore.relations.types import Related
from symindex.explore.relations.uses import Beside, Use, UseSearch
from symindex.explore.tree import Row, Tree, indexed_files, rows_of
from symindex.extract.path_flags import path_flags
from symindex.protocol.kinds import CALLABLE_KINDS, SymbolFlag, SymbolKind
from symindex.text.counts import count_of
from symindex.text.folding import fold, squash

_TEST_WORDS: Final = re.compile(
    r"^(?:test_?|it_|should_)|(?:_?tests?|_?spec|IT|Tests?)$", re.IGNORECASE
)


def tests_of(search: UseSearch, row: Row) -> list[Related]:
    """The likeliest first: tests whose name has the symbol's, then those that use it, then files of
    tests named after its own. What may be a member of any type counts only in files that name the
    symbol's own."""
    tree = search.tree
    owner = "" if _is_of_other_types(tree, row) else row.container.rpartition(".")[2]
    judges = {row.name: ReferenceJudge(tree, row)}
    uses_of = _uses_by_file(search, row, owner, judges)
    with_owner = {path for path, name in uses_of if name not in judges}
    doubtful: set[Row] = set()
    found: dict[object, tuple[int, Related]] = {}
    wanted = _key(row.name)
    for (path, name), uses in uses_of.items():
        if name not in judges:
            continue
        judge = judges[name]
        is_test_file = is_test(tree, path, uses[0].file.known_language)
        verdicts = judge.judge(
            path,
            uses[0].file.known_language,
            [use.mention for use in uses],
            [use.scope for use in uses],
        )
        for use, verdict in zip(uses, verdicts, strict=True):
            around = use.around
            is_of_test = is_test_file or (
                around is not None and bool(around.flags & SymbolFlag.TEST)
            )
            if not is_of_test or use.defines:
                continue
            if verdict is Verdict.OTHER or use.mention.role == "import" or around is None:
                search.beside.append(Beside(row, use, is_sure=False))
                continue
            if verdict is Verdict.MAY_BE and judge.n_namesakes and owner and path not in with_owner:
                doubtful.add(around)  # it may be of any type that has such a member
                search.beside.append(Beside(row, use, is_sure=False))
                continue
            is_named = bool(wanted) and wanted in _key(around.name)
            is_unsure = verdict is Verdict.MAY_BE and (
                judge.n_namesakes > 0 or path not in with_owner
            )
            rank = 2 * (verdict is Verdict.MAY_BE) + (not is_named)
            found.setdefault(
                around,
                (
                    rank,
                    Related(
                        around.qualified_name,
                        around,
                        f"{path}:{use.mention.line}",
                        use.mention.text,
                        is_unsure=is_unsure,
                    ),
                ),
            )
    if doubtful := doubtful - found.keys():
        n_tests = count_of(len(doubtful), "test uses", "tests use")
        search.tell(f"{n_tests} {row.name} of something in files without {owner}: left out")
    named = [
        Related(path, None, f"{path}:1", "", is_by_name=True)
        for path in _files_named_after(tree, row)
    ]
    ordered = sorted(found.values(), key=lambda pair: (pair[0], pair[1].at))
    seen = {related.at.rpartition(":")[0] for _, related in ordered}
    return [related for _, related in ordered] + [each for each in named if each.name not in seen]


def _uses_by_file(
    search: UseSearch, row: Row, owner: str, judges: dict[str, ReferenceJudge]
) -> dict[tuple[str, str], list[Use]]:
    """By file and name the uses of a symbol, of its other names (whose judges are added), and of
    the type that it is a member of, by whatever name."""
    family = [*search.tree.languages.relatives_of(row.file.known_language)]
    uses = search.find([row.name, owner], languages=family)
    aliases = aliases_in(uses, row.name if is_type(row) else owner)
    if is_type(row):
        judges.update((alias.name, ReferenceJudge(search.tree, alias)) for alias in aliases)
    if aliases:
        uses += search.find([alias.name for alias in aliases], languages=family)
    found: dict[tuple[str, str], list[Use]] = {}
    for use in uses:
        found.setdefault((use.file.path, use.name), []).append(use)
    return found


def _is_of_other_types(tree: Tree, row: Row) -> bool:
    """Whether a member is used as one of another type, whose name alone tests then have, as C#'s
    extension methods are."""
    known = tree.languages.by_id.get(row.file.known_language)
    pattern = known.rules.roles.extensions if known is not None else ""
    return bool(pattern) and re.search(pattern, row.index.signature(row.number)) is not None


def is_test(tree: Tree, path: str, language: str) -> bool:
    """Whether a file is one of tests, by its path."""
    return bool(path_flags(path, tree.languages.by_id.get(language)) & SymbolFlag.TEST)


def _key(name: str) -> str:
    return squash(fold(_TEST_WORDS.sub("", name)))


def _files_named_after(tree: Tree, row: Row) -> list[str]:
    """Files of tests whose name is that of the symbol's file or type: `test_cart.py`,
    `CartTests.java`, `cart.spec.ts`. What is around its type names no tests of it, as the namespace
    of a whole project does not."""
    of_file = set() if is_nameless(row.file.path) else {_key(_stem(row.file.path))}
    keys = {*of_file, *_type_keys(row)} - {""}
    named = [
        file.path
        for file in indexed_files(tree)
        if file.path != row.file.path
        and not is_nameless(file.path)
        and tree.languages.code(file.known_language) is not None
        and _key(_stem(file.path)) in keys
        and is_test(tree, file.path, file.known_language)
        and rows_of(file)
    ]
    return named if len(named) <= MOST_NAMED else []


def _stem(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[0]


_MEMBERS: Final = frozenset(
    {
        SymbolKind.FIELD,
        SymbolKind.PROPERTY,
        SymbolKind.CONSTANT,
        SymbolKind.VARIABLE,
        SymbolKind.ENUM_MEMBER,
    }
)


def _type_keys(row: Row) -> list[str]:
    """Keys of the types of its file that a symbol stands in, or that it is, alone and with what
    stands around them."""
    around = [
        each
        for each in rows_of(row.file)
        if f"{row.qualified_name}.".startswith(f"{each.qualified_name}.")
    ]
    own = (
        row.container
        if row.container and row.kind in (*CALLABLE_KINDS, *_MEMBERS)
        else row.qualified_name
    )
    types = [each for each in around if is_type(each) or each.qualified_name == own]
    names = [each.name for each in types] + [
        f"{each.container.rpartition('.')[2]}_{each.name}" for each in types
    ]
    return [_key(name) for name in names] if names else [_key(row.name)]


MOST_NAMED: Final = 3
"""More files of one name, as of `utils`, say nothing."""
