"""Hostile questions about hostile trees: patterns, traces, ranges, names and revisions.

The trees contain mutated sources and are under git. Each question gets an answer or a one-line
error within a bounded time, and no answer shows anything outside the tree.
"""

import random
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from symindex.dialects.table import dialect, reply_to
from symindex.errors import SymindexError
from symindex.protocol.grep import WHERE
from symindex.protocol.hierarchy import DIRECTIONS
from symindex.render.changed import render_changed
from symindex.render.grep import render_grep
from symindex.render.hierarchy import render_hierarchy
from symindex.render.outline import render_map
from symindex.render.symbol import render_symbol
from symindex.render.trace import render_trace
from symindex.workspace.workspace import Workspace
from tests.attack.dialect_calls import call
from tests.attack.doors import HOSTILE
from tests.attack.figures import Figures, keep
from tests.attack.mutants import mutant
from tests.attack.traps import SECRET
from tests.support.git import git

ON_ONE_TREE: Final = 30
"""Number of questions about a tree."""

FILES: Final = 40
SECONDS: Final = 20.0

MOST_OF_TRACE: Final = 200_000_000
"""Longest trace, in characters: 500 frames, each of which may repeat a name 2,000 times."""

_PATTERNS: Final = (
    ".", "x*", "(a+)+$", "(a|a)*b", "^", "$", r"\w", r"(?i)e", r"\x00", r"[^\n]*", "(" * 200 + ")" * 200, "a{1000}",
    "(a{999}){999}", r"\p{Greek}", "(?s).*", r"\Qa", "[", "(?P<", "*", r"\1", "a\nb", "é", "\udcff", "\ufffd", "a" * 3_000,
    "|" * 500, r"\b", "(?m)^$",
)  # fmt: skip

_FRAMES: Final = (
    'File "FILE", line NUMBER, in NAME', "    at NAME (FILE:NUMBER:3)", "\tat a.b.NAME(FILE:NUMBER)",
    "FILE:NUMBER:5: error: NAME",
    "goroutine 1 [running]:\nmain.(*T).NAME(0x1)\n\t/x/FILE:NUMBER +0x1d",
    "  3: crate::NAME\n             at ./FILE:NUMBER:9",
    "FILE:NUMBER:in 'A#NAME'", "at N.NAME(X x) in FILE:line NUMBER", "#0 0x00 in _ZN1a1bEv FILE:NUMBER",
    "_ZN" + "3abc" * 2_000 + "Ev", "<T as NAME<" * 500, "NAME" * 2_000,
)  # fmt: skip


def run(seed: int, count: int, say: Callable[[str], object]) -> Figures:
    """Runs the campaign. count: number of questions; several share a tree."""
    figures = Figures(count, Counter(), [])
    for first in range(0, count, ON_ONE_TREE):
        chance = random.Random(f"{seed} {first}")
        with tempfile.TemporaryDirectory(prefix="symindex-questions") as top:
            root = _tree(Path(top), chance)
            with Workspace(root, Path(top, "index")) as workspace:
                names = _names(workspace)
                for number in range(first, min(first + ON_ONE_TREE, count)):
                    _ask(workspace, chance, names, figures, f"question {number} of seed {seed}")
        say(
            f"questions: {min(first + ON_ONE_TREE, count):,} of {count:,}, {len(figures.faults)} faults"
        )
    return figures


def _tree(top: Path, chance: random.Random) -> Path:
    """Makes a tree of mutated sources, committed and then partly changed, with links that lead
    out."""
    root = top / "tree"
    (top / "outside").mkdir()
    (top / "outside" / "precious.py").write_text(f"def {SECRET}():\n    pass\n")
    some = [mutant(chance) for _ in range(FILES)]
    for number, source in enumerate(some):
        path = root / source.path(f"f{number}")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(source.data)
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(
        root,
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@b.example",
        "commit",
        "-q",
        "-m",
        "\x1b[2J `first`",
    )
    for number, source in enumerate(some[: FILES // 4]):
        data = source.data
        (root / source.path(f"f{number}")).write_bytes(
            data[: len(data) // 2] + b"\n" + data[len(data) // 3 :]
        )
    (root / "link.py").symlink_to(top / "outside" / "precious.py")
    (root / "away").symlink_to(top / "outside")
    return root


def _names(workspace: Workspace) -> Sequence[str]:
    """Returns names, ids and paths in the tree."""
    items = workspace.search("", max_items=200, include=["id"]).items
    return [
        "nothing",
        *(text for item in items for text in (item.name, item.id or "", item.file_path) if text),
    ]


def _ask(
    workspace: Workspace, chance: random.Random, names: Sequence[str], figures: Figures, what: str
) -> None:
    name = chance.choice(names)
    odd = chance.choice((*HOSTILE, name, name))
    kind, ask = chance.choice(_questions(workspace, chance, odd, names))
    begun = time.monotonic()
    try:
        answer, page = ask()
        figures.contained[f"{kind}: answered"] += 1
        if SECRET in page.replace(odd, "") or SECRET.encode() in msgspec.json.encode(
            answer
        ).replace(odd.encode("utf-8", "replace"), b""):
            figures.faults.append(f"{what} ({kind}): shows what lies outside")
    except SymindexError as error:
        figures.contained[f"{kind}: refused"] += 1
        if "\n" in str(error):
            figures.faults.append(
                f"{what} ({kind}): an error of several lines: {str(error)[:200]!r}"
            )
    except Exception as error:
        keep(f"question-{kind}.txt", odd.encode("utf-8", "replace"))
        figures.faults.append(
            f"{what} ({kind}, {odd[:80]!r}): {type(error).__name__}: {str(error)[:200]}"
        )
    if (taken := time.monotonic() - begun) > SECONDS:
        figures.faults.append(f"{what} ({kind}, {odd[:80]!r}): {taken:.1f} s")


def _questions(
    workspace: Workspace, chance: random.Random, odd: str, names: Sequence[str]
) -> list[tuple[str, Callable[[], tuple[Any, str]]]]:
    """Returns a question of each kind, with its description."""
    pattern, number = chance.choice((*_PATTERNS, odd)), chance.choice((0, 1, 3, 10**6, 10**25))

    def grep() -> tuple[Any, str]:
        answer = workspace.grep(
            pattern,
            regex=chance.random() < 0.7,
            where=chance.choice(WHERE),
            ignore_case=chance.random() < 0.3,
            seconds=5.0,
        )
        return answer, render_grep(answer)

    def trace() -> tuple[Any, str]:
        frames = (chance.choice(_FRAMES) for _ in range(chance.choice((1, 5, 500))))
        part = odd[: MOST_OF_TRACE // 500 // 2_000]
        text = "\n".join(
            frame.replace("FILE", chance.choice((*names, part)))
            .replace("NAME", part)
            .replace("NUMBER", str(number))
            for frame in frames
        )
        answer = workspace.trace(text)
        return answer, render_trace(answer)

    def symbol() -> tuple[Any, str]:
        asked = chance.choice(
            (
                odd,
                f"{odd}:{number}",
                f"{odd}:{number}-{chance.choice((0, 5, 10**6))}",
                f"{odd}#{odd}",
            )
        )
        lines = chance.choice((None, None, "1-5", f"{number}-2", odd))
        answer = workspace.symbol(
            asked,
            lines=lines,
            history=chance.random() < 0.5,
            max_tokens=chance.choice((None, 1, 100)),
        )
        return answer, render_symbol(answer)

    def hierarchy() -> tuple[Any, str]:
        direction = chance.choice(DIRECTIONS)
        answer = workspace.hierarchy(
            odd,
            direction=direction,
            depth=chance.choice((None, 1, 10**9)),
            seconds=5.0,
        )
        return answer, render_hierarchy(answer)

    def overview() -> tuple[Any, str]:
        answer = workspace.map(
            chance.choice(("", odd)), focus=[odd], max_tokens=chance.choice((1, 500, 10**6))
        )
        return answer, render_map(answer)

    def changed() -> tuple[Any, str]:
        answer = workspace.changed(
            chance.choice(("HEAD", "HEAD", odd)),
            path=chance.choice(("", odd)),
            tests=chance.random() < 0.5,
        )
        return answer, render_changed(answer)

    def foreign() -> tuple[Any, str]:
        name, tool, arguments = call(chance, odd, names)
        reply = reply_to(workspace, dialect(name), tool, arguments)
        if reply.is_error and "\n" in reply.text:
            raise AssertionError(f"{name} {tool} {arguments}: an error of several lines")
        return reply.data, reply.text

    return [
        ("dialect", foreign),
        ("grep", grep),
        ("trace", trace),
        ("symbol", symbol),
        ("hierarchy", hierarchy),
        ("map", overview),
        ("changed", changed),
    ]
