"""A daemon ends when nobody has used it for a while, and not while it is used."""

import os
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from symindex.serve.cli.commands import serve
from symindex.serve.daemon import exchange, listener, wire
from symindex.serve.daemon.listener import Daemon
from tests.support.command import Ran, run
from tests.support.daemon import ask, serving
from tests.support.files import write_files
from tests.support.waiting import SECONDS, until

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs Unix sockets")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(exchange, "HEAD_SECONDS", SECONDS)
    monkeypatch.setattr(listener, "REQUEST_SECONDS", SECONDS)
    return write_files(tmp_path / "tree", {"a.py": "class Server: pass\n"}).resolve()


def test_only_answers_are_use(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    later = SimpleNamespace(seconds=0.0)
    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + later.seconds)
    monkeypatch.setattr(listener, "time", clock)
    asked = "Server", "--root", str(root)
    with serving(root) as daemon:
        until(lambda: ask(*asked))
        later.seconds += 1_000
        assert daemon.idle_seconds >= 1_000
        assert ask(*asked) is not None and daemon.idle_seconds < 1_000
        later.seconds += 1_000
        monkeypatch.setattr(wire, "MOST_REQUEST_BYTES", 10)
        assert ask(*asked) is None and daemon.idle_seconds >= 1_000


def test_an_answer_that_takes_long_is_use(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    later = SimpleNamespace(seconds=0.0)
    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + later.seconds)
    begun, may_end = threading.Event(), threading.Event()
    answer: Any = listener.answer

    def answer_slowly(*given: Any) -> list[bytes]:
        begun.set()
        assert may_end.wait(SECONDS)
        pieces: list[bytes] = answer(*given)
        return pieces

    with serving(root) as daemon:
        until(lambda: ask("Server", "--root", str(root)))
        monkeypatch.setattr(listener, "answer", answer_slowly)
        asking = threading.Thread(target=ask, args=("Server", "--root", str(root)))
        asking.start()
        assert begun.wait(SECONDS)
        monkeypatch.setattr(listener, "time", clock)
        later.seconds = 1_000.0
        assert daemon.idle_seconds == 0
        may_end.set()
        asking.join()
        until(lambda: 0 < daemon.idle_seconds < 1_000)


@pytest.mark.parametrize(
    ("minutes", "idle"), [("1", [0.0, 59.9, 0.0, 59.9, 60.0]), ("0.5", [29.9, 30.0])]
)
def test_serve_ends_after_its_idle_time(
    root: Path, minutes: str, idle: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    left = iter(idle)
    monkeypatch.setattr(serve, "TICK_SECONDS", 0.001)
    monkeypatch.setattr(Daemon, "idle_seconds", property(lambda _: next(left)))
    ran: list[Ran] = []
    serving = threading.Thread(
        target=lambda: ran.append(run("serve", "--root", str(root), "--idle", minutes))
    )  # another thread, so that signals stay as they are
    serving.start()
    serving.join()
    assert ran[0].code == 0 and "without a request" in ran[0].err
    assert [*left] == []
