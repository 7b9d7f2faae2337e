"""What a campaign has found, and what it keeps for whoever looks into it."""

import os
from collections import Counter
from pathlib import Path
from typing import Final, NamedTuple

KEEP_VARIABLE: Final = "SYMINDEX_ATTACK_KEEP"
"""A folder for the sources that have ended a worker, and those of faults."""


class Figures(NamedTuple):
    """attacks: how many were made. contained: how often something was left out or refused, by the
    reason that was told. faults: what must not be, a line each."""

    attacks: int
    contained: Counter[str]
    faults: list[str]


def keep(name: str, data: bytes) -> None:
    """Keeps a source, where somebody wants that."""
    folder = os.environ.get(KEEP_VARIABLE)
    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
        Path(folder, name).write_bytes(data)
