"""Where things are kept, and the error that is one line."""

import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
JUDGES = HERE / "judges"


class AccuracyError(Exception):
    """A language cannot be measured; the message is one line with the reason."""


def cache() -> Path:
    """Returns the folder of tools and trees in the user's cache directory."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "symindex-accuracy"


def say(text: str) -> None:
    """Reports progress on standard error."""
    print(f"accuracy: {text}", file=sys.stderr, flush=True)
