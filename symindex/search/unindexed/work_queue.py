"""The work of a scan: files to search, candidates to parse in the order of their likelihood, and
results.

It has neither threads nor processes; the caller holds the scan's lock.
"""

import heapq
from collections import deque
from collections.abc import Iterable
from typing import Final, NamedTuple

import msgspec

from symindex.extract.path_flags import path_flags
from symindex.extract.records import FileSymbols
from symindex.files.walk import FoundFile
from symindex.protocol.kinds import SymbolFlag
from symindex.search.unindexed.prefilter import EXACT, GOOD, NO_PLACE
from symindex.search.unindexed.scan_job import ReadFiles, ScanAnswer, ScanFiles
from symindex.text.folding import squashed

SCAN_FILES: Final = 256
SCAN_BYTES: Final = 4_000_000
"""Files and bytes of one ScanFiles, which takes about 10 ms."""

READ_BYTES: Final = 150_000
"""Bytes of candidates in one ReadFiles, which takes less than 0.1 s, so that no process is late at
the end."""

READ_FILES: Final = 16

AS_TYPED: Final = 3
SAME_NAME: Final = 2
BEGINS_WITH_NAME: Final = 1
"""How well a symbol matches the name: as typed; ignoring case and separators; by its beginning. A
mere declaration only counts as a prefix match, because its definition is still to be found."""

_DECLARATION: Final = SymbolFlag.DECLARATION.value


class ScanReport(msgspec.Struct, kw_only=True):
    """What a scan has found so far, and how much of the tree it has covered.

    files: the candidates that were parsed, with the flags of their paths, including skipped ones;
    by path. total_files: how many files the walk found. walked: whether the walk has ended.
    scanned_files: how many files were searched. unreadable: paths of files that could not be read.
    candidates: how many files can have hits. given_up: paths of candidates that took too long or
    ended the process.

    is_enough: the best match is the name itself (in the typed case, if it has capitals); or it
    begins with the name, and no file is left that may define the name itself; or any symbol is
    enough, and there is one.

    complete: every file that can have hits was parsed, as far as possible.
    """

    files: list[FileSymbols] = []
    total_files: int = 0
    walked: bool = False
    scanned_files: int = 0
    unreadable: list[str] = []
    candidates: int = 0
    given_up: list[str] = []
    is_enough: bool = False
    complete: bool = False


class _FileCandidate(NamedTuple):
    """A file to parse. The heap compares the fields in their order."""

    minus_likelihood: int
    is_demoted: bool
    size: int
    path: str


class Work:
    """The state of one scan.

    name: the name by which definitions are ranked. read_from: the time (`time.monotonic`) from
    which candidates are parsed, even if some files have not been searched. any_is_enough: see
    Prefilter.
    """

    def __init__(self, name: str, any_is_enough: bool = False) -> None:
        self.read_from: float | None = None
        self._any_is_enough = any_is_enough
        self._name = name
        self._folded_name = squashed(name)
        self._batches: deque[list[str]] = deque()
        self._batch: list[str] = []
        self._batch_bytes = 0
        self._candidates: list[_FileCandidate] = []
        self._n_scans = 0  # in progress
        self._reads: list[
            tuple[int, ReadFiles]
        ] = []  # in progress, each with the likelihood of its first candidate
        self._has_lost_files = False
        self._best_match = 0
        self._report = ScanReport()

    def add(self, files: Iterable[FoundFile]) -> None:
        for file in files:
            self._report.total_files += 1
            self._batch.append(file.path)
            self._batch_bytes += file.size
            if len(self._batch) >= SCAN_FILES or self._batch_bytes >= SCAN_BYTES:
                self._close_batch()

    def finish_adding(self) -> None:
        self._report.walked = True
        self._close_batch()

    def _close_batch(self) -> None:
        if self._batch:
            self._batches.append(self._batch)
            self._batch, self._batch_bytes = [], 0

    @property
    def _all_scanned(self) -> bool:
        return self._report.walked and not self._batches and not self._n_scans

    def is_done(self) -> bool:
        return self._all_scanned and not self._candidates and not self._reads

    def next_order(self, prefers_reading: bool, now: float) -> ScanFiles | ReadFiles | None:
        """Returns what to do next; `None` if there is nothing to do now. prefers_reading: parse
        rather than search, if both are possible."""
        may_read = self._all_scanned or (self.read_from is not None and now >= self.read_from)
        if self._candidates and may_read and (prefers_reading or not self._batches):
            return self._next_read()
        if self._batches:
            self._n_scans += 1
            return ScanFiles(self._batches.popleft())
        if self._candidates and -self._candidates[0].minus_likelihood >= GOOD:
            # rather than wait for the walk, which may find better candidates
            return self._next_read()
        return None

    def _next_read(self) -> ReadFiles:
        order, size = ReadFiles([]), 0
        self._reads.append((-self._candidates[0].minus_likelihood, order))
        while self._candidates and len(order.paths) < READ_FILES:
            if order.paths and size + self._candidates[0].size > READ_BYTES:
                break
            candidate = heapq.heappop(self._candidates)
            order.paths.append(candidate.path)
            size += candidate.size
        return order

    def rank(self, path: str, likelihood: int, size: int) -> _FileCandidate:
        """Returns a candidate with its rank."""
        stem = path.rpartition("/")[2].partition(".")[0]
        if self._name:
            # A type is often alone in a file of its name.
            likelihood += 2 if stem == self._name else squashed(stem) == self._folded_name
        return _FileCandidate(-likelihood, bool(path_flags(path, None)), size, path)

    def scanned(self, order: ScanFiles, answer: ScanAnswer | None) -> None:
        """Records that a ScanFiles has ended. answer: `None` if the process ended, and the files
        are lost."""
        self._n_scans -= 1
        if answer is None:
            self._has_lost_files = True
            return
        self._report.scanned_files += len(order.paths) - len(answer.unreadable)
        self._report.unreadable.extend(order.paths[place] for place in answer.unreadable)
        self._report.candidates += len(answer.candidates)
        for place, likelihood, size in answer.candidates:
            heapq.heappush(self._candidates, self.rank(order.paths[place], likelihood, size))

    def best_match(self, file: FileSymbols) -> int:
        """Returns how well the best symbol of a file matches the name: AS_TYPED, SAME_NAME,
        BEGINS_WITH_NAME, or 0. Needs no lock."""
        best = 0
        for symbol in file.symbols:
            only_declares = symbol.flags & _DECLARATION
            if symbol.name == self._name and not only_declares:
                return AS_TYPED
            name = squashed(symbol.name)
            if name == self._folded_name and not only_declares:
                best = SAME_NAME
            elif name.startswith(self._folded_name):
                best = max(best, BEGINS_WITH_NAME)
        return best

    def parsed(self, file: FileSymbols, best_match: int) -> None:
        self._report.files.append(file)
        self._best_match = max(self._best_match, best_match)

    def give_up(self, path: str) -> None:
        """Records that a candidate took too long, or ended its process."""
        self._report.given_up.append(path)

    def was_read(self, order: ReadFiles) -> None:
        """Records that a ReadFiles has ended."""
        self._reads = [read for read in self._reads if read[1] is not order]

    def is_promising(self, any_will_do: bool) -> bool:
        """Whether files are left to search, or files that probably define the name are left to
        parse or are being parsed. any_will_do: only while no name was found that begins with the
        searched one."""
        if any_will_do and self._best_match:
            return False
        return self._is_left(GOOD)

    def _is_left(self, likelihood: int) -> bool:
        """Whether files are left to search, or a file with at least this likelihood is left to
        parse or is being parsed."""
        likelihoods = [
            *(-candidate.minus_likelihood for candidate in self._candidates[:1]),
            *(first for first, _ in self._reads),
        ]
        return bool(self._name) and (
            not self._all_scanned or max(likelihoods, default=NO_PLACE) >= likelihood
        )

    def report(self) -> ScanReport:
        # A user who types capitals means them.
        enough = SAME_NAME if self._name == self._name.lower() else AS_TYPED
        return msgspec.structs.replace(
            self._report,
            files=sorted(self._report.files, key=lambda file: file.path),
            unreadable=sorted(self._report.unreadable),
            given_up=sorted(self._report.given_up),
            is_enough=self._best_match >= enough
            # A file that contains the name itself as a word has at least EXACT + 1.
            or (self._best_match > 0 and not self._is_left(EXACT + 1))
            or (self._any_is_enough and any(file.symbols.count for file in self._report.files)),
            complete=self.is_done() and not self._has_lost_files,
        )
