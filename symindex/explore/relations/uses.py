"""Finds where names are used, with roles and scopes: the input of all relations between symbols."""

import re
import time
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Final, NamedTuple

from symindex.explore.references.candidates import CandidateFile, candidates_of
from symindex.explore.references.known_files import KnownFiles
from symindex.explore.references.mention_job import FileMentions, Sought
from symindex.explore.references.mentions import MentionSearch, most_file_seconds, real_roots
from symindex.explore.references.scopes import Scope, enclosing_scopes, ranges_in_index, ranges_read
from symindex.extract.parse.roles import DEFINING
from symindex.files.skips import tell_not_looked_into
from symindex.protocol.kinds import KINDS, SymbolKind
from symindex.resolve.binding.resolver import Resolver
from symindex.resolve.reading.excerpts import Mention
from symindex.resolve.tree import IndexedFile, Row, Tree, read_text, rows_of
from symindex.text.counts import count_of
from symindex.text.patterns.whole_words import forms_of

MOST_NAMES: Final = 400
"""Most names that one pass over the files searches for."""

_MOST_NESTED: Final = 20
"""Symbols of one qualified name that begin before a line and are checked for containing it."""


class Limits(NamedTuple):
    """Limits of one answer. max_file_bytes, file_seconds: as in `references.find_references`.
    seconds: for all passes together."""

    max_file_bytes: int
    file_seconds: float
    seconds: float


class RowsInFile:
    """The symbols of one file, read when first needed: a file may contain thousands of uses."""

    def __init__(self, file: IndexedFile) -> None:
        self._file = file

    @cached_property
    def types(self) -> list[Row]:
        """The types that the file defines."""
        return [
            row for rows in self._by_name.values() for row in rows if KINDS[row.kind].quality == 0
        ]

    def containing(self, qualified_name: str, line: int) -> Row | None:
        """Returns the symbol of this name that contains a line; of several, the last that begins
        before it. Deeply nested ones may be missed (_MOST_NESTED)."""
        rows = self._by_name.get(qualified_name, [])
        end = bisect_right(rows, line, key=lambda row: row.lines[0])
        nearest = reversed(rows[max(0, end - _MOST_NESTED) : end])
        return next((row for row in nearest if line <= row.lines[1]), None)

    @cached_property
    def _by_name(self) -> dict[str, list[Row]]:
        by_name: dict[str, list[Row]] = {}
        for row in sorted(rows_of(self._file), key=lambda row: row.lines):
            by_name.setdefault(row.qualified_name, []).append(row)
        return by_name


class Use(NamedTuple):
    """One use of a name.

    Attributes:
        file: where it is.
        rows: the symbols of that file.
        name: the one of the searched names that it is.
    """

    file: IndexedFile
    rows: RowsInFile
    name: str
    mention: Mention
    scope: Scope

    @property
    def at(self) -> str:
        """Its place, `path:line`."""
        return f"{self.file.path}:{self.mention.line}"

    @property
    def defines(self) -> bool:
        """Whether it is not a use at all but the name in a definition or declaration."""
        return bool(self.scope.names) or self.mention.role in DEFINING

    @property
    def around(self) -> Row | None:
        """The symbol that contains the use; `None` outside all symbols, and inside a symbol that is
        newer than the index."""
        name = self.scope.qualified_name
        return self.rows.containing(name, self.mention.line) if name else None


class RelatedSymbol(NamedTuple):
    """A symbol that is related to another.

    Attributes:
        row: `None` if the workspace does not define it.
        at: where the code says so, `path:line`.
        text: the code there.
        others: how many other symbols the name may mean.
        uses: all calls, for callers and callees.
        is_unsure, is_by_name: as in `protocol/hierarchy.RelatedItem`.
        is_place: whether `at` is listed, as the workspace does not define the symbol.
    """

    name: str
    row: Row | None
    at: str
    text: str
    others: int = 0
    uses: Sequence[Use] = ()
    is_unsure: bool = False
    is_by_name: bool = False
    is_place: bool = False


class RejectedUse(NamedTuple):
    """A use of a symbol's name that an answer leaves out. is_sure: it means the symbol, as far as
    names can tell, but is not a call or test."""

    row: Row
    use: Use
    is_sure: bool


def aliases_in(uses: Iterable[Use], name: str) -> list[Row]:
    """Returns the symbols that are other names of a type, by its uses: `typedef Cart Basket`,
    `using Basket = Cart<...>`, `type Basket = Cart`. Their definition consists of the type's name
    alone; a use of one is a use of the type."""
    definition = rf"(?:=\s*|\btypedef\s+)(?:(?:typename|struct|class|enum|union|const)\s+)*(?:\w+(?:::|\.))*{re.escape(name)}\b"  # noqa: E501
    rows = dict.fromkeys(use.around for use in uses if use.name == name)
    return [
        row
        for row in rows
        if row is not None
        and row.kind is SymbolKind.TYPE
        and row.name != name
        and (match := re.search(definition, row.index.signature(row.number))) is not None
        and not re.match(r"\s*[|&\[*]", match.string[match.end() :])
    ]


class UseSearch:
    """Searches for uses, for everything that one answer needs, and collects notices about what was
    not searched.

    Attributes:
        rejected: uses that callers and tests leave out.
        resolver: binds what the uses need.
        together: functions whose overloads count as the same symbol.
    """

    def __init__(self, tree: Tree, limits: Limits) -> None:
        self.tree = tree
        self.limits = limits
        self.rejected: list[RejectedUse] = []
        self.resolver: Resolver = Resolver(tree)
        self.together: frozenset[Row] = frozenset()
        self._known_files = KnownFiles(tree)
        self._deadline = time.monotonic() + limits.seconds
        self._unread: dict[str, str] = {}
        self._notices: list[str] = []
        self._too_many = self._unsearched = 0
        self._last_read: tuple[str, list[str]] = "", []

    def lines_of(self, file: IndexedFile) -> list[str]:
        """Returns the lines of a file, cached for the last one: uses come file by file. Raises
        RequestError if it cannot be read."""
        if self._last_read[0] != file.path:
            lines = [*read_text(self.tree, file, self.limits.max_file_bytes).lines]
            self._last_read = file.path, lines
        return self._last_read[1]

    def find(
        self,
        names: Sequence[str],
        *,
        languages: Sequence[str] = (),
        only: Sequence[IndexedFile] = (),
        keeps: Callable[[Use], bool] = lambda _: True,
    ) -> list[Use]:
        """Returns the uses of some names.

        Args:
            languages: ids; empty means all.
            only: the files to search; empty means all.
            keeps: tells which uses are returned.
        """
        unique = [*dict.fromkeys(name for name in names if name)]
        searched_names = unique[:MOST_NAMES]
        self._too_many += len(unique) - len(searched_names)
        if not searched_names:
            return []
        seconds = self._deadline - time.monotonic()
        forms = [form for name in searched_names for form in forms_of(name)]
        most_bytes = self.limits.max_file_bytes
        choose = self._known_files.choosing(forms, most_bytes, time.monotonic() + seconds / 4)
        candidates = (
            [CandidateFile((0, file.path), file, file.known.size) for file in only]
            if only
            else candidates_of(self.tree, [*languages], [], choose).files
        )
        if seconds <= 0:  # each level of a hierarchy needs a pass
            self._unsearched = max(self._unsearched, len(candidates))
            return []
        if not candidates:
            return []
        uses: list[Use] = []
        n_searched = 0
        sought = Sought(real_roots(self.tree), forms, most_bytes)
        file_seconds = most_file_seconds(self.limits.file_seconds, self.limits.seconds)
        with MentionSearch(self.tree, sought, candidates, file_seconds) as search:
            for searched in search.in_order(seconds):
                n_searched += 1
                uses += self._uses(candidates[searched.number].file, searched.mentions, keeps)
        self._unsearched = max(self._unsearched, len(candidates) - n_searched)
        return uses

    def _uses(
        self, file: IndexedFile, mentions: FileMentions | None, keeps: Callable[[Use], bool]
    ) -> list[Use]:
        """Returns the uses in one file that `keeps` accepts."""
        if mentions is None:
            return []
        if mentions.problem:
            self._unread[file.path] = mentions.problem
        ranges = (
            ranges_in_index(file) if mentions.symbols is None else ranges_read(mentions.symbols)
        )
        scopes = enclosing_scopes(ranges, [mention.start_byte for mention in mentions.mentions])
        rows = RowsInFile(file)
        uses = (
            Use(file, rows, mention.name, mention, scope)
            for mention, scope in zip(mentions.mentions, scopes, strict=True)
        )
        return [use for use in uses if keeps(use)]

    def note_unread(self, path: str, problem: str) -> None:
        """Notes that a file which the answer needs could not be read."""
        self._unread[path] = problem

    def add_unknown(self, row: Row, callers: Sequence[object]) -> None:
        """Notes callers that are left out because their receivers are of unknown type."""
        if callers:
            n_more = count_of(len(callers), "more symbol calls", "more symbols call")
            self.add_notice(
                f"{n_more} {row.name} on a receiver of unknown type: references with the option all"
                " list them"
            )

    def add_notice(self, notice: str) -> None:
        """Adds a notice to the answer."""
        self._notices.append(notice)

    def withdraw_notices(self) -> None:
        """Removes the notices added so far, where another part of the answer replaces them."""
        self._notices.clear()

    def notices(self) -> list[str]:
        """Returns the notices about what was not searched or was left out."""
        notices = [*self._notices]
        if self._unsearched:
            notices.append(
                f"out of time: {count_of(self._unsearched, 'file was', 'files were')} not searched,"
                " so there may be more"
            )
        if self._too_many:
            notices.append(
                f"{count_of(self._too_many, 'name was', 'names were')} not searched for: at most"
                f" {MOST_NAMES:,} are searched at once"
            )
        if self._unread:
            notices.append(
                tell_not_looked_into(
                    [f"{path} ({problem})" for path, problem in self._unread.items()]
                )
            )
        return notices
