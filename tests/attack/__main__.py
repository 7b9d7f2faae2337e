"""`python -m tests.attack [CAMPAIGN ...]`: runs campaigns of attacks and reports what was contained
and what was not.

Exits with 1 if there was a fault. Each fault names the seed and count that repeat it.
"""

import argparse
import importlib
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Final

from tests.attack.figures import KEEP_VARIABLE, Figures

COUNTS: Final = {
    "mutants": 300,
    "bombs": 10,
    "kills": 8,
    "secrets": 2_000,
    "restores": 40,
    "trees": 24,
    "doors": 80,
    "clients": 500,
    "sockets": 150,
    "environments": 200,
    "index_flips": 100,
    "swaps": 20,
    "vanished": 60,
    "copies": 200,
    "signed": 5_000,
    "manifests": 12,
    "archives": 20,
    "texts": 100,
    "added": 120,
    "questions": 600,
    "pages": 400,
    "stores": 400,
    "grammars": 6_000,
    "registries": 400,
    "repeated": 100,
    "substitutions": 2_000,
    "revisions": 60,
}
"""The campaigns, each a module here with a `run`, and a number of attacks that takes some minutes
in all."""


def campaigns() -> dict[str, ModuleType]:
    """Returns the modules of the campaigns, in order."""
    return {name: importlib.import_module(f"tests.attack.{name}") for name in COUNTS}


def run_one(name: str, seed: int, count: int, say: Callable[[str], object]) -> Figures:
    """Runs one campaign. An exception counts as a fault, so that the other campaigns still run."""
    try:
        figures: Figures = campaigns()[name].run(seed, count, say)
    except Exception as error:
        return Figures(
            count, Counter(), [f"the campaign has ended: {type(error).__name__}: {error}"]
        )
    return figures


def _heed_signals() -> None:
    """Restores signals: a shell starts background jobs with signals ignored, and every attacked
    process would inherit that."""
    for number in (signal.SIGINT, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


def _rounds(names: list[str], seed: int, seconds: float) -> Iterator[tuple[str, int]]:
    """Yields campaigns and seeds: each campaign once, or in turn until the time is over."""
    end = time.monotonic() + seconds
    while True:
        for name in names:
            yield name, seed
            if seconds and time.monotonic() > end:
                return
        if not seconds:
            return
        seed += 1


def _table(all_figures: dict[str, Figures]) -> str:
    """Returns a table with a line for each campaign."""
    lines = [f"{'campaign':12} {'attacks':>9} {'faults':>7}  contained"]
    for name, figures in all_figures.items():
        contained = ", ".join(
            f"{count:,} {reason}" for reason, count in figures.contained.most_common()
        )
        lines.append(f"{name:12} {figures.attacks:9,} {len(figures.faults):7,}  {contained or '-'}")
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """Runs the command."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.attack", description="Runs campaigns of attacks on symindex."
    )
    parser.add_argument(
        "campaigns", nargs="*", metavar="CAMPAIGN", help=f"default: all of {', '.join(campaigns())}"
    )
    parser.add_argument("--seed", type=int, default=0, help="of all that is random; default: 0")
    parser.add_argument(
        "--count", type=int, help="attacks of each campaign; default: some minutes' work in all"
    )
    parser.add_argument(
        "--seconds", type=float, default=0.0, help="go on for so long, each time with the next seed"
    )
    parser.add_argument(
        "--keep",
        metavar="FOLDER",
        help="keep the sources that have ended a worker, and those of faults",
    )
    parser.add_argument("--list", action="store_true", help="name the campaigns, and what they are")
    given = parser.parse_args(arguments)
    modules = campaigns()
    if given.list:
        for name, module in modules.items():
            print(f"{name:12} {(module.__doc__ or '').splitlines()[0]}")
        return 0
    unknown = [name for name in given.campaigns if name not in modules]
    if unknown:
        parser.error(f"no campaign {', '.join(unknown)}: there are {', '.join(modules)}")
    if given.keep:
        os.environ[KEEP_VARIABLE] = os.path.abspath(given.keep)
    _heed_signals()
    total: dict[str, Figures] = {}
    for name, seed in _rounds(given.campaigns or [*modules], given.seed, given.seconds):
        count, begun = given.count or COUNTS[name], time.monotonic()
        figures = run_one(name, seed, count, lambda line: print(f"  {line}", flush=True))
        took = time.monotonic() - begun
        print(
            f"{name}: seed {seed}, {figures.attacks:,} attacks, {len(figures.faults)} faults, {took:.0f} s",
            flush=True,
        )
        for fault in figures.faults:
            print(
                f"FAULT: {fault}\n  again: python -m tests.attack {name} --seed {seed} --count {count}",
                flush=True,
            )
        before = total.get(name, Figures(0, Counter(), []))
        total[name] = Figures(
            before.attacks + figures.attacks,
            before.contained + figures.contained,
            before.faults + figures.faults,
        )
    print(_table(total))
    return 1 if any(figures.faults for figures in total.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
