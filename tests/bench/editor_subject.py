"""A tree, the servers for it, the words that are typed, and what else happens meanwhile."""

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

from tests.bench.lsp_client import Client
from tests.bench.lsp_session import METHOD
from tests.bench.lsp_socket import SocketClient
from tests.bench.places import Bench, BenchError

ANSWER_SECONDS: Final = 60.0
GAP_SECONDS: Final = 0.01
"""Pause between two queries, in seconds: nobody types faster, and an idle server can settle
meanwhile."""
N_WORDS: Final = 34
WORD_LETTERS: Final = 7
CHANGE_SECONDS: Final = 0.2
LIVE_FOLDER: Final = "symindex-bench-live"
_ENDLESS: Final = "while True: pass"


class Subject:
    """A tree and how it is asked. words: the queries that are typed."""

    def __init__(self, bench: Bench, name: str, root: Path, index_dir: Path) -> None:
        self.name, self.root, self.index_dir = name, root, index_dir
        self._home = bench.scratch / "editor-home"
        shutil.rmtree(self._home, ignore_errors=True)
        self._home.mkdir(parents=True)
        self.words = typed_words(root, index_dir)

    def start(self, limit: int) -> Client:
        """Starts a server on the existing index, without the handshake."""
        # Like an editor, it sets the place of the index in the environment.
        client = Client([sys.executable, "-m", "symindex", "lsp"], self._home, self._environment())
        client.options = {"limit": limit}
        return client

    def _environment(self) -> dict[str, str]:
        return {**os.environ, "SYMINDEX_INDEX_DIR": str(self.index_dir)}

    def start_two(self, limit: int) -> tuple[Client, Client]:
        """Starts a server on a socket with two clients; the first client ends it."""
        address = Path(tempfile.mkdtemp()) / "socket"  # short enough for a socket
        command = [sys.executable, "-m", "symindex", "lsp", "--socket", str(address)]
        process = subprocess.Popen(
            command,
            cwd=self._home,
            env=self._environment(),
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        clients = SocketClient(address, self._home, process), SocketClient(address, self._home)
        for client in clients:
            client.options = {"limit": limit}
        return clients

    def settle(self, client: Client) -> None:
        """Waits until a server is idle."""
        until = time.perf_counter() + ANSWER_SECONDS
        while time.perf_counter() < until:
            used = client.processor_seconds()
            time.sleep(0.5)
            if client.processor_seconds() - used < 0.03 and not client.is_busy:
                return


def typed_words(root: Path, index_dir: Path) -> list[str]:
    """Returns the beginnings of indexed names, each one letter longer than the one before."""
    script = (
        "import sys, random, symindex\n"
        "with symindex.open(sys.argv[1], sys.argv[2]) as workspace:\n"
        "    workspace.load()\n"
        "    names = workspace.source.indexed.snapshot.parts[0].index.names\n"
        "    some = random.Random(7).sample(range(len(names)), 400)\n"
        "    print('\\n'.join(names[number] for number in some))\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", script, str(root), str(index_dir)],
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode:
        raise BenchError(
            f"editor: {root}: has no index that can be read: {run.stderr.strip().splitlines()[-1:]}"
        )
    names = [
        name
        for name in run.stdout.split("\n")
        if name.isascii() and name.replace("_", "").isalnum() and len(name) > 5
    ]
    by_beginning = {name[:3].lower(): name for name in reversed(names)}
    return [
        name[:n]
        for name in list(by_beginning.values())[:N_WORDS]
        for n in range(1, WORD_LETTERS + 1)
        if len(name) >= n
    ]


def type_all(client: Client, words: Sequence[str], gap_seconds: float = GAP_SECONDS) -> list[float]:
    """Returns the seconds of each query."""
    seconds = []
    for word in words:
        answer = client.ask(METHOD, {"query": word}, ANSWER_SECONDS)
        if answer is None or answer.failure:
            raise BenchError(f"editor: {word!r}: {answer.failure if answer else 'no answer'}")
        seconds.append(answer.seconds)
        time.sleep(gap_seconds)
    return seconds


def ask_nothing(client: Client, times: int) -> list[float]:
    """Returns the seconds of requests that are refused at once, which is the time of the round
    trip."""
    seconds = []
    for _ in range(times):
        answer = client.ask("symindex/nothing", {}, ANSWER_SECONDS)
        if answer is None or not answer.failure:
            raise BenchError("editor: a request that nothing serves was not refused")
        seconds.append(answer.seconds)
        time.sleep(GAP_SECONDS)
    return seconds


@contextmanager
def in_turn(work: Callable[[], object]) -> Iterator[None]:
    """Repeats an action in a thread until the block ends."""
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
def changes(root: Path) -> Iterator[None]:
    """Writes a file of the tree five times a second during the block."""
    folder = root / LIVE_FOLDER
    folder.mkdir(exist_ok=True)
    numbers = iter(range(1_000_000))

    def write() -> None:
        number = next(numbers)
        lines = (f"def change_{number}_{i}(first):\n    return first\n\n\n" for i in range(40))
        (folder / f"file_{number % 5}.py").write_text("".join(lines))
        time.sleep(CHANGE_SECONDS)

    try:
        with in_turn(write):
            time.sleep(1)
            yield
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        time.sleep(2)


@contextmanager
def busy() -> Iterator[None]:
    """Keeps all processors busy during the block, with one process each."""
    with ExitStack() as stack:
        for _ in range(os.cpu_count() or 1):
            process = subprocess.Popen([sys.executable, "-c", _ENDLESS])
            stack.callback(process.wait)
            stack.callback(process.kill)
        time.sleep(0.5)
        yield
