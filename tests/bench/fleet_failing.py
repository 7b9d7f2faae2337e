"""Failures of processes that work on a fleet: killed, at once with others, with a wrong clock. And
what every failure needs: a row of the table, and the checks of a round."""

import os
import random
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from tests.support.fleet_truth import KnownFleet, Ran, Seen, kill_group

N_REPOSITORIES: Final = 14
"""From 13 changed repositories on they are merged, so that there is a shard to damage."""

DAY: Final = 86_400

_OTHER_CLOCK: Final = """
import sys, time
real, off = time.time, float(sys.argv[1])
time.time = lambda: real() + off
time.time_ns = lambda: int((real() + off) * 1e9)
sys.argv = ["symindex", *sys.argv[2:]]
from symindex.__main__ import main
main()
"""


class CannotTryError(Exception):
    """A failure that this machine cannot cause."""


@dataclass
class Row:
    """A row of the table. times: how often it was tried. faults: what was not as it should be.
    served, said, healed: whether nothing wrong was served, what was missing was said, and the next
    run made it whole."""

    name: str
    times: int = 0
    served: bool = True
    said: bool = True
    healed: bool = True
    faults: list[str] = field(default_factory=list)

    def check(self, fleet: KnownFleet, seen: Seen) -> Seen:
        """Checks what a reader saw after a failure."""
        if seen.wrong:
            self.served = False
            self.faults += seen.wrong
        if silent := fleet.why_silent(seen):
            self.said = False
            self.faults.append(silent)
        return seen

    def check_plain(self, ran: Ran, *codes: int) -> Ran:
        """Checks how a process ended: with one of these codes, and one line at most."""
        if not ran.is_plain or (codes and ran.code not in codes):
            self.said = False
            self.faults.append(f"exit code {ran.code}: {ran.said[-1_500:]}")
        return ran

    def check_healed(self, fleet: KnownFleet, *options: str, cache: Path | None = None) -> None:
        """Runs an update, and checks that all is found."""
        ran = fleet.run(*fleet.command("update", *options))
        why = fleet.why_not_whole(fleet.look(cache))
        if ran.code != 0 or why:
            self.healed = False
            self.faults.append(f"not healed: exit code {ran.code}, {ran.said[-300:]} {why}")

    def expect(self, is_so: bool, what: str) -> None:
        """Adds a fault about what was not said."""
        if not is_so:
            self.said = False
            self.faults.append(what)


Run = Callable[[Row, Path, random.Random, int], None]


class Failing(NamedTuple):
    """A failure. run: causes it so many times. times: in a full run, and in a quick one."""

    name: str
    run: Run
    times: tuple[int, int] = (1, 1)


def whole_fleet(folder: Path, n: int = N_REPOSITORIES) -> KnownFleet:
    """Returns a fleet that is up to date."""
    fleet = KnownFleet(folder, n)
    ran = fleet.run()
    assert ran.code == 0, ran.said
    return fleet


def change_some(fleet: KnownFleet, chance: random.Random, most: int = 4) -> None:
    """Gives some repositories their next version."""
    for name in chance.sample(sorted(fleet.versions), chance.randint(1, most)):
        fleet.change(name)


def _killed(row: Row, folder: Path, chance: random.Random, times: int) -> None:
    fleet = KnownFleet(folder, N_REPOSITORIES)
    first = fleet.run()
    seconds = first.seconds
    for _ in range(times):
        # Now and then all change, so that shards are being merged when the process dies.
        change_some(fleet, chance, N_REPOSITORIES if row.times % 4 == 3 else 4)
        with fleet.start() as process:
            time.sleep(chance.random() * seconds)
            kill_group(process)
        row.times += 1
        row.check(fleet, fleet.look(folder / "cache"))
        row.check_healed(fleet, cache=folder / "cache")


def _two_at_once(row: Row, folder: Path, chance: random.Random, times: int) -> None:
    fleet = whole_fleet(folder)
    elsewhere = folder / "elsewhere.toml"
    for _ in range(times):
        change_some(fleet, chance, N_REPOSITORIES if row.times % 4 == 3 else 4)
        fleet.write_catalogue(str(folder / "other machine"))
        os.replace(fleet.catalogue, elsewhere)
        fleet.write_catalogue()
        is_same_machine = chance.random() < 0.5
        second = fleet.command()
        if not is_same_machine:
            second[second.index(str(fleet.catalogue))] = str(elsewhere)
        with fleet.start() as one, fleet.start(*second) as other:
            for process in one, other:
                _, said = process.communicate(timeout=300)
                row.check_plain(Ran(process.returncode, said, 0.0), 0)
        row.times += 1
        # Of two complete runs nothing may be lacking.
        why = fleet.why_not_whole(row.check(fleet, fleet.look(folder / "cache")))
        row.expect(not why, f"after two runs: {why}")
        row.check_healed(fleet, cache=folder / "cache")


def _collected_meanwhile(row: Row, folder: Path, chance: random.Random, times: int) -> None:
    fleet = whole_fleet(folder)
    for _ in range(times):
        change_some(fleet, chance)
        # A repository goes back to its first version, whose object no generation needs any more.
        name = chance.choice(sorted(fleet.versions))
        for path, text in fleet.versions[name][0][1].items():
            (fleet.root(name) / path).write_text(text)
        fleet.versions[name].append(fleet.versions[name][0])
        then = time.time() - 30 * DAY
        for place in Path(fleet.address).rglob("*"):
            os.utime(place, (then, then))
        with fleet.start() as update:
            while update.poll() is None:
                row.check_plain(fleet.run(*fleet.command("gc", "--days", "0")), 0)
            _, said = update.communicate()
        row.check_plain(Ran(update.returncode, said, 0.0), 0)
        row.times += 1
        row.check(fleet, fleet.look(folder / "cache"))
        row.check_healed(fleet, cache=folder / "cache")


def _other_clock(row: Row, folder: Path, chance: random.Random, times: int) -> None:
    fleet = whole_fleet(folder)
    for _ in range(times):
        for hours in -1, 1:
            change_some(fleet, chance)
            words = fleet.command()[3:]
            driver = [sys.executable, "-c", _OTHER_CLOCK, str(3_600 * hours)]
            row.check_plain(fleet.run(*driver, *words), 0)
            row.check_plain(fleet.run(*driver, *fleet.command("gc", "--days", "0")[3:]), 0)
            row.check_plain(fleet.run(*driver, *fleet.command("status")[3:]), 0)
            row.times += 1
            why = fleet.why_not_whole(row.check(fleet, fleet.look(folder / "cache")))
            row.expect(not why, why)
            row.check_healed(fleet, cache=folder / "cache")


def process_failures() -> list[Failing]:
    """Returns the failures of this module."""
    return [
        Failing("a builder is killed", _killed, (100, 10)),
        Failing("two updates at once", _two_at_once, (50, 5)),
        Failing("gc during an update", _collected_meanwhile, (20, 3)),
        Failing("a clock an hour off", _other_clock, (3, 1)),
    ]
