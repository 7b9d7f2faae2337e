"""What symindex sees in one file, for authors of queries. In a process of its own, for a grammar may crash or never return."""

import os
from pathlib import Path

import msgspec

from symindex.errors import RequestError
from symindex.extract.records import Symbol
from symindex.extract.summary import dump_symbols, dump_tree
from symindex.text.decoding import decode
from symindex.workers.framing import Handler, Job
from symindex.workers.memory_limit import worker_memory
from symindex.workers.pool import WAITING, Slot, skip_of


class _Order(msgspec.Struct, array_like=True, frozen=True):
    """file: the system's bytes. language: a word for it; none: by name and content. tree: whether the syntax tree is wanted, and
    anonymous: with its unnamed nodes."""

    file: bytes
    language: str | None
    tree: bool = False
    anonymous: bool = False


class _Seen(msgspec.Struct, array_like=True, frozen=True):
    """One of the three."""

    symbols: list[Symbol] | None = None
    tree: str = ""
    error: str = ""


def see_symbols(file: Path, language_word: str | None, file_seconds: float) -> list[Symbol]:
    """The symbols of one file, read as the language named or recognised.

    file_seconds: of the processor's time, where the system counts it. Raises RequestError for what cannot be read.
    """
    return _see(_Order(os.fsencode(file), language_word), file_seconds).symbols or []


def see_tree(file: Path, language_word: str | None, with_anonymous: bool, file_seconds: float) -> str:
    """The syntax tree of one file; otherwise as `see_symbols`."""
    return _see(_Order(os.fsencode(file), language_word, True, with_anonymous), file_seconds).tree


def _see(order: _Order, file_seconds: float) -> _Seen:
    slot = Slot(Job("symindex.workers.dump", b"", file_seconds, worker_memory()), WAITING * file_seconds)
    try:
        answers = [decode(answer, _Seen) for answer in slot.ask(msgspec.msgpack.encode(order))]
    finally:
        slot.close()
    if slot.exit is not None:
        reason, detail = skip_of(slot.exit, file_seconds)
        raise RequestError(f"{os.fsdecode(order.file)}: {reason}" + f" ({detail})" * bool(detail))
    (seen,) = answers
    if seen.error:
        raise RequestError(seen.error)
    return seen


def prepare(setup: bytes) -> Handler:
    """The job: an order is one file. The languages are read from their folders and checked: who dumps a file works on these."""
    return lambda order, tell: tell(msgspec.msgpack.encode(_dump(decode(order, _Order))))


def _dump(order: _Order) -> _Seen:
    file = Path(os.fsdecode(order.file))
    try:
        if order.tree:
            return _Seen(tree=dump_tree(file, order.language, order.anonymous))
        return _Seen(symbols=dump_symbols(file, order.language))
    except RequestError as error:
        return _Seen(error=str(error))
