"""Damaged databases and text columns, content and notes, and hostile texts.

Every question gets an answer or a one-line error. SQLite has no checksums of its pages, so an
answer may show a changed text; nothing else may happen.
"""

import os
import random
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Final

from symindex.errors import SymindexError
from symindex.workspace.workspace import Workspace, open_content, open_notes
from tests.attack.figures import Figures, keep

SECONDS: Final = 10.0
"""Time limit of all questions, in seconds."""

QUESTIONS: Final = (
    "how are rates limited",
    "retry_after",
    "what did we decide",
    "",
    "E1234 --dry-run",
    "x" * 5_000,
    "\0é\u202e日本",
)

DOCUMENT: Final = (
    "---\ntype: rule\ndate: 2024-01-01\n---\n# Rates\n\nRates are limited per user; see `retry_after`.\n\n"
    "```py\nretry_after(1)\n```\n\n"
    "## Errors\n\nE1234 means too many requests. Use --dry-run.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
)

_PIECES: Final = (
    b"\0", b"\xff\xfe", b"```", b"# " * 200, b"[" * 3_000, b"<div>" * 3_000, b"**", b"\x1b[2J", "\u202e".encode(), b"\r",
    b"---\n",    b"a" * 9_000, b"{" * 2_000, b"- " * 500, b"====\n", b"%PDF-1.4\n", b"|" * 500, "é".encode() * 3_000,
)  # fmt: skip


def run(seed: int, count: int, say: Callable[[str], object]) -> Figures:
    """Alternately damages a file and adds a hostile document to the tree, to the added content and
    to the notes."""
    contained: Counter[str] = Counter()
    faults: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        kept = os.environ.get("SYMINDEX_DATA_DIR")
        os.environ["SYMINDEX_DATA_DIR"] = f"{folder}/data"
        try:
            for number in range(count):
                chance = random.Random(f"{seed} {number}")
                begun = time.monotonic()
                try:
                    contained[_one(Path(folder), chance, number)] += 1
                except Exception as error:
                    faults.append(f"text {number} of seed {seed}: {type(error).__name__}: {error}")
                if (taken := time.monotonic() - begun) > SECONDS:
                    faults.append(f"text {number} of seed {seed}: {taken:.1f} s")
                say(f"texts: {number + 1:,} of {count:,}, {len(faults):,} faults")
        finally:
            os.environ.pop("SYMINDEX_DATA_DIR")
            if kept is not None:
                os.environ["SYMINDEX_DATA_DIR"] = kept
    return Figures(count, contained, faults)


def _one(folder: Path, chance: random.Random, number: int) -> str:
    for name in ("data", "index", "tree"):
        shutil.rmtree(folder / name, ignore_errors=True)
    root = folder / "tree"
    root.mkdir()
    data = DOCUMENT.encode()
    if number % 2:
        data = _spoiled(data, chance)
        keep(f"text-{number}.md", data)
    (root / "rates.md").write_bytes(data)
    (root / "code.py").write_bytes(
        b'def retry_after(n):\n    """' + data[:500].replace(b'"""', b"") + b'"""\n'
    )
    with open_content(root) as content, open_notes(root) as notes:
        for write in (
            lambda: content.add(data, "manual", "m.md"),
            lambda: notes.add(data.decode("utf-8", "replace")),
        ):
            _or_refused(write)
    with Workspace(root, folder / "index") as workspace:
        first = _answers(workspace)
    if number % 2:
        return "hostile text"
    files = [path for path in (folder / "data").rglob("*") if path.is_file()]
    files += [
        path for path in (folder / "index").rglob("*") if path.is_file() and "text" in path.parts
    ]
    path = chance.choice(sorted(files))
    damaged = bytearray(path.read_bytes())
    for _ in range(chance.choice((1, 8, 64))):
        if damaged:
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
    if chance.random() < 0.2:
        del damaged[chance.randrange(len(damaged) + 1) :]
    path.write_bytes(damaged)
    with Workspace(root, folder / "index") as workspace:
        return "same answers" if _answers(workspace) == first else "other answers, or refused"


def _or_refused(write: Callable[[], object]) -> None:
    try:
        write()
    except SymindexError as error:
        assert "\n" not in str(error)


def _answers(workspace: Workspace) -> list[object]:
    """Returns the hits of each question, or the reason why there are none."""
    answers: list[object] = []
    for question in QUESTIONS:
        for options in ({}, {"sort": "timeline"}, {"types": ["rule"]}):
            try:
                response = workspace.recall(question, **options)
                answers.append([item.id for section in response.sections for item in section.items])
            except SymindexError as error:
                assert "\n" not in str(error), error
                answers.append(type(error).__name__)
    return answers


def _spoiled(data: bytes, chance: random.Random) -> bytes:
    spoiled = bytearray(data)
    for _ in range(chance.randrange(1, 8)):
        offset = chance.randrange(len(spoiled))
        spoiled[offset:offset] = chance.choice(_PIECES)
    return bytes(spoiled)
