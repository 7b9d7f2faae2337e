"""Handles each tool over the trees of a client: what reads, what writes, and the tools of other
systems.

It does not import the SDK, so both load at the same time.
"""

import os
import threading
from collections.abc import Sequence
from pathlib import Path

from symindex.dialects.dialect import SESSION, CallContext, Tool, tool_of
from symindex.dialects.throttle import Throttle, Turn
from symindex.editor.followed_workspace import FollowedWorkspace
from symindex.errors import RequestError, one_of
from symindex.protocol.freshness import SOON
from symindex.render.report import render_roots
from symindex.render.sources import render_sources
from symindex.serve.daemon.listener import share
from symindex.serve.mcp.answers import Arguments, ToolAnswer, shorten_error
from symindex.serve.mcp.client_profiles import OWN_TOOLS, Offer
from symindex.serve.mcp.reading_handlers import ReadingHandlers
from symindex.serve.mcp.tools import WRITES, WRITES_BY_NAME, are_writes_on
from symindex.text.escaping import show_controls
from symindex.workspace.watched_tree import WatchedTrees


class ToolHandlers(ReadingHandlers):
    """The handlers of all tools, over one workspace with the given roots. Thread-safe."""

    def __init__(
        self, roots: Sequence[Path], index_dir: str | None, offer: Offer = OWN_TOOLS
    ) -> None:
        self._trees, self._index_dir = WatchedTrees(share), index_dir
        self._by_root: dict[Path, FollowedWorkspace] = {}
        self._opening = threading.Lock()
        self.workspace: FollowedWorkspace = FollowedWorkspace(self._trees)
        for root in roots:
            self.workspace.folders.add(root, "", index_dir)
        super().__init__(self.workspace)
        self._offer = offer
        self._tools |= {"status": self._status, "note": self._note, "add": self._add}

    @property
    def progress(self) -> tuple[int, int] | None:
        return self.workspace.folders.progress

    def turn(self, throttle: Throttle, tool: str, client: str) -> Turn | None:
        """See `ReadingHandlers`. Calls of some tools of other systems are counted, too."""
        foreign = tool_of(self._offer.dialects, tool)
        if foreign is not None:
            return throttle.take(client, always=True) if foreign.is_counted else None
        return super().turn(throttle, tool, client)

    def _answer(self, tool: str, given: Arguments | None, turn: Turn | None) -> ToolAnswer:
        if (foreign := tool_of(self._offer.dialects, tool)) is not None:
            return self._in_dialect(foreign, given, turn)
        if not self._offer.has_own:
            names = [offered["name"] for offered in self._offer.tools_for("")]
            raise one_of("tool", tool[:100], names)
        return super()._answer(tool, given, turn)

    def _check_tool(self, tool: str) -> None:
        if tool in WRITES_BY_NAME and not are_writes_on():
            raise RequestError(
                f"{tool}: this tool is off; the user enables it with {WRITES}=1 in "
                "the server's environment"
            )

    def _check_ready(self) -> None:
        self.workspace.folders.check_any_there()

    def _in_dialect(self, tool: Tool, arguments: Arguments | None, turn: Turn | None) -> ToolAnswer:
        self.workspace.folders.check_any_there()
        reply = tool.call(
            CallContext(self.workspace, SOON, os.environ.get(SESSION, ""), turn, self._of_root),
            arguments,
        )
        return ToolAnswer(
            shorten_error(reply.text) if reply.is_error else reply.text, reply.data, reply.is_error
        )

    def _of_root(self, root: Path) -> "FollowedWorkspace":
        """Returns a workspace with one of the roots alone. It shares the followed tree."""
        with self._opening:
            if root not in self._by_root:
                self._by_root[root] = FollowedWorkspace(self._trees)
                self._by_root[root].folders.add(root, "", self._index_dir)
            return self._by_root[root]

    def close(self) -> None:
        """Stops following the trees."""
        for workspace in (self.workspace, *self._by_root.values()):
            workspace.close()

    def _note(self, arguments: Arguments) -> ToolAnswer:
        from symindex.workspace.workspace import (
            open_notes,
        )  # deferred, because most servers write nothing

        with open_notes(self._first_root()) as notes:
            note = notes.add_scrubbed(
                source="mcp", **{**arguments, "links": arguments.get("links", [])}
            )
            notices = notes.take_notices()
        shown = "".join(f"> {notice}\n" for notice in notices)
        return ToolAnswer(
            f"note {note.id}\n{shown}", {"id": note.id, **({"notices": notices} if notices else {})}
        )

    def _add(self, arguments: Arguments) -> ToolAnswer:
        from symindex.workspace.workspace import open_content

        if ("text" in arguments) == ("url" in arguments):
            raise RequestError("add: give either text or url, not both")
        with open_content(self._first_root()) as content:
            if "url" in arguments:
                source = content.add_page(arguments["url"], arguments["source"])
            else:
                source = content.add(
                    arguments["text"].encode("utf-8", "replace"), arguments["source"], "mcp"
                )
        return ToolAnswer(render_sources([source]), source)

    def _first_root(self) -> Path:
        self.workspace.folders.check_any_there()
        return self.workspace.folders.all[0].root

    def _status(self, arguments: Arguments) -> ToolAnswer:
        rows = [self.workspace.folders.status_of(folder) for folder in self.workspace.folders.all]
        notices = self.workspace.source.take_notices()
        text = "\n".join(
            [
                render_roots(rows),
                *(f"> {show_controls(notice)}\n" for notice in notices),
            ]
        )
        return ToolAnswer(text, {"roots": rows})
