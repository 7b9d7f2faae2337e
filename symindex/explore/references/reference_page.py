"""A page of references that is being filled, and the answer that it becomes."""

import re
from collections import Counter
from typing import Final

from msgspec import UNSET

from symindex.explore.references.candidates import CandidateFile
from symindex.explore.references.mention_job import FileMentions
from symindex.explore.references.module_judge import UNSURE, Verdict
from symindex.explore.references.narrowing import ReferenceJudge
from symindex.explore.references.reference_cursor import (
    FIRST_PAGE,
    Counts,
    FileKey,
    PagePosition,
    make_token,
)
from symindex.explore.references.scopes import Scope, enclosing_scopes, ranges_in_index, ranges_read
from symindex.extract.parse.roles import DEFINING
from symindex.files.skips import Skip, SkipReason, tell_not_looked_into, tell_unread
from symindex.protocol.explore import (
    ROLES,
    FileReferences,
    Reference,
    ReferencesRequest,
    ReferencesResponse,
)
from symindex.resolve.reading.excerpts import Mention
from symindex.resolve.tree import Tree
from symindex.search.answer.filters import shown_path_filter
from symindex.search.answer.nearest import suggest
from symindex.text.counts import count_of

SHOWN_MOST: Final = 5
"""Most files that are named as those with the most references."""


def is_searchable(name: str) -> bool:
    """Whether a name has the form of an identifier: the title of a test, a sign or a number has
    not."""
    return not re.search(r"[\s\0-\x1f\x7f]", name) and re.search(r"[^\W\d]", name) is not None


class ReferencePage:
    """A page that is being filled.

    Attributes:
        is_full: whether an item did not fit.
        n_searched: how many of its `n_files` files were searched completely.
        last: the last of them.
    """

    def __init__(
        self,
        request: ReferencesRequest,
        name: str,
        notices: list[str],
        before: PagePosition,
        n_files: int,
        roles: frozenset[str],
        narrowing: ReferenceJudge | None,
    ) -> None:
        self.is_full = False
        self._roles, self._narrowing = roles, narrowing
        self._by_role: Counter[str] = Counter()
        self._by_file: Counter[str] = Counter()
        self._narrowed = self._n_unknown = 0
        self._unknown: list[FileReferences] = []
        self._keys: dict[str, FileKey] = {}
        self.last: FileKey | None = None
        self.n_searched = 0
        self._request, self._name, self._notices, self._before, self._n_files = (
            request,
            name,
            notices,
            before,
            n_files,
        )
        self._files: list[FileReferences] = []
        self._n_items = 0
        self._last_item: tuple[FileKey, Reference] | None = None
        self._unread: list[str] = []

    def _goes_on_in(self, path: str) -> bool:
        """Whether the page before ended in this file."""
        return self._before.line is not None and self._before.file[1] == path

    def add(self, candidate: CandidateFile, file_mentions: FileMentions) -> None:
        """Adds the mentions in the next file."""
        path = candidate.key[1]
        if file_mentions.problem:
            self._unread.append(f"{path} ({file_mentions.problem})")
            return
        items, unknown = self._items(candidate, file_mentions)
        if self._goes_on_in(path):
            last_place = self._before.line or 0, self._before.column
            items = [item for item in items if (item.line, item.column) > last_place]
        self._by_role.update(item.role for item in items)
        if self._roles:
            items = [item for item in items if item.role in self._roles]
            unknown = [item for item in unknown if item.role in self._roles]
        language = candidate.file.known_language
        self._n_unknown += len(unknown)
        if unknown and self._keeps_unknown(len(unknown)):
            of_file = FileReferences(file_path=path, language=language, items=unknown)
            self._unknown.append(of_file)
        self._keys[path] = candidate.key
        if items:
            self._by_file[path] += len(items)
        if self.is_full:
            return
        if self._request.max_items is not None:
            room = self._request.max_items - self._n_items
            self.is_full = len(items) > room
            items = items[:room]
        if items:
            self._files.append(FileReferences(file_path=path, language=language, items=items))
            self._n_items += len(items)
            self._last_item = candidate.key, items[-1]

    def _keeps_unknown(self, n_more: int) -> bool:
        """Whether uses with receivers of unknown type may be shown: as long as there are no others
        and all of them fit."""
        most = self._request.max_items
        is_first = self._before is FIRST_PAGE and not self.is_full
        fits = most is None or self._n_unknown + self._n_items <= most
        return is_first and fits and not self._shows_uses

    @property
    def _shows_uses(self) -> bool:
        """Whether the page shows more than definitions and imports."""
        return any(
            not item.definition and item.role != "import"
            for file in self._files
            for item in file.items
        )

    def _add_unknown(self) -> None:
        """Shows the uses with receivers of unknown type, because there are no others."""
        by_path = {file.file_path: file for file in self._files}
        for file in self._unknown:
            shown = by_path.get(file.file_path)
            if shown is None:
                self._files.append(file)
            else:
                items = sorted([*shown.items, *file.items], key=lambda one: (one.line, one.column))
                shown.items[:] = items
            self._by_file[file.file_path] += len(file.items)
            self._by_role.update(item.role for item in file.items)
            self._n_items += len(file.items)
        self._files.sort(key=lambda file: self._keys[file.file_path])
        self._n_unknown = 0

    def _items(
        self, candidate: CandidateFile, file_mentions: FileMentions
    ) -> tuple[list[Reference], list[Reference]]:
        """Returns the references in a file to the symbol, or to the name, and the uses that are
        left out because nothing is known about the types of their receivers."""
        path, language = candidate.key[1], candidate.file.known_language
        ranges = (
            ranges_in_index(candidate.file)
            if file_mentions.symbols is None
            else ranges_read(file_mentions.symbols)
        )
        scopes = [
            *enclosing_scopes(ranges, [mention.start_byte for mention in file_mentions.mentions])
        ]
        pairs = [*zip(file_mentions.mentions, scopes, strict=True)]
        judged = self._judged(path, language, pairs)
        items: list[Reference] = []
        unknown: list[Reference] = []
        for mention, scope, verdict in judged:
            if verdict is Verdict.OTHER:
                self._narrowed += 1
                continue
            is_left_out = verdict is Verdict.UNKNOWN and not self._request.all
            (unknown if is_left_out else items).append(
                Reference(
                    line=mention.line,
                    column=mention.column,
                    text=mention.text,
                    container=scope.qualified_name or None,
                    definition=bool(scope.names) or mention.role in DEFINING,
                    role=scope.names or mention.role,
                    receiver=mention.receiver,
                    is_unsure=verdict in UNSURE,
                )
            )
        return items, unknown

    def _judged(
        self, path: str, language: str, pairs: list[tuple[Mention, Scope]]
    ) -> list[tuple[Mention, Scope, Verdict]]:
        """Returns the mentions of the name with a verdict each, and those under another name that
        are certain."""
        judge = self._narrowing
        if judge is None:
            return [(*pair, Verdict.IS) for pair in pairs]
        aliases = frozenset(judge.aliases)
        own = [pair for pair in pairs if pair[0].name not in aliases]
        verdicts = judge.judge(
            path, language, [mention for mention, _ in own], [scope for _, scope in own]
        )
        judged = [(*pair, verdict) for pair, verdict in zip(own, verdicts, strict=True)]
        judged += [
            (*pair, Verdict.IS)
            for pair in pairs
            if pair[0].name in aliases and judge.is_alias(path, *pair)
        ]
        return sorted(judged, key=lambda one: one[0].start_byte)

    def response(self, tree: Tree, n_candidates: int) -> ReferencesResponse:
        """Returns the answer. n_candidates: how many files all pages search."""
        previous, notices = self._before, self._notices
        is_over = not self.is_full and self.n_searched == self._n_files
        if is_over and not self._shows_uses and self._unknown and self._all_unknown_fit:
            self._add_unknown()
        shown = previous.shown + self._n_items
        n_known = previous.shown + self._by_file.total()
        if not is_over and not self.is_full:
            searched = (
                f"{self.n_searched:,} of {count_of(self._n_files, 'file was', 'files were')}"
                " searched"
            )
            counted = f"at least {count_of(shown, 'reference')}"
            notices.append(f"out of time: {counted}; {searched}, the next page goes on from there")
        if self._unread:
            notices.append(tell_not_looked_into(self._unread))
        finds_nothing = is_over and not shown
        if is_over and is_searchable(self._name):
            why = (
                _why_nothing(tree, self._request, self._name, n_candidates) if finds_nothing else ""
            )
            unread = tell_unread(
                _left_out(tree, self._request, finds_nothing), "more" if shown else "some"
            )
            notices += filter(None, [why, unread])
        similar = suggest(tree.snapshot, self._name) if finds_nothing else []
        counts = self._counts()
        roles = counts.roles if counts is not None else self._role_counts()
        return ReferencesResponse(
            request=self._request,
            name=self._name,
            files=self._files,
            total=counts.total if counts is not None else None,
            total_files=counts.files if counts is not None else None,
            at_least=counts.total if counts is not None else max(n_known, shown + self.is_full),
            has_more=not is_over,
            pagination_id=None if is_over else self._token(tree, counts),
            roles={role: count for role, count in zip(ROLES, roles, strict=True) if count},
            most=self._by_file.most_common(SHOWN_MOST),
            symbol=self._narrowing.row.id if self._narrowing is not None else "",
            narrowed=counts.narrowed if counts is not None else self._narrowed,
            unknown=counts.unknown if counts is not None else self._n_unknown,
            notices=notices or UNSET,
            suggestions=[name for name in similar if name != self._name and is_searchable(name)]
            or UNSET,
        )

    @property
    def _all_unknown_fit(self) -> bool:
        return sum(len(file.items) for file in self._unknown) == self._n_unknown

    @property
    def _goes_on(self) -> int:
        """1 if the first file of the page is the last of the page before, else 0."""
        return int(bool(self._files) and self._goes_on_in(self._files[0].file_path))

    def _role_counts(self) -> list[int]:
        return [self._by_role[role] for role in ROLES]

    def _counts(self) -> Counts | None:
        """Returns the counts of the whole answer; `None` if they are not known."""
        previous = self._before
        if not previous.is_counted or self._unread:
            return None
        if previous.counts is not None:
            return previous.counts
        if self.n_searched < self._n_files:
            return None
        return Counts(
            previous.shown + self._by_file.total(),
            previous.files + len(self._by_file) - self._goes_on,
            self._narrowed,
            self._n_unknown,
            self._role_counts(),
        )

    def _token(self, tree: Tree, counts: Counts | None) -> str:
        """Returns the token of the next page."""
        previous = self._before
        key, item = self._last_item if self.is_full and self._last_item else (self.last, None)
        assert key is not None
        position = PagePosition(
            key,
            item.line if item is not None else None,
            item.column if item is not None else 0,
            previous.shown + self._n_items,
            previous.files + len(self._files) - self._goes_on,
            previous.is_counted and not self._unread,
            counts=counts,
        )
        return make_token(self._request, self._name, tree.snapshot.generation, position)


def _why_nothing(tree: Tree, request: ReferencesRequest, name: str, n_candidates: int) -> str:
    """Explains why no file contains a name; empty if nothing explains it."""
    is_filtered = bool(request.languages or request.paths)
    if not n_candidates:
        return (
            "no file matches the filters on language and path"
            if is_filtered
            else "the index contains no file with code"
        )
    if not re.fullmatch(r"\w+", name):
        return (
            f"{name} is not a plain identifier: uses by a sign alone, like operators, are not found"
        )
    if is_filtered:
        return (
            f"the filters on language and path leave {n_candidates:,} of"
            f" {count_of(tree.snapshot.n_files, 'file')}"
        )
    return ""


def _left_out(tree: Tree, request: ReferencesRequest, finds_nothing: bool) -> list[Skip]:
    """Returns the files that pass the filters but were not read for the index. Minified files count
    only if nothing was found."""
    lets_through = shown_path_filter(request.paths or [], tree.snapshot)
    languages = {tree.languages.id_of(word) for word in request.languages or ()}
    return [
        skip
        for skip in tree.unread()
        if (finds_nothing or skip.reason != SkipReason.MINIFIED)
        and lets_through(skip.path)
        and (
            not languages
            or any(language.id in languages for language in tree.languages.by_name(skip.path))
        )
    ]
