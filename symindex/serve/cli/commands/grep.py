"""`symindex grep`: finds text in files."""

import os
import select
import stat
import sys
from typing import Any, Final

import click
from msgspec import UNSET

from symindex.protocol.grep import GrepRequest, GrepResponse
from symindex.serve.cli import common_options as common
from symindex.serve.cli import completion
from symindex.serve.cli.current_folder import CurrentFolder
from symindex.serve.cli.fleet_options import with_fleet
from symindex.serve.cli.shown_answer import shown_data, shown_text


@click.command()
@click.argument("pattern")
@click.argument("places", metavar="[PATH...]", nargs=-1, shell_complete=completion.paths)
@with_fleet()
@common.with_filters
@click.option(
    "-F", "--fixed-strings", is_flag=True, help="PATTERN is literal text, not a regular expression."
)
@click.option("-i", "--ignore-case", is_flag=True, help="Ignore case.")
@common.choice_option(
    "--in", "code strings comments all", "Where to search. Default: all.", "where", default="all"
)
@click.option(
    "-n",
    "--max-items",
    type=int,
    metavar="N",
    help="Show at most N rows, one per symbol; 0 for all. Default: all.",
)
@common.token_option
@click.option(
    "--seconds",
    type=float,
    default=10.0,
    metavar="S",
    help="Stop after S seconds and show what was found. Default: 10.",
)
@common.with_forms("path:line:column: text")
def grep(
    tree: common.TreeOptions,
    places: tuple[str, ...],
    paths: Any,
    fixed_strings: bool,
    max_items: int | None,
    seconds: float,
    form: str,
    **fields: Any,
) -> int:
    """Find text in files, with the symbol that encloses each match. Production code comes first,
    then other files, then tests.

    PATHs are files and folders, relative to the current folder. Without a PATH, grep searches what
    is piped into it, or the whole source tree if nothing is. A PATH of - always means standard
    input.

    PATTERN is a regular expression in RE2's syntax, which is close to ripgrep's; with -F it is
    literal text. If PATTERN is literal text that occurs nowhere, such as an error message with its
    values filled in, grep shows the places that contain most of its words.

    Exits with 0 if something was found, 1 if nothing was, 2 on errors.
    """
    fields |= {
        "regex": not fixed_strings,
        "max_items": max_items or None,
        "each_line": form == "lines",
    }
    may_be_given = not (places or tree.fleet) and paths is UNSET and _is_of_all(fields)
    if places == ("-",) or may_be_given:
        data = _given(must_come=bool(places))
        if data is not None:
            from symindex.workspace.workspace import grep_given  # deferred, because it loads numpy

            return _show(grep_given(data, GrepRequest(**fields, paths=paths)), tree, None, form)
    with tree.asked() as (workspace, folder):
        common.refresh(workspace)
        with common.progress_bar("looking") as progress:
            globs = [
                *folder.places(places, workspace.source.check_readable),
                *(folder.globs(paths) or []),
            ] or UNSET
            response = workspace.grep(seconds=seconds, progress=progress, paths=globs, **fields)
    return _show(response, tree, folder, form)


MOST_GIVEN: Final = 100_000_000
"""Most bytes that are read from standard input."""


def _is_of_all(fields: dict[str, Any]) -> bool:
    """Whether a request has no option that is about files."""
    return (
        fields["where"] == "all"
        and fields["languages"] is UNSET
        and fields["pagination_id"] is None
    )


def _given(must_come: bool) -> bytes | None:
    """Reads standard input, as ripgrep does if no file is named. Returns `None` if it is a
    terminal, or if nothing has arrived yet: a pipe that a service or an editor left open must not
    delay a search of the source tree.

    must_come: whether to wait for it. Raises RequestError if there is more than MOST_GIVEN bytes.
    """
    if not must_come:
        try:
            number = sys.stdin.fileno()
            mode = os.fstat(number).st_mode
            if (
                not (stat.S_ISREG(mode) or stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode))
                or not select.select([number], [], [], 0)[0]
            ):
                return None
        except (OSError, ValueError):  # closed, or not a stream of the system
            return None
    data = common.read_given(
        sys.stdin.buffer, MOST_GIVEN, "standard input", "search a file instead"
    )
    return data if data or must_come else None


def _show(
    response: GrepResponse, tree: common.TreeOptions, folder: CurrentFolder | None, form: str
) -> int:
    """Writes an answer and returns the exit code. folder: `None` for text that is not in a file."""
    shown = shown_text(folder, response) if folder is not None else response
    if form == "json":
        common.print_json(shown_data(folder, response) if folder is not None else response)
    elif form == "lines":
        from symindex.render.terminal.lines import hit_lines

        common.print_lines(hit_lines(shown.files), shown.notices)
    else:
        from symindex.render.grep import marker, render_grep
        from symindex.render.markdown import as_option

        show = marker(response.request) if common.has_styles() and not response.is_near else str
        base = folder.link_base() if folder is not None else None
        common.print_page(render_grep(shown, tree.hints(), as_option, show), base)
    return 0 if response.at_least else 1
