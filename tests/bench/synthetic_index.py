"""Synthetic trees on disk: files without content but of the right size and time, and the index of their symbols.

So a refresh finds every file unchanged, whatever the number of symbols, and a search finds them where it always would. What is
true of the tree is kept beside it, for counts that do not come from the index.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec
import numpy as np

from symindex.protocol import KINDS
from symindex.source.records import FileSymbols
from tests.bench.adapter import builder_digest, save_files
from tests.bench.places import HERE, Bench, BenchError, say
from tests.bench.synthetic import Shape, make_files

SHAPES: Final = {
    "million": Shape(names=1_000_000, symbols=3_000_000, files=60_000),
    "20k-files": Shape(names=300_000, symbols=1_000_000, files=20_000),
    "quick": Shape(names=50_000, symbols=150_000, files=3_000),
}


class Truth(msgspec.Struct):
    """What is true of a tree. kinds: the stored code of each symbol. name: for each symbol its number in `names`.
    containers: of each symbol. path_of: for each symbol its number in `paths`; languages: of the paths."""

    names: list[str]
    paths: list[str]
    languages: list[str]
    containers: list[str]
    name: bytes
    container: bytes
    path: bytes
    kind: bytes

    def column(self, which: str) -> "np.ndarray[tuple[int], np.dtype[np.uint32]]":
        """`name`, `container` or `path` as numbers."""
        return np.frombuffer(getattr(self, which), dtype="<u4")


class SyntheticTree(msgspec.Struct):
    """Where a tree is: its root, its index folder, its truth."""

    root: Path
    index_dir: Path
    truth: Path

    def read_truth(self) -> Truth:
        """What is true of it."""
        return msgspec.msgpack.decode(self.truth.read_bytes(), type=Truth)


def synthetic_tree(bench: Bench, name: str) -> SyntheticTree:
    """The tree of a shape; grown unless it is there, as this version of symindex would store it. Raises BenchError."""
    folder = bench.folder / "synthetic" / name
    tree = SyntheticTree(folder / "tree", folder / "index", folder / "truth")
    stamp = folder / "stamp"
    if not stamp.exists() or stamp.read_text() != _stamp(name):
        say(f"making the synthetic tree {name!r}; this takes a few minutes for a million names")
        # In a process of its own, so that its memory is not that of whoever measures.
        done = subprocess.run([sys.executable, "-m", "tests.bench.synthetic_index", name, str(folder)], check=False)
        if done.returncode:
            raise BenchError(f"the synthetic tree {name!r} could not be made")
        stamp.write_text(_stamp(name))
    return tree


def _stamp(name: str) -> str:
    parts = [builder_digest().encode(), msgspec.json.encode(SHAPES[name])]
    parts += [(HERE / file).read_bytes() for file in ("synthetic.py", "synthetic_index.py", "names.py", "words.txt")]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def write_tree(shape: Shape, folder: Path) -> None:
    """Writes tree, index and truth of a shape into `folder`, in place of what is there."""
    shutil.rmtree(folder, ignore_errors=True)
    root = folder / "tree"
    root.mkdir(parents=True)
    (root / "symindex.toml").touch()
    collector = _Collector()
    save_files(root, folder / "index", list(collector.watch(_on_disk(root, make_files(shape)))))
    (folder / "truth").write_bytes(msgspec.msgpack.encode(collector.truth()))


def _on_disk(root: Path, files: Iterator[FileSymbols]) -> Iterator[FileSymbols]:
    for file in files:
        path = root / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "wb") as made:
            made.truncate(file.size)
        os.utime(path, ns=(file.mtime_ns, file.mtime_ns))
        yield file


class _Collector:
    """Notes the truth of files that pass by."""

    def __init__(self) -> None:
        self._names: dict[str, int] = {}
        self._containers: dict[str, int] = {}
        self._paths: list[str] = []
        self._languages: list[str] = []
        self._columns = {name: array("I") for name in ("name", "container", "path")}
        self._kinds = bytearray()

    def watch(self, files: Iterator[FileSymbols]) -> Iterator[FileSymbols]:
        """The files, unchanged."""
        for file in files:
            for symbol in file.symbols:
                self._columns["name"].append(self._names.setdefault(symbol.name, len(self._names)))
                self._columns["container"].append(self._containers.setdefault(symbol.container, len(self._containers)))
                self._columns["path"].append(len(self._paths))
                self._kinds.append(KINDS[symbol.kind].code)
            self._paths.append(file.path)
            self._languages.append(file.language)
            yield file

    def truth(self) -> Truth:
        """What was noted."""
        columns = {name: column.tobytes() for name, column in self._columns.items()}
        names, containers = list(self._names), list(self._containers)
        return Truth(names, self._paths, self._languages, containers, **columns, kind=bytes(self._kinds))


if __name__ == "__main__":
    write_tree(SHAPES[sys.argv[1]], Path(sys.argv[2]))
