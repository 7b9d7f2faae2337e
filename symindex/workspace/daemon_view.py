"""A read-only view of a followed root, for the commands that a daemon answers.

Each command is answered as if it had opened the root itself. The answer is the same as long as the
command and the daemon have the same version, environment and configuration; `serve/daemon` compares
the first two. Damaged indexes and all other errors are left to the command itself.
"""

from typing import Final

from symindex.extract.languages.language_cache import user_stamp
from symindex.files.skips import tell_skip
from symindex.index.update import Progress
from symindex.protocol.freshness import Freshness
from symindex.settings import ignored_index_dir
from symindex.workspace.companions import Companions
from symindex.workspace.indexed_root import IndexedRoot
from symindex.workspace.root_source import RootSource
from symindex.workspace.workspace import Workspace

SETTLE_SECONDS: Final = 0.07
"""Longest wait for changes. A command that refreshes the index itself takes no longer."""


class _FollowedSource(RootSource):
    """Answers from the index of a followed root as it is. Notices, recent files and companions are
    its own."""

    def __init__(self, followed: IndexedRoot, companions: Companions) -> None:
        super().__init__(followed, companions)
        self._notices = [
            *map(tell_skip, followed.limits()),
            *ignored_index_dir(followed.root, followed.settings),
        ]

    def bring_up_to_date(self, freshness: Freshness, progress: Progress | None = None) -> bool:
        """Does nothing: the index shows every change before the command (`current_view`)."""
        return True

    def take_notices(self) -> list[str]:
        notices, self._notices = self._notices, []
        return notices

    def repair(self, error: Exception) -> bool:
        """Does nothing: the error is left to the command itself."""
        return False

    @property
    def n_repairs(self) -> int:
        return 0


class DaemonView(Workspace):
    """See the module. It never refreshes, follows or closes the root."""

    def __init__(self, followed: IndexedRoot) -> None:
        self._companions = Companions(followed, IndexedRoot)
        self._use(followed, _FollowedSource(followed, self._companions))

    def load(self) -> None:
        """Does nothing: the index is loaded."""

    def close(self) -> None:
        """Closes what the view has opened."""
        self.source.close_spare()
        self._companions.close()


class FollowedRoot:
    """A followed root whose views answer the commands of others."""

    def __init__(self, followed: IndexedRoot) -> None:
        self.followed = followed
        self._configuration = user_stamp()

    def current_view(self) -> DaemonView | None:
        """Returns a view of the root as it is on the disk now; `None` if that is uncertain, or
        the command would open another root."""
        followed = self.followed
        if (
            user_stamp() != self._configuration
            or followed.languages.faults
            or not followed.settle(SETTLE_SECONDS)
        ):
            return None
        return DaemonView(followed) if followed.load_newest() else None
