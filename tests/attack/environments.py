"""Environments of a daemon and its clients: random ones, crowds of first searches, and signals.

A process that answers others and the command may have different environments. Whatever the
difference, the command gets no answer, or the bytes that it would have written itself. Searches
that may each start a daemon leave one, or none where nobody can listen. However a daemon is ended,
it leaves no process, and no socket unless it was killed; then the next one takes its place.
"""

import os
import random
import signal
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from symindex.serve.daemon import exchange, wire
from tests.attack.commands import SYMINDEX, Attacked
from tests.attack.figures import Figures
from tests.support.daemon import answer_to
from tests.support.two_worlds import VARIABLES, make_worlds, variables_of

ON_ONE_PROCESS: Final = 30
"""Number of questions for one daemon before it is ended."""

SECONDS: Final = 60.0
"""Time limit of any step, in seconds, on a busy machine."""

END_SECONDS: Final = 20.0
"""How long a process may take to end when asked to, in seconds."""

STAY_SECONDS: Final = 1.5
"""How long the campaign looks for surplus processes, in seconds: each ends after waiting one second
for the right to serve."""

QUESTIONS: Final = (
    ("search", "main_thing"), ("search", "lib_", "--space", "all"), ("search", "lib_", "--space", "all", "--json"),
    ("outline", "app.py"), ("symbol", "main_thing"), ("search", "nothing_at_all"),
)  # fmt: skip

BEYOND: Final = (
    "TMPDIR",
    "SHELL",
    "USER",
    "EDITOR",
    "PWD",
    "SHLVL",
    "SSH_AUTH_SOCK",
    "WINDOWID",
    "ANYTHING",
    "PAGER",
    "HOSTNAME",
)
"""Variables that are in no table."""


def _changed(environment: dict[str, str], top: Path, chance: random.Random) -> dict[str, str]:
    """Returns an environment with some changed variables, or none."""
    beginnings = [
        beginning + chance.choice(("X", "HOME", "PATH", "DIR"))
        for beginning in wire.AFFECTING_PREFIXES
    ]
    names = (*VARIABLES, *VARIABLES, *wire.AFFECTING, *beginnings, *wire.SHOWN, *BEYOND)
    changed = dict(environment)
    for name in chance.sample(names, chance.choice((0, 1, 1, 1, 2, 5))):
        world = chance.choice(("one", "other"))
        usual = variables_of(top, world).get(name, str(top / world))
        value = chance.choice(
            (
                usual,
                usual,
                "",
                "venv",
                ".",
                str(top / "gone"),
                "1",
                "\u00e9 \udcff",
                "~",
                f"{usual}:{top}",
            )
        )
        if chance.random() < 0.2:
            changed.pop(name, None)
        else:
            changed[name] = value
    return changed


@contextmanager
def _being(environment: dict[str, str], folder: Path) -> Iterator[None]:
    """Gives this process another environment and current folder for the duration of the block."""
    before, here = dict(os.environ), os.getcwd()
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    exchange.IDENTITY = exchange.identity_now()  # as in a new process
    try:
        yield
    finally:
        os.chdir(here)
        os.environ.clear()
        os.environ.update(before)


def _ask(
    words: list[str], environment: dict[str, str], folder: Path
) -> "tuple[int, bytes, bytes] | None":
    """Returns the daemon's answer to a command with this environment."""
    with _being(environment, folder):
        return answer_to(words)


def _sockets(top: Path) -> list[str]:
    return [str(path.relative_to(top)) for path in top.rglob(wire.SOCKET_NAME) if path.is_socket()]


def _daemons(attacked: Attacked) -> list[int]:
    return [number for number, command in attacked.processes().items() if " serve " in command]


def _wait(is_so: Callable[[], object], seconds: float = SECONDS) -> bool:
    end = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def _left(top: Path, attacked: Attacked, is_killed: bool) -> list[str]:
    """Returns what a process that has ended left behind."""
    faults = [f"left behind: {command}" for command in attacked.left_behind(END_SECONDS)]
    if not is_killed:
        faults += [f"a socket is left: {path}" for path in _sockets(top)]
    return faults


def _questions(
    top: Path, attacked: Attacked, chance: random.Random, count: int, contained: "Counter[str]"
) -> list[str]:
    """Starts one daemon, and asks it by commands with other environments."""
    tree = top / "tree"
    own = {**attacked.environment, **variables_of(top, chance.choice(("one", "other")))}
    own = {
        name: value for name, value in own.items() if name not in VARIABLES or chance.random() < 0.7
    }
    attacked.environment = dict(own)
    faults: list[str] = []
    process = attacked.start(
        ["serve", "--root", str(tree)], top, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL
    )
    if not _wait(lambda: _ask(["search", "main_thing", "--root", str(tree)], own, top)):
        process.kill()
        return [f"it does not answer: {process.communicate()[1][-300:]!r}"]
    for number in range(count):
        words = [*chance.choice(QUESTIONS), "--root", str(tree)]
        environment, folder = (
            _changed(own, top, chance),
            chance.choice((top, tree, top / "one", Path("/"))),
        )
        answer = _ask(words, environment, folder)
        if answer is None:
            contained["declined" if environment != own else "not answered in time"] += 1
            continue
        attacked.environment = {**environment, wire.VARIABLE: "off"}
        alone = attacked.run(words, folder, SECONDS)
        attacked.environment = own
        contained["the same bytes"] += 1
        if answer != (alone.code, alone.out, alone.err):
            names = [
                name for name in {*own, *environment} if own.get(name) != environment.get(name)
            ]
            faults.append(
                f"question {number} `{' '.join(words)}` is answered otherwise, where {names} differ"
            )
    ending = chance.choice((signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGKILL))
    process.send_signal(ending)
    try:
        log = process.communicate(timeout=END_SECONDS)[1]
    except subprocess.TimeoutExpired:
        process.kill()
        log = process.communicate()[1]
        faults.append(f"no end within {END_SECONDS:g} s of {ending.name}")
    if b"Traceback" in log or process.returncode != (-ending if ending == signal.SIGKILL else 0):
        faults.append(f"{ending.name}: exit code {process.returncode}: {log[-500:]!r}")
    return [*faults, *_left(top, attacked, ending == signal.SIGKILL)]


def _searches(top: Path, attacked: Attacked, count: int) -> list[str]:
    """Starts several first searches at once, each of which may start a daemon."""
    words = [SYMINDEX, "search", "main_thing", "--root", str(top / "tree")]
    environment = {**attacked.environment, wire.VARIABLE: "start"}
    searches = [
        subprocess.Popen(
            words, env=environment, cwd=top, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for _ in range(count)
    ]
    faults = []
    for search in searches:
        out, err = search.communicate(timeout=SECONDS)
        if search.returncode != 0 or b"main_thing" not in out or b"Traceback" in err:
            faults.append(f"a first search has ended with {search.returncode}: {err[-300:]!r}")
    return faults


def _storm(
    top: Path, attacked: Attacked, chance: random.Random, contained: "Counter[str]"
) -> list[str]:
    faults, count = [], chance.choice((2, 4, 8, 16))
    for ending in chance.sample((signal.SIGTERM, signal.SIGHUP, signal.SIGKILL), 2):
        faults += _searches(top, attacked, count)
        words = ["search", "main_thing", "--root", str(top / "tree")]
        if not _wait(
            lambda: _ask(words, attacked.environment, top) and len(_daemons(attacked)) == 1  # noqa: B023
        ):
            return [*faults, f"{count} first searches leave {len(_daemons(attacked))} processes"]
        time.sleep(STAY_SECONDS)
        numbers = _daemons(attacked)
        if len(numbers) != 1:
            faults.append(f"{count} first searches leave {len(numbers)} processes")
        for number in numbers:
            with suppress(ProcessLookupError):
                os.kill(number, ending)
        faults += _left(top, attacked, ending == signal.SIGKILL)
        contained[f"one of {count}, {ending.name}"] += 1
    return faults


def _nobody(
    top: Path, attacked: Attacked, chance: random.Random, contained: "Counter[str]"
) -> list[str]:
    """Searches where nobody can listen."""
    way = chance.choice(("a folder", "a file", "others may write"))
    attacked.run(["index", "--root", str(top / "tree")], top, SECONDS)
    folder = next((top / "home" / "cache" / "symindex").glob("tree-*"))
    if way == "a folder":
        (folder / wire.SOCKET_NAME).mkdir()
    elif way == "a file":
        (folder / wire.SOCKET_NAME).write_text("something else")
    else:
        folder.parent.chmod(0o777)
    faults = _searches(top, attacked, chance.choice((1, 3, 6)))
    contained[f"nobody: {way}"] += 1
    return [*faults, *_left(top, attacked, is_killed=False)]


def run(seed: int, count: int, say: Callable[[str], object]) -> Figures:
    """Runs the campaign. count: number of questions; a crowd of searches, and searches where nobody
    can listen, count as one each."""
    figures = Figures(count, Counter(), [])
    head, exchange.HEAD_SECONDS = exchange.HEAD_SECONDS, 5.0
    number = 0
    try:
        while number < count:
            chance = random.Random(f"{seed} {number}")
            kind, n_attacks = chance.choice(
                (
                    ("questions", ON_ONE_PROCESS),
                    ("questions", ON_ONE_PROCESS),
                    ("storm", 1),
                    ("nobody", 1),
                )
            )
            n_attacks = min(n_attacks, count - number)
            with (
                tempfile.TemporaryDirectory(prefix="symindex-environments") as name,
                Attacked(Path(name)) as attacked,
            ):
                top = Path(name).resolve()
                make_worlds(top)
                attacked.environment["LC_CTYPE"] = (
                    "C.UTF-8"  # Python sets it in its own environment if it is missing
                )
                if kind == "questions":
                    faults = _questions(top, attacked, chance, n_attacks, figures.contained)
                else:
                    faults = (_storm if kind == "storm" else _nobody)(
                        top, attacked, chance, figures.contained
                    )
            figures.faults.extend(f"seed {seed}, from {number}: {fault}" for fault in faults)
            number += n_attacks
            say(f"environments: {number:,} of {count:,} ({kind}), {len(figures.faults)} faults")
    finally:
        exchange.HEAD_SECONDS = head
    return figures
