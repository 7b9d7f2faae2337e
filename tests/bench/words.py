"""The words that names consist of, and their frequency: `words.txt`, made from the identifiers of
the code corpus.

    python -m tests.bench.words

writes it anew. It is part of the repository so that the synthetic names are the same on every
machine.
"""

import re
from collections import Counter
from typing import Final

from tests.bench.places import HERE, Bench, default_folder

PATH: Final = HERE / "words.txt"
N_WORDS: Final = 5_000

_IDENTIFIER = re.compile(r"\b[A-Za-z_][A-Za-z_]{2,40}\b")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def read_words() -> tuple[list[str], list[int]]:
    """Returns the words, most frequent first, and how many distinct identifiers contain each."""
    rows = [line.split() for line in PATH.read_text().splitlines()]
    return [word for word, _ in rows], [int(count) for _, count in rows]


def count_words(bench: Bench) -> Counter[str]:
    """Counts in how many distinct identifiers of the corpus each word occurs."""
    identifiers: set[str] = set()
    for path in sorted(bench.code.rglob("*")):
        if path.is_file():
            identifiers.update(_IDENTIFIER.findall(path.read_text("utf-8", "replace")))
    return Counter(
        word.lower() for name in identifiers for word in _WORD.findall(name) if len(word) < 16
    )


def main() -> None:
    counts = count_words(Bench(default_folder()))
    rows = sorted(counts.items(), key=lambda row: (-row[1], row[0]))[:N_WORDS]
    PATH.write_text("".join(f"{word} {count}\n" for word, count in rows))


if __name__ == "__main__":
    main()
