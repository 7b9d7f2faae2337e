"""Killed copies of items: the destination is absent or complete.

The next copy leaves nothing of the previous one.
"""

import tempfile
from collections.abc import Callable
from pathlib import Path

from tests.attack.figures import Figures
from tests.fetch.kill_copies import run_rounds


def run(seed: int, count: int, say: Callable[[str], object]) -> Figures:
    """Runs the campaign. count: number of kills."""
    with tempfile.TemporaryDirectory(prefix="symindex-copies") as top:
        faults, left = run_rounds(Path(top), count, seed)
    say(f"copies: {count:,} kills, {len(faults)} faults")
    return Figures(count, left, faults)
