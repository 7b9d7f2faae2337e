"""Answers a request for the places where an identifier occurs in code.

Nothing of this is stored but which files may contain a name (`known_files`). Each request searches
these until the page is full: first their bytes for the name, then the identifiers of those that
contain it. A first page goes on briefly, to count the rest.
"""

import os
import re
import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

import msgspec
from msgspec import UNSET

from symindex.errors import RequestError, one_of
from symindex.explore.references.candidates import CandidateFile, candidates_of, order_of
from symindex.explore.references.known_files import KnownFiles
from symindex.explore.references.mention_job import FileMentions, MentionSetup
from symindex.explore.references.mentions import MentionSearch
from symindex.explore.references.module_judge import Verdict
from symindex.explore.references.narrowing import ReferenceJudge
from symindex.explore.references.reference_cursor import (
    FIRST_PAGE,
    Counts,
    FileKey,
    PagePosition,
    make_token,
    read_token,
)
from symindex.explore.references.scopes import Scope, enclosing_scopes, ranges_in_index, ranges_read
from symindex.explore.targets.target import file_not_there, find_target, refuse_left_out
from symindex.extract.languages.registry import pack_languages
from symindex.extract.parse.roles import DEFINING
from symindex.files.skips import Skip, SkipReason, tell_not_looked_into, tell_unread
from symindex.protocol.explore import (
    ROLES,
    FileReferences,
    Reference,
    ReferencesRequest,
    ReferencesResponse,
)
from symindex.requests import check_request
from symindex.resolve.excerpts import Mention
from symindex.resolve.tree import Tree
from symindex.search.answer.filters import shown_path_filter
from symindex.search.answer.nearest import suggest
from symindex.text.counts import count_of
from symindex.text.escaping import shorten
from symindex.text.patterns.whole_words import forms_of
from symindex.text.separators import BETWEEN_NAMES
from symindex.workers.pool import LEAST_FILE_SECONDS

MOST_NAME: Final = 4_000
"""Longest name with its qualifiers, in characters."""

COUNT_SECONDS: Final = 1.5
"""Longest time that a full first page continues to count, in seconds."""

SHOWN_MOST: Final = 5
"""Most files that are named as those with the most references."""


def find_references(
    tree: Tree,
    request: ReferencesRequest,
    max_file_bytes: int,
    file_seconds: float,
    *,
    seconds: float,
    progress: Callable[[int, int], object] | None = None,
) -> ReferencesResponse:
    """Answers a request. Raises RequestError for a request that is not valid, StorageError if no
    process can be started.

    Args:
        max_file_bytes: larger files are not searched.
        file_seconds: limit of processor time for one file; the answer names files that exceed it.
        seconds: limit for all; the token of the answer goes on from there.
        progress: called with the number of finished files and the number of all.
    """
    check_request(request)
    request = _with_name(tree, request, max_file_bytes)
    name = last_part(request.name)
    roles = _roles(request)
    narrowing = _narrowing(tree, request, max_file_bytes)
    candidates, notices = candidates_of(tree, request.languages, request.paths)
    if narrowing is not None and (
        notice := file_not_there(tree, request.name.strip(), narrowing.row)
    ):
        notices.insert(0, notice)
    if narrowing is None and name != unicodedata.normalize("NFC", request.name.strip()):
        refuse_left_out(tree, request.name.strip())
        notices.insert(
            0, f"only {name} is searched for, the last part of {shorten(request.name.strip(), 100)}"
        )
    first, previous = 0, FIRST_PAGE
    if request.pagination_id is not None:
        first, previous = read_token(
            request, name, tree.snapshot.generation, [candidate.key for candidate in candidates]
        )
        if previous.has_changed:
            notices.append(
                "the index has changed since the last page; this one goes on after the last place"
                " shown"
            )
    if not is_searchable(name):
        notices.append(
            f"{shorten(name, 100)} is not an identifier: only identifiers are searched for"
        )
        candidates = []
    page = _Page(request, name, notices, previous, len(candidates[first:]), roles, narrowing)
    names = [name, *(narrowing.aliases if narrowing is not None else ())]
    counts_until = time.monotonic() + min(COUNT_SECONDS, seconds / 2)
    with _search_of(
        tree, names, candidates[first:], max_file_bytes, file_seconds, seconds
    ) as search:
        for searched in search.in_order(seconds, progress):
            candidate = candidates[first + searched.number]
            if searched.mentions is not None:
                page.add(candidate, searched.mentions)
            if page.is_full and (previous is not FIRST_PAGE or time.monotonic() > counts_until):
                break
            page.n_searched, page.last = searched.number + 1, candidate.key
    return page.response(tree, len(candidates))


def _search_of(
    tree: Tree,
    names: Sequence[str],
    candidates: Sequence[CandidateFile],
    max_file_bytes: int,
    file_seconds: float,
    seconds: float,
) -> MentionSearch:
    """Returns a search for names in the files that may contain one."""
    roots = [os.fsencode(os.path.realpath(root)) for root in tree.roots.values()]
    forms = [form for one in names for form in forms_of(one)]
    deadline = time.monotonic() + seconds / 4
    return MentionSearch(
        MentionSetup(roots, pack_languages(tree.languages), forms, max_file_bytes),
        min(file_seconds, max(seconds / 2, LEAST_FILE_SECONDS)),
        [candidate.size for candidate in candidates],
        lambda number: order_of(tree, candidates[number]),
        without=KnownFiles(tree).without(forms, candidates, max_file_bytes, deadline),
    )


def _with_name(tree: Tree, request: ReferencesRequest, max_file_bytes: int) -> ReferencesRequest:
    """Returns the request with a place (`app.py:12`) replaced by the id of its symbol, and a call
    (`App.run()`) by its name."""
    text = request.name.strip()
    if _PLACE.fullmatch(text):
        rows = find_target(tree, text, max_file_bytes).rows
        if not rows:
            raise RequestError(
                f"{shorten(text, 100)} is in no symbol: give a line of one, or a name"
            )
        return msgspec.structs.replace(request, name=rows[0].id)
    call = _CALL.fullmatch(text)
    return msgspec.structs.replace(request, name=call[1]) if call is not None else request


_PLACE: Final = re.compile(r"[^#]{1,1000}\.\w{1,20}:\d{1,9}")
_CALL: Final = re.compile(r"(.{0,1000}\w[?!]?)(?<!operator)\([^()]{0,1000}\)?")


def last_part(text: str) -> str:
    """Returns the identifier at the end of a name, a qualified name or an id. Raises RequestError
    if there is none."""
    text = unicodedata.normalize("NFC", text.strip())
    if not text:
        raise RequestError("the name is empty: give an identifier, as `parse` or `Parser.parse`")
    if len(text) > MOST_NAME:
        raise RequestError(
            f"the name {shorten(text, 100)} has {len(text):,} characters: at most {MOST_NAME:,} are"
            " searched for"
        )
    path, mark, rest = text.partition("#")
    if mark and path and not path.endswith((".", ":")):
        text = re.sub(r"~\d+\Z", "", rest) or text
    return BETWEEN_NAMES.split(text)[-1]


def is_searchable(name: str) -> bool:
    """Whether a name has the form of an identifier: the title of a test, a sign or a number has
    not."""
    return not re.search(r"[\s\0-\x1f\x7f]", name) and re.search(r"[^\W\d]", name) is not None


def _roles(request: ReferencesRequest) -> frozenset[str]:
    """Returns the roles that a request selects; empty for all."""
    words = [request.role] if isinstance(request.role, str) else request.role or []
    roles = [_ROLE_WORDS.get(word.lower(), word.lower()) for word in words]
    for word in roles:
        if word not in ROLES:
            raise one_of("role", word, ROLES)
    return frozenset(roles)


_ROLE_WORDS: Final = {
    "calls": "call",
    "caller": "call",
    "callers": "call",
    "imports": "import",
    "types": "type",
    "inherits": "inherit",
    "extends": "inherit",
    "implements": "inherit",
    "reads": "read",
    "writes": "write",
    "definitions": "definition",
    "declarations": "declaration",
    "decl": "declaration",
    "def": "definition",
}


def _narrowing(
    tree: Tree, request: ReferencesRequest, max_file_bytes: int
) -> ReferenceJudge | None:
    """Returns the judge of a symbol's references; `None` for a bare name, and for one that several
    symbols have. A qualified name must match the end of the symbol's own: `requests.get` is not
    just any function `get`."""
    path, mark, _ = request.name.partition("#")
    is_id = bool(mark and path) and not path.endswith((".", ":"))
    parts = [part for part in BETWEEN_NAMES.split(request.name.strip()) if part]
    if not is_id and len(parts) < 2:
        return None
    try:
        target = find_target(tree, request.name, max_file_bytes)
    except RequestError:
        return None
    if not target.is_sure or not target.rows:
        return None
    row = target.rows[0]
    return (
        ReferenceJudge(tree, row)
        if is_id or f".{row.qualified_name}".endswith(f".{parts[-2]}.{parts[-1]}")
        else None
    )


class _Page:
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
        self._narrowed = 0
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
        items = self._items(candidate, file_mentions)
        if self._goes_on_in(path):
            last_place = self._before.line or 0, self._before.column
            items = [item for item in items if (item.line, item.column) > last_place]
        self._by_role.update(item.role for item in items)
        if self._roles:
            items = [item for item in items if item.role in self._roles]
        if items:
            self._by_file[path] += len(items)
        if self.is_full:
            return
        if self._request.max_items is not None:
            room = self._request.max_items - self._n_items
            self.is_full = len(items) > room
            items = items[:room]
        if items:
            self._files.append(
                FileReferences(file_path=path, language=candidate.file.known_language, items=items)
            )
            self._n_items += len(items)
            self._last_item = candidate.key, items[-1]

    def _items(self, candidate: CandidateFile, file_mentions: FileMentions) -> list[Reference]:
        """Returns the references in a file to the symbol, or to the name."""
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
        items = []
        for mention, scope, verdict in judged:
            if verdict is Verdict.OTHER:
                self._narrowed += 1
                continue
            items.append(
                Reference(
                    line=mention.line,
                    column=mention.column,
                    text=mention.text,
                    container=scope.qualified_name or None,
                    definition=bool(scope.names) or mention.role in DEFINING,
                    role=scope.names or mention.role,
                    receiver=mention.receiver,
                    is_unsure=verdict is Verdict.MAY_BE,
                )
            )
        return items

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
            notices=notices or UNSET,
            suggestions=[name for name in similar if name != self._name and is_searchable(name)]
            or UNSET,
        )

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
