"""The command `symindex refs`."""

import click
from msgspec import UNSET

from symindex.protocol import ReferencesRequest, add_notices
from symindex.serve.cli.common_options import (
    json_option,
    lang_option,
    open_workspace,
    path_option,
    progress_bar,
    refresh,
    token_option,
    with_place,
    write_json,
    write_text,
)


@click.command()
@click.argument("name")
@with_place
@lang_option
@path_option
@click.option("-n", "--max-items", type=int, metavar="N", help="At most N references; 0 for all. Default: all.")
@token_option
@click.option("--seconds", type=float, default=10.0, metavar="S", help="Answer then with what was found so far. Default: 10.")
@json_option
def refs(
    name: str, root: str | None, index_dir: str | None, languages: tuple[str, ...], paths: tuple[str, ...], max_items: int | None,
    pagination_id: str | None, seconds: float, as_json: bool,
) -> int:  # fmt: skip
    """Find where the identifier NAME occurs in code, not in comments and strings; by name, so namesakes are found too.

    Of a qualified name or an id the last part counts. Exits with 0 if something was found, 1 if nothing was, 2 on errors,
    and where the time was over before anything was found.
    """
    request = ReferencesRequest(
        name=name,
        max_items=None if max_items == 0 else max_items,
        pagination_id=pagination_id,
        languages=list(languages) or UNSET,
        paths=list(paths) or UNSET,
    )
    with open_workspace(root, index_dir) as workspace:
        notices = refresh(workspace)
        with progress_bar("looking") as progress:
            response = workspace.references(request, seconds, progress)
    add_notices(response, notices)
    if as_json:
        write_json(response)
    else:
        from symindex.render.references import render_references

        write_text(render_references(response))
    if response.at_least:
        return 0
    return 1 if response.pagination_id is None else 2
