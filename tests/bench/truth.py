"""References and subtypes compared with what a language server said once, on trees of your own.

A command: `python -m tests.bench.truth --collect Python --into python.json FOLDER...` asks the
server and writes a file; `python -m tests.bench.truth python.json...` compares without a server.
"""

import argparse
import sys
from pathlib import Path

import msgspec

from tests.bench.places import Bench, BenchError, default_folder, say
from tests.bench.truth_compilers import COMPILED, compiled
from tests.bench.truth_data import Truth, read_truth
from tests.bench.truth_definitions import definition_lines
from tests.bench.truth_servers import SERVER_OF, collect
from tests.bench.truth_table import COLUMNS, Comparison, compare, fault_lines, table


def _options(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.truth", description=__doc__)
    parser.add_argument("paths", type=Path, nargs="+", help="files to compare with, or folders")
    parser.add_argument("--collect", choices=SERVER_OF, help="ask the server of this language")
    parser.add_argument("--into", type=Path, help="the file that --collect writes")
    parser.add_argument(
        "--symbols", type=int, default=150, metavar="N", help="of all trees; default 150"
    )
    parser.add_argument(
        "--wrong",
        type=int,
        default=0,
        metavar="N",
        help="print N rows of each kind that is wrong, missed or marked; only of the seen half",
    )
    parser.add_argument(
        "--definitions",
        action="store_true",
        help="ask for the definition of each use instead of for the references of each symbol",
    )
    options = parser.parse_args(words)
    if options.collect and options.into is None:
        parser.error("--collect: needs --into")
    return options


def main(words: list[str] | None = None) -> int:
    options = _options(words)
    if options.collect:
        return _collect(options)
    if options.definitions:
        print("\n".join(definition_lines(options.paths, options.wrong)))
        return 0
    lines = [f"| {' | '.join(COLUMNS)} |", f"|---|---|---|---|{'--:|' * (len(COLUMNS) - 4)}"]
    for path in options.paths:
        truth = read_truth(path)
        comparison = Comparison()
        compare(truth, comparison)
        if options.wrong:
            print("\n".join(fault_lines(comparison.faults, options.wrong)))
        say(f"truth: {truth.language}: compared")
        lines += table(truth.language, comparison.tallies)
    print("\n".join(lines))
    return 0


def _collect(options: argparse.Namespace) -> int:
    bench, language = Bench(default_folder()), options.collect
    truth = Truth(language, SERVER_OF[language].command, [])
    n_symbols = -(-options.symbols // len(options.paths))
    try:
        for root in options.paths:
            if language in COMPILED:
                truth.trees.append(compiled(language, root.resolve(), n_symbols))
            else:
                truth.trees.append(collect(bench, language, root.resolve(), n_symbols))
    except BenchError as error:
        say(str(error))
        return 2
    options.into.write_bytes(msgspec.json.encode(truth))
    return 0


if __name__ == "__main__":
    sys.exit(main())
