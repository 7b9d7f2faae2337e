"""Executors: what runs batches. Each takes batches and returns results; what is built lies in the
store, so an executor keeps no state, and a run that was ended is simply done again.

`local` reads all batches as one stream with one pool of processes. `ray` sends each batch to a node
of a Ray cluster. Without either, any scheduler can run `symindex fleet index --batch I --of N`.
"""

from collections.abc import Callable, Generator, Sequence
from typing import Final

import msgspec

from symindex.fleet.building.build import Result
from symindex.fleet.building.on_ray import run_on_ray
from symindex.fleet.building.tasks import Batch, run_batch
from symindex.fleet.stored.store import Store

Executor = Callable[[Sequence[Batch], Store], Generator[Result, None, None]]
"""Runs batches. Yields the results as they come, in any order; closing it ends what still runs.
Raises StorageError if the store refuses or the engine fails; what was done until then stays."""


def run_locally(batches: Sequence[Batch], store: Store) -> Generator[Result, None, None]:
    """Runs batches in processes of this machine."""
    if batches:
        items = [item for batch in batches for item in batch.items]
        yield from run_batch(msgspec.structs.replace(batches[0], items=items), store)


EXECUTORS: Final[dict[str, Executor]] = {"local": run_locally, "ray": run_on_ray}
