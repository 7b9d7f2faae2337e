"""`python -m tests.bench`: makes the corpora, runs the selected parts, prints the table, and keeps
the results.

`python -m tests.bench semble` asks questions about trees that you provide: see `semble`.
"""

import argparse
import os
import sys
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import msgspec

from tests.bench.corpora import make_corpus, read_corpus, render_corpus
from tests.bench.figures import Figure, render_figures, results_line
from tests.bench.machine import describe_machine, describe_version, load, warn_if_busy
from tests.bench.peers import peer_versions
from tests.bench.places import HERE, Bench, BenchError, default_folder, say
from tests.bench.semble import main as ask_semble

PARTS: Final = (
    "cold",
    "warm",
    "live",
    "tiny",
    "search",
    "scout",
    "size",
    "trees",
    "editor",
    "lsp",
    "agents",
    "questions",
)
"""The parts, in the order in which they run. Each is a module with `measure(bench)`."""


def main() -> int:
    if sys.argv[1:2] == ["semble"]:
        return ask_semble(sys.argv[2:])
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    legal = ("corpora", *PARTS)
    parser.add_argument(
        "parts", nargs="*", metavar="PART", help=f"any of {', '.join(legal)}; default: all"
    )
    parser.add_argument(
        "--corpora",
        type=Path,
        default=default_folder(),
        metavar="DIR",
        help="where corpora are kept",
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help="small corpora, to try the suite itself; nothing is kept",
    )
    parser.add_argument(
        "--rounds", type=int, default=3, metavar="N", help="how often each thing is timed"
    )
    parser.add_argument(
        "--results",
        type=Path,
        default=HERE / "results.jsonl",
        metavar="FILE",
        help="where results are kept",
    )
    args = parser.parse_args()
    # Users of a command have compiled modules.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    for part in args.parts:
        if part not in legal:
            parser.error(f"no part {part!r}: expected one of {', '.join(legal)}")
    if args.rounds < 1:
        parser.error("--rounds must be 1 or more")
    bench = Bench(args.corpora.absolute(), args.quick, args.rounds)
    errors = make_corpus(bench)
    for error in errors:
        say(error)
    parts = [part for part in PARTS if part in args.parts] if args.parts else list(PARTS)
    if not parts:
        print(render_corpus(read_corpus(bench), bench.code))
        return 2 if errors else 0
    return _run_parts(bench, parts, args.results)


def _run_parts(bench: Bench, parts: list[str], results: Path) -> int:
    about: dict[str, Any] = {
        "date": datetime.now(UTC).strftime("%Y-%m-%dT%H:%MZ"),
        **describe_version(),
        "machine": describe_machine(),
        "peers": peer_versions(bench),
        "corpus": msgspec.to_builtins(read_corpus(bench)),
    }
    warn_if_busy()
    figures: list[Figure] = []
    for part in parts:
        try:
            figures.extend(import_module(f"tests.bench.{part}").measure(bench))
        except BenchError as error:
            bench.fail(f"{part}: {error}")
    print(render_figures(figures))
    warn_if_busy()
    about["load_after"] = load()
    if figures and not bench.quick:
        with open(results, "ab") as file:
            file.write(results_line(figures, **about))
    return 2 if bench.failures else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BenchError as error:
        say(str(error))
        sys.exit(2)
