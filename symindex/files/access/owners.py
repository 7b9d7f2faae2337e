"""Whose word counts above a folder.

A file above the folder that somebody works in can decide where a tree begins and what is ignored in it. In `/tmp` any user can
put one there, so what belongs to a stranger decides nothing, as with git's `safe.directory`.
"""

import os


def speaks_for(path: str | os.PathLike[str], start: str | os.PathLike[str]) -> bool:
    """Whether there is something at a path that may decide about a folder further down: it belongs to this user, to the
    system's, or to whom that folder belongs to. A link speaks for whom it belongs to itself."""
    try:
        return may_decide(os.lstat(path), start)
    except OSError:
        return False


def may_decide(status: os.stat_result, start: str | os.PathLike[str]) -> bool:
    """The same of what is open, by what the system knows of it. Where files have no owners, all may."""
    return not hasattr(os, "geteuid") or status.st_uid in (os.geteuid(), 0, os.stat(start).st_uid)
