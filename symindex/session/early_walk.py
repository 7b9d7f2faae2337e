"""The check for changed files, begun while a search command still loads itself: both take about as long, and cores are many.

What will be asked for is guessed from the arguments, quickly; who takes the walk says what it should be of, and gets it only if
the guess was right.
"""

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from symindex.errors import SymindexError
from symindex.files.access.private_folder import PrivateFolder
from symindex.files.forked_walk import WalkAhead, can_fork
from symindex.files.ignore.selection import EVERYTHING
from symindex.files.locations import SETTINGS_NAME, current_folder, find_root, index_folder
from symindex.files.walk import MAX_FILE_BYTES, Walk, Wanted, check_root
from symindex.files.wanted_cache import guess_wanted

_NO_WALK = frozenset({"--no-refresh", "-h", "--help"})

_begun: list[WalkAhead] = []


def begin_walk(arguments: Sequence[str]) -> None:
    """Begins the walk that a command will want, if it is a search in an index that is there. Raises nothing."""
    if list(arguments[:1]) != ["search"] or not _NO_WALK.isdisjoint(arguments) or not can_fork():
        return
    if None in (sys.stdin, sys.stdout, sys.stderr):  # closed by the caller: a pipe would get its number
        return
    with suppress(SymindexError, OSError, ValueError):  # the command itself says what is wrong
        named = _value(arguments, "--root")
        root = check_root(Path(named) if named is not None else find_root(current_folder()))
        max_file_bytes, selection = MAX_FILE_BYTES, EVERYTHING
        languages: tuple[str, ...] = ()
        if os.path.lexists(root / SETTINGS_NAME):
            from symindex.settings import (
                read_settings,  # here, because few trees have any, and what reads them takes long to load
            )

            settings, problems = read_settings(root)
            if problems:
                return
            max_file_bytes, selection, languages = settings.max_file_bytes, settings.selection, settings.languages
        folder = index_folder(root, _value(arguments, "--index-dir"))
        wanted = guess_wanted(PrivateFolder(folder, root), languages, max_file_bytes, selection)
        if wanted is not None:
            _begun.append(WalkAhead(root, wanted))


def _value(arguments: Sequence[str], option: str) -> str | None:
    value = None
    for number, argument in enumerate(arguments):
        if argument == "--":
            break
        if argument.startswith(f"{option}="):
            value = argument.partition("=")[2]
        elif argument == option and number + 1 < len(arguments):
            value = arguments[number + 1]
    return value


def is_begun() -> bool:
    """Whether a walk is under way that nobody has taken."""
    return bool(_begun)


def take_walk(root: Path, wanted: Wanted) -> Walk | None:
    """The walk that was begun, if it is of this; `None` where there is none, or for the second time."""
    if not _begun:
        return None
    try:
        walk = _begun[0]
        return walk.result() if (walk.root, walk.wanted) == (root, wanted) else None
    finally:
        end_walk()


def end_walk() -> None:
    """Ends the walk if nobody has taken it."""
    while _begun:
        _begun.pop().close()
