"""The trees of the language servers, the names to look up, and the settings that a compiler's
server needs.

The Python tree and the C tree are whole packages of the code corpus, with the folders that the
corpus leaves out; the mixed tree is the corpus itself. No server writes into them. A fixed seed
chooses files and, at their top level, names that only one place of the tree defines.
"""

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec

import symindex
from tests.bench.fetch import fetch_package
from tests.bench.packages import read_packages
from tests.bench.places import Bench, say
from tests.bench.unpack import unpack_package

TREES: Final = {"python": ("sympy", "django"), "c": ("git", "redis"), "mixed": ()}
"""Packages of each tree; empty: the whole code corpus. The small trees contain only the packages of
the small corpus."""

LANGUAGES: Final = {"python": (".py",), "c": (".c",), "mixed": ()}
"""The suffixes of the files that each tree is asked about; empty: all."""

N_NAMES: Final = 20
N_WORDS: Final = 34
WORD_LETTERS: Final = 7
"""How many names are typed, and how many letters of each."""

_SEED: Final = 7
_ALIKE_LETTERS: Final = 3
_KINDS: Final = ["class", "function", "struct", "interface", "enum", "trait"]
_PLAIN_PATH: Final = re.compile(r"[\w./+-]+")
_PLAIN_NAME: Final = re.compile(r"[A-Za-z]\w{5,}")
_INCLUDE_FOLDERS: Final = (
    "deps/lua/src",
    "deps/hiredis",
    "deps/linenoise",
    "deps/hdr_histogram",
    "deps/fpconv",
)
_OPENED_BYTES: Final = range(2_000, 60_000)


class Sample(msgspec.Struct, frozen=True):
    """A name and the only file that defines it, relative to the tree."""

    name: str
    path: str


@dataclass(frozen=True)
class Tree:
    """A tree. name: as in `TREES`. index_dir: symindex's own index of it, which chooses the
    samples."""

    name: str
    root: Path
    index_dir: Path

    def samples(self, suffixes: Sequence[str], n_names: int) -> list[Sample]:
        """Returns names from files with one of the suffixes, at most one per file, and none from
        the open file. Without suffixes, uses any file."""
        opened = self.opened_file(suffixes)
        with symindex.open(self.root, self.index_dir) as workspace:
            workspace.load()
            paths = [
                file.path
                for file, _ in workspace.source.indexed.snapshot.files_and_counts()
                if file.language and not file.skip
            ]
            chosen = _shuffled(
                path for path in paths if _is_of(path, suffixes) and self.root / path != opened
            )
            samples: list[Sample] = []
            for path in chosen:
                sample = _sample_of(workspace, path)
                if sample is not None:
                    samples.append(sample)
                    if len(samples) == n_names:
                        break
        return samples

    def words(self) -> list[str]:
        """Returns the queries to type: beginnings of names, each one letter longer. Of names with
        the same beginning, only one is typed."""
        by_beginning: dict[str, str] = {}
        for sample in self.samples(LANGUAGES[self.name], 3 * N_WORDS):
            by_beginning.setdefault(sample.name[:_ALIKE_LETTERS].lower(), sample.name)
        return [
            name[:n]
            for name in list(by_beginning.values())[:N_WORDS]
            for n in range(1, min(len(name), WORD_LETTERS) + 1)
        ]

    def opened_file(self, suffixes: Sequence[str]) -> Path:
        """Returns the file that is open in the editor, which servers that read only open files
        need."""
        files: list[Path] = _shuffled(self._files(suffixes or [".py"]))
        return next(path for path in files if path.stat().st_size in _OPENED_BYTES)

    def compile_commands(self) -> bytes:
        """Returns a `compile_commands.json` for clangd with every C file of the tree."""
        rows = []
        for path in self._files([".c"]):
            above = [
                folder
                for folder in path.parents
                if folder.is_relative_to(self.root) and folder != self.root
            ]
            beside = [
                folder / inner
                for folder in above
                for inner in _INCLUDE_FOLDERS
                if (folder / inner).is_dir()
            ]
            includes = [f"-I{folder}" for folder in [*above, *beside]]
            arguments = ["cc", "-D_GNU_SOURCE", *includes, "-c", str(path)]
            rows.append({"directory": str(above[0]), "file": str(path), "arguments": arguments})
        return msgspec.json.encode(rows)

    def _files(self, suffixes: Sequence[str]) -> Iterator[Path]:
        return (
            path
            for path in sorted(self.root.rglob("*"))
            if path.suffix in suffixes and path.is_file()
        )


def make_tree(bench: Bench, name: str) -> Tree:
    """Unpacks a tree if it is missing, and updates symindex's index of it. Raises BenchError."""
    index_dir = bench.scratch / "lsp-names" / name
    tree = Tree(name, _unpack(bench, name), index_dir)
    with symindex.open(tree.root, index_dir) as workspace:
        report = workspace.refresh()
    say(f"lsp: {name}: {report.files:,} files, {report.symbols:,} symbols")
    return tree


def _unpack(bench: Bench, name: str) -> Path:
    if not TREES[name]:
        return bench.code
    every = read_packages()
    root = bench.folder / f"lsp-{name}{'-quick' if bench.quick else ''}"
    for listed in every.packages:
        if listed.name in TREES[name] and (listed.quick or not bench.quick):
            package = msgspec.structs.replace(listed, exclude=[])
            stamp = bench.folder / "stamps" / root.name / package.folder
            if not (stamp.exists() and stamp.read_text() == every.stamp(package)):
                root.mkdir(parents=True, exist_ok=True)
                unpack_package(
                    package,
                    every,
                    fetch_package(package, every, bench.folder / "downloads"),
                    root / package.folder,
                )
                stamp.parent.mkdir(parents=True, exist_ok=True)
                stamp.write_text(every.stamp(package))
    return root


def _shuffled(items: Iterator[Any]) -> list[Any]:
    listed = sorted(items)
    random.Random(_SEED).shuffle(listed)
    return listed


def _is_of(path: str, suffixes: Sequence[str]) -> bool:
    return _PLAIN_PATH.fullmatch(path) is not None and (
        not suffixes or path.endswith(tuple(suffixes))
    )


def _sample_of(workspace: symindex.Workspace, path: str) -> Sample | None:
    """Returns a name that is at the top level of this file and nowhere else."""
    rows = workspace.search("", kinds=_KINDS, paths=["/" + path]).items
    names = {row.name for row in rows if row.container is None and _PLAIN_NAME.fullmatch(row.name)}
    for name in _shuffled(iter(names)):
        namesakes = [row for row in workspace.search(name, fuzzy=False).items if row.name == name]
        if len(namesakes) == 1 and namesakes[0].file_path == path:
            return Sample(name, path)
    return None
