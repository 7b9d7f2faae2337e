"""An agent's day: questions of twelve kinds about four Python projects, asked of symindex once, and of ripgrep as well as it
can be.

A command of its own, which fetches what is asked about: python -m tests.bench.day
"""

import argparse
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from symindex.serve.mcp.handlers import ToolHandlers
from symindex.text.token_budget import estimate_tokens
from tests.bench.day_questions import KINDS, Asked, draw
from tests.bench.places import BenchError, default_folder, say
from tests.bench.prose import PROJECTS, fetch_source

SEED: Final = 19
OF_EACH: Final = 3
"""Questions of each kind and project."""

GREP_LINES: Final = 100
WINDOW: Final = 60
"""Lines that are read around a place."""

_PLACE: Final = re.compile(
    r"(?P<path>[\w./+-]+\.(?:py|pyi|rst|txt|html|toml|cfg|js)\b)(?::(?P<line>\d+))?"
    r"|^ *(?:- )?(?P<number>\d+)(?=[\s:.])|\(\+\d+: (?P<more>[\d, ]+)",
    re.MULTILINE,
)
"""A path, with or without a line; or a line by itself, as it stands at the beginning of a row or behind others of a symbol."""


def places_in(text: str) -> set[str]:
    """`path:line` of each line that a text shows; a number belongs to the path that was named last."""
    path, found = "", set()
    for match in _PLACE.finditer(text):
        if match["path"]:
            path = match["path"].removeprefix("./")
            if match["line"]:
                found.add(f"{path}:{match['line']}")
        else:
            found.update(f"{path}:{number}" for number in re.findall(r"\d+", match["number"] or match["more"]))
    return found


def is_right(asked: Asked, text: str) -> bool:
    """Whether an answer shows what a right one does."""
    shown = places_in(text)
    held = [place in shown for place in asked.places]
    has_places = not held or (any(held) if asked.any_is_enough else all(held))
    return has_places and all(re.search(rf"\b{re.escape(word)}\b", text) for word in asked.words)


def ask_rg(root: Path, asked: Asked) -> str:
    """What ripgrep shows, cut as agents' tools cut it, and the lines that are read then."""
    text, place = "", asked.at
    if asked.pattern:
        words = ["rg", "-n", "--no-heading", "--sort", "path", *asked.flags, "-e", asked.pattern, "."]
        done = subprocess.run(words, cwd=root, capture_output=True, text=True, errors="replace", timeout=60)
        lines = [line[:300] for line in done.stdout.splitlines()]
        text = "\n".join(lines[:GREP_LINES]) + "\n"
        place = next((":".join(line.split(":")[:2]) for line in lines), "").removeprefix("./")
    if asked.window and place:
        path, _, line = place.partition(":")
        number = int(line)
        first = max(1, number - (WINDOW // 2 if asked.at else 0))
        lines = (root / path).read_text("utf-8", "replace").splitlines()[first - 1 : first - 1 + WINDOW]
        text += f"{path}\n" + "\n".join(f"{first + at}\t{each}" for at, each in enumerate(lines))
    return text


def changes(root: Path, questions: Sequence[Asked]) -> list[Asked]:
    """Questions about what has changed, in a repository in which that is known: a line was added to some functions."""

    def git(*words: str) -> None:
        subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@b.example", *words], cwd=root, check=True, capture_output=True
        )

    git("init", "-q")
    git("add", "-A")
    git("commit", "-q", "-m", "before")
    found = []
    for asked in [each for each in questions if each.kind == "body"][:OF_EACH]:
        path, _, line = asked.places[1].partition(":")
        lines = (root / path).read_text("utf-8").split("\n")
        indent = re.match(r" *", lines[int(line) - 1])
        lines.insert(int(line), f"{indent[0] if indent else ''}pass")
        (root / path).write_text("\n".join(lines), "utf-8")
        name = asked.arguments["symbol"].rpartition(".")[2]
        found.append(
            Asked("changed", f"What has changed in {path}?", "outline", {"since": "HEAD", "path": path}, (), "", (name,))
        )
    return found


def ask_git(root: Path, asked: Asked) -> str:
    words = ["git", "diff", "HEAD", "--", asked.arguments["path"]]
    return subprocess.run(words, cwd=root, capture_output=True, text=True, timeout=60).stdout


def measure(name: str, source: Path, scratch: Path, each: bool) -> list[tuple[Asked, bool, int, bool, int]]:
    """Each question with: ours right, its tokens, theirs right, its tokens."""
    root = scratch / name
    shutil.copytree(source, root, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    questions = draw(name, root, random.Random(f"{SEED} {name}"), OF_EACH)
    questions += changes(root, questions)
    handlers = ToolHandlers([root], str(scratch / f"index-{name}"))
    rows = []
    try:
        while "Up to date" not in handlers.answer("status", {}, threading.Event()).text:
            threading.Event().wait(0.2)
        for asked in questions:
            ours = handlers.answer(asked.tool, asked.arguments, threading.Event()).text
            theirs = ask_git(root, asked) if asked.kind == "changed" else ask_rg(root, asked)
            row = asked, is_right(asked, ours), estimate_tokens(ours), is_right(asked, theirs), estimate_tokens(theirs)
            rows.append(row)
            if each:
                ours_said, theirs_said = ("right" if row[at] else f"WRONG {asked.places}" for at in (1, 3))
                say(f"{name}: {asked.text}: {ours_said} {row[2]}, rg {theirs_said} {row[4]}")
    finally:
        handlers.workspace.close()
    return rows


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.day", description=__doc__)
    parser.add_argument("--each", action="store_true", help="say every question")
    parser.add_argument("--only", metavar="PROJECT", help="only this one")
    options = parser.parse_args(words)
    folder = default_folder() / "prose"
    folder.mkdir(parents=True, exist_ok=True)
    rows: list[Any] = []
    try:
        if shutil.which("rg") is None:
            raise BenchError("ripgrep is not installed")
        for name, (package, version, _) in PROJECTS.items():
            if options.only in (None, name):
                with tempfile.TemporaryDirectory() as scratch:
                    rows += measure(name, fetch_source(package, version, folder), Path(scratch), options.each)
    except BenchError as error:
        say(str(error))
        return 2
    print("| kind | questions | symindex right | tokens | ripgrep right | tokens |\n|---|---|---|---|---|---|")
    for kind in (*KINDS, "all"):
        some = [row for row in rows if kind in (row[0].kind, "all")]
        if some:
            right, tokens, theirs, cost = (sum(row[at] for row in some) for at in (1, 2, 3, 4))
            print(f"| {kind} | {len(some)} | {right} | {tokens} | {theirs} | {cost} |")
    both = [row for row in rows if row[1] and row[3]]
    print(f"\nWhere both are right ({len(both)}): {sum(row[2] for row in both)} tokens, ripgrep {sum(row[4] for row in both)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
