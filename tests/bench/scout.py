"""Scout: the first right answer for an exact name without an index, compared with a whole run of
ctags."""

import json
import tempfile
import time
from typing import Final

from tests.bench.cold import CTAGS_JSON, ctags_command, symindex_command
from tests.bench.corpora import read_corpus
from tests.bench.figures import Figure, ratio_target, value_target
from tests.bench.places import Bench, BenchError, say
from tests.bench.process import end_commands, run_command

PLACES: Final = {
    "ManyToManyField": "django/django/db/models/fields/related.py",
    "WebGLRenderer": "three/package/src/renderers/WebGLRenderer.js",
    "clusterSendPing": "redis/redis-7.0.15/src/cluster.c",
}
"""Names of the corpus, also in the small one, and the file that defines each."""

ENOUGH_SECONDS: Final = 60.0
"""Total time after which no further name is searched, in seconds."""


def measure(bench: Bench) -> list[Figure]:
    """Returns the figures of this part."""
    read_corpus(bench)
    ctags = run_command(
        ctags_command(bench.code, "--output-format=json", "--fields=*"),
        output=bench.scratch / "output",
    )
    say(f"scout: ctags {ctags.wall_seconds:.1f} s")
    started = time.perf_counter()
    seconds, right = [], 0
    for name, path in PLACES.items():
        if time.perf_counter() - started < ENOUGH_SECONDS:
            seconds.append(_first_answer(bench, name))
            right += _is_right(bench, name, path)
            say(f"scout: {name} {seconds[-1]:.1f} s")
    worst = max(seconds)
    return [
        Figure(
            "scout",
            "first answer",
            worst,
            "s",
            worst / ctags.wall_seconds,
            CTAGS_JSON,
            value_target("<", 1.5),
        ),
        Figure(
            "scout",
            "first answer",
            worst,
            "s",
            worst / ctags.wall_seconds,
            CTAGS_JSON,
            ratio_target("<=", 0.25),
        ),
        Figure(
            "scout",
            "right places",
            right,
            f"of {len(seconds)}",
            right / len(seconds),
            "the source",
            ratio_target(">=", 1),
        ),
    ]


def _first_answer(bench: Bench, name: str) -> float:
    with tempfile.TemporaryDirectory(dir=bench.scratch, ignore_cleanup_errors=True) as index_dir:
        command = symindex_command(
            "search", bench.code, bench.scratch / index_dir, "--max-items", "1", "--format", "json"
        )
        try:
            return run_command([*command, name], output=bench.scratch / "answer").wall_seconds
        finally:
            # The background build of the index would slow the next search down.
            end_commands(index_dir)


def _is_right(bench: Bench, name: str, path: str) -> bool:
    """Whether the answer names the file, and its line contains the name."""
    items = json.loads((bench.scratch / "answer").read_bytes())["items"]
    try:
        lines = (bench.code / path).read_text().splitlines()
    except OSError:
        raise BenchError(f"scout: the corpus holds no {path}") from None
    is_right = bool(items) and items[0]["file_path"] == path and name in lines[items[0]["line"] - 1]
    if not is_right:
        say(f"scout: {name}: the answer was {items}")
    return is_right
