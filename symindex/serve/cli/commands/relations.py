"""`symindex hierarchy`, `map` and `changed`: how symbols are related."""

import os
from collections.abc import Sequence
from functools import partial
from typing import Any, Final

import click

from symindex.errors import RequestError
from symindex.protocol.changes import ChangedResponse
from symindex.serve.cli import common_options as common
from symindex.serve.cli import completion
from symindex.serve.cli.fleet_options import with_fleet
from symindex.serve.cli.shown_answer import ask_for_symbol, shown_data, shown_text

_ALL: Final = 1_000_000_000
"""The limit that `--max-items 0` sets: more than any source tree has."""


@click.command()
@click.argument("symbol", shell_complete=completion.symbols)
@with_fleet()
@common.choice_option(
    "--direction",
    "subtypes supertypes callers callees tests",
    "Which relation to follow. Default: subtypes.",
    "-d",
    default="subtypes",
)
@click.option(
    "--depth",
    type=int,
    metavar="N",
    help="Show at most N levels. Default: 3 for types, 1 for calls.",
)
@click.option(
    "-n",
    "--max-items",
    type=int,
    default=100,
    metavar="N",
    help="Show at most N symbols; 0 for all. Default: 100.",
)
@common.with_forms("path:line: kind name")
def hierarchy(tree: common.TreeOptions, symbol: str, form: str, **fields: Any) -> int:
    """Show the symbols related to SYMBOL as a tree: its subtypes, supertypes, callers, callees or
    tests.

    For a method, subtypes are the methods that override or implement it, and supertypes those that
    it overrides. Relations follow imports and the types of receivers in the languages that
    `symindex refs --help` names, and names elsewhere; the answer says which are uncertain. SYMBOL
    takes the same forms as in `symindex symbol`.

    Exits with 0 if something was found, 1 if nothing was, 2 on errors.
    """
    with tree.asked() as (workspace, folder):
        common.refresh(workspace)
        fields["max_items"] = fields["max_items"] or _ALL
        response = ask_for_symbol(folder, partial(workspace.hierarchy, **fields), symbol)
    if form == "json":
        common.print_json(shown_data(folder, response))
    elif form == "lines":
        from symindex.render.terminal.lines import hierarchy_lines

        shown = shown_text(folder, response)
        common.print_lines(hierarchy_lines(shown.items), shown.notices)
    else:
        from symindex.render.hierarchy import render_hierarchy

        common.print_page(
            render_hierarchy(shown_text(folder, response, symbol=symbol)), folder.link_base()
        )
    return 0 if response.items or response.outside else 1


@click.command("map")
@click.argument("path", default="", shell_complete=completion.paths)
@with_fleet()
@common.list_option(
    "--focus",
    otherwise=[],
    metavar="NAME",
    help="Centre the map on this name, id or file. Repeatable.",
)
@click.option(
    "--max-tokens",
    type=int,
    default=2_000,
    metavar="N",
    help="Approximate size of the map, in tokens, as language models count them. Default: 2000.",
)
@common.json_option
def show_map(
    tree: common.TreeOptions, path: str, focus: list[str], as_json: bool, **fields: Any
) -> int:
    """Show the most important symbols of the source tree, or of the folder PATH: those that other
    files refer to most.

    Exits with 0, or 2 on errors.
    """
    with tree.asked() as (workspace, folder):
        common.refresh(workspace)
        response = workspace.map(folder.path(path), focus=[*map(folder.symbol, focus)], **fields)
    if as_json:
        common.print_json(shown_data(folder, response))
    else:
        from symindex.render.outline import render_map

        common.print_page(render_map(shown_text(folder, response)), folder.link_base())
    return 0


_BEHIND: Final = "symindex.behind"
"""Key, in a context's meta, of the arguments after `--`."""


class WithPaths(click.Command):
    """A command whose arguments after `--` are paths, as in git."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if "--" in args:
            position = args.index("--")
            args, ctx.meta[_BEHIND] = args[:position], args[position + 1 :]
        return super().parse_args(ctx, args)


@click.command(cls=WithPaths)
@click.argument("since", default="HEAD", shell_complete=completion.revisions)
@click.argument("places", metavar="[PATH...]", nargs=-1, shell_complete=completion.paths)
@common.with_paths
@common.list_option(
    "-p",
    "--path",
    "paths",
    otherwise=[],
    metavar="PATH",
    shell_complete=completion.paths,
    help="Only symbols in this folder or file. Repeatable.",
)
@click.option("--tests", is_flag=True, help="Also list the tests of the changed symbols.")
@click.option(
    "-n",
    "--max-items",
    type=int,
    default=200,
    metavar="N",
    help="Show at most N symbols; 0 for all. Default: 200.",
)
@common.with_forms("path:line: status kind name")
def changed(
    tree: common.TreeOptions,
    since: str,
    places: tuple[str, ...],
    paths: list[str],
    form: str,
    **fields: Any,
) -> int:
    """List the symbols that were added, changed or removed since a commit.

    SINCE is a commit, a tag or a branch; a branch means the commit at which the current branch
    diverged from it. A date, as 2026-11-24, means the last commit before that day. The default is
    the last commit, so uncommitted changes are shown. PATHs are files and folders, written after --
    as in git diff: `symindex changed -- src`.

    This needs git, but never runs programs that the repository's configuration names, such as
    filters.

    Exits with 0 if something has changed, 1 if nothing has, 2 on errors.
    """
    with tree.opened() as (workspace, folder):
        common.refresh(workspace)
        fields["max_items"] = fields["max_items"] or _ALL
        paths = [*paths, *click.get_current_context().meta.get(_BEHIND, [])]

        def ask(since: str, places: Sequence[str]) -> ChangedResponse:
            given = [*map(folder.path, (*places, *paths))]
            return workspace.changed(
                since=since, path=given if len(given) > 1 else "".join(given), **fields
            )

        try:
            response = ask(since, places)
        except RequestError:
            if not os.path.lexists(os.path.join(folder.here, since)):
                raise
            response = ask("HEAD", (since, *places))
    if form == "json":
        common.print_json(shown_data(folder, response))
    elif form == "lines":
        from symindex.render.terminal.lines import changed_lines

        shown = shown_text(folder, response)
        common.print_lines(changed_lines(shown), shown.notices)
    else:
        from symindex.render.changed import render_changed

        common.print_page(
            render_changed(shown_text(folder, response), tree.hints()), folder.link_base()
        )
    return 0 if response.files else 1
