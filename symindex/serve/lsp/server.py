"""The server of one client: its settings, folders, documents and notifications. Its requests are in
`handlers`."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec
from lsprotocol import types

from symindex.cancellation import wanted_until
from symindex.errors import RequestError
from symindex.serve.lsp.channel import LOG, Channel
from symindex.serve.lsp.client_server import ClientServer
from symindex.serve.lsp.configuration import Bounds, Choice, Configuration, read_configuration
from symindex.serve.lsp.convert import to_path
from symindex.serve.lsp.handshake import BY_NAME, ClientInfo, watched_globs
from symindex.serve.lsp.progress import ProgressBars
from symindex.text.editing.edit_buffer import Place

if TYPE_CHECKING:
    from symindex.editor.followed_workspace import FollowedWorkspace
    from symindex.workspace.watched_tree import TreeEvent, WatchedTrees

SEARCH_THREADS: Final = 32
"""Most threads of a client: more than processors, because some wait for an index. They are started
when needed."""

_T = TypeVar("_T")

_NEVER: Final = -1
"""A version that no document has."""


class Server(ClientServer):
    """The settings, folders and documents of one client.

    client: its capabilities. channel: its connection. shared_trees: makes or returns the watched
    trees that clients share; called after the handshake, because it takes long to load. bounds:
    what the server was started with.
    """

    def __init__(
        self,
        client: ClientInfo,
        channel: Channel,
        shared_trees: "Callable[[], WatchedTrees]",
        bounds: Bounds,
    ) -> None:
        super().__init__(channel, SEARCH_THREADS)
        # From then on our text of the document differs from the client's.
        lost = "cannot apply an edit to an open document: close the document, and open it again"
        self.protocol.on_lost_edit = partial(self.show, types.MessageType.Warning, lost)
        self.client = client
        self.languages_of: dict[str, str] = {}
        self.progress_bars: ProgressBars = ProgressBars(
            self.work_done_progress, self.later, self.is_listened_to
        )
        self._shared_trees = shared_trees
        self._bounds = bounds
        self._workspace: FollowedWorkspace | None = None
        self._starting: asyncio.Task[FollowedWorkspace] | None = None
        self._waiting: list[Callable[[FollowedWorkspace], None]] = []
        self._versions: dict[str, int] = {}
        self._saved: dict[str, int] = {}
        self._registered: set[str] = set()
        self._is_closed = False
        self._changing = asyncio.Lock()
        """Settings and folders change one at a time, in the order of arrival, so that the last
        change wins."""
        configuration, problems = self._read(client.options)
        self.configuration: Configuration = configuration
        for problem in problems:
            self.show(types.MessageType.Warning, problem)

    def _read(self, sent: Any) -> tuple[Configuration, list[str]]:
        """Reads the client's settings within the bounds. Returns them with a message for each
        problem."""
        configuration, problems = read_configuration(sent)
        if self._bounds.keep_index_dir and configuration.index_dir is not None:
            problems.append(
                "setting 'indexDir': ignored, because the server was started with "
                "--root or --index-dir"
            )
        index_dir = (
            self._bounds.index_dir if self._bounds.keep_index_dir else configuration.index_dir
        )
        return msgspec.structs.replace(configuration, index_dir=index_dir), problems

    def begin(self) -> None:
        """Starts to make the workspace before it is needed: the index is then open when the first
        request comes."""
        if self._starting is None:
            self._starting = asyncio.ensure_future(self._start())

    async def client_workspace(self) -> "FollowedWorkspace":
        """Returns the workspace, once it is made."""
        if self._workspace is not None:
            return self._workspace
        self.begin()
        assert self._starting is not None
        return await asyncio.shield(self._starting)

    def when_ready(self, work: "Callable[[FollowedWorkspace], None]") -> None:
        """Runs work on the workspace now, or once it is made, in the order of the calls."""
        if self._workspace is not None and not self._waiting:
            work(self._workspace)
            return
        self._waiting.append(work)
        self.begin()

    async def _start(self) -> "FollowedWorkspace":
        if self._is_closed:
            raise asyncio.CancelledError
        loop = asyncio.get_running_loop()

        def make() -> "FollowedWorkspace":
            from symindex.editor.followed_workspace import FollowedWorkspace

            return FollowedWorkspace(
                self._shared_trees(),
                encoding=self.client.encoding,
                on_event=lambda event: _tell(loop, self._on_event, event),
                on_notice=lambda text: _tell(loop, self.log, types.MessageType.Warning, text),
                allowed=self._bounds.roots,
            )

        workspace = await loop.run_in_executor(self.thread_pool, make)
        self._workspace = workspace
        for path, name in self.client.folders:
            _survive(self._add_folder, path, name)
        if not workspace.folders.all:
            self.log(
                types.MessageType.Warning, "no folder is open: only open documents are searched"
            )
        waiting, self._waiting = self._waiting, []
        for work in waiting:
            _survive(work, workspace)
        return workspace

    def _add_folder(self, path: Path, name: str) -> None:
        if self._workspace is None:  # the client has left in the meantime
            return
        try:
            self._workspace.folders.add(path, name, self.configuration.index_dir)
        except RequestError as error:
            self.show(types.MessageType.Warning, str(error))

    async def initialized(self, _: Any) -> None:
        """Registers for notifications, which the client accepts from now on."""
        globs = await self.ask(lambda workspace: watched_globs(workspace.folders.extensions()))
        watchers = [types.FileSystemWatcher(glob) for glob in globs]
        await self._register(
            types.WORKSPACE_DID_CHANGE_WATCHED_FILES,
            types.DidChangeWatchedFilesRegistrationOptions(watchers),
        )
        await self._register(
            types.WORKSPACE_DID_CHANGE_CONFIGURATION,
            types.DidChangeConfigurationRegistrationOptions(section="symindex"),
        )
        await self._pull_configuration()

    async def _register(self, method: str, options: Any) -> None:
        if method in self.client.registers and method not in self._registered:
            self._registered.add(method)
            registration = types.Registration(f"symindex-{method}", method, options)
            await self.answer_of(
                self.client_register_capability_async(types.RegistrationParams([registration]))
            )

    async def did_change_configuration(self, params: types.DidChangeConfigurationParams) -> None:
        """Handles a change of settings. Some clients send them, others only report the change."""
        if params.settings:
            await self._configure(params.settings)
        else:
            await self._pull_configuration()

    async def _pull_configuration(self) -> None:
        if not self.client.tells_settings:
            return
        items = [types.ConfigurationItem(section="symindex")]
        answer = await self.answer_of(
            self.workspace_configuration_async(types.ConfigurationParams(items))
        )
        if isinstance(answer, list) and answer and answer[0] is not None:
            await self._configure(answer[0])

    async def _configure(self, sent: Any) -> None:
        """Replaces the settings of the handshake."""
        if isinstance(sent, dict) and "symindex" in sent and len(sent) == 1:
            sent = sent["symindex"]
        began = self.client.options if isinstance(self.client.options, dict) else {}
        merged = {**began, **sent} if isinstance(sent, dict) else sent
        async with self._changing:
            old = self.configuration
            self.configuration, problems = await self.run(lambda: self._read(merged))
            for problem in problems:
                self.show(types.MessageType.Warning, problem)
            workspace = await self.client_workspace()
            if old.index_dir != self.configuration.index_dir:
                for folder in workspace.folders.all:
                    await self.run(partial(workspace.folders.remove, folder.path))
                    self._add_folder(folder.path, folder.name)
        selector = [
            types.TextDocumentFilterScheme(scheme="file"),
            types.TextDocumentFilterScheme(scheme="untitled"),
        ]
        for relation in BY_NAME:
            if getattr(self.configuration, relation.field):
                await self._register(
                    relation.method, types.TextDocumentRegistrationOptions(selector)
                )

    def did_open(
        self, workspace: "FollowedWorkspace", params: types.DidOpenTextDocumentParams
    ) -> None:
        """Opens a document: from now on, the client's text replaces the file's."""
        document = params.text_document
        self._versions[document.uri] = document.version
        self.languages_of[document.uri] = document.language_id
        workspace.documents.open(
            document.uri, to_path(document.uri), document.language_id, document.text
        )

    def did_change(
        self, workspace: "FollowedWorkspace", params: types.DidChangeTextDocumentParams
    ) -> None:
        uri, version = params.text_document.uri, params.text_document.version
        if uri not in self._versions:
            LOG.warning("%s: ignored an edit of a document that is not open", uri)
            return
        if version < self._versions[uri]:
            LOG.warning(
                "%s: an edit of version %s comes after version %s",
                uri,
                version,
                self._versions[uri],
            )
        self._versions[uri] = version
        workspace.documents.texts.change(uri, [_edit(change) for change in params.content_changes])

    def did_close(
        self, workspace: "FollowedWorkspace", params: types.DidCloseTextDocumentParams
    ) -> None:
        """Closes a document: from now on, the file's text is used again."""
        uri = params.text_document.uri
        if uri not in self._versions:
            LOG.warning("%s: was not open", uri)
            return
        version = self._versions.pop(uri)
        self.languages_of.pop(uri, None)
        workspace.documents.close(uri, is_saved=self._saved.pop(uri, _NEVER) == version)
        self.files_changed([uri])

    def did_save(self, _: "FollowedWorkspace", params: types.DidSaveTextDocumentParams) -> None:
        uri = params.text_document.uri
        if uri in self._versions:
            self._saved[uri] = self._versions[uri]
        self.files_changed([uri])

    async def did_change_folders(self, params: types.DidChangeWorkspaceFoldersParams) -> None:
        workspace = await self.client_workspace()
        async with self._changing:
            for folder in params.event.removed:
                path = to_path(folder.uri)
                if path is not None:
                    await self.run(partial(workspace.folders.remove, path))
            for folder in params.event.added:
                path = to_path(folder.uri)
                if path is not None:
                    self._add_folder(path, folder.name)
                else:
                    self.show(
                        types.MessageType.Warning,
                        f"{folder.uri}: ignored, because it is not a folder on this machine",
                    )

    def files_changed(self, uris: Sequence[str]) -> None:
        """Handles the client's report that files have changed on disk."""
        paths = [path for uri in uris if (path := to_path(uri)) is not None]
        self.when_ready(lambda workspace: workspace.folders.files_changed(paths))

    def _on_event(self, event: "TreeEvent") -> None:
        if event.kind in ("begin", "report", "end"):
            if self.client.shows_progress:
                self.progress_bars.show(event)
            if event.kind == "end" and event.text == "cancelled":
                self.log(
                    types.MessageType.Info,
                    (
                        f"{event.root}: indexing was cancelled; answers come from the old "
                        "index and from scanning files; to index again, use the command "
                        "symindex.reindex"
                    ),
                )
        elif event.kind == "error":
            self.show(types.MessageType.Error, event.text)
        elif event.kind == "notice":
            self.log(types.MessageType.Warning, event.text)
        else:
            LOG.info("%s: the index is up to date", event.root)
            if self._workspace is not None:
                self.later(self.run(self._workspace.rows.warm_up))

    def is_chosen(self, choice: Choice, uri: str) -> bool:
        """Whether a setting says that requests about a document are answered."""
        return choice if isinstance(choice, bool) else self.languages_of.get(uri, "") in choice

    async def ask(
        self, work: "Callable[[FollowedWorkspace], _T]", given_up: threading.Event | None = None
    ) -> _T:
        """Runs work on the workspace, once it is made, and returns its result. See `run`."""
        workspace = await self.client_workspace()
        return await self.run(lambda: work(workspace), given_up)

    async def run(self, work: Callable[[], _T], given_up: threading.Event | None = None) -> _T:
        """Runs work in a thread. Also raises CancelledError if the client has left.

        given_up: set when the request is cancelled, which ends the work. It may be set for other
        reasons.
        """
        if self._is_closed:
            raise asyncio.CancelledError
        given_up = given_up or threading.Event()

        def run() -> _T:
            with wanted_until(given_up):
                try:
                    return work()
                except (
                    StopIteration
                ) as error:  # futures do not accept it, so its request would wait for ever
                    raise RuntimeError("an iterator ended unexpectedly") from error

        try:
            return await asyncio.get_running_loop().run_in_executor(self.thread_pool, run)
        except asyncio.CancelledError:
            given_up.set()
            raise

    async def close(self) -> None:
        self._is_closed = True
        workspace, self._workspace = self._workspace, None
        for task in self._tasks:
            task.cancel()
        if (
            self._starting is not None
        ):  # otherwise a workspace that is still being made would follow its folders for ever
            self._starting.cancel()
        if workspace is not None:
            closing = threading.Thread(target=workspace.close, daemon=True)
            closing.start()
            await asyncio.get_running_loop().run_in_executor(None, closing.join, CLOSING_SECONDS)
        self.thread_pool.shutdown(wait=False, cancel_futures=True)


def _edit(change: types.TextDocumentContentChangeEvent) -> tuple[Place | None, Place | None, str]:
    """Converts a change to start, end and text; without a range, it is the whole text."""
    if not isinstance(change, types.TextDocumentContentChangePartial):
        return None, None, change.text
    start, end = change.range.start, change.range.end
    return (start.line, start.character), (end.line, end.character), change.text


def _survive(work: Callable[..., None], *arguments: Any) -> None:
    """Runs one of several steps. If it fails, the others still run."""
    try:
        work(*arguments)
    except Exception as error:
        LOG.error(
            "cannot handle a message that a client sent before its session began",
            exc_info=error,
        )


CLOSING_SECONDS: Final = 5.0
"""How long a session may take to release its processes."""


def _tell(
    loop: asyncio.AbstractEventLoop, function: Callable[..., object], *arguments: Any
) -> None:
    """Calls a function in the event loop from another thread, unless the loop has ended."""
    if not loop.is_closed():
        loop.call_soon_threadsafe(function, *arguments)
