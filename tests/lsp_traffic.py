"""`python -m tests.lsp_traffic SEED SECONDS` sends random traffic of three clients to one server,
whose memory must not grow.

The server must answer every request exactly once and survive everything it receives.
"""

import contextlib
import os
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from tests.fuzz_edits import FIXTURES, Editor
from tests.support.files import write_files
from tests.support.hanging_language import own_environment
from tests.support.lsp_client import Client, LspError, TcpServer
from tests.support.processes import processes_below

GROWTH: Final = 1.25
"""Largest allowed ratio of the memory in the last third of the run to that in the first third, when
everything is loaded."""

SLACK_BYTES: Final = 40_000_000
"""Allowed growth in addition to the ratio, in bytes: short runs need it."""


def memory_of(process_id: int) -> int:
    """Returns the private memory, in bytes, of a process and its descendants."""
    total = 0
    for number in [process_id, *processes_below(process_id)]:
        with contextlib.suppress(OSError):
            for line in Path(f"/proc/{number}/smaps_rollup").read_text().splitlines():
                if line.startswith("Private_"):
                    total += 1024 * int(line.split()[1])
    return total


class Traffic:
    """One client, which acts at random."""

    def __init__(self, server: TcpServer, root: Path, chance: random.Random) -> None:
        self.root, self.chance, self.server = root, chance, server
        self.n_requests = 0
        self._begin()

    def _begin(self) -> None:
        self.client: Client = self.server.connect()
        self.client.initialize(self.root)
        self.editors: dict[str, Editor] = {}
        self.asked: list[int] = []

    def step(self) -> None:
        """Does one random thing."""
        kinds = (
            ["search"] * 8
            + ["edit"] * 8
            + ["outline", "open", "close", "cancel", "cancel", "disk", "junk", "own"]
        )
        getattr(self, f"_{self.chance.choice(kinds)}")()
        if len(self.asked) > 20:
            self.settle()
        if self.chance.random() < 0.002:
            self.settle()
            self.client.leave()
            self._begin()

    def settle(self) -> None:
        """Reads all outstanding answers."""
        for number in self.asked:
            with contextlib.suppress(LspError):
                self.client.answer(number)
        self.n_requests += len(self.asked)
        self.asked.clear()
        self.client.messages.clear()

    def _ask(self, method: str, params: object) -> None:
        self.asked.append(self.client.request(method, params))

    def _search(self) -> None:
        words = [
            "",
            "s",
            "get",
            "Set",
            "parse",
            "A.b",
            "Outer::in",
            "kind:class AND name:*",
            "(",
            "src/x",
            "nothing_such",
        ]
        self._ask(
            "workspace/symbol",
            {"query": self.chance.choice(words) + self.chance.choice(["", "e", "_"])},
        )

    def _own(self) -> None:
        self._ask(
            "symindex/search",
            {
                "query": self.chance.choice(["a", "get"]),
                "max_items": self.chance.choice([1, 50, -1]),
            },
        )

    def _outline(self) -> None:
        uri = self.chance.choice([*self.editors, (self.root / "bash/nothing.sh").as_uri()])
        self._ask("textDocument/documentSymbol", {"textDocument": {"uri": uri}})

    def _open(self) -> None:
        path = self.chance.choice(sorted(FIXTURES.rglob("*.*")))
        editor = Editor("", path)
        uri = (self.root / editor.path).as_uri()
        if uri not in self.editors and len(self.editors) < 5:
            self.editors[uri] = editor
            self.client.open(uri, editor.text, version=1)

    def _edit(self) -> None:
        for uri, editor in list(self.editors.items())[:1]:
            (line, column), (end_line, end_column), text = editor.edit(self.chance)
            self.client.change(uri, editor.n_edits, (text, line, column, end_line, end_column))
            if editor.n_edits > 60:
                self.editors.pop(uri)
                self.client.close_document(uri)

    def _close(self) -> None:
        if self.editors:
            self.client.close_document(self.editors.popitem()[0])

    def _cancel(self) -> None:
        if self.asked:
            self.client.notify("$/cancelRequest", {"id": self.chance.choice(self.asked)})

    def _disk(self) -> None:
        path = self.root / f"made{self.chance.randrange(5)}.py"
        if path.exists():
            path.unlink()
        else:
            path.write_text(f"def made_{self.chance.randrange(100)}(): pass\n")

    def _junk(self) -> None:
        self.client.send(
            self.chance.choice(
                [
                    b"{",
                    b"[]",
                    b'{"jsonrpc":"2.0","method":"$/none"}',
                    b'{"jsonrpc":"2.0","id":"j","result":1}',
                ]
            )
        )


def run_traffic(seed: int, seconds: float, home: Path) -> tuple[list[int], int]:
    """Makes traffic for a number of seconds; returns the memory at thirty moments, and the number
    of answered requests."""
    chance = random.Random(seed)
    sources = {
        path.relative_to(FIXTURES).as_posix(): path.read_bytes()
        for path in sorted(FIXTURES.rglob("*.*"))[::10]
    }
    server = TcpServer(env=own_environment(home / "home"))
    samples: list[int] = []
    try:
        roots = [write_files(home / f"tree{number}", dict(sources)) for number in range(2)]
        clients = [Traffic(server, root, chance) for root in (*roots, roots[0])]
        for traffic in clients[:2]:
            traffic.client.wait_indexed(seconds=120)
        began = time.monotonic()
        while time.monotonic() < began + seconds:
            chance.choice(clients).step()
            if time.monotonic() > began + len(samples) * seconds / 30:
                samples.append(memory_of(server.process.pid))
        for traffic in clients:
            traffic.settle()
            traffic.client.leave()
        assert server.process.poll() is None
    finally:
        log = server.log()
        server.stop()
    assert "Traceback" not in log, log
    return samples, sum(traffic.n_requests for traffic in clients)


def check_growth(samples: list[int]) -> None:
    """Raises AssertionError if the last third of the samples exceeds the early ones by more than
    the allowed growth."""
    assert len(samples) >= 9, "too few samples to tell"
    third = len(samples) // 3
    early, late = max(samples[third // 2 : third + third // 2]), min(samples[-third:])
    assert late < early * GROWTH + SLACK_BYTES, (
        f"memory grows: {[sample // 1_000_000 for sample in samples]} MB"
    )


def main() -> None:
    """Runs the command in the module's docstring."""
    with tempfile.TemporaryDirectory() as home:
        os.environ["HOME"] = home
        samples, n_requests = run_traffic(int(sys.argv[1]), float(sys.argv[2]), Path(home))
    print(
        f"{n_requests:,} requests; MB: {' '.join(str(sample // 1_000_000) for sample in samples)}"
    )
    check_growth(samples)


if __name__ == "__main__":
    main()
