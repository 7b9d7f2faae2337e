"""A tree, the servers that are asked about it, what is typed, and what else happens meanwhile."""

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
"""Between two of them: nobody types faster, and a server that has nothing to do meanwhile can
settle."""
N_WORDS: Final = 34
WORD_LETTERS: Final = 7
CHANGE_SECONDS: Final = 0.2
LIVE_FOLDER: Final = "symindex-bench-live"
_ENDLESS: Final = "while True: pass"


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
    """Seconds of each query."""
    seconds = []
    for word in words:
        answer = client.ask(METHOD, {"query": word}, ANSWER_SECONDS)
        if answer is None or answer.failure:
            raise BenchError(f"editor: {word!r}: {answer.failure if answer else 'no answer'}")
        seconds.append(answer.seconds)
        time.sleep(gap_seconds)
    return seconds


def ask_nothing(client: Client, times: int) -> list[float]:
    """Seconds of requests that are refused at once: what the way there and back takes."""
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
def changes(root: Path) -> Iterator[None]:
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
        with in_turn(write):
            time.sleep(1)
            yield
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        time.sleep(2)


@contextmanager
def busy() -> Iterator[None]:
    """As many processes as processors that never wait."""
    with ExitStack() as stack:
        for _ in range(os.cpu_count() or 1):
            process = subprocess.Popen([sys.executable, "-c", _ENDLESS])
            stack.callback(process.wait)
            stack.callback(process.kill)
        time.sleep(0.5)
        yield
