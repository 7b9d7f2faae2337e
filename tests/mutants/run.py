"""Tries the drawn mutants in several copies at a time, as long as there is time."""

import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

from tests.mutants.draw import Mutant
from tests.mutants.reach import Record
from tests.mutants.results import Results
from tests.mutants.trial import Bench, Result


def try_all(
    mutants: Sequence[Mutant],
    record: Record,
    results: Results,
    *,
    jobs: int,
    limit: float,
    seconds: float,
    changes: bool,
    tell: Callable[[Result], None],
) -> None:
    """Tries mutants and adds each result. seconds: after so many, no other mutant begins.
    changes: false runs the tests without the mutants."""
    last = time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(jobs) as threads:
        benches: SimpleQueue[Bench] = SimpleQueue()
        for number in range(min(jobs, len(mutants))):
            place = Path(folder, str(number))
            benches.put(Bench(record.project, place, limit, record.folder / "pytest", changes))

        def try_one(mutant: Mutant) -> None:
            bench = benches.get()
            try:
                if time.monotonic() < last:
                    result = bench.try_mutant(mutant, record)
                    results.add(result)
                    tell(result)
            finally:
                benches.put(bench)

        for _ in threads.map(try_one, mutants):
            pass
