"""Runs batches on a Ray cluster, through a process that speaks with it (`ray_driver`).

Whatever becomes of the cluster and of that process, the run ends in bounded time and with one
sentence. What was done until then is in the store.
"""

import os
import queue
import subprocess
import threading
from collections.abc import Generator, Sequence
from contextlib import suppress
from importlib.util import find_spec
from typing import IO, Final, Self

import msgspec

from symindex.errors import RequestError, StorageError
from symindex.fleet.building.build import Result
from symindex.fleet.building.ray_driver import DriverMessage, DriverOrder
from symindex.fleet.building.tasks import Batch
from symindex.fleet.stored.store import Store
from symindex.workers.framing import read_frame, write_frame
from symindex.workers.isolation import python_command

BATCH_SECONDS: float = 1_800.0
"""Time limit of a batch, in seconds, with its waiting: a node that was cut off may never answer."""

SILENT_SECONDS: float = 180.0
"""How long the driver may be silent. It speaks each second, but Ray may take a minute to start, and
waits a minute for a head that is gone."""

END_SECONDS: Final = 20.0
"""How long the driver may take to cancel its tasks."""


def run_on_ray(batches: Sequence[Batch], store: Store) -> Generator[Result, None, None]:
    """Runs batches as tasks of Ray: on the cluster that RAY_ADDRESS names, else on one that is
    started on this machine for this run.

    A batch that exceeds BATCH_SECONDS is cancelled, and its repositories are reported as failed.
    Raises RequestError without Ray, and StorageError if the store or the cluster refuses.
    """
    if find_spec("ray") is None:
        raise RequestError(
            "the executor ray needs Ray: pip install 'symindex[ray]', or use --executor local"
        )
    if store.location.startswith("memory:"):
        raise RequestError(
            f"{store.address}: a store in memory belongs to one process: use --executor local"
        )
    if not batches:
        return
    address = os.environ.get("RAY_ADDRESS", "")
    with _Driver(DriverOrder([*batches], address, BATCH_SECONDS)) as driver:
        while True:
            message = driver.next_message()
            yield from message.results
            if message.error:
                raise StorageError(message.error)
            if message.is_end:
                return


class _Driver:
    """The process of the driver. On exit, it has ended."""

    def __init__(self, order: DriverOrder) -> None:
        self._shown = order.address or "this machine"
        environment = {"RAY_USAGE_STATS_ENABLED": "0", **os.environ}
        self._process = subprocess.Popen(
            python_command("symindex.fleet.building.ray_driver"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            start_new_session=True,  # Ctrl-C is for us; then we end it.
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._orders, answers = self._process.stdin, self._process.stdout
        self._messages: queue.SimpleQueue[DriverMessage | None] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, args=(answers,), daemon=True)
        self._reader.start()
        with suppress(OSError):  # It has died: the reader notices.
            write_frame(self._orders, msgspec.msgpack.encode(order))

    def _read(self, answers: IO[bytes]) -> None:
        with answers:
            while (frame := read_frame(answers)) is not None:
                self._messages.put(msgspec.msgpack.decode(frame, type=DriverMessage))
        self._messages.put(None)

    def next_message(self) -> DriverMessage:
        """Returns the next message. Raises StorageError if the driver has died or is silent."""
        try:
            message = self._messages.get(timeout=SILENT_SECONDS)
        except queue.Empty:
            raise StorageError(
                f"Ray at {self._shown}: no sign of life within {SILENT_SECONDS:,.0f} s; what was"
                " done stays; check the cluster, and run this again"
            ) from None
        if message is None:
            raise StorageError(
                f"Ray at {self._shown}: the head of the cluster cannot be reached any more; what"
                " was done stays; check the cluster, and run this again"
            )
        return message

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            self._orders.close()
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(END_SECONDS)
