"""How much what is old counts: `max(0.1, exp(-age / 365 days))`. What has no date counts as it
is."""

import math
from typing import Final

DAYS: Final = 365
LEAST: Final = 0.1
_DAY_MS: Final = 86_400_000


def recency(time_ms: int, now_ms: int) -> float:
    """The factor for something of a moment, in milliseconds since 1970; 0 for none. What is of the
    future counts as new."""
    if not time_ms:
        return 1.0
    return max(LEAST, math.exp(-max(now_ms - time_ms, 0) / (DAYS * _DAY_MS)))
