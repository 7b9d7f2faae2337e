"""Writes the sources of added content as a Markdown table."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Protocol

from symindex.render.markdown import code_span


class AddedSource(Protocol):
    """A source, as `recall/content/content_store` defines it."""

    @property
    def label(self) -> str: ...
    @property
    def origin(self) -> str: ...
    @property
    def digest(self) -> str: ...
    @property
    def size(self) -> int: ...
    @property
    def added_ms(self) -> int: ...
    @property
    def n_chunks(self) -> int: ...


def render_sources(sources: Sequence[AddedSource]) -> str:
    """Writes a row for each source; without sources, a line that says how to add one."""
    if not sources:
        return "Nothing was added yet: `symindex add FILE --source LABEL` adds a file.\n"
    lines = ["| Source | From | Chunks | Bytes | Added | Digest |", "|---|---|---|---|---|---|"]
    for source in sources:
        added = datetime.fromtimestamp(source.added_ms / 1_000, UTC).isoformat(
            sep=" ", timespec="seconds"
        )[:-6]
        cells = (
            code_span(source.label, True),
            code_span(source.origin, True),
            f"{source.n_chunks:,}",
            f"{source.size:,}",
        )
        lines.append(f"| {' | '.join(cells)} | {added} | {source.digest[:12]} |")
    empty = [
        f"> {code_span(source.label)}: no text was found in it"
        for source in sources
        if not source.n_chunks
    ]
    return "\n".join([*lines, *([""] if empty else []), *empty]) + "\n"
