"""`symindex search`."""

import os
import re
import shlex
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from msgspec import UNSET

from symindex.errors import RequestError
from symindex.protocol.search import (
    ITEM_EXTRAS,
    SearchRequest,
    SearchResponse,
    add_notices,
    is_guess,
    lacks_words,
)
from symindex.serve.cli import common_options as common
from symindex.serve.cli import completion
from symindex.serve.cli.caller import caller
from symindex.serve.cli.current_folder import CurrentFolder
from symindex.serve.cli.fleet_options import with_fleet
from symindex.serve.cli.search_options import with_options
from symindex.serve.cli.shown_answer import shown_data, shown_text
from symindex.text.escaping import shorten, show_text

if TYPE_CHECKING:
    from symindex.protocol.freshness import Freshness
    from symindex.workspace.answers import Answers

DIALECTS: Final = "rye context-mode sibyl lsap"
"""The formats of other systems."""

SENTENCE_ROWS: Final = 5
"""How many rows Markdown output shows for a question in words by default."""

TERMINAL_ROWS: Final = 50
"""How many rows a terminal shows by default."""


@click.command()
@click.argument("query", nargs=-1, shell_complete=completion.symbols)
@with_fleet("no_refresh", "wait", "given", "space")
@common.kind_option("Only symbols of this kind. Repeatable.")
@common.with_filters
@click.option(
    "-n",
    "--max-items",
    type=int,
    metavar="N",
    help=f"Show at most N results; 0 for all. Default: all; {TERMINAL_ROWS} on a terminal.",
)
@click.option("--start-index", type=int, default=0, metavar="N", help="Skip the first N results.")
@common.token_option
@click.option(
    "--fuzzy/--no-fuzzy",
    default=None,
    callback=lambda _context, _option, given: UNSET if given is None else given,
    help=(
        "Allow or forbid guesses: names that match despite a typo, or that contain the letters of "
        "the query in order but not consecutively. Default: allow them if fewer than 10 symbols "
        "match without guesses."
    ),
)
@with_options
@common.list_option(
    "-i",
    "--include",
    metavar="FIELD",
    shell_complete=completion.extras,
    help=f"Extra fields of each result: {', '.join(ITEM_EXTRAS)}. Repeatable.",
)
@common.choice_option(
    "--in",
    "names text notes all",
    (
        "What to search: the names of symbols; or, as `symindex recall` does, text, notes or all. "
        "Default: names."
    ),
    "within",
    default="names",
)
@common.choice_option(
    "--format",
    f"markdown json table lines {DIALECTS}",
    (
        "Default: table on a terminal, markdown elsewhere. With lines, each result is "
        "path:line: kind name. "
        "rye, context-mode, sibyl, lsap: the format of that system's tools."
    ),
    "form",
)
@click.option(
    "--request",
    "given",
    type=click.File("rb"),
    metavar="FILE|-",
    help=(
        "With --format rye, context-mode, sibyl or lsap: read that system's request, as JSON, "
        "from FILE."
    ),
)
@click.option("--json", "as_json", is_flag=True, help="Alias of --format json.")
@common.choice_option(
    "--next-by",
    "start_index pagination_id",
    "How Markdown output refers to the next page: by its first result or by a token.",
    default="start_index",
)
@click.option(
    "--no-refresh",
    is_flag=True,
    help="Search the index without checking for changed files.",
)
@click.option(
    "--wait",
    is_flag=True,
    help="Wait until a large source tree is indexed, instead of searching part of it.",
)
@common.no_daemon_option
def search(
    tree: common.TreeOptions,
    query: tuple[str, ...],
    max_items: int | None,
    form: str | None,
    as_json: bool,
    next_by: Any,
    no_refresh: bool,
    wait: bool,
    within: str,
    given: Any,
    **fields: Any,
) -> int:
    """Search for symbols. Builds or refreshes the index first.

    If a large source tree has no index yet, you get an answer at once from the files that may
    contain the name, while the index is built in the background; a notice says so.

    \b
    QUERY is one of
      a name    AuthService; part of it: authserv, ervice; initials: ASrv;
                misspelt: AuthServise
      qualified Auth.login, auth/login; Auth. for the members of Auth
      words     where are cookies parsed; symbols that match all words come first
      nothing   the most important symbols of the source tree
      boolean   auth AND (login OR logout) NOT test, "exact words", get*Name,
                kind:class, 'login -test' (in quotes); fields: name container path
                doc signature content id kind type lang space, and is
                (is:test, is:exported)

    The whole source tree is searched. --path is relative to the current folder; path: in a query is
    relative to the root.

    Exits with 0 if something was found; with 1 if nothing was found, or if there were only guesses
    and --fuzzy is not given; with 2 on errors.
    """
    common.check_form(form, as_json and form not in DIALECTS.split())
    if form in DIALECTS.split():
        if tree.fleet:
            raise RequestError(
                f"--format {form}: means nothing in a fleet; `symindex mcp --dialect` in a clone"
                " offers other systems' tools"
            )
        return _in_dialect(
            tree,
            form,
            given,
            as_json,
            {"query": " ".join(query), "max_items": max_items or None, **fields},
        )
    if given is not None:
        raise RequestError(
            f"--request needs --format with the name of a system: {', '.join(DIALECTS.split())}"
        )
    if within != "names":
        from symindex.serve.cli.commands.recall import (
            recall_as,
        )  # deferred, because most searches are for names

        return recall_as(
            tree, within, " ".join(query), max_items, as_json or form == "json", fields
        )
    form = "json" if as_json else form or ("table" if caller().is_terminal else "markdown")
    freshness = _freshness(no_refresh, wait)
    return _search_names(tree, query, max_items, form, next_by, freshness, fields)


def _search_names(
    tree: common.TreeOptions,
    words: tuple[str, ...],
    max_items: int | None,
    form: str,
    next_by: Any,
    freshness: "Freshness",
    fields: dict[str, Any],
) -> int:
    """Searches for symbols, writes the answer in the given form, and returns the exit code."""
    is_data = form == "json"
    is_first = (
        max_items is None and fields["limit"] is UNSET and not is_data and caller().is_terminal
    )
    is_lean = is_first and fields["sort_by"] in (UNSET, "score")
    from symindex.protocol.freshness import CACHED
    from symindex.protocol.search_rows import SHOWN_FLAGS
    from symindex.workspace.answers import search_plan
    from symindex.workspace.workspace import Workspace

    text = " ".join(words)
    shown_fields = (*SHOWN_FLAGS, "spans") if form == "table" else SHOWN_FLAGS
    page: dict[str, Any] = {} if is_data else {"include": shown_fields}
    if is_first:
        page["lean_rows" if is_lean else "most"] = TERMINAL_ROWS

    with tree.asked() as (workspace, folder):
        fields["paths"] = folder.globs(fields["paths"])
        request = SearchRequest(query=text, max_items=max_items or None, **fields)
        if freshness is CACHED and isinstance(workspace, Workspace):
            workspace.load()
        with common.progress_bar() as progress:
            plan = workspace.source.plan(request, **page)
            is_any_size = max_items is None and fields["limit"] is UNSET
            if form == "markdown" and is_any_size and not request.include and plan.is_sentence:
                form = "sentence"
                plan = plan.of_any_size(SENTENCE_ROWS, True, (*SHOWN_FLAGS, "signature", "doc"))
            response = search_plan(workspace, plan, freshness, progress)
        if (
            meant := _file_meant(workspace, folder, text)
            or ("" if tree.fleet else _path_meant(folder, words))
            or regex_meant(text)
        ):
            add_notices(response, [meant])
    plan.add_tail_notice(response)
    shown = shown_data(folder, response) if is_data else shown_text(folder, response)
    _write_response(shown, form, next_by, is_lean, folder.link_base(), plan.universe.row)
    is_asked_for = fields["fuzzy"] not in (UNSET, False)
    is_past_end = 0 < response.total <= fields["start_index"]
    is_found = (
        response.total
        and not is_past_end
        and (is_asked_for or not response.items or not all(map(is_guess, response.items)))
    )
    return 0 if is_found else 1


def _freshness(no_refresh: bool, wait: bool) -> "Freshness":
    from symindex.protocol.freshness import CACHED, CURRENT, CURRENT_OR_SCAN  # loads numpy

    return CACHED if no_refresh else CURRENT if wait else CURRENT_OR_SCAN


def _file_meant(answers: "Answers", folder: CurrentFolder, text: str) -> str:
    """Returns a notice for a query that is the path of a file, or of a line of one; empty for any
    other query."""
    match = _PATH.fullmatch(text)
    if match is None or not (
        "/" in text or match["line"] or os.path.isfile(os.path.join(folder.here, text))
    ):
        return ""
    with suppress(RequestError):
        outline = answers.outline(folder.path(match["path"]), depth=1)
        if outline.files == 1 and outline.path.endswith(match["path"].rpartition("/")[2]):
            path = shlex.quote(folder.shown(outline.path, "cwd"))
            if match["line"]:
                return f"this is a line of a file: `symindex symbol {path}:{match['line']}`"
            return f"this is a file: `symindex outline {path}`"
    return ""


def _path_meant(folder: CurrentFolder, words: tuple[str, ...]) -> str:
    """Returns a notice for words that end with the path of a folder or a file, which other programs
    would search in; empty for any other words."""
    last = words[-1] if len(words) > 1 else ""
    is_path = last in (".", "..") or "/" in last
    if not is_path or not os.path.exists(os.path.join(folder.here, last)):
        return ""
    query, path = shlex.join(words[:-1]), shlex.quote(last)
    return (
        f"{shorten(last, 100)} was searched as a word: use `symindex search {query} "
        f"--path {path}` to search there"
    )


def regex_meant(text: str) -> str:
    """Returns a notice for a query that looks like a regular expression; empty for any other
    query."""
    if not _REGEX.search(text):
        return ""
    wild = re.sub(r"\.[*+]", "*", text)
    names = (
        f"; `symindex search {shlex.quote(wild)}` matches any letters with *"
        if wild != text and _WILD.fullmatch(wild)
        else ""
    )
    return (
        "queries are not regular expressions: use `symindex grep "
        f"{shlex.quote(text)}` for one{names}"
    )


_REGEX: Final = re.compile(
    r"\.[*+?]|\\[wWdDsSbB]|\[[^\]\s]+\][*+?]|\(\?[:i]|^\^\w|[\w)]\$$|\w\|\w|\)[*+?]"
)
_WILD: Final = re.compile(r"[\w*]+")

_PATH: Final = re.compile(
    r"(?P<path>[\w@.+~-]*(?:/[\w@.+~-]+)*\.\w+)(?::(?P<line>\d+(?:-\d+)?)(?::\d*)?)?"
)
"""A query that may be a path, with an optional line."""


def _in_dialect(
    tree: common.TreeOptions, name: str, given: Any, as_json: bool, fields: dict[str, Any]
) -> int:
    from symindex.serve.cli.in_dialect import answer, from_file, from_options

    if given is None:
        if name == "rye" and not any(
            fields[name_of_option] for name_of_option in ("scope", "type", "kinds")
        ):
            fields["scope"] = "symbol"
        start = fields.pop("start_index") or None
        return answer(
            tree, name, None, from_options(name, {**fields, "start_index": start}), as_json
        )
    return answer(tree, name, *from_file(given), as_json)


def _write_response(
    response: SearchResponse, form: str, next_by: Any, folds: bool, base: Path | None, row_name: str
) -> None:
    if form == "json":
        common.print_json(response)
    elif form == "table":
        from rich.console import Console

        from symindex.render.terminal.table import print_search
        from symindex.render.terminal.terminal_page import without_link_ids

        styles = {"force_terminal": True} if common.has_styles() else {"color_system": None}
        console = Console(highlight=False, **styles, **caller().console_options())
        with (
            console.capture() as capture
        ):  # captured and printed by us: rich exits with 1 when the reader goes away
            print_search(response, console, folds, base)
        common.print_styled(without_link_ids(capture.get()) + show_text(_beside(response)))
    elif form == "lines":
        from symindex.render.terminal.lines import render_lines, rest_of_answer

        common.print_text(render_lines(response))
        common.tell(*rest_of_answer(response))
    elif form == "sentence":
        from symindex.render.markdown import as_option
        from symindex.render.question import render_question

        common.print_page(render_question(response, next_by, as_option, row_name), base)
        common.print_text(_hints(response))
    else:
        from symindex.render.markdown import as_option, render_search

        common.print_page(render_search(response, next_by, folds, as_option, row_name), base)
        if hints := _hints(response):
            common.print_text(hints)


def _beside(response: SearchResponse) -> str:
    """Returns what is shown below a table: rows from text, and hints."""
    from symindex.render.markdown import text_rows

    lines = "\n".join(["In text:", *text_rows(response), ""]) if response.text else ""
    return lines + _hints(response)


def _hints(response: SearchResponse) -> str:
    """Returns the hints below an answer: that the query occurs as text elsewhere, or that other
    words may find more."""
    if response.elsewhere is UNSET and not lacks_words(response):
        return ""
    from symindex.render.hints import command_hint, elsewhere_hint, vocabulary_hint

    hints = elsewhere_hint(response, command_hint), vocabulary_hint(response, command_hint)
    return "\n".join(filter(None, hints)) if response.elsewhere is not UNSET else f"\n{hints[1]}"
