"""Hits of a text in files: in all files, read in this process, or in code, parsed by workers.

Only a parser can tell whether a hit is in a string or a comment, and parsers run in worker
processes.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from symindex.errors import RequestError
from symindex.explore.grep.reading import FileKey, FilePass, key_of
from symindex.explore.references.candidates import CandidateFile, candidates_of
from symindex.explore.references.mention_job import Sought, SoughtText, SymbolRange
from symindex.explore.references.mentions import MentionSearch, real_roots
from symindex.extract.texts.file_text import BINARY_BYTES, digest_of, to_utf8
from symindex.protocol.grep import GrepRequest
from symindex.resolve.reading.excerpts import Mention, excerpts
from symindex.resolve.tree import IndexedFile, Tree, find_file, read_bytes
from symindex.text.patterns.byte_pattern import MOST_LINES, BytePattern


class FileHits(NamedTuple):
    """The hits of one file.

    Attributes:
        file: in the index; `None` if it is not there.
        symbols: read from the file if the index is outdated, else `None`.
        has_changed: whether the file differs from its indexed version.
    """

    key: FileKey
    file: IndexedFile | None
    mentions: list[Mention]
    symbols: list[SymbolRange] | None = None
    has_changed: bool = False


class TextScan:
    """Searches all files for a text. seconds, mentioned: as in `FilePass`.

    Attributes:
        reading: the pass over the files.
        counts: files with hits, in order, each with its number of lines with one, at most
            MOST_LINES.
        cut: paths of files with more lines.
    """

    def __init__(
        self,
        tree: Tree,
        request: GrepRequest,
        pattern: BytePattern,
        max_bytes: int,
        seconds: float,
        mentioned: str = "",
    ) -> None:
        self._tree, self._pattern, self._max_bytes = tree, pattern, max_bytes
        self.reading: FilePass = FilePass(tree, request, max_bytes, seconds, mentioned)
        self.cut: list[str] = []
        counts: list[tuple[FileKey, int]] = []
        for path, data in self.reading:
            text = to_utf8(data)[0]
            if pattern.holds(text) and text.find(b"\0", 0, BINARY_BYTES) < 0:
                count = len(pattern.first_of_lines(text, MOST_LINES + 1))
                if count:
                    counts.append((key_of(tree, path), min(count, MOST_LINES)))
                if count > MOST_LINES:
                    self.cut.append(path)
        self.counts: list[tuple[FileKey, int]] = sorted(counts)

    @property
    def is_whole(self) -> bool:
        """Whether all lines are counted."""
        return self.reading.n_read >= self.reading.n_files and not self.cut

    def hits(self, key: FileKey) -> FileHits | None:
        """Returns the hits of one file as it is now; `None` if it can no longer be read."""
        try:
            data = read_bytes(self._tree, key[1], self._max_bytes)
        except RequestError as error:
            self.reading.unread.append(f"{key[1]} ({str(error).removeprefix(f'{key[1]}: ')})")
            return None
        text = to_utf8(data)[0]
        return hits_at(
            self._tree,
            key,
            data,
            [start for start, _ in self._pattern.first_of_lines(text, MOST_LINES)],
        )


def hits_at(tree: Tree, key: FileKey, data: bytes, places: Sequence[int]) -> FileHits:
    """Returns hits in a file as it is now. places: their byte offsets in its text as UTF-8."""
    file = find_file(tree, key[1])
    has_changed = file is not None and file.known.digest != digest_of(data)
    return FileHits(key, file, excerpts(to_utf8(data)[0], places), has_changed=has_changed)


class ParsedHits:
    """The hits in one region of the files with code, in the order of the files. Use it as a context
    manager. first: returns the number of the first file to search, given the keys of all."""

    def __init__(
        self,
        tree: Tree,
        request: GrepRequest,
        max_bytes: int,
        file_seconds: float,
        first: Callable[[Sequence[FileKey]], int],
    ) -> None:
        candidates, _, notices = candidates_of(tree, request.languages, request.paths)
        self.notices: list[str] = notices
        keyed = [
            ((2 * candidate.key[0], candidate.key[1]), candidate)
            for candidate in candidates
            if tree.languages.code(candidate.file.known.language) is not None
        ]
        self._files: list[tuple[FileKey, CandidateFile]] = keyed[first([key for key, _ in keyed]) :]
        self.n_files: int = len(self._files)
        self.n_searched: int = 0
        self.unread: list[str] = []
        self.cut: list[str] = []
        text = SoughtText(request.pattern, request.regex, request.ignore_case)
        sought = Sought(real_roots(tree), [], max_bytes, text, request.where)
        self._search = MentionSearch(
            tree, sought, [candidate for _, candidate in self._files], file_seconds
        )

    def __enter__(self) -> "ParsedHits":
        self._search.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._search.__exit__(*error)

    def each(
        self, seconds: float, progress: Callable[[int, int], object] | None
    ) -> Iterator[FileHits]:
        """Yields the files with hits until the time is over."""
        for searched in self._search.in_order(seconds, progress):
            self.n_searched = searched.number + 1
            key, candidate = self._files[searched.number]
            mentions = searched.mentions
            if mentions is None:
                continue
            if mentions.problem:
                self.unread.append(f"{key[1]} ({mentions.problem})")
            if mentions.is_cut:
                self.cut.append(key[1])
            if mentions.mentions:
                yield FileHits(key, candidate.file, mentions.mentions, mentions.symbols)
