"""Executors: local processes, shares of several processes, and Ray give the same objects. Whatever
becomes of Ray, a run ends in bounded time with one sentence, and the next one does what is lacking."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import msgspec
import pytest

from symindex.errors import RequestError, StorageError
from symindex.fleet.building import on_ray
from symindex.fleet.building.executors import run_locally
from symindex.fleet.building.on_ray import run_on_ray
from symindex.fleet.building.tasks import Batch, run_batch
from symindex.fleet.stored.store import Store
from tests.bench.fleet_damage import digest_of_all
from tests.support.fleet_truth import KnownFleet
from tests.support.fleets import SmallFleet
from tests.support.processes import processes_below, processes_named, wait_for_ends
from tests.support.waiting import until

needs_ray: Final = pytest.mark.skipif(
    find_spec("ray") is None, reason="needs Ray: pip install 'symindex[ray]'"
)

N: Final = 6


def _batch(fleet: SmallFleet, **changed: object) -> Batch:
    work = fleet.work()
    work._sync()
    (batch,) = work._batches(work.update(), ())
    return msgspec.structs.replace(batch, **changed)


def test_shares_as_processes_make_the_same_objects(tmp_path: Path) -> None:
    """So does any scheduler that runs `fleet index --batch I --of N`."""
    whole, shared = KnownFleet(tmp_path / "a", N), KnownFleet(tmp_path / "b", N)
    assert whole.run(*whole.command("index")).code == 0
    for number in (3, 1, 2):
        share = ["--batch", str(number), "--of", "3"]
        # A share without a repository is done, too; it has nothing to say.
        assert shared.run(*shared.command("index", *share)).code in (0, 1)
    assert digest_of_all(tmp_path / "a" / "store" / "repositories") == digest_of_all(
        tmp_path / "b" / "store" / "repositories"
    )
    assert not shared.why_not_whole(shared.look())


@pytest.mark.slow
def test_shares_at_once_lose_nothing(tmp_path: Path) -> None:
    fleet = KnownFleet(tmp_path, N)
    shares = [["--batch", str(number), "--of", "3"] for number in (1, 2, 3)]
    with contextlib.ExitStack() as stack:
        running = [
            stack.enter_context(fleet.start(*fleet.command("index", *share))) for share in shares
        ]
        for process in running:
            _, said = process.communicate(timeout=100)
            assert (process.returncode in (0, 1), said) == (True, "")
    assert not fleet.why_not_whole(fleet.look())


def test_a_node_with_other_languages_refuses(tmp_path: Path) -> None:
    """Else its objects would be served as if they were ours."""
    batch = _batch(SmallFleet(tmp_path), rules=b"other")
    with pytest.raises(StorageError, match=r"has symindex .* differ from those of the machine"):
        list(run_batch(batch))


def test_nothing_to_run_starts_nothing(tmp_path: Path) -> None:
    assert list(run_locally([], Store("memory://nothing"))) == []


@needs_ray
def test_ray_needs_a_store_that_others_reach(tmp_path: Path) -> None:
    batch = _batch(SmallFleet(tmp_path))
    with pytest.raises(RequestError, match="a store in memory belongs to one process"):
        next(run_on_ray([batch], Store("memory://one")))
    assert list(run_on_ray([], Store(str(tmp_path)))) == []


def test_without_ray_the_remedy_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_ray, "find_spec", lambda name: None)
    with pytest.raises(RequestError, match=r"pip install 'symindex\[ray\]'"):
        next(run_on_ray([], Store(str(tmp_path))))


def test_a_driver_that_dies_at_once_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(on_ray, "find_spec", lambda name: True)
    monkeypatch.setattr(on_ray, "python_command", lambda name: [sys.executable, "-c", "pass"])
    with pytest.raises(StorageError, match="cannot be reached any more; what was done stays"):
        next(run_on_ray([_batch(SmallFleet(tmp_path))], Store(str(tmp_path))))


def test_a_silent_driver_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sleep = [sys.executable, "-c", "import sys; sys.stdin.buffer.read()"]
    monkeypatch.setattr(on_ray, "find_spec", lambda name: True)
    monkeypatch.setattr(on_ray, "python_command", lambda name: sleep)
    monkeypatch.setattr(on_ray, "SILENT_SECONDS", 0.5)
    with pytest.raises(StorageError, match="no sign of life within 0 s; what was done stays"):
        next(run_on_ray([_batch(SmallFleet(tmp_path))], Store(str(tmp_path))))
    assert not processes_named(os.getpid(), "stdin.buffer.read")


class Cluster:
    """A Ray cluster of one node that a test starts, and may kill. processes: its own."""

    def __init__(self, folder: Path, *options: str) -> None:
        # Sockets in a folder of Ray have paths of at most 107 bytes.
        self._folder = Path("/tmp") / f"ray-{os.getpid()}"
        self.environment = {
            **os.environ,
            "RAY_USAGE_STATS_ENABLED": "0",
            "RAY_AUTH_MODE": "disabled",
            "HOME": str(folder),
        }
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.address = f"127.0.0.1:{self.port}"
        self._program = Path(sys.executable).with_name("ray")
        words = [
            *("start", "--head", "--node-ip-address", "127.0.0.1", "--port", str(self.port)),
            *("--include-dashboard=false", "--disable-usage-stats", *(options or ["--num-cpus=2"])),
            *("--temp-dir", str(self._folder), "--block"),
        ]
        self._process = subprocess.Popen(
            [str(self._program), *words],
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def kill(self, *words: str) -> list[int]:
        """Kills the processes whose commands contain one of these words; default: all."""
        numbers = [
            number
            for number, command in processes_below(self._process.pid).items()
            if not words or any(word in command for word in words)
        ]
        for number in numbers:
            with contextlib.suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)
        return numbers

    def is_ready(self) -> bool:
        """Whether the node runs, and the agents that it starts once it has joined."""
        return bool(processes_named(self._process.pid, "runtime_env/agent/main.py"))

    def end(self) -> None:
        numbers = self.kill()
        self._process.kill()
        self._process.wait()
        wait_for_ends(numbers)


@pytest.fixture
def cluster(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Iterator[Cluster]:
    """A cluster, and the variables that lead to it. Its parameter: options of its node."""
    running = Cluster(tmp_path, *getattr(request, "param", ()))
    monkeypatch.setenv("RAY_ADDRESS", running.address)
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    try:
        until(running.is_ready, "Ray")
        yield running
    finally:
        running.end()


RAY: Final = ("--executor", "ray")


@needs_ray
@pytest.mark.nightly
@pytest.mark.timeout(400)
def test_ray_makes_the_same_objects_and_prints_nothing(tmp_path: Path) -> None:
    here, there = KnownFleet(tmp_path / "a", N), KnownFleet(tmp_path / "b", N)
    assert here.run().code == 0
    ran = there.run(*there.command("update", *RAY))
    assert (ran.code, ran.said) == (0, "")
    assert digest_of_all(tmp_path / "a" / "store" / "repositories") == digest_of_all(
        tmp_path / "b" / "store" / "repositories"
    )
    assert not there.why_not_whole(there.look())


@needs_ray
@pytest.mark.nightly
@pytest.mark.timeout(400)
def test_a_cluster_that_is_not_there(tmp_path: Path) -> None:
    fleet = KnownFleet(tmp_path, N)
    ran = fleet.run(
        *fleet.command("update", *RAY), RAY_ADDRESS="127.0.0.1:9", RAY_AUTH_MODE="disabled"
    )
    assert (ran.code, ran.is_plain) == (2, True)
    assert "Ray at 127.0.0.1:9: Connection refused; check RAY_ADDRESS" in ran.said
    assert ran.seconds < on_ray.SILENT_SECONDS
    assert fleet.run().code == 0


@needs_ray
@pytest.mark.nightly
@pytest.mark.timeout(400)
def test_a_worker_that_is_killed_begins_again(tmp_path: Path, cluster: Cluster) -> None:
    fleet = KnownFleet(tmp_path, 12)
    killed: list[int] = []
    ended = threading.Event()

    def kill() -> None:
        while len(killed) < 2 and not ended.wait(0.05):
            killed.extend(cluster.kill("ray::_run_packed"))

    killer = threading.Thread(target=kill)
    killer.start()
    ran = fleet.run(*fleet.command("update", *RAY))
    ended.set()
    killer.join()
    assert killed
    assert (ran.code, ran.said) == (0, "")
    assert not fleet.why_not_whole(fleet.look())


@needs_ray
@pytest.mark.nightly
@pytest.mark.timeout(400)
@pytest.mark.parametrize("words", [("gcs_server", "raylet"), ("raylet/raylet",), ()])
def test_a_head_that_is_killed(tmp_path: Path, cluster: Cluster, words: tuple[str, ...]) -> None:
    fleet = KnownFleet(tmp_path, 12)
    with fleet.start(*fleet.command("update", *RAY)) as process:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not cluster.kill("ray::_run_packed"):
            time.sleep(0.05)
        cluster.kill(*words)
        _, said = process.communicate(timeout=300)
    assert "Traceback" not in said
    assert len(said.splitlines()) <= 1
    assert process.returncode in (0, 1, 2)
    if process.returncode == 2:
        assert "what was done stays" in said
    assert not fleet.look().wrong
    assert fleet.run().code == 0
    assert not fleet.why_not_whole(fleet.look())


@needs_ray
@pytest.mark.nightly
@pytest.mark.timeout(400)
def test_a_batch_that_exceeds_its_time(
    tmp_path: Path, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    fleet = SmallFleet(tmp_path)
    monkeypatch.setattr(on_ray, "BATCH_SECONDS", 0.0)
    work = fleet.work(run_on_ray)
    states = work.update().repositories
    assert all(state.built is None for state in states.values())
    assert all("it gave no answer within 0 s" in why for why in work.reports[1].failed.values())
    monkeypatch.undo()
    assert all(state.built for state in fleet.work().update().repositories.values())


@needs_ray
@pytest.mark.nightly
@pytest.mark.timeout(400)
def test_an_interrupt_ends_the_tasks(tmp_path: Path, cluster: Cluster) -> None:
    fleet = KnownFleet(tmp_path, 12)
    with fleet.start(*fleet.command("update", *RAY)) as process:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not cluster.kill("ray::_run_packed"):
            time.sleep(0.05)
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=100)
    assert (process.returncode, said.strip()) == (
        130,
        "symindex: interrupted; the index is unchanged",
    )
    assert time.monotonic() - began < on_ray.END_SECONDS + 10
    deadline = time.monotonic() + 30
    while cluster.kill("ray::_run_packed"):
        assert time.monotonic() < deadline
        time.sleep(0.5)
    assert fleet.run().code == 0


@needs_ray
@pytest.mark.nightly
@pytest.mark.timeout(400)
@pytest.mark.parametrize("cluster", [("--num-cpus=0",)], indirect=True)
def test_a_cluster_without_cores_is_not_waited_for(tmp_path: Path, cluster: Cluster) -> None:
    fleet = KnownFleet(tmp_path, N)
    ran = fleet.run(*fleet.command("update", *RAY))
    assert (ran.code, ran.is_plain) == (2, True)
    assert "no node has had a core for 60 s; start one, or use --executor local" in ran.said


@needs_ray
@pytest.mark.nightly
@pytest.mark.timeout(400)
@pytest.mark.parametrize("cluster", [("--num-cpus=1", "--memory=200000000")], indirect=True)
def test_a_small_machine_gets_what_it_has(tmp_path: Path, cluster: Cluster) -> None:
    fleet = KnownFleet(tmp_path, N)
    ran = fleet.run(*fleet.command("update", *RAY))
    assert (ran.code, ran.said) == (0, "")
