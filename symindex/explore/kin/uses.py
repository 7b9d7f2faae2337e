"""Where some names are used, with roles and scopes: what all relations of symbols are read from."""

import os
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from symindex.explore.candidates import Candidate, candidates_of, order_of
from symindex.explore.excerpts import Mention
from symindex.explore.mention_job import MentionSetup
from symindex.explore.mentions import MentionSearch
from symindex.explore.resolve.lines import symbol_at
from symindex.explore.scopes import Scope, enclosing_scopes, ranges_in_index, ranges_read
from symindex.explore.tree import IndexedFile, Row, Tree, rows_of
from symindex.extract.languages.registry import pack_languages
from symindex.text.whole_words import forms_of

MOST_NAMES: Final = 400
"""Names of one pass over the files."""


class Limits(NamedTuple):
    """max_file_bytes, file_seconds: as of `references.find_references`. seconds: for one pass."""

    max_file_bytes: int
    file_seconds: float
    seconds: float


class Use(NamedTuple):
    """One use. file: where. name: which of the names."""

    file: IndexedFile
    name: str
    mention: Mention
    scope: Scope

    @property
    def around(self) -> Row | None:
        """The symbol in which it is used."""
        name, line = self.scope.qualified_name, self.mention.line
        rows = (row for row in rows_of(self.file) if row.qualified_name == name and row.lines[0] <= line <= row.lines[1])
        return next(rows, None) or symbol_at(self.file, line)


class Found(NamedTuple):
    """The uses, file by file, and whether all files were looked through."""

    uses: list[Use]
    is_whole: bool


def find_uses(
    tree: Tree,
    names: Sequence[str],
    limits: Limits,
    *,
    languages: Sequence[str] = (),
    only: IndexedFile | None = None,
    keeps: Callable[[Use], bool] = lambda _: True,
) -> Found:
    """The uses of some names. languages: ids; none for all. only: the one file to look into. keeps: which uses are wanted."""
    wanted = [*dict.fromkeys(name for name in names if name)][:MOST_NAMES]
    if not wanted:
        return Found([], True)
    if only is not None:
        candidates = [Candidate((0, only.path), only, only.known.size)]
    else:
        candidates, _ = candidates_of(tree, [*languages] or [], [])
    roots = [os.fsencode(os.path.realpath(root)) for root in tree.roots.values()]
    forms = [form for name in wanted for form in forms_of(name)]
    setup = MentionSetup(roots, pack_languages(tree.languages), forms, limits.max_file_bytes)
    uses: list[Use] = []
    n_searched = 0
    sizes = [candidate.size for candidate in candidates]
    with MentionSearch(setup, limits.file_seconds, sizes, lambda at: order_of(tree, candidates[at])) as search:
        for searched in search.in_order(limits.seconds):
            n_searched += 1
            found = searched.found
            if found is None or not found.mentions:
                continue
            file = candidates[searched.number].file
            ranges = ranges_in_index(file) if found.symbols is None else ranges_read(found.symbols)
            scopes = enclosing_scopes(ranges, [mention.start_byte for mention in found.mentions])
            each = (Use(file, mention.name, mention, scope) for mention, scope in zip(found.mentions, scopes, strict=True))
            uses += [use for use in each if keeps(use)]
    return Found(uses, n_searched == len(candidates))
