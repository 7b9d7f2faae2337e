"""Size: bytes per symbol of the corpus's index, compared with the source, and by column."""

import json
from collections.abc import Mapping
from typing import Any

from tests.bench.adapter import DETAIL_COLUMNS
from tests.bench.cold import symindex_command
from tests.bench.corpora import read_corpus
from tests.bench.figures import Figure, ratio_target, value_target
from tests.bench.places import Bench, say
from tests.bench.process import run_command


def measure(bench: Bench) -> list[Figure]:
    """Returns the figures of this part."""
    read_corpus(bench)
    index_dir, answer = bench.scratch / "cold", bench.scratch / "status.json"
    say("size: bringing the corpus's index up to date")
    run_command(symindex_command("status", bench.code, index_dir, "--json"), output=answer)
    return size_figures(json.loads(answer.read_bytes()))


def size_figures(status: Mapping[str, Any]) -> list[Figure]:
    """Returns the figures of a status report, without columns of less than one byte per symbol."""
    symbols, index_bytes = status["symbols"], status["index_bytes"]
    source_bytes = sum(row["bytes"] for row in status["languages"])
    columns: dict[str, int] = status["columns"]
    # The bytes per symbol do not include text that is also in the source.
    texts = sum(columns[name] for name in DETAIL_COLUMNS)
    bare = index_bytes - texts
    source = "the source"
    return [
        Figure(
            "size",
            "bytes a symbol",
            bare / symbols,
            "bytes",
            bare / source_bytes,
            source,
            value_target("<=", 60),
        ),
        Figure(
            "size",
            "index",
            index_bytes / 1e6,
            "MB",
            index_bytes / source_bytes,
            source,
            ratio_target("<=", 0.12),
        ),
        Figure("size", "docs and signatures", texts / 1e6, "MB", texts / source_bytes, source),
        Figure("size", "symbols", symbols, ""),
        *(
            Figure("size", f"column {name}", n / symbols, "bytes", n / source_bytes, source)
            for name, n in sorted(columns.items(), key=lambda row: -row[1])
            if n >= symbols
        ),
    ]
