"""Lsp: language servers as an editor sees them: the first right answers, the complete ones, typing,
a burst, memory.

Also a command, which prints all observations of one server on one tree: python -m tests.bench.lsp
SERVER TREE [--quick]
"""

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Final

import msgspec

from tests.bench.corpora import read_corpus
from tests.bench.figures import (
    Figure,
    Target,
    percentile,
    ratio_target,
    render_figures,
    value_target,
)
from tests.bench.lsp_client import Client
from tests.bench.lsp_servers import OURS, SERVER_TABLE, Server, environment_of, make_home
from tests.bench.lsp_session import (
    ANSWER_SECONDS,
    FEW_ROWS,
    N_BURST,
    N_TYPED,
    Observed,
    Script,
    Start,
)
from tests.bench.lsp_trees import N_NAMES, TREES, Tree, make_tree
from tests.bench.places import Bench, BenchError, default_folder, say

HANDSHAKE: Final = "handshake"
FIRST: Final = "first answer, cold"
COMPLETE: Final = "complete, cold"
QUERY_P50: Final = "query, p50"
QUERY_P95: Final = "query, p95"
FEW_P95: Final = f"query of up to {FEW_ROWS} rows, p95"
MEMORY: Final = "memory"
ANSWERED: Final = "burst: answered"

TARGETS: Final[Mapping[str, Target]] = {
    HANDSHAKE: value_target("<", 1),
    "right names, cold": value_target("=", N_NAMES),
    "right names, warm": value_target("=", N_NAMES),
    QUERY_P95: value_target("<", 10),
    FEW_P95: value_target("<", 3),
    ANSWERED: value_target("=", N_BURST),
}
"""Targets for our own figures."""

MATCHED_PEER: Final = "basedpyright"
"""The peer that matches names as freely as we do; clangd matches fewer names, and jedi reads files
for every query."""

COMPARISONS: Final[Sequence[tuple[str, str, Target | None, bool]]] = (
    (FIRST, COMPLETE, ratio_target("<=", 0.2), True),
    (COMPLETE, COMPLETE, ratio_target("<=", 0.2), True),
    (FIRST, FIRST, ratio_target("<", 1), False),
    ("first answer, warm", "complete, warm", None, True),
    ("complete, warm", "complete, warm", None, True),
    (QUERY_P50, QUERY_P50, ratio_target("<=", 0.02), False),
    (QUERY_P95, QUERY_P95, ratio_target("<=", 0.02), False),
    (MEMORY, MEMORY, None, True),
)
"""Our figure, the peer's, the target of the ratio, and whether it applies to every peer or only to
the matched one."""


def measure(bench: Bench) -> list[Figure]:
    """Returns the figures of this part."""
    read_corpus(bench)
    figures: list[Figure] = []
    for name in TREES:
        tree = make_tree(bench, name)
        seen: dict[str, Observed] = {}
        for server in SERVER_TABLE:
            if name in server.trees:
                try:
                    seen[server.name] = observe(bench, server, tree)
                except BenchError as error:
                    bench.fail(f"lsp: {name}: {server.name}: {error}")
        figures.extend(tree_figures(name, seen))
    return figures


def observe(bench: Bench, server: Server, tree: Tree) -> Observed:
    """Observes one server on one tree. Raises BenchError."""
    say(f"lsp: {tree.name}: {server.name}")
    home = bench.scratch / "lsp-home"
    command = server.start_command(bench, home)
    samples = tree.samples(server.knows(tree), N_NAMES)

    def connect(is_cold: bool) -> Client:
        if is_cold:
            make_home(home, tree)
        return Client(command, home, environment_of(home))

    _settle(connect(True), home)
    opened = tree.opened_file(server.knows(tree))
    return Script(connect, tree.root, samples, tree.words(), opened, bench.rounds).observe()


def _settle(client: Client, home: Path) -> None:
    """Starts a server once without timing, because users of a server have its program in the
    system's cache, and its modules compiled."""
    root = home / "nothing"
    root.mkdir()
    with client:
        client.initialize(root, ANSWER_SECONDS)


def tree_figures(tree: str, seen: Mapping[str, Observed]) -> list[Figure]:
    """Returns the figures of one tree: ours, ours compared with the others', then the others'
    alone."""
    values = {name: values_of(observed) for name, observed in seen.items()}
    ours = values.pop(OURS, {})
    figures = [
        Figure("lsp", f"{tree}: {what}", *ours[what], target=TARGETS.get(what)) for what in ours
    ]
    for peer, theirs in values.items():
        for our_name, their_name, target, is_for_all in COMPARISONS:
            if our_name in ours and their_name in theirs:
                value, unit = ours[our_name]
                held = target if is_for_all or peer == MATCHED_PEER else None
                against = f"{peer}, {their_name}"
                ratio = value / theirs[their_name][0]
                figures.append(
                    Figure("lsp", f"{tree}: {our_name}", value, unit, ratio, against, held)
                )
    return figures + [
        Figure("lsp", f"{tree}, {peer}: {what}", *value)
        for peer, theirs in values.items()
        for what, value in theirs.items()
    ]


def values_of(seen: Observed) -> dict[str, tuple[float, str]]:
    """Returns every figure of one server on one tree, with its unit, except figures that were never
    observed."""
    values: dict[str, tuple[float | None, str]] = {
        HANDSHAKE: (min(start.initialize for start in seen.cold), "s")
    }
    for label, starts in (("cold", seen.cold), ("warm", seen.warm)):
        for what, name in (
            ("first answer", "first"),
            ("complete", "complete"),
            ("all names", "all"),
        ):
            values[f"{what}, {label}"] = (_middle(starts, name), "s")
        n_right = min(start.asked - len(start.missed) for start in starts)
        values[f"right names, {label}"] = (n_right, f"of {starts[0].asked}")
    if any(start.titles for start in seen.cold):
        values["progress ended, cold"] = (seen.idle_seconds, "s")
    ms = [seconds * 1000 for seconds, _ in seen.typed]
    few_ms = [seconds * 1000 for seconds, n_rows in seen.typed if n_rows <= FEW_ROWS]
    n_rows = [float(n_rows) for _, n_rows in seen.typed]
    values[QUERY_P50] = (percentile(ms, 0.5), "ms")
    values[QUERY_P95] = (percentile(ms, 0.95), "ms")
    values[FEW_P95] = (percentile(few_ms, 0.95) if few_ms else None, "ms")
    values["query, processor time, mean"] = (seen.typed_processor_seconds * 1000 / len(ms), "ms")
    values["queries"] = (len(ms), f"of {N_TYPED}")
    values["rows of a query, median"] = (median(n_rows), "")
    values["rows of a query, most"] = (max(n_rows), "")
    values[MEMORY] = (seen.memory_bytes / 1e6, "MB")
    if seen.burst is not None:
        last = seen.burst.last_seconds
        values["burst: last answer"] = (None if last is None else last * 1000, "ms")
        values[ANSWERED] = (seen.burst.answered, f"of {N_BURST}")
        values["burst: ended early"] = (seen.burst.refused, f"of {N_BURST}")
    return {name: (value, unit) for name, (value, unit) in values.items() if value is not None}


def _middle(starts: Sequence[Start], name: str) -> float | None:
    """Returns the median of the rounds: each begins with another name, so the best round would only
    be the luckiest."""
    seconds = [getattr(start, name) for start in starts]
    return None if None in seconds else median(seconds)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.lsp", description=__doc__)
    parser.add_argument("server", choices=[server.name for server in SERVER_TABLE])
    parser.add_argument("tree", choices=list(TREES))
    parser.add_argument("--quick", action="store_true", help="small corpora")
    parser.add_argument(
        "--rounds", type=int, default=1, metavar="N", help="how often it is started"
    )
    args = parser.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    bench = Bench(default_folder(), args.quick, args.rounds)
    server = next(server for server in SERVER_TABLE if server.name == args.server)
    seen = observe(bench, server, make_tree(bench, args.tree))
    print(msgspec.json.encode(seen).decode())
    print(render_figures(tree_figures(args.tree, {server.name: seen})))


if __name__ == "__main__":
    try:
        main()
    except BenchError as error:
        say(str(error))
        sys.exit(2)
