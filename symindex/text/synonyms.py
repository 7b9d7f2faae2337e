"""Words that developers use for one another: who asks how to `remove` something finds how to
`delete` it.

The table is data (`synonyms.txt`): the first word of a line may stand for each of the others and
they for it, but not they for each other. It holds common words of software alone, none of one
project.
"""

from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Final

from symindex.text.words import stem

_FILE: Final = "synonyms.txt"


@cache
def _table() -> dict[str, tuple[str, ...]]:
    table: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for line in Path(__file__).with_name(_FILE).read_text("utf-8").splitlines():
        first, *others = map(stem, line.split())
        for other in others:
            if other != first:
                table[first][other] = table[other][first] = None
    return {word: tuple(sorted(others)) for word, others in table.items()}


def synonyms_of(stemmed: str) -> tuple[str, ...]:
    """The stems of the words that one of a stem may mean."""
    return _table().get(stemmed, ())
