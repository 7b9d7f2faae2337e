"""`symindex export`. Notices go to standard error, separate from the output."""

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

import click
import msgspec

from symindex.errors import RequestError
from symindex.protocol.search import SearchRequest
from symindex.serve.cli.common_options import (
    TreeOptions,
    choice_option,
    kind_option,
    print_text,
    refresh,
    tell,
    with_filters,
    with_tree,
)
from symindex.serve.cli.output import OutputFile, find_output, own_stream, writing
from symindex.text.counts import count_of
from symindex.text.escaping import show_controls, show_text

if TYPE_CHECKING:
    from symindex.workspace.workspace import ListedFile, Workspace


_FORMATS: Final = (
    "ctags: a tags file for Vim; jsonl: universal-ctags' JSON, one object per line; scip: a SCIP "
    "index. Default: ctags."
)


@click.command()
@with_tree
@choice_option("-f", "ctags jsonl scip", _FORMATS, "--format", "form", default="ctags")
@click.option(
    "-o",
    "--output",
    type=click.Path(readable=False),
    default="-",
    metavar="FILE",
    help="Output file; replaced only if the export succeeds. Default: standard output.",
)
@click.option(
    "--follow-links",
    is_flag=True,
    help=(
        "Write FILE even if it is a symbolic link, or if its path leads through a link inside "
        "the source tree."
    ),
)
@kind_option("Only symbols of this kind. Repeatable.")
@with_filters
def export(tree: TreeOptions, form: str, output: str, follow_links: bool, **fields: Any) -> int:
    """Write all symbols in a format that other programs read. Builds or refreshes the index first.

    \b
    symindex export -o tags              then use :tag NAME in Vim
    symindex export --format jsonl       like ctags --output-format=json
    symindex export --format scip -o F   a SCIP index

    Paths in a tags file are relative to the folder of the tags file, or to the current folder if
    the tags are written to standard output. In the other formats, paths are relative to the root.

    Exits with 0 if something was exported, 1 if nothing was, 2 on errors.
    """
    number = own_stream(output)
    if number is not None and form == "scip" and os.isatty(number):
        raise RequestError(_NO_TEXT)
    with tree.opened() as (workspace, folder):
        fields["paths"] = folder.globs(fields["paths"])
        target = find_output(output, workspace.root, follow_links) if number is None else number
        refresh(workspace)
        tell(*workspace.source.take_notices())
        return _export(
            workspace, form, target, SearchRequest(query="", **fields), Path(folder.here)
        )


_NO_TEXT: Final = "a SCIP index is binary: name a file with -o"


def _export(
    workspace: "Workspace",
    form: str,
    target: OutputFile | int,
    request: SearchRequest,
    here: Path,
) -> int:
    """Writes an export and returns the exit code.

    target: a file, or the number of a stream. here: the current folder.
    """
    from symindex.render.exports.export import (
        render_export,
    )  # deferred, because it loads the reader of the index

    counted = _Counted()
    files = counted.through(workspace.source.indexed.export(request))
    tell(*workspace.source.take_notices())
    folder = target.path.parent if isinstance(target, OutputFile) else here
    pieces = render_export(files, form, workspace.source.languages, workspace.root, folder)
    if isinstance(target, OutputFile):
        with writing(target) as stream:
            _write(stream, form, pieces)
        if target.path.is_file():  # a device may be our own terminal
            size = target.path.stat().st_size
            counts = f"{count_of(counted.symbols, 'symbol')} of {count_of(counted.files, 'file')}"
            print_text(f"{show_controls(target.named)}: {counts}, {size:,} bytes\n")
    else:
        with (
            open(target, "wb", closefd=False)
            if target != 1
            else nullcontext(sys.stdout.buffer) as stream
        ):
            _write(stream, form, pieces)
    if counted.changed:
        have = "have" if counted.changed > 1 else "has"
        tell(
            f"{count_of(counted.changed, 'file')} {have} changed during the export, "
            f"such as {counted.example}; run the export again"
        )
    if not counted.symbols:
        # A search for everything explains why nothing was found.
        tell(*(workspace.search(request).notices or ["nothing to export"]))
    return 0 if counted.symbols else 1


class _Counted(msgspec.Struct):
    """Counts the exported symbols and files.

    changed: number of files that changed after they were indexed. example: one of them.
    """

    symbols: int = 0
    files: int = 0
    changed: int = 0
    example: str = ""

    def through(self, files: Iterable["ListedFile"]) -> Iterator["ListedFile"]:
        for file in files:
            self.symbols += len(file.wanted)
            self.files += 1
            if file.text is None:
                self.changed += 1
                self.example = file.path
            yield file


def _write(stream: IO[bytes], form: str, pieces: Iterable[bytes]) -> None:
    """Writes the pieces unchanged, except that a terminal gets control characters escaped."""
    if stream.isatty():
        if form == "scip":
            raise RequestError(_NO_TEXT)
        encoding = sys.stdout.encoding or "utf-8"
        pieces = (
            show_text(piece.decode("utf-8", "surrogateescape")).encode(encoding, "backslashreplace")
            for piece in pieces
        )
    stream.writelines(pieces)
    stream.flush()
