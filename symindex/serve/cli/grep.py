"""The command that finds text in files: `symindex grep`."""

from typing import Any

import click
from msgspec import UNSET

from symindex.serve.cli import common_options as common
from symindex.serve.cli import completion
from symindex.serve.cli.shown_answer import shown_data, shown_text


@click.command()
@click.argument("pattern")
@click.argument("places", metavar="[PATH...]", nargs=-1, shell_complete=completion.paths)
@common.with_paths
@common.with_filters
@click.option("-F", "--fixed-strings", is_flag=True, help="PATTERN is a text, not a regular expression.")
@click.option("-i", "--ignore-case", is_flag=True, help="Capitals do not matter.")
@common.choice_option("--in", "code strings comments all", "Where. Default: in all files.", "where", default="all")
@click.option("-n", "--max-items", type=int, metavar="N", help="At most N rows, one for each symbol; 0 for all. Default: all.")
@common.token_option
@click.option("--seconds", type=float, default=10.0, metavar="S", help="Answer after S seconds with what was found. Default: 10.")
@common.with_forms("path:line:column: text")
def grep(
    tree: common.Tree, places: tuple[str, ...], paths: Any, fixed_strings: bool, max_items: int | None, seconds: float,
    form: str, **fields: Any,
) -> int:  # fmt: skip
    """Find a text in files, with the symbol that it stands in; production code first, then other files, then tests.

    PATHs are files and folders, from the current one; without them the whole tree is looked through.

    PATTERN is a regular expression (RE2, nearly ripgrep's), or a text with -F. Where no file holds a whole text, as a message
    with values in it, the places that hold most of its words are shown.

    Exits with 0 if something was found, 1 if nothing was, 2 on errors.
    """
    with tree.opened() as (workspace, folder):
        common.refresh(workspace)
        with common.progress_bar("looking") as progress:
            globs = [*folder.places(places, workspace.check_readable), *(folder.globs(paths) or [])] or UNSET
            fields |= {"regex": not fixed_strings, "max_items": max_items or None, "paths": globs}
            response = workspace.grep(seconds=seconds, progress=progress, **fields)
    if form == "json":
        common.print_json(shown_data(folder, response))
    elif form == "lines":
        from symindex.render.lines import hit_lines

        shown = shown_text(folder, response)
        common.print_lines(hit_lines(shown.files), shown.notices)
    else:
        from symindex.render.grep import marker, render_grep
        from symindex.render.markdown import as_option

        show = marker(response.request) if common.has_styles() and not response.is_near else str
        common.print_page(render_grep(shown_text(folder, response), tree.hints(), as_option, show), folder.link_base())
    return 0 if response.at_least else 1
