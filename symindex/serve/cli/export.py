"""The command `symindex export`: where its output goes, and what is said beside it."""

import os
import sys
from collections.abc import Iterable, Iterator
from typing import IO, TYPE_CHECKING, Final

import click
import msgspec

from symindex.errors import RequestError
from symindex.protocol import SearchRequest
from symindex.serve.cli.common_options import (
    kind_option,
    lang_option,
    open_workspace,
    path_option,
    refresh,
    tell,
    with_place,
    write_text,
)
from symindex.serve.cli.output import Place, find_place, own_stream, writing
from symindex.text.escaping import show_controls, show_text

if TYPE_CHECKING:
    from symindex.explore.listing import ListedFile
    from symindex.workspace import Workspace


@click.command()
@with_place
@click.option(
    "-f",
    "--format",
    "form",
    type=click.Choice(["ctags", "jsonl", "scip"]),
    default="ctags",
    help="A tags file as of Vim; universal-ctags' JSON, an object a line; a SCIP index. Default: ctags.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(readable=False),
    default="-",
    metavar="FILE",
    help="Where to write, all or nothing. Default: standard output.",
)
@click.option("--follow-links", is_flag=True, help="Write FILE though it is a symbolic link, or lies behind one inside the tree.")
@kind_option("Only this kind. Repeatable.")
@lang_option
@path_option
def export(
    root: str | None, index_dir: str | None, form: str, output: str, follow_links: bool, kinds: tuple[str, ...],
    languages: tuple[str, ...], paths: tuple[str, ...],
) -> int:  # fmt: skip
    """Write all symbols for other programs; makes or refreshes the index first.

    \b
    symindex export -o tags                       then :tag NAME in Vim, or readtags -t tags NAME
    symindex export --format jsonl | jq .name     the fields of ctags --output-format=json
    symindex export --format scip -o index.scip   definitions for what reads SCIP

    Paths are relative to the root; in a tags file that is put elsewhere, to its own folder.

    Exits with 0 if something was exported, 1 if nothing was, 2 on errors.
    """
    number = own_stream(output)
    if number is not None and form == "scip" and os.isatty(number):
        raise RequestError(_NO_TEXT)
    with open_workspace(root, index_dir) as workspace:
        target = find_place(output, workspace.root, follow_links) if number is None else number
        refresh(workspace)
        _tell(workspace.take_notices())
        request = SearchRequest(query="", kinds=[*kinds], languages=[*languages], paths=[*paths])
        return _export(workspace, form, target, request)


_NO_TEXT: Final = "a SCIP index is no text for a terminal: name a file with -o"


def _export(workspace: "Workspace", form: str, target: Place | int, request: SearchRequest) -> int:
    """target: a file, or the number of a stream."""
    from symindex.render.export import render_export  # here, because it loads what reads the index

    counted = _Counted()
    files = counted.through(workspace.export(request))
    for notice in workspace.take_notices():
        tell(notice)
    folder = target.path.parent if isinstance(target, Place) else None
    pieces = render_export(files, form, workspace.languages, workspace.root, folder)
    if isinstance(target, Place):
        with writing(target) as stream:
            _write(stream, form, pieces)
        if target.path.is_file():  # a device may be where we write to ourselves
            size = target.path.stat().st_size
            write_text(f"{show_controls(target.named)}: {counted.symbols:,} symbols of {counted.files:,} files, {size:,} bytes\n")
    elif target == 1:
        _write(sys.stdout.buffer, form, pieces)
    else:
        with open(target, "wb", closefd=False) as stream:
            _write(stream, form, pieces)
    if counted.changed:
        tell(f"{counted.changed:,} files have changed while this was written, {counted.example} for one; run it again")
    if not counted.symbols:
        # What a search for everything says of why there is nothing.
        _tell(workspace.search(request).notices or ["nothing to export"])
    return 0 if counted.symbols else 1


class _Counted(msgspec.Struct):
    """What has gone through. changed: files that are not any more as they were indexed; example: one of these."""

    symbols: int = 0
    files: int = 0
    changed: int = 0
    example: str = ""

    def through(self, files: Iterable["ListedFile"]) -> Iterator["ListedFile"]:
        """The files, counted."""
        for file in files:
            self.symbols += len(file.wanted)
            self.files += 1
            if file.text is None:
                self.changed += 1
                self.example = file.path
            yield file


def _write(stream: IO[bytes], form: str, pieces: Iterable[bytes]) -> None:
    """Writes pieces as they are; on a terminal what does not show as itself is escaped, though other programs would want it."""
    if stream.isatty():
        if form == "scip":
            raise RequestError(_NO_TEXT)
        encoding = sys.stdout.encoding or "utf-8"
        pieces = (show_text(piece.decode("utf-8", "surrogateescape")).encode(encoding, "backslashreplace") for piece in pieces)
    stream.writelines(pieces)
    stream.flush()


def _tell(lines: Iterable[str]) -> None:
    for line in lines:
        tell(line)
