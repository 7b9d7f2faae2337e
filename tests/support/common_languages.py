"""The languages that each push tests in depth; the nightly lane tests the others."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from symindex.extract.languages.registry import load_languages

COMMON = {
    language.id for language in load_languages().by_id.values() if language.rules.roles.blocks
}
"""The languages in which most code is written: those with rules for scopes."""


def lanes(values: Sequence[Any], id_of: Callable[[Any], str] = str) -> list[Any]:
    """Marks the values of all other languages for the nightly lane."""
    return [
        value if id_of(value) in COMMON else pytest.param(value, marks=pytest.mark.nightly)
        for value in values
    ]
