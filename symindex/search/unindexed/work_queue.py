"""What a scout has to do and has done: files to look through, candidates to parse by promise, results.

It knows neither threads nor processes; whoever calls holds the scout's lock.
"""

import heapq
from collections import deque
from collections.abc import Iterable
from typing import Final, NamedTuple

import msgspec

from symindex.extract.path_flags import path_flags
from symindex.extract.records import FileSymbols
from symindex.files.walk import FoundFile
from symindex.protocol import SymbolFlag
from symindex.search.unindexed.prefilter import GOOD, LEVELS
from symindex.search.unindexed.scan_job import Read, Scan, Scanned
from symindex.text.folding import fold, squash

SCAN_FILES: Final = 256
SCAN_BYTES: Final = 4_000_000
"""Files and bytes that are looked through at a time: some 10 ms."""

READ_BYTES: Final = 150_000
"""Bytes of candidates that are parsed at a time: less than 0.1 s, so that no process is left with much at the end."""

READ_FILES: Final = 16

AS_TYPED: Final = 3
VERY_NAME: Final = 2
BEGINS_SO: Final = 1
"""How well a symbol has the name that is sought. What only declares it counts no more than what begins so: there is a definition
to be looked for."""

_DECLARATION: Final = SymbolFlag.DECLARATION.value


class ScoutReport(msgspec.Struct, kw_only=True):
    """What a scout has found so far, and what part of the tree that rests on.

    files: the candidates that were parsed, with the flags of their paths, skipped ones among them; by path.
    total_files, total_bytes: that the walk has found. walked: whether that was all of the tree.
    scanned_files, scanned_bytes: looked through. unreadable: paths of files that could not be read.
    candidates: how many of them can have hits. given_up: paths of those that took too long, or ended the process.
    is_named: a symbol has the very name, whatever its case and separators, and more than declares it.
    is_enough: any will do, and there is one; or so it is, in the case that was typed if that has capitals; or one begins with the
        name, and no file is left that looks as if it had the very name.
    complete: every file that can have hits was parsed, as far as it can be.
    seconds: since the search was asked for.
    """

    files: list[FileSymbols]
    total_files: int
    total_bytes: int
    walked: bool
    scanned_files: int
    scanned_bytes: int
    unreadable: list[str]
    candidates: int
    given_up: list[str]
    is_named: bool
    is_enough: bool
    complete: bool
    seconds: float

    @property
    def parsed(self) -> int:
        """How many candidates were parsed."""
        return len(self.files)


class _Candidate(NamedTuple):
    """A file to parse. Smaller ones come first."""

    minus_promise: int
    is_demoted: bool
    size: int
    path: str


class Work:
    """All that is known of one search.

    name: what definitions are ranked by. read_from: when (`time.monotonic`) candidates are parsed though not every file has been
    looked through. any_is_enough: as of Sought.
    """

    def __init__(self, name: str, any_is_enough: bool = False) -> None:
        self._any_is_enough = any_is_enough
        self.read_from: float | None = None
        self._name = name
        self._wanted = squash(fold(name))
        self._unscanned: deque[list[FoundFile]] = deque()
        self._filling: list[FoundFile] = []
        self._filling_bytes = 0
        self._candidates: list[_Candidate] = []
        self._scanning = 0
        self._reading = 0
        self._good_reads: list[Read] = []
        self._lost = 0
        self._files: list[FileSymbols] = []
        self._given_up: list[str] = []
        self._unreadable: list[str] = []
        self._total_files = self._total_bytes = self._scanned_files = self._scanned_bytes = self._n_candidates = 0
        self._walked = False
        self._best_match = 0

    def add(self, files: Iterable[FoundFile]) -> None:
        """Files of the tree."""
        for file in files:
            self._total_files += 1
            self._total_bytes += file.size
            self._filling.append(file)
            self._filling_bytes += file.size
            if len(self._filling) >= SCAN_FILES or self._filling_bytes >= SCAN_BYTES:
                self._close_batch()

    def finish_adding(self) -> None:
        """That were all files."""
        self._walked = True
        self._close_batch()

    def _close_batch(self) -> None:
        if self._filling:
            self._unscanned.append(self._filling)
            self._filling, self._filling_bytes = [], 0

    @property
    def _all_scanned(self) -> bool:
        return self._walked and not self._unscanned and not self._scanning

    def is_done(self) -> bool:
        """Whether nothing is left to do."""
        return self._all_scanned and not self._candidates and not self._reading

    def next_order(self, prefers_reading: bool, now: float) -> Scan | Read | None:
        """What to do next, if there is anything to do now.

        prefers_reading: parse rather than look through, where the time has come for both.
        """
        may_read = self._all_scanned or (self.read_from is not None and now >= self.read_from)
        if self._candidates and may_read and (prefers_reading or not self._unscanned):
            return self._next_read()
        if self._unscanned:
            batch = self._unscanned.popleft()
            self._scanning += 1
            return Scan([(file.path, file.size) for file in batch])
        if self._has_good_one():
            return self._next_read()  # rather than wait for the walk, though better ones may come
        return None

    def _next_read(self) -> Read:
        paths: list[str] = []
        size = 0
        is_good = self._has_good_one()
        while self._candidates and len(paths) < READ_FILES and (not paths or size + self._candidates[0].size <= READ_BYTES):
            candidate = heapq.heappop(self._candidates)
            paths.append(candidate.path)
            size += candidate.size
        self._reading += 1
        order = Read(paths)
        if is_good:
            self._good_reads.append(order)
        return order

    def rank(self, path: str, promise: int, size: int) -> _Candidate:
        """A candidate at its place in the order. Needs no lock."""
        stem = path.rpartition("/")[2].partition(".")[0]
        if self._name:
            # A type is often alone in a file of its name.
            promise += 2 if stem == self._name else squash(fold(stem)) == self._wanted
        return _Candidate(-promise, bool(path_flags(path, None)), size, path)

    def scanned(self, order: Scan, answer: Scanned | None, candidates: Iterable[_Candidate]) -> None:
        """An order was carried out; answer: `None` where the process ended instead, and its files are lost."""
        self._scanning -= 1
        if answer is None:
            self._lost += len(order.files)
            return
        self._scanned_files += len(order.files) - len(answer.unreadable)
        self._scanned_bytes += answer.n_bytes
        self._unreadable.extend(order.files[place][0] for place in answer.unreadable)
        for candidate in candidates:
            self._n_candidates += 1
            heapq.heappush(self._candidates, candidate)

    def best_match(self, file: FileSymbols) -> int:
        """How well the best symbol of a file has the name: AS_TYPED, VERY_NAME, BEGINS_SO, or 0. Needs no lock."""
        best = 0
        for symbol in file.symbols:
            only_declares = symbol.flags & _DECLARATION
            if symbol.name == self._name and not only_declares:
                return AS_TYPED
            name = squash(fold(symbol.name))
            if name == self._wanted and not only_declares:
                best = VERY_NAME
            elif name.startswith(self._wanted):
                best = max(best, BEGINS_SO)
        return best

    def parsed(self, file: FileSymbols, best_match: int) -> None:
        """A candidate was parsed. best_match: of its symbols."""
        self._files.append(file)
        self._best_match = max(self._best_match, best_match)

    def give_up(self, path: str) -> None:
        """A candidate took too long, or ended its process."""
        self._given_up.append(path)

    def was_read(self, order: Read) -> None:
        """An order was carried out."""
        self._reading -= 1
        self._good_reads = [other for other in self._good_reads if other is not order]

    def is_promising(self, any_will_do: bool) -> bool:
        """Whether files are left to look through, or to parse that most likely define the name, those that are just being parsed
        among them; any_will_do: and none was found that begins so."""
        if any_will_do and self._best_match:
            return False
        return bool(self._name) and (not self._all_scanned or self._has_good_one() or bool(self._good_reads))

    def _has_good_one(self) -> bool:
        return bool(self._candidates) and -self._candidates[0].minus_promise >= GOOD

    def _may_find_name(self) -> bool:
        """Whether a file is left that has the very name in it as a word, or may have."""
        if not self._name:
            return False
        return not self._all_scanned or (bool(self._candidates) and -self._candidates[0].minus_promise > LEVELS["exact"])

    def report(self, seconds: float) -> ScoutReport:
        """What has been done so far."""
        # Whoever types capitals means them.
        enough = VERY_NAME if self._name == self._name.lower() else AS_TYPED
        return ScoutReport(
            files=sorted(self._files, key=lambda file: file.path),
            total_files=self._total_files,
            total_bytes=self._total_bytes,
            walked=self._walked,
            scanned_files=self._scanned_files,
            scanned_bytes=self._scanned_bytes,
            unreadable=sorted(self._unreadable),
            candidates=self._n_candidates,
            given_up=sorted(self._given_up),
            is_named=self._best_match >= VERY_NAME,
            is_enough=self._best_match >= enough
            or (self._best_match > 0 and not self._may_find_name())
            or (self._any_is_enough and any(file.symbols.count for file in self._files)),
            complete=self.is_done() and not self._lost,
            seconds=round(seconds, 3),
        )
