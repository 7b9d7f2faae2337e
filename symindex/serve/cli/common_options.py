"""What the commands of the command line share: the options that say which tree, its opening, progress; and the ways by which text
and JSON leave, of which there are no others, so that nothing of a tree acts on a terminal.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click
import msgspec

from symindex.protocol import SymbolKind
from symindex.text.escaping import escape_json, show_controls, show_text

if TYPE_CHECKING:
    from symindex.index.update import Progress
    from symindex.workspace import Workspace

COMPLETE: Final = "_SYMINDEX_COMPLETE"
"""Set in the environment by the script for the completion of a shell, in click's way."""

_Command = TypeVar("_Command", bound=Callable[..., Any])


def with_place(command: _Command) -> _Command:
    """The options that say which tree, and where its index is."""
    command = click.option(
        "--index-dir",
        type=click.Path(readable=False),
        metavar="DIR",
        help="Where to keep the index. Default: your cache directory.",
    )(command)
    return click.option(
        "--root",
        type=click.Path(readable=False),
        metavar="DIR",
        help="The tree. Default: the nearest folder upwards with symindex.toml or .git, else the current one.",
    )(command)


def kind_option(help_text: str) -> Callable[[_Command], _Command]:
    """The option that names kinds of symbols."""
    return click.option(
        "-k",
        "--kind",
        "kinds",
        multiple=True,
        metavar="KIND",
        help=help_text,
        shell_complete=lambda *_: [str(kind) for kind in SymbolKind],
    )


lang_option = click.option("-l", "--lang", "languages", multiple=True, metavar="LANG", help="Only this language. Repeatable.")
path_option = click.option(
    "-p",
    "--path",
    "paths",
    multiple=True,
    metavar="GLOB",
    help="Only files that match, as in .gitignore; a leading ! excludes. Repeatable.",
)
token_option = click.option("--pagination-id", metavar="TOKEN", help="Go on after the page that gave this token.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, and nothing else.")


def open_workspace(root: str | None, index_dir: str | None) -> "Workspace":
    """The workspace that the options name."""
    from symindex.workspace import open_workspace as open_it  # here, because it loads numpy, which not all commands need

    return open_it(root, index_dir)


def write_json(value: Any) -> None:
    """A value as JSON on standard output, and a line break; in ASCII where the output has an encoding that JSON must not have."""
    encoding = str(getattr(sys.stdout, "encoding", "")).lower()
    data = escape_json(msgspec.json.encode(value), ascii_only=encoding not in ("utf-8", "utf8"))
    sys.stdout.write(data.decode() + "\n")


def write_text(text: str, err: bool = False) -> None:
    """Lines on standard output or standard error. They are for a reader, in a pipe as on a terminal: what does not show as itself
    is escaped in both, code too, which stands in JSON as it is."""
    click.echo(show_text(text), nl=False, err=err)


def write_styled(text: str) -> None:
    """Lines with colours and the like, whose every piece was shown by `show_controls` before."""
    click.echo(text, nl=False, color=True)


def tell(message: str) -> None:
    """A line on standard error, whatever the message holds."""
    click.echo(f"symindex: {show_controls(' '.join(message.split()))}", err=True)


def refresh(workspace: "Workspace") -> None:
    """Brings the index up to date, with a bar on a terminal. What a reader must know of that is said in the next answer."""
    from symindex.workspace import CURRENT  # here, because it loads numpy

    with progress_bar() as progress:
        workspace.bring_up_to_date(CURRENT, progress)


@contextmanager
def progress_bar(title: str = "indexing") -> Iterator["Progress | None"]:
    """A bar on a terminal's standard error while files are read; nothing elsewhere."""
    if not sys.stderr.isatty():
        yield None
        return
    bar: Any = None

    def show(done: int, total: int) -> None:
        nonlocal bar
        if bar is None:
            if total < 100:
                return
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

            bar = Progress(
                TextColumn(title), BarColumn(), MofNCompleteColumn(), TextColumn("files"), TimeElapsedColumn(),
                console=Console(stderr=True), transient=True,
            )  # fmt: skip
            bar.start()
            bar.add_task(title, total=total)
        bar.update(bar.task_ids[0], completed=done)

    try:
        yield show
    finally:
        if bar is not None:
            bar.stop()
