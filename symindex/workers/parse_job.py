"""The parsing job: reads the files of a batch and answers with one result for each."""

import gc
import os
from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from symindex.extract.languages.registry import unpack_languages
from symindex.extract.records import ReadTask, given_up
from symindex.files.access.beneath import Beneath
from symindex.files.skips import SkipReason
from symindex.workers.framing import Handler

LEAST_ANSWER_BYTES: Final = 1_000_000
ANSWER_BYTES: Final = 40
"""Size limit of a file's symbols, in bytes: LEAST_ANSWER_BYTES plus ANSWER_BYTES for each byte of
the file. Lists of short names need some ten. One process without a memory limit stores the symbols
of all files."""


class ParseSetup(msgspec.Struct, array_like=True, frozen=True):
    """The setup of the job. languages, item_types: packed. chosen: as in `Languages`."""

    languages: bytes
    chosen: list[str]
    max_file_bytes: int
    item_types: bytes


class Parse(msgspec.Struct, array_like=True, frozen=True):
    """An order. root: the folder of the files, in the system's bytes, which need not be text."""

    root: bytes
    tasks: Sequence[ReadTask]


def load() -> None:
    """Loads the modules that every such job needs."""
    import symindex.extract.items.types
    import symindex.extract.read
    import symindex.extract.symbols  # noqa: F401


def prepare(setup: bytes) -> Handler:
    """Prepares the job. Orders have the type Parse."""
    from symindex.extract.items.types import (
        unpack_item_types,
    )  # imported here because the process that starts a worker needs no parser
    from symindex.extract.read import read_file

    options = msgspec.msgpack.decode(setup, type=ParseSetup)
    languages = unpack_languages(options.languages, options.chosen)
    languages.item_types = unpack_item_types(options.item_types)
    encoder = msgspec.msgpack.Encoder()
    decoder = msgspec.msgpack.Decoder(Parse)
    # A file leaves no garbage, and looking for cycles takes up to half of a large file's time.
    gc.disable()

    def answer(tree: Beneath, task: ReadTask) -> bytes:
        """Returns the result for one file. If Python is refused memory, the result says so and the
        process goes on; if the parser is, the process ends."""
        try:
            result = read_file(tree, task, languages, options.max_file_bytes)
            encoded = encoder.encode(result)
            if len(encoded) <= LEAST_ANSWER_BYTES + ANSWER_BYTES * result.size:
                return encoded
            detail = f"symbols of {len(encoded):,} bytes"
        except MemoryError:
            detail = ""
        return encoder.encode(given_up(tree, task.path, SkipReason.MEMORY, detail))

    def parse(order: bytes, send: Callable[[bytes], None]) -> None:
        files = decoder.decode(order)
        with Beneath(
            os.fsdecode(files.root)
        ) as tree:  # opened for each order: folders may have been replaced meanwhile
            for task in files.tasks:
                send(answer(tree, task))

    return parse
