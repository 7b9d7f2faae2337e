"""Shows the progress of indexing in clients."""

import itertools
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from symindex.serve.lsp.channel import LOG

if TYPE_CHECKING:
    from pygls.progress import Progress

    from symindex.workspace.watched_tree import TreeEvent

_NUMBERS: Final = itertools.count(1)


class _Bar(msgspec.Struct):
    """One progress bar. is_shown: whether the client has accepted it; before that, nothing may be
    sent about it."""

    token: str
    title: str
    cancel: Callable[[], object]
    is_shown: bool = False
    is_over: bool = False
    percentage: int = 0
    message: str = "looking for files"

    def state(self) -> dict[str, Any]:
        """The progress as a percentage."""
        return {"cancellable": True, "message": self.message, "percentage": self.percentage}


class ProgressBars:
    """One progress bar for each root that is being indexed.

    progress: pygls's. later: runs a coroutine in the background. is_listened_to: whether the client
    reads its messages.
    """

    def __init__(
        self,
        progress: "Progress",
        later: Callable[[Coroutine[Any, Any, None]], None],
        is_listened_to: Callable[[], bool],
    ) -> None:
        self._progress, self._later, self._is_listened_to = progress, later, is_listened_to
        self._bars: dict[Path, _Bar] = {}

    def show(self, event: "TreeEvent") -> None:
        """Shows that a run has begun, made progress, or ended."""
        if event.kind == "end":
            bar = self._bars.pop(event.root, None)
            if bar is not None:
                bar.is_over = True
                self._progress.tokens.pop(bar.token, None)  # it can no longer be cancelled
                if bar.is_shown:
                    self._progress.end(
                        bar.token, types.WorkDoneProgressEnd(message=event.text or "done")
                    )
            return
        bar = self._bars.get(event.root)
        if bar is None:  # the run may have begun for another client
            bar = self._bars[event.root] = _Bar(
                f"symindex-{next(_NUMBERS)}", f"Indexing {event.root.name}", event.cancel
            )
            self._later(self._begin(bar))
        if event.kind == "report":
            bar.percentage = 100 * event.done // max(event.total, 1)
            bar.message = (
                f"{event.done:,}/{event.total:,} files"
                if event.done < event.total
                else "writing the index"
            )
            if bar.is_shown and self._is_listened_to():
                self._progress.report(bar.token, types.WorkDoneProgressReport(**bar.state()))

    async def _begin(self, bar: _Bar) -> None:
        try:
            await self._progress.create_async(bar.token)
        except (JsonRpcException, TimeoutError) as error:
            LOG.info("the client does not show progress: %s", str(error) or "no answer")
            return
        if bar.is_over:
            self._progress.tokens.pop(bar.token, None)
            return
        bar.is_shown = True
        self._progress.tokens[bar.token].add_done_callback(lambda _: bar.cancel())
        self._progress.begin(bar.token, types.WorkDoneProgressBegin(title=bar.title, **bar.state()))
