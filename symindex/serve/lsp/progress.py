"""How far the indexing is, as clients show it."""

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from lsprotocol import types

if TYPE_CHECKING:
    from symindex.following import Event
    from symindex.serve.lsp.protocol import Protocol

_NUMBERS: Final = itertools.count(1)


class ProgressBars:
    """One for each tree that is being read, for clients that show such."""

    def __init__(self, protocol: "Protocol") -> None:
        self._protocol = protocol
        self._tokens: dict[Path, str] = {}
        self._cancels: dict[str, Callable[[], None]] = {}

    def show(self, event: "Event", cancel: Callable[[], None] | None) -> None:
        """A run has begun, come further, or ended. cancel: ends it."""
        if not self._is_shown():
            return
        token = self._tokens.get(event.root)
        if event.kind == "end":
            if token is not None:
                del self._tokens[event.root]
                self._cancels.pop(token, None)
                self._send(token, types.WorkDoneProgressEnd(message=event.text or "done"))
            return
        if token is None:  # which may be in the middle of a run that began for another client
            token = self._begin(event.root, cancel)
        if event.kind == "report" and self._protocol.is_listened_to:
            percentage = 100 * event.done // max(event.total, 1)
            message = f"{event.done:,}/{event.total:,} files" if event.done < event.total else "writing the index"
            self._send(token, types.WorkDoneProgressReport(cancellable=True, message=message, percentage=percentage))

    def _begin(self, root: Path, cancel: Callable[[], None] | None) -> str:
        token = self._tokens[root] = f"symindex-{next(_NUMBERS)}"
        if cancel is not None:
            self._cancels[token] = cancel
        self._protocol.send_request(types.WINDOW_WORK_DONE_PROGRESS_CREATE, types.WorkDoneProgressCreateParams(token))
        title = f"Indexing {root.name}"
        self._send(token, types.WorkDoneProgressBegin(title, cancellable=True, message="looking for files", percentage=0))
        return token

    def _is_shown(self) -> bool:
        window = self._protocol.client_capabilities.window
        return window is not None and bool(window.work_done_progress)

    def _send(self, token: str, value: Any) -> None:
        self._protocol.notify(types.PROGRESS, types.ProgressParams(token, value))

    def cancel(self, token: Any) -> None:
        """The user has ended what a token stands for."""
        cancel = self._cancels.get(token)
        if cancel is not None:
            cancel()
