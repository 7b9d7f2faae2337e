"""The pages of a memory-mapped index. Those that were read count as memory of the process, although
the system could read them again."""

import mmap
import sys

from symindex.index.columns.layout import Columns


def let_go(columns: Columns) -> None:
    """Lets the system take back the pages of a mapped index; they are mapped again when they are
    needed. Does nothing for an index in memory, and on systems other than Linux."""
    mapped = columns.traits.obj
    if isinstance(mapped, mmap.mmap) and sys.platform == "linux":
        mapped.madvise(mmap.MADV_DONTNEED)
