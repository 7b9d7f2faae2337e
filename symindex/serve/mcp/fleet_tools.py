"""The tools over a fleet of repositories: those that read, with a repository as an argument, and
without what needs a working copy."""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any, Final

from symindex.errors import RequestError
from symindex.serve.mcp.tools import HIDDEN, TOOLS

_REPOSITORY: Final = {"type": "string", "description": "owner/name"}
_PATH: Final = "Globs, e.g. owner/name/src/**; ! excludes"

_LEFT_OUT: Final[Mapping[str, tuple[str, ...]]] = {
    "search": ("space",),
    "outline": ("since", "tests"),
    "symbol": ("history",),
}
"""Arguments that need a working copy or the user's own files."""

_DESCRIPTIONS: Final = {
    "outline": (
        "List what a file defines, as a tree. For a folder, a repository or without a path: a map"
        " of the most important symbols."
    ),
    "status": "Show what is served: repositories, commits, files, symbols, age.",
}

_IN: Final = "Prose: text or all"


def _fleet_tool(tool: dict[str, Any]) -> dict[str, Any]:
    made = deepcopy(tool)
    name, properties = made["name"], made["inputSchema"]["properties"]
    made["description"] = _DESCRIPTIONS.get(name, made["description"])
    for argument in _LEFT_OUT.get(name, ()):
        properties.pop(argument, None)
    if "path" in properties:
        properties["path"]["description"] = _PATH
        properties["repository"] = dict(_REPOSITORY)
    if name == "outline":
        del properties["path"]["description"]
    if name == "search":
        properties["in"]["description"] = _IN
    if name == "status":
        made["outputSchema"]["properties"] = {"status": {"type": "object"}}
    return made


FLEET_TOOLS: Final = [_fleet_tool(tool) for tool in TOOLS]
"""The tools, in the form that `tools/list` returns."""

FLEET_BY_NAME: Final = {tool["name"]: tool for tool in FLEET_TOOLS}

FLEET_HIDDEN: Final = {
    tool: {name: kind for name, kind in kinds.items() if name not in _LEFT_OUT.get(tool, ())}
    for tool, kinds in HIDDEN.items()
}
"""Arguments that are accepted but not in the schemas."""


def in_repository(arguments: dict[str, Any], are_globs: bool) -> dict[str, Any]:
    """Returns arguments with the repository as the beginning of their paths. are_globs: whether a
    path without a slash is at any depth, as in .gitignore. Raises RequestError for a name that is
    none."""
    repository = arguments.pop("repository", "").strip("/")
    if not repository:
        return arguments
    if any(part in ("", ".", "..") for part in repository.split("/")) or "*" in repository:
        raise RequestError(
            f"repository {repository[:100]!r}: expected one name, as owner/name; path takes globs"
        )
    given = arguments.get("path") or []
    given = [given] if isinstance(given, str) else given
    paths = [_below(repository, path, are_globs) for path in given]
    if all(path.startswith("!") for path in paths):
        paths = [f"{repository}/**" if are_globs else repository, *paths]
    return {**arguments, "path": paths}


def _below(repository: str, path: str, is_glob: bool) -> str:
    negation, path = ("!", path[1:]) if path.startswith("!") else ("", path)
    path = path.removeprefix("./")
    if path.startswith(f"{repository}/"):  # as answers write it
        return negation + path
    is_name = is_glob and path and "/" not in path.rstrip("/")
    between = "/**/" if is_name else "/"
    return f"{negation}{repository}{between}{path.lstrip('/')}".rstrip("/")
