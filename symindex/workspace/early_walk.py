"""The check for changed files, started while a command is still loading: both take about as long,
on different cores. And a worker to read what has changed, started as soon as that is seen.

What will be searched is guessed from the arguments. The walk is used only if it turns out to be the
one that is needed.
"""

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from symindex.errors import SymindexError
from symindex.files.access.private_folder import PrivateFolder
from symindex.files.forked_walk import ForkedWalk, can_fork
from symindex.files.ignore.selection import EVERYTHING
from symindex.files.index_place import SETTINGS_NAME
from symindex.files.locations import check_own_folders, current_folder, find_root, index_folder
from symindex.files.walk import MAX_FILE_BYTES, Walk, Wanted, check_root
from symindex.files.wanted_cache import guess_wanted
from symindex.text.arguments import option_value

if TYPE_CHECKING:
    from symindex.workers.pool import SpareWorker

_COMMANDS: Final = (["search"], ["symbol"], ["outline"], ["index"])
_NO_WALK: Final = frozenset({"--no-refresh", "--watch", "-h", "--help"})

_begun: list[ForkedWalk] = []
_places: list[PrivateFolder] = []
_workers: "list[SpareWorker]" = []


def begin_walk(arguments: list[str]) -> None:
    """Starts the walk that a command will need, if it is a search or a refresh of a tree that has
    an index. Raises nothing."""
    if arguments[:1] not in _COMMANDS or not _NO_WALK.isdisjoint(arguments) or not can_fork():
        return
    if None in (
        sys.stdin,
        sys.stdout,
        sys.stderr,
    ):  # closed by the caller: a pipe would get its number
        return
    with suppress(SymindexError, OSError, ValueError):  # the command itself says what is wrong
        named = option_value(arguments, "--root")
        root = check_root(Path(named) if named is not None else find_root(current_folder()))
        check_own_folders(root)
        max_file_bytes, selection = MAX_FILE_BYTES, EVERYTHING
        languages: tuple[str, ...] = ()
        if os.path.lexists(root / SETTINGS_NAME):
            from symindex.settings import (
                read_settings,
            )  # here, because few trees have any, and it takes long to load

            settings, problems = read_settings(root)
            if problems:
                return
            max_file_bytes, selection, languages = (
                settings.max_file_bytes,
                settings.selection,
                settings.languages,
            )
        folder = index_folder(root, option_value(arguments, "--index-dir"))
        place = PrivateFolder(folder, root)
        wanted = guess_wanted(place, languages, max_file_bytes, selection)
        if wanted is not None:
            _places[:] = [place]
            _begun.append(
                ForkedWalk(root, wanted, since_ns=os.stat(folder).st_mtime_ns)
            )  # when it was last written into


def begin_worker() -> None:
    """Starts a worker if the walk has already met a file that is newer than the index: it loads
    while the rest of the command does. Raises nothing."""
    if _begun and not _workers and _begun[0].has_newer:
        from symindex.workers.parsing import begin_spare  # here, because mostly nothing has changed

        with suppress(SymindexError):  # whoever needs one says why there is none
            _workers.append(begin_spare())


def begin_worker_while_loading() -> None:
    """The same, again and again, while what the command needs next is loaded step by step."""
    begin_worker()
    if _begun:
        from symindex.extract.languages.language_cache import load_kept_languages

        begin_worker()
        with suppress(SymindexError):  # as above
            load_kept_languages(_places[0])
        begin_worker()
        import numpy  # noqa: F401

        begin_worker()


def take_worker() -> "SpareWorker | None":
    """The worker that was started, once."""
    return _workers.pop() if _workers else None


def is_begun() -> bool:
    """Whether a walk was started and not taken yet."""
    return bool(_begun)


def take_walk(root: Path, wanted: Wanted) -> Walk | None:
    """The walk that was started, once, if it is the same; else `None`."""
    if not _begun:
        return None
    try:
        walk = _begun[0]
        return walk.result() if (walk.root, walk.wanted) == (root, wanted) else None
    finally:
        end_walk()


def end_walk() -> None:
    """Ends a walk that was not taken."""
    while _begun:
        _begun.pop().close()


def end_worker() -> None:
    """Ends a worker that was not taken."""
    while _workers:
        _workers.pop().close()
