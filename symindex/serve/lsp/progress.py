"""Progress bars of the indexing, as clients show them."""

import itertools
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from symindex.serve.lsp.channel import LOG

if TYPE_CHECKING:
    from symindex.serve.lsp.protocol import Protocol
    from symindex.workspace import Event

_NUMBERS: Final = itertools.count(1)


class _Bar(msgspec.Struct):
    """One bar. is_shown: whether the client has accepted it; before that nothing may be sent about it."""

    token: str
    title: str
    cancel: Callable[[], object]
    is_shown: bool = False
    is_over: bool = False
    percentage: int = 0
    message: str = "looking for files"


class ProgressBars:
    """One bar for each tree that is being indexed. later: runs a coroutine in the background."""

    def __init__(self, protocol: "Protocol", later: Callable[[Coroutine[Any, Any, None]], None]) -> None:
        self._protocol, self._later = protocol, later
        self._bars: dict[Path, _Bar] = {}

    def show(self, event: "Event") -> None:
        """A run has begun, made progress, or ended."""
        progress = self._protocol.progress
        if event.kind == "end":
            bar = self._bars.pop(event.root, None)
            if bar is not None:
                bar.is_over = True
                progress.tokens.pop(bar.token, None)  # it can no longer be cancelled
                if bar.is_shown:
                    progress.end(bar.token, types.WorkDoneProgressEnd(message=event.text or "done"))
            return
        bar = self._bars.get(event.root)
        if bar is None:  # the run may have begun for another client
            bar = self._bars[event.root] = _Bar(f"symindex-{next(_NUMBERS)}", f"Indexing {event.root.name}", event.cancel)
            self._later(self._begin(bar))
        if event.kind == "report":
            bar.percentage = 100 * event.done // max(event.total, 1)
            bar.message = f"{event.done:,}/{event.total:,} files" if event.done < event.total else "writing the index"
            if bar.is_shown and self._protocol.is_listened_to:
                report = types.WorkDoneProgressReport(cancellable=True, message=bar.message, percentage=bar.percentage)
                progress.report(bar.token, report)

    async def _begin(self, bar: _Bar) -> None:
        progress = self._protocol.progress
        try:
            await progress.create_async(bar.token)
        except JsonRpcException as error:
            LOG.info("the client shows no progress: %s", error)
            return
        if bar.is_over:
            progress.tokens.pop(bar.token, None)
            return
        bar.is_shown = True
        progress.tokens[bar.token].add_done_callback(lambda _: bar.cancel())
        begun = types.WorkDoneProgressBegin(bar.title, cancellable=True, message=bar.message, percentage=bar.percentage)
        progress.begin(bar.token, begun)
