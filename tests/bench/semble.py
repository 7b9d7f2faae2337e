"""Public questions: how well files are found by questions in words, with the measure and
annotations of semble's repository.

Also a command: python -m tests.bench semble DATA TREES. The data is not part of this repository;
the README says where to get it.
"""

import argparse
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean
from typing import Final

import msgspec

from tests.bench.finders import BM25, OURS, RIPGREP, Hit, by_file, open_finders
from tests.bench.places import BenchError, say

KINDS: Final = ("symbol", "semantic", "architecture")
FIRST: Final = 10

BY_FILE: Final = "by file"
BY_ROWS: Final = "by rows"
BY_LINES: Final = "by lines"
COLUMNS: Final = (BY_FILE, BY_ROWS, BY_LINES, RIPGREP, BM25)

TARGETS: Final = {("all", BY_FILE): 0.84, ("all", BY_ROWS): 0.80, ("symbol", BY_FILE): 0.96}


class Target(msgspec.Struct, frozen=True):
    """A file that answers a question, or some lines of it."""

    path: str
    start_line: int | None = None
    end_line: int | None = None


class Question(msgspec.Struct, frozen=True):
    """One question. relevant, secondary: the answers; both count alike."""

    query: str
    relevant: tuple[str | Target, ...]
    secondary: tuple[str | Target, ...] = ()
    category: str = ""

    @property
    def targets(self) -> list[Target]:
        """All answers."""
        return [
            Target(target) if isinstance(target, str) else target
            for target in (*self.relevant, *self.secondary)
        ]

    @property
    def kind(self) -> str:
        """The kind of the question, derived from its form if the annotation does not give it."""
        if self.category:
            return self.category
        if len(self.query.split()) < 2:
            return "symbol"
        return "architecture" if self.query.lower().startswith("how ") else "semantic"


class Repo(msgspec.Struct, frozen=True):
    """A repository. benchmark_root: the folder of it that is searched."""

    name: str
    language: str
    benchmark_root: str | None = None


class Score(msgspec.Struct, frozen=True):
    """The score of one question, by column."""

    repo: Repo
    question: Question
    values: dict[str, float]


def ndcg(hits: Sequence[Hit], targets: Sequence[Target]) -> float:
    """Returns the normalised discounted cumulative gain of the first ten hits. A target counts at
    the first hit that shows it."""
    ranks = {rank for target in targets if (rank := _rank(hits[:FIRST], target)) is not None}
    ideal = _gain(range(min(len(targets), FIRST)))
    return _gain(ranks) / ideal if ideal else 0.0


def _gain(ranks: Sequence[int] | set[int] | range) -> float:
    return sum(1 / math.log2(rank + 2) for rank in ranks)


def _rank(hits: Sequence[Hit], target: Target) -> int | None:
    return next((rank for rank, hit in enumerate(hits) if _shows(hit, target)), None)


def _shows(hit: Hit, target: Target) -> bool:
    """Whether a hit is in the target's file and, if both have lines, overlaps them. Two paths match
    if one ends with the other."""
    mine, other = f"/{hit.path}", f"/{target.path}"
    if not (mine.endswith(other) or other.endswith(mine)):
        return False
    if target.start_line is None or target.end_line is None or not hit.last:
        return True
    return hit.first <= target.end_line and hit.last >= target.start_line


def ask(
    repo: Repo, questions: Sequence[Question], root: Path, report: Callable[[str], None]
) -> list[Score]:
    """Returns the score of each question, by all finders. report: called with a line per question.
    Raises BenchError."""
    scores = []
    with open_finders(root) as finders:
        for question in questions:
            hits_by_finder = {name: find(question.query) for name, find in finders.items()}
            values = {
                BY_ROWS: ndcg([Hit(hit.path) for hit in hits_by_finder[OURS]], question.targets)
            }
            values[BY_LINES] = ndcg(hits_by_finder[OURS], question.targets)
            values |= {
                name: ndcg(by_file(hits), question.targets) for name, hits in hits_by_finder.items()
            }
            values[BY_FILE] = values.pop(OURS)
            scores.append(Score(repo, question, values))
            first = ", ".join(f"{hit.path} {hit.name}" for hit in hits_by_finder[OURS][:5])
            report(
                f"{values[BY_FILE]:.2f} {values[BY_ROWS]:.2f} {repo.name}: {question.query!r}: {first or 'nothing'}"
            )
    return scores


def render(scores: Sequence[Score]) -> str:
    """Returns the means by repository, by kind of question and of all questions, as Markdown."""
    columns = [column for column in COLUMNS if all(column in score.values for score in scores)]
    lines = [f"| | questions | {' | '.join(columns)} |", "|---|" + "---:|" * (len(columns) + 1)]

    def add(label: str, some: Sequence[Score]) -> None:
        if some:
            means = {column: fmean(score.values[column] for score in some) for column in columns}
            cells = [f"{mean:.3f}{_verdict(label, column, mean)}" for column, mean in means.items()]
            lines.append(f"| {label} | {len(some)} | {' | '.join(cells)} |")

    for repo in dict.fromkeys(score.repo for score in scores):
        add(f"{repo.name} ({repo.language})", [score for score in scores if score.repo == repo])
    for kind in dict.fromkeys((*KINDS, *(score.question.kind for score in scores))):
        add(kind, [score for score in scores if score.question.kind == kind])
    add("all", scores)
    return "\n".join(lines)


def _verdict(label: str, column: str, mean: float) -> str:
    limit = TARGETS.get((label, column))
    if limit is None:
        return ""
    return f" (target {limit:.2f}: {'yes' if mean >= limit else 'NO'})"


def read_repos(data: Path, names: Sequence[str]) -> list[Repo]:
    """Returns the repositories with these names, or all that have annotations. Raises
    BenchError."""
    try:
        every = msgspec.json.decode((data / "repos.json").read_bytes(), type=list[Repo])
    except (OSError, msgspec.MsgspecError) as error:
        raise BenchError(
            f"{data / 'repos.json'}: {error}; DATA must be the folder benchmarks of semble's repository"
        ) from None
    if unknown := set(names) - {repo.name for repo in every}:
        raise BenchError(f"repos.json lists no {', '.join(sorted(unknown))}")
    return [
        repo
        for repo in every
        if repo.name in names or (not names and _annotations(data, repo).exists())
    ]


def read_questions(data: Path, repo: Repo) -> list[Question]:
    """Returns the questions about a repository. Raises BenchError."""
    path = _annotations(data, repo)
    try:
        return msgspec.json.decode(path.read_bytes(), type=list[Question])
    except (OSError, msgspec.MsgspecError) as error:
        raise BenchError(f"{path}: {error}") from None


def _annotations(data: Path, repo: Repo) -> Path:
    return data / "annotations" / f"{repo.name}.json"


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench semble", description=__doc__)
    parser.add_argument(
        "data", type=Path, metavar="DATA", help="a folder with repos.json and annotations/NAME.json"
    )
    parser.add_argument(
        "trees",
        type=Path,
        metavar="TREES",
        help="a folder with the repositories, by their names in repos.json",
    )
    parser.add_argument(
        "--repos",
        nargs="+",
        default=[],
        metavar="NAME",
        help="only these; default: all that have annotations",
    )
    parser.add_argument("--each", action="store_true", help="every question, with what came first")
    args = parser.parse_args(arguments)
    repos = read_repos(args.data, args.repos)
    failures = 0
    scores: list[Score] = []
    for repo in repos:
        say(f"semble: {repo.name}")
        try:
            questions = read_questions(args.data, repo)
            root = args.trees / repo.name / (repo.benchmark_root or "")
            scores += ask(repo, questions, root, print if args.each else lambda line: None)
        except BenchError as error:
            say(f"{repo.name}: {error}")
            failures += 1
    if not scores:
        raise BenchError("no questions were asked: see above")
    if RIPGREP not in scores[0].values:
        say("ripgrep is not here and left out: apt-get install ripgrep")
    print(render(scores))
    return 2 if failures else 0
