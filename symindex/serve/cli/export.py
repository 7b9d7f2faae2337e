"""The command `symindex export`: where its output goes, and what is said beside it."""

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click
import msgspec

from symindex.errors import RequestError, StorageError
from symindex.protocol import SearchRequest
from symindex.serve.cli.parts import kind_option, lang_option, open_workspace, path_option, refresh, with_place

if TYPE_CHECKING:
    from symindex.reading.listing import ListedFile
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
@kind_option("Only this kind. Repeatable.")
@lang_option
@path_option
def export(
    root: str | None, index_dir: str | None, form: str, output: str, kinds: tuple[str, ...], languages: tuple[str, ...],
    paths: tuple[str, ...],
) -> int:  # fmt: skip
    """Write all symbols for other programs; makes or refreshes the index first.

    \b
    symindex export -o tags                       then :tag NAME in Vim, or readtags -t tags NAME
    symindex export --format jsonl | jq .name     the fields of ctags --output-format=json
    symindex export --format scip -o index.scip   definitions for what reads SCIP

    Paths are relative to the root; in a tags file that is put elsewhere, to its own folder.

    Exits with 0 if something was exported, 1 if nothing was, 2 on errors.
    """
    if output == "-" and form == "scip" and sys.stdout.isatty():
        raise RequestError("a SCIP index is no text for a terminal: name a file with -o")
    with open_workspace(root, index_dir) as workspace:
        _tell(refresh(workspace))
        request = SearchRequest(query="", kinds=[*kinds], languages=[*languages], paths=[*paths])
        return _export(workspace, form, output, request)


def _export(workspace: "Workspace", form: str, output: str, request: SearchRequest) -> int:
    from symindex.render.export import render_export  # here, because it loads what reads the index
    from symindex.render.markdown import show_controls

    counted = _Counted()
    files = counted.through(workspace.export(request))
    _tell(workspace.take_notices())
    if output == "-":
        _write(sys.stdout.buffer, render_export(files, form, workspace.languages, workspace.root))
    else:
        folder = Path(os.path.realpath(output)).parent
        with _replacing(output) as stream:
            _write(stream, render_export(files, form, workspace.languages, workspace.root, folder))
        if os.path.isfile(output):  # a device may be where we write to ourselves
            size = os.path.getsize(output)
            click.echo(f"{show_controls(output)}: {counted.symbols:,} symbols of {counted.files:,} files, {size:,} bytes")
    if counted.changed:
        _tell([f"{counted.changed:,} files have changed while this was written, {counted.example} for one; run it again"])
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


def _write(stream: IO[bytes], pieces: Iterable[bytes]) -> None:
    for piece in pieces:
        stream.write(piece)
    stream.flush()


@contextmanager
def _replacing(named: str) -> Iterator[IO[bytes]]:
    """A stream to a file beside the one of that name, which takes its place at the end, if nothing goes wrong before; to what is
    no regular file (a device, a pipe) directly."""
    if not named or "\0" in named:
        raise RequestError(f"output {named!r} is not a path: name the file to write, or - for standard output")
    if os.path.isdir(named):
        raise RequestError(f"{named}: a folder, not a file; name the file to write")
    if os.path.exists(named) and not os.path.isfile(named):
        with open(named, "wb") as stream:
            yield stream
        return
    import tempfile  # here, because it takes as long to load as a small search

    place = Path(os.path.realpath(named))
    try:
        number, name = tempfile.mkstemp(prefix=f".{place.name}.", suffix=".tmp", dir=place.parent)
    except OSError as error:
        raise StorageError(f"{named}: {error.strerror}; name a file in a folder that can be written to") from None
    try:
        with open(number, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(name, _mode_of(place))
        os.replace(name, place)
    except OSError as error:
        raise StorageError(f"{named}: {error.strerror}; what was there before is still there") from None
    finally:
        with suppress(FileNotFoundError):
            os.unlink(name)


def _mode_of(place: Path) -> int:
    """The mode of a file, or what one that is new would have."""
    try:
        return place.stat().st_mode & 0o7777
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


def _tell(lines: Iterable[str]) -> None:
    for line in lines:
        click.echo(f"symindex: {line}", err=True)
