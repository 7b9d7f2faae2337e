"""Factors of the scores of a tree's texts by where they lie: documents that answer questions come
before texts about something else, such as changes or contributions.

`DECISIONS.md` has the figures for these factors.
"""

import re
from typing import Final

HISTORY: Final = 0.75
ASIDE: Final = 0.6
TEST: Final = 0.5
"""Documents about changes; documents about something else than the use of the project; tests and
third parties."""

_HISTORY: Final = re.compile(
    r"(?:^|/)(?:change(?:s|log)?|news|history|releases?|release[-_]notes|whats[-_]?new)(?:[/.]|$)",
    re.IGNORECASE,
)

_ASIDE: Final = re.compile(
    r"(?:^|/)(?:(?:contributing|code_of_conduct|licen[cs]e|governance|maintainers|community|blog|"
    r"announc(?:ing|e|ement)|examples?|samples?|playgrounds?|fixtures?|\.github)(?:[/._-]|$)|"
    r"template-)",
    re.IGNORECASE,
)


def prior_of(path: str, is_test: bool) -> float:
    """Returns the factor of a part of a document."""
    if is_test:
        return TEST
    if _HISTORY.search(path):
        return HISTORY
    return ASIDE if _ASIDE.search(path) else 1.0
