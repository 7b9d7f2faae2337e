"""A root that is followed, for the commands of others: each is answered as if it had opened the
root itself.

What it would find is the same as what the follower knows, as long as both are of the same version,
environment and configuration. The first two are looked at by the door. An index that is damaged,
and whatever else goes wrong, is left to the command itself.
"""

from collections.abc import Callable
from typing import Final, TypeVar

from symindex.extract.languages.language_cache import user_stamp
from symindex.files.skips import tell_skip
from symindex.index.update import Progress
from symindex.protocol.freshness import Patience
from symindex.settings import not_followed
from symindex.workspace.indexed_root import IndexedRoot

SETTLE_SECONDS: Final = 0.07
"""How long changes are waited for; a command that does without takes no longer."""

_T = TypeVar("_T")


class AskedRoot(IndexedRoot):
    """See the module. It shares the index of the root that is followed, and has no notices or
    recent symbols of it."""

    def __init__(self, followed: IndexedRoot) -> None:
        self.__dict__.update(followed.__dict__)
        self.__dict__.pop("recent", None)
        self._spaces = self._recall = None
        self._watcher = None
        self._notices = [*map(tell_skip, self._limits()), *not_followed(self.root, self.settings)]

    def bring_up_to_date(self, patience: Patience, progress: Progress | None = None) -> None:
        """It is."""

    def mended(self, read: Callable[[], _T]) -> _T:
        return read()

    def close(self) -> None:
        if self._recall is not None:
            self._recall.close()


class Asked:
    """A root that is followed, as the commands of others are answered from it."""

    def __init__(self, followed: IndexedRoot) -> None:
        self.followed = followed
        self._configuration = user_stamp()

    def root_now(self) -> AskedRoot | None:
        """The root as it is on the disk now; `None` where that is not certain, or another would be
        opened."""
        followed = self.followed
        if (
            user_stamp() != self._configuration
            or followed.languages.faults
            or not followed.settle(SETTLE_SECONDS)
        ):
            return None
        return AskedRoot(followed) if followed.load_newest() else None
