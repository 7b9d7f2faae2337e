"""Where some names are used, with roles and scopes: what all relations of symbols are read from."""

import os
import time
from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Final, NamedTuple

from symindex.explore.excerpts import Mention
from symindex.explore.references.candidates import Candidate, candidates_of, order_of
from symindex.explore.references.mention_job import FileMentions, MentionSetup
from symindex.explore.references.mentions import MentionSearch
from symindex.explore.references.scopes import Scope, enclosing_scopes, ranges_in_index, ranges_read
from symindex.explore.tree import IndexedFile, Row, Tree, read_text, rows_of
from symindex.extract.languages.registry import pack_languages
from symindex.extract.parse.roles import DEFINING
from symindex.files.skips import tell_not_looked_into
from symindex.protocol.kinds import KINDS
from symindex.text.counts import count_of
from symindex.text.patterns.whole_words import forms_of

MOST_NAMES: Final = 400
"""Names of one pass over the files."""


class Limits(NamedTuple):
    """max_file_bytes, file_seconds: as of `references.find_references`. seconds: for one pass."""

    max_file_bytes: int
    file_seconds: float
    seconds: float


class RowsInFile:
    """The symbols of one file, read once where they are needed: a file may hold thousands of
    uses."""

    def __init__(self, file: IndexedFile) -> None:
        self._file = file

    @cached_property
    def types(self) -> list[Row]:
        """Its types."""
        return [
            row for rows in self._by_name.values() for row in rows if KINDS[row.kind].quality == 0
        ]

    def holding(self, qualified_name: str, line: int) -> Row | None:
        """The symbol of that name which has a line; of several the last that begins before it, as
        far as few are nested."""
        rows = self._by_name.get(qualified_name, [])
        last = bisect_right(rows, line, key=lambda row: row.lines[0])
        return next(
            (
                row
                for row in reversed(rows[max(0, last - _MOST_NESTED) : last])
                if line <= row.lines[1]
            ),
            None,
        )

    @cached_property
    def _by_name(self) -> dict[str, list[Row]]:
        found: dict[str, list[Row]] = {}
        for row in sorted(rows_of(self._file), key=lambda row: row.lines):
            found.setdefault(row.qualified_name, []).append(row)
        return found


_MOST_NESTED: Final = 20
"""Symbols of one qualified name that begin before a line and may still hold it."""


class Use(NamedTuple):
    """One use. file: where; rows: its symbols. name: which of the names."""

    file: IndexedFile
    rows: RowsInFile
    name: str
    mention: Mention
    scope: Scope

    @property
    def defines(self) -> bool:
        """Whether it is no use at all, but the name in a definition or a declaration."""
        return bool(self.scope.names) or self.mention.role in DEFINING

    @property
    def around(self) -> Row | None:
        """The symbol in which it is used; `None` outside of all, and in a new symbol of a file that
        has changed."""
        name = self.scope.qualified_name
        return self.rows.holding(name, self.mention.line) if name else None


class Beside(NamedTuple):
    """A use of a symbol's name that is none of what was asked for. is_sure: it is of the symbol, as
    far as names can tell."""

    row: Row
    use: Use
    is_sure: bool


class UseSearch:
    """Looks for uses, for all that one answer needs. What it could not look into is kept, so that
    the answer can say so.

    beside: the uses that callers and tests leave out.

    Args:
        limits: its seconds are for all passes together.
    """

    def __init__(self, tree: Tree, limits: Limits) -> None:
        self.tree, self.limits = tree, limits
        self.beside: list[Beside] = []
        self._deadline = time.monotonic() + limits.seconds
        self._unread: dict[str, str] = {}
        self._told: list[str] = []
        self._too_many = self._unsearched = 0
        self._read: tuple[str, list[str]] = "", []

    def lines_of(self, file: IndexedFile) -> list[str]:
        """The lines of a file. The last one is kept: uses come file by file. Raises RequestError
        where it cannot be read."""
        if self._read[0] != file.path:
            self._read = file.path, [*read_text(self.tree, file, self.limits.max_file_bytes).lines]
        return self._read[1]

    def find(
        self,
        names: Sequence[str],
        *,
        languages: Sequence[str] = (),
        only: IndexedFile | None = None,
        keeps: Callable[[Use], bool] = lambda _: True,
    ) -> list[Use]:
        """The uses of some names. languages: ids; none for all. only: the one file to look into.
        keeps: which uses are wanted."""
        every = [*dict.fromkeys(name for name in names if name)]
        wanted = every[:MOST_NAMES]
        self._too_many += len(every) - len(wanted)
        candidates = (
            [Candidate((0, only.path), only, only.known.size)]
            if only
            else candidates_of(self.tree, [*languages], [])[0]
        )
        if not wanted or not candidates:
            return []
        roots = [os.fsencode(os.path.realpath(root)) for root in self.tree.roots.values()]
        forms = [form for name in wanted for form in forms_of(name)]
        setup = MentionSetup(
            roots, pack_languages(self.tree.languages), forms, self.limits.max_file_bytes
        )
        sizes = [candidate.size for candidate in candidates]
        uses: list[Use] = []
        n_searched = 0
        seconds = self._deadline - time.monotonic()
        if (
            seconds <= 0
        ):  # a hierarchy may have any number of levels, and each pass starts processes
            self._unsearched = max(self._unsearched, len(candidates))
            return []
        with MentionSearch(
            setup, self.limits.file_seconds, sizes, lambda at: order_of(self.tree, candidates[at])
        ) as search:
            for searched in search.in_order(seconds):
                n_searched += 1
                uses += self._uses(candidates[searched.number].file, searched.found, keeps)
        self._unsearched = max(self._unsearched, len(candidates) - n_searched)
        return uses

    def _uses(
        self, file: IndexedFile, found: FileMentions | None, keeps: Callable[[Use], bool]
    ) -> list[Use]:
        """Those of one file that are wanted."""
        if found is None:
            return []
        if found.problem:
            self._unread[file.path] = found.problem
        ranges = ranges_in_index(file) if found.symbols is None else ranges_read(found.symbols)
        scopes = enclosing_scopes(ranges, [mention.start_byte for mention in found.mentions])
        rows = RowsInFile(file)
        each = (
            Use(file, rows, mention.name, mention, scope)
            for mention, scope in zip(found.mentions, scopes, strict=True)
        )
        return [use for use in each if keeps(use)]

    def tell_unread(self, path: str, problem: str) -> None:
        """A file that an answer needs could not be read."""
        self._unread[path] = problem

    def tell(self, notice: str) -> None:
        """Something that an answer has to say."""
        self._told.append(notice)

    def take_back(self) -> None:
        """Withdraws what was noted: another part of the answer says it."""
        self._told.clear()

    def notices(self) -> list[str]:
        """What to say of what could not be looked into, or was left out."""
        told = [*self._told]
        if self._unsearched:
            told.append(
                f"out of time: {count_of(self._unsearched, 'file was', 'files were')} not looked"
                " through, so there may be more"
            )
        if self._too_many:
            told.append(
                f"{count_of(self._too_many, 'name was', 'names were')} not looked for:"
                f" {MOST_NAMES:,} at once are the most"
            )
        if self._unread:
            told.append(
                tell_not_looked_into(
                    [f"{path} ({problem})" for path, problem in self._unread.items()]
                )
            )
        return told
