"""`symindex recall` and `related`: questions in words about symbols, documents and notes."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import click
from msgspec import UNSET

from symindex.serve.cli import common_options as common
from symindex.serve.cli import completion
from symindex.serve.cli.shown_answer import shown_data, shown_text

if TYPE_CHECKING:
    from symindex.protocol.recall import TextRequest

_FORMS = "markdown json sibyl context-mode"

_DEFAULTS: Final = {
    "within": "all",
    "sort": "relevance",
    "boost_recent": False,
    "offset": 0,
    "include_content": False,
    "include_documents": True,
    "include_graph": True,
    "use_enhanced": True,
    "vectors": None,
}
"""Default values of the options. An option with its default value is not passed on to another
system's search."""

_Command = Callable[..., int]


def _words(name: str, field: str, help_text: str) -> Callable[[_Command], _Command]:
    offered = {"--lang": completion.languages, "--type": completion.types}.get(name)
    return common.list_option(
        name,
        field,
        otherwise=[],
        metavar="WORD",
        help=f"{help_text} Repeatable.",
        shell_complete=offered,
    )


def _text(name: str, help_text: str, metavar: str = "TEXT") -> Callable[[_Command], _Command]:
    offered = completion.sources if name.startswith("--source") else None
    return click.option(name, default="", metavar=metavar, help=help_text, shell_complete=offered)


@click.command()
@click.argument("queries", nargs=-1, metavar="[QUERY...]")
@common.with_paths
@common.list_option(
    "--or",
    "phrasings",
    otherwise=[],
    metavar="TEXT",
    help="The question in other words. Hits are ranked together. Repeatable.",
)
@common.choice_option(
    "--in", "names text notes all", "What to search. Default: all.", "within", default="all"
)
@_text("--source", "Only sources whose label or path contains TEXT.")
@_text("--source-name", "Alias of --source.")
@_text("--source-id", "Only the source with exactly this label or digest.")
@common.choice_option(
    "--content-type", "code prose", "Only passages of code, or only passages of prose."
)
@_words(
    "--type",
    "types",
    "Only hits of this type: document, symbol, note, a type of item or a kind of symbol.",
)
@_words("--lang", "language", "Only passages in this language.")
@_words("--category", "category", "Only items and notes of this category.")
@_words("--status", "status", "Only items with this status.")
@_text("--project", "Only items whose metadata names this project.")
@_text("--assignee", "Only items that are assigned to this person.")
@_text(
    "--since",
    "Only passages written since a date (2026-05-31), or within a period (12h, 7d, 2w, 3mo, 1y).",
    "WHEN",
)
@common.choice_option(
    "--sort",
    "relevance timeline",
    "Order of the hits. timeline: only documents and notes, newest first. Default: relevance.",
    default="relevance",
)
@click.option("--boost-recent", is_flag=True, help="Rank older passages lower.")
@click.option(
    "--session",
    envvar="SYMINDEX_SESSION",
    default="",
    metavar="ID",
    help="Show the notes of this agent session first.",
)
@click.option(
    "-n",
    "--limit",
    type=int,
    metavar="N",
    help="Hits per query, 1 to 50. Default: 10, or 3 for several queries.",
)
@click.option("--offset", type=int, default=0, metavar="N", help="Skip the first N hits.")
@click.option("--include-content", is_flag=True, help="Print each passage in full.")
@click.option(
    "--documents/--no-documents",
    "include_documents",
    default=True,
    help="Whether to search documents. Default: yes.",
)
@click.option(
    "--graph/--no-graph",
    "include_graph",
    default=True,
    help="Whether to add symbols and passages related to the best hits. Default: yes.",
)
@click.option(
    "--enhanced/--plain",
    "use_enhanced",
    default=True,
    help=(
        "plain: match only the words and their inflections. enhanced: also match parts of words, "
        "synonyms and corrected typos. Default: enhanced."
    ),
)
@click.option(
    "--vectors/--no-vectors",
    "vectors",
    default=None,
    help=(
        "Whether to also match by meaning, which needs the `vectors` extra or a model of your own. "
        "Default: yes, if a model is available."
    ),
)
@click.option(
    "--request",
    "given",
    type=click.File("rb"),
    metavar="FILE|-",
    help="Read the request, as JSON, from FILE instead of from the arguments.",
)
@common.choice_option(
    "--format",
    _FORMS,
    ("Output format. Default: markdown. sibyl, context-mode: the format of that system's search."),
    "form",
    default="markdown",
)
@common.json_option
def recall(
    tree: common.TreeOptions,
    queries: tuple[str, ...],
    as_json: bool,
    form: str,
    given: Any,
    **options: Any,
) -> int:
    """Ask questions in plain words about everything in a project: symbols and their doc comments,
    documents (including those that you added), and notes.

    Each QUERY is a separate question. Without a QUERY, or with an empty one, recall lists
    everything that --type and the other filters select.

    Exits with 0 if something was found, 1 if nothing was, 2 on errors.
    """
    from symindex.recall.chunks.read_request import read_text_request

    if form in ("sibyl", "context-mode") or given is not None:
        from symindex.serve.cli.in_dialect import answer, from_file, from_options

        if given is None:
            changed = {
                name: value
                for name, value in options.items()
                if name != "session" and value != _DEFAULTS.get(name)
            }
            texts = (
                {"queries": [*queries]} if form == "context-mode" else {"query": " ".join(queries)}
            )
            return answer(tree, form, None, from_options(form, {**texts, **changed}), as_json)
        tool, read = from_file(given)
        if (
            form not in ("sibyl", "context-mode") and "query" in read
        ):  # only Sibyl's requests have it
            form = "sibyl"
        if form in ("sibyl", "context-mode"):
            return answer(tree, form, tool, read, as_json)
        request = read_text_request(read)
    else:
        request = read_text_request({"queries": [*queries] or [""], **options})
        if len(queries) > 1 and not any(" " in query.strip() for query in queries):
            common.print_text(
                (
                    f"symindex: {len(queries)} questions of one word each; use quotes to "
                    "ask one question\n"
                ),
                err=True,
            )
    return _answer(tree, request, as_json or form == "json")


def recall_as(
    tree: common.TreeOptions,
    within: str,
    query: str,
    limit: int | None,
    as_json: bool,
    fields: dict[str, Any],
) -> int:
    """Answers a `symindex search` for text or notes. Raises RequestError for options that do not
    apply to them."""
    from symindex.errors import RequestError
    from symindex.recall.chunks.read_request import read_text_request

    if tree.fleet and within == "notes":
        raise RequestError("--in notes: a fleet has no notes: use --in text")
    names = {"kinds": "types", "type": "types", "languages": "language", "phrasings": "phrasings"}
    options = {
        name: value
        for name, value in fields.items()
        if name not in _PAGES and value not in (UNSET, None)
    }
    if unknown := [name for name in options if name not in names]:
        raise RequestError(
            f"--in {within} does not support {unknown[0].replace('_', '-')}: see the "
            "filters of `symindex recall`"
        )
    lists: dict[str, list[str]] = {}
    for name, value in options.items():
        lists[names[name]] = [*lists.get(names[name], []), *value]
    limit = limit if limit is not None else None if fields["limit"] is UNSET else fields["limit"]
    first = fields["start_index"] if fields["offset"] is UNSET else fields["offset"]
    request = read_text_request(
        {"queries": [query], "in": within, "limit": limit, "offset": first, **lists}
    )
    return _answer(tree, request, as_json)


_PAGES = ("limit", "offset", "start_index", "pagination_id")


def _answer(tree: common.TreeOptions, request: "TextRequest", as_json: bool) -> int:
    from symindex.render.prose import render_text_search

    request.marks = request.marks or (common.has_styles() and not as_json)
    with tree.asked() as (workspace, folder):
        common.refresh(workspace)
        response = workspace.recall(request)
    if as_json:
        common.print_json(shown_data(folder, response))
    else:
        common.print_page(render_text_search(shown_text(folder, response)), folder.link_base())
    return 0 if response.total else 1


@click.command()
@click.argument("hit_id", metavar="ID", shell_complete=completion.paths)
@common.with_paths
@common.json_option
def related(tree: common.TreeOptions, hit_id: str, as_json: bool) -> int:
    """Show what is related to a hit from `symindex recall` or `symindex search`: the other members
    of its container, its callers and callees, and the sections and notes that mention it. Relations
    are found by name.

    ID is the id of a hit: path#Name, path:line, chunk:12, note:3, or the id in an item's front
    matter.

    Exits with 0 if something was found, 1 if nothing was, 2 on errors.
    """
    from symindex.render.prose import render_related

    with tree.opened() as (workspace, folder):
        common.refresh(workspace)
        answer = workspace.related(folder.symbol(hit_id))
        if answer is None and folder.symbol(hit_id) != hit_id:
            answer = workspace.related(hit_id)
    if as_json:
        hit, neighbours = answer if answer is not None else (None, [])
        common.print_json(
            {"hit": shown_data(folder, hit), "related": shown_data(folder, neighbours)}
        )
    elif answer is None:
        common.tell(
            f"{hit_id}: there is nothing with this id: `symindex recall` shows the ids of hits"
        )
    else:
        common.print_page(
            render_related(shown_text(folder, answer[0]), shown_text(folder, answer[1])),
            folder.link_base(),
        )
    return 0 if answer is not None and answer[1] else 1
