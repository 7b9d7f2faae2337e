"""How far the indexing is, as clients show it."""

import itertools
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from lsprotocol import types

if TYPE_CHECKING:
    from symindex.serve.lsp.protocol import Protocol
    from symindex.session.watched_tree import Event

_NUMBERS: Final = itertools.count(1)


class _Bar:
    """One bar. is_shown: whether the client has agreed to show it, before which nothing may be said of it."""

    def __init__(self, title: str, cancel: Callable[[], None] | None) -> None:
        self.token = f"symindex-{next(_NUMBERS)}"
        self.title = title
        self.cancel = cancel
        self.is_shown = False
        self.is_over = False
        self.percentage = 0
        self.message = "looking for files"


class ProgressBars:
    """One for each tree that is being read, for clients that show such."""

    def __init__(self, protocol: "Protocol") -> None:
        self._protocol = protocol
        self._bars: dict[Path, _Bar] = {}

    def show(self, event: "Event", cancel: Callable[[], None] | None) -> None:
        """A run has begun, come further, or ended. cancel: ends it."""
        if event.kind == "end":
            bar = self._bars.pop(event.root, None)
            if bar is not None:
                bar.is_over = True
                if bar.is_shown:
                    self._send(bar, types.WorkDoneProgressEnd(message=event.text or "done"))
            return
        bar = self._bars.get(event.root)
        if bar is None:  # which may be in the middle of a run that began for another client
            bar = self._bars[event.root] = _Bar(f"Indexing {event.root.name}", cancel)
            self._create(bar)
        if event.kind == "report":
            bar.percentage = 100 * event.done // max(event.total, 1)
            bar.message = f"{event.done:,}/{event.total:,} files" if event.done < event.total else "writing the index"
            if bar.is_shown and self._protocol.is_listened_to:
                self._send(bar, types.WorkDoneProgressReport(cancellable=True, message=bar.message, percentage=bar.percentage))

    def _create(self, bar: _Bar) -> None:
        def begin(agreed: "Future[Any]") -> None:
            if agreed.cancelled() or agreed.exception() is not None or bar.is_over:
                return
            bar.is_shown = True
            begun = types.WorkDoneProgressBegin(bar.title, cancellable=True, message=bar.message, percentage=bar.percentage)
            self._send(bar, begun)

        params = types.WorkDoneProgressCreateParams(bar.token)
        self._protocol.send_request(types.WINDOW_WORK_DONE_PROGRESS_CREATE, params).add_done_callback(begin)

    def _send(self, bar: _Bar, value: Any) -> None:
        self._protocol.notify(types.PROGRESS, types.ProgressParams(bar.token, value))

    def cancel(self, token: Any) -> None:
        """The user has ended what a token stands for."""
        for bar in self._bars.values():
            if bar.token == token and bar.cancel is not None:
                bar.cancel()
