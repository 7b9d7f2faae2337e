"""Damaged index files: flipped bits, cut or longer files, zeroed or doubled stretches.

After the damage, everything is asked, in one of two ways. "set back": the file keeps its mtime, as
on a failing disk or after deliberate tampering; answers must be those of a sound index. "forged":
the record of the last check also names the damaged file, so no checksum is computed when it is
opened. Only answers and one-line errors may result, within limits of time and memory; wrong answers
are counted.
"""

import os
import random
import resource
import shutil
import signal
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import msgspec

from symindex.errors import SymindexError
from symindex.extract import records
from symindex.extract.languages.registry import load_languages
from symindex.extract.read import read_file
from symindex.extract.records import FileSymbols, ReadTask
from symindex.files.access.beneath import Beneath
from symindex.index.store import FILE_NAME, _identity
from symindex.protocol.explore import ReferencesRequest
from symindex.protocol.search import SearchRequest
from symindex.workers import parsing
from symindex.workspace.workspace import Workspace
from tests.attack.figures import Figures

REPOSITORY: Final = Path(__file__).parent.parent.parent / "fixtures" / "scenarios" / "repository"
WAYS: Final = ("set back", "forged")

SECONDS: Final = 10
"""Time limit of all questions to one damaged index, in seconds."""

MEMORY: Final = 1 << 30
"""Bytes of address space by which a process may grow after its start."""

RESIDENT: Final = 300_000
"""Kilobytes of resident memory by which a process may grow; it starts with the memory of earlier
tests in its parent."""

AT_ONCE: Final = 50
"""Number of damaged indexes that one process reads."""

QUERIES: Final = (
    "", "total", "cart", "ase", "crt", "totl", "a.b", "Cart.", "kind:class", "doc:the", "signature:self AND name:t*",
    "sum OR price", "lang:python NOT path:test", "é", "getNa",
)  # fmt: skip


class _Told(msgspec.Struct, array_like=True):
    number: int
    noticed: bool
    wrong: bool
    failure: str


def run(seed: int, count: int, say: Callable[[str], object]) -> Figures:
    """Damages `count` indexes, alternating between the WAYS."""
    with tempfile.TemporaryDirectory() as folder:
        attack = _Attack(Path(folder), seed)
        outcomes: list[_Told] = []
        while len(outcomes) < count:
            outcomes += attack.some(range(len(outcomes), min(len(outcomes) + AT_ONCE, count)))
            say(
                f"index flips: {len(outcomes):,} of {count:,}, {sum(bool(outcome.failure) for outcome in outcomes):,} failures"
            )
    failures = [
        f"flip {outcome.number} of seed {seed}: {outcome.failure}"
        for outcome in outcomes
        if outcome.failure
    ]
    contained = Counter(
        noticed=sum(outcome.noticed for outcome in outcomes),
        wrong=sum(outcome.wrong for outcome in outcomes),
    )
    return Figures(len(outcomes), contained, failures)


class _Attack:
    """A tree, its index with an overlay, and the answers of a sound index."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.seed = seed
        self.folder = folder
        self.root = Path(shutil.copytree(REPOSITORY, folder / "tree"))
        self.files = sorted(path for path in self.root.rglob("*.py"))
        with reading_here(), Workspace(self.root, folder / "sound") as workspace:
            workspace.refresh()
            self.files[0].write_text(
                "def changed(cart):\n    'The doc of the é.'\n    return cart.total\n"
            )
            self.files[1].unlink()
            workspace.refresh()
            self.names = sorted(
                path.name
                for path in workspace.source.indexed.folder.glob("symbols.*")
                if path.name != "symbols.checked"
            )
            assert len(self.names) == 2, self.names
            self.place = workspace.source.indexed.folder.relative_to(folder / "sound")
            self.sound = list(_answers(workspace, with_references=True))

    def some(self, numbers: range) -> list[_Told]:
        """Runs the attacks with these numbers in a separate process. An attack that ends the
        process counts as failed, and another process continues."""
        outcomes: list[_Told] = []
        while len(outcomes) < len(numbers):
            rest = numbers[len(outcomes) :]
            read, write = os.pipe()
            pid = os.fork()
            if pid == 0:
                os.close(read)
                self._live(rest, write)
            os.close(write)
            with open(read, "rb") as stream:
                outcomes += [msgspec.json.decode(line, type=_Told) for line in stream]
            _, status = os.waitpid(pid, 0)
            if len(outcomes) < len(numbers):
                number = numbers[len(outcomes)]
                end = (
                    signal.Signals(os.WTERMSIG(status)).name
                    if os.WIFSIGNALED(status)
                    else str(os.WEXITSTATUS(status))
                )
                outcomes.append(
                    _Told(
                        number,
                        noticed=False,
                        wrong=False,
                        failure=f"{self._way(number)}: the process ended by {end}",
                    )
                )
        return outcomes

    def _way(self, number: int) -> str:
        return WAYS[number % len(WAYS)]

    def _live(self, numbers: range, write: int) -> None:
        try:
            addresses = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf(
                "SC_PAGE_SIZE"
            )
            resource.setrlimit(resource.RLIMIT_AS, (addresses + MEMORY, addresses + MEMORY))
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            with reading_here():
                for number in numbers:
                    signal.alarm(SECONDS)
                    outcome = self._one(number)
                    signal.alarm(0)
                    resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
                    if resident > RESIDENT and not outcome.failure:
                        outcome.failure = f"{resident:,} kB of memory"
                    os.write(write, msgspec.json.encode(outcome) + b"\n")
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)

    def _one(self, number: int) -> _Told:
        chance = random.Random(f"{self.seed} {number}")
        folder = self.folder / f"damaged{number % 2}"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.folder / "sound", folder)  # keeps mtimes
        path = folder / self.place / chance.choice(self.names)
        if self._way(number) == "forged":
            done = damage(path, chance)
            names = (f"{name} {_identity((path.parent / name).stat())}\n" for name in self.names)
            (path.parent / "symbols.checked").write_text("".join(names))
        else:
            with Workspace(self.root, folder) as workspace:  # records every file as good
                workspace.load()
            before = path.stat()
            done = damage(path, chance)
            os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        outcome = _Told(number, noticed=False, wrong=False, failure="")
        try:
            with Workspace(self.root, folder) as workspace:
                workspace.load()
                # References need processes, which take most of the time.
                with_references = number % 20 < len(WAYS)
                answers = list(_answers(workspace, with_references))
                outcome.noticed = _tells_of_damage(answers, workspace)
                outcome.wrong = any(
                    here != there
                    for (here, _), (there, _) in zip(answers, self.sound, strict=False)
                )
        except SymindexError as error:
            if "\n" in str(error) or self._way(number) == "set back":
                outcome.failure = f"{self._way(number)}, {path.name[:13]} {done}: {error}"
        except BaseException as error:
            frames = [
                f"{Path(frame.filename).name}:{frame.lineno}"
                for frame in traceback.extract_tb(error.__traceback__)[-3:]
            ]
            outcome.failure = f"{self._way(number)}, {path.name[:13]} {done}: {type(error).__name__}: {error} ({' '.join(frames)})"
        if outcome.wrong and self._way(number) == "set back":
            outcome.failure = f"{self._way(number)}, {path.name[:13]} {done}: a wrong answer"
        return outcome


def damage(path: Path, chance: random.Random) -> str:
    """Damages a file in place and returns how."""
    data = bytearray(path.read_bytes())
    offset, length = chance.randrange(len(data)), chance.randint(1, 200)
    how = chance.choice(["flip", "flip", "flip", "flip", "cut", "extend", "zero", "double", "fill"])
    if how == "flip":
        for _ in range(chance.choice([1, 1, 2, 8, 64])):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    elif how == "cut":
        del data[offset:]
    elif how == "extend":
        data += chance.randbytes(length)
    elif how == "zero":
        data[offset : offset + length] = bytes(len(data[offset : offset + length]))
    elif how == "double":
        data[offset:offset] = data[offset : offset + length]
    else:
        data[offset : offset + length] = b"\xff" * len(data[offset : offset + length])
    before = path.read_bytes()
    path.write_bytes(bytes(data))
    return f"{how} at {offset:,}" if data != before else "nothing"


def _answers(workspace: Workspace, with_references: bool) -> Iterator[tuple[bytes, list[str]]]:
    """Yields the answers to every kind of request, without the differences between sound indexes,
    and their notices."""
    for query in QUERIES:
        for size in (None, 3):
            yield _plain(
                workspace.search(
                    SearchRequest(
                        query=query, max_items=size, include=["id", "score", "signature", "doc"]
                    )
                )
            )
    for symbol in ("Cart", "total", "changed"):
        yield _plain(workspace.symbol(symbol, siblings=True))
    yield _plain(workspace.outline(""))
    yield _plain(workspace.outline("", include=["signature"], max_tokens=300))
    yield (
        repr(
            [
                (file.path, file.symbols, file.outer, file.kinds_elsewhere)
                for file in workspace.source.indexed.export()
            ]
        ).encode(),
        [],
    )
    status = workspace.status()
    yield (
        msgspec.json.encode(
            (status.files, status.symbols, status.languages, status.skipped, status.generation)
        ),
        [],
    )
    if with_references:
        yield _plain(workspace.references(ReferencesRequest(name="total")))


def _plain(response: Any) -> tuple[bytes, list[str]]:
    notices = list(response.notices or [])
    response.notices = None
    return msgspec.json.encode(response), notices


def _tells_of_damage(answers: list[tuple[bytes, list[str]]], workspace: Workspace) -> bool:
    said = [
        notice for _, notices in answers for notice in notices
    ] + workspace.source.take_notices()
    return any(FILE_NAME.partition(".")[0] in notice for notice in said)


@contextmanager
def reading_here() -> Iterator[None]:
    """Reads files in this process, because starting another for each rebuild would take most of the
    time. Nobody writes meanwhile, so a file that was just written counts as settled."""
    languages = load_languages()

    def read(
        root: Path, tasks: list[tuple[ReadTask, int]], *, max_file_bytes: int, **_: object
    ) -> list[FileSymbols]:
        with Beneath(root) as tree:
            return [read_file(tree, task, languages, max_file_bytes) for task, _ in tasks]

    kept, settled = parsing.read_files, (records.SETTLED_NS, records.COARSE_NS)
    parsing.read_files, records.SETTLED_NS, records.COARSE_NS = read, 0, 0  # type: ignore[assignment, misc]
    try:
        yield
    finally:
        parsing.read_files, (records.SETTLED_NS, records.COARSE_NS) = kept, settled  # type: ignore[misc]
