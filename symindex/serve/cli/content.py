"""The commands for content that is added by hand: `symindex add`, `symindex sources`, `symindex forget`, `symindex recall`."""

import sys
from pathlib import Path
from typing import Any

import click

from symindex.serve.cli import common_options as common


@click.command()
@click.argument("place", metavar="FILE|-|URL")
@common.with_tree
@click.option("--source", "label", metavar="LABEL", help="What to call it. Default: the file's name, or the address.")
@click.option("--allow-private", is_flag=True, help="Of an address: also one of this machine or a private network.")
@common.json_option
def add(tree: common.Tree, place: str, label: str | None, allow_private: bool, as_json: bool) -> int:
    """Add a text to what `symindex recall` searches: a file, standard input, or a page of the web.

    Text, Markdown, reStructuredText, JSON and HTML; PDF with the extra `pdf`. The same source again replaces it. A file is read
    again when it changes. Exits with 0, or 2 on errors.
    """
    from symindex.errors import RequestError
    from symindex.render.sources import render_sources
    from symindex.workspace import open_content

    with open_content(tree.root) as content:
        if place == "-":
            if not label:
                raise RequestError("standard input has no name: give it one with --source LABEL")
            source = content.add_stream(sys.stdin.buffer, label)
        elif place.startswith(("http://", "https://")):
            source = content.add_page(place, label or place, allow_private)
        else:
            source = content.add_file(Path(place), label or Path(place).name)
    if as_json:
        common.print_json(source)
    else:
        common.print_text(render_sources([source]))
    return 0


@click.command()
@common.with_tree
@common.json_option
def sources(tree: common.Tree, as_json: bool) -> int:
    """List what was added, with age, size and digest. Exits with 0 if there is something, 1 if there is nothing."""
    from symindex.render.sources import render_sources
    from symindex.workspace import open_content

    with open_content(tree.root) as content:
        found = content.sources()
    if as_json:
        common.print_json(found)
    else:
        common.print_text(render_sources(found))
    return 0 if found else 1


@click.command()
@click.argument("label")
@common.with_tree
def forget(tree: common.Tree, label: str) -> int:
    """Delete what was added as LABEL. Exits with 0, or 1 if there is no such source."""
    from symindex.workspace import open_content

    with open_content(tree.root) as content:
        is_gone = content.forget(label)
    if not is_gone:
        common.tell(f"there is no source {label!r}: `symindex sources` lists them")
    return 0 if is_gone else 1


@click.command()
@click.argument("queries", nargs=-1, required=True, metavar="QUERY...")
@common.with_tree
@click.option("--source", default="", metavar="TEXT", help="Only sources in whose label this stands.")
@common.choice_option("--content-type", "code prose", "Only chunks that are mostly code, or that are prose.")
@common.list_option("--category", otherwise=[], metavar="WORD", help="Only notes of this category. Repeatable.")
@click.option(
    "--since", default="", metavar="WHEN", help="Only what was added or noted since a date, or 12h, 7d, 2w, 3mo, 1y ago."
)
@common.choice_option("--sort", "relevance timeline", "timeline: the newest first.", default="relevance")
@click.option("-n", "--limit", type=int, metavar="N", help="Hits of each query, 1 to 50. Default: 10; 3 each of several queries.")
@click.option("--offset", type=int, default=0, metavar="N", help="Skip the first N hits.")
@click.option("--include-content", is_flag=True, help="Print the whole of each chunk.")
@common.json_option
def recall(tree: common.Tree, queries: tuple[str, ...], as_json: bool, **options: Any) -> int:
    """Search what was added and noted, by words, their forms and their parts. Each QUERY is a question of its own.

    Exits with 0 if something was found, 1 if nothing was, 2 on errors.
    """
    from symindex.render.prose import render_text_search
    from symindex.workspace import open_recall

    with open_recall(tree.root) as recalled:
        response = recalled.search(queries=list(queries), **options)
    if as_json:
        common.print_json(response)
    else:
        common.print_text(render_text_search(response))
    return 0 if response.total else 1
