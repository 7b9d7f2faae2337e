"""Whose files are trusted: those above a folder, and those that are the user's own.

A file above the folder that a user works in can decide where a tree begins and what is ignored in
it. In `/tmp` any user can put one there, so a stranger's file decides nothing, as with git's
`safe.directory`.

It imports almost nothing, not even typing, because the client of a daemon loads it.
"""

import os
import stat

OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
"""The bits of a mode by which others than the owner may write."""


def speaks_for(path: str | os.PathLike[str], start: str | os.PathLike[str]) -> bool:
    """Whether there is a file at a path that may decide about the folder `start` below it: it
    belongs to this user, to root, or to the owner of that folder. Of a link, its own owner
    counts."""
    try:
        return may_decide(os.lstat(path), start)
    except OSError:
        return False


def may_decide(status: os.stat_result, start: str | os.PathLike[str]) -> bool:
    """The same for the status of an open file. Where files have no owners, every file may."""
    return not hasattr(os, "geteuid") or status.st_uid in (os.geteuid(), 0, os.stat(start).st_uid)


def why_not_ours(status: os.stat_result, is_by_hand: bool = False) -> str:
    """Why a file, or a folder, may hold what others have written; empty where it holds what the
    user or root has written.

    is_by_hand: whether the user makes such files. Then the user's own group may write, one that has
    the user's number, for an editor leaves it so where each user has such a group. Where files have
    no owners, every file is the user's.
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
