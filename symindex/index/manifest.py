"""What an index knows of files, for the check of what has changed."""

from typing import NamedTuple

from symindex.index.arrays import I64, U64, Bytes, Mask


class KnownFiles(NamedTuple):
    """What is known of some files, by file. digests: of their bytes. try_again: whether it was not read for a reason that may
    have gone without the file's changing."""

    paths: list[str]
    sizes: U64
    mtimes: I64
    stamps: U64
    digests: Bytes
    try_again: Mask
