"""A process with an index that answers questions, and measures times, totals and its memory. It is
a command, so that the process contains nothing else.

    python -m tests.bench.asking ROOT INDEX_DIR < questions > answers

Both are JSON. Every class of questions is asked once before it is timed, because users of an editor
notice the second query.
"""

import sys
import time
from collections.abc import Sequence
from typing import Final

import msgspec
from msgspec import UNSET, UnsetType

import symindex
from tests.bench.process import resident_bytes
from tests.bench.queries import Question

MAX_ITEMS: Final = 20
CLASS_SECONDS: Final = 15.0
"""Time limit of a class, in seconds, after at least `LEAST` of its questions."""
LEAST: Final = 10


class Asked(msgspec.Struct):
    """The questions. questions: by class. totals: those whose exact totals are needed, without
    fuzzy matches."""

    questions: dict[str, list[Question]]
    totals: list[Question]


class Answered(msgspec.Struct):
    """The answers. opening_seconds: until the index is searchable. first_seconds: of the very first
    search. seconds: of each question, by class. totals: in the order of the questions.
    resident_bytes: after all questions."""

    opening_seconds: float
    first_seconds: float
    seconds: dict[str, list[float]]
    totals: list[int]
    resident_bytes: int


def ask(workspace: symindex.Workspace, question: Question, fuzzy: bool | UnsetType = UNSET) -> int:
    """Asks as a front end would, and returns the total."""
    response = workspace.search(
        question.query,
        kinds=question.kinds,
        languages=UNSET if question.languages is None else question.languages,
        paths=UNSET if question.paths is None else question.paths,
        max_items=MAX_ITEMS,
        fuzzy=fuzzy,
    )
    return response.total


def time_questions(workspace: symindex.Workspace, questions: Sequence[Question]) -> list[float]:
    """Returns the seconds of each question, or of the first ones if they take too long."""
    seconds: list[float] = []
    for question in questions:
        if len(seconds) >= LEAST and sum(seconds) > CLASS_SECONDS:
            break
        started = time.perf_counter()
        ask(workspace, question)
        seconds.append(time.perf_counter() - started)
    return seconds


def main() -> None:
    asked = msgspec.json.decode(sys.stdin.buffer.read(), type=Asked)
    started = time.perf_counter()
    with symindex.open(sys.argv[1], sys.argv[2]) as workspace:
        workspace.load()
        opening = time.perf_counter() - started
        first = time_questions(workspace, [next(iter(asked.questions.values()))[0]])[0]
        seconds = {}
        for label, questions in asked.questions.items():
            time_questions(workspace, questions[:1])
            seconds[label] = time_questions(workspace, questions)
            print(
                f"bench: search: {label}: {sum(seconds[label]) / len(seconds[label]) * 1000:.1f} ms on average",
                file=sys.stderr,
            )
        resident = resident_bytes()
        totals = [ask(workspace, question, fuzzy=False) for question in asked.totals]
    sys.stdout.buffer.write(
        msgspec.json.encode(Answered(opening, first, seconds, totals, resident))
    )


if __name__ == "__main__":
    main()
