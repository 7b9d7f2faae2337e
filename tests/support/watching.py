"""A tree that is watched, and a listener that remembers what it was told."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from symindex.extract.languages.registry import load_languages
from symindex.files.walk import walk_tree
from symindex.files.watch.watcher import Watcher
from tests.conftest import Files, write_files

LIMIT = 60.0

WANTED = load_languages().wanted(10**6)


class Listener:
    """Remembers what it was told, and keeps a copy of the tree by it."""

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
        wait_until(lambda: self.copy == on_disk(self.root))


def read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""


def on_disk(root: Path) -> dict[str, str]:
    return {file.path: read(root / file.path) for file in walk_tree(root, WANTED).files}


def wait_until(is_so: Callable[[], object]) -> None:
    end = time.monotonic() + LIMIT
    while not is_so():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.01)


@contextmanager
def watching(root: Path, rule_files: tuple[Path, ...] = ()) -> Iterator[tuple[Watcher, Listener]]:
    listener = Listener(root)
    with Watcher(root, WANTED, listener, listener.errors.append, rule_files) as watcher:
        wait_until(lambda: listener.told)
        assert listener.told == [None]
        yield watcher, listener
    assert not watcher.is_watching


def make_tree(tmp_path: Path, files: Files) -> Path:
    root = write_files(tmp_path / "tree", files).resolve()
    root.mkdir(exist_ok=True)
    return root


TREE: Files = {"a.py": "a = 1\n", "b.py": "b = 1\n", "pkg/c.py": "c = 1\n", "pkg/sub/d.py": "d = 1\n", ".gitignore": "out/\n"}
