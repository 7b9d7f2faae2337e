"""`symindex unused`: the symbols that nothing uses."""

from typing import Any, Final

import click

from symindex.protocol.unused import UnusedRequest
from symindex.serve.cli import common_options as common
from symindex.serve.cli import completion
from symindex.serve.cli.shown_answer import shown_data, shown_text
from symindex.workspace.answers import unused_in

_ALL: Final = 1_000_000_000
"""The limit that `--max-items 0` sets: more than any source tree has."""


@click.command()
@click.argument("places", metavar="[PATH...]", nargs=-1, shell_complete=completion.paths)
@common.with_paths
@common.kind_option("Only symbols of this kind. Repeatable.")
@common.list_option(
    "-l",
    "--lang",
    "languages",
    metavar="LANG",
    help="Only symbols in this language. Repeatable.",
    shell_complete=completion.languages,
)
@click.option(
    "--exported",
    is_flag=True,
    help="List exported symbols, too, that nothing here names. Other programs may use them.",
)
@click.option(
    "-n",
    "--max-items",
    type=int,
    default=100,
    metavar="N",
    help="Show at most N symbols; 0 for all. Default: 100.",
)
@click.option(
    "--start-index",
    type=int,
    default=0,
    metavar="N",
    help="Skip the first N symbols.",
)
@click.option(
    "--seconds",
    type=float,
    default=30.0,
    metavar="S",
    help="Stop after S seconds. Default: 30.",
)
@common.with_forms("path:line: kind name (reason)")
def unused(
    tree: common.TreeOptions, places: tuple[str, ...], form: str, seconds: float, **fields: Any
) -> int:
    """List the symbols that nothing uses, each with the reason. Builds or refreshes the index
    first.

    PATHs (files, folders or globs) limit what is listed; uses are searched in all files. A symbol
    is listed only if nothing names it, in code, strings, documents or settings: a private one in
    its file, others anywhere. Not listed are tests, generated code, entry points, what a decorator
    may register and what a library may call. Only some languages have rules for this; the
    answer names the others.

    Exits with 0 if something was found, 1 if nothing was, 2 on errors.
    """
    with tree.opened() as (workspace, folder):
        common.refresh(workspace)
        fields["max_items"] = fields["max_items"] or _ALL
        given = [*map(folder.path, places)]
        path = given if len(given) > 1 else "".join(given)
        request = UnusedRequest(path=path, **fields)
        response = unused_in(workspace, request, seconds=seconds)
    if form == "json":
        common.print_json(shown_data(folder, response))
    elif form == "lines":
        from symindex.render.terminal.lines import unused_lines

        shown = shown_text(folder, response)
        common.print_lines(unused_lines(shown), shown.notices)
    else:
        from symindex.render.unused import render_unused

        common.print_page(
            render_unused(shown_text(folder, response), tree.hints()), folder.link_base()
        )
    return 0 if response.files else 1
