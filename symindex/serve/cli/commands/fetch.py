"""The command `symindex fetch`: an item with its content, or a list of items, and copies between
spaces."""

from typing import Any, Final

import click
from msgspec import UNSET

from symindex.serve.cli import common_options as common
from symindex.serve.cli import completion
from symindex.serve.cli.shown_answer import shown_data, shown_text

_ABSENT: Final[tuple[Any, ...]] = (None, UNSET, (), [], {})


@click.command()
@click.argument("item_id", required=False, shell_complete=completion.paths)
@common.with_paths
@click.option(
    "--type",
    "item_type",
    metavar="TYPE",
    shell_complete=completion.types,
    help="The type, where several items have this id.",
)
@click.option(
    "--source",
    metavar="SPACE",
    shell_complete=completion.spaces,
    help="project, user, system or registry. Default: the first of these that has it.",
)
@click.option(
    "--version",
    metavar="VERSION",
    shell_complete=completion.revisions,
    help="Of a package or a registry's item, or a git revision of a file here.",
)
@click.option(
    "--to", "destination", metavar="SPACE", help="Copy the item to the project or the user space."
)
@click.option("--force", is_flag=True, help="With --to: replace what is there.")
@click.option(
    "--verify",
    metavar="HOW",
    help="Signatures: off, warn, intact or require. Default: as configured, else intact.",
)
@click.option("--query", metavar="QUERY", help="List items instead, as search does. Needs --scope.")
@common.list_option(
    "--scope",
    metavar="SCOPE",
    help="With --query: the type and namespace, as tool.rye.core.*. Repeatable.",
)
@click.option("--limit", type=int, metavar="N", help="With --query: at most N. Default: 10.")
@click.option("--offset", type=int, metavar="N", help="With --query: skip the first N.")
@click.option("--sort-by", metavar="ORDER", help="With --query: score, date or name.")
@common.list_option(
    "--field", "fields", metavar="FIELD=QUERY", help="With --query: as of search. Repeatable."
)
@common.list_option(
    "--filter", "filters", metavar="FIELD=VALUE", help="With --query: as of search. Repeatable."
)
@click.option("--fuzzy/--no-fuzzy", default=None, help="With --query: force or forbid typos.")
@click.option(
    "--max-distance", type=int, metavar="N", help="With --query: at most N edits in a word."
)
@click.option(
    "--proximity",
    type=int,
    metavar="N",
    help="With --query: the words stand with at most N others between.",
)
@click.option("--raw", is_flag=True, help="Print the content and nothing else.")
@common.json_option
def fetch(tree: common.Tree, raw: bool, as_json: bool, **given: Any) -> int:
    """Show an item by its ID: a directive, tool, skill, rule, task or whatever the table of types
    knows.

    It is looked for in the project, then in the user's own roots, then in what the project depends
    on. With --query, lists items. JSON has the form of rye_fetch. Exits with 0 if something was
    found, 1 if nothing was, 2 on errors.
    """
    from symindex.dialects.rye_page import as_rye
    from symindex.fetch.read_request import read_fetch_request  # here, because most commands search
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
    with tree.opened() as (workspace, folder):
        if given["item_id"]:
            given["item_id"] = folder.symbol(given["item_id"])
        request = read_fetch_request(
            {name: value for name, value in given.items() if value not in _ABSENT}
        )
        common.refresh(workspace)
        response = workspace.fetch(request)
    if isinstance(response, SearchResponse):
        if as_json:
            common.print_json(as_rye(shown_data(folder, response)))
        else:
            response.request.include = ["doc"]
            page = render_search(
                shown_text(folder, response), spell=lambda _, value: as_option("offset", value)
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
