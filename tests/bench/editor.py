"""Editor: `symindex lsp` for a user who types: warm starts, settling, changing files, other load.

The client of a server measures query after query, on the synthetic trees of 520,000 and 3,000,000
symbols, whose files are empty, and on any other tree:

    python -m tests.bench.editor half-million million     # one or both of the synthetic trees
    python -m tests.bench.editor DIR --index              # your own tree; --index: also during a complete rebuild

Every figure covers all queries of its run; none is the best of several. The bench writes a folder
`symindex-bench-live` into the tree, and removes it at the end.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from tests.bench.editor_subject import (
    ANSWER_SECONDS,
    GAP_SECONDS,
    Subject,
    ask_nothing,
    busy,
    changes,
    in_turn,
    type_all,
)
from tests.bench.figures import Figure, Target, percentile, render_figures, value_target
from tests.bench.lsp_client import Answer
from tests.bench.lsp_session import METHOD, rows_of
from tests.bench.places import Bench, BenchError, default_folder, say
from tests.bench.synthetic_index import SHAPES, synthetic_tree

SETTLING_SECONDS: Final = 8.0
"""How long queries follow a warm start, one after the other, in seconds."""
ROUNDS: Final = 5
PARTS: Final = ("starts", "20", "256")
"""The parts: warm starts and settling; answers of at most this number of rows, with other load."""
FIRST_QUERY: Final = "getNa"

LIMITS: Final = {"half-million": {20: 3.0, 256: 8.0}, "million": {20: 6.0, 256: 12.0}}
"""Milliseconds within which 95 of 100 queries should be answered, by tree and limit of rows."""


def measure(bench: Bench) -> list[Figure]:
    """Returns the figures of this part."""
    shapes = ["quick"] if bench.quick else ["half-million", "million"]
    return [figure for shape in shapes for figure in measure_tree(_synthetic(bench, shape))]


def _synthetic(bench: Bench, shape: str) -> Subject:
    tree = synthetic_tree(bench, shape)
    return Subject(bench, shape, tree.root, tree.index_dir)


def measure_tree(
    subject: Subject, only: Sequence[str] = (), reads_again: bool = False
) -> list[Figure]:
    """Returns the figures of one tree. only: some of PARTS; default: all. reads_again: also
    measures a complete rebuild."""
    figures: list[Figure] = []
    if "starts" in (only or PARTS):
        figures += _starts(subject)
    for limit in (20, 256):
        if str(limit) in (only or PARTS):
            wanted = LIMITS.get(subject.name, {}).get(limit)
            figures += _typed(
                subject, limit, value_target("<=", wanted) if wanted is not None else None
            )
    if reads_again:
        figures += _while_indexing(subject)
    return figures


def _figures(
    subject: Subject,
    what: str,
    seconds: Sequence[float],
    target: Target | None,
    most: Target | None = None,
) -> list[Figure]:
    ms = sorted(duration * 1000 for duration in seconds)
    middle, most_of_them = percentile(ms, 0.5), percentile(ms, 0.95)
    what = f"{subject.name}: {what}"
    say(
        f"editor: {what}: {len(ms)} queries, p50 {middle:.1f}, p95 {most_of_them:.1f}, most {ms[-1]:.1f} ms"
    )
    return [
        Figure("editor", f"{what}, p50", middle, "ms"),
        Figure("editor", f"{what}, p95", most_of_them, "ms", target=target),
        Figure("editor", f"{what}, most", ms[-1], "ms", target=most),
    ]


def _starts(subject: Subject) -> Iterator[Figure]:
    """Measures warm starts: the first answer, whether it is complete, and queries while the server
    settles."""
    words = list(dict.fromkeys([FIRST_QUERY, *subject.words]))
    with subject.start(256) as client:  # this start warms the system's cache
        client.initialize(subject.root, ANSWER_SECONDS)
        subject.settle(client)
        settled = {word: client.ask(METHOD, {"query": word}, ANSWER_SECONDS) for word in words}
    rows = {word: _rows(answer) for word, answer in settled.items()}
    handshakes, firsts, used, whole, seconds, fewer = [], [], [], 0, [], 0
    for _ in range(ROUNDS):
        with subject.start(256) as client:
            greeted = client.initialize(subject.root, ANSWER_SECONDS)
            first = client.ask(METHOD, {"query": FIRST_QUERY}, ANSWER_SECONDS)
            used.append(client.processor_seconds())
            handshakes.append(greeted.arrival - client.started)
            firsts.append((first.arrival if first else time.perf_counter()) - client.started)
            whole += _rows(first) == rows[FIRST_QUERY]
            until = client.started + SETTLING_SECONDS
            for word in words:
                if time.perf_counter() > until:
                    break
                answer = client.ask(METHOD, {"query": word}, ANSWER_SECONDS)
                seconds.append(answer.seconds if answer else ANSWER_SECONDS)
                fewer += len(_rows(answer)) < len(rows[word])
                time.sleep(GAP_SECONDS)
            memory = client.memory_bytes()
    name = subject.name
    yield Figure("editor", f"{subject.name}: handshake, middle", percentile(handshakes, 0.5), "s")
    yield Figure(
        "editor",
        f"{subject.name}: first answer, middle",
        percentile(firsts, 0.5),
        "s",
        target=value_target("<=", 0.3),
    )
    yield Figure("editor", f"{subject.name}: first answer, most", max(firsts), "s")
    yield Figure(
        "editor", f"{subject.name}: first answer, processor until then", percentile(used, 0.5), "s"
    )
    yield Figure(
        "editor",
        f"{name}: first answers that are whole",
        whole,
        f"of {ROUNDS}",
        target=value_target("=", ROUNDS),
    )
    yield from _figures(subject, "settling", seconds, None, value_target("<=", 10))
    yield Figure(
        "editor",
        f"{name}: settling, answers with fewer rows",
        fewer,
        f"of {len(seconds)}",
        target=value_target("=", 0),
    )
    yield Figure("editor", f"{subject.name}: memory of the server", memory / 1e6, "MB")


def _typed(subject: Subject, limit: int, target: Target | None) -> Iterator[Figure]:
    """Measures typing once the server has settled: alone, while files change, on a busy machine,
    with another client."""
    label = f"{limit} rows"
    with subject.start(limit) as client:
        client.initialize(subject.root, ANSWER_SECONDS)
        subject.settle(client)
        type_all(client, subject.words[:20])
        used = client.processor_seconds()
        seconds = type_all(client, subject.words)
        used = (client.processor_seconds() - used) / len(seconds)
        yield from _figures(subject, f"{label}, idle machine", seconds, target)
        yield Figure(
            "editor", f"{subject.name}: {label}, processor of a query, mean", used * 1000, "ms"
        )
        without_pauses = type_all(client, subject.words, gap_seconds=0.0)
        yield from _figures(subject, f"{label}, idle machine, without pauses", without_pauses, None)
        yield from _figures(
            subject,
            f"{label}, a request that is refused",
            ask_nothing(client, len(subject.words)),
            None,
        )
        with changes(subject.root):
            yield from _figures(
                subject, f"{label}, files change", type_all(client, subject.words), target
            )
        with busy():
            yield from _figures(
                subject, f"{label}, busy machine", type_all(client, subject.words), None
            )
        memory = client.memory_bytes()
    yield Figure("editor", f"{subject.name}: {label}, memory after typing", memory / 1e6, "MB")
    first, second = subject.start_two(limit)
    with first, second:
        for client in (first, second):
            client.initialize(subject.root, ANSWER_SECONDS)
        subject.settle(first)
        type_all(first, subject.words[:20])
        with in_turn(lambda: type_all(second, subject.words[::-1])):
            yield from _figures(
                subject, f"{label}, another client", type_all(first, subject.words), target
            )


def _while_indexing(subject: Subject) -> Iterator[Figure]:
    """Measures queries while the whole tree is read again, and the memory of the server and its
    processes."""
    with subject.start(256) as client:
        client.initialize(subject.root, ANSWER_SECONDS)
        subject.settle(client)
        rows = {
            word: len(_rows(client.ask(METHOD, {"query": word}, ANSWER_SECONDS)))
            for word in subject.words
        }
        alone = client.memory_bytes()
        client.ask("workspace/executeCommand", {"command": "symindex.reindex"}, ANSWER_SECONDS)
        time.sleep(0.5)
        seconds, fewer, most = [], 0, 0
        while client.is_busy:
            for word in subject.words:
                answer = client.ask(METHOD, {"query": word}, ANSWER_SECONDS)
                seconds.append(answer.seconds if answer else ANSWER_SECONDS)
                fewer += len(_rows(answer)) < rows[word]
                time.sleep(GAP_SECONDS)
                if len(seconds) % 10 == 0:
                    most = max(most, client.memory_bytes())
                if not client.is_busy:
                    break
    yield from _figures(subject, "indexing", seconds, None, value_target("<=", 10))
    name = subject.name
    yield Figure(
        "editor",
        f"{name}: indexing, answers with fewer rows",
        fewer,
        f"of {len(seconds)}",
        target=value_target("=", 0),
    )
    yield Figure("editor", f"{name}: indexing, memory of server and workers", most / 1e6, "MB")
    yield Figure("editor", f"{name}: memory of the server before", alone / 1e6, "MB")


def _rows(answer: Answer | None) -> list[object]:
    return [(row.name, row.location.uri) for row in rows_of(answer)] if answer is not None else []


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.editor", description=__doc__)
    parser.add_argument(
        "trees", nargs="+", metavar="TREE", help=f"a folder, or one of {', '.join(SHAPES)}"
    )
    parser.add_argument("--index-dir", type=Path, help="where the index of a folder is, or is made")
    parser.add_argument(
        "--index",
        action="store_true",
        help="also while the tree is read again; not for synthetic trees",
    )
    parser.add_argument(
        "--only", nargs="+", choices=PARTS, default=PARTS, help="only these figures"
    )
    parser.add_argument(
        "--corpora",
        type=Path,
        default=default_folder(),
        metavar="DIR",
        help="where corpora are kept",
    )
    args = parser.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # users of a command have compiled modules
    bench = Bench(args.corpora.absolute())
    for tree in args.trees:
        if tree in SHAPES:
            subject = _synthetic(bench, tree)
        else:
            root = Path(tree).absolute()
            index_dir = args.index_dir or bench.scratch / "editor-index" / root.name
            subprocess.run(
                [
                    sys.executable,
                    "-m",
                    "symindex",
                    "index",
                    "--root",
                    str(root),
                    "--index-dir",
                    str(index_dir),
                ],
                check=True,
            )
            subject = Subject(bench, root.name, root, index_dir)
        print(render_figures(measure_tree(subject, args.only, args.index and tree not in SHAPES)))


if __name__ == "__main__":
    try:
        main()
    except BenchError as error:
        say(str(error))
        sys.exit(2)
