"""The commands that show what stands in files: `symindex symbol`, `symindex outline`."""

import click
from msgspec import UNSET

from symindex.protocol import OutlineRequest, SymbolRequest, add_notices
from symindex.serve.cli.common_options import (
    json_option,
    kind_option,
    open_workspace,
    refresh,
    with_place,
    write_json,
    write_text,
)

_tokens_option = click.option(
    "--max-tokens", type=int, metavar="N", help="About as many tokens of a language model at most. Default: no limit."
)


@click.command()
@click.argument("symbol", metavar="SYMBOL")
@with_place
@click.option("--lines", metavar="FIRST-LAST", help="Show these lines of its file instead of its own.")
@click.option("--siblings", is_flag=True, help="List what else stands where it stands.")
@_tokens_option
@json_option
def symbol(
    symbol: str, root: str | None, index_dir: str | None, lines: str | None, siblings: bool, max_tokens: int | None, as_json: bool
) -> int:
    """Show one symbol: its place, doc, code and members; makes or refreshes the index first.

    \b
    SYMBOL is one of
      an id           src/cart.py#Cart.total, as `search --include id` gives it
      a name          Cart.total, Cart::total, total
      a name in a file src/cart.py#total
      a place         src/cart.py:120

    Where several have the name, they are listed. Exits with 0 if something was found, 1 if nothing was, 2 on errors.
    """
    request = SymbolRequest(symbol=symbol, lines=lines, siblings=siblings, max_tokens=max_tokens)
    with open_workspace(root, index_dir) as workspace:
        notices = refresh(workspace)
        response = workspace.symbol(request)
    add_notices(response, notices)
    if as_json:
        write_json(response)
    else:
        from symindex.render.hints import ShellHints
        from symindex.render.symbol import render_symbol

        write_text(render_symbol(response, ShellHints({"root": root, "index_dir": index_dir})))
    return 0 if response.total else 1


@click.command()
@click.argument("path", default="")
@with_place
@click.option("--depth", type=int, metavar="N", help="So many levels of folders, files, symbols and their members. Default: all.")
@kind_option("Only this kind, and what it stands in. Repeatable.")
@click.option("--signatures", is_flag=True, help="Show signatures instead of names.")
@_tokens_option
@json_option
def outline(
    path: str, root: str | None, index_dir: str | None, depth: int | None, kinds: tuple[str, ...], signatures: bool,
    max_tokens: int | None, as_json: bool,
) -> int:  # fmt: skip
    """Show what is defined in PATH, a file, a folder or a glob, as a tree; makes or refreshes the index first.

    PATH is relative to the root; without one the whole tree is shown. With --max-tokens the largest parts stay closed.

    Exits with 0 if something was found, 1 if nothing was, 2 on errors.
    """
    request = OutlineRequest(
        path=path, depth=depth, kinds=list(kinds) or None, max_tokens=max_tokens, include=["signature"] if signatures else UNSET
    )
    with open_workspace(root, index_dir) as workspace:
        notices = refresh(workspace)
        response = workspace.outline(request)
    add_notices(response, notices)
    if as_json:
        write_json(response)
    else:
        from symindex.render.hints import ShellHints
        from symindex.render.outline import render_outline

        write_text(render_outline(response, ShellHints({"root": root, "index_dir": index_dir})))
    return 0 if response.items else 1
