"""Editor: `symindex lsp` as somebody feels it who types: warm starts, settling, while files change, with others beside.

Everything is asked of a server as its client sees it, query after query, on the synthetic tree of 520,000 symbols and on that of
3,000,000, whose files are empty, and on any tree that is named:

    python -m tests.bench.editor half-million million     # one or both of the synthetic trees
    python -m tests.bench.editor DIR --index              # a tree of your own; --index: also while all of it is read again

No figure is the best of several: each is over all queries of its run. Into a tree a folder `symindex-bench-live` is written, and
removed at the end.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from tests.bench.figures import Figure, Target, percentile, render_figures, value_target
from tests.bench.lsp_client import Answer, Client
from tests.bench.lsp_session import METHOD, rows_of
from tests.bench.lsp_socket import SocketClient
from tests.bench.places import Bench, BenchError, default_folder, say
from tests.bench.synthetic_index import SHAPES, synthetic_tree

ANSWER_SECONDS: Final = 60.0
SETTLING_SECONDS: Final = 8.0
"""For so long after a warm start queries are asked one after the other."""
GAP_SECONDS: Final = 0.01
"""Between two of them: nobody types faster, and a server that has nothing to do meanwhile can settle."""
ROUNDS: Final = 5
PARTS: Final = ("starts", "20", "256")
"""What can be chosen: warm starts and settling; answers of at most so many rows, with others beside."""
N_WORDS: Final = 34
WORD_LETTERS: Final = 7
CHANGE_SECONDS: Final = 0.2
LIVE_FOLDER: Final = "symindex-bench-live"
FIRST_QUERY: Final = "getNa"

LIMITS: Final = {"half-million": {20: 3.0, 256: 8.0}, "million": {20: 6.0, 256: 12.0}}
"""By tree and most rows of an answer: milliseconds that 95 of 100 queries may take."""

_BUSY: Final = "while True: pass"


class Subject:
    """A tree and how it is asked. words: what is typed."""

    def __init__(self, bench: Bench, name: str, root: Path, index_dir: Path) -> None:
        self.name, self.root, self.index_dir = name, root, index_dir
        self._home = bench.scratch / "editor-home"
        shutil.rmtree(self._home, ignore_errors=True)
        self._home.mkdir(parents=True)
        self.words = typed_words(root, index_dir)

    def start(self, limit: int) -> Client:
        """A server of its own over the index that is there, and the handshake not made."""
        # As editors start it: what is said about the index comes from the environment.
        client = Client([sys.executable, "-m", "symindex", "lsp"], self._home, self._environment())
        client.options = {"limit": limit}
        return client

    def _environment(self) -> dict[str, str]:
        return {**os.environ, "SYMINDEX_INDEX_DIR": str(self.index_dir)}

    def start_two(self, limit: int) -> tuple[Client, Client]:
        """A server at a socket, and two clients of it; the first one ends it."""
        address = Path(tempfile.mkdtemp()) / "socket"  # whose path is short enough for one
        command = [sys.executable, "-m", "symindex", "lsp", "--socket", str(address)]
        process = subprocess.Popen(
            command, cwd=self._home, env=self._environment(), stderr=subprocess.DEVNULL, start_new_session=True
        )
        clients = SocketClient(address, self._home, process), SocketClient(address, self._home)
        for client in clients:
            client.options = {"limit": limit}
        return clients

    def settle(self, client: Client) -> None:
        """Waits until a server does nothing any more."""
        until = time.perf_counter() + ANSWER_SECONDS
        while time.perf_counter() < until:
            used = client.processor_seconds()
            time.sleep(0.5)
            if client.processor_seconds() - used < 0.03 and not client.is_busy:
                return


def typed_words(root: Path, index_dir: Path) -> list[str]:
    """What is typed: beginnings of names that the index has, one letter after the other."""
    script = (
        "import sys, random, symindex\n"
        "with symindex.open(sys.argv[1], sys.argv[2]) as workspace:\n"
        "    workspace.load()\n"
        "    names = workspace.snapshot.parts[0].index.names\n"
        "    some = random.Random(7).sample(range(len(names)), 400)\n"
        "    print('\\n'.join(names[number] for number in some))\n"
    )
    run = subprocess.run([sys.executable, "-c", script, str(root), str(index_dir)], capture_output=True, text=True, check=False)
    if run.returncode:
        raise BenchError(f"editor: {root}: has no index that can be read: {run.stderr.strip().splitlines()[-1:]}")
    names = [name for name in run.stdout.split("\n") if name.isascii() and name.replace("_", "").isalnum() and len(name) > 5]
    by_beginning = {name[:3].lower(): name for name in reversed(names)}
    return [name[:n] for name in list(by_beginning.values())[:N_WORDS] for n in range(1, WORD_LETTERS + 1) if len(name) >= n]


def measure(bench: Bench) -> list[Figure]:
    """The figures of this part."""
    shapes = ["quick"] if bench.quick else ["half-million", "million"]
    return [figure for shape in shapes for figure in measure_tree(_synthetic(bench, shape))]


def _synthetic(bench: Bench, shape: str) -> Subject:
    tree = synthetic_tree(bench, shape)
    return Subject(bench, shape, tree.root, tree.index_dir)


def measure_tree(subject: Subject, only: Sequence[str] = (), reads_again: bool = False) -> list[Figure]:
    """The figures of one tree. only: some of PARTS; default: all. reads_again: also those while the whole tree is read again."""
    figures: list[Figure] = []
    if "starts" in (only or PARTS):
        figures += _starts(subject)
    for limit in (20, 256):
        if str(limit) in (only or PARTS):
            wanted = LIMITS.get(subject.name, {}).get(limit)
            figures += _typed(subject, limit, value_target("<=", wanted) if wanted is not None else None)
    if reads_again:
        figures += _while_indexing(subject)
    return figures


def _figures(
    subject: Subject, what: str, seconds: Sequence[float], target: Target | None, most: Target | None = None
) -> list[Figure]:
    ms = sorted(each * 1000 for each in seconds)
    middle, most_of_them = percentile(ms, 0.5), percentile(ms, 0.95)
    what = f"{subject.name}: {what}"
    say(f"editor: {what}: {len(ms)} queries, p50 {middle:.1f}, p95 {most_of_them:.1f}, most {ms[-1]:.1f} ms")
    return [
        Figure("editor", f"{what}, p50", middle, "ms"),
        Figure("editor", f"{what}, p95", most_of_them, "ms", target=target),
        Figure("editor", f"{what}, most", ms[-1], "ms", target=most),
    ]


def _starts(subject: Subject) -> Iterator[Figure]:
    """Warm starts: the first answer, whether it is whole, and what is asked while the server settles."""
    words = list(dict.fromkeys([FIRST_QUERY, *subject.words]))
    with subject.start(256) as client:  # its index may still be on the disk, and the tree unknown to the system
        client.initialize(subject.root, ANSWER_SECONDS)
        subject.settle(client)
        settled = {word: client.ask(METHOD, {"query": word}, ANSWER_SECONDS) for word in words}
    rows = {word: _rows(answer) for word, answer in settled.items()}
    handshakes, firsts, used, whole, seconds, fewer = [], [], [], 0, [], 0
    for _ in range(ROUNDS):
        with subject.start(256) as client:
            greeted = client.initialize(subject.root, ANSWER_SECONDS)
            first = client.ask(METHOD, {"query": FIRST_QUERY}, ANSWER_SECONDS)
            used.append(client.processor_seconds())
            handshakes.append(greeted.at - client.started)
            firsts.append((first.at if first else time.perf_counter()) - client.started)
            whole += _rows(first) == rows[FIRST_QUERY]
            until = client.started + SETTLING_SECONDS
            for word in words:
                if time.perf_counter() > until:
                    break
                answer = client.ask(METHOD, {"query": word}, ANSWER_SECONDS)
                seconds.append(answer.seconds if answer else ANSWER_SECONDS)
                fewer += len(_rows(answer)) < len(rows[word])
                time.sleep(GAP_SECONDS)
            memory = client.memory_bytes()
    name = subject.name
    yield Figure("editor", f"{subject.name}: handshake, middle", percentile(handshakes, 0.5), "s")
    yield Figure("editor", f"{subject.name}: first answer, middle", percentile(firsts, 0.5), "s", target=value_target("<=", 0.3))
    yield Figure("editor", f"{subject.name}: first answer, most", max(firsts), "s")
    yield Figure("editor", f"{subject.name}: first answer, processor until then", percentile(used, 0.5), "s")
    yield Figure("editor", f"{name}: first answers that are whole", whole, f"of {ROUNDS}", target=value_target("=", ROUNDS))
    yield from _figures(subject, "settling", seconds, None, value_target("<=", 10))
    yield Figure("editor", f"{name}: settling, answers with fewer rows", fewer, f"of {len(seconds)}", target=value_target("=", 0))
    yield Figure("editor", f"{subject.name}: memory of the server", memory / 1e6, "MB")


def _typed(subject: Subject, limit: int, target: Target | None) -> Iterator[Figure]:
    """What is typed once the server has settled: alone, while files change, beside a busy machine, with another client."""
    label = f"{limit} rows"
    with subject.start(limit) as client:
        client.initialize(subject.root, ANSWER_SECONDS)
        subject.settle(client)
        type_all(client, subject.words[:20])
        yield from _figures(subject, f"{label}, idle machine", type_all(client, subject.words), target)
        with _changes(subject.root):
            yield from _figures(subject, f"{label}, files change", type_all(client, subject.words), target)
        with _busy():
            yield from _figures(subject, f"{label}, busy machine", type_all(client, subject.words), None)
        memory = client.memory_bytes()
    yield Figure("editor", f"{subject.name}: {label}, memory after typing", memory / 1e6, "MB")
    first, second = subject.start_two(limit)
    with first, second:
        for client in (first, second):
            client.initialize(subject.root, ANSWER_SECONDS)
        subject.settle(first)
        type_all(first, subject.words[:20])
        with _in_turn(lambda: type_all(second, subject.words[::-1])):
            yield from _figures(subject, f"{label}, another client", type_all(first, subject.words), target)


def _while_indexing(subject: Subject) -> Iterator[Figure]:
    """Queries while the whole tree is read again, and what the server and its processes hold."""
    with subject.start(256) as client:
        client.initialize(subject.root, ANSWER_SECONDS)
        subject.settle(client)
        rows = {word: len(_rows(client.ask(METHOD, {"query": word}, ANSWER_SECONDS))) for word in subject.words}
        alone = client.memory_bytes()
        client.ask("workspace/executeCommand", {"command": "symindex.reindex"}, ANSWER_SECONDS)
        time.sleep(0.5)
        seconds, fewer, most = [], 0, 0
        while client.is_busy:
            for word in subject.words:
                answer = client.ask(METHOD, {"query": word}, ANSWER_SECONDS)
                seconds.append(answer.seconds if answer else ANSWER_SECONDS)
                fewer += len(_rows(answer)) < rows[word]
                time.sleep(GAP_SECONDS)
                if len(seconds) % 10 == 0:
                    most = max(most, client.memory_bytes())
                if not client.is_busy:
                    break
    yield from _figures(subject, "indexing", seconds, None, value_target("<=", 10))
    name = subject.name
    yield Figure("editor", f"{name}: indexing, answers with fewer rows", fewer, f"of {len(seconds)}", target=value_target("=", 0))
    yield Figure("editor", f"{name}: indexing, memory of server and workers", most / 1e6, "MB")
    yield Figure("editor", f"{name}: memory of the server before", alone / 1e6, "MB")


def type_all(client: Client, words: Sequence[str]) -> list[float]:
    """Seconds of each query."""
    seconds = []
    for word in words:
        answer = client.ask(METHOD, {"query": word}, ANSWER_SECONDS)
        if answer is None or answer.failure:
            raise BenchError(f"editor: {word!r}: {answer.failure if answer else 'no answer'}")
        seconds.append(answer.seconds)
        time.sleep(GAP_SECONDS)
    return seconds


def _rows(answer: Answer | None) -> list[object]:
    return [(row.name, row.location.uri) for row in rows_of(answer)] if answer is not None else []


@contextmanager
def _in_turn(work: Callable[[], object]) -> Iterator[None]:
    """Does something again and again in a thread, until the block ends."""
    ends = threading.Event()

    def run() -> None:
        while not ends.is_set():
            work()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ends.set()
        thread.join()


@contextmanager
def _changes(root: Path) -> Iterator[None]:
    """A file of the tree is written five times a second."""
    folder = root / LIVE_FOLDER
    folder.mkdir(exist_ok=True)
    numbers = iter(range(1_000_000))

    def write() -> None:
        number = next(numbers)
        lines = (f"def change_{number}_{i}(first):\n    return first\n\n\n" for i in range(40))
        (folder / f"file_{number % 5}.py").write_text("".join(lines))
        time.sleep(CHANGE_SECONDS)

    try:
        with _in_turn(write):
            time.sleep(1)
            yield
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        time.sleep(2)


@contextmanager
def _busy() -> Iterator[None]:
    """As many processes as processors that never wait."""
    with ExitStack() as stack:
        for _ in range(os.cpu_count() or 1):
            process = subprocess.Popen([sys.executable, "-c", _BUSY])
            stack.callback(process.wait)
            stack.callback(process.kill)
        time.sleep(0.5)
        yield


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.editor", description=__doc__)
    parser.add_argument("trees", nargs="+", metavar="TREE", help=f"a folder, or one of {', '.join(SHAPES)}")
    parser.add_argument("--index-dir", type=Path, help="where the index of a folder is, or is made")
    parser.add_argument("--index", action="store_true", help="also while the tree is read again; not for synthetic trees")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, help="only these figures")
    parser.add_argument("--corpora", type=Path, default=default_folder(), metavar="DIR", help="where corpora are kept")
    args = parser.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # whoever uses a command has its modules compiled
    bench = Bench(args.corpora.absolute())
    for tree in args.trees:
        if tree in SHAPES:
            subject = _synthetic(bench, tree)
        else:
            root = Path(tree).absolute()
            index_dir = args.index_dir or bench.scratch / "editor-index" / root.name
            subprocess.run(
                [sys.executable, "-m", "symindex", "index", "--root", str(root), "--index-dir", str(index_dir)], check=True
            )
            subject = Subject(bench, root.name, root, index_dir)
        print(render_figures(measure_tree(subject, args.only, args.index and tree not in SHAPES)))


if __name__ == "__main__":
    try:
        main()
    except BenchError as error:
        say(str(error))
        sys.exit(2)
