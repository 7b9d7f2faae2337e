"""The process that speaks with a Ray cluster: sends batches as tasks, and passes on their results.

It is a process of its own, because Ray ends the process that uses it when the head of the cluster
is gone for a minute, prints as it likes, and handles signals. Orders and messages are frames
(`workers/framing`) on standard input and output. When the input ends, the tasks are cancelled.
"""

import logging
import os
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from symindex import __version__
from symindex.errors import StorageError
from symindex.fleet.building.build import Result
from symindex.fleet.building.tasks import BATCH_BYTES, Batch, cut_batches, run_batch
from symindex.workers.framing import read_frame, write_frame

if TYPE_CHECKING:
    from ray import ObjectRef

MOST_RETRIES: Final = 3
"""How often a batch begins again whose process has died."""

WAITING_PER_CORE: Final = 2
"""Batches that are sent ahead, for each core of the cluster."""

LEAST_BATCH_BYTES: Final = 1_000_000
"""Bytes of source in a batch of a small run, which is cut into two batches for each core."""

MEMORY_FACTOR: Final = 12
"""Bytes of memory for each byte of source in a batch, beside MEMORY_BASE."""

MEMORY_BASE: Final = 400_000_000

CONNECT_SECONDS: Final = 10.0
"""How long to wait for the head to accept a connection, in seconds."""

NODE_SECONDS: Final = 60.0
"""How long to wait for a node with a core, in seconds."""

LOOK_SECONDS: Final = 10.0
"""Interval between looks at the nodes of the cluster, in seconds."""

_POLL_SECONDS: Final = 1.0


class DriverOrder(msgspec.Struct, frozen=True):
    """batches: to run. address: of the cluster; empty for one that is started here. batch_seconds:
    time limit of a batch, waiting included."""

    batches: list[Batch]
    address: str
    batch_seconds: float


class DriverMessage(msgspec.Struct, frozen=True):
    """results: of the batches that are done. error: why nothing more comes. is_end: whether all is
    done. An empty message says that the driver is alive."""

    results: list[Result] = []
    error: str = ""
    is_end: bool = False


Send = Callable[[DriverMessage], object]


class _Running(NamedTuple):
    """A batch that was sent. began: when, by the monotonic clock. memory: what it asks for."""

    batch: Batch
    began: float
    memory: int


class _Nodes(NamedTuple):
    """The nodes that can run tasks. names: as Ray calls them. n_cores: of all. memory: of the
    largest, in bytes."""

    names: frozenset[str]
    n_cores: int
    memory: int


def main() -> None:
    """Runs the order that comes on standard input."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # What Ray prints is no message.
    orders = sys.stdin.buffer
    order = msgspec.msgpack.decode(read_frame(orders) or b"", type=DriverOrder)
    cancelled = threading.Event()

    def wait_for_end() -> None:
        orders.read()
        cancelled.set()

    threading.Thread(target=wait_for_end, daemon=True).start()

    def send(message: DriverMessage) -> None:
        write_frame(answers, msgspec.msgpack.encode(message))

    shown = order.address or "this machine"
    with suppress(OSError):  # The other side has gone.
        try:
            _run(order, send, cancelled)
            send(DriverMessage(is_end=True))
        except StorageError as error:
            send(DriverMessage(error=str(error)))
        except Exception as error:
            send(DriverMessage(error=f"Ray at {shown}: {_first_line(error)}"))
    os._exit(0)  # Threads of Ray may hang when a cluster is gone.


def _run(order: DriverOrder, send: Send, cancelled: threading.Event) -> None:
    import ray

    _check_answers(order.address)
    try:
        ray.init(
            address=order.address or "local",
            include_dashboard=None if order.address else False,
            logging_level=logging.ERROR,
            log_to_driver=False,
        )
    except (ConnectionError, RuntimeError, ValueError, OSError) as error:
        shown = order.address or "this machine"
        raise StorageError(f"Ray at {shown}: {_first_line(error)}") from None
    send(DriverMessage())
    try:
        _Run(ray, order, send).run(cancelled)
    finally:
        ray.shutdown()


def _check_answers(address: str) -> None:
    """Raises StorageError if nobody listens at an address: Ray itself waits for minutes."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if not host or not port.isdigit():
        return  # It names no server, but what Ray looks up: `auto`, `local`.
    try:
        socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS).close()
    except (OSError, OverflowError) as error:
        why = getattr(error, "strerror", "") or error
        raise StorageError(
            f"Ray at {address}: {why}; check RAY_ADDRESS, or use --executor local"
        ) from None


class _Run:
    """Sends the batches of an order, two for each core, and hands over what comes back."""

    def __init__(self, ray: Any, order: DriverOrder, send: Send) -> None:
        self._ray, self._order, self._send = ray, order, send
        self._waiting = list(order.batches)
        self._running: dict[ObjectRef[bytes], _Running] = {}
        self._task = ray.remote(max_retries=MOST_RETRIES, retry_exceptions=False)(_run_packed)
        self._nodes = _Nodes(frozenset(), 0, 0)
        self._looked = self._seen = time.monotonic()

    def run(self, cancelled: threading.Event) -> None:
        try:
            self._look()
            self._waiting = _cut_for(self._waiting, self._nodes.n_cores)
            while (self._waiting or self._running) and not cancelled.is_set():
                if time.monotonic() - self._looked > LOOK_SECONDS or not self._nodes.n_cores:
                    self._look()
                self._send_batches()
                self._give_up_late()
                self._take_results()
        finally:
            for reference in self._running:
                self._ray.cancel(reference, force=True)

    def _look(self) -> None:
        """Looks at the nodes. All batches are sent anew if a node is gone, since Ray may wait for
        it, and those that no node has the memory for any more."""
        self._looked = time.monotonic()
        able = {
            node["NodeID"]: node["Resources"]
            for node in self._ray.nodes()
            if node["Alive"] and node["Resources"].get("CPU", 0) >= 1
        }
        memory = max((int(one.get("memory", 0)) for one in able.values()), default=0)
        is_lost = not self._nodes.names <= able.keys()
        n_cores = sum(int(one["CPU"]) for one in able.values())
        self._nodes = _Nodes(frozenset(able), n_cores, memory)
        if able:
            self._seen = self._looked
        elif self._looked - self._seen > NODE_SECONDS:
            raise StorageError(
                f"Ray at {self._order.address or 'this machine'}: no node has had a core for"
                f" {NODE_SECONDS:,.0f} s; start one, or use --executor local"
            )
        for reference, sent in [*self._running.items()]:
            if is_lost or (able and sent.memory > memory):
                self._cancel(reference)
                self._waiting.append(sent.batch)

    def _send_batches(self) -> None:
        if not self._nodes.n_cores:
            time.sleep(_POLL_SECONDS)
        while self._waiting and len(self._running) < WAITING_PER_CORE * self._nodes.n_cores:
            batch = self._waiting.pop(0)
            n_bytes = sum(item.n_bytes for item in batch.items)
            memory = min(MEMORY_BASE + MEMORY_FACTOR * n_bytes, self._nodes.memory)
            packed = msgspec.msgpack.encode(msgspec.structs.replace(batch, n_workers=1))
            reference = self._task.options(num_cpus=1, memory=memory).remote(packed)
            self._running[reference] = _Running(batch, time.monotonic(), memory)

    def _take_results(self) -> None:
        results: list[Result] = []
        ready: list[ObjectRef[bytes]] = []
        if self._running:
            ready, _ = self._ray.wait([*self._running], timeout=_POLL_SECONDS)
        for reference in ready:
            results += self._results_of(reference, self._running.pop(reference).batch)
        self._send(DriverMessage(results))

    def _give_up_late(self) -> None:
        limit = self._order.batch_seconds
        for reference, sent in [*self._running.items()]:
            if time.monotonic() - sent.began > limit:
                self._cancel(reference)
                failed = _failed(sent.batch, f"it gave no answer within {limit:,.0f} s")
                self._send(DriverMessage([*failed]))

    def _cancel(self, reference: "ObjectRef[bytes]") -> None:
        del self._running[reference]
        self._ray.cancel(reference, force=True)

    def _results_of(self, reference: "ObjectRef[bytes]", batch: Batch) -> list[Result]:
        errors = self._ray.exceptions
        try:
            return msgspec.msgpack.decode(self._ray.get(reference), type=list[Result])
        except errors.RayTaskError as error:
            cause = error.cause if isinstance(getattr(error, "cause", None), Exception) else error
            if isinstance(cause, StorageError):
                raise StorageError(str(cause)) from None
            if isinstance(cause, ImportError):
                raise StorageError(
                    f"a node of Ray lacks symindex {__version__}, or a library of it"
                    f" ({_first_line(cause)}): install symindex[ray] on all"
                ) from None
            return [*_failed(batch, _first_line(cause))]
        except errors.LocalRayletDiedError:
            raise StorageError(
                f"Ray at {self._order.address or 'this machine'}: its process on this machine has"
                " died; what was done stays; start it, and run this again"
            ) from None
        except errors.RayError as error:
            return [*_failed(batch, _first_line(error))]


def _cut_for(batches: list[Batch], n_cores: int) -> list[Batch]:
    """Returns batches that give each core some work: the same, or smaller ones of the same."""
    items = [item for batch in batches for item in batch.items]
    n_bytes = sum(item.n_bytes for item in items) // (WAITING_PER_CORE * max(n_cores, 1))
    if n_bytes >= BATCH_BYTES:
        return batches
    cut = cut_batches(items, max(LEAST_BATCH_BYTES, n_bytes))
    return [msgspec.structs.replace(batches[0], items=some) for some in cut]


def _failed(batch: Batch, why: str) -> Iterator[Result]:
    for item in batch.items:
        name = item.repository.name
        yield Result(name, why=f"its batch failed: {why}; the next run tries again")


_LONGEST_ERROR: Final = 300


def _first_line(error: Exception) -> str:
    line = str(error).strip().partition("\n")[0][:_LONGEST_ERROR]
    return line if isinstance(error, (StorageError, OSError)) else f"{type(error).__name__}: {line}"


def _run_packed(packed: bytes) -> bytes:
    """Runs a batch in a process of Ray."""
    batch = msgspec.msgpack.decode(packed, type=Batch)
    return msgspec.msgpack.encode(list(run_batch(batch)))
