"""Finds dialects by name, and calls their tools from Python.

Example:
    with symindex.open("path/to/project") as workspace:
        found = call(workspace, "rye", "rye_search", query="create", scope="directive")
"""

import os
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from symindex.dialects import context_mode, lsap, rye_fetch, sibyl
from symindex.dialects.dialect import OWN, SESSION, CallContext, Dialect, Reply, tool_of
from symindex.dialects.throttle import Throttle
from symindex.errors import RequestError, one_of

if TYPE_CHECKING:
    from symindex.workspace.answers import Answers

_ALL: Final = (rye_fetch.DIALECT, context_mode.DIALECT, sibyl.DIALECT, lsap.DIALECT)

NAMES: Final = (*(known_dialect.name for known_dialect in _ALL), OWN)


def dialect(name: str) -> Dialect:
    """Returns a dialect by its name. Raises RequestError, which lists the names."""
    named_dialect = next(
        (known_dialect for known_dialect in _ALL if known_dialect.name == name), None
    )
    if named_dialect is None:
        raise one_of("dialect", name[:100], NAMES)
    return named_dialect


def choose(names: Sequence[str]) -> tuple[Dialect, ...]:
    """Returns dialects by their names, in order, without symindex's own tools. Raises RequestError
    for an unknown name, and if two dialects have a tool with the same name."""
    chosen = [dialect(name) for name in dict.fromkeys(names) if name != OWN]
    owners = {"search": OWN} if OWN in names else {}
    for chosen_dialect in chosen:
        for tool in chosen_dialect.tools:
            other = owners.setdefault(tool.name, chosen_dialect.name)
            if other != chosen_dialect.name:
                raise RequestError(
                    f"--dialect {other} and {chosen_dialect.name} both have a tool "
                    f"{tool.name!r}: run two servers"
                )
    return tuple(chosen)


def call(workspace: "Answers", name: str, tool: str | None = None, /, **arguments: Any) -> Any:
    """Calls a dialect's tool and returns its response. The default tool is the dialect's first.
    Raises RequestError for a call that cannot be answered, unless the dialect has its own response
    for that."""
    reply = reply_to(workspace, dialect(name), tool, arguments, _turns())
    if reply.is_error and isinstance(reply.data, dict) and reply.data.keys() == {"error"}:
        raise RequestError(reply.data["error"])
    return reply.data


@cache
def _turns() -> Throttle:
    """The counts of this process's callers, by their workspace."""
    return Throttle()


def reply_to(
    workspace: "Answers",
    asked: Dialect,
    tool: str | None,
    arguments: Mapping[str, Any],
    throttle: Throttle | None = None,
    in_shell: bool = False,
) -> Reply:
    """Calls a dialect's tool for a caller who waits for a current answer.

    throttle: counts the caller's calls; without one, this call is the first. in_shell: whether
    hints are commands.
    """
    from symindex.protocol.freshness import CURRENT  # deferred, because schemas need no workspace

    names = [dialect_tool.name for dialect_tool in asked.tools]
    chosen_tool = tool_of([asked], tool if tool is not None else names[0])
    if chosen_tool is None:
        raise one_of(f"tool of {asked.name}", str(tool)[:100], names)
    turn = (
        (throttle or Throttle()).take(str(id(workspace)), always=True)
        if chosen_tool.is_counted
        else None
    )
    return chosen_tool.call(
        CallContext(workspace, CURRENT, os.environ.get(SESSION, ""), turn, in_shell=in_shell),
        arguments,
    )
