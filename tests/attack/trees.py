"""Hostile trees: every command, with a tree of traps as the current folder.

Each command ends in time, with an expected exit code and no traceback. No code of the tree has run;
nothing in the tree has changed; nothing outside it has changed or is shown; a terminal gets no
control characters; no process is left behind.
"""

import hashlib
import os
import random
import re
import stat
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from tests.attack.commands import Attacked, Ran
from tests.attack.figures import Figures
from tests.attack.traps import SECRET, Place, lay

COMMANDS: Final[tuple[tuple[str, ...], ...]] = (
    ("search", "plain_thing"), ("search", "odd"), ("search", ""), ("search", "--format", "table", "odd"), ("search",
    "--json", "odd"),
    ("index",), ("index", "--json"), ("index", "--rebuild"), ("symbol", "plain_thing"), ("symbol", "FILE:1"),
    ("symbol", "--json", "odd_doc"),
    ("outline",), ("outline", "FILE"), ("outline", "FOLDER"), ("outline", "--signatures", "--json"), ("refs",
    "plain_thing"), ("refs", "odd"),
    ("refs", "--json", "plain_thing"), ("status",), ("status", "-v"), ("status", "--json"), ("export",), ("export",
    "-f", "jsonl"),
    ("export", "-f", "scip"), ("export", "-o", "tags"), ("dump", "FILE"), ("dump", "--tree", "FILE"), ("dump", "--json", "FILE"),
    ("check",), ("check", "."), ("check", "FOLDER"), ("languages",), ("languages", "--json"),
    ("search", "plain_thing", "--type", "all", "--include", "metadata"), ("search", "odd", "--type", "item", "--json"),
    ("search", "odd heading", "--type", "section"), ("outline", "README.md"), ("symbol", "README.md:1"), ("fetch", "plain_thing"),
    ("fetch", "FILE"), ("fetch", "tool:odd", "--raw"), ("fetch", "plain_thing", "--version", "HEAD"), ("fetch", "--query", "odd",
    "--scope", "skill"), ("deps",), ("deps", "--json"), ("deps", "--build", "--ecosystem", "npm"), ("deps", "--build",
    "--ecosystem", "pypi"), ("symbol", "odd.plain_thing"), ("trust", "list"), ("grep", "odd"), ("grep", "-F", "plain", "--in",
    "strings"), ("grep", ".", "--json"), ("grep", "plain", "-p", "FOLDER"), ("trace", "FILE"), ("hierarchy", "plain_thing"),
    ("hierarchy", "odd", "-d", "callers"), ("hierarchy", "plain_thing", "-d", "tests", "--json"), ("map",), ("map", "FOLDER"),
    ("map", "--focus", "odd"), ("changed",), ("changed", "HEAD", "--tests"), ("changed", "--json", "-p", "FILE"),
    ("symbol", "plain_thing", "--history"), ("symbol", "FILE:1-20"), ("refs", "odd", "--role", "call"),
)  # fmt: skip
"""The commands. FILE and FOLDER become any of the tree."""

ON_ONE_TREE: Final = 12
SECONDS: Final = 20.0

MOST_LATE: Final = 2
"""Number of commands that exceed their time before the campaign leaves a tree."""

_RULES_TERMINALS: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]"
)
"""Control characters: they move the cursor, set colours, reverse text or begin a line. Tabs and
line ends are not among them."""

_State = dict[bytes, tuple[int, int, bytes]]


def run(seed: int, count: int, say: Callable[[str], object]) -> Figures:
    """Runs the campaign. count: number of commands; several share a tree."""
    figures = Figures(count, Counter(), [])
    for first in range(0, count, ON_ONE_TREE):
        chance, before = random.Random(f"{seed} {first}"), len(figures.faults)
        with (
            tempfile.TemporaryDirectory(prefix="symindex-trees") as top,
            Attacked(Path(top)) as attacked,
        ):
            place = Place(
                Path(top, "tree"), Path(top, "outside"), Path(top, "marks"), threading.Event()
            )
            try:
                holds = lay(place, chance)
                n_commands = min(ON_ONE_TREE, count - first)
                for fault in _attack(place, attacked, chance, n_commands, figures.contained):
                    figures.faults.append(f"tree from {first} ({', '.join(holds)}): {fault}")
            finally:
                place.done.set()
                _open_up(place.tree)
        for fault in figures.faults[before:]:
            say(f"trees: {fault}")
        say(
            f"trees: {min(first + ON_ONE_TREE, count):,} of {count:,}, {len(figures.faults)} faults"
        )
    return figures


def _attack(
    place: Place,
    attacked: Attacked,
    chance: random.Random,
    n_commands: int,
    contained: Counter[str],
) -> list[str]:
    faults, n_late = list[str](), 0
    before = _state(place.tree), _state(place.outside), _state(attacked.home)
    names = _names(place.tree)
    for command in chance.sample(COMMANDS, n_commands):
        arguments = [_filled(word, names, chance) for word in command]
        terminal = chance.random() < 0.4
        ran = attacked.run(arguments, place.tree, SECONDS, terminal)
        faults.extend(_told(ran, terminal))
        contained[f"exit code {ran.code}"] += 1
        n_late += ran.is_late
        if n_late == MOST_LATE:
            break
    faults.extend(f"left behind: {command}" for command in attacked.left_behind())
    place.done.set()
    faults.extend(f"ran: {mark.name}" for mark in place.marks.iterdir())
    after = _state(place.tree), _state(place.outside), _state(attacked.home)
    for what, old, new in zip(("in the tree", "outside", "at home"), before, after, strict=True):
        faults.extend(
            f"changed {what}: {path!r}"
            for path in sorted(old.keys() | new.keys())
            if old.get(path) != new.get(path)
        )
    return faults


def _filled(word: str, names: Sequence[str], chance: random.Random) -> str:
    """Replaces FILE and FOLDER in an argument by any path of the tree."""
    name = chance.choice(names)
    return word.replace("FILE", name).replace("FOLDER", name) if name[:1] != "-" else f"./{name}"


def _told(ran: Ran, terminal: bool) -> list[str]:
    """Returns what is wrong with a command's output."""
    faults = ran.faults()
    printed = ran.out + ran.err
    if b"Traceback" in ran.out:
        faults.append(f"`{' '.join(ran.arguments)}`: a traceback: {ran.out[-300:]!r}")
    # A user names the file for `dump`; it may be a link, and belongs to no tree.
    if SECRET.encode() in printed and ran.arguments[0] != "dump":
        faults.append(f"`{' '.join(ran.arguments)}`: shows what lies outside of the tree")
    if terminal and ran.arguments[-1] != "scip":
        match = _RULES_TERMINALS.search(printed.decode("utf-8", "surrogateescape"))
        if match:
            faults.append(f"`{' '.join(ran.arguments)}`: prints {match[0]!r} on a terminal")
    return [_plain(fault) for fault in faults]


def _plain(text: str) -> str:
    return "".join(
        character if character.isprintable() else f"\\x{ord(character):02x}" for character in text
    )


MADE: Final = frozenset((b"tags", b"growing.py"))
"""Files that a command was asked to write, or that grow by themselves."""


def _names(tree: Path) -> list[str]:
    """Returns the paths in the tree, some levels deep."""
    return sorted(
        os.path.relpath(os.path.join(folder, name), tree)
        for folder, folders, files in os.walk(tree)
        if folder.count("/") < str(tree).count("/") + 3
        for name in (*folders, *files)
        if "\0" not in name
    )


def _state(top: Path) -> _State:
    """Returns the state of everything below a folder: type and mode, mtime, content. Leaves out the
    user's cache, which contains the index."""
    state: _State = {}
    for folder, folders, files in os.walk(os.fsencode(top)):
        if folder == os.fsencode(top) and b"cache" in folders:
            folders.remove(b"cache")
        for name in (*folders, *files):
            path = os.path.join(folder, name)
            if name in MADE:
                continue
            with suppress(OSError):  # the path is too long for the system
                status = os.lstat(path)
                state[path] = (
                    status.st_mode,
                    status.st_mtime_ns if not stat.S_ISDIR(status.st_mode) else 0,
                    _content(path, status),
                )
    return state


def _content(path: bytes, status: os.stat_result) -> bytes:
    if stat.S_ISLNK(status.st_mode):
        return os.readlink(path)
    if not stat.S_ISREG(status.st_mode) or status.st_size > 10_000_000:
        return str(status.st_size).encode() if stat.S_ISREG(status.st_mode) else b""
    with open(path, "rb") as file:
        return hashlib.blake2b(file.read()).digest()


def _open_up(tree: Path) -> None:
    """Makes everything readable, so that it can be deleted."""
    for name in ("closed", "listed"):
        if (tree / name).is_dir() and not (tree / name).is_symlink():
            (tree / name).chmod(0o700)
