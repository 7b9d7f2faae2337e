"""Queries of every class, made with a fixed seed from indexed names."""

from collections.abc import Callable, Sequence
from random import Random
from typing import Final

import msgspec

from symindex.protocol.kinds import KIND_OF_CODE, expand_kinds
from symindex.text.folding import word_starts
from tests.bench.synthetic_index import Truth


class Question(msgspec.Struct, omit_defaults=True):
    """A query and its filters."""

    query: str
    kinds: list[str] | None = None
    languages: list[str] | None = None
    paths: list[str] | None = None


PER_CLASS: Final = 200

KEYWORDS: Final = ("AND", "OR", "NOT")
"""Words of the query language, which cannot be names to search for."""


def make_questions(
    truth: Truth, seed: int = 1, per_class: int = PER_CLASS
) -> dict[str, list[Question]]:
    """Returns `per_class` questions of every class, fewer of the empty query. Each finds at least
    the symbol that it was made from."""
    random = Random(seed)
    rows = [random.randrange(len(truth.kind)) for _ in range(20 * per_class)]
    names, containers, paths = truth.column("name"), truth.column("container"), truth.column("path")
    questions: dict[str, list[Question]] = {}
    for label, make in _CLASSES.items():
        queries = (make(truth.names[names[row]], random) for row in rows)
        questions[label] = [
            Question(query) for query in queries if query and query not in KEYWORDS
        ][:per_class]
    questions["qualified"] = [
        Question(
            f"{truth.containers[containers[row]].rpartition('.')[2]}.{truth.names[names[row]]}"
        )
        for row in rows
        if truth.containers[containers[row]]
    ][:per_class]
    questions["empty"] = [Question("")] * (per_class // 4)
    prefixes = [
        (row, query) for row in rows if (query := _prefix(truth.names[names[row]], random))
    ][:per_class]
    questions["kind filter"] = [
        Question(query, kinds=[str(KIND_OF_CODE[truth.kind[row]])]) for row, query in prefixes
    ]
    questions["language filter"] = [
        Question(query, languages=[truth.languages[paths[row]]]) for row, query in prefixes
    ]
    questions["path filter"] = [
        Question(query, paths=[truth.paths[paths[row]].partition("/")[0] + "/**"])
        for row, query in prefixes
    ]
    return questions


def _exact(name: str, random: Random) -> str:
    return name


def _prefix(name: str, random: Random) -> str:
    """Returns the first half or more, at least four characters."""
    return name[: random.randint(max(4, len(name) // 2), len(name) - 1)] if len(name) > 5 else ""


def _humps(name: str, random: Random) -> str:
    """Returns the first one or two letters of three words or more, in small letters: `inbofo` for
    `initBookForOfficial`."""
    starts = word_starts(name)
    if len(starts) < 3:
        return ""
    ends = [*starts[1:], len(name)]
    parts = [
        name[start : min(end, start + random.randint(1, 2))]
        for start, end in zip(starts, ends, strict=True)
    ]
    return "".join(part.strip("_") for part in parts).lower()


def _substring(name: str, random: Random) -> str:
    """Returns four to eight characters from inside a name."""
    if len(name) < 8:
        return ""
    start = random.randint(2, len(name) - 5)
    return name[start : start + random.randint(4, 8)].strip("_")


def _two_letters(name: str, random: Random) -> str:
    start = random.randint(1, len(name) - 2) if len(name) > 3 else 0
    query = name[start : start + 2].lower()
    return query if query.isalpha() and len(query) == 2 else ""


def _typo(name: str, random: Random) -> str:
    """Returns a name with one letter, after the first, left out, doubled, exchanged or swapped."""
    if len(name) < 6:
        return ""
    position = random.randint(1, len(name) - 2)
    return random.choice(
        (
            name[:position] + name[position + 1 :],
            name[:position] + name[position] + name[position:],
            name[:position] + random.choice("aeionrst") + name[position + 1 :],
            name[:position] + name[position + 1] + name[position] + name[position + 2 :],
        )
    )


def _subsequence(name: str, random: Random) -> str:
    """Returns the first letter and half of the others, in order."""
    letters = (
        [name[i] for i in sorted(random.sample(range(1, len(name)), len(name) // 2))]
        if len(name) > 7
        else []
    )
    return (name[0] + "".join(letters)).replace("_", "").lower() if letters else ""


_CLASSES: Final[dict[str, Callable[[str, Random], str]]] = {
    "exact": _exact,
    "prefix": _prefix,
    "humps": _humps,
    "substring": _substring,
    "two letters": _two_letters,
    "typo": _typo,
    "subsequence": _subsequence,
}


def count_by_hand(truth: Truth, question: Question, matches: Callable[[str], bool]) -> int:
    """Returns how many symbols a question matches, name by name, for questions without filters or
    with one on kinds."""
    good = {number for number, name in enumerate(truth.names) if matches(name)}
    codes = set(KIND_OF_CODE) if question.kinds is None else expand_kinds(question.kinds)
    return sum(
        number in good and kind in codes
        for number, kind in zip(truth.column("name").tolist(), truth.kind, strict=True)
    )


def sample_questions(
    questions: dict[str, list[Question]], labels: Sequence[str], per_label: int
) -> list[tuple[str, Question]]:
    """Returns the first few questions of some classes."""
    return [(label, question) for label in labels for question in questions[label][:per_label]]
