"""The hits of a text in files: all files read in this process, or those
with code read and parsed by workers.

A plain look for bytes is faster here than anywhere else: reading is most of it. Only a parser can tell whether a hit stands in a
string or a comment, and parsers run in processes of their own.
"""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from typing import Final, NamedTuple

from symindex.explore.candidates import Candidate, candidates_of, order_of
from symindex.explore.excerpts import Mention, excerpts
from symindex.explore.mention_job import MentionSetup, SoughtText, SymbolRange
from symindex.explore.mentions import MentionSearch
from symindex.explore.tree import IndexedFile, Tree, find_file
from symindex.extract.file_text import BINARY_BYTES, digest_of, to_utf8
from symindex.extract.languages.registry import pack_languages
from symindex.extract.path_flags import path_flags
from symindex.files.access.beneath import Beneath
from symindex.protocol.grep import GrepRequest
from symindex.protocol.kinds import SymbolFlag
from symindex.search.filters import shown_path_filter
from symindex.search.unindexed.prefilter import recode
from symindex.text.byte_pattern import MOST_LINES, BytePattern
from symindex.workers.cancellation import check_wanted

_ASIDE: Final = (SymbolFlag.TEST | SymbolFlag.GENERATED | SymbolFlag.VENDORED).value

FileKey = tuple[int, str]
"""The order of files: 0 for production code, 1 for other text, 2 for tests, copies and generated code; then by path."""


class FileHits(NamedTuple):
    """The hits of one file. file: of the index, `None` where it is not there. symbols: read from the file where that is not as
    indexed; `None` where the index has them. n_lines: how many lines have one, at most MOST_LINES."""

    key: FileKey
    file: IndexedFile | None
    mentions: list[Mention]
    symbols: list[SymbolRange] | None = None
    has_changed: bool = False


class Scan:
    """A look through all files for a text. paths: those with a hit, in order, by how many lines. Files that could not be read, or
    were not because the time was over, are counted.

    seconds: for all files.
    """

    def __init__(self, tree: Tree, request: GrepRequest, pattern: BytePattern, max_bytes: int, seconds: float) -> None:
        self._tree, self._pattern, self._max_bytes = tree, pattern, max_bytes
        self.unread: list[str] = []
        self.n_files = self.n_searched = 0
        counts = self._look(listed_paths(tree, request), time.monotonic() + seconds)
        keyed = [(_key(tree, path), count) for path, count in counts]
        self.counts: list[tuple[FileKey, int]] = sorted(keyed)

    def _look(self, paths: Sequence[tuple[str, str]], deadline: float) -> list[tuple[str, int]]:
        """paths: prefixes of roots, and the paths there."""
        found: list[tuple[str, int]] = []
        self.n_files = len(paths)
        with ExitStack() as stack:
            trees = {prefix: stack.enter_context(Beneath(os.path.realpath(root))) for prefix, root in self._tree.roots.items()}
            for number, (prefix, path) in enumerate(paths):
                if not number % _CHECKED_EACH:
                    check_wanted()
                    if time.monotonic() > deadline:
                        return found
                shown = prefix + path
                data = self._tree.texts.get(shown)
                if data is None:
                    try:
                        data = trees[prefix].read(path, self._max_bytes)
                    except FileNotFoundError:
                        continue
                    except OSError as error:
                        self.unread.append(f"{shown} ({error.strerror or error})")
                        continue
                    finally:
                        self.n_searched = number + 1
                text = recode(data)
                if self._pattern.holds(text) and text.find(b"\0", 0, BINARY_BYTES) < 0:
                    count = len(self._pattern.first_of_lines(to_utf8(data)[0], MOST_LINES))
                    if count:
                        found.append((shown, count))
        return found

    def hits(self, key: FileKey) -> FileHits | None:
        """Those of one file, as it is now; `None` where it cannot be read any more."""
        path = key[1]
        data = self._tree.texts.get(path)
        if data is None:
            prefix, root = next(pair for pair in _by_length(self._tree) if path.startswith(pair[0]))
            try:
                with Beneath(os.path.realpath(root)) as tree:
                    data = tree.read(path[len(prefix) :], self._max_bytes)
            except OSError:
                return None
        text = to_utf8(data)[0]
        places = self._pattern.first_of_lines(text, MOST_LINES)
        file = find_file(self._tree, path)
        has_changed = file is not None and file.known.digest != digest_of(data)
        return FileHits(key, file, excerpts(text, [start for start, _ in places]), has_changed=has_changed)


_CHECKED_EACH: Final = 64


def _by_length(tree: Tree) -> list[tuple[str, os.PathLike[str]]]:
    return sorted(tree.roots.items(), key=lambda pair: -len(pair[0]))


def listed_paths(tree: Tree, request: GrepRequest) -> list[tuple[str, str]]:
    """The files that a request lets through: prefixes of roots, and the paths there."""
    listed = tree.listed()
    if not listed:
        listed = {}
        for part in tree.snapshot.parts:
            listed.setdefault(part.prefix, []).extend(part.index.paths[number] for number in part.live_files())
    lets_through = shown_path_filter(request.paths, tree.snapshot) if request.paths else None
    wanted = {tree.languages.id_of(word) for word in request.languages or ()}
    return [
        (prefix, path)
        for prefix, paths in listed.items()
        for path in paths
        if (lets_through is None or lets_through(prefix + path)) and (not wanted or _language(tree, prefix + path) in wanted)
    ]


def _language(tree: Tree, path: str) -> str:
    file = find_file(tree, path)
    return file.known_language if file is not None else ""


def _key(tree: Tree, path: str) -> FileKey:
    known = tree.languages.by_id.get(_language(tree, path))
    return (2 if path_flags(path, known) & _ASIDE else int(known is None)), path


def is_aside(tree: Tree, path: str) -> bool:
    """Whether a file holds no production code."""
    return _key(tree, path)[0] > 0


class ParsedHits:
    """The hits in one region of the files with code, in the order of these. Used as a context manager. first: of the keys of all
    files, the number of the first one to look into."""

    def __init__(
        self, tree: Tree, request: GrepRequest, max_bytes: int, file_seconds: float, first: Callable[[Sequence[FileKey]], int]
    ) -> None:
        candidates, self.notices = candidates_of(tree, request.languages, request.paths)
        keyed = [((2 * candidate.key[0], candidate.key[1]), candidate) for candidate in candidates]
        self._files: list[tuple[FileKey, Candidate]] = keyed[first([key for key, _ in keyed]) :]
        self.n_files, self.n_searched = len(self._files), 0
        self.unread: list[str] = []
        roots = [os.fsencode(os.path.realpath(root)) for root in tree.roots.values()]
        text = SoughtText(request.pattern, request.regex, request.ignore_case)
        setup = MentionSetup(roots, pack_languages(tree.languages), [], max_bytes, text, request.where)
        sizes = [candidate.size for _, candidate in self._files]
        self._search = MentionSearch(setup, file_seconds, sizes, lambda at: order_of(tree, self._files[at][1]))

    def __enter__(self) -> "ParsedHits":
        self._search.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._search.__exit__(*error)

    def each(self, seconds: float, progress: Callable[[int, int], object] | None) -> Iterator[FileHits]:
        """The files with a hit, until the time is over."""
        for searched in self._search.in_order(seconds, progress):
            self.n_searched = searched.number + 1
            key, candidate = self._files[searched.number]
            if searched.found is None:
                continue
            if searched.found.problem:
                self.unread.append(f"{key[1]} ({searched.found.problem})")
            elif searched.found.mentions:
                yield FileHits(key, candidate.file, searched.found.mentions, searched.found.symbols)
