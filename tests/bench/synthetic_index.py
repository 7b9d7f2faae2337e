"""Synthetic trees on disk: empty files with the right size and time, and the index of their
symbols.

So a refresh finds every file unchanged, whatever the number of symbols, and a search finds them as
usual. The truth about the tree is stored next to it, for counts that do not come from the index.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec
import numpy as np

from symindex.extract.records import FileSymbols
from symindex.files.change_stamp import change_stamp
from symindex.protocol.kinds import KINDS
from tests.bench.adapter import builder_digest, save_files
from tests.bench.places import HERE, Bench, BenchError, say
from tests.bench.synthetic import Shape, make_files

SHAPES: Final = {
    "million": Shape(names=1_000_000, symbols=3_000_000, files=60_000),
    "half-million": Shape(names=200_000, symbols=520_000, files=29_000),
    "20k-files": Shape(names=300_000, symbols=1_000_000, files=20_000),
    "quick": Shape(names=50_000, symbols=150_000, files=3_000),
}


KEPT_INDEXES: Final = 3
"""Most indexes of one tree that are kept, by as many versions of symindex."""


class Truth(msgspec.Struct):
    """The truth about a tree. name, container, path: for each symbol, its number in `names`,
    `containers` and `paths`. kind: the stored code of each symbol. languages: of the paths."""

    names: list[str]
    paths: list[str]
    languages: list[str]
    containers: list[str]
    name: bytes
    container: bytes
    path: bytes
    kind: bytes

    def column(self, which: str) -> "np.ndarray[tuple[int], np.dtype[np.uint32]]":
        """Returns `name`, `container` or `path` as numbers."""
        return np.frombuffer(getattr(self, which), dtype="<u4")


class SyntheticTree(msgspec.Struct):
    """A tree's root, its index folder, and the file of its truth."""

    root: Path
    index_dir: Path
    truth: Path

    def read_truth(self) -> Truth:
        """Returns the truth about the tree."""
        return msgspec.msgpack.decode(self.truth.read_bytes(), type=Truth)


def synthetic_tree(bench: Bench, name: str) -> SyntheticTree:
    """Returns the tree of a shape, with an index by this version of symindex; makes what is
    missing. Raises BenchError.

    Versions share the tree and have an index each, so that they can be measured alternately.
    """
    folder = bench.folder / "synthetic" / f"{name}-{_generator_digest(name)}"
    tree = SyntheticTree(
        folder / "tree", folder / f"index-{builder_digest()[:12]}", folder / "truth"
    )
    if not (tree.index_dir.is_dir() and tree.truth.exists()):
        say(f"making the synthetic tree {name!r}; this takes a few minutes for a million names")
        # It runs in a separate process, so that its memory does not count for the measurement.
        command = [
            sys.executable,
            "-m",
            "tests.bench.synthetic_index",
            name,
            str(folder),
            tree.index_dir.name,
        ]
        if subprocess.run(command, check=False).returncode:
            raise BenchError(f"the synthetic tree {name!r} could not be made")
        _drop_old_indexes(folder)
    return tree


def _generator_digest(name: str) -> str:
    parts = [msgspec.json.encode(SHAPES[name])]
    parts += [(HERE / file).read_bytes() for file in ("synthetic.py", "names.py", "words.txt")]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:12]


def _drop_old_indexes(folder: Path) -> None:
    newest_last = sorted(folder.glob("index-*"), key=lambda index: index.stat().st_mtime)
    for index in newest_last[:-KEPT_INDEXES]:
        shutil.rmtree(index, ignore_errors=True)


def write_tree(shape: Shape, folder: Path, index_name: str = "index") -> None:
    """Writes the tree and truth of a shape into `folder` if they are missing, and an index next to
    them.

    Each appears only when it is complete.
    """
    root, truth = folder / "tree", folder / "truth"
    files = make_files(shape)
    with tempfile.TemporaryDirectory(dir=_made(folder), prefix="part-") as part:
        if not truth.exists():
            collector = _Collector()
            files = iter(list(collector.watch(_on_disk(root, files))))
            (Path(part) / "truth").write_bytes(msgspec.msgpack.encode(collector.truth()))
            os.replace(Path(part) / "truth", truth)
        save_files(root, Path(part) / index_name, _stamped(root, files))
        shutil.rmtree(folder / index_name, ignore_errors=True)
        os.replace(Path(part) / index_name, folder / index_name)


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _on_disk(root: Path, files: Iterator[FileSymbols]) -> Iterator[FileSymbols]:
    shutil.rmtree(root, ignore_errors=True)
    _made(root)
    (root / "symindex.toml").touch()
    for file in files:
        path = root / file.path
        _made(path.parent)
        with open(path, "wb") as made:
            made.truncate(file.size)
        os.utime(path, ns=(file.mtime_ns, file.mtime_ns))
        yield file


def _stamped(root: Path, files: Iterator[FileSymbols]) -> Iterator[FileSymbols]:
    """Yields the files with their stamps on disk; otherwise the first refresh would read them."""
    for file in files:
        file.stamp = change_stamp(os.stat(root / file.path))
        yield file


class _Collector:
    """Collects the truth about the files that pass through."""

    def __init__(self) -> None:
        self._names: dict[str, int] = {}
        self._containers: dict[str, int] = {}
        self._paths: list[str] = []
        self._languages: list[str] = []
        self._columns = {name: array("I") for name in ("name", "container", "path")}
        self._kinds = bytearray()

    def watch(self, files: Iterator[FileSymbols]) -> Iterator[FileSymbols]:
        """Yields the files unchanged."""
        for file in files:
            for symbol in file.symbols:
                self._columns["name"].append(self._names.setdefault(symbol.name, len(self._names)))
                self._columns["container"].append(
                    self._containers.setdefault(symbol.container, len(self._containers))
                )
                self._columns["path"].append(len(self._paths))
                self._kinds.append(KINDS[symbol.kind].code)
            self._paths.append(file.path)
            self._languages.append(file.language)
            yield file

    def truth(self) -> Truth:
        """Returns the collected truth."""
        columns = {name: column.tobytes() for name, column in self._columns.items()}
        names, containers = list(self._names), list(self._containers)
        return Truth(
            names, self._paths, self._languages, containers, **columns, kind=bytes(self._kinds)
        )


if __name__ == "__main__":
    write_tree(SHAPES[sys.argv[1]], Path(sys.argv[2]), sys.argv[3])
