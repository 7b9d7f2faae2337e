"""Trees whose `.git` leads to another repository of the user, hangs or changes.

Nothing of that repository is shown, and no answer waits for it. The campaign changes a tree's
`.git` by one to three of the forms of `tests/support/git_forms`, by pipes, links and devices where
git reads, by configurations that include these, or during a question. One tree in ten stays sound,
and must be answered.
"""

import os
import random
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from symindex.errors import SymindexError
from symindex.workspace.workspace import Workspace
from tests.attack.figures import Figures
from tests.support.command import run_symindex
from tests.support.git import git
from tests.support.git_forms import FORMS, PRIVATE, make_private, make_tree

SECONDS: Final = 5.0
"""Time limit of an answer, in seconds; exceeding it twice in a row is a fault."""

AT_THE_DOOR: Final = 10
"""One in this number of trees is also asked by the command."""

_PLACES: Final = (
    "HEAD", "config", "config.worktree", "packed-refs", "shallow", "commondir", "index", "info/exclude", "info/grafts",
    "info/attributes", "logs/HEAD", "logs/refs/heads/main", "refs/heads/main", "refs/heads/other", "refs/tags/v1",
    "objects/info/alternates", "objects/info/http-alternates", "objects/info/packs", "objects/info/commit-graph",
    "objects/pack/multi-pack-index", "objects/pack/pack-1.idx", "objects/pack/pack-1.pack", "objects/00/11", "ORIG_HEAD", "PIPE",
)  # fmt: skip

_CONFIGS: Final = (
    "[include]\n\tpath = ../pipe\n",
    '[includeIf "gitdir:**"]\n\tpath = ../pipe\n',
    '[includeIf "onbranch:main"] path = ../pipe\n',
    "[include]\npath = /dev/zero\n",
    "[include]\npath = config\n",
    "[core]\n\tworktree = PRIVATE\n",
    "[core]\n\tbare = true\n",
    "[extensions]\n\tworktreeConfig = true\n[core]\n\trepositoryformatversion = 1\n",
    "[core]\n\tattributesFile = ../pipe\n\texcludesFile = ../pipe\n",
    "[mailmap]\n\tfile = ../pipe\n[log]\n\tmailmap = true\n[diff]\n\torderFile = ../pipe\n",
    "[remote \"origin\"]\n\turl = PRIVATE\n\tpromisor = true\n[extensions]\n\tpartialClone = origin\n",
    "[core\n",
    "[core]\n\trepositoryformatversion = 9\n",
)  # fmt: skip


def run(seed: int, count: int, say: Callable[[str], object]) -> Figures:
    """Runs the campaign. count: number of trees."""
    contained: Counter[str] = Counter()
    faults: list[str] = []
    with tempfile.TemporaryDirectory(prefix="symindex-revisions") as folder:
        top = Path(folder).resolve()
        private = make_private(top / "private")
        for number in range(count):
            chance = random.Random(f"{seed} {number}")
            root = make_tree(top / f"tree{number}")
            try:
                made = _spoil(root, private, chance)
                for fault in _ask(
                    root, private, top / "indexes", made, number % AT_THE_DOOR == 0, contained
                ):
                    faults.append(
                        f"tree {number} of seed {seed} ({', '.join(made) or 'sound'}): {fault}"
                    )
            except Exception as error:
                faults.append(f"tree {number} of seed {seed}: {type(error).__name__}: {error}")
            say(f"revisions: {number + 1:,} of {count:,}, {len(faults):,} faults")
    return Figures(count, contained, faults)


def _spoil(root: Path, private: Path, chance: random.Random) -> list[str]:
    """Changes a tree's `.git` and returns how. It changes nothing through a link, which would
    change the other repository."""
    made: list[str] = []
    if chance.random() < 0.1:
        return made
    for _ in range(chance.randint(1, 3)):
        git_folder = root / ".git"
        if (
            git_folder.is_symlink()
            or not git_folder.is_dir()
            or any(path.is_symlink() for path in git_folder.rglob("*"))
        ):
            break
        kind = chance.random()
        with suppress(OSError):
            if kind < 0.5:
                name = chance.choice(list(FORMS))
                FORMS[name](root, private)
            elif kind < 0.8:
                name = _odd_file(root / ".git" / chance.choice(_PLACES), private, chance)
            else:
                name = chance.choice(_CONFIGS)
                with suppress(FileExistsError):
                    os.mkfifo(root / "pipe")
                with (root / ".git" / "config").open("a") as file:
                    file.write(name.replace("PRIVATE", str(private)))
            made.append(name)
    return made


def _odd_file(path: Path, private: Path, chance: random.Random) -> str:
    """Puts something odd where git expects a file."""
    if path.is_dir():
        return "a folder is left"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    kinds: dict[str, Callable[[], object]] = {
        "pipe": lambda: os.mkfifo(path),
        "device": lambda: path.symlink_to("/dev/zero"),
        "link": lambda: path.symlink_to(private / ".git" / path.name),
        "hole": lambda: (path.touch(), os.truncate(path, 1 << 40)),
        "text": lambda: path.write_bytes(chance.randbytes(300)),
        "name": lambda: path.write_text(f"{private / '.git' / 'objects'}\n"),
    }
    kind = chance.choice(list(kinds))
    kinds[kind]()
    return f"{path.name}: {kind}"


def _exchange(root: Path, private: Path, over: threading.Event) -> None:
    """Exchanges the objects for those of the other repository and back, until `over` is set."""
    objects, away = root / ".git" / "objects", root / "away"
    while not over.is_set():
        with suppress(OSError):
            objects.rename(away)
            objects.symlink_to(private / ".git" / "objects")
            over.wait(0.003)
            objects.unlink()
        with suppress(OSError):
            away.rename(objects)
        over.wait(0.003)


def _questions(
    workspace: Workspace, root: Path, head: str
) -> "Iterator[tuple[str, Callable[[], object]]]":
    for version in ("HEAD", "main", head, "nowhere", "PIPE", "HEAD~1"):
        yield f"changed {version}", lambda version=version: workspace.changed(version)  # type: ignore[misc]
        yield (
            f"fetch {version}",
            lambda version=version: workspace.fetch(item_id="plain", version=version),  # type: ignore[misc]
        )
    yield "history", lambda: workspace.symbol("plain", history=True)
    yield (
        "dates",
        lambda: workspace.recall(
            "plain words", sort="timeline", types=["skill", "section", "item"]
        ),
    )


def _ask(
    root: Path,
    private: Path,
    indexes: Path,
    made: list[str],
    at_the_door: bool,
    contained: Counter[str],
) -> Iterator[str]:
    head = git(private, "rev-parse", "main")
    over = threading.Event()
    changer = threading.Thread(target=_exchange, args=[root, private, over], daemon=True)
    if (
        made
        and (root / ".git" / "objects").is_dir()
        and not (root / ".git").is_symlink()
        and len(made) == 1
    ):
        changer.start()
    try:
        with Workspace(root, indexes) as workspace:
            for what, ask in _questions(workspace, root, head):
                said, is_refused, seconds = _answer(ask)
                contained["refused" if is_refused else "answered"] += 1
                if seconds > SECONDS:  # possibly because the machine is busy
                    said, is_refused, seconds = _answer(ask)
                yield from _judged(what, said, seconds)
                if not made and is_refused and what in ("changed HEAD", "changed main"):
                    yield f"{what}: a sound repository is refused: {said}"
    finally:
        over.set()
        if changer.ident is not None:
            changer.join()
    if at_the_door:
        for words in (
            ["changed"],
            ["fetch", "plain", "--version", "main"],
            ["symbol", "plain", "--history"],
        ):
            for _ in range(2):  # for the same reason
                begun = time.monotonic()
                done = run_symindex(*words, "--root", root, "--index-dir", indexes)
                seconds = time.monotonic() - begun
                if seconds <= SECONDS:
                    break
            yield from _judged(words[0], done.stdout + done.stderr, seconds)
            if done.returncode not in (0, 1, 2) or done.stderr.count("\n") > 1:
                yield f"{words[0]}: ended with {done.returncode}: {done.stderr[:200]}"


def _answer(ask: Callable[[], object]) -> tuple[str, bool, float]:
    """Returns the answer, whether it is a refusal, and how long it took."""
    begun = time.monotonic()
    try:
        return repr(ask()), False, time.monotonic() - begun
    except SymindexError as error:
        return str(error), True, time.monotonic() - begun


def _judged(what: str, said: str, seconds: float) -> Iterator[str]:
    if PRIVATE in said:
        yield f"{what}: shows the other repository: {said[max(0, said.find(PRIVATE) - 100) :][:200]}"
    if "Traceback" in said or "internal error at" in said:
        yield f"{what}: {said[:200]}"
    if seconds > SECONDS:
        yield f"{what}: took {seconds:.1f} s"
