"""Finders: tools that answer a question in words about a tree with hits, best first: symindex and
alternatives to it.

ripgrep is used well: it searches for the question's words one by one, and files that contain more
of them come first. BM25 ranks pieces of 50 lines by the stems of their words and of the parts of
their names. Neither knows which text is a definition.
"""

import math
import os
import re
import subprocess
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from shutil import which
from typing import Final, NamedTuple

import Stemmer  # type: ignore[import-not-found]

import symindex
from symindex.protocol.search import Range
from tests.bench.packages import read_packages
from tests.bench.places import BenchError, say

OURS: Final = "symindex"
RIPGREP: Final = "ripgrep"
BM25: Final = "BM25"

ROWS: Final = 100
"""Most hits of a finder."""

CHUNK_LINES: Final = 50
K1: Final = 1.2
B: Final = 0.75

MAX_BYTES: Final = 1_000_000
"""Size limit for BM25 and ripgrep, in bytes: larger files are data or generated."""

_WORD: Final = re.compile(r"[^\W_]+")
_PART: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+")

_COMMON: Final = frozenset(
    re.findall(
        r"\w+",
        """
a an and are as at be been by can do does for from get gets given goes has have how if in into is it its made of on or out so
than that the their them then there they this to up used using was what when where which while who why will with
""",
    )
)
"""Words of questions that do not describe the answer."""


class Hit(NamedTuple):
    """One hit. path: relative to the tree. first, last: its lines, 0 for a whole file. line: of a
    symbol's name. name: of a symbol, with its containers."""

    path: str
    first: int = 0
    last: int = 0
    line: int = 0
    name: str = ""


Finder = Callable[[str], list[Hit]]


@contextmanager
def open_finders(root: Path) -> Iterator[dict[str, Finder]]:
    """Yields the finders of a tree by name, ours first; ripgrep only if it is installed. Raises
    BenchError."""
    if not root.is_dir():
        raise BenchError(f"{root}: no such folder")
    with (
        tempfile.TemporaryDirectory(prefix="symindex-bench-") as index_dir,
        symindex.open(root, index_dir) as workspace,
    ):
        finders: dict[str, Finder] = {OURS: lambda question: _ask(workspace, question)}
        if command := which("rg"):
            finders[RIPGREP] = lambda question: _ripgrep(command, root, question)
        finders[BM25] = ChunkIndex(root).find
        yield finders


def _ask(workspace: symindex.Workspace, question: str) -> list[Hit]:
    hits = []
    try:
        items = workspace.search(question, max_items=ROWS, include=["range"]).items
    except symindex.SymindexError as error:  # a refused question finds nothing
        say(f"{question!r}: {error}")
        return []
    for item in items:
        assert isinstance(item.range, Range)
        name = f"{item.container}.{item.name}" if item.container else item.name
        hits.append(
            Hit(item.file_path, item.range.start_line, item.range.end_line, item.line, name)
        )
    return hits


def _ripgrep(command: str, root: Path, question: str) -> list[Hit]:
    words: Counter[str] = Counter()
    lines: Counter[str] = Counter()
    globs = [f"--glob=*{suffix}" for suffix in _suffixes()]
    for word in content_words(question):
        asked = [
            command,
            "-i",
            "-c",
            "-F",
            f"--max-filesize={MAX_BYTES}",
            "--no-ignore",
            *globs,
            "-e",
            word,
            ".",
        ]
        done = subprocess.run(
            asked, cwd=root, capture_output=True, text=True, errors="replace", check=False
        )
        if done.returncode > 1:
            raise BenchError(f"rg: {done.stderr.strip().splitlines()[-1]}")
        for line in done.stdout.splitlines():
            path, _, count = line.removeprefix("./").rpartition(":")
            words[path] += 1
            lines[path] += int(count)
    return [
        Hit(path)
        for path in sorted(words, key=lambda path: (-words[path], -lines[path], path))[:ROWS]
    ]


class ChunkIndex:
    """BM25 over pieces of the text of all source files in a tree."""

    def __init__(self, root: Path) -> None:
        self._chunks: list[Hit] = []
        self._lengths: list[int] = []
        self._postings: Mapping[str, list[tuple[int, int]]]
        postings = defaultdict(list)
        for path in _source_files(root):
            lines = path.read_text("utf-8", "replace").removesuffix("\n").split("\n")
            for start in range(0, len(lines), CHUNK_LINES):
                some = lines[start : start + CHUNK_LINES]
                counts = Counter(stems_of("\n".join(some)))
                if counts:
                    for stem, count in counts.items():
                        postings[stem].append((len(self._chunks), count))
                    self._chunks.append(
                        Hit(path.relative_to(root).as_posix(), start + 1, start + len(some))
                    )
                    self._lengths.append(counts.total())
        self._postings = postings

    def find(self, question: str) -> list[Hit]:
        """Returns the best pieces."""
        scores: defaultdict[int, float] = defaultdict(float)
        mean = sum(self._lengths) / max(len(self._lengths), 1)
        for stem in dict.fromkeys(
            stem for word in content_words(question) for stem in stems_of(word)
        ):
            posting = self._postings.get(stem, [])
            weight = math.log(1 + (len(self._chunks) - len(posting) + 0.5) / (len(posting) + 0.5))
            for chunk, count in posting:
                damped = count + K1 * (1 - B + B * self._lengths[chunk] / mean)
                scores[chunk] += weight * count * (K1 + 1) / damped
        best = sorted(scores, key=lambda chunk: (-scores[chunk], chunk))[:ROWS]
        return [self._chunks[chunk] for chunk in best]


def by_file(hits: Sequence[Hit]) -> list[Hit]:
    """Returns the files of some hits, each at the rank of its first hit."""
    return [Hit(path) for path in dict.fromkeys(hit.path for hit in hits)]


def content_words(question: str) -> list[str]:
    """Returns the words of a question that describe the answer, as they are spelled, or all words
    if there are no others."""
    words = list(dict.fromkeys(re.findall(r"\w+", question)))
    return [word for word in words if word.lower() not in _COMMON] or words


def stems_of(text: str) -> Iterator[str]:
    """Yields the stems of a text's words, and of the parts of compound words."""
    for word in _WORD.findall(text):
        yield from _stems_of_word(word)


@cache
def _stems_of_word(word: str) -> tuple[str, ...]:
    parts = _PART.findall(word)
    return tuple(
        _stemmer().stemWords(list(map(str.lower, [word, *parts] if len(parts) > 1 else [word])))
    )


@cache
def _stemmer() -> Stemmer.Stemmer:
    return Stemmer.Stemmer("english")


@cache
def _suffixes() -> frozenset[str]:
    return frozenset(read_packages().suffixes)


def _source_files(root: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(root):
        folders.sort()
        for name in sorted(names):
            path = Path(folder, name)
            if path.suffix in _suffixes() and path.stat().st_size <= MAX_BYTES:
                yield path
