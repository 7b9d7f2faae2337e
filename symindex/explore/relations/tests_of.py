"""The tests of a symbol: test code that uses it, and test files that are named after it."""

import re
from typing import Final

from symindex.explore.references.alias_judge import AliasJudge
from symindex.explore.references.module_judge import UNSURE, Verdict
from symindex.explore.references.module_paths import is_nameless
from symindex.explore.references.narrowing import ReferenceJudge
from symindex.explore.references.receivers import own_name
from symindex.explore.relations.resolving import is_type
from symindex.explore.relations.uses import (
    RejectedUse,
    RelatedSymbol,
    Use,
    UseSearch,
    aliases_in,
)
from symindex.extract.path_flags import path_flags
from symindex.protocol.kinds import CALLABLE_KINDS, SymbolFlag, SymbolKind
from symindex.resolve.tree import Row, Tree, indexed_files, rows_of
from symindex.text.counts import count_of
from symindex.text.folding import fold, squash

MOST_NAMED: Final = 3
"""Test files named after a symbol that still mean something: more, as for `utils`, do not."""

_TEST_WORDS: Final = re.compile(
    r"^(?:test_?|it_|should_)|(?:_?tests?|_?spec|IT|Tests?)$", re.IGNORECASE
)

_MEMBERS: Final = frozenset(
    {
        SymbolKind.FIELD,
        SymbolKind.PROPERTY,
        SymbolKind.CONSTANT,
        SymbolKind.VARIABLE,
        SymbolKind.ENUM_MEMBER,
    }
)


def tests_of(search: UseSearch, row: Row) -> list[RelatedSymbol]:
    """Returns the tests of a symbol, likeliest first: tests whose name contains the symbol's, then
    others that use it, then test files named after its file or type; equally likely ones by path
    and line."""
    tree = search.tree
    tests = _TestsByUse(search, row)
    for (path, name), uses in tests.uses.items():
        if name in tests.judges:
            tests.add_file(path, tests.judges[name], uses)
    tests.add_notice()
    ordered = sorted(tests.found.values(), key=lambda pair: (pair[0], *_place_of(pair[1])))
    files = {related.at.rpartition(":")[0] for _, related in ordered}
    by_name = [
        RelatedSymbol(path, None, f"{path}:1", "", is_by_name=True)
        for path in _files_named_after(tree, row)
        if path not in files
    ]
    return [related for _, related in ordered] + by_name


def _place_of(test: RelatedSymbol) -> tuple[str, int]:
    path, _, line = test.at.rpartition(":")
    return path, int(line)


class _TestsByUse:
    """Collects tests that use a symbol. A use that may mean a member of any type counts only in
    files that also name the symbol's own type.

    Attributes:
        judges: of the symbol's name and its aliases.
        uses: by file and name.
        found: each test with its rank; smaller is likelier.
    """

    def __init__(self, search: UseSearch, row: Row) -> None:
        self._search, self._row = search, row
        # Tests of a member of other types, such as an extension method, do not name its container.
        is_of_others = _is_of_other_types(search.tree, row)
        self._owner = "" if is_of_others else row.container.rpartition(".")[2]
        judge = ReferenceJudge(search.tree, row, row in search.together)
        self.judges: dict[str, ReferenceJudge | AliasJudge] = {
            **dict.fromkeys(judge.aliases, AliasJudge(judge)),
            own_name(row.name): judge,
        }
        self.uses = self._uses_by_file()
        self._files_with_owner = {path for path, name in self.uses if name not in self.judges}
        self._key = _key(row.name)
        self._doubtful: set[Row] = set()
        self.found: dict[Row, tuple[int, RelatedSymbol]] = {}

    def _uses_by_file(self) -> dict[tuple[str, str], list[Use]]:
        """Returns the uses of the symbol, of its aliases, whose judges are added, and of its type,
        by file and name."""
        search, row, owner = self._search, self._row, self._owner
        family = [*search.tree.languages.relatives_of(row.file.known_language)]
        uses = search.find([*self.judges, owner], languages=family)
        aliases = aliases_in(uses, row.name if is_type(row) else owner)
        if is_type(row):
            self.judges.update(
                (alias.name, ReferenceJudge(search.tree, alias)) for alias in aliases
            )
        if aliases:
            uses += search.find([alias.name for alias in aliases], languages=family)
        by_file: dict[tuple[str, str], list[Use]] = {}
        for use in uses:
            by_file.setdefault((use.file.path, use.name), []).append(use)
        return by_file

    def add_file(self, path: str, judge: ReferenceJudge | AliasJudge, uses: list[Use]) -> None:
        """Adds the tests among the uses of one name in a file."""
        language = uses[0].file.known_language
        is_test_file = is_test(self._search.tree, path, language)
        mentions, scopes = [use.mention for use in uses], [use.scope for use in uses]
        verdicts = judge.judge(path, language, mentions, scopes)
        has_owner = path in self._files_with_owner
        for use, verdict in zip(uses, verdicts, strict=True):
            test = use.around
            is_in_test = is_test_file or (test is not None and bool(test.flags & SymbolFlag.TEST))
            if not is_in_test or use.defines:
                continue
            if isinstance(judge, AliasJudge) and verdict is Verdict.OTHER:
                continue
            rejected = RejectedUse(self._row, use, is_sure=False)
            if verdict is Verdict.OTHER or use.mention.role == "import" or test is None:
                self._search.rejected.append(rejected)
                continue
            may_be = verdict in UNSURE
            if may_be and judge.n_namesakes and self._owner and not has_owner:
                self._doubtful.add(test)
                self._search.rejected.append(rejected)
                continue
            is_named = bool(self._key) and self._key in _key(test.name)
            related = RelatedSymbol(
                test.qualified_name,
                test,
                use.at,
                use.mention.text,
                is_unsure=may_be,
            )
            self.found.setdefault(test, (2 * may_be + (not is_named), related))

    def add_notice(self) -> None:
        """Adds a notice about tests left out because they may use a member of another type."""
        if doubtful := self._doubtful - self.found.keys():
            tests = count_of(len(doubtful), "test uses", "tests use")
            self._search.add_notice(
                f"{tests} a {self._row.name} in files that do not mention {self._owner}: left out"
            )


def _is_of_other_types(tree: Tree, row: Row) -> bool:
    """Whether a member is used as that of another type, as extension methods are in C#; tests then
    name only the other type."""
    language = tree.languages.by_id.get(row.file.known_language)
    pattern = language.rules.roles.extensions if language is not None else ""
    return bool(pattern) and re.search(pattern, row.index.signature(row.number)) is not None


def is_test(tree: Tree, path: str, language: str) -> bool:
    """Whether a file contains tests, judging by its path."""
    return bool(path_flags(path, tree.languages.by_id.get(language)) & SymbolFlag.TEST)


def _key(name: str) -> str:
    """Returns a name without the words that mark tests, folded, to compare names of tests and
    code."""
    return squash(fold(_TEST_WORDS.sub("", name)))


def _files_named_after(tree: Tree, row: Row) -> list[str]:
    """Returns the test files named after the symbol's file or type: `test_cart.py`,
    `CartTests.java`, `cart.spec.ts`. What is around its type does not count: it may be the
    namespace of the whole project."""
    of_file = set() if is_nameless(row.file.path) else {_key(_stem(row.file.path))}
    keys = {*of_file, *_type_keys(row)} - {""}
    paths = [
        file.path
        for file in indexed_files(tree)
        if file.path != row.file.path
        and not is_nameless(file.path)
        and tree.languages.code(file.known_language) is not None
        and _key(_stem(file.path)) in keys
        and is_test(tree, file.path, file.known_language)
        and rows_of(file)
    ]
    return paths if len(paths) <= MOST_NAMED else []


def _stem(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[0]


def _type_keys(row: Row) -> list[str]:
    """Returns the keys of the types that a symbol is or is in, alone and with their containers."""
    around = [
        outer
        for outer in rows_of(row.file)
        if f"{row.qualified_name}.".startswith(f"{outer.qualified_name}.")
    ]
    is_member = row.container and row.kind in (*CALLABLE_KINDS, *_MEMBERS)
    own = row.container if is_member else row.qualified_name
    types = [outer for outer in around if is_type(outer) or outer.qualified_name == own]
    names = [outer.name for outer in types]
    names += [f"{outer.container.rpartition('.')[2]}_{outer.name}" for outer in types]
    return [_key(name) for name in names] if names else [_key(row.name)]
