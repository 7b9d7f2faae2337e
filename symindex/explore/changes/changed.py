"""Answers a request for the symbols that changed since a commit.

git lists the blobs of the commit; a file differs if its own hash does, so nothing that a repository
configures is run. Symbols are compared by their own text, without blanks and without the symbols in
them: a class whose method has changed has not changed itself.
"""

import hashlib
import os
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from symindex.cancellation import check_wanted
from symindex.errors import RequestError
from symindex.explore.changes.version_job import Difference, Versions
from symindex.explore.changes.versions import (
    MOST_RENAMED_BYTES,
    MOST_RENAMED_FILES,
    VersionPool,
    find_renames,
)
from symindex.explore.chosen_paths import choose_paths, given_paths
from symindex.explore.git_objects import Repository, check_revision, open_repository
from symindex.explore.relations.tests_of import tests_of
from symindex.explore.relations.uses import Limits, UseSearch
from symindex.explore.targets.lines import line_of
from symindex.extract.documents.formats import load_formats
from symindex.protocol.changes import ChangedFile, ChangedRequest, ChangedResponse, ChangedSymbol
from symindex.protocol.kinds import SymbolFlag
from symindex.protocol.search import add_notices
from symindex.requests import check_limit
from symindex.resolve.tree import (
    IndexedFile,
    Row,
    Tree,
    find_file,
    indexed_files,
    language_of,
    place_of,
    read_bytes,
    rows_of,
)
from symindex.text.counts import count_of

MOST_TESTED: Final = 10
"""Most changed symbols whose tests are searched."""

MOST_TESTS: Final = 3

MOST_SUBMODULES: Final = 100
"""Most submodules of a root that are compared: each takes several calls of git."""


class _Root(NamedTuple):
    """A root or submodule with its repository.

    Attributes:
        prefix: of its shown paths.
        above: prefix of its paths in the repository.
        top: its folder.
    """

    prefix: str
    repository: Repository
    above: str
    commit: str
    top: Path


def changed(tree: Tree, request: ChangedRequest, limits: Limits) -> ChangedResponse:
    """Answers a request. Raises RequestError if git, the repository or the commit is missing."""
    check_limit("max_items", request.max_items)
    check_revision(request.since)
    roots: list[_Root] = []
    notices: list[str] = []
    for prefix, root in _roots_of(tree, request.path).items():
        repository, above = open_repository(Path(os.path.realpath(root)))
        commit = _commit_of(repository, request.since)
        base = repository.merge_base(commit) if request.since != "HEAD" else commit
        if base != commit:
            parted = (
                f"`{request.since}` is not an ancestor of the current commit: compared with"
                f" {base[:12]}, where their histories diverge"
            )
            notices.append(f"{prefix}: {parted}" if prefix else parted)
        roots.append(_Root(prefix, repository, above, base, root))
    sides = [_both_sides(tree, root, notices) for root in roots]
    keeps = _filter(tree, request, [path for side in sides for path in side], notices)
    pairs = [
        pair
        for side in sides
        for pair in _with_renames(
            tree, _differing(tree, side, keeps, limits.max_file_bytes), limits, notices
        )
    ]
    response = ChangedResponse(
        request=request, commit=roots[0].commit if roots else "", files=[], total=0
    )
    add_notices(response, notices)
    _compare(tree, pairs, response, limits)
    if request.tests:
        _add_tests(tree, response, limits)
    return response


_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d")


def _commit_of(repository: Repository, since: str) -> str:
    """Returns the commit that a revision means, or the last one before a date."""
    try:
        return repository.commit(since)
    except RequestError:
        if not _DATE.fullmatch(since):
            raise
        return repository.commit_before(since)


class _Pair(NamedTuple):
    """A file that differs.

    Attributes:
        blob, size: of the old version; empty if there was none.
        is_there: whether there is a new version.
        was: its path in the commit, if renamed.
    """

    path: str
    root: _Root
    blob: str
    size: int
    is_there: bool
    language: str
    was: str = ""


class _Side(NamedTuple):
    """Both versions of a file. blob, size: in the commit, empty if it was not there. file: now,
    `None` if it is gone."""

    root: _Root
    blob: str
    size: int
    file: IndexedFile | None


def _roots_of(tree: Tree, path: str | list[str]) -> dict[str, Path]:
    """Returns the roots that the request's paths begin with, or all if none do."""
    prefixes = [
        prefix
        for prefix in tree.roots
        if prefix
        and any(
            f"{entry}/".startswith(prefix)
            for entry in given_paths(tree, path)
            if not entry.startswith("!")
        )
    ]
    return {
        prefix: root for prefix, root in tree.roots.items() if not prefixes or prefix in prefixes
    }


def _both_sides(tree: Tree, root: _Root, notices: list[str]) -> dict[str, _Side]:
    """Returns the old and new versions of the files of a root and its submodules, ordered by shown
    path. notices: those about submodules are added."""
    new = {file.path: file for file in indexed_files(tree) if file.path.startswith(root.prefix)}
    sides: dict[str, _Side] = {}
    waiting, n_submodules = [root], 0
    while waiting:
        current = waiting.pop()
        old = current.repository.files(current.commit, current.above)
        sides |= {
            current.prefix + inside: _Side(current, *blob, None)
            for inside, blob in old.files.items()
        }
        for inside, commit in old.links.items():
            check_wanted()
            path = current.prefix + inside
            if not os.path.lexists(current.top / inside / ".git"):
                if not os.path.lexists(current.top / inside):
                    notices.append(
                        f"{path}: the submodule was removed; its content is not compared"
                    )
                # git leaves its folder empty until it is checked out; files of another kind are new
                continue
            n_submodules += 1
            submodule = (
                _submodule(tree, path, commit, notices) if n_submodules <= MOST_SUBMODULES else None
            )
            if submodule is not None:
                waiting.append(submodule)
            else:
                new = {
                    shown: file for shown, file in new.items() if not shown.startswith(f"{path}/")
                }
    if n_submodules > MOST_SUBMODULES:
        notices.append(
            f"{n_submodules:,} submodules: the first {MOST_SUBMODULES} were compared, the others"
            " are left out"
        )
    for path, file in new.items():
        sides[path] = sides[path]._replace(file=file) if path in sides else _Side(root, "", 0, file)
    return dict(sorted(sides.items()))


def _submodule(tree: Tree, path: str, commit: str, notices: list[str]) -> _Root | None:
    """Returns the submodule at a path, to compare it with the commit that its parent names; `None`
    if git cannot read it."""
    try:
        repository, above = open_repository(Path(os.path.realpath(place_of(tree, path))))
        now = repository.commit("HEAD")
        repository.commit(commit)
    except RequestError as error:
        notices.append(f"{path}: a submodule that is not compared: {error}")
        return None
    if now != commit:
        notices.append(f"{path}: the submodule is at commit {now[:12]}, and was at {commit[:12]}")
    return _Root(f"{path}/", repository, above, commit, place_of(tree, path))


def _filter(
    tree: Tree, request: ChangedRequest, all_paths: list[str], notices: list[str]
) -> Callable[[str], bool]:
    """Returns a function that tells which files a request selects. notices: those about its paths
    are added. Raises RequestError if they match nothing."""
    if not request.path:
        return lambda _: True
    chosen = choose_paths(tree, request.path, all_paths)
    if chosen.unmatched and not any(map(chosen.keeps, all_paths)):
        raise RequestError(
            f"no file, now or in {request.since}, is or matches {', '.join(chosen.unmatched)}"
        )
    notices += chosen.notices
    return chosen.keeps


def _differing(
    tree: Tree, sides: dict[str, _Side], keeps: Callable[[str], bool], most_bytes: int
) -> list[_Pair]:
    """Returns the files of a root that differ from the commit."""
    pairs: list[_Pair] = []
    for number, (shown, (root, blob, size, file)) in enumerate(sides.items()):
        if not number % 256:
            check_wanted()
        if not keeps(shown):
            continue
        language = file.known_language if file is not None else language_of(tree, shown)
        if file is not None and blob and not _differs(tree, shown, blob, most_bytes):
            continue
        is_there = file is not None
        if not is_there and os.path.lexists(root.top / shown.removeprefix(root.prefix)):
            continue  # it exists and is not indexed
        if language in tree.languages.by_id or language in load_formats().by_id:
            pairs.append(_Pair(shown, root, blob, size, is_there, language))
    return pairs


def _with_renames(
    tree: Tree, pairs: list[_Pair], limits: Limits, notices: list[str]
) -> list[_Pair]:
    """Returns the pairs with each renamed file as one pair, instead of a new and a removed file."""
    all_gone = [pair for pair in pairs if not pair.is_there and pair.size]
    all_new = [pair for pair in pairs if pair.is_there and not pair.blob]
    if not all_gone or not all_new:
        return pairs
    gone = [pair for pair in all_gone if pair.size <= MOST_RENAMED_BYTES]
    new = [pair for pair in all_new if not _is_larger(tree, pair.path, MOST_RENAMED_BYTES)]
    n_large = len(all_gone) - len(gone) + len(all_new) - len(new)
    if n_large:
        are = count_of(n_large, "file is", "files are")
        notices.append(
            f"{are} gone or new and larger than {MOST_RENAMED_BYTES:,} bytes: not compared for"
            " renames"
        )
    if not gone or not new:
        return pairs
    if max(len(gone), len(new)) > MOST_RENAMED_FILES:
        notices.append(
            f"{len(gone):,} files are gone and {len(new):,} are new, more than"
            f" {MOST_RENAMED_FILES:,}: renamed ones were not searched for"
        )
        return pairs
    contents: list[tuple[str, bytes]] = []
    for pair in new:
        data = b""
        with suppress(RequestError):
            data = read_bytes(tree, pair.path, min(limits.max_file_bytes, MOST_RENAMED_BYTES))
        contents.append((pair.path, data))
    renames = find_renames(
        [(pair.path, pair.root.repository.blob(pair.blob, pair.size)) for pair in gone], contents
    )
    moved = {new[number].path: gone[old_number] for number, old_number in renames.items()}
    renamed_paths = {pair.path for pair in moved.values()}
    result = []
    for pair in pairs:
        if pair.is_there and (was := moved.get(pair.path)) is not None:
            result.append(pair._replace(blob=was.blob, size=was.size, root=was.root, was=was.path))
        elif pair.is_there or pair.path not in renamed_paths:
            result.append(pair)
    return result


def _is_larger(tree: Tree, path: str, most_bytes: int) -> bool:
    if path in tree.texts:
        return len(tree.texts[path]) > most_bytes
    try:
        return os.path.getsize(place_of(tree, path)) > most_bytes
    except (OSError, RequestError):  # it is gone, or leads out of its root
        return False


def _differs(tree: Tree, path: str, blob: str, most_bytes: int) -> bool:
    """Whether a file differs from a blob, by the hash that git would compute."""
    try:
        data = read_bytes(tree, path, most_bytes)
    except RequestError:
        return True
    make = hashlib.sha256 if len(blob) == 64 else hashlib.sha1
    return make(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest() != blob


def _compare(tree: Tree, pairs: list[_Pair], response: ChangedResponse, limits: Limits) -> None:
    unread: dict[int, str] = {}

    def versions(number: int) -> Versions:
        pair = pairs[number]
        try:
            return _versions(tree, pair, limits.max_file_bytes)
        except RequestError as error:
            unread[number] = str(error).removeprefix(f"{pair.path}: ")
            return Versions(pair.language, b"", b"", pair.path, pair.path)

    results: dict[int, list[Difference] | str] = {}
    if pairs:
        with VersionPool(tree.languages, len(pairs), versions, limits.file_seconds) as pool:
            results = dict(pool.all())
    n_left = response.request.max_items
    for number, pair in enumerate(pairs):
        differences = unread.get(number) or results[number]
        if isinstance(differences, str):
            add_notices(response, [f"{pair.path}: {differences}"])
            differences = []
        elif not differences and pair.language not in tree.languages.by_id and number not in unread:
            continue  # a document of which no section has changed
        status = (
            "renamed"
            if pair.was
            else "removed"
            if not pair.is_there
            else "changed"
            if pair.blob
            else "added"
        )
        symbols = [
            ChangedSymbol(
                name=difference.name,
                kind=difference.kind,
                status=difference.status,
                line=difference.line,
            )
            for difference in differences
        ]
        response.total += len(symbols)
        response.total_files += 1
        if n_left or not symbols:
            file = ChangedFile(file_path=pair.path, status=status, symbols=symbols[:n_left])
            if pair.was:
                file.renamed_from = pair.was
            response.files.append(file)
        n_left = max(0, n_left - len(symbols))


def _versions(tree: Tree, pair: _Pair, most_bytes: int) -> Versions:
    """Returns both versions of a file. Raises RequestError if one cannot be read."""
    if pair.size > most_bytes:
        raise RequestError(
            f"had more than {most_bytes:,} bytes in the commit, the most that is read of a file"
        )
    old = pair.root.repository.blob(pair.blob, pair.size) if pair.blob else b""
    new = read_bytes(tree, pair.path, most_bytes) if pair.is_there else b""
    return Versions(pair.language, old, new, pair.was or pair.path, pair.path)


def _add_tests(tree: Tree, response: ChangedResponse, limits: Limits) -> None:
    """Adds the tests of the first symbols that are not tests themselves."""
    n_left, is_cut = MOST_TESTED, False
    search = UseSearch(tree, limits)
    for file in response.files:
        indexed = find_file(tree, file.file_path)
        rows = (
            {(row.qualified_name, row.line): row for row in rows_of(indexed)}
            if indexed is not None
            else {}
        )
        for symbol in file.symbols:
            row: Row | None = rows.get((symbol.name, symbol.line))
            if row is None or symbol.status == "removed" or row.flags & SymbolFlag.TEST:
                continue
            if n_left <= 0:
                add_notices(
                    response,
                    [
                        f"tests were searched only for the first {MOST_TESTED} symbols",
                        *_tell_cut(is_cut),
                        *search.notices(),
                    ],
                )
                return
            n_left -= 1
            tests = [related.row for related in tests_of(search, row) if related.row is not None]
            is_cut |= len(tests) > MOST_TESTS
            symbol.tests = [line_of(test, id=test.id) for test in tests[:MOST_TESTS]]
    add_notices(response, [*_tell_cut(is_cut), *search.notices()])


def _tell_cut(is_cut: bool) -> list[str]:
    return [f"only the {MOST_TESTS} likeliest tests of a symbol are listed"] if is_cut else []
