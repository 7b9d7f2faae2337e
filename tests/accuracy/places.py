"""Where things are kept, and the error that is one line."""

import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
JUDGES = HERE / "judges"


class AccuracyError(Exception):
    """What keeps a language from being measured, as one line that says why."""


def cache() -> Path:
    """The folder of tools and trees in the user's cache directory."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "symindex-accuracy"


def say(text: str) -> None:
    """Progress, on standard error."""
    print(f"accuracy: {text}", file=sys.stderr, flush=True)
