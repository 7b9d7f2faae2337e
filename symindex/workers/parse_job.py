"""The job of parsing: reads the files of a batch, and answers with one result for each.

It is done apart from the caller for two reasons: the parser holds Python's interpreter lock, and a grammar that never returns can
only be ended together with its process.
"""

import gc
import os
from collections.abc import Callable
from typing import Final

import msgspec

from symindex.extract.languages.packed import unpack_languages
from symindex.extract.records import ReadTask, given_up
from symindex.files.access.beneath import Beneath
from symindex.files.skips import SkipReason
from symindex.workers.framing import Handler

LEAST_ANSWER_BYTES: Final = 1_000_000
ANSWER_BYTES: Final = 40
"""So many bytes, and so many for each byte of the file, may what is found in it take: lists of short names take some ten. All is
held by one process, which has no limit of memory."""


class ParseSetup(msgspec.Struct, array_like=True, frozen=True):
    """What a worker is told. root: the system's bytes, which need not be text. languages: packed. chosen: as of `Languages`."""

    root: bytes
    languages: bytes
    chosen: list[str]
    max_file_bytes: int


def prepare(setup: bytes) -> Handler:
    """Orders are lists of tasks."""
    from symindex.extract.read import read_file  # here, so that who only starts a worker does not load the parser

    told = msgspec.msgpack.decode(setup, type=ParseSetup)
    tree = Beneath(os.fsdecode(told.root))
    languages = unpack_languages(told.languages, told.chosen)
    encoder = msgspec.msgpack.Encoder()
    decoder = msgspec.msgpack.Decoder(list[ReadTask])
    # What a file takes is gone when it is done; to look for cycles meanwhile takes up to half of a large file's time.
    gc.disable()

    def answer(task: ReadTask) -> bytes:
        """The result for one file. What it takes more than there is of is said, and the process can go on: where the parser
        itself finds no memory, it ends the process."""
        try:
            result = read_file(tree, task, languages, told.max_file_bytes)
            encoded = encoder.encode(result)
            if len(encoded) <= LEAST_ANSWER_BYTES + ANSWER_BYTES * result.size:
                return encoded
            detail = f"symbols of {len(encoded):,} bytes"
        except MemoryError:
            detail = ""
        return encoder.encode(given_up(tree, task.path, SkipReason.MEMORY, detail))

    def parse(order: bytes, tell: Callable[[bytes], None]) -> None:
        for task in decoder.decode(order):
            tell(answer(task))
        tree.close()  # by the next batch its folders may be others

    return parse
