"""Counts calls from one package of symindex to another, as a measure of how often a reader who
follows a request changes the package."""

import os
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, Final

import symindex

_ROOT: Final = f"{Path(symindex.__file__).parent}{os.sep}"


def count_changes(run: Callable[[], object]) -> tuple[Counter[tuple[str, str]], int]:
    """Runs a function and counts the calls between top-level packages of symindex.

    Returns the counts by caller and callee, and the total if each folder of `search` counts as a
    package. A call by another library counts for the last symindex function above it.
    """
    between: Counter[tuple[str, str]] = Counter()
    n_deep = 0

    def profile(frame: FrameType, event: str, _argument: Any) -> None:
        nonlocal n_deep
        file = frame.f_code.co_filename
        if event != "call" or not file.startswith(_ROOT):
            return
        caller = frame.f_back
        while caller is not None and not caller.f_code.co_filename.startswith(_ROOT):
            caller = caller.f_back
        if caller is None:
            return
        here, there = (
            file.removeprefix(_ROOT).split(os.sep) for file in (caller.f_code.co_filename, file)
        )
        if here[0] != there[0]:
            between[here[0], there[0]] += 1
        n_deep += _deep(here) != _deep(there)

    sys.setprofile(profile)
    try:
        run()
    finally:
        sys.setprofile(None)
    return between, n_deep


def _deep(parts: list[str]) -> str:
    return "/".join(parts[:2]) if parts[0] == "search" and len(parts) > 2 else parts[0]
