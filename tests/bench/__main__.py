"""`python -m tests.bench`: makes the corpora, runs the parts that were asked for, prints the table, keeps the results."""

import argparse
import sys
from pathlib import Path

from tests.bench.corpora import make_corpus, read_corpus, render_corpus
from tests.bench.places import Bench, BenchError, default_folder, say


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help="corpora")
    parser.add_argument("--corpora", type=Path, default=default_folder(), metavar="DIR", help="where corpora are kept")
    parser.add_argument("--quick", action="store_true", help="small corpora, to try the suite itself")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="how often each thing is timed; the best counts")
    args = parser.parse_args()
    bench = Bench(args.corpora.absolute(), args.quick, args.rounds)
    errors = make_corpus(bench)
    for error in errors:
        say(error)
    print(render_corpus(read_corpus(bench), bench.code))
    return 2 if errors else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BenchError as error:
        say(str(error))
        sys.exit(2)
