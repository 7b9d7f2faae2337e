"""Followed workspaces without threads and processes of their own: trees that are indexed here, once,
and open documents that are parsed here."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import ClassVar

import msgspec
import pytest

from symindex.editor import open_documents
from symindex.editor.followed_workspace import FollowedWorkspace
from symindex.editor.merged_view import Folder
from symindex.text.editing.edit_buffer import Encoding
from symindex.workers.child import Exit
from symindex.workers.document_job import prepare
from symindex.workers.document_messages import Message
from symindex.workers.framing import Job
from symindex.workspace.indexed_root import IndexedRoot
from symindex.workspace.watched_tree import Listener, WatchedTree, WatchedTrees


class Process:
    """Carries out the orders of open documents in this process, instead of a slot for a worker.

    orders: all messages, by process and order. fails_at: called with each order; returns how the
    process ends instead of answering, or `None`. starts: called when one starts.
    """

    orders: ClassVar[list[list[list[Message]]]] = []
    fails_at: ClassVar[Callable[[list[Message]], Exit | None]] = staticmethod(lambda _: None)
    starts: ClassVar[Callable[[], object]] = staticmethod(lambda: None)

    def __init__(self, job: Job, answer_seconds: float) -> None:
        assert job.module == "symindex.workers.document_job"
        self.job, self.answer_seconds = job, answer_seconds
        self.exit: Exit | None = None
        self.is_running = False

    def start(self) -> None:
        type(self).starts()
        self._carry_out = prepare(self.job.setup)
        self.is_running = True
        self.orders.append([])

    def ask(self, order: bytes) -> Iterator[bytes]:
        if not self.is_running:
            self.start()
        messages = msgspec.msgpack.decode(order, type=list[Message])
        self.orders[-1].append(messages)
        self.exit = type(self).fails_at(messages)
        if self.exit is not None:
            self.is_running = False
            return iter(())
        answers: list[bytes] = []
        self._carry_out(order, answers.append)
        return iter(answers)

    def stop(self) -> None:
        self.is_running = False

    def close(self) -> None:
        self.is_running = False


def parse_here(patched: pytest.MonkeyPatch) -> None:
    """Makes open documents use `Process`."""
    patched.setattr(open_documents, "Slot", Process)
    patched.setattr(Process, "orders", [])


def indexed_tree(root: Path, index: Path) -> WatchedTree:
    """Returns a tree that is indexed here and not watched."""
    tree = WatchedTree(root, None)
    tree.indexed, tree.state = IndexedRoot(root, index), "ready"
    tree.indexed.refresh()
    return tree


def follow(root: Path, index: Path, encoding: Encoding = "utf-16") -> FollowedWorkspace:
    """Returns a workspace with one folder."""
    workspace = FollowedWorkspace(WatchedTrees(), encoding, print, print)
    workspace.folders.all = (Folder(root, root, "tree", indexed_tree(root, index)),)
    return workspace


class IndexedTrees:
    """Gives each client the same trees; a root that has none gets one that never opens.

    taken, left: roots, in the order of the calls. listeners: of all clients.
    """

    def __init__(self, *trees: WatchedTree) -> None:
        self._trees = {tree.root: tree for tree in trees}
        self.taken: list[tuple[Path, str | None]] = []
        self.left: list[Path] = []
        self.listeners: list[Listener] = []

    def take(self, root: Path, index_dir: str | None, listener: Listener) -> WatchedTree:
        self.taken.append((root, index_dir))
        self.listeners.append(listener)
        tree = self._trees.setdefault(root, WatchedTree(root, None))
        if tree.indexed is None:
            tree.state = "failed"
        return tree

    def leave(self, tree: WatchedTree, listener: Listener) -> None:
        self.left.append(tree.root)
        self.listeners.remove(listener)
