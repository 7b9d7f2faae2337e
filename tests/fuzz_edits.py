# ruff: noqa: RUF001  (letters that look like others are typed, too)
"""`python -m tests.fuzz_edits SEED N` makes N random edits of open documents; after each edit,
their symbols equal those of a fresh parse.

This module computes the text after each edit with Python's own strings, in UTF-16 units as editors
count. So it tests both the edits of `text/editing/edit_buffer` and the incremental parsing of
`workers/document_job`.
"""

import random
import sys
from collections.abc import Sequence
from pathlib import Path

from symindex.editor.open_documents import OpenDocuments
from symindex.workers.document_messages import ParsedDocument

FIXTURES = Path(__file__).parent.parent / "fixtures" / "symbols"

PIECES = (
    "\n", "\r\n", "\r", "{", "}", "(", ")", "'", '"', "`", '"""', "/*", "*/", "//", "#", " ", "    ", "\t", ":", ";", ",", "=",
    "é", "e\u0301", "𝒳", "\U0001f600", "\u2028", "def f():\n    pass\n", "class C {\n  void m() { }\n}\n",
    "fn g() {}\n", "end\n",
)  # fmt: skip
"""Texts to type, in addition to pieces of the document itself."""


KEPT = "its last symbols are kept"
"""The end of a notice about a document that could not be parsed within the limits."""

MOST_EDITS = 40
"""Most edits of one document. It is then reset, since a thoroughly broken file shows little."""


class Editor:
    """A document as an editor stores it: its text in UTF-16 units."""

    def __init__(self, key: str, path: Path) -> None:
        self.key, self.path = key, path.relative_to(FIXTURES).as_posix()
        self.began = self.units = path.read_text("utf-8").encode("utf-16-le")
        self.n_edits = 0

    @property
    def text(self) -> str:
        return self.units.decode("utf-16-le")

    def lines(self) -> list[str]:
        """Returns the lines with their endings: a line feed, a carriage return, or both."""
        lines, begin, text = [], 0, self.text
        for position, character in enumerate(text):
            if character == "\n" or (
                character == "\r" and text[position + 1 : position + 2] != "\n"
            ):
                lines.append(text[begin : position + 1])
                begin = position + 1
        return [*lines, text[begin:]]

    def edit(self, chance: random.Random) -> tuple[tuple[int, int], tuple[int, int], str]:
        """Changes the text; returns the edit in the form of the protocol."""
        self.n_edits += 1
        lines = self.lines()
        first = chance.randrange(len(lines))
        last = min(first + (chance.randrange(4) if chance.random() < 0.3 else 0), len(lines) - 1)
        start, end = sorted(
            ((first, self._column(lines[first], chance)), (last, self._column(lines[last], chance)))
        )
        if chance.random() < 0.4:
            end = start  # an insertion
        if chance.random() < 0.3:
            piece = chance.choice(lines) + (chance.choice(lines) if chance.random() < 0.5 else "")
        else:
            piece = "" if chance.random() < 0.3 else chance.choice(PIECES)
        before = sum(len(line.encode("utf-16-le")) for line in lines[: start[0]]) + 2 * start[1]
        behind = sum(len(line.encode("utf-16-le")) for line in lines[: end[0]]) + 2 * end[1]
        self.units = self.units[:before] + piece.encode("utf-16-le") + self.units[behind:]
        return start, end, piece

    def _column(self, line: str, chance: random.Random) -> int:
        """Picks a column in a line, never inside a character."""
        inside = line.rstrip("\r\n")
        return len(inside[: chance.randrange(len(inside) + 1)].encode("utf-16-le")) // 2


def told(seen: ParsedDocument) -> object:
    """Returns every field of a document's symbols."""
    return [list(seen.file.symbols), seen.spots, seen.file.skip]


def check_edits(seed: int, count: int, paths: Sequence[Path]) -> tuple[int, list[str]]:
    """Makes edits and compares the symbols after each one; returns how many symbols it compared,
    and the notices about texts that a grammar cannot parse within the limits: such a document is
    reset, because it keeps its last symbols. Raises AssertionError that names the edit."""
    chance, notices, n_symbols = random.Random(seed), list[str](), 0
    beyond_limits: list[str] = []
    documents = OpenDocuments(
        "utf-16", max_file_bytes=1_000_000, file_seconds=10.0, on_notice=notices.append
    )
    try:
        editors = [Editor(f"file{number}", path) for number, path in enumerate(paths)]
        for editor in editors:
            documents.open(editor.key, editor.path, "", editor.text)
        for number in range(count):
            editor = chance.choice(editors)
            edits = [editor.edit(chance) for _ in range(1 if chance.random() < 0.8 else 3)]
            documents.change(editor.key, [(start, end, text) for start, end, text in edits])
            documents.open("fresh", editor.path, "", editor.text)
            now, fresh = documents.parsed(editor.key), documents.parsed("fresh")
            where = f"seed {seed}, edit {number}: {editor.path} {edits}"
            assert documents.text(editor.key).result() == editor.text.encode(), where
            symbols, symbols_of_fresh = told(now.result()), told(fresh.result())
            is_beyond = bool(notices) and all(notice.endswith(KEPT) for notice in notices)
            assert is_beyond or symbols == symbols_of_fresh, where
            if is_beyond:
                beyond_limits += notices
                notices.clear()
            n_symbols += len(now.result().spots)
            if is_beyond or editor.n_edits > MOST_EDITS:
                editor.n_edits, editor.units = 0, editor.began
                documents.change(editor.key, [(None, None, editor.text)])
    finally:
        documents.stop()
    assert not notices, notices
    return n_symbols, beyond_limits


def some_of_each_language(chance: random.Random, count: int) -> list[Path]:
    """Returns some fixtures of each language."""
    folders = sorted(folder for folder in FIXTURES.iterdir() if folder.is_dir())
    files = [sorted(folder.glob("*.*")) for folder in folders]
    return [path for some in files for path in chance.sample(some, min(count, len(some)))]


def main() -> None:
    """Runs the command in the module's docstring."""
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    paths = some_of_each_language(random.Random(seed), 2)
    n_symbols, beyond_limits = check_edits(seed, count, paths)
    print(*beyond_limits, sep="\n", end="\n" if beyond_limits else "")
    print(f"{count:,} edits of {len(paths)} documents, {n_symbols:,} symbols compared: equal")


if __name__ == "__main__":
    main()
