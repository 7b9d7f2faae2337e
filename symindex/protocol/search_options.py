"""The options of a search beside its query and page, as one table.

The command line, the tools of agents and the explanation of empty answers are made from it. A new
option needs a row here, a field in `protocol/search`, its meaning in `search/options/read` and the
rows that it lets through in `search/options/narrow`.
"""

from typing import Final, Literal, NamedTuple


class SearchOption(NamedTuple):
    """An option of a search.

    name: the field of `SearchRequest`. value: what the command line takes: `text`, `number`,
    repeated `texts`, or repeated `pairs` of a field and a value; empty where the command line
    declares the option itself. flag: its name on the command line; by default `--name`. metavar,
    help: as the command line shows them. completes: what a shell completes, a name in
    `serve/cli/completion`. tool: the JSON type of the tools' argument that they accept without
    showing it; empty for a shown or missing one. narrows: whether it only leaves out rows.
    """

    name: str
    value: Literal["", "text", "number", "texts", "pairs"] = ""
    flag: str = ""
    metavar: str = ""
    help: str = ""
    completes: str = ""
    tool: Literal["", "object", "string", "integer"] = ""
    narrows: bool = False


SEARCH_OPTIONS: Final = (
    SearchOption("kinds", narrows=True),
    SearchOption("languages", narrows=True),
    SearchOption("paths", narrows=True),
    SearchOption("limit", "number", metavar="N", help="Another name of --max-items."),
    SearchOption("offset", "number", metavar="N", help="Another name of --start-index."),
    SearchOption(
        "fields",
        "pairs",
        flag="--field",
        metavar="FIELD=QUERY",
        help="Only where the field matches the query, too. Repeatable.",
        tool="object",
        narrows=True,
    ),
    SearchOption(
        "filters",
        "pairs",
        flag="--filter",
        metavar="FIELD=VALUE",
        help=(
            "Only where the field is the value, or one of several; !VALUE is not. Repeatable. Also"
            " date_from, date_to."
        ),
        tool="object",
        narrows=True,
    ),
    SearchOption("fuzzy", tool="object"),
    SearchOption(
        "proximity",
        metavar="N",
        help="Only where the words stand with at most N others between.",
        tool="object",
        narrows=True,
    ),
    SearchOption(
        "scope",
        "texts",
        metavar="SCOPE",
        help="Only in this type and namespace, as class.src.auth.*. Repeatable.",
        narrows=True,
    ),
    SearchOption(
        "space",
        "text",
        metavar="SPACE",
        help="project, user, system or all. Default: project for symbols, all for items.",
        completes="spaces",
        narrows=True,
    ),
    SearchOption(
        "type",
        "texts",
        metavar="TYPE",
        help="symbol (the default), section, item, a type of items, or all. Repeatable.",
        completes="types",
        narrows=True,
    ),
    SearchOption(
        "sort_by",
        "text",
        metavar="ORDER",
        help="score, date (of the file, newest first) or name. Default: score.",
        completes="orders",
        tool="string",
    ),
)

NARROWING: Final = tuple(option.name for option in SEARCH_OPTIONS if option.narrows)
"""The fields of a request that only leave out rows, in the order of messages."""
