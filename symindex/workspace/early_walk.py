"""Work that starts while a command is still loading: the walk that finds changed files, and a
worker to read them. Loading and walking take about as long, on different cores.

The arguments tell what the command will probably search. The walk is used only if the guess turns
out to be right.
"""

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from symindex.errors import SymindexError
from symindex.files.access.private_folder import PrivateFolder
from symindex.files.filter_cache import cached_filter
from symindex.files.forked_walk import ForkedWalk, can_fork
from symindex.files.ignore.selection import EVERYTHING
from symindex.files.index_place import SETTINGS_NAME
from symindex.files.locations import check_own_folders, current_folder, find_root, index_folder
from symindex.files.walk import MAX_FILE_BYTES, FileFilter, Walk, check_root
from symindex.text.arguments import option_value

if TYPE_CHECKING:
    from symindex.workers.pool import SpareWorker

_COMMANDS: Final = (["search"], ["symbol"], ["outline"], ["index"], ["refs"], ["hierarchy"])
_FLEET: Final = "SYMINDEX_FLEET"
"""The environment variable of a fleet, which answers in place of a tree."""

_NO_WALK: Final = frozenset({"--fleet", "--no-refresh", "--watch", "-h", "--help"})


class EarlyStart:
    """The work that one command has started early; nothing, by default. Close it at the end."""

    def __init__(self, walk: ForkedWalk | None = None, folder: PrivateFolder | None = None) -> None:
        """walk: a running walk. folder: the folder of the index that it is for."""
        self._walk, self._folder = walk, folder
        self._worker: SpareWorker | None = None

    @property
    def is_walking(self) -> bool:
        """Whether a walk was started and nobody has taken it yet."""
        return self._walk is not None

    def start_worker(self) -> None:
        """Starts a worker if the walk has already met a file that is newer than the index. The
        worker loads while the rest of the command does. Raises nothing."""
        if self._walk is None or self._worker is not None or not self._walk.has_newer:
            return
        from symindex.workers.parsing import begin_spare  # deferred: usually nothing has changed

        with suppress(SymindexError):  # the command reports it when it needs a worker
            self._worker = begin_spare()

    def load(self) -> None:
        """Loads what the command needs next, and calls `start_worker` after each step."""
        self.start_worker()
        if self._walk is None or self._folder is None:
            return
        from symindex.extract.languages.language_cache import load_kept_languages

        self.start_worker()
        with suppress(SymindexError):  # the command reports it
            load_kept_languages(self._folder)
        self.start_worker()
        import numpy  # noqa: F401

        self.start_worker()

    def take_worker(self) -> "SpareWorker | None":
        """Hands over the worker, once."""
        worker, self._worker = self._worker, None
        return worker

    def take_walk(self, root: Path, file_filter: FileFilter) -> Walk | None:
        """Ends the walk and returns its result, once; `None` unless it is a walk of this root by
        this filter."""
        if self._walk is None:
            return None
        try:
            is_right = (self._walk.root, self._walk.file_filter) == (root, file_filter)
            return self._walk.result() if is_right else None
        finally:
            self.end_walk()

    def end_walk(self) -> None:
        """Ends a walk that nobody has taken."""
        walk, self._walk = self._walk, None
        if walk is not None:
            walk.close()

    def close(self) -> None:
        """Ends everything that nobody has taken."""
        self.end_walk()
        worker = self.take_worker()
        if worker is not None:
            worker.close()


def start_early(arguments: list[str]) -> EarlyStart:
    """Starts the walk that a command will need, if the command searches or refreshes a workspace
    that has an index. Raises nothing.

    arguments: those of the command line.
    """
    names = [argument.partition("=")[0] for argument in arguments]
    if arguments[:1] not in _COMMANDS or not _NO_WALK.isdisjoint(names) or not can_fork():
        return EarlyStart()
    if os.environ.get(_FLEET) and arguments[:1] != ["index"]:
        return EarlyStart()  # the fleet answers
    # A pipe would get the number of a stream that the caller has closed.
    if None in (sys.stdin, sys.stdout, sys.stderr):
        return EarlyStart()
    with suppress(SymindexError, OSError, ValueError):  # the command reports it
        root_option = option_value(arguments, "--root")
        root = check_root(
            Path(root_option) if root_option is not None else find_root(current_folder())
        )
        check_own_folders(root)
        max_file_bytes, selection = MAX_FILE_BYTES, EVERYTHING
        languages: tuple[str, ...] = ()
        if os.path.lexists(root / SETTINGS_NAME):
            # Deferred: few trees have settings, and the module is slow to load.
            from symindex.settings import read_settings

            settings, problems = read_settings(root)
            if problems:
                return EarlyStart()
            max_file_bytes, selection, languages = (
                settings.max_file_bytes,
                settings.selection,
                settings.languages,
            )
        folder = index_folder(root, option_value(arguments, "--index-dir"))
        place = PrivateFolder(folder, root)
        file_filter = cached_filter(place, languages, max_file_bytes, selection)
        if file_filter is not None:
            written_ns = os.stat(folder).st_mtime_ns
            return EarlyStart(ForkedWalk(root, file_filter, since_ns=written_ns), place)
    return EarlyStart()
