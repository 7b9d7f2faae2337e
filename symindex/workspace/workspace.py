"""The façade that front ends and Python open: one root folder, its index, and answers about it.

A server's client, with followed folders and unsaved documents, has an `editor/followed_workspace`
instead. Both give the same answers (`workspace/answers`).
"""

import os
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from symindex.files.locations import check_own_folders, current_folder, find_root
from symindex.files.walk import check_root
from symindex.index.update import Progress as Progress
from symindex.workspace.answers import Answers
from symindex.workspace.indexed_root import IndexedRoot
from symindex.workspace.root_source import RootSource

if TYPE_CHECKING:  # the types of answers, for front ends
    from symindex.explore.listing import ListedFile as ListedFile
    from symindex.files.access.private_folder import PrivateFolder as PrivateFolder
    from symindex.packages.dependencies import Dependencies
    from symindex.protocol.grep import GrepRequest, GrepResponse
    from symindex.protocol.status import DepsReport as DepsReport
    from symindex.protocol.status import RefreshReport as RefreshReport
    from symindex.protocol.status import StatusReport
    from symindex.recall.content.content import Content as Content
    from symindex.recall.notes.notes import Notes as Notes
    from symindex.search.answer.plan import Plan as Plan
    from symindex.workers.document_messages import ParsedDocument as ParsedDocument


class Workspace(Answers):
    """One root folder and its index. Open it with `symindex.open`, as a context manager.

    Its methods are the public API of symindex; `source` is for the front ends of this package.

    Args:
        root: the folder; every path in answers is relative to it.
        index_dir: where the index is stored, instead of SYMINDEX_INDEX_DIR or the user's cache
            folder.
        values: settings that override `symindex.toml`. Values that decide which files are indexed
            give the root a second index.
        on_problem: called with a line for each wrong setting, which then has its default. Default:
            raises RequestError.

    Raises RequestError as well if the environment makes files of the tree the user's own
    (`files/locations.check_own_folders`).
    """

    def __init__(
        self,
        root: str | os.PathLike[str],
        index_dir: str | os.PathLike[str] | None = None,
        *,
        values: Mapping[str, object] | None = None,
        on_problem: Callable[[str], object] | None = None,
    ) -> None:
        if os.fspath(root):  # if it is empty, IndexedRoot says so
            check_own_folders(check_root(Path(root)))
        indexed = IndexedRoot(root, index_dir, values=values, on_problem=on_problem)
        self._use(indexed, RootSource(indexed))

    def _use(self, indexed: IndexedRoot, source: RootSource) -> None:
        super().__init__(source)
        self._root_source, self._indexed = source, indexed

    def close(self) -> None:
        """Stops following and closes the index. A later search opens it again."""
        self._root_source.close_spare()
        self._indexed.close()

    @property
    def source(self) -> RootSource:
        """The source of the answers, for the front ends of this package. It is not part of the
        public API."""
        return self._root_source

    @property
    def root(self) -> Path:
        """The root folder, without links."""
        return self._indexed.root

    def load(self) -> None:
        """Opens the stored index without looking for changed files. If it is missing or incomplete,
        the first search builds it."""
        self._indexed.load()

    def refresh(
        self,
        progress: Progress | None = None,
        rebuild: bool = False,
        paths: Collection[str] | None = None,
    ) -> "RefreshReport":
        """Brings the index up to date with the disk, and stores it if anything has changed.

        progress: called while files are read. rebuild: reads every file again. paths: the only
        files, relative to the root, that may have changed since the last refresh; default: any.
        Raises StorageError if the index cannot be written; the stored one then stays as it was.
        """
        return self._indexed.refresh(progress, rebuild, paths)

    def follow(
        self,
        on_update: "Callable[[RefreshReport], object] | None" = None,
        on_error: Callable[[Exception], object] | None = None,
        on_progress: Progress | None = None,
    ) -> None:
        """Keeps the index up to date in the background until `unfollow` or `close`.

        Any thread may search; each search uses the index of that moment.

        on_update: called in a background thread after each refresh that has changed the index.
        on_error: called with the error of a refresh, which is then repeated; by default the notices
        of answers contain it. on_progress: called during a refresh; an exception from it
        ends that refresh.
        """
        self._indexed.follow(on_update, on_error, on_progress)

    def unfollow(self) -> None:
        """Stops following. A running refresh is abandoned; the index stays as the one before left
        it."""
        self._indexed.unfollow()

    def status(self) -> "StatusReport":
        """Reports what the index contains, and which files are skipped and why. Walks the tree."""
        return self._indexed.status()


def open_workspace(
    root: str | os.PathLike[str] | None = None, index_dir: str | os.PathLike[str] | None = None
) -> Workspace:
    """Opens a folder; without `root`, the nearest folder upwards that contains `symindex.toml` or
    `.git`. index_dir: as for `Workspace`."""
    return Workspace(root if root is not None else find_root(current_folder()), index_dir)


def grep_given(data: bytes, request: "GrepRequest") -> "GrepResponse":
    """Searches a given text, which is in no file, as `Workspace.grep` searches files. Raises
    RequestError."""
    from symindex.explore.grep import given_text  # deferred, as below, because most commands search

    return given_text.grep_given(data, request)


def open_dependencies(
    root: str | os.PathLike[str] | None = None, index_dir: str | os.PathLike[str] | None = None
) -> "Dependencies":
    """Opens the packages that the project in a folder depends on; arguments as for
    `open_workspace`."""
    from symindex.packages.dependencies import Dependencies

    return Dependencies(_checked_root(root), index_dir)


def open_content(root: str | os.PathLike[str] | None = None) -> "Content":
    """Opens the content added to the project in a folder; `root` as for `open_workspace`."""
    from symindex.recall.content.content import Content, content_folder

    folder = _checked_root(root)
    return Content(content_folder(folder), folder)


def open_notes(root: str | os.PathLike[str] | None = None) -> "Notes":
    """Opens the user's notes as seen from the project in a folder; `root` as for
    `open_workspace`."""
    from symindex.recall.notes.notes import Notes

    return Notes(_checked_root(root))


def _checked_root(root: str | os.PathLike[str] | None) -> Path:
    folder = Path(root).resolve() if root is not None else find_root(current_folder())
    check_own_folders(folder)
    return folder
