"""Freshness: how long an answer may wait for an index and for changes."""

import math
from typing import Final, NamedTuple

PAUSE_SECONDS: Final = 0.01
"""Seconds between two checks of a condition that an answer waits for."""

AT_MOST_BEHIND: Final = 0.1
"""Longest wait, in seconds, for a file that differs from its indexed version."""

BEHIND_SECONDS: Final = 3.0
"""Longest wait, in seconds, for changes since the index was built, if an answer would be empty."""

SETTLE_SECONDS: Final = 1.0
"""Longest wait, in seconds, for files that were written just before the request. Usually it takes
milliseconds."""

TOLD_SECONDS: Final = 0.5
"""Longest wait, in seconds, of an editor's answer for files whose change the editor has
reported."""


class Patience(NamedTuple):
    """How long an answer may wait, in seconds.

    first_index: for the first index of a root, before a scan of some files answers instead.
    changes: for changes since the index was built; 0 takes the index without a check. packages:
    whether the answer may wait for packages to be indexed.
    """

    first_index: float = math.inf
    changes: float = 0.0
    packages: bool = True


AS_IT_IS: Final = Patience()
"""The index as it was last loaded or refreshed. A missing index is built."""

CURRENT: Final = Patience(changes=math.inf)
"""The source tree as it is on the disk now."""

CURRENT_OR_PART: Final = Patience(first_index=0.0, changes=math.inf)
"""As CURRENT, but if a large tree has no index yet, a scan answers from a part of it."""

SOON: Final = Patience(first_index=0.0, changes=3.0, packages=False)
"""For a server's client, which can ask again: an answer within seconds, with a notice of what it
may lack."""

AT_ONCE: Final = Patience(first_index=0.0, packages=False)
"""For a query that is still being typed."""
