"""The options of a search other than its query and page, in one table.

The command line, the agents' tools and the explanation of empty answers are derived from it. A new
option needs a row here, a field in `protocol/search`, its meaning in `search/options/read`, and a
rule in `search/options/narrow` if it excludes rows.
"""

from typing import Final, Literal, NamedTuple


class SearchOption(NamedTuple):
    """An option of a search.

    name: the field of `SearchRequest`.
    value: what the command line accepts: `text`, `number`, repeated `texts`, or repeated `pairs` of
    a field and a value; empty if the command line declares the option itself.
    flag: the option on the command line; by default `--name`.
    metavar, help: the texts that `--help` shows.
    completes: the function in `serve/cli/completion` that completes values in a shell.
    tool: the JSON type, if the agents' tools accept the argument without listing it in their
    schema; else empty.
    narrows: whether the option only excludes rows.
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
    SearchOption(
        "phrasings",
        "texts",
        flag="--or",
        metavar="TEXT",
        help=(
            "Search for TEXT, too: the query in other words. Results are ranked together."
            " Repeatable."
        ),
        completes="symbols",
    ),
    SearchOption("limit", "number", metavar="N", help="Alias of --max-items."),
    SearchOption("offset", "number", metavar="N", help="Alias of --start-index."),
    SearchOption(
        "fields",
        "pairs",
        flag="--field",
        metavar="FIELD=QUERY",
        help="Only results whose FIELD also matches QUERY. Repeatable.",
        tool="object",
        narrows=True,
    ),
    SearchOption(
        "filters",
        "pairs",
        flag="--filter",
        metavar="FIELD=VALUE",
        help=(
            "Only results in which FIELD equals VALUE; !VALUE excludes results. date_from=DATE and"
            " date_to=DATE set a range of dates. Repeatable; for the same FIELD, one of the values"
            " must match."
        ),
        tool="object",
        narrows=True,
    ),
    SearchOption("fuzzy", tool="object"),
    SearchOption(
        "proximity",
        metavar="N",
        help="Allow at most N other words between the words of the query.",
        tool="object",
        narrows=True,
    ),
    SearchOption(
        "scope",
        "texts",
        metavar="SCOPE",
        help=(
            "Only results in this scope, TYPE.NAMESPACE: class.src.auth.* means the classes in"
            " src/auth. Repeatable."
        ),
        narrows=True,
    ),
    SearchOption(
        "space",
        "text",
        metavar="SPACE",
        help=(
            "Where to search: project, user (your own folders), system (the packages that the"
            " project depends on) or all. Default: project for symbols, all for items."
        ),
        completes="spaces",
        narrows=True,
    ),
    SearchOption(
        "type",
        "texts",
        metavar="TYPE",
        help=(
            "What to search for: symbol, section, item, a type of item (skill, ...), or all."
            " Default: symbol."
            " Repeatable."
        ),
        completes="types",
        narrows=True,
    ),
    SearchOption(
        "sort_by",
        "text",
        metavar="ORDER",
        help="Order: score, date (of the file, newest first) or name. Default: score.",
        completes="orders",
        tool="string",
    ),
)

NARROWING: Final = tuple(option.name for option in SEARCH_OPTIONS if option.narrows)
"""The fields of a request that only exclude rows, in the order in which messages name them."""
