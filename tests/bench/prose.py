"""Questions in words about prose: whether a right section or docstring is among the first five.

Compared with FTS5 and with counting words. Also a command, which fetches the projects: python -m
tests.bench.prose
"""

import argparse
import re
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
import time
import urllib.request
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final
from urllib.parse import urljoin

import msgspec

from symindex.index.columns.rows import symbols_of_files
from symindex.protocol.recall import TextHit, TextRequest
from symindex.workspace.workspace import Workspace, open_workspace
from tests.bench.places import HERE, BenchError, default_folder, say

PROJECTS: Final = {
    "django": ("Django", "5.1.4", "tune"), "scrapy": ("scrapy", "2.12.0", "tune"), "pytest": ("pytest", "8.3.4", "held"),
    "pip": ("pip", "24.3.1", "held"),
}  # fmt: skip
"""The source package of each project, its version, and whether the search was tuned on it."""

FIRST: Final = 5
TARGET: Final = 0.85

_MARKUP: Final = re.compile(r"[`\\*]|:\w+:")


class Question(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A question. answers: `path#heading` or `path#Qualified.name`, any of which is right."""

    text: str
    kind: str
    answers: tuple[str, ...]

    def is_answer(self, path: str, title: str) -> bool:
        """Whether a chunk of a file is an answer: the heading is one of those above the chunk, or
        the name is its own."""
        headings = [_plain(part) for part in title.split(" > ")]
        for answer in self.answers:
            place, _, wanted = answer.partition("#")
            is_name = title == wanted or wanted.endswith(f".{title}")
            if place == path and (_plain(wanted) in headings or (is_name and "." in path)):
                return True
        return False


def _plain(heading: str) -> str:
    return _MARKUP.sub("", heading).strip().lower()


def read_questions(name: str) -> list[Question]:
    """Returns the questions about a project."""
    data = (HERE / "prose_questions" / f"{name}.toml").read_bytes()
    return msgspec.toml.decode(data, type=dict[str, list[Question]])["question"]


def fetch_source(name: str, version: str, folder: Path) -> Path:
    """Returns the unpacked source package of a Python project, from the registry that pip is
    configured for. Raises BenchError."""
    target = folder / f"{name}-{version}"
    if target.is_dir():
        return target
    say(f"fetching {name} {version}")
    asked = subprocess.run(
        [sys.executable, "-m", "pip", "config", "get", "global.index-url"],
        capture_output=True,
        text=True,
    )
    page = f"{asked.stdout.strip() or 'https://pypi.org/simple'}".rstrip("/") + f"/{name.lower()}/"
    try:
        with urllib.request.urlopen(page, timeout=60) as answer:
            links = re.findall(r'href="([^"#]+)', answer.read().decode())
        link = next(
            link for link in links if link.lower().endswith(f"/{name.lower()}-{version}.tar.gz")
        )
        with (
            urllib.request.urlopen(urljoin(page, link), timeout=60) as answer,
            tempfile.TemporaryFile() as kept,
        ):
            kept.write(answer.read())
            kept.seek(0)
            with tarfile.open(fileobj=kept) as archive:
                archive.extractall(folder, filter="data")
    except (OSError, StopIteration) as error:
        raise BenchError(
            f"{name} {version}: its source package cannot be fetched: {error}"
        ) from None
    unpacked = next(
        path for path in folder.iterdir() if path.name.lower() == f"{name.lower()}-{version}"
    )
    return unpacked.rename(target) if unpacked != target else target


Chunk = tuple[str, str, str]
"""The path, title and text of a chunk."""

Finder = Callable[[str], list[tuple[str, str]]]
"""Returns the paths and titles of the first chunks for a question."""


def chunks_of(workspace: Workspace) -> list[Chunk]:
    """Returns all chunks of the documents of a tree, as they are searched, and the docs of its
    symbols."""
    root, snapshot, prefix = next(iter(workspace.source.recalled()))
    documents = root.collections(TextRequest(queries=["x"], within="text"), snapshot, prefix)[0]
    (index,) = documents.indexes()
    chunks = [documents.shown(number) for number in index.ids.tolist()]
    symbols = [
        (part.index.paths[file], symbol.qualified_name, f"{symbol.signature}\n{symbol.doc}")
        for part in snapshot.parts
        for file, symbols, _ in symbols_of_files(part.index, part.live_files())
        for symbol in symbols
        if symbol.doc
    ]
    return [*((chunk.path, chunk.title, chunk.text) for chunk in chunks), *symbols]


def by_fts5(chunks: Sequence[Chunk]) -> Finder:
    """Returns a finder with SQLite's full text search: Porter's stems, BM25, title 5 to text 1, any
    of the words."""
    table = sqlite3.connect(":memory:")
    table.execute(
        "CREATE VIRTUAL TABLE chunk USING fts5(path UNINDEXED, title, text, tokenize = 'porter unicode61')"
    )
    table.executemany("INSERT INTO chunk VALUES (?, ?, ?)", chunks)

    def find(text: str) -> list[tuple[str, str]]:
        query = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", text))
        statement = "SELECT path, title FROM chunk WHERE chunk MATCH ? ORDER BY bm25(chunk, 0, 5, 1) LIMIT ?"
        return [(path, title) for path, title in table.execute(statement, (query, FIRST))]

    return find


def by_count(chunks: Sequence[Chunk]) -> Finder:
    """Returns a finder that counts words, as a user of ripgrep would: it finds the chunks with most
    of the words that have more than three letters."""
    lowered = [(path, title, f"{title}\n{text}".lower()) for path, title, text in chunks]

    def find(text: str) -> list[tuple[str, str]]:
        words = {word for word in re.findall(r"\w+", text.lower()) if len(word) > 3}
        held = [
            (sum(word in chunk[2] for word in words), sum(chunk[2].count(word) for word in words))
            for chunk in lowered
        ]
        best = sorted(range(len(chunks)), key=lambda number: held[number], reverse=True)[:FIRST]
        return [lowered[number][:2] for number in best]

    return find


def by_symindex(workspace: Workspace, taken: list[float], **options: bool) -> Finder:
    """Returns a finder that uses `recall` in text. taken: gets the seconds of each question."""

    def find(text: str) -> list[tuple[str, str]]:
        begun = time.perf_counter()
        items: list[TextHit] = (
            workspace.recall(text, within="text", limit=FIRST, **options).sections[0].items  # type: ignore[arg-type]
        )
        taken.append(time.perf_counter() - begun)
        return [(item.source, item.title) for item in items]

    return find


def score(questions: Sequence[Question], find: Finder) -> tuple[int, float]:
    """Returns how many questions have an answer among the first hits, and the mean of the
    reciprocal ranks."""
    ranks = [
        next(
            (rank for rank, hit in enumerate(find(question.text), 1) if question.is_answer(*hit)), 0
        )
        for question in questions
    ]
    return sum(rank > 0 for rank in ranks), sum(1 / rank for rank in ranks if rank) / max(
        len(ranks), 1
    )


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench.prose", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument(
        "--vectors",
        action="store_true",
        help="also with vectors, which needs the extra or a model of yours",
    )
    options = parser.parse_args(arguments)
    folder = default_folder() / "prose"
    folder.mkdir(parents=True, exist_ok=True)
    sums: dict[tuple[str, str], list[int]] = {}
    print(f"{'project':8} {'half':5} {'finder':18} first {FIRST}      MRR   p95 ms")
    for name, (package, version, half) in PROJECTS.items():
        questions = read_questions(name)
        with (
            tempfile.TemporaryDirectory() as index,
            open_workspace(fetch_source(package, version, folder), index) as workspace,
        ):
            workspace.recall("first", within="text")
            chunks = chunks_of(workspace)
            taken: dict[str, list[float]] = {"symindex": [], "symindex, vectors": []}
            finders = {
                "symindex": by_symindex(workspace, taken["symindex"], vectors=False),
                "FTS5": by_fts5(chunks),
                "count of words": by_count(chunks),
            }
            if options.vectors:
                own = taken["symindex, vectors"]
                finders["symindex, vectors"] = by_symindex(workspace, own, vectors=True)
            for finder, find in finders.items():
                n_right, mean = score(questions, find)
                times = sorted(taken.get(finder, []))
                late = f"{times[int(len(times) * 0.95)] * 1_000:8.1f}" if times else ""
                print(
                    f"{name:8} {half:5} {finder:18} {n_right:3}/{len(questions)} {n_right / len(questions):5.2f} {mean:5.2f} {late}"
                )
                total = sums.setdefault((half, finder), [0, 0])
                total[0], total[1] = total[0] + n_right, total[1] + len(questions)
    for (half, finder), (n_right, asked) in sums.items():
        print(
            f"{'all':8} {half:5} {finder:18} {n_right:3}/{asked} {n_right / asked:5.2f} (target {TARGET})"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
