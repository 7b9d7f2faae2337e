"""A watched tree, a listener that remembers its calls, and whether the system reports changes."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from symindex.extract.languages.registry import load_languages
from symindex.files.walk import walk_tree
from symindex.files.watch.change import CannotWatchError
from symindex.files.watch.inotify import Inotify
from symindex.files.watch.watcher import Watcher
from tests.support.files import Files, write_files
from tests.support.waiting import until

WANTED = load_languages().wanted(10**6)


class Listener:
    """Remembers its calls, and keeps a copy of the tree up to date from them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.told: list[frozenset[str] | None] = []
        self.copy: dict[str, str] = {}
        self.errors: list[Exception] = []

    def __call__(self, paths: frozenset[str] | None) -> None:
        disk = on_disk(self.root)
        if paths is None:
            self.copy = disk
        else:
            kept = {path: text for path, text in self.copy.items() if path not in paths}
            self.copy = kept | {path: disk[path] for path in paths if path in disk}
        self.told.append(paths)

    def wait_until_same(self) -> None:
        until(lambda: self.copy == on_disk(self.root))


def read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""


def on_disk(root: Path) -> dict[str, str]:
    return {file.path: read(root / file.path) for file in walk_tree(root, WANTED).files}


def is_swept(watcher: Watcher) -> bool:
    """Whether the watcher says that the system does not report changes."""
    return "cannot be watched" in watcher.hindrance


def watch_hindrance() -> str:
    """Returns why no tree can be watched now, or an empty text. The limit
    (`fs.inotify.max_user_instances`) is per user, so other programs may have reached it."""
    if not sys.platform.startswith("linux"):
        return ""
    try:
        Inotify().close()
    except CannotWatchError as error:
        return str(error)
    return ""


def skip_unwatched() -> None:
    """Skips a test of events if the system reports none."""
    if reason := watch_hindrance():
        pytest.skip(reason)


@contextmanager
def running(watcher: Watcher) -> Iterator[Watcher]:
    watcher.start()
    try:
        yield watcher
    finally:
        watcher.stop()


@contextmanager
def watching(root: Path, rule_files: tuple[Path, ...] = ()) -> Iterator[tuple[Watcher, Listener]]:
    listener = Listener(root)
    with running(Watcher(root, WANTED, listener, listener.errors.append, rule_files)) as watcher:
        until(lambda: listener.told)
        assert listener.told == [None]
        yield watcher, listener
    assert not watcher.is_watching


def make_tree(tmp_path: Path, files: Files) -> Path:
    root = write_files(tmp_path / "tree", files).resolve()
    root.mkdir(exist_ok=True)
    return root


TREE: Files = {
    "a.py": "a = 1\n",
    "b.py": "b = 1\n",
    "pkg/c.py": "c = 1\n",
    "pkg/sub/d.py": "d = 1\n",
    ".gitignore": "out/\n",
}
