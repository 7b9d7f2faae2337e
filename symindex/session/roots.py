"""What answers are made from: one root that is looked at when somebody asks, or several that are followed.

`session/indexed_root` is the one, `session/followed_roots` the other; `session/answers` searches either in the same way.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from symindex.extract.languages.registry import Languages
from symindex.index.snapshot import Snapshot
from symindex.index.update import Progress
from symindex.protocol import SearchRequest
from symindex.settings import DEFAULTS

if TYPE_CHECKING:
    from symindex.explore.tree import Tree


class Patience(NamedTuple):
    """What an answer may wait for, in seconds.

    first_index: how long the first index of a root is waited for, before an answer from a part of its files will do.
    changes: how long what has changed since the index was made is waited for; 0: the index is taken as it is.
    """

    first_index: float = math.inf
    changes: float = 0.0


AS_IT_IS: Final = Patience()
"""The index as it was last loaded or refreshed; it is made where there is none."""

CURRENT: Final = Patience(changes=math.inf)
"""The tree as it is on the disk now."""

CURRENT_OR_PART: Final = Patience(first_index=0.0, changes=math.inf)
"""The same; but where a large tree has no index yet, what a scan finds without one."""

SOON: Final = Patience(first_index=0.0, changes=3.0)
"""For a server's client, which asks again: what can be said within seconds, and what that rests on."""

AT_ONCE: Final = Patience(first_index=0.0, changes=0.0)
"""For somebody who types."""


@dataclass(frozen=True)
class View:
    """What is known at one moment.

    missing: roots without an index. is_last: whether what is not found here is not there, as far as anybody can tell.
    why_a_part: what must be said of an answer from a part of one root; only the strong tiers answer then.
    """

    snapshot: Snapshot
    missing: Sequence[object] = ()
    is_last: bool = False
    why_a_part: str = ""


class Limits(NamedTuple):
    """What may be read of a file: its bytes, and the seconds of the processor's time to parse it."""

    max_file_bytes: int
    file_seconds: float


DEFAULT_LIMITS: Final = Limits(DEFAULTS.max_file_bytes, DEFAULTS.file_seconds)


class Roots(Protocol):
    """See the module. Methods that wait raise NotWantedError where nobody wants the answer any more (`workers/cancellation`)."""

    @property
    def languages(self) -> Languages:
        """Those of the files."""

    @property
    def limits(self) -> Limits:
        """What is read of files for answers."""

    def unindexed_views(self, request: SearchRequest, patience: Patience) -> Iterator[View]:
        """What a scan finds where there is no index: none where there is one, or it is waited for. Each view rests on more than
        the one before. Followed roots first wait for what has changed, as patience says."""

    def answered_early(self) -> None:
        """An answer was made from one of these views: what was not waited for is made behind it."""

    def stored_view(self) -> View | None:
        """The index as it is stored, where looking for what has changed goes on elsewhere meanwhile."""

    def bring_up_to_date(self, patience: Patience, progress: Progress | None) -> None:
        """Has an index made where there is none, and waits for it and for what has changed, as patience says."""

    def view(self) -> View:
        """What is known now."""

    def wait_for_changes(self) -> None:
        """Waits once more, because nothing was found; returns at once where nothing more is to be expected."""

    def tree(self) -> "Tree":
        """What is known now, as a reader sees it."""

    def take_notices(self) -> list[str]:
        """What was met that no answer has told of yet: once."""

    def whys_a_part(self) -> list[str]:
        """What must be said of every answer, because it does not rest on all that there is."""

    def why_empty(self, request: SearchRequest, view: View) -> str:
        """What explains that nothing was found, if anything does."""

    def mend(self, error: Exception) -> bool:
        """After reading an index has led to an error: whether that is the fault of the index, which is now made anew."""

    @property
    def times_mistrusted(self) -> int:
        """How often an index was found damaged."""
