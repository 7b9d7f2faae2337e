"""What symindex finds in one file, for authors of queries. In a process of its own, as a grammar may crash or never return."""

import os
from pathlib import Path
from typing import Final

import msgspec

from symindex.errors import GrammarError, RequestError
from symindex.extract.parse.tree_dump import print_tree
from symindex.extract.records import Symbol
from symindex.extract.summary import open_grammar, open_source, open_tree, told_of_folder
from symindex.extract.symbols import extract_symbols
from symindex.settings import DEFAULTS
from symindex.text.decoding import decode
from symindex.workers.framing import Handler, Job
from symindex.workers.memory_limit import worker_memory
from symindex.workers.pool import WAITING, Slot, skip_of

FILE_SECONDS: Final = DEFAULTS.file_seconds


class _Order(msgspec.Struct, array_like=True, frozen=True):
    """file: the system's bytes. language: a name for it; `None`: by path and content. tree: asks for the syntax tree instead of
    the symbols; anonymous: with its unnamed nodes; grammar: by this one, whatever the language."""

    file: bytes
    language: str | None
    tree: bool = False
    anonymous: bool = False
    grammar: str = ""


class _Seen(msgspec.Struct, array_like=True, frozen=True):
    """The answer: one of the three."""

    symbols: list[Symbol] | None = None
    tree: str = ""
    error: str = ""


def see_symbols(file: Path, language_word: str | None) -> list[Symbol]:
    """The symbols of a file, in the named language or the recognised one. Raises RequestError for a file that cannot be read."""
    return _see(_Order(os.fsencode(file), language_word)).symbols or []


def see_tree(file: Path, language_word: str | None, with_anonymous: bool, grammar: str = "") -> str:
    """The syntax tree of one file; the rest as for `see_symbols`. grammar: the name of one, as `grammar` in `language.toml`; a
    language is then not needed."""
    return _see(_Order(os.fsencode(file), language_word, True, with_anonymous, grammar)).tree


def _see(order: _Order) -> _Seen:
    slot = Slot(Job("symindex.workers.dump", b"", FILE_SECONDS, worker_memory()), WAITING * FILE_SECONDS)
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


def prepare(setup: bytes) -> Handler:
    """The job: an order is one file. Languages are read from their folders and checked, as their author is at work on them."""
    return lambda order, send: send(msgspec.msgpack.encode(_dump(decode(order, _Order))))


def _dump(order: _Order) -> _Seen:
    try:
        file = Path(os.fsdecode(order.file))
        if order.tree:
            language, data = open_grammar(file, order.grammar) if order.grammar else open_tree(file, order.language)
            return _Seen(tree=print_tree(language, data, order.anonymous))
        language, data = open_source(file, order.language)
        return _Seen(symbols=extract_symbols(language, data)[0])
    except GrammarError as error:
        return _Seen(error=told_of_folder(error))
    except RequestError as error:
        return _Seen(error=str(error))
