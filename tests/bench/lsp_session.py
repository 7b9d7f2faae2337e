"""What one language server does on one tree, as its client sees it: cold and warm starts, typing, a
burst of requests.

One request is active at a time, except in the burst. A row is right if it has exactly the name and
is in exactly the file. A server's limit of rows is no excuse, because only one place of the tree
has the name.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

import msgspec

from tests.bench.lsp_client import Answer, Client
from tests.bench.lsp_trees import Sample
from tests.bench.places import BenchError, say

METHOD: Final = "workspace/symbol"
POLL_SECONDS: Final = 0.05
N_FIRST: Final = 3
"""The first answer is for one of this number of names: a compiler's server may not know a single
one, if its file is for another system."""
ANSWER_SECONDS: Final = 60.0
"""Time limit of an answer, in seconds."""
START_SECONDS: Final = 400.0
"""Time limit of a start, in seconds."""
PATIENCE_SECONDS: Final = 20.0
"""How long a server that reports no progress may give nothing new before it counts as done, in
seconds; it also gets two rounds of all names."""
AGAIN_SECONDS: Final = 15.0
"""Time limit for asking names again, in seconds."""
N_TYPED: Final = 200
TYPED_SECONDS: Final = 150.0
"""Time limit for typing, in seconds."""
N_BURST: Final = 20
BURST_GAP_SECONDS: Final = 0.005
BURST_DELAY_SECONDS: Final = 0.5
"""Pause after the handshake, in seconds: a server that builds an index is busy with it by then."""
FEW_ROWS: Final = 20

_LANGUAGE_IDS: Final = {".py": "python", ".c": "c"}


class _Location(msgspec.Struct):
    uri: str


class _Row(msgspec.Struct):
    name: str
    location: _Location


@dataclass(frozen=True)
class Start:
    """Times of a start, in seconds since the process was started.

    first: until a name got a right answer. complete: until the first right answer after the last
    wrong answer to a name that later became right; from then on, all were right. all: until each
    known name had been answered, one after the other. missed: names that the server does not know
    in the end. titles: of reported progress.
    """

    initialize: float
    first: float | None
    complete: float | None
    all: float | None
    missed: list[str]
    asked: int
    titles: list[str]


@dataclass(frozen=True)
class Burst:
    """A burst of requests. answered: how many got any answer. refused: how many of these got an
    error. last_seconds: from the last request to its answer. is_indexing: whether the server
    reported progress when the burst began."""

    answered: int
    refused: int
    last_seconds: float | None
    is_indexing: bool


@dataclass
class Observed:
    """All observations of a server on a tree. idle_seconds: from a cold start until no more
    progress was reported. typed: seconds and rows of each later query; typed_processor_seconds: of
    all of them. memory_bytes: after the queries."""

    cold: list[Start] = field(default_factory=list)
    warm: list[Start] = field(default_factory=list)
    idle_seconds: float = 0.0
    typed: list[tuple[float, int]] = field(default_factory=list)
    typed_processor_seconds: float = 0.0
    memory_bytes: int = 0
    burst: Burst | None = None


@dataclass(frozen=True)
class Script:
    """What every server goes through. connect: starts it; the argument says whether it starts cold.
    samples: the names that it should know. words: the queries that are typed. opened: the file that
    is open in the editor."""

    connect: Callable[[bool], Client]
    root: Path
    samples: Sequence[Sample]
    words: Sequence[str]
    opened: Path
    rounds: int
    rounds_seconds: float = 60.0

    def observe(self) -> Observed:
        """Runs everything. Raises BenchError if the server cannot be asked."""
        seen = Observed()
        for is_cold, starts in ((True, seen.cold), (False, seen.warm)):
            began = time.perf_counter()
            for number in range(self.rounds):
                # Each round begins with another name, because how soon a name is found depends on
                # its place.
                rotated = [*self.samples[number:], *self.samples[:number]]
                with self.connect(is_cold) as client:
                    starts.append(watch_start(client, self._greet(client), rotated, self.root))
                    say(f"lsp: {starts[-1]}")
                    is_last = (
                        number == self.rounds - 1
                        or time.perf_counter() - began > self.rounds_seconds
                    )
                    if is_cold and is_last:
                        seen.idle_seconds = wait_until_idle(client)
                        used = client.processor_seconds()
                        seen.typed = type_words(client, self.words)
                        seen.typed_processor_seconds = client.processor_seconds() - used
                        seen.memory_bytes = client.memory_bytes()
                if is_last:
                    break
        with self.connect(True) as client:
            self._greet(client)
            time.sleep(BURST_DELAY_SECONDS)
            seen.burst = send_burst(client, self.words)
        return seen

    def _greet(self, client: Client) -> Answer:
        answer = client.initialize(self.root, ANSWER_SECONDS)
        document = {
            "uri": self.opened.as_uri(),
            "languageId": _LANGUAGE_IDS[self.opened.suffix],
            "version": 1,
            "text": self.opened.read_text(errors="replace"),
        }
        client.notify("textDocument/didOpen", {"textDocument": document})
        return answer


def watch_start(client: Client, greeted: Answer, samples: Sequence[Sample], root: Path) -> Start:
    """Asks for the first names until one gets a right answer, then for all in turn until nothing
    more comes."""
    watch = _Watch(client, root)
    while not watch.right and not watch.is_over:
        watch.ask_all(samples[:N_FIRST])
    watch.be_patient()
    while (
        left := [sample for sample in samples if sample not in watch.right]
    ) and not watch.is_over:
        watch.ask_all(left)
    came = watch.right.values()
    last_wrong = max(
        (seconds for sample, seconds in watch.wrong.items() if sample in watch.right), default=0.0
    )
    missed = [sample.name for sample in samples if sample not in watch.right]
    return Start(
        initialize=greeted.arrival - client.started,
        first=min(came, default=None),
        complete=min((seconds for seconds in came if seconds > last_wrong), default=None),
        all=max(came, default=None),
        missed=missed + watch.forgotten(),
        asked=len(samples),
        titles=sorted(set(client.titles)),
    )


class _Watch:
    """Watches the answers to names. right: when each name first got a right answer. wrong: when it
    last got a wrong one. Both in seconds since the start."""

    def __init__(self, client: Client, root: Path) -> None:
        self._client, self._root = client, root
        self.be_patient()
        self.right: dict[Sample, float] = {}
        self.wrong: dict[Sample, float] = {}

    def be_patient(self) -> None:
        """Starts the wait for new answers again."""
        self._news_at = time.perf_counter()
        self._idle_rounds = 0

    @property
    def is_over(self) -> bool:
        """Whether no new answers are expected."""
        now = time.perf_counter()
        is_idle = (
            self._idle_rounds >= 2
            and now - self._news_at > PATIENCE_SECONDS
            and not self._client.is_busy
        )
        return is_idle or now - self._client.started > START_SECONDS

    def ask_all(self, samples: Sequence[Sample]) -> None:
        """Asks for each name once."""
        n_right = len(self.right)
        for sample in samples:
            asked_at = time.perf_counter()
            if not self.ask(sample):
                time.sleep(max(0.0, asked_at + POLL_SECONDS - time.perf_counter()))
        self._idle_rounds += 1
        if len(self.right) > n_right:
            self.be_patient()

    def forgotten(self) -> list[str]:
        """Asks again, and returns the names that no longer get a right answer; stops when it takes
        too long."""
        until = time.perf_counter() + AGAIN_SECONDS
        return [
            sample.name
            for sample in list(self.right)
            if time.perf_counter() < until and not self.ask(sample)
        ]

    def ask(self, sample: Sample) -> bool:
        """Asks once; returns whether the answer was right."""
        answer = self._client.ask(METHOD, {"query": sample.name}, ANSWER_SECONDS)
        if answer is not None and is_right(answer, sample, self._root):
            self.right.setdefault(sample, answer.arrival - self._client.started)
            return True
        self.wrong[sample] = (
            answer.arrival if answer else time.perf_counter()
        ) - self._client.started
        return False


def wait_until_idle(client: Client) -> float:
    """Returns the seconds from the server's start until it reports no progress, or until now if it
    reports none."""
    while client.is_busy and time.perf_counter() - client.started < START_SECONDS:
        time.sleep(POLL_SECONDS)
    return time.perf_counter() - client.started


def type_words(client: Client, words: Sequence[str]) -> list[tuple[float, int]]:
    """Returns the seconds and rows of each query, one after the other; stops when they take too
    long."""
    typed = []
    began = time.perf_counter()
    for word in words[:N_TYPED]:
        if time.perf_counter() - began > TYPED_SECONDS:
            break
        answer = client.ask(METHOD, {"query": word}, ANSWER_SECONDS)
        if answer is None or answer.failure:
            raise BenchError(f"lsp: {word!r}: {answer.failure if answer else 'no answer'}")
        typed.append((answer.seconds, len(rows_of(answer))))
    return typed


def send_burst(client: Client, words: Sequence[str]) -> Burst:
    """Sends requests like a user who types without waiting: every request cancels the previous
    one."""
    is_indexing = client.is_busy
    numbers: list[int] = []
    for word in words[:N_BURST]:
        if numbers:
            client.cancel(numbers[-1])
        numbers.append(client.send(METHOD, {"query": word}))
        time.sleep(BURST_GAP_SECONDS)
    until = time.perf_counter() + ANSWER_SECONDS
    last = client.wait(numbers[-1], ANSWER_SECONDS)
    answers = [client.wait(number, max(0.0, until - time.perf_counter())) for number in numbers]
    return Burst(
        answered=sum(answer is not None for answer in answers),
        refused=sum(answer is not None and answer.failure is not None for answer in answers),
        last_seconds=last.seconds if last else None,
        is_indexing=is_indexing,
    )


def rows_of(answer: Answer) -> list[_Row]:
    """Returns the rows of an answer, empty for an error."""
    return (
        [] if answer.failure else msgspec.json.decode(answer.result, type=list[_Row] | None) or []
    )


def is_right(answer: Answer, sample: Sample, root: Path) -> bool:
    """Whether a row has exactly the name, in exactly the file."""
    wanted = str(root / sample.path)
    return any(
        row.name == sample.name and unquote(urlsplit(row.location.uri).path) == wanted
        for row in rows_of(answer)
    )
