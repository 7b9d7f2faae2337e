"""Two tables of English words: synonyms that developers use, and common words.

The tables are data files, read when the first word is looked up.

`synonyms.txt`: the first word of a line and each of the others may replace one another; the others
do not replace each other. A reader who asks how to `remove` something also finds how to `delete`
it. The table contains only common words of software, none of a particular project.

`common_words.txt`: words that are spelt correctly and therefore never corrected. The file says how
it was made.
"""

from collections import defaultdict
from functools import cache
from pathlib import Path

from symindex.text.words import stem


def synonyms_of(stemmed: str) -> tuple[str, ...]:
    """Returns the stems of the words that may replace a word, given by its stem."""
    return _synonyms().get(stemmed, ())


def is_common(word: str) -> bool:
    """Whether a folded word is common English, or the plural of a common word."""
    table = _common_words()
    return word in table or (word.endswith("s") and not word.endswith("ss") and word[:-1] in table)


@cache
def _synonyms() -> dict[str, tuple[str, ...]]:
    table: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for line in _lines("synonyms.txt"):
        first, *others = map(stem, line.split())
        for other in others:
            if other != first:
                table[first][other] = table[other][first] = None
    return {word: tuple(sorted(others)) for word, others in table.items()}


@cache
def _common_words() -> frozenset[str]:
    lines = _lines("common_words.txt")
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())


def _lines(file_name: str) -> list[str]:
    return Path(__file__).with_name(file_name).read_text("utf-8").splitlines()
