"""`symindex add`, `sources` and `forget`: documents that the user adds by hand."""

import os
import sys
from pathlib import Path

import click

from symindex.serve.cli import common_options as common
from symindex.serve.cli import completion


@click.command()
@click.argument("place", metavar="FILE|-|URL", shell_complete=completion.paths)
@common.with_tree
@click.option(
    "--source",
    "label",
    metavar="LABEL",
    help="Name of the document. Default: the file name or the URL.",
)
@click.option(
    "--allow-private",
    is_flag=True,
    help="Allow a URL on this machine or on a private network.",
)
@common.json_option
def add(
    tree: common.TreeOptions, place: str, label: str | None, allow_private: bool, as_json: bool
) -> int:
    """Add a document for `symindex recall` to search: a file, standard input, or a web page.

    Accepts text, Markdown, reStructuredText, JSON and HTML, and, with the `pdf` extra, PDF. Adding
    a document under an existing LABEL replaces the old one. A file is read again when it changes.

    Exits with 0, or 2 on errors.
    """
    from symindex.errors import PrivateAddressError, RequestError
    from symindex.render.sources import render_sources
    from symindex.workspace.workspace import open_content

    with open_content(tree.root) as content:
        if place == "-":
            if not label:
                raise RequestError("standard input has no name: use --source LABEL")
            source = content.add_stream(sys.stdin.buffer, label)
        elif place.startswith(("http://", "https://")):
            try:
                source = content.add_page(place, label or place, allow_private)
            except PrivateAddressError:
                reason = "this machine or a private network: use --allow-private to allow it"
                raise RequestError(f"{place}: the address is on {reason}") from None
        else:
            source = content.add_file(Path(place), label or Path(place).name)
            if source.path != os.path.abspath(place):
                common.tell(
                    f"{place}: this is a link to {source.path}; that file was added, "
                    "and its changes are followed"
                )
    if as_json:
        common.print_json(source)
    else:
        common.print_page(render_sources([source]))
    return 0


@click.command()
@common.with_tree
@common.json_option
def sources(tree: common.TreeOptions, as_json: bool) -> int:
    """List the added documents, with age, size and digest.

    Exits with 0 if there are any, 1 if there are none, 2 on errors.
    """
    from symindex.render.sources import render_sources
    from symindex.workspace.workspace import open_content

    with open_content(tree.root) as content:
        rows = content.sources()
        common.tell(*content.take_notices())
    if as_json:
        common.print_json(rows)
    else:
        common.print_page(render_sources(rows))
    return 0 if rows else 1


@click.command()
@click.argument("label", shell_complete=completion.sources)
@common.with_tree
def forget(tree: common.TreeOptions, label: str) -> int:
    """Delete the document that was added under LABEL.

    Exits with 0, or 1 if there is no such document.
    """
    from symindex.workspace.workspace import open_content

    with open_content(tree.root) as content:
        is_gone = content.forget(label)
    if not is_gone:
        common.tell(f"there is no source {label!r}: `symindex sources` lists all sources")
    return 0 if is_gone else 1
