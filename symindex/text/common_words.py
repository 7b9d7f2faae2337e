"""Common words of written English: a word that stands here is spelt well, and is not corrected.

The table is data (`common_words.txt`, which says how it was made). It is read when a word is about
to be corrected.
"""

from functools import cache
from pathlib import Path
from typing import Final

_FILE: Final = "common_words.txt"


@cache
def _table() -> frozenset[str]:
    lines = Path(__file__).with_name(_FILE).read_text("utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())


def is_common(word: str) -> bool:
    """Whether a folded word is common, or the plural of a common one."""
    table = _table()
    return word in table or (word.endswith("s") and not word.endswith("ss") and word[:-1] in table)
