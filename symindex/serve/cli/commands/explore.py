"""`symindex symbol`, `trace`, `outline` and `refs`: what files contain."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import click
import msgspec
from msgspec import UNSET

from symindex.protocol.explore import ReferencesRequest, ReferencesResponse
from symindex.serve.cli import common_options as common
from symindex.serve.cli import completion
from symindex.serve.cli.current_folder import CurrentFolder
from symindex.serve.cli.fleet_options import with_fleet
from symindex.serve.cli.shown_answer import (
    ask_for_symbol,
    shown_data,
    shown_text,
    with_shown_notices,
)
from symindex.text.counts import count_of

_tokens_option = click.option(
    "--max-tokens",
    type=int,
    metavar="N",
    help="Limit the answer to about N tokens, as language models count them. Default: no limit.",
)


@click.command()
@click.argument(
    "symbols", metavar="SYMBOL...", nargs=-1, required=True, shell_complete=completion.symbols
)
@with_fleet("history")
@click.option(
    "-p",
    "--path",
    metavar="PATH",
    shell_complete=completion.paths,
    help="Only symbols in this file, folder or glob.",
)
@click.option(
    "--lines",
    metavar="FIRST-LAST",
    help="Show these lines of the symbol's file instead of the code of the symbol.",
)
@click.option(
    "--siblings",
    is_flag=True,
    help="Also list the other members of the class or module that the symbol is in.",
)
@click.option(
    "--no-code",
    "code",
    flag_value=False,
    default=True,
    help="Show the signature and doc comment, but not the code.",
)
@click.option(
    "--used-in",
    metavar="PLACE",
    help="Show what SYMBOL, a name, means where PLACE uses it: path#symbol, path:line or a file.",
)
@click.option("--history", is_flag=True, help="Show the last commit that touched the symbol.")
@_tokens_option
@common.no_daemon_option
@common.json_option
def symbol(
    tree: common.TreeOptions,
    symbols: tuple[str, ...],
    path: str | None,
    as_json: bool,
    **fields: Any,
) -> int:
    """Show a symbol: its location, doc comment, code and members. Builds or refreshes the index
    first.

    \b
    SYMBOL is one of
      an id    src/cart.py#Cart.total (see `search --include id`)
      a name   Cart.total, Cart::total, total; in one file: src/cart.py#total
      a place  src/cart.py:120, src/cart.py:120-140
      a use    src/cart.py:120:16, line and column of a name: where it is defined
      a frame  one line of a stack trace, as it was printed; for a whole stack
               trace, use `symindex trace`

    If several symbols match, they are listed.

    Exits with 0 if every SYMBOL was found, 1 if any was not, 2 on errors.
    """
    with tree.asked() as (workspace, folder):
        common.refresh(workspace)
        fields["path"] = folder.path(path or "") or UNSET
        if fields["used_in"] is not None:
            fields["used_in"] = folder.symbol(fields["used_in"])
        responses = [
            ask_for_symbol(folder, partial(workspace.symbol, **fields), typed) for typed in symbols
        ]
    if as_json:
        data = [shown_data(folder, response) for response in responses]
        common.print_json(data[0] if len(data) == 1 else data)
    else:
        from symindex.render.symbol import render_symbol

        pages = [
            render_symbol(shown_text(folder, response, symbol=typed), tree.hints())
            for response, typed in zip(responses, symbols, strict=True)
        ]
        common.print_page("\n".join(pages), folder.link_base())
    return 0 if all(response.total for response in responses) else 1


@click.command()
@click.argument("file", type=click.File("r", errors="replace"), default="-")
@with_fleet()
@common.json_option
def trace(tree: common.TreeOptions, file: Any, as_json: bool) -> int:
    """Show the code that a stack trace points to, with its enclosing symbols. Frames outside the
    source tree are collapsed.

    FILE contains the trace as it was printed, or compiler messages. Default: standard input.

    Exits with 0 if a frame is in the source tree, 1 if none is, 2 on errors.
    """
    text = common.read_given(file, MOST_TRACE, "the trace", "give its beginning or its end")
    with tree.asked() as (workspace, folder):
        common.refresh(workspace)
        response = workspace.trace(text, folder=folder.below)
    if as_json:
        common.print_json(shown_data(folder, response))
    else:
        from symindex.render.trace import render_trace

        common.print_page(render_trace(shown_text(folder, response)), folder.link_base())
    return 0 if response.frames else 1


MOST_TRACE = 50_000_000
"""Longest trace that is read, in characters."""


@click.command()
@click.argument("places", metavar="[PATH...]", nargs=-1, shell_complete=completion.paths)
@with_fleet()
@click.option(
    "--depth",
    type=int,
    metavar="N",
    help="Show at most N levels of folders, files, symbols and members. Default: all.",
)
@common.kind_option("Only symbols of this kind, and those that contain them. Repeatable.")
@click.option("--signatures", is_flag=True, help="Show signatures instead of names.")
@_tokens_option
@common.no_daemon_option
@common.with_forms("path:line: kind name")
def outline(
    tree: common.TreeOptions, places: tuple[str, ...], signatures: bool, form: str, **fields: Any
) -> int:
    """List what is defined in PATHs (files, folders or globs) as a tree. Builds or refreshes the
    index first.

    PATHs are relative to the current folder; without one, the whole source tree is shown. With
    --max-tokens, the largest parts stay collapsed.

    Exits with 0 if something was found, 1 if nothing was, 2 on errors.
    """
    with tree.asked() as (workspace, folder):
        common.refresh(workspace)
        path = (
            [folder.path(place) for place in places]
            if len(places) > 1
            else folder.path("".join(places))
        )
        response = workspace.outline(path, include=["signature"] if signatures else UNSET, **fields)
    if form == "json":
        common.print_json(shown_data(folder, response))
    elif form == "lines":
        from symindex.render.terminal.lines import outline_lines

        common.print_lines(
            outline_lines(response, folder.shown), with_shown_notices(folder, response).notices
        )
    else:
        from symindex.render.outline import render_outline

        common.print_page(
            render_outline(with_shown_notices(folder, response), tree.hints(), folder.shown),
            folder.link_base(),
        )
    return 0 if response.items else 1


@click.command()
@click.argument(
    "names", metavar="NAME...", nargs=-1, required=True, shell_complete=completion.symbols
)
@with_fleet()
@common.with_filters
@click.option(
    "-n",
    "--max-items",
    type=int,
    metavar="N",
    help="Show at most N references; 0 for all. Default: all.",
)
@common.list_option(
    "--role",
    metavar="ROLE",
    shell_complete=completion.roles,
    help=(
        "Only references with this role: call, import, type, inherit, read, write, ... Repeatable."
    ),
)
@click.option(
    "--all",
    is_flag=True,
    help=(
        "Of a member, also list uses whose receiver is of unknown type. Default: count them, and"
        " list them only if there are no others."
    ),
)
@click.option(
    "--why",
    is_flag=True,
    help="Of a symbol, say of each reference by which rule it was bound to it.",
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
def refs(
    tree: common.TreeOptions,
    names: tuple[str, ...],
    max_items: int | None,
    seconds: float,
    form: str,
    paths: Any,
    **fields: Any,
) -> int:
    """List where the identifier NAME occurs in code, but not in comments or strings. References are
    found by name, so they include those to other symbols of the same name.

    If NAME is a symbol's id (path#Name) or a qualified name that only one symbol has, references to
    other symbols are left out: by names, and in fifteen languages also by imports and the types of
    receivers (Python, JavaScript, TypeScript, Go, Java, Kotlin, C#, Scala, Swift, Rust, C, C++,
    PHP, Ruby, Elixir). Certain references come first. Of a member, uses whose receiver is of
    unknown type are counted; --all lists them. For any other qualified name, only the last part is
    looked up. With --role, there is one row per enclosing symbol: `--role call` lists the callers.

    Exits with 0 if every NAME was found, 1 if any was not, 2 on errors, or if time ran out before
    anything was found.
    """
    with tree.asked() as (workspace, folder):
        request = ReferencesRequest(
            name=names[0], max_items=max_items or None, paths=folder.globs(paths), **fields
        )
        common.refresh(workspace)
        with common.progress_bar("looking") as progress:

            def ask(meant: str) -> ReferencesResponse:
                return workspace.references(
                    msgspec.structs.replace(request, name=meant),
                    seconds=seconds,
                    progress=progress,
                )

            responses = [ask_for_symbol(folder, ask, name) for name in names]
    _print_references(folder, responses, form)
    return max(
        0 if response.at_least else 1 if response.pagination_id is None else 2
        for response in responses
    )


def _print_references(
    folder: CurrentFolder, responses: list[ReferencesResponse], form: str
) -> None:
    if form == "json":
        data = [shown_data(folder, response) for response in responses]
        common.print_json(data[0] if len(data) == 1 else data)
    elif form == "lines":
        from symindex.render.terminal.lines import hit_lines

        shown = [shown_text(folder, response) for response in responses]
        notices = dict.fromkeys(
            notice
            for response in shown
            for notice in (*_doubts(response), *(response.notices or ()))
        )
        common.print_lines("".join(hit_lines(response.files) for response in shown), [*notices])
    else:
        from symindex.render.markdown import as_option
        from symindex.render.references import marker, render_references

        pages = [
            render_references(
                shown_text(folder, response),
                as_option,
                marker(response) if common.has_styles() else str,
            )
            for response in responses
        ]
        common.print_page("\n".join(pages), folder.link_base())


def _doubts(response: ReferencesResponse) -> Iterator[str]:
    """Yields what the rows alone do not show: how many references are uncertain or left out, and
    whether there are none."""
    name, every = response.request.name, [item for file in response.files for item in file.items]
    if n_unsure := sum(bool(item.is_unsure) for item in every):
        yield f"{name}: {n_unsure:,} of {len(every):,} may refer to another symbol"
    if response.narrowed:
        others = count_of(response.narrowed, "reference")
        yield f"{name}: left out {others} with another meaning"
    if response.unknown:
        yield f"{name}: {response.unknown:,} with a receiver of unknown type: --all lists them"
    if not every and not response.at_least:
        yield f"{name}: no references"
