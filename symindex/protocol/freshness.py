"""How long an answer may wait for an index and for changes."""

import math
from typing import Final, NamedTuple

PAUSE_SECONDS: Final = 0.01
"""Seconds between two checks of a condition that an answer waits for."""

COMPARE_SECONDS: Final = 0.1
"""Longest wait, in seconds, for files that differ from their indexed versions."""

BEHIND_SECONDS: Final = 3.0
"""Longest wait, in seconds, for changes since the index was built, if an answer would be empty."""

SETTLE_SECONDS: Final = 1.0
"""Longest wait, in seconds, for files that were written just before the request. Usually it takes
milliseconds."""

REPORTED_SECONDS: Final = 0.5
"""Longest wait, in seconds, of an editor's answer for files whose change the editor has
reported."""


class Freshness(NamedTuple):
    """How fresh an answer must be: how long it may wait, in seconds.

    first_index: for the first index of a root, before a scan of some files answers instead.
    changes: for changes since the index was built; 0 uses the index without a check. packages:
    whether the answer may wait for packages to be indexed.
    """

    first_index: float = math.inf
    changes: float = 0.0
    packages: bool = True


CACHED: Final = Freshness()
"""The index as it was last loaded or refreshed. A missing index is built."""

CURRENT: Final = Freshness(changes=math.inf)
"""The source tree as it is on the disk now."""

CURRENT_OR_SCAN: Final = Freshness(first_index=0.0, changes=math.inf)
"""Like CURRENT, but if a large tree has no index yet, a scan of a part of it answers."""

SOON: Final = Freshness(first_index=0.0, changes=3.0, packages=False)
"""For a server's client, which can ask again: an answer within seconds, with a notice of what it
may lack."""

IMMEDIATE: Final = Freshness(first_index=0.0, packages=False)
"""For a query that is still being typed."""
