"""The findings of a campaign, and the files that it keeps for analysis."""

import os
from collections import Counter
from pathlib import Path
from typing import Final, NamedTuple

KEEP_VARIABLE: Final = "SYMINDEX_ATTACK_KEEP"
"""Variable that names a folder for sources that ended a worker or caused a fault."""


class Figures(NamedTuple):
    """The result of a campaign. attacks: their number. contained: how often something was left out
    or refused, by the reported reason. faults: one line each."""

    attacks: int
    contained: Counter[str]
    faults: list[str]


def keep(name: str, data: bytes) -> None:
    """Keeps a source if the variable names a folder."""
    folder = os.environ.get(KEEP_VARIABLE)
    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
        Path(folder, name).write_bytes(data)
