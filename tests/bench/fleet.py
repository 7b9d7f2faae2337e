"""Measures a fleet: how long building, merging, opening and searching take, and how many of its
answers are those of one index of all repositories.

    python -m tests.bench.fleet FOLDER [--depth 2] [--most 276] [--queries 140] [--equal]

Each folder at that depth below FOLDER is a repository. The store, the caches and the copies that
are changed lie in a temporary folder, or in --keep, where a later run finds the store again. With
--equal, FOLDER is also indexed as one tree. Times of searches are those of a second search for the
same: the first one reads the index from the disk.
"""

import argparse
import resource
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final, TypeVar

import symindex
from symindex.fleet.building.executors import EXECUTORS
from symindex.fleet.catalogue.repository import Limits, Repository
from symindex.fleet.fleet import Fleet, open_fleet
from symindex.fleet.stored.store import Store
from symindex.fleet.work import FleetWork
from symindex.protocol.search import SearchRequest
from symindex.workspace.workspace import Workspace
from tests.support.fleet_queries import answer_of, draw_queries

_T = TypeVar("_T")

SEED: Final = 5
N_CHANGED: Final = 10
KINDS: Final = ("a name", "its beginning", "misspelt", "words", "a question")
"""The first kinds of `draw_queries`, in turn; there are more."""

N_KINDS: Final = 14


class Timed:
    """The times of a call, in seconds: on the clock, and of the processor with child processes."""

    def __init__(self) -> None:
        self._wall, self._processor = time.perf_counter(), _processor_seconds()

    def __str__(self) -> str:
        wall = time.perf_counter() - self._wall
        return f"{wall:.2f} s ({_processor_seconds() - self._processor:.2f} s of processor)"


def _processor_seconds() -> float:
    usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def repositories_in(folder: Path, depth: int, most: int | None) -> list[Repository]:
    """Returns the folders at a depth as repositories."""
    folders = sorted(path for path in folder.glob("/".join("*" * depth)) if path.is_dir())
    names = [path.relative_to(folder).as_posix() for path in folders[:most]]
    return [Repository(name, "folder", str(folder / name)) for name in names]


def build(repositories: Sequence[Repository], keep: Path, executor: str) -> None:
    """Builds and merges the store, in two steps."""
    store = Store(str(keep / "store"), creates=True)
    for step in ("index", "merge"):
        work = FleetWork(
            store, repositories, keep / "sources", Limits(), executor=EXECUTORS[executor]
        )
        timed = Timed()
        if step == "index":
            work.index()
        else:
            work.merge(most_loose=0)
        report = work.reports[-1]
        print(f"{step:<22} {timed}; {report.done:,} done, {report.unchanged:,} unchanged")
        failed = {name: why for one in work.reports for name, why in one.failed.items()}
        for name, why in failed.items():
            print(f"  failed: {name}: {why}")


def measure_change(repositories: Sequence[Repository], keep: Path) -> None:
    """Changes ten repositories, and measures the time until they can be searched."""
    changed = []
    for repository in repositories[:: max(1, len(repositories) // N_CHANGED)][:N_CHANGED]:
        copy = keep / "changed" / repository.name
        if not copy.exists():
            shutil.copytree(repository.location, copy)
        (copy / "fresh_file.py").write_text(f"def changed_at_{time.time_ns()}(): ...\n")
        changed.append(Repository(repository.name, "folder", str(copy)))
    names = {repository.name for repository in changed}
    every = [one for one in repositories if one.name not in names] + changed
    store = Store(str(keep / "store"))
    before = {stored.name for folder in ("repositories", "shards") for stored in store.list(folder)}
    work = FleetWork(store, every, keep / "sources", Limits())
    timed = Timed()
    work.update()
    with open_fleet(store.address, keep / "cache") as fleet:
        assert fleet.search("changed_at", max_items=1).total >= len(changed)
    after = {stored.name for folder in ("repositories", "shards") for stored in store.list(folder)}
    print(f"{len(changed)} changed            {timed}; {len(after - before):,} objects written")


def seconds_of(call: Callable[[], object]) -> float:
    """Returns how long a call takes."""
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def measure_searches(fleet: Fleet, queries: Sequence[SearchRequest]) -> None:
    """Prints medians by kind of query."""
    times: dict[int, list[float]] = {}
    for number, request in enumerate(queries):
        answer_of(fleet, request)
        times.setdefault(number % N_KINDS, []).append(
            seconds_of(lambda request=request: answer_of(fleet, request))  # type: ignore[misc]
        )
    for kind, title in enumerate(KINDS):
        found = sorted(times.get(kind, ()))
        if found:
            p95 = found[min(len(found) - 1, int(len(found) * 0.95))]
            print(f"{title:<22} {statistics.median(found) * 1000:.1f} ms, p95 {p95 * 1000:.1f}")


def count_equal(fleet: Fleet, whole: Workspace, queries: Sequence[SearchRequest]) -> None:
    """Prints how many answers are the same, and the first queries with others."""
    others = [one for one in queries if answer_of(fleet, one) != answer_of(whole, one)]
    print(f"equal                  {len(queries) - len(others):,} of {len(queries):,}")
    for request in others[:5]:
        print(f"  another answer: {request.query!r}")


def _peak_memory() -> Iterator[str]:
    if sys.platform == "linux":
        status = Path("/proc/self/status").read_text()
        yield f"peak memory            {int(status.split('VmHWM:')[1].split()[0]) // 1024:,} MB"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--depth", type=int, default=2)
    parser.add_argument("--most", type=int)
    parser.add_argument("--queries", type=int, default=140)
    parser.add_argument("--equal", action="store_true")
    parser.add_argument("--executor", default="local", choices=sorted(EXECUTORS))
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    with ExitStack() as stack:
        keep = options.keep or Path(
            stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
        )
        folder = options.folder.resolve()
        repositories = repositories_in(folder, options.depth, options.most)
        print(f"repositories           {len(repositories):,}")
        build(repositories, keep, options.executor)
        opened: list[Fleet] = []
        store = str(keep / "store")
        for title in ("opened, first", "opened again"):
            seconds = seconds_of(lambda: opened.append(open_fleet(store, keep / "cache")))
            print(f"{title:<22} {seconds * 1000:.1f} ms")
        fleet = opened[-1]
        snapshot = fleet.source.opened.snapshot
        print(f"symbols, files         {snapshot.n_symbols:,}, {snapshot.n_files:,}")
        queries = [*draw_queries(snapshot, options.queries, SEED)]
        measure_searches(fleet, queries)
        print(*_peak_memory(), sep="\n")
        if options.equal:
            with symindex.open(folder, keep / "whole") as whole:
                whole.refresh()
                count_equal(fleet, whole, queries)
        measure_change(repositories, keep)


if __name__ == "__main__":
    main()
