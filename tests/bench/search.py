"""Search: how long an answer takes among a million distinct names, by class of query, in a process
that has loaded the index.

The ratio is to one pass of `bytes.find` over all names joined, the least that a search without any
index costs. Unlike milliseconds, it is comparable between machines.
"""

import subprocess
import sys
import time
from typing import Final

import msgspec

from tests.bench.adapter import strong_test
from tests.bench.asking import Answered, Asked
from tests.bench.figures import Figure, percentile, ratio_target, value_target
from tests.bench.places import Bench, BenchError, say
from tests.bench.queries import PER_CLASS, count_by_hand, make_questions, sample_questions
from tests.bench.synthetic_index import SyntheticTree, Truth, synthetic_tree

P95_MS: Final = {
    "exact": 1,
    "prefix": 1,
    "humps": 10,
    "substring": 10,
    "two letters": 15,
    "typo": 40,
    "subsequence": 40,
    "empty": 15,
}
"""The targets by class, in milliseconds."""

COUNTED: Final = ("exact", "prefix", "humps", "substring", "two letters", "kind filter")
"""Classes with some totals that are counted name by name."""

SCAN: Final = "scan of all names"


def measure(bench: Bench) -> list[Figure]:
    """Returns the figures of this part."""
    tree = synthetic_tree(bench, "quick" if bench.quick else "million")
    truth = tree.read_truth()
    questions = make_questions(truth, per_class=20 if bench.quick else PER_CLASS)
    sample = sample_questions(questions, COUNTED, 2)
    answered = _ask(tree, Asked(questions, [question for _, question in sample]))
    scan_ms = _scan_seconds(truth) * 1000
    figures = [
        Figure(
            "search",
            "first search",
            answered.first_seconds * 1000,
            "ms",
            answered.first_seconds * 1000 / scan_ms,
            SCAN,
        )
    ]
    for label, seconds in answered.seconds.items():
        for share in (0.5, 0.95):
            ms = percentile(seconds, share) * 1000
            target = value_target("<", P95_MS[label]) if share == 0.95 and label in P95_MS else None
            figures.append(
                Figure(
                    "search", f"{label} p{share * 100:.0f}", ms, "ms", ms / scan_ms, SCAN, target
                )
            )
    figures.append(
        Figure(
            "search",
            "resident after all",
            answered.resident_bytes / 1e6,
            "MB",
            target=value_target("<", 250),
        )
    )
    say(f"search: counting {len(sample)} totals by hand")
    right = 0
    for (label, question), total in zip(sample, answered.totals, strict=True):
        counted = count_by_hand(truth, question, strong_test(question.query))
        right += counted == total
        if counted != total:
            say(f"search: {label} {question.query!r}: total {total:,}, counted {counted:,}")
    share = right / len(sample)
    figures.append(
        Figure(
            "search",
            "exact totals",
            right,
            f"of {len(sample)}",
            share,
            "counted",
            ratio_target(">=", 1),
        )
    )
    return figures


def _ask(tree: SyntheticTree, asked: Asked) -> Answered:
    command = [sys.executable, "-m", "tests.bench.asking", str(tree.root), str(tree.index_dir)]
    done = subprocess.run(
        command, input=msgspec.json.encode(asked), stdout=subprocess.PIPE, check=False
    )
    if done.returncode:
        raise BenchError(
            f"search: the process that was asked ended with exit code {done.returncode}"
        )
    return msgspec.json.decode(done.stdout, type=Answered)


def _scan_seconds(truth: Truth) -> float:
    joined = "\0".join(truth.names).lower().encode()
    best = float("inf")
    for _ in range(10):
        started = time.perf_counter()
        joined.find(b"e\1")  # is not there, but its first letter often is
        best = min(best, time.perf_counter() - started)
    return best
