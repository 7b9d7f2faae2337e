"""The dialects by name, and calls of their tools from Python.

Example:
    with symindex.open("path/to/project") as workspace:
        found = call(workspace, "rye", "rye_search", query="create", scope="directive")
"""

import os
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from symindex.dialects import context_mode, lsap, rye_fetch, sibyl
from symindex.dialects.dialect import OWN, SESSION, Caller, Dialect, Reply, tool_of
from symindex.dialects.throttle import Throttle
from symindex.errors import RequestError, one_of

if TYPE_CHECKING:
    from symindex.workspace.roots import Roots

_ALL: Final = (rye_fetch.DIALECT, context_mode.DIALECT, sibyl.DIALECT, lsap.DIALECT)

NAMES: Final = (*(each.name for each in _ALL), OWN)


def dialect(name: str) -> Dialect:
    """A dialect by its name. Raises RequestError, which lists them."""
    found = next((each for each in _ALL if each.name == name), None)
    if found is None:
        raise one_of("dialect", name[:100], NAMES)
    return found


def choose(names: Sequence[str]) -> tuple[Dialect, ...]:
    """Some dialects, in order, without symindex's own. Raises RequestError for one that there is
    not, and for two that both have a tool of one name."""
    chosen = [dialect(name) for name in dict.fromkeys(names) if name != OWN]
    owners = {"search": OWN} if OWN in names else {}
    for each in chosen:
        for tool in each.tools:
            other = owners.setdefault(tool.name, each.name)
            if other != each.name:
                raise RequestError(
                    f"--dialect {other} and {each.name} both have a tool {tool.name!r}: serve them"
                    " separately"
                )
    return tuple(chosen)


def call(workspace: "Roots", name: str, tool: str | None = None, /, **arguments: Any) -> Any:
    """The response of a dialect's tool; tool: by default the dialect's first. Raises RequestError
    for a call that cannot be carried out, unless the dialect answers that with a response of its
    own."""
    reply = reply_to(workspace, dialect(name), tool, arguments, _turns())
    if reply.is_error and isinstance(reply.data, dict) and reply.data.keys() == {"error"}:
        raise RequestError(reply.data["error"])
    return reply.data


@cache
def _turns() -> Throttle:
    """The turns of the callers of this process, each known by its workspace."""
    return Throttle()


def reply_to(
    workspace: "Roots",
    asked: Dialect,
    tool: str | None,
    arguments: Mapping[str, Any],
    throttle: Throttle | None = None,
    in_shell: bool = False,
) -> Reply:
    """The reply of a dialect's tool to a caller who waits for the tree as it is now. throttle:
    counts the caller's calls; without one this is the first. in_shell: whether hints are to be
    commands."""
    from symindex.protocol.freshness import CURRENT  # here, because schemas need no workspace

    names = [each.name for each in asked.tools]
    found = tool_of([asked], tool if tool is not None else names[0])
    if found is None:
        raise one_of(f"tool of {asked.name}", str(tool)[:100], names)
    turn = (
        (throttle or Throttle()).take(str(id(workspace)), always=True) if found.is_counted else None
    )
    return found.call(
        Caller(workspace, CURRENT, os.environ.get(SESSION, ""), turn, in_shell=in_shell), arguments
    )
