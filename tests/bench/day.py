"""An agent's day: questions of twelve kinds about four Python projects, with one call of symindex
each, and with ripgrep used as well as possible.

Also a command, which fetches the projects: python -m tests.bench.day
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
from tests.bench.day_indexer import ask_indexer, is_right_anywhere
from tests.bench.day_questions import KINDS, Asked, draw
from tests.bench.peers import INDEXER, install
from tests.bench.places import Bench, BenchError, default_folder, say
from tests.bench.prose import PROJECTS, fetch_source

SEED: Final = 19
OF_EACH: Final = 3
"""Number of questions of each kind about each project."""

WHO: Final = ("symindex", "ripgrep", "jcodemunch-mcp")

GREP_LINES: Final = 100
WINDOW: Final = 60
"""Number of lines read around a place."""

_PLACE: Final = re.compile(
    r"(?P<path>[\w./+-]+\.(?:py|pyi|rst|txt|html|toml|cfg|js)\b)(?::(?P<line>\d+))?"
    r"|^ *(?:- )?(?P<number>\d+)(?=[\s:.])|\(\+\d+: (?P<more>[\d, ]+)",
    re.MULTILINE,
)
"""A path, with or without a line; or only a line, at the beginning of a row or after other lines of
a symbol."""


def places_in(text: str) -> set[str]:
    """Returns `path:line` of each line that a text shows; a number belongs to the last path named
    before it."""
    path, places = "", set()
    for match in _PLACE.finditer(text):
        if match["path"]:
            path = match["path"].removeprefix("./")
            if match["line"]:
                places.add(f"{path}:{match['line']}")
        else:
            places.update(
                f"{path}:{number}"
                for number in re.findall(r"\d+", match["number"] or match["more"])
            )
    return places


def is_right(asked: Asked, text: str) -> bool:
    """Whether an answer shows everything that a right one must."""
    shown = places_in(text)
    held = [place in shown for place in asked.places]
    has_places = not held or (any(held) if asked.any_is_enough else all(held))
    return has_places and holds_words(asked, text)


def holds_words(asked: Asked, text: str) -> bool:
    """Whether an answer contains the words that a right one must."""
    n_held = sum(re.search(rf"\b{re.escape(word)}\b", text) is not None for word in asked.words)
    return n_held >= (asked.least or len(asked.words))


def ask_rg(root: Path, asked: Asked) -> str:
    """Returns the output of ripgrep, cut as agents' tools cut it, and the lines that are read
    afterwards."""
    text, place = "", asked.position
    if asked.pattern:
        words = [
            "rg",
            "-n",
            "--no-heading",
            "--sort",
            "path",
            *asked.flags,
            "-e",
            asked.pattern,
            ".",
        ]
        done = subprocess.run(
            words, cwd=root, capture_output=True, text=True, errors="replace", timeout=60
        )
        lines = [line[:300] for line in done.stdout.splitlines()]
        text = "\n".join(lines[:GREP_LINES]) + "\n"
        place = next((":".join(line.split(":")[:2]) for line in lines), "").removeprefix("./")
    if asked.window and place:
        path, _, line = place.partition(":")
        number = int(line)
        first = max(1, number - (WINDOW // 2 if asked.position else 0))
        lines = (
            (root / path).read_text("utf-8", "replace").splitlines()[first - 1 : first - 1 + WINDOW]
        )
        text += f"{path}\n" + "\n".join(
            f"{first + offset}\t{line}" for offset, line in enumerate(lines)
        )
    return text


def git(root: Path, *words: str) -> None:
    """Runs git in a repository of ours."""
    subprocess.run(
        ["git", "-c", "user.name=a", "-c", "user.email=a@b.example", *words],
        cwd=root,
        check=True,
        capture_output=True,
    )


def changes(root: Path, questions: Sequence[Asked]) -> list[Asked]:
    """Returns questions about changes, in a repository with known changes: a line was added to some
    functions."""

    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "before")
    change_questions = []
    for asked in [question for question in questions if question.kind == "body"][:OF_EACH]:
        path, _, line = asked.places[1].partition(":")
        lines = (root / path).read_text("utf-8").split("\n")
        indent = re.match(r" *", lines[int(line) - 1])
        lines.insert(int(line), f"{indent[0] if indent else ''}pass")
        (root / path).write_text("\n".join(lines), "utf-8")
        name = asked.arguments["symbol"].rpartition(".")[2]
        change_questions.append(
            Asked(
                "changed",
                f"What has changed in {path}?",
                "outline",
                {"since": "HEAD", "path": path},
                (),
                "",
                (name,),
            )
        )
    return change_questions


def ask_git(root: Path, asked: Asked) -> str:
    words = ["git", "diff", "HEAD", "--", asked.arguments["path"]]
    return subprocess.run(words, cwd=root, capture_output=True, text=True, timeout=60).stdout


Row = tuple[Asked, tuple[bool, int], tuple[bool, int], tuple[bool, int]]
"""A question, and whether symindex, ripgrep and the other indexer were right, each with its
tokens."""


def measure(name: str, source: Path, scratch: Path, shows_each: bool, indexer: str) -> list[Row]:
    """Asks all questions about a project. indexer: the command of the other indexer; empty:
    none."""
    root = scratch / name
    shutil.copytree(source, root, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    questions = draw(name, root, random.Random(f"{SEED} {name}"), OF_EACH)
    questions += changes(root, questions)
    handlers = ToolHandlers([root], str(scratch / f"index-{name}"))
    rows: list[Any] = []
    try:
        while "Up to date" not in handlers.answer("status", {}, threading.Event()).text:
            threading.Event().wait(0.2)
        for asked in questions:
            ours = handlers.answer(asked.tool, asked.arguments, threading.Event()).text
            theirs = ask_git(root, asked) if asked.kind == "changed" else ask_rg(root, asked)
            rows.append(
                (
                    asked,
                    *((is_right(asked, text), estimate_tokens(text)) for text in (ours, theirs)),
                )
            )
    finally:
        handlers.workspace.close()
    git(root, "commit", "-q", "-a", "-m", "after")  # the other indexer compares commits
    others = (
        ask_indexer(indexer, root, questions, scratch / f"home-{name}")
        if indexer
        else [""] * len(questions)
    )
    judged = [
        (asked, *both, (is_right_anywhere(asked, text, root), estimate_tokens(text)))
        for (asked, *both), text in zip(rows, others, strict=True)
    ]
    for asked, *said in judged if shows_each else ():
        outcomes = ", ".join(
            f"{who} {'right' if right else 'WRONG'} {tokens}"
            for who, (right, tokens) in zip(WHO, said, strict=True)
        )
        say(f"{name}: {asked.text}: {outcomes} {asked.places or asked.words}")
    return judged


def table(rows: Sequence[Row]) -> str:
    """Returns, by kind, how many answers were right and the tokens of all answers; then the tokens
    where two tools were right."""
    lines = [
        "| kind | questions | symindex right | tokens | ripgrep right | tokens | jcodemunch-mcp right | tokens |"
    ]
    lines.append("|---|--:" + "|--:" * 6 + "|")
    for kind in (*KINDS, "all"):
        some = [said for asked, *said in rows if kind in (asked.kind, "all")]
        if some:
            sums = [
                str(sum(int(said[who][column]) for said in some))
                for who in range(3)
                for column in (0, 1)
            ]
            lines.append(f"| {kind} | {len(some)} | {' | '.join(sums)} |")
    for other in (1, 2):
        both = [said for _, *said in rows if said[0][0] and said[other][0]]
        ours, theirs = (sum(said[who][1] for said in both) for who in (0, other))
        lines.append(
            f"\nWhere symindex and {WHO[other]} are right ({len(both)}): {ours} tokens, {theirs}"
        )
    return "\n".join(lines)


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.day", description=__doc__)
    parser.add_argument("--each", action="store_true", help="say every question")
    parser.add_argument("--only", metavar="PROJECT", help="only this one")
    parser.add_argument(
        "--alone", action="store_true", help="not the other indexer, which takes minutes"
    )
    options = parser.parse_args(words)
    folder = default_folder() / "prose"
    folder.mkdir(parents=True, exist_ok=True)
    rows: list[Any] = []
    try:
        if shutil.which("rg") is None:
            raise BenchError("ripgrep is not installed")
        indexer = (
            ""
            if options.alone
            else str(install(Bench(default_folder()), INDEXER, "jcodemunch-mcp"))
        )
        for name, (package, version, _) in PROJECTS.items():
            if options.only in (None, name):
                with tempfile.TemporaryDirectory() as scratch:
                    rows += measure(
                        name,
                        fetch_source(package, version, folder),
                        Path(scratch),
                        options.each,
                        indexer,
                    )
    except BenchError as error:
        say(str(error))
        return 2
    print(table(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
