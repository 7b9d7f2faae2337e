"""Progress bars of the indexing, as clients show them."""

import itertools
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from symindex.serve.lsp.channel import LOG
from symindex.serve.lsp.protocol import ClientError, Protocol

if TYPE_CHECKING:
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

    def state(self) -> dict[str, Any]:
        """As clients show it."""
        return {"cancellable": True, "message": self.message, "percentage": self.percentage}


class ProgressBars:
    """One bar for each tree that is being indexed. later: runs a coroutine in the background."""

    def __init__(self, protocol: Protocol, later: Callable[[Coroutine[Any, Any, None]], None]) -> None:
        self._protocol, self._later = protocol, later
        self._bars: dict[Path, _Bar] = {}

    def show(self, event: "Event") -> None:
        """A run has begun, made progress, or ended."""
        if event.kind == "end":
            bar = self._bars.pop(event.root, None)
            if bar is not None:
                bar.is_over = True
                self._protocol.on_progress_cancelled.pop(bar.token, None)
                if bar.is_shown:
                    self._tell(bar, {"kind": "end", "message": event.text or "done"})
            return
        bar = self._bars.get(event.root)
        if bar is None:  # the run may have begun for another client
            bar = self._bars[event.root] = _Bar(f"symindex-{next(_NUMBERS)}", f"Indexing {event.root.name}", event.cancel)
            self._later(self._begin(bar))
        if event.kind == "report":
            bar.percentage = 100 * event.done // max(event.total, 1)
            bar.message = f"{event.done:,}/{event.total:,} files" if event.done < event.total else "writing the index"
            if bar.is_shown and self._protocol.is_listened_to:
                self._tell(bar, {"kind": "report", **bar.state()})

    async def _begin(self, bar: _Bar) -> None:
        try:
            await self._protocol.ask("window/workDoneProgress/create", {"token": bar.token})
        except ClientError as error:
            LOG.info("the client shows no progress: %s", error)
            return
        except TimeoutError:
            LOG.info("the client shows no progress: it does not answer")
            return
        if bar.is_over:
            return
        bar.is_shown = True
        self._protocol.on_progress_cancelled[bar.token] = bar.cancel
        self._tell(bar, {"kind": "begin", "title": bar.title, **bar.state()})

    def _tell(self, bar: _Bar, value: dict[str, Any]) -> None:
        self._protocol.notify("$/progress", {"token": bar.token, "value": value})
