"""Whose files above a folder are trusted.

A file above the folder that a user works in can decide where a tree begins and what is ignored in it. In `/tmp` any user can
put one there, so a stranger's file decides nothing, as with git's `safe.directory`.
"""

import os


def speaks_for(path: str | os.PathLike[str], start: str | os.PathLike[str]) -> bool:
    """Whether there is a file at a path that may decide about the folder `start` below it: it belongs to this user, to root, or
    to the owner of that folder. Of a link, its own owner counts."""
    try:
        return may_decide(os.lstat(path), start)
    except OSError:
        return False


def may_decide(status: os.stat_result, start: str | os.PathLike[str]) -> bool:
    """The same for the status of an open file. Where files have no owners, every file may."""
    return not hasattr(os, "geteuid") or status.st_uid in (os.geteuid(), 0, os.stat(start).st_uid)
