"""Fixtures of code repeated 1,000 times as one file, read within limits of time and memory.

This reveals grammars, and substitutions before them, whose time grows with the square of a file's
length.
"""

import random
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from symindex.extract.records import FileSymbols, ReadTask
from symindex.settings import Settings
from symindex.workers.parsing import read_files
from tests.attack.figures import Figures, keep
from tests.attack.sources import Source, documents, sources
from tests.support import marks

TIMES: Final = 1_000
MOST_BYTES: Final = 16_000_000
"""Size limit, in bytes: as large as the longest fixture becomes, and far more than the default."""

_TOGETHER: Final = 30
"""Number of fixtures in one tree."""


def run(seed: int, count: int, say: Callable[[str], object]) -> Figures:
    """Runs the campaign. count: number of fixtures."""
    contained: Counter[str] = Counter()
    faults: list[str] = []
    candidates = [source for source in sources() if source not in documents()]
    chosen = random.Random(seed).sample(candidates, min(count, len(candidates)))
    for first in range(0, len(chosen), _TOGETHER):
        for source, once, many in _read(chosen[first : first + _TOGETHER]):
            description = f"{source.language}: {source.ending or source.place} of {once.size:,} bytes, {TIMES:,} times"
            if many.skip != once.skip:
                keep(f"repeated_{source.language}{source.ending}", source.data)
                contained[many.skip] += 1
                say(f"{description}: {many.skip}")
            # Half is enough, because a grammar may accept a header only once.
            elif len(many.symbols.names) < len(once.symbols.names) // 2:
                faults.append(
                    f"{description}: {len(many.symbols.names):,} symbols, and {len(once.symbols.names):,} in one"
                )
    return Figures(len(chosen), contained, faults)


def _read(some: Sequence[Source]) -> list[tuple[Source, FileSymbols, FileSymbols]]:
    """Returns the sources, with the symbols of each alone and repeated."""
    with tempfile.TemporaryDirectory(prefix="symindex-repeated") as folder:
        tasks = []
        for number, source in enumerate(some):
            code = marks.read_marks(source.data.decode("utf-8", "replace"))[0].encode() + b"\n"
            for stem, data in (f"once{number}", code), (f"many{number}", code * TIMES):
                path = Path(folder, source.path(stem))
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
                tasks.append((ReadTask(path.relative_to(folder).as_posix()), len(data)))
        results = read_files(
            Path(folder), tasks, max_file_bytes=MOST_BYTES, file_seconds=Settings().file_seconds
        )
    return list(zip(some, results[::2], results[1::2], strict=True))
