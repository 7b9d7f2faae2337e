"""How often a question finds its answer: alone, by one phrasing, by several, and by both.

python -m tests.bench.phrasings FOLDER

FOLDER has a folder for each project of `phrasings.toml`, named like it, with the files of its commit.
An index is built next to each. Prints how many of the questions have a right symbol, and how many a
right file, among the first five rows, by half.
"""

import argparse
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import msgspec

from symindex.protocol.search import SearchItem, SearchRequest
from symindex.workspace.workspace import Workspace

QUESTIONS: Final = Path(__file__).parent / "phrasings.toml"

SHOWN: Final = 5
"""Rows among which the answer must be."""

HALVES: Final = ("tune", "held")


class Project(msgspec.Struct, forbid_unknown_fields=True):
    """An application that the questions are about."""

    name: str
    repository: str
    commit: str
    language: str
    about: str


class Question(msgspec.Struct, forbid_unknown_fields=True):
    """A question, its phrasings, and its right symbols as `path#name`."""

    project: str
    half: str
    text: str
    phrasings: list[str]
    answers: list[str]

    def has_symbol(self, items: Sequence[SearchItem]) -> bool:
        """Whether a right symbol is among the items. A namespace may precede its name."""
        return any(
            item.file_path == path and f".{container_and_name(item)}".endswith(f".{name}")
            for item in items
            for path, _, name in (answer.partition("#") for answer in self.answers)
        )

    def has_file(self, items: Sequence[SearchItem]) -> bool:
        """Whether a right file is among the items."""
        paths = {answer.partition("#")[0] for answer in self.answers}
        return any(item.file_path in paths for item in items)


class Questions(msgspec.Struct, forbid_unknown_fields=True):
    """The file of questions."""

    project: list[Project]
    question: list[Question]


def container_and_name(item: SearchItem) -> str:
    return f"{item.container}.{item.name}" if item.container else item.name


WAYS: Final[dict[str, Callable[[Question], list[str]]]] = {
    "the question alone": lambda question: [question.text],
    "the first phrasing alone": lambda question: question.phrasings[:1],
    "four phrasings": lambda question: question.phrasings,
    "the question and four phrasings": lambda question: [question.text, *question.phrasings],
}
"""What is searched for, by the name of a row of the table."""


def read_questions() -> Questions:
    return msgspec.toml.decode(QUESTIONS.read_bytes(), type=Questions)


def measure(folder: Path, questions: Questions) -> dict[str, list[tuple[int, int, int]]]:
    """Returns by way and half: how many questions there are, and how many have the right symbol and
    the right file."""
    counts = {way: [(0, 0, 0)] * len(HALVES) for way in WAYS}
    for project in questions.project:
        with (
            tempfile.TemporaryDirectory() as indexes,
            Workspace(folder / project.name, Path(indexes)) as workspace,
        ):
            workspace.refresh()
            for question in questions.question:
                if question.project != project.name:
                    continue
                number = HALVES.index(question.half)
                for way, texts_of in WAYS.items():
                    first, *others = texts_of(question)
                    request = SearchRequest(query=first, phrasings=others, max_items=SHOWN)
                    items = workspace.search(request).items
                    total, symbols, files = counts[way][number]
                    counts[way][number] = (
                        total + 1,
                        symbols + question.has_symbol(items),
                        files + question.has_file(items),
                    )
    return counts


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.phrasings")
    parser.add_argument("folder", type=Path)
    counts = measure(parser.parse_args().folder, read_questions())
    print("| searched for | " + " | ".join(f"{half}: symbol, file" for half in HALVES) + " | all |")
    print("|---|" + "---:|" * (len(HALVES) + 1))
    for way, halves in counts.items():
        cells = [f"{symbols}, {files} of {total}" for total, symbols, files in halves]
        every = [sum(column) for column in zip(*halves, strict=True)]
        print(f"| {way} | {' | '.join(cells)} | {every[1]}, {every[2]} of {every[0]} |")


if __name__ == "__main__":
    main()
