"""What symindex finds in one file, and whether languages are sound, for authors of queries.

In a process of its own, with limits of time and memory: a grammar may crash or never return, and a
query may find without end.
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
"""What a tree or the symbols of one file may take: this process, which prints them, has no limit of
memory."""


class _Order(msgspec.Struct, array_like=True, frozen=True):
    """file: the system's bytes. language: a name for it; `None`: by path and content. tree: asks
    for the syntax tree instead of the symbols; anonymous: with its unnamed nodes; grammar: by this
    one, whatever the language."""

    file: bytes
    language: str | None
    tree: bool = False
    anonymous: bool = False
    grammar: str = ""


class _Check(msgspec.Struct, array_like=True, frozen=True):
    """An order to check languages. folders: the system's bytes; `None`: those in use."""

    folders: list[bytes] | None


class _Checked(msgspec.Struct, array_like=True, frozen=True):
    """An answer to it: a line, or the name of the language that is checked next."""

    line: CheckLine | None = None
    begins: str = ""


class _Seen(msgspec.Struct, array_like=True, frozen=True):
    """The answer: one of the first three. faults: what is wrong with the file whose symbols these
    are."""

    symbols: list[Symbol] | None = None
    tree: str = ""
    error: str = ""
    faults: Faults = Faults()


def see_symbols(file: Path, language_word: str | None) -> tuple[list[Symbol], Faults]:
    """The symbols of a file, in the named language or the recognised one, and what is wrong with
    it. Raises RequestError for a file that cannot be read."""
    seen = _see(_Order(os.fsencode(file), language_word))
    return seen.symbols or [], seen.faults


def see_tree(file: Path, language_word: str | None, with_anonymous: bool, grammar: str = "") -> str:
    """The syntax tree of one file; the rest as for `see_symbols`. grammar: the name of one, as
    `grammar` in `language.toml`; a language is then not needed."""
    return _see(_Order(os.fsencode(file), language_word, True, with_anonymous, grammar)).tree


def check_apart(folders: Sequence[Path] | None) -> Iterator[CheckLine]:
    """What `extract/summary.check_languages` says. A language that takes too much time or memory,
    or crashes, is a fault, and ends the check."""
    name, order = (
        "symindex",
        _Check(None if folders is None else [os.fsencode(folder) for folder in folders]),
    )
    slot = Slot(
        Job("symindex.workers.dump", CHECK, FILE_SECONDS, worker_memory()), WAITING * FILE_SECONDS
    )
    try:
        for answer in slot.ask(msgspec.msgpack.encode(order)):
            checked = decode(answer, _Checked)
            if checked.line is not None:
                yield checked.line
            name = checked.begins or name
    finally:
        slot.close()
    if slot.exit is not None:
        reason, detail = skip_of(slot.exit, FILE_SECONDS)
        told = f" ({detail})" if detail else ""
        yield CheckLine(
            f"{name}: cannot be checked: {reason}{told}; the languages behind it were not"
            " looked at",
            True,
        )


def _see(order: _Order) -> _Seen:
    slot = Slot(
        Job("symindex.workers.dump", b"", FILE_SECONDS, worker_memory()), WAITING * FILE_SECONDS
    )
    try:
        answers = [decode(answer, _Seen) for answer in slot.ask(msgspec.msgpack.encode(order))]
    finally:
        slot.close()
    if slot.exit is not None:
        reason, detail = skip_of(slot.exit, FILE_SECONDS)
        raise RequestError(f"{os.fsdecode(order.file)}: {reason}" + f" ({detail})" * bool(detail))
    (seen,) = answers
    if seen.error:
        raise RequestError(seen.error)
    return seen


CHECK: Final = b"check"
"""The setup of a job that checks languages."""


def prepare(setup: bytes) -> Handler:
    """The job: an order is one file, or a check. Languages are read from their folders and checked,
    as their author is at work on them."""
    if setup == CHECK:
        return lambda order, send: _check(decode(order, _Check), send)
    return lambda order, send: send(_dumped(decode(order, _Order)))


def _check(order: _Check, send: Callable[[bytes], None]) -> None:
    def tell(checked: _Checked) -> None:
        send(msgspec.msgpack.encode(checked))

    folders = (
        None if order.folders is None else [Path(os.fsdecode(folder)) for folder in order.folders]
    )
    for line in check_languages(folders, lambda name: tell(_Checked(begins=name))):
        tell(_Checked(line))


def _dumped(order: _Order) -> bytes:
    answer = msgspec.msgpack.encode(_dump(order))
    if len(answer) > MOST_ANSWER_BYTES:
        what = "its tree" if order.tree else "what its queries find"
        return msgspec.msgpack.encode(
            _Seen(
                error=(
                    f"{os.fsdecode(order.file)}: {what} takes more than {MOST_ANSWER_BYTES:,} bytes"
                )
            )
        )
    return answer


def _dump(order: _Order) -> _Seen:
    try:
        file = Path(os.fsdecode(order.file))
        if order.tree:
            language, data = (
                open_grammar(file, order.grammar)
                if order.grammar
                else open_tree(file, order.language)
            )
            return _Seen(tree=print_tree(language, data, order.anonymous))
        language, data = open_source(file, order.language)
        symbols, faults = extract_with_faults(language, data)
        return _Seen(symbols=symbols, faults=faults)
    except GrammarError as error:
        return _Seen(error=told_of_folder(error))
    except RequestError as error:
        return _Seen(error=str(error))
