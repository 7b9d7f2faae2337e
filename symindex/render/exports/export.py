"""The symbols of a tree in formats of other programs, piece by piece: no format is ever in memory
as a whole."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from symindex.explore.listing import ListedFile
from symindex.extract.languages.registry import Languages
from symindex.render.exports import ctags, scip
from symindex.render.exports.external_sort import sort_lines
from symindex.render.tags import tags_of
from symindex.text.escaping import escape_json


def render_export(
    files: Iterable[ListedFile],
    form: str,
    languages: Languages,
    root: Path,
    folder: Path | None = None,
) -> Iterator[bytes]:
    """The pieces of a file in one form, `ctags`, `jsonl` or `scip`; together they are valid however
    few the symbols are.

    files: of a tree, in order. root: of the tree; paths are relative to it. folder: where a tags
    file will be, if that is another one: its readers take paths as relative to that.
    """
    if form == "scip":
        yield scip.metadata(root.as_uri())
        yield from (scip.document(file, languages) for file in files)
    elif form == "jsonl":
        encoder = msgspec.json.Encoder()
        yield from (
            escape_json(encoder.encode_lines([tag for tag, _ in tags_of(file, languages)]))
            for file in files
        )
    else:
        prefix = _way(root, folder) if folder is not None else ""
        yield from ctags.header(str(folder or root))
        yield from sort_lines(
            ctags.tag_line(tag, after, prefix)
            for file in files
            for tag, after in tags_of(file, languages)
        )


def _way(root: Path, folder: Path) -> str:
    """The way from a folder to a root, with a slash at its end; empty where they are the same."""
    try:
        way = os.path.relpath(root, folder)
    except ValueError:  # on another drive
        way = str(root)
    return "" if way == "." else Path(way).as_posix().rstrip("/") + "/"
