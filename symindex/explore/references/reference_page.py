"""A page of references that is being filled, and the answer that it becomes."""

import re
from collections import Counter
from typing import Final

from msgspec import UNSET

from symindex.explore.references.candidates import CandidateFile
from symindex.explore.references.mention_job import FileMentions
from symindex.explore.references.module_judge import UNSURE, Verdict
from symindex.explore.references.narrowing import Judgement, ReferenceJudge
from symindex.explore.references.reference_cursor import (
    FIRST_FILE,
    FIRST_PAGE,
    Counts,
    FileKey,
    PagePosition,
    make_token,
)
from symindex.explore.references.scopes import Scope, enclosing_scopes, ranges_in_index, ranges_read
from symindex.extract.parse.roles import CALL, DEFINING
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
    """A page that is being filled: with certain items in all files, then with uncertain ones.

    Attributes:
        is_full: whether an item did not fit.
        lists_unsure: whether all certain items were found, so that uncertain ones follow.
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
        self.lists_unsure: bool = before.is_unsure
        self._roles, self._narrowing = roles, narrowing
        self._by_role: Counter[str] = Counter()
        self._by_file: Counter[str] = Counter()
        self._narrowed = self._n_unknown = self._n_unsure = 0
        # What a first page finds before it has found all certain items: uncertain ones, and uses
        # with receivers of unknown type.
        self._later: list[tuple[CandidateFile, list[Reference]]] = []
        self._unknown: list[tuple[CandidateFile, list[Reference]]] = []
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
        self._again: set[str] = set()
        self._n_items = 0
        self._last_item: tuple[FileKey, Reference] | None = None
        self._unread: list[str] = []

    @property
    def is_first(self) -> bool:
        """Whether it is the first page of the answer."""
        return self._before is FIRST_PAGE

    def _goes_on_in(self, path: str) -> bool:
        """Whether the page before ended in this file."""
        before = self._before
        is_same_part = before.is_unsure == self.lists_unsure
        return is_same_part and before.line is not None and before.file[1] == path

    def add(self, candidate: CandidateFile, file_mentions: FileMentions) -> None:
        """Adds the mentions in the next file."""
        path = candidate.key[1]
        if file_mentions.problem:
            self._unread.append(f"{path} ({file_mentions.problem})")
            return
        items, unknown = self._items(candidate, file_mentions)
        sure = [item for item in items if not item.is_unsure]
        unsure = [item for item in items if item.is_unsure]
        shown = unsure if self.lists_unsure else sure
        goes_on = self._goes_on_in(path)
        if goes_on:
            last_place = self._before.line or 0, self._before.column
            shown = [item for item in shown if (item.line, item.column) > last_place]
        counted = items if self.is_first else shown
        self._by_role.update(item.role for item in counted)
        sure, unsure, shown, counted, unknown = map(
            self._selected, (sure, unsure, shown, counted, unknown)
        )
        if path not in self._by_file and (goes_on or (self.lists_unsure and sure)):
            self._again.add(path)
        if counted:
            self._by_file[path] += len(counted)
        if self.is_first:
            self._n_unsure += len(unsure)
            self._n_unknown += len(unknown)
            self._keep(candidate, unsure, unknown)
        self._put(candidate, shown)

    def _selected(self, items: list[Reference]) -> list[Reference]:
        """Returns the items with the requested roles."""
        return [item for item in items if item.role in self._roles] if self._roles else items

    def _put(self, candidate: CandidateFile, items: list[Reference]) -> None:
        """Shows the items of a file, as far as they fit."""
        if self.is_full or not items:
            return
        if self._request.max_items is not None:
            room = self._request.max_items - self._n_items
            self.is_full = len(items) > room
            items = items[:room]
        if items:
            path, language = candidate.key[1], candidate.file.known_language
            self._files.append(FileReferences(file_path=path, language=language, items=items))
            self._n_items += len(items)
            self._last_item = candidate.key, items[-1]

    def _keep(
        self, candidate: CandidateFile, unsure: list[Reference], unknown: list[Reference]
    ) -> None:
        """Keeps what may follow the certain items on a first page: as many as could fit, and those
        with receivers of unknown type as long as there are no others and all of them fit."""
        most = self._request.max_items
        n_kept = sum(len(items) for _, items in self._later)
        if unsure and not self.is_full and (most is None or n_kept <= most):
            self._later.append((candidate, unsure))
        fits = most is None or self._n_unknown + self._n_items <= most
        if unknown and not self.is_full and fits and not self._shows_uses:
            self._unknown.append((candidate, unknown))

    @property
    def _shows_uses(self) -> bool:
        """Whether the page shows, or can show, more than definitions and imports."""
        every = [file.items for file in self._files] + [items for _, items in self._later]
        return any(
            not item.definition and item.role != "import" for items in every for item in items
        )

    def list_unsure(self, n_files: int) -> bool:
        """Goes on with uncertain items, after all certain ones were found. Returns whether their
        `n_files` files must be searched again: not on a first page, which has kept them."""
        self.lists_unsure = True
        counts = self._before.counts
        may_follow = self._narrowing is not None and (counts is None or counts.unsure > 0)
        if not self.is_first:
            if not may_follow:
                return False
            self.n_searched, self._n_files, self.last = 0, n_files, None
            return True
        all_kept = sum(len(items) for _, items in self._unknown) == self._n_unknown
        if self._unknown and all_kept and not self._shows_uses:
            self._add_unknown()
        for candidate, items in self._later:
            self._put(candidate, items)
        return False

    def _add_unknown(self) -> None:
        """Counts the uses with receivers of unknown type as uncertain ones, because there are no
        others."""
        for candidate, items in self._unknown:
            self._by_file[candidate.key[1]] += len(items)
            self._by_role.update(item.role for item in items)
        self._later = sorted([*self._later, *self._unknown], key=lambda kept: kept[0].key)
        self._n_unsure += self._n_unknown
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
        for mention, scope, judgement in judged:
            verdict = judgement.verdict
            if verdict is Verdict.OTHER:
                self._narrowed += 1
                continue
            is_left_out = verdict is Verdict.UNKNOWN and not self._request.all
            is_handed_on = mention.role in DEFINING and judgement.bound is not None
            is_definition = bool(scope.names or mention.role in DEFINING) and not is_handed_on
            judge = self._narrowing
            says_why = self._request.why and judge is not None and not is_definition
            (unknown if is_left_out else items).append(
                Reference(
                    line=mention.line,
                    column=mention.column,
                    text=mention.text,
                    container=scope.qualified_name or None,
                    definition=is_definition,
                    role=CALL if is_handed_on else scope.names or mention.role,
                    receiver=mention.receiver,
                    is_unsure=verdict in UNSURE,
                    others=judgement.others,
                    rule=judge.rule(path, mention, judgement) if judge and says_why else "",
                )
            )
        return items, unknown

    def _judged(
        self, path: str, language: str, pairs: list[tuple[Mention, Scope]]
    ) -> list[tuple[Mention, Scope, Judgement]]:
        """Returns the mentions of the name with a judgement each, and those under another name that
        are certain."""
        judge = self._narrowing
        if judge is None:
            return [(*pair, Judgement(Verdict.IS)) for pair in pairs]
        aliases = frozenset(judge.aliases)
        own = [pair for pair in pairs if pair[0].name not in aliases]
        judgements = judge.judgements(
            path, language, [mention for mention, _ in own], [scope for _, scope in own]
        )
        judged = [(*pair, one) for pair, one in zip(own, judgements, strict=True)]
        judged += [
            (*pair, judgement)
            for pair in pairs
            if pair[0].name in aliases and (judgement := judge.judge_alias(path, *pair))
        ]
        return sorted(judged, key=lambda one: one[0].start_byte)

    def response(self, tree: Tree, n_candidates: int) -> ReferencesResponse:
        """Returns the answer. n_candidates: how many files all pages search."""
        previous, notices = self._before, self._notices
        is_over = self.lists_unsure and not self.is_full and self.n_searched == self._n_files
        shown = previous.shown + self._n_items
        n_known = previous.shown + self._by_file.total()
        if not is_over and not self.is_full:
            searched = (
                f"{self.n_searched:,} of {count_of(self._n_files, 'file was', 'files were')}"
                " searched"
            )
            counted = f"at least {count_of(n_known, 'reference')}"
            later = "; uncertain references follow all certain ones" if self._later else ""
            notices.append(
                f"out of time: {counted}; {searched}, the next page goes on from there{later}"
            )
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
            previous.files + len(self._by_file.keys() - self._again),
            self._narrowed,
            self._n_unknown,
            self._n_unsure,
            self._role_counts(),
        )

    def _token(self, tree: Tree, counts: Counts | None) -> str:
        """Returns the token of the next page."""
        previous = self._before
        key, item = self._last_item if self.is_full and self._last_item else (self.last, None)
        paths = {file.file_path for file in self._files}
        position = PagePosition(
            key or FIRST_FILE,
            item.line if item is not None else None,
            item.column if item is not None else 0,
            previous.shown + self._n_items,
            previous.files + len(paths - self._again),
            previous.is_counted and not self._unread,
            item.is_unsure if item is not None else self.lists_unsure,
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
