"""Executors: what runs batches. Each takes batches and returns results; what is built lies in the
store, so an executor keeps no state, and a run that was ended is simply done again.

`local` reads all batches as one stream with one pool of processes. `ray` sends each batch to a node
of a Ray cluster. Without either, any scheduler can run `symindex fleet index --batch I --of N`.
"""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import msgspec

from symindex.errors import RequestError, StorageError
from symindex.fleet.building.build import Result
from symindex.fleet.building.tasks import Batch, run_batch
from symindex.fleet.stored.store import Store

if TYPE_CHECKING:
    from ray import ObjectRef

Executor = Callable[[Sequence[Batch], Store], Iterator[Result]]
"""Runs batches. Yields the results as they come, in any order. Raises StorageError if the store
refuses or the engine fails; what was done until then stays."""

BATCH_SECONDS: Final = 1_800.0
"""Time limit of a batch on a cluster, in seconds: a node that was cut off may never answer."""

MOST_RETRIES: Final = 3
"""How often a batch begins again whose process has died."""

WAITING_PER_CORE: Final = 2
"""Batches that are sent ahead, for each core of the cluster."""

MEMORY_FACTOR: Final = 12
"""Bytes of memory for each byte of source in a batch, beside MEMORY_BASE."""

MEMORY_BASE: Final = 400_000_000

_POLL_SECONDS: Final = 1.0


def run_locally(batches: Sequence[Batch], store: Store) -> Iterator[Result]:
    """Runs batches in processes of this machine."""
    if batches:
        items = [item for batch in batches for item in batch.items]
        yield from run_batch(msgspec.structs.replace(batches[0], items=items), store)


def run_on_ray(batches: Sequence[Batch], store: Store) -> Iterator[Result]:
    """Runs batches as tasks of Ray: on the cluster that RAY_ADDRESS names, else on this machine.

    A batch that exceeds BATCH_SECONDS is cancelled, and its repositories are reported as failed.
    """
    ray = _ray()
    was_running = ray.is_initialized()
    _start(ray)
    task = ray.remote(max_retries=MOST_RETRIES, retry_exceptions=False)(_run_packed)
    waiting = list(batches)
    running: dict[ObjectRef[bytes], tuple[Batch, float]] = {}
    try:
        most = max(1, WAITING_PER_CORE * int(ray.cluster_resources().get("CPU", 1)))
        while waiting or running:
            while waiting and len(running) < most:
                batch = waiting.pop(0)
                n_bytes = sum(item.n_bytes for item in batch.items)
                memory = min(MEMORY_BASE + MEMORY_FACTOR * n_bytes, _most_memory(ray))
                packed = msgspec.msgpack.encode(msgspec.structs.replace(batch, n_workers=1))
                reference = task.options(num_cpus=1, memory=memory).remote(packed)
                running[reference] = batch, time.monotonic()
            ready, _ = ray.wait(list(running), num_returns=1, timeout=_POLL_SECONDS)
            for reference in ready:
                batch, _ = running.pop(reference)
                yield from _results_of(ray, reference, batch)
            for reference, (batch, began) in [*running.items()]:
                if time.monotonic() - began > BATCH_SECONDS:
                    del running[reference]
                    ray.cancel(reference, force=True)
                    yield from _failed(batch, f"gave no answer within {BATCH_SECONDS:,.0f} s")
    finally:
        for reference in running:
            ray.cancel(reference, force=True)
        if not was_running:
            ray.shutdown()


def _results_of(ray: Any, reference: Any, batch: Batch) -> Iterator[Result]:
    try:
        yield from msgspec.msgpack.decode(ray.get(reference), type=list[Result])
    except ray.exceptions.RayTaskError as error:
        cause = error.cause if isinstance(getattr(error, "cause", None), Exception) else error
        if isinstance(cause, StorageError):
            raise StorageError(str(cause)) from None
        yield from _failed(batch, f"{type(cause).__name__}: {cause}")
    except ray.exceptions.RayError as error:
        yield from _failed(batch, str(error))


def _failed(batch: Batch, why: str) -> Iterator[Result]:
    line = why.strip().partition("\n")[0][:300]
    for item in batch.items:
        yield Result(
            item.repository.name, why=f"its batch failed: {line}; the next run tries again"
        )


def _ray() -> Any:
    try:
        import ray
    except ImportError:
        raise RequestError(
            "the executor ray needs Ray: pip install 'symindex[ray]', or use --executor local"
        ) from None
    return ray


def _start(ray: Any) -> None:
    """Connects to the cluster, or starts one on this machine."""
    if ray.is_initialized():
        return
    address = os.environ.get("RAY_ADDRESS") or None
    try:
        ray.init(
            address=address, include_dashboard=False, logging_level="error", log_to_driver=False
        )
    except (ConnectionError, RuntimeError, ValueError, OSError) as error:
        raise StorageError(f"Ray at {address or 'this machine'}: {error}") from None


def _most_memory(ray: Any) -> int:
    """Returns the memory of the largest node, since no task can have more."""
    nodes = [int(node["Resources"].get("memory", 0)) for node in ray.nodes() if node["Alive"]]
    return max(nodes, default=MEMORY_BASE)


def _run_packed(packed: bytes) -> bytes:
    """Runs a batch in a process of Ray."""
    batch = msgspec.msgpack.decode(packed, type=Batch)
    return msgspec.msgpack.encode(list(run_batch(batch)))


EXECUTORS: Final[dict[str, Executor]] = {"local": run_locally, "ray": run_on_ray}
