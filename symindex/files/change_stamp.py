"""A number that distinguishes a file from every other that had its name, size and mtime."""

import os
from typing import Final

STAMP_LIMIT: Final = 2**64 - 1

STAMP_FACTOR: Final = 0x9E3779B97F4A7C15
"""Odd and without a pattern, so that a difference of inodes does not cancel one of ctimes."""


def change_stamp(status: os.stat_result) -> int:
    """64 bits of a file's ctime and inode. A writer may set the mtime back to what it was, but no
    program sets the ctime; and a file that is moved to where another was has another inode.

    On Windows the ctime is the time of creation, which says less. Some file systems of networks and
    of user space assign new inode numbers at each mount: files are then read once more, and found
    unchanged by their digests.
    """
    return (status.st_ctime_ns + status.st_ino * STAMP_FACTOR) & STAMP_LIMIT
