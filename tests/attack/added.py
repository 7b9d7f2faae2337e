"""Added content: bombs of every format, and added files that turn into links, secrets and bombs.

The campaign alternately adds a hostile text and replaces an added file, or a folder above it. Then
it asks the project, by `recall` and by a search in plain words. In every case an answer or a
one-line error comes within seconds, this process does not grow, no answer contains a secret, and no
process is left behind.
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
from symindex.workspace.workspace import Workspace, open_content
from tests.attack.figures import Figures, keep
from tests.support.pdf import pdf_of
from tests.support.processes import processes_named

SECONDS: Final = 60.0
"""Time limit of one attack, in seconds: conversions that are given up at their limits, and two
questions, on a busy machine."""

MOST_GROWTH: Final = 300_000_000
"""Bytes by which this process may grow in a whole campaign."""

SECRET: Final = "hunter2-of-nobody"
PUBLIC: Final = "alpha words of a handbook"

_UNITS: Final = (
    b"<div>", b"</b>", b"<b><i><p>", b"<p>", b"<!---->", b"<!--", b"<!-", b"<a x=\"' ", b"<", b"<script>", b"<title>",
    b"<svg><li>", b"<h1>", b"<pre>`", b"&amp", b"&#x41;", b"</", b"<table><tr>", b"[", b"]", b'{"a":', b"[1,", b"{},", b"0,",
    b'"', b"\\u0041", b"# h\n", b"> ", b"- ", b"* a\n", b"```\n", b"~~~", b"`", b"|", b"**a_", b"[a](", b"![", b"---\n",
    b"a: &a [*a]\n", b"- [*a]\n", b"k: v\n", b"{\n", b"= a\n", b"====\n", b"word ", b"\n", b"\r", b"\t", b"\xff", b"\xc3\xa9",
    "\u202e".encode(), b"charset=utf-7 ", b'{"cell_type":"markdown","source":["# a"]},', b"BT (x) Tj ET\n", b"x" * 1_000,
)  # fmt: skip
"""Pieces that are repeated."""

_OPENINGS: Final = (
    b"", b"<html>", b"<!doctype html><title>", b"---\n", b"+++\n", b"```yaml\n", b"{", b"[", b'{"cells":[', b"%PDF-1.4\n",
    b"<!--", b'{"cells":[{"cell_type":"code","source":"', b"\xef\xbb\xbf", b"\xff\xfe",
)  # fmt: skip
"""Beginnings of texts."""

_NAMES: Final = (
    "a.html",
    "a.json",
    "a.ipynb",
    "a.md",
    "a.rst",
    "a.adoc",
    "a.org",
    "a.txt",
    "a",
    "a.pdf",
    "a.yaml",
    "a.toml",
)


def run(seed: int, count: int, say: Callable[[str], object]) -> Figures:
    """Runs the campaign. count: number of texts and swaps."""
    contained: Counter[str] = Counter()
    faults: list[str] = []
    before, kept = _memory(), os.environ.get("SYMINDEX_DATA_DIR")
    with tempfile.TemporaryDirectory(prefix="symindex-added") as folder:
        os.environ["SYMINDEX_DATA_DIR"] = f"{folder}/data"
        try:
            for number in range(count):
                chance = random.Random(f"{seed} {number}")
                begun = time.monotonic()
                try:
                    contained[_one(Path(folder).resolve(), chance, number)] += 1
                except Exception as error:
                    faults.append(
                        f"attack {number} of seed {seed}: {type(error).__name__}: {error}"
                    )
                if (taken := time.monotonic() - begun) > SECONDS:
                    faults.append(f"attack {number} of seed {seed}: {taken:.1f} s")
                say(f"added: {number + 1:,} of {count:,}, {len(faults):,} faults")
        finally:
            os.environ.pop("SYMINDEX_DATA_DIR")
            if kept is not None:
                os.environ["SYMINDEX_DATA_DIR"] = kept
    if (grown := _memory() - before) > MOST_GROWTH:
        faults.append(
            f"seed {seed}: the process that answers has grown by {grown // 1_000_000:,} MB"
        )
    return Figures(count, contained, faults)


def _memory() -> int:
    """Returns the memory of this process, in bytes."""
    with open("/proc/self/statm", encoding="ascii") as sizes:
        return int(sizes.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _one(top: Path, chance: random.Random, number: int) -> str:
    for name in ("data", "index", "tree", "out", "secret"):
        shutil.rmtree(top / name, ignore_errors=True)
    (top / "tree").mkdir()
    (top / "tree" / "code.py").write_text("def alpha():\n    pass\n")
    place = top / "out" / "a" / "b" / chance.choice(_NAMES[3:9])
    place.parent.mkdir(parents=True)
    place.write_text(PUBLIC)
    with open_content(top / "tree") as content:
        content.add_file(place, "handbook")
        if number % 2:
            data = _bomb(chance)
            keep(f"added-{number}", data)
            try:
                source = content.add(data, "bomb", "-", chance.choice(_NAMES))
                what = "text" if source.n_chunks else "no text"
            except SymindexError as error:
                assert "\n" not in str(error), error
                what = _reason(str(error))
    if not number % 2:
        what = _swap(top, place, chance)
    with Workspace(top / "tree", top / "index") as workspace:
        for _ in range(2):
            answers = _answers(workspace)
            assert SECRET not in answers, f"{what}: a secret is in an answer"
    left = processes_named(os.getpid(), "added_text")
    assert not left, f"{what}: {len(left)} processes are left"
    return what


def _bomb(chance: random.Random) -> bytes:
    """Returns a text of a few repeated pieces: up to some hundred kilobytes, occasionally some
    megabytes."""
    if chance.random() < 0.1:
        return pdf_of(chance.choice(("x", "alpha " * 100)), 10 ** chance.randrange(5))
    most = chance.choice((1_000, 100_000, 100_000, 3_000_000))
    data = chance.choice(_OPENINGS)
    while len(data) < most and chance.random() < 0.8:
        units = b"".join(chance.choice(_UNITS) for _ in range(chance.randrange(1, 5)))
        data += units * (chance.randrange(1, most) // len(units) + 1)
    return data + chance.choice(_UNITS)


def _swap(top: Path, place: Path, chance: random.Random) -> str:
    """Replaces an added file, or a folder above it, and returns how."""
    turned = chance.choice([place, place.parent, place.parents[1]])
    below = place.relative_to(turned)
    secret = top / "secret"
    (secret if turned == place else (secret / below).parent).mkdir(parents=True)
    if turned != place:
        (secret / below).write_text(f"alpha {SECRET}")
    (secret / "file").write_text(f"alpha {SECRET}")
    target = secret if turned != place else secret / "file"
    how = chance.choice(
        [
            "link",
            "link to a link",
            "moved link",
            "hard link",
            "folder",
            "bomb",
            "growing",
            "pipe",
            "unreadable",
        ]
    )
    if how in ("bomb", "growing"):
        place.write_bytes(_bomb(chance) if how == "bomb" else b"")
        if how == "growing":
            os.truncate(place, chance.choice((10**6, 10**8, 10**12)))
        return how
    if how == "unreadable":
        place.write_text(f"alpha changed {chance.random()}")
        place.chmod(0)
        return how
    turned.rename(f"{turned}.old")
    if how == "hard link":
        place.parent.mkdir(parents=True, exist_ok=True)
        os.link(secret / below if turned != place else target, place)
    elif how == "folder" and turned != place:
        shutil.copytree(secret, turned)
    elif how == "pipe":
        place.parent.mkdir(parents=True, exist_ok=True)
        os.mkfifo(place)
    else:
        if how == "link to a link":
            (top / "secret.link").unlink(missing_ok=True)
            (top / "secret.link").symlink_to(target)
            target = top / "secret.link"
        turned.symlink_to(target if how != "moved link" else os.path.relpath(target, turned.parent))
    return how


def _reason(error: str) -> str:
    for word in ("time limit", "memory", "binary", "damaged", "PDF", "divide it"):
        if word in error:
            return word
    return "refused"


def _answers(workspace: Workspace) -> str:
    """Returns everything that is shown to a user who asks for the content of the secret."""
    said = []
    asked: list[Callable[[], object]] = [
        lambda: workspace.recall("alpha", include_content=True),
        lambda: workspace.search("which alpha has the handbook"),
    ]
    for ask in asked:
        try:
            said.append(repr(ask()))
        except SymindexError as error:
            assert "\n" not in str(error), error
            said.append(str(error))
    return "\n".join(said)
