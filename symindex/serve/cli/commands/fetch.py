"""`symindex fetch`: shows an item, lists items, or copies one between spaces."""

from typing import Any, Final

import click
import msgspec
from msgspec import UNSET

from symindex.serve.cli import common_options as common
from symindex.serve.cli import completion
from symindex.serve.cli.fleet_options import with_fleet
from symindex.serve.cli.shown_answer import shown_data, shown_text

_ABSENT: Final[tuple[Any, ...]] = (None, UNSET, (), [], {})


@click.command()
@click.argument("item_id", required=False, shell_complete=completion.paths)
@with_fleet("source", "version", "destination", "force", "verify")
@click.option(
    "--type",
    "item_type",
    metavar="TYPE",
    shell_complete=completion.types,
    help="Type of the item, if several items have this id.",
)
@click.option(
    "--source",
    metavar="SPACE",
    shell_complete=completion.spaces,
    help=(
        "Where to look: project, user (your own folders), system (the packages that the "
        "project depends on), registry or, with --query, all. Default: the first of project, "
        "user and system that has the item; with --query, all."
    ),
)
@click.option(
    "--version",
    metavar="VERSION",
    shell_complete=completion.revisions,
    help="Version of a package or registry item, or git revision of a project file.",
)
@click.option(
    "--to", "destination", metavar="SPACE", help="Copy the item to this space: project or user."
)
@click.option("--force", is_flag=True, help="With --to: replace an existing file.")
@click.option(
    "--verify",
    metavar="HOW",
    help=(
        "How to treat signatures. off: ignore them; warn: print a notice if a signature is wrong; "
        "intact: refuse an item whose signature is wrong; require: also refuse an item without a "
        "signature that you trust. Default: as configured, else intact."
    ),
)
@click.option(
    "--query", metavar="QUERY", help="Search for items instead of showing one. Needs --scope."
)
@common.list_option(
    "--scope",
    metavar="SCOPE",
    help=(
        "With --query: only items of this type in this namespace, such as tool.rye.core.*. "
        "Repeatable."
    ),
)
@click.option(
    "--limit", type=int, metavar="N", help="With --query: list at most N items. Default: 10."
)
@click.option("--offset", type=int, metavar="N", help="With --query: skip the first N items.")
@click.option(
    "--sort-by", metavar="ORDER", help="With --query: order of the list: score, date or name."
)
@common.list_option(
    "--field",
    "fields",
    metavar="FIELD=QUERY",
    help="With --query: as in `symindex search`. Repeatable.",
)
@common.list_option(
    "--filter",
    "filters",
    metavar="FIELD=VALUE",
    help="With --query: as in `symindex search`. Repeatable.",
)
@click.option("--fuzzy/--no-fuzzy", default=None, help="With --query: allow or forbid typos.")
@click.option(
    "--max-distance", type=int, metavar="N", help="With --query: allow at most N edits per word."
)
@click.option(
    "--proximity",
    type=int,
    metavar="N",
    help="With --query: allow at most N other words between the words of the query.",
)
@click.option("--raw", is_flag=True, help="Print only the content of the item.")
@common.json_option
def fetch(tree: common.TreeOptions, raw: bool, as_json: bool, **given: Any) -> int:
    """Show the item with this ID: a skill, rule, tool, task, changelog entry, or any other file or
    part of a file that symindex finds by its metadata.

    The item is looked up in the project, then in your own folders (user_roots in config.toml, and
    the folders of coding agents in your home folder), then in the packages that the project depends
    on. Registries are searched only with --source registry or --query. With --query, the matching
    items are listed. With --json, the output has the format of rye_fetch, a tool of the rye system.

    Exits with 0 if something was found, 1 if nothing was, 2 on errors.
    """
    from symindex.dialects.rye_page import as_rye

    # deferred, because most commands only search
    from symindex.fetch.read_request import read_fetch_request
    from symindex.protocol.fetch import FetchFailure
    from symindex.protocol.search import SearchResponse
    from symindex.render.fetch import render_fetch
    from symindex.render.markdown import as_option, render_search
    from symindex.serve.cli.search_options import pairs, words_apart

    given |= words_apart(given.pop("fuzzy"), given.pop("max_distance"), given.pop("proximity"))
    given["fields"], given["filters"] = (
        pairs("--field", given["fields"], True),
        pairs("--filter", given["filters"], False),
    )
    with tree.asked() as (workspace, folder):
        if given["item_id"]:
            given["item_id"] = folder.symbol(given["item_id"])
        request = read_fetch_request(
            {name: value for name, value in given.items() if value not in _ABSENT}
        )
        common.refresh(workspace)
        response = workspace.fetch(request)
        row_name = "symbol"
        if isinstance(response, SearchResponse) and not response.total:
            searched = msgspec.structs.replace(response.request, space=UNSET)
            row_name = workspace.source.plan(searched).universe.row
    if isinstance(response, SearchResponse):
        if as_json:
            common.print_json(as_rye(shown_data(folder, response)))
        else:
            response.request.include = ["doc"]
            page = render_search(
                shown_text(folder, response),
                spell=lambda _, value: as_option("offset", value),
                row_name=row_name,
            )
            common.print_page(page, folder.link_base())
        return 0 if response.total else 1
    if as_json:
        common.print_json(response)
    elif raw and not isinstance(response, FetchFailure):
        common.print_text(response.content)
    else:
        common.print_page(render_fetch(response), folder.link_base())
    return 1 if isinstance(response, FetchFailure) else 0
