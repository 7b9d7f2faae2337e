"""Executors: what runs batches. Each takes batches and returns results; what is built lies in the
store, so an executor keeps no state, and a run that was ended is simply done again.

`local` reads all batches as one stream with one pool of processes. `ray` sends each batch to a node
of a Ray cluster. Without either, any scheduler can run `symindex fleet index --batch I --of N`.
"""

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from typing import Final

import msgspec

from symindex.errors import IndexFileError
from symindex.fleet.building.build import PORTION_BYTES, Result
from symindex.fleet.building.on_ray import run_on_ray
from symindex.fleet.building.portions import join_portions
from symindex.fleet.building.tasks import Batch, plan_portions, run_batch
from symindex.fleet.stored.store import Store

Executor = Callable[[Sequence[Batch], Store], Generator[Result, None, None]]
"""Runs batches. Yields the results as they come, in any order; closing it ends what still runs.
Raises StorageError if the store refuses or the engine fails; what was done until then stays."""


def run_locally(batches: Sequence[Batch], store: Store) -> Generator[Result, None, None]:
    """Runs batches in processes of this machine."""
    if batches:
        items = [item for batch in batches for item in batch.items]
        yield from run_batch(msgspec.structs.replace(batches[0], items=items), store)


def in_portions(executor: Executor) -> Executor:
    """Returns an executor that gives the portions of a large repository to different processes, and
    joins them in this one. The objects are the same."""

    def run(batches: Sequence[Batch], store: Store) -> Generator[Result, None, None]:
        divided: list[Batch] = []
        for batch in batches:
            divided += _divided(batch)
        parts: dict[str, dict[int, str]] = {}
        failed: set[str] = set()
        with closing(executor(divided, store)) as running:
            for result in running:
                name = result.name
                if not result.n_portions:
                    yield result
                elif not result.part:
                    if name not in failed:
                        yield result
                    failed.add(name)
                else:
                    of_name = parts.setdefault(name, {})
                    of_name[result.portion] = result.part
                    if len(of_name) == result.n_portions:
                        every = [part for _, part in sorted(of_name.items())]
                        yield _joined(store, divided[0].rules, result, every)

    return run


def _divided(batch: Batch) -> list[Batch]:
    """Returns the batch without its large repositories, and a batch for each portion of these."""
    small, batches = [], []
    for item in batch.items:
        count = plan_portions(batch, item) if item.n_bytes >= PORTION_BYTES else 1
        if count == 1:
            small.append(item)
            continue
        for number in range(count):
            portion = msgspec.structs.replace(item, portion=number, n_portions=count)
            batches.append(msgspec.structs.replace(batch, items=[portion]))
    return [*batches, *([msgspec.structs.replace(batch, items=small)] if small else [])]


def _joined(store: Store, rules: bytes, last: Result, parts: list[str]) -> Result:
    try:
        built = join_portions(store, last.known.key, rules, parts)
    except IndexFileError as error:
        return Result(last.name, why=f"{error}; the next run tries again")
    return Result(last.name, built, known=last.known, is_new=True)


EXECUTORS: Final[dict[str, Executor]] = {"local": run_locally, "ray": in_portions(run_on_ray)}
