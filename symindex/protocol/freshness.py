"""How long an answer may wait for an index and for changes."""

import math
from typing import Final, NamedTuple

PAUSE_SECONDS: Final = 0.01
"""How often a condition is checked while it is waited for."""

AT_MOST_BEHIND: Final = 0.1
"""How long an answer waits, at most, for a file that is not as it was indexed."""

BEHIND_SECONDS: Final = 3.0
"""How long an answer that would be empty waits, at most, for what has changed since the index was
made."""

SETTLE_SECONDS: Final = 1.0
"""How long an answer waits, at most, for files that were written just before it was asked for.
Mostly it takes milliseconds."""

TOLD_SECONDS: Final = 0.5
"""How long an editor's answer waits, at most, for files that it has reported before."""


class Patience(NamedTuple):
    """How long an answer may wait, in seconds.

    first_index: for the first index of a root, before a scan of some files answers. changes: for
    what has changed since the index was made; 0: the index is taken as it is. packages: whether the
    answer may wait until packages are indexed that it is about.
    """

    first_index: float = math.inf
    changes: float = 0.0
    packages: bool = True


AS_IT_IS: Final = Patience()
"""The index as it was last loaded or refreshed; it is built where there is none."""

CURRENT: Final = Patience(changes=math.inf)
"""The tree as it is on the disk now."""

CURRENT_OR_PART: Final = Patience(first_index=0.0, changes=math.inf)
"""The same; but where a large tree has no index yet, a scan answers from a part of it."""

SOON: Final = Patience(first_index=0.0, changes=3.0, packages=False)
"""For a server's client, which can ask again: an answer within seconds, with a notice of what it
may lack."""

AT_ONCE: Final = Patience(first_index=0.0, packages=False)
"""For a query that is still being typed."""
