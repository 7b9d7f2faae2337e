"""What becomes of a fleet when something fails: a table of failures, and whether nothing wrong was
served, what was missing was said, and the next run healed it.

    python -m tests.bench.fleet_failures [--quick] [--seed N] [WORD]...

A WORD runs only the failures whose names contain it. Exits with 1 if a row is not as it should be.
A failure that this machine cannot cause has a row that says why.
"""

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path

from tests.bench.fleet_damage import damage_failures, disk_failures
from tests.bench.fleet_failing import CannotTryError, Failing, Row, process_failures
from tests.bench.fleet_servers import server_failures, source_failures


def main() -> int:
    """Runs the failures and prints the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("words", nargs="*", metavar="WORD")
    parser.add_argument("--quick", action="store_true", help="a tenth of the repetitions")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    failures = [
        *process_failures(),
        *damage_failures(),
        *disk_failures(),
        *source_failures(),
        *server_failures(),
    ]
    wanted = [
        one for one in failures if not given.words or any(word in one.name for word in given.words)
    ]
    print(
        f"{'failure':<44} {'times':>5}  {'served':<8} {'said':<8} {'healed':<8} seconds", flush=True
    )
    rows = [_run(failure, given.seed, is_quick=given.quick) for failure in wanted]
    bad = sum(bool(row.faults) for row in rows)
    print(f"{len(rows)} failures, {bad} not as they should be, seed {given.seed}")
    return 1 if bad else 0


def _run(failure: Failing, seed: int, *, is_quick: bool) -> Row:
    began = time.monotonic()
    row = Row(failure.name)
    with tempfile.TemporaryDirectory(prefix="symindex-fleet-") as top:
        try:
            failure.run(row, Path(top), random.Random(seed), failure.times[is_quick])
        except AssertionError as error:
            row.served = False
            row.faults.append(str(error) or "the program is wrong")
        except CannotTryError as error:
            print(f"{row.name:<44} not tried: {error}", flush=True)
            return row
    marks = ["good" if is_good else "BAD" for is_good in (row.served, row.said, row.healed)]
    print(
        f"{row.name:<44} {row.times:>5}  {marks[0]:<8} {marks[1]:<8} {marks[2]:<8}"
        f" {time.monotonic() - began:.0f}",
        flush=True,
    )
    for fault in row.faults[:5]:
        print(f"    {fault}", flush=True)
    return row


if __name__ == "__main__":
    sys.exit(main())
