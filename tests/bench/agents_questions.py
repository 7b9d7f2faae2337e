"""The questions of agents, from `agents.toml`, and whether an answer is right, whichever tool gave
it."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, Literal

import msgspec

from tests.bench.places import HERE, Bench, BenchError

Asks = Literal["definition", "members", "signature", "mentions"]

KINDS: Final[Sequence[Asks]] = ("definition", "members", "signature", "mentions")

TREES: Final = {"django": Path("django"), "go": Path("golang-1.19-src/usr/share/go-1.19/src")}
"""The folders of the trees in the code corpus."""

_PATH_OR_NUMBER: Final = re.compile(r"((?:[\w.+-]+/)*[\w.+-]+\.(?:py|go))\b|(?<![\w.])(\d+)\b")

_LINE_NUMBER: Final = re.compile(r"^ *\d+[\t ]", re.MULTILINE)
"""The line number in front of a line of a file, as agents see it."""


class Question(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """One question; the head of `agents.toml` explains the fields."""

    tree: str
    asks: Asks
    name: str
    text: str
    places: tuple[str, ...]
    words: tuple[str, ...] = ()

    @property
    def last_name(self) -> str:
        """The name without its qualifiers."""
        return self.name.rpartition(".")[2]

    def is_right(self, answer: str) -> bool:
        """Whether an answer contains all places and words. A line belongs to the last path named
        before it."""
        shown = set(_places_in(answer))
        return all(place in shown for place in self.places) and all(
            _has_words(words, answer) for words in self.words
        )


class _Questions(msgspec.Struct, forbid_unknown_fields=True):
    question: list[Question]


def read_questions(path: Path = HERE / "agents.toml") -> list[Question]:
    """Returns all questions. Raises msgspec.ValidationError with the name of a wrong key."""
    return msgspec.toml.decode(path.read_bytes(), type=_Questions).question


def find_tree(bench: Bench, name: str) -> Path:
    """Returns the folder of a tree. Raises BenchError if the corpus does not have it."""
    root = bench.code / TREES[name]
    if not root.is_dir():
        raise BenchError(f"the corpus has no {TREES[name]}: python -m tests.bench corpora")
    return root


def check_places(question: Question, root: Path) -> None:
    """Raises BenchError if a place of a question is wrong: its line must contain the name."""
    for place in question.places:
        path, _, line = place.rpartition(":")
        lines = (root / path).read_text("utf-8").split("\n")
        if not _has_words(question.last_name, lines[int(line) - 1]):
            raise BenchError(
                f"agents.toml: {question.text} {place} does not hold {question.last_name}"
            )


def _places_in(text: str) -> Iterator[str]:
    path = ""
    for match in _PATH_OR_NUMBER.finditer(text):
        if match[1]:
            path = match[1].removeprefix("./")
        elif path:
            yield f"{path}:{int(match[2])}"


def _has_words(words: str, text: str) -> bool:
    """Whether a text contains words, with any white space between them, and not as parts of other
    words."""
    pattern = r"\s*,\s*".join(
        r"\s+".join(map(re.escape, part.split())) for part in words.split(",")
    )
    return re.search(rf"(?<!\w){pattern}(?!\w)", _LINE_NUMBER.sub("", text)) is not None
