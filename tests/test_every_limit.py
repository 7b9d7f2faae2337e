"""Every constant that limits something has a case in a table of limits, a test of its own, or a
reason why it needs none."""

import re
import tomllib
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final

from tests.support.limits import constants

TESTS: Final = Path(__file__).parent
PAGE: Final[dict[str, Any]] = tomllib.loads((TESTS / "limits.toml").read_text())


def cased() -> set[str]:
    """Returns the constants of all tables, by their text: importing them takes seconds."""
    texts = [path.read_text() for path in sorted(TESTS.glob("*/test_limits.py"))]
    return {name for text in texts for name in re.findall(r'\bLimit\(\s*"([\w.]+)"', text)}


def test_every_limit_has_a_case_or_a_reason() -> None:
    exempt = [pattern for group in PAGE["without"] for pattern in group["constants"]]
    listed = cased() | PAGE["elsewhere"].keys()
    assert not [
        name
        for name in constants()
        if name not in listed and not any(fnmatchcase(name, pattern) for pattern in exempt)
    ]


def test_the_list_of_limits_without_a_case_is_true() -> None:
    left = set(constants()) - cased()
    exempt = [pattern for group in PAGE["without"] for pattern in group["constants"]]
    assert not [
        pattern for pattern in exempt if not any(fnmatchcase(name, pattern) for name in left)
    ]
    assert PAGE["elsewhere"].keys() <= left


def test_a_limit_that_is_tested_elsewhere_is_named_there() -> None:
    assert not [
        name
        for name, (path, words) in PAGE["elsewhere"].items()
        if words not in (TESTS / path).read_text()
    ]
