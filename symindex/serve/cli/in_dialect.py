"""Runs a command as the search of another system: makes its request from options or a file, and
prints its response as that system does."""

from collections.abc import Mapping
from typing import IO, Any, Final

import msgspec
from msgspec import UNSET

from symindex.dialects.dialect import Reply, tool_of
from symindex.dialects.table import dialect, reply_to
from symindex.errors import RequestError, one_of
from symindex.render.markdown import as_option
from symindex.serve.cli import common_options as common
from symindex.text.escaping import shorten

MOST_BYTES: Final = 1_000_000
"""Longest request, in bytes."""

_FIELDS: Final[Mapping[str, Mapping[str, str]]] = {
    "rye": {
        "query": "query",
        "scope": "scope",
        "type": "scope",
        "kinds": "scope",
        "space": "space",
        "limit": "limit",
        "max_items": "limit",
        "offset": "offset",
        "start_index": "offset",
        "sort_by": "sort_by",
        "fields": "fields",
        "filters": "filters",
        "fuzzy": "fuzzy",
        "proximity": "proximity",
    },
    "lsap": {
        "query": "query",
        "kinds": "kinds",
        "max_items": "max_items",
        "limit": "max_items",
        "start_index": "start_index",
        "offset": "start_index",
        "pagination_id": "pagination_id",
    },
    "sibyl": {
        "query": "query",
        "types": "types",
        "type": "types",
        "kinds": "types",
        "language": "language",
        "languages": "language",
        "category": "category",
        "status": "status",
        "project": "project",
        "assignee": "assignee",
        "source": "source",
        "source_id": "source_id",
        "source_name": "source_name",
        "since": "since",
        "limit": "limit",
        "max_items": "limit",
        "offset": "offset",
        "start_index": "offset",
        "include_content": "include_content",
        "include_documents": "include_documents",
        "include_graph": "include_graph",
        "use_enhanced": "use_enhanced",
        "boost_recent": "boost_recent",
    },
    "context-mode": {
        "query": "queries",
        "queries": "queries",
        "limit": "limit",
        "max_items": "limit",
        "source": "source",
        "content_type": "contentType",
        "sort": "sort",
    },
}
"""The parameter of a dialect's search that an option stands for, by dialect."""


_OPTIONS: Final = {"kinds": "kind", "languages": "lang", "paths": "path", "phrasings": "or"}
"""Options whose names differ from those of their fields."""


def from_options(name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Converts the options of a command to arguments of a dialect's search. Raises RequestError for
    an option that the dialect has no parameter for."""
    fields, lists = (
        _FIELDS[name],
        {
            parameter.name
            for parameter in dialect(name).tools[0].parameters
            if parameter.kind == "array"
        },
    )
    arguments: dict[str, Any] = {}
    for option, value in options.items():
        if value in (UNSET, None, [], (), {}, ""):
            continue
        if option not in fields:
            raise RequestError(
                (
                    f"--format {name}: there is no parameter for "
                    f"{as_option(_OPTIONS.get(option, option), '')}"
                ).rstrip()
            )
        parameter = fields[option]
        if isinstance(value, list | tuple) and parameter not in lists:
            if len(value) > 1 and parameter != "status":
                raise RequestError(f"--format {name}: expected one {parameter}, got {len(value)}")
            value = ",".join(map(str, value))
        if parameter in lists:
            value = [*arguments.get(parameter, []), *([value] if isinstance(value, str) else value)]
        elif parameter in arguments:
            raise RequestError(
                f"--format {name}: expected one {parameter}, but several options set it"
            )
        if parameter == "fuzzy" and isinstance(value, bool):
            value = {"enabled": value}
        arguments[parameter] = value
    return arguments


def from_file(file: IO[bytes]) -> tuple[str | None, dict[str, Any]]:
    """Reads a request in JSON. Returns the tool, if the file names one, and its arguments. The file
    contains only arguments, or `name` and `arguments` as in a tool call. Raises RequestError."""
    data = common.read_given(file, MOST_BYTES, "--request", "divide it into several calls")
    try:
        read = msgspec.json.decode(data)
    except (msgspec.MsgspecError, RecursionError, ValueError) as error:
        raise RequestError(f"--request: not valid JSON: {error}") from None
    if not isinstance(read, dict):
        raise RequestError(
            f"--request: {shorten(repr(read), 40)}: expected an object with the arguments of a tool"
        )
    if read.keys() == {"name", "arguments"} and isinstance(read["arguments"], dict):
        return str(read["name"]), read["arguments"]
    return None, read


def answer(
    tree: common.TreeOptions,
    name: str,
    tool: str | None,
    arguments: Mapping[str, Any],
    as_json: bool = False,
) -> int:
    """Prints the response of a dialect's tool and returns the exit code.

    as_json: print the data, even if the text is Markdown.
    """
    system = dialect(name)
    if tool is not None and tool_of([system], tool) is None:
        raise one_of(f"tool of {name}", tool[:100], [offered.name for offered in system.tools])
    root = arguments.get("project_path")
    if tree.root is None and isinstance(root, str) and root:
        tree = tree._replace(root=root)
    with tree.workspace() as workspace:
        common.refresh(workspace)
        reply = reply_to(workspace, system, tool, arguments, in_shell=True)
    return _print(reply, as_json)


def _print(reply: Reply, as_json: bool) -> int:
    is_plain = isinstance(reply.data, dict) and reply.data.keys() == {"error"}
    if reply.is_error and is_plain:
        raise RequestError(reply.text)
    if as_json or reply.text.startswith("{"):
        common.print_json(reply.data)
    else:
        common.print_text(reply.text)
    return 2 if reply.is_error else 0 if reply.n_results else 1
