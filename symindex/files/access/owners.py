"""Decides whose files to trust: those above a folder, and those in the user's own folders.

A file above the folder in which a user works can decide where a workspace begins and what is
ignored in it. In `/tmp` anybody can put a file there, so a stranger's file has no effect, as with
git's `safe.directory`.

This module imports almost nothing, not even typing, because the daemon's client loads it.
"""

import os
import stat

OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
"""The mode bits that let somebody other than the owner write."""


def speaks_for(path: str | os.PathLike[str], start: str | os.PathLike[str]) -> bool:
    """Whether a file exists at `path` that may decide about the folder `start` below it: it belongs
    to this user, to root, or to the owner of `start`. For a link, the owner of the link counts."""
    try:
        return may_decide(os.lstat(path), start)
    except OSError:
        return False


def may_decide(status: os.stat_result, start: str | os.PathLike[str]) -> bool:
    """Whether an open file with this status may decide about `start`. If files have no owners,
    every file may."""
    return not hasattr(os, "geteuid") or status.st_uid in (os.geteuid(), 0, os.stat(start).st_uid)


def why_not_ours(status: os.stat_result, is_by_hand: bool = False) -> str:
    """Returns why somebody else may have written a file or folder; empty if only the user or root
    can have.

    is_by_hand: whether the user creates the file with an editor. Then the user's own group (the one
    with the user's number) may have write permission, because editors set it on systems where each
    user has a group. If files have no owners, every file counts as the user's.
    """
    if not hasattr(os, "geteuid"):
        return ""
    if status.st_uid not in (os.geteuid(), 0):
        return "belongs to another user"
    is_own_group = is_by_hand and status.st_gid == status.st_uid
    return (
        "others may write to it"
        if status.st_mode & OTHERS_WRITE & ~(stat.S_IWGRP if is_own_group else 0)
        else ""
    )
