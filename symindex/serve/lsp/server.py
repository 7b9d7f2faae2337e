"""One client: what it can do, its settings, its folders and documents, and what it is told. Requests are in `handlers`."""

import asyncio
import logging
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec
from lsprotocol import types
from pygls.exceptions import FeatureRequestError
from pygls.lsp.server import LanguageServer

from symindex import __version__
from symindex.errors import RequestError
from symindex.extract.languages.registry import load_languages
from symindex.serve.lsp.channel import Channel
from symindex.serve.lsp.client_limits import Bounds
from symindex.serve.lsp.configuration import Configuration, read_configuration
from symindex.serve.lsp.convert import to_path
from symindex.serve.lsp.handshake import ClientInfo, watched_globs
from symindex.serve.lsp.progress import ProgressBars
from symindex.serve.lsp.protocol import LOG, Protocol, message_converter
from symindex.workers.cancellation import wanted_until

if TYPE_CHECKING:
    from symindex.session.followed_workspace import FollowedWorkspace
    from symindex.session.watched_tree import Event, WatchedTrees

SEARCH_THREADS: Final = 32
"""Some may wait for an index; made as they are needed."""

_T = TypeVar("_T")


class Server(LanguageServer):
    """The server of one client.

    client, channel: what that has said of itself, and where it is spoken to. followings: gives what all clients share, when it is
    first needed: to load it takes longer than a handshake may. bounds: what it was started with.
    """

    protocol: Protocol

    def __init__(self, client: ClientInfo, channel: Channel, followings: "Callable[[], WatchedTrees]", bounds: Bounds) -> None:
        super().__init__("symindex", __version__, protocol_cls=Protocol, converter_factory=message_converter)
        self.protocol.channel, self.protocol.on_lost_edit = channel, self.lost_edit
        self.client = client
        self.languages_of: dict[str, str] = {}
        self.progress_bars = ProgressBars(self.protocol, self.later)
        self.executor = ThreadPoolExecutor(SEARCH_THREADS, thread_name_prefix="symindex-search")
        self._followings = followings
        self._bounds = bounds
        self._workspace: FollowedWorkspace | None = None
        self._starting: asyncio.Task[FollowedWorkspace] | None = None
        self._waiting: list[Callable[[], None]] = []
        self._versions: dict[str, int] = {}
        self._saved: dict[str, int] = {}
        self._registered: set[str] = set()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._is_closed = False
        self._changing = asyncio.Lock()
        """One change of settings or folders at a time, in the order in which they came: what is said last holds."""
        self.configuration, problems = self._read(client.options)
        for problem in problems:
            self.show(types.MessageType.Warning, problem)

    def _read(self, sent: Any) -> tuple[Configuration, list[str]]:
        """What a client has set, within the bounds, and what is wrong with it."""
        configuration, problems = read_configuration(sent)
        if self._bounds.keep_index_dir and configuration.index_dir is not None:
            problems.append("setting 'indexDir': is left out: the server was started with --root or --index-dir")
        kept = self._bounds.index_dir if self._bounds.keep_index_dir else configuration.index_dir
        return msgspec.structs.replace(configuration, index_dir=kept), problems

    def later(self, work: Any) -> None:
        """Does something without being waited for."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def show(self, kind: types.MessageType, text: str) -> None:
        """Shows the user a message, which is logged as well."""
        LOG.log(logging.ERROR if kind == types.MessageType.Error else logging.WARNING, "%s", text)
        if self.protocol.is_listened_to:
            self.window_show_message(types.ShowMessageParams(kind, f"symindex: {text}"))

    def log(self, kind: types.MessageType, text: str) -> None:
        """Writes to the log of the client, and to ours."""
        LOG.info("%s", text)
        if self.protocol.is_listened_to:
            self.window_log_message(types.LogMessageParams(kind, text))

    async def client_workspace(self) -> "FollowedWorkspace":
        """The workspace, as soon as it is there."""
        if self._workspace is not None:
            return self._workspace
        if self._starting is None:
            self._starting = asyncio.ensure_future(self._start())
        return await asyncio.shield(self._starting)

    def when_ready(self, work: Callable[[], None]) -> None:
        """Does something now, or when the session is there; in the order of the calls."""
        if self._workspace is not None and not self._waiting:
            work()
            return
        self._waiting.append(work)
        if self._starting is None:
            self._starting = asyncio.ensure_future(self._start())

    async def _start(self) -> "FollowedWorkspace":
        if self._is_closed:
            raise asyncio.CancelledError
        loop = asyncio.get_running_loop()

        def make() -> "FollowedWorkspace":
            for method in self.protocol.served:  # how their params are read is found out the first time, which takes long
                if method in types.METHOD_TO_TYPES:
                    message_converter().get_structure_hook(types.METHOD_TO_TYPES[method][0])
            from symindex.workspace import follow_folders

            return follow_folders(
                self._followings(),
                encoding=self.client.encoding,
                on_event=lambda event: _tell(loop, self._on_event, event),
                on_notice=lambda text: _tell(loop, self.log, types.MessageType.Warning, text),
                allowed=self._bounds.roots,
            )

        workspace = await loop.run_in_executor(self.executor, make)
        self._workspace = workspace
        for path, name in self.client.folders:
            _survive(lambda path=path, name=name: self._add_folder(path, name))  # type: ignore[misc]
        if not workspace.folders:
            self.log(types.MessageType.Warning, "no folder is open: only open documents are known")
        waiting, self._waiting = self._waiting, []
        for work in waiting:
            _survive(work)
        return workspace

    def _add_folder(self, path: Path, name: str) -> None:
        if self._workspace is None:  # the client has left meanwhile
            return
        try:
            self._workspace.add_folder(path, name, self.configuration.index_dir)
        except RequestError as error:
            self.show(types.MessageType.Warning, str(error))

    async def initialized(self) -> None:
        """The client is ready to be asked and told things."""
        await self.client_workspace()
        globs = await self.run(lambda _: watched_globs(load_languages(check=False)))
        watchers = [types.FileSystemWatcher(glob) for glob in globs]
        await self._register(types.WORKSPACE_DID_CHANGE_WATCHED_FILES, types.DidChangeWatchedFilesRegistrationOptions(watchers))
        await self._register(
            types.WORKSPACE_DID_CHANGE_CONFIGURATION, types.DidChangeConfigurationRegistrationOptions(section="symindex")
        )
        await self.pull_configuration()

    async def _register(self, method: str, options: Any) -> None:
        if method in self.client.registers and method not in self._registered:
            self._registered.add(method)
            registration = types.Registration(f"symindex-{method}", method, options)
            await self.protocol.call(types.CLIENT_REGISTER_CAPABILITY, types.RegistrationParams([registration]))

    async def pull_configuration(self) -> None:
        """Asks the client for its settings, where it can be asked."""
        if not self.client.tells_settings:
            return
        items = [types.ConfigurationItem(section="symindex")]
        answer = await self.protocol.call(types.WORKSPACE_CONFIGURATION, types.ConfigurationParams(items))
        if isinstance(answer, list | tuple) and answer and answer[0] is not None:  # pygls makes tuples of some lists
            await self.configure(answer[0])

    async def configure(self, sent: Any) -> None:
        """Takes settings over those that the client began with."""
        async with self._changing:
            await self._configure(sent)
        selector = [types.TextDocumentFilterScheme(scheme="file"), types.TextDocumentFilterScheme(scheme="untitled")]
        if self.configuration.definition:
            await self._register(types.TEXT_DOCUMENT_DEFINITION, types.DefinitionRegistrationOptions(selector))
        if self.configuration.hover:
            await self._register(types.TEXT_DOCUMENT_HOVER, types.HoverRegistrationOptions(selector))

    async def _configure(self, sent: Any) -> None:
        if isinstance(sent, dict) and "symindex" in sent and len(sent) == 1:
            sent = sent["symindex"]
        began = self.client.options if isinstance(self.client.options, dict) else {}
        began = began.get("symindex", began)
        merged = {**began, **sent} if isinstance(sent, dict) else sent
        before = self.configuration
        self.configuration, problems = await self.run(lambda _: self._read(merged))
        for problem in problems:
            self.show(types.MessageType.Warning, problem)
        workspace = await self.client_workspace()
        if before.index_dir != self.configuration.index_dir:
            for folder in workspace.folders:
                await self.run(lambda _, path=folder.path: workspace.remove_folder(path))  # type: ignore[misc]
                self._add_folder(folder.path, folder.name)

    def did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        """A document is the client's from now on."""
        document = params.text_document
        self._versions[document.uri] = document.version
        self.languages_of[document.uri] = document.language_id
        assert self._workspace is not None
        self._workspace.open_document(document.uri, to_path(document.uri), document.language_id, document.text)

    def did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        """A document was edited."""
        uri, version = params.text_document.uri, params.text_document.version
        assert self._workspace is not None
        if uri not in self._versions:
            LOG.warning("%s: an edit of a document that is not open; ignored", uri)
            return
        if version is not None and version < self._versions[uri]:
            LOG.warning("%s: an edit of version %s comes after version %s", uri, version, self._versions[uri])
        self._versions[uri] = version
        edits: list[tuple[tuple[int, int] | None, tuple[int, int] | None, str]] = []
        for change in params.content_changes:
            if isinstance(change, types.TextDocumentContentChangePartial):
                start, end = change.range.start, change.range.end
                edits.append(((start.line, start.character), (end.line, end.character), change.text))
            else:
                edits.append((None, None, change.text))
        self._workspace.documents.texts.change(uri, edits)

    def lost_edit(self) -> None:
        """The client has sent an edit that is not as the protocol has it: from now on the document is not what it shows."""
        self.show(types.MessageType.Warning, "an edit of an open document cannot be read: close that, and open it again")

    def did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        """A document is the disk's again."""
        uri = params.text_document.uri
        assert self._workspace is not None
        version = self._versions.pop(uri, None)
        if version is None:
            LOG.warning("%s: was not open", uri)
            return
        self.languages_of.pop(uri, None)
        self._workspace.close_document(uri, is_saved=self._saved.pop(uri, None) == version)
        path = to_path(uri)
        if path is not None:
            self._workspace.files_changed([path])

    def did_save(self, uri: str) -> None:
        """A document was written to its file."""
        if uri in self._versions:
            self._saved[uri] = self._versions[uri]
        self.files_changed([uri])

    def did_change_folders(self, params: types.DidChangeWorkspaceFoldersParams) -> None:
        """Folders come and go."""
        self.later(self._change_folders(params.event))

    async def _change_folders(self, event: types.WorkspaceFoldersChangeEvent) -> None:
        workspace = await self.client_workspace()
        async with self._changing:
            for folder in event.removed:
                path = to_path(folder.uri)
                if path is not None:
                    await self.run(lambda _, path=path: workspace.remove_folder(path))  # type: ignore[misc]
            for folder in event.added:
                path = to_path(folder.uri)
                if path is not None:
                    self._add_folder(path, folder.name)
                else:
                    self.show(types.MessageType.Warning, f"{folder.uri}: is no folder on this machine, and is left out")

    def files_changed(self, uris: Sequence[str]) -> None:
        """The client says that files have changed on disk."""
        paths = [path for uri in uris if (path := to_path(uri)) is not None]
        self.when_ready(lambda: self._workspace.files_changed(paths) if self._workspace is not None else None)

    def _on_event(self, event: "Event") -> None:
        if event.kind in ("begin", "report", "end"):
            tree = next((folder.tree for folder in self.folders if folder.tree.root == event.root), None)
            if self.client.shows_progress:
                self.progress_bars.show(event, tree.cancel if tree is not None else None)
            if event.kind == "end" and event.text == "cancelled":
                self.log(
                    types.MessageType.Info,
                    f"{event.root}: indexing was cancelled; answers come from what was there before, and from looking through "
                    "the files; the command symindex.reindex begins again",
                )
        elif event.kind == "error":
            self.show(types.MessageType.Error, event.text)
        elif event.kind == "notice":
            self.log(types.MessageType.Warning, event.text)
        else:
            LOG.info("%s: the index is up to date", event.root)
            if self._workspace is not None:
                workspace = self._workspace
                self.later(self.run(lambda _: workspace.warm_up()))

    @property
    def folders(self) -> Sequence[Any]:
        """The folders of the session."""
        return self._workspace.folders if self._workspace is not None else ()

    async def run(self, work: Callable[[threading.Event], _T], given_up: threading.Event | None = None) -> _T:
        """Does work in a thread. It is told when nobody wants it any more.

        given_up: set when the request is cancelled; may be set for other reasons as well.
        Raises CancelledError, too, where the client has left.
        """
        if self._is_closed:
            raise asyncio.CancelledError
        given_up = given_up or threading.Event()

        def run() -> _T:
            with wanted_until(given_up):
                return work(given_up)

        try:
            return await asyncio.get_running_loop().run_in_executor(self.executor, run)
        except asyncio.CancelledError:
            given_up.set()
            raise

    async def close(self) -> None:
        """Lets go of everything."""
        self._is_closed = True
        workspace, self._workspace = self._workspace, None
        for task in self._tasks:
            task.cancel()
        if self._starting is not None:  # else a session that is still being made would be there, and follow its folders, for good
            self._starting.cancel()
        if workspace is not None:
            closing = threading.Thread(target=workspace.close, daemon=True)
            closing.start()
            await asyncio.get_running_loop().run_in_executor(None, closing.join, CLOSING_SECONDS)
        self.executor.shutdown(wait=False, cancel_futures=True)

    def report_server_error(self, error: Exception, source: Any) -> None:
        """What pygls has refused; of a request the client was told."""
        LOG.log(logging.INFO if source is FeatureRequestError else logging.WARNING, "%s", error)


def _survive(work: Callable[[], None]) -> None:
    """Does one of several things: what is odd of it must not be the end of the others."""
    try:
        work()
    except Exception as error:
        LOG.error("a part of what a client sent before its session began could not be handled", exc_info=error)


CLOSING_SECONDS: Final = 5.0
"""How long a session may take to let go of its processes."""


def _tell(loop: asyncio.AbstractEventLoop, function: Callable[..., object], *arguments: Any) -> None:
    """Calls a function in the event loop, from another thread; not if the loop has ended."""
    if not loop.is_closed():
        loop.call_soon_threadsafe(function, *arguments)
