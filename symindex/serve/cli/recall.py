"""The command `symindex recall`: questions in words about names, documents, docs, added content and notes."""

from collections.abc import Callable
from typing import Any

import click

from symindex.serve.cli import common_options as common

_FORMS = "markdown json sibyl"

_Command = Callable[..., int]


def _words(name: str, field: str, help_text: str) -> Callable[[_Command], _Command]:
    return common.list_option(name, field, otherwise=[], metavar="WORD", help=f"{help_text} Repeatable.")


def _text(name: str, help_text: str, metavar: str = "TEXT") -> Callable[[_Command], _Command]:
    return click.option(name, default="", metavar=metavar, help=help_text)


@click.command()
@click.argument("queries", nargs=-1, metavar="[QUERY...]")
@common.with_tree
@common.choice_option("--in", "names text notes all", "What is searched. Default: all.", "within", default="all")
@_text("--source", "Only sources in whose label or path this stands.")
@_text("--source-name", "The same.")
@_text("--source-id", "Only the source of this label or digest.")
@common.choice_option("--content-type", "code prose", "Only chunks that are mostly code, or that are prose.")
@_words("--type", "types", "Only items of this type, document, symbol, note, or a kind of symbols.")
@_words("--lang", "language", "Only this language.")
@_words("--category", "category", "Only of this category, as notes have one.")
@_words("--status", "status", "Only of this status.")
@_text("--project", "Only of this project.")
@_text("--assignee", "Only of this assignee.")
@_text("--since", "Only what was written since a date, or 12h, 7d, 2w, 3mo, 1y ago.", "WHEN")
@common.choice_option("--sort", "relevance timeline", "timeline: documents and notes, the newest first.", default="relevance")
@click.option("--boost-recent", is_flag=True, help="What is old counts less.")
@click.option("--session", envvar="SYMINDEX_SESSION", default="", metavar="ID", help="Whose notes come first.")
@click.option("-n", "--limit", type=int, metavar="N", help="Hits of each query, 1 to 50. Default: 10; 3 each of several queries.")
@click.option("--offset", type=int, default=0, metavar="N", help="Skip the first N hits.")
@click.option("--include-content", is_flag=True, help="Print the whole of each chunk.")
@click.option("--documents/--no-documents", "include_documents", default=True, help="Whether documents are searched.")
@click.option("--graph/--no-graph", "include_graph", default=True, help="Whether to find what is beside the best hits.")
@click.option("--enhanced/--plain", "use_enhanced", default=True, help="plain: words and their forms alone.")
@click.option("--request", "given", type=click.File("rb"), metavar="FILE|-", help="The request as JSON, in place of the rest.")
@common.choice_option("--format", _FORMS, "How to print. Default: markdown.", "form", default="markdown")
@common.json_option
def recall(tree: common.Tree, queries: tuple[str, ...], as_json: bool, form: str, given: Any, **options: Any) -> int:
    """Search all that a project knows, with questions in words: symbols, documents, docs, what was added, and notes.

    Each QUERY is a question of its own. An empty one, or none, lists what --type and the other filters let through.

    Exits with 0 if something was found, 1 if nothing was, 2 on errors.
    """
    from symindex.render.prose import render_text_search
    from symindex.render.sibyl import as_sibyl
    from symindex.search.prose.contract import TextRequest
    from symindex.search.prose.forms import read_text_request

    if given is not None:
        request, is_sibyl = read_text_request(given.read(1_000_000))
        form = "sibyl" if is_sibyl else form
    else:
        request = TextRequest(queries=[*queries] or [""], **options)
    with tree.workspace() as workspace:
        common.refresh(workspace)
        response = workspace.recall(request)
    if form == "sibyl":
        common.print_json(as_sibyl(response))
    elif as_json or form == "json":
        common.print_json(response)
    else:
        common.print_text(render_text_search(response))
    return 0 if response.total else 1
