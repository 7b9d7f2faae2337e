"""A job for tests of the pool: each word of an order is echoed, or ends its worker."""

import os
import signal
import threading
import time
from collections.abc import Callable

import msgspec

from symindex.workers.framing import Handler

WORK_SECONDS = 0.4

PREPARED: list[int] = []
"""The ids of the processes that have prepared something, including those that this one was forked
from."""

SIGNALS = {"segv": signal.SIGSEGV, "term": signal.SIGTERM, "kill": signal.SIGKILL}


def prepare(setup: bytes) -> Handler:
    if setup == b"broken":
        raise SystemExit(3)

    def carry_out(order: bytes, tell: Callable[[bytes], None]) -> None:
        for word in msgspec.msgpack.decode(order, type=list[str]):
            tell(_answer(word))

    return carry_out


def _answer(word: str) -> bytes:
    if word in SIGNALS:
        os.kill(os.getpid(), SIGNALS[word])
    if word == "prepare":
        PREPARED.append(os.getpid())
    if word == "prepared":
        return b",".join(str(pid).encode() for pid in PREPARED) or b"nothing"
    if word == "thread":
        threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
    if word == "exit":
        os._exit(3)
    if word == "memory":
        raise MemoryError
    if word == "wait":
        time.sleep(1000)
    while word == "compute":
        pass
    began = time.process_time()
    while word == "work" and time.process_time() < began + WORK_SECONDS:
        pass
    return str(os.getpid()).encode() if word == "pid" else word.encode()
