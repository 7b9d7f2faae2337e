"""Shows authors of queries what symindex finds in one file, and checks languages.

This runs in a process of its own, with limits of time and memory: a grammar may crash or never
return, and a query may match without end.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

import msgspec

from symindex.errors import GrammarError, RequestError
from symindex.extract.captures import Faults
from symindex.extract.parse.author_tools import print_tree
from symindex.extract.records import Symbol
from symindex.extract.summary import (
    CheckLine,
    check_languages,
    open_grammar,
    open_source,
    open_tree,
    told_of_folder,
)
from symindex.extract.symbols import extract_with_faults
from symindex.settings import DEFAULTS
from symindex.text.decoding import decode
from symindex.workers.framing import Handler, Job
from symindex.workers.memory_limit import worker_memory
from symindex.workers.pool import WAITING, Slot, skip_of

FILE_SECONDS: Final = DEFAULTS.file_seconds

MOST_ANSWER_BYTES: Final = 50_000_000
"""Size limit of a tree, or of the symbols of one file, in bytes: the process that prints them has
no limit of memory."""


class _DumpOrder(msgspec.Struct, array_like=True, frozen=True):
    """An order to dump one file.

    file: the path, in the system's bytes. language: a name for it; `None`: detect it from path and
    content. tree: dump the syntax tree instead of the symbols. anonymous: include unnamed nodes.
    grammar: use this grammar, whatever the language.
    """

    file: bytes
    language: str | None
    tree: bool = False
    anonymous: bool = False
    grammar: str = ""


class _CheckOrder(msgspec.Struct, array_like=True, frozen=True):
    """An order to check languages. folders: their paths, in the system's bytes; `None`: the
    languages in use."""

    folders: list[bytes] | None


class _CheckAnswer(msgspec.Struct, array_like=True, frozen=True):
    """One answer to a check: a line of the result, or the name of the next language to check."""

    line: CheckLine | None = None
    begins: str = ""


class _Dump(msgspec.Struct, array_like=True, frozen=True):
    """The answer to an order: one of the first three fields. faults: the faults of the file."""

    symbols: list[Symbol] | None = None
    tree: str = ""
    error: str = ""
    faults: Faults = Faults()


def see_symbols(file: Path, language_word: str | None) -> tuple[list[Symbol], Faults]:
    """Returns the symbols of a file, in the named or detected language, and its faults. Raises
    RequestError for a file that cannot be read."""
    dump = _see(_DumpOrder(os.fsencode(file), language_word))
    return dump.symbols or [], dump.faults


def see_tree(file: Path, language_word: str | None, with_anonymous: bool, grammar: str = "") -> str:
    """Returns the syntax tree of one file, with the arguments and errors of `see_symbols`.

    grammar: the name of a grammar, as `grammar` in `language.toml`; no language is needed then.
    """
    return _see(_DumpOrder(os.fsencode(file), language_word, True, with_anonymous, grammar)).tree


def check_apart(folders: Sequence[Path] | None) -> Iterator[CheckLine]:
    """Yields the lines of `extract/summary.check_languages`. A language that needs too much time or
    memory, or crashes, is a fault and ends the check."""
    name, order = (
        "symindex",
        _CheckOrder(None if folders is None else [os.fsencode(folder) for folder in folders]),
    )
    slot = Slot(
        Job("symindex.workers.dump", CHECK, FILE_SECONDS, worker_memory()), WAITING * FILE_SECONDS
    )
    try:
        for answer in slot.ask(msgspec.msgpack.encode(order)):
            checked = decode(answer, _CheckAnswer)
            if checked.line is not None:
                yield checked.line
            name = checked.begins or name
    finally:
        slot.close()
    if slot.exit is not None:
        reason, detail = skip_of(slot.exit, FILE_SECONDS)
        suffix = f" ({detail})" if detail else ""
        yield CheckLine(
            f"{name}: cannot be checked: {reason}{suffix}; the languages after it were not checked",
            True,
        )


def _see(order: _DumpOrder) -> _Dump:
    slot = Slot(
        Job("symindex.workers.dump", b"", FILE_SECONDS, worker_memory()), WAITING * FILE_SECONDS
    )
    try:
        answers = [decode(answer, _Dump) for answer in slot.ask(msgspec.msgpack.encode(order))]
    finally:
        slot.close()
    if slot.exit is not None:
        reason, detail = skip_of(slot.exit, FILE_SECONDS)
        raise RequestError(f"{os.fsdecode(order.file)}: {reason}" + f" ({detail})" * bool(detail))
    (dump,) = answers
    if dump.error:
        raise RequestError(dump.error)
    return dump


CHECK: Final = b"check"
"""Setup of the job that checks languages."""


def prepare(setup: bytes) -> Handler:
    """Prepares the job. An order is one file, or a check. Languages are read from their folders and
    checked, because their author is working on them."""
    if setup == CHECK:
        return lambda order, send: _check(decode(order, _CheckOrder), send)
    return lambda order, send: send(_dumped(decode(order, _DumpOrder)))


def _check(order: _CheckOrder, send: Callable[[bytes], None]) -> None:
    def tell(checked: _CheckAnswer) -> None:
        send(msgspec.msgpack.encode(checked))

    folders = (
        None if order.folders is None else [Path(os.fsdecode(folder)) for folder in order.folders]
    )
    for line in check_languages(folders, lambda name: tell(_CheckAnswer(begins=name))):
        tell(_CheckAnswer(line))


def _dumped(order: _DumpOrder) -> bytes:
    answer = msgspec.msgpack.encode(_dump(order))
    if len(answer) > MOST_ANSWER_BYTES:
        subject = "its tree" if order.tree else "what its queries find"
        path, limit = os.fsdecode(order.file), f"{MOST_ANSWER_BYTES:,} bytes"
        return msgspec.msgpack.encode(_Dump(error=f"{path}: {subject} takes more than {limit}"))
    return answer


def _dump(order: _DumpOrder) -> _Dump:
    try:
        file = Path(os.fsdecode(order.file))
        if order.tree:
            language, data = (
                open_grammar(file, order.grammar)
                if order.grammar
                else open_tree(file, order.language)
            )
            return _Dump(tree=print_tree(language, data, order.anonymous))
        language, data = open_source(file, order.language)
        symbols, faults = extract_with_faults(language, data)
        return _Dump(symbols=symbols, faults=faults)
    except GrammarError as error:
        return _Dump(error=told_of_folder(error))
    except RequestError as error:
        return _Dump(error=str(error))
