"""Questions in plain English about real projects: whether an answering definition is among the
first rows, with our search and without.

Also a command, which fetches only these projects: python -m tests.bench.questions
"""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Final, Literal

import msgspec

from tests.bench.corpora import make_corpus
from tests.bench.figures import Figure, ratio_target, render_figures
from tests.bench.finders import BM25, OURS, RIPGREP, Hit, by_file, open_finders
from tests.bench.places import HERE, Bench, BenchError, default_folder, say

Words = Literal["terms", "plain"]
Half = Literal["tune", "held"]

WORDS: Final[Sequence[Words]] = ("terms", "plain")
HALVES: Final[Sequence[Half]] = ("tune", "held")

TREES: Final = {
    "django": Path("django"),
    "redis": Path("redis/redis-7.0.15"),
    "go-net": Path("golang-1.19-src/usr/share/go-1.19/src/net"),
    "mongodb": Path("mongodb/package"),
    "puppeteer": Path("puppeteer-core/package"),
    "rubocop": Path("rubocop/usr/share/rubygems-integration/all/gems/rubocop-1.39.0"),
    "newtonsoft-json": Path("newtonsoft-json/newtonsoft-json-6.0.8"),
    "phpmyadmin": Path("phpmyadmin/usr/share/phpmyadmin"),
    "three": Path("three/package"),
    "rust-std": Path("rust-src/usr/src/rustc-1.63.0/library/std"),
    "javafx": Path("openjfx-source"),
    "rocksdb": Path("rocksdb/package/deps/rocksdb/rocksdb"),
}
"""The projects' folders in the code corpus; each begins with that of its package."""

TARGETS: Final = {5: 0.75, 20: 0.9}
"""The share of questions that should have a right answer among this number of rows."""

FINDERS: Final = (OURS, RIPGREP, BM25)
BY_FILE: Final = ", by file"
"""Suffix of a finder's name if only the file must be right, and each file counts once."""

_SHOWN: Final = 5


class Question(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """One question; the head of `questions.toml` explains the fields."""

    words: Words
    half: Half
    tree: str
    text: str
    answers: tuple[str, ...]

    def is_right(self, hit: Hit) -> bool:
        """Whether a hit shows an answer: a symbol must be the answer, a piece of text must contain
        its line; a whole file shows none."""
        return any(self._is_answer(hit, *_parts(answer)) for answer in self.answers)

    def is_right_file(self, hit: Hit) -> bool:
        """Whether a hit is in a file that contains an answer."""
        return any(hit.path == _parts(answer)[0] for answer in self.answers)

    def _is_answer(self, hit: Hit, path: str, line: int, name: str) -> bool:
        if hit.path != path:
            return False
        if hit.name:
            return hit.line == line or f".{hit.name}".endswith(f".{name}")
        return hit.first <= line <= hit.last


class _Questions(msgspec.Struct, forbid_unknown_fields=True):
    question: list[Question]


class Asked(msgspec.Struct, frozen=True):
    """The result of a question. ranks: of the first right hits from 1, 0 for none, by the name of
    the finder, also with BY_FILE. shown: our first hits."""

    question: Question
    ranks: Mapping[str, int]
    shown: tuple[Hit, ...]


def read_questions(path: Path = HERE / "questions.toml") -> list[Question]:
    """Returns all questions. Raises msgspec.ValidationError with the name of a wrong key."""
    return msgspec.toml.decode(path.read_bytes(), type=_Questions).question


def check_answers(question: Question, root: Path) -> None:
    """Raises BenchError if an answer is wrong: that line of that file must contain the name."""
    for answer in question.answers:
        path, line, name = _parts(answer)
        try:
            lines = (root / path).read_text("utf-8", "replace").split("\n")
        except OSError as error:
            raise BenchError(f"questions.toml: {question.text}: {answer}: {error}") from None
        if line > len(lines) or name.rpartition(".")[2] not in lines[line - 1]:
            raise BenchError(
                f"questions.toml: {question.text}: {answer}: the line does not hold the name"
            )


def _parts(answer: str) -> tuple[str, int, str]:
    place, _, name = answer.partition(" ")
    path, _, line = place.rpartition(":")
    return path, int(line), name


def measure(bench: Bench) -> list[Figure]:
    """Returns the figures of this part."""
    if bench.quick:
        say("questions: needs the whole corpus, and is left out of --quick")
        return []
    asked = ask_all(bench.code, read_questions())
    return _figures(asked)


def ask_all(code: Path, questions: Sequence[Question]) -> list[Asked]:
    """Puts every question to every finder. code: the corpus. Raises BenchError."""
    asked = []
    for tree in dict.fromkeys(question.tree for question in questions):
        root = code / TREES[tree]
        some = [question for question in questions if question.tree == tree]
        for question in some:
            check_answers(question, root)
        say(f"questions: {tree}")
        with open_finders(root) as finders:
            for question in some:
                hits_by_finder = {name: find(question.text) for name, find in finders.items()}
                ranks = {
                    name: _first(hits, question.is_right)
                    for name, hits in hits_by_finder.items()
                    if name != RIPGREP
                }
                ranks |= {
                    name + BY_FILE: _first(by_file(hits), question.is_right_file)
                    for name, hits in hits_by_finder.items()
                }
                asked.append(Asked(question, ranks, tuple(hits_by_finder[OURS][:_SHOWN])))
    return asked


def _first(hits: Sequence[Hit], is_right: Callable[[Hit], bool]) -> int:
    return next((rank for rank, hit in enumerate(hits, 1) if is_right(hit)), 0)


def _figures(asked: Sequence[Asked]) -> list[Figure]:
    figures = []
    for words, half in product(WORDS, HALVES):
        some = [
            outcome
            for outcome in asked
            if outcome.question.words == words and outcome.question.half == half
        ]
        for (n_rows, share), by, name in product(TARGETS.items(), ("", BY_FILE), FINDERS):
            if some and all(name + by in outcome.ranks for outcome in some):
                right = sum(0 < outcome.ranks[name + by] <= n_rows for outcome in some)
                target = ratio_target(">=", share) if name + by == OURS else None
                title = f"{words}, {half}: right in the first {n_rows}: {name}{by}"
                figures.append(
                    Figure(
                        "questions",
                        title,
                        right,
                        f"of {len(some)}",
                        right / len(some),
                        "all",
                        target,
                    )
                )
    return figures


def render_each(asked: Sequence[Asked]) -> str:
    """Returns every question: the ranks of right hits, and, if ours is not in the first rows, the
    answers and the rows that came instead."""
    lines = []
    for outcome in asked:
        ranks = ", ".join(f"{name} {rank or 'no'}" for name, rank in outcome.ranks.items())
        lines.append(
            f"{outcome.question.words}, {outcome.question.tree}: {outcome.question.text}: {ranks}"
        )
        if not 0 < outcome.ranks[OURS] <= _SHOWN:
            lines += [f"    expected {answer}" for answer in outcome.question.answers]
            lines += [f"    came {hit.path}:{hit.line} {hit.name}" for hit in outcome.shown]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.questions", description=__doc__)
    parser.add_argument(
        "--corpora",
        type=Path,
        default=default_folder(),
        metavar="DIR",
        help="where corpora are kept",
    )
    parser.add_argument("--words", choices=WORDS, help="only questions in such words; default: all")
    parser.add_argument("--half", choices=HALVES, help="only this half; default: both")
    parser.add_argument(
        "--trees",
        nargs="+",
        choices=TREES,
        default=list(TREES),
        metavar="TREE",
        help="only these projects",
    )
    parser.add_argument(
        "--each",
        action="store_true",
        help="the questions of the half to tune by, with what came instead",
    )
    args = parser.parse_args()
    questions = [
        question
        for question in read_questions()
        if question.words in (args.words or WORDS)
        and question.half in (args.half or HALVES)
        and question.tree in args.trees
    ]
    bench = Bench(args.corpora.absolute())
    for error in make_corpus(bench, only={TREES[question.tree].parts[0] for question in questions}):
        say(error)
    asked = ask_all(bench.code, questions)
    if args.each:
        print(render_each([outcome for outcome in asked if outcome.question.half == "tune"]) + "\n")
    print(render_figures(_figures(asked)))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BenchError as error:
        say(str(error))
        sys.exit(2)
