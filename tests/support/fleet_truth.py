"""A fleet whose repositories have known versions, updated by real processes; and what may be found
in it: of each repository exactly one of its versions, and the text of that."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from symindex.errors import SymindexError
from symindex.fleet.fleet import Fleet, open_fleet
from symindex.fleet.texts import UnreadableTextError
from tests.support.command import SYMINDEX

FUNCTIONS: Final = 12
PADDING: Final = 25_000
"""Lines of text in a file of the first repository: two frames."""

Rows = frozenset[tuple[str, int, str]]
"""Path, line and name of each symbol of a repository."""


class Seen(NamedTuple):
    """What a reader saw.

    served: name of each repository that was found -> the number of its version. said: the notices,
    or the error that kept the fleet closed. unread: files whose texts were refused. wrong: what may
    not be; empty if all is well. is_open: whether the fleet could be opened.
    """

    served: dict[str, int]
    said: list[str]
    unread: list[str]
    wrong: list[str]
    is_open: bool = True

    def tells(self, name: str) -> bool:
        """Whether the notices name a repository."""
        return any(name in line for line in self.said)

    @property
    def n_more(self) -> int:
        """How many repositories the notices count without their names."""
        more = re.findall(r"and ([\d,]+) more", " ".join(self.said))
        return sum(int(count.replace(",", "")) for count in more)


class Ran(NamedTuple):
    """How a process ended, in how many seconds, and what it wrote to standard error."""

    code: int
    said: str
    seconds: float
    out: str = ""

    @property
    def is_plain(self) -> bool:
        """Whether nothing of the program's inside was shown."""
        return "Traceback" not in self.said and len(self.said.splitlines()) <= 1


class KnownFleet:
    """Repositories `team/r00`, … in folders, with a catalogue. environment: of its processes."""

    def __init__(self, folder: Path, n: int, store: str = "", **environment: str) -> None:
        self.folder = folder
        self.address = store or str(folder / "store")
        self.environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "home"), **environment}
        self.versions: dict[str, list[tuple[Rows, Mapping[str, str]]]] = {}
        for number in range(n):
            self.change(f"team/r{number:02}")

    @property
    def catalogue(self) -> Path:
        return self.folder / "fleet.toml"

    def root(self, name: str) -> Path:
        return self.folder / "source" / name.replace("/", "-")

    def change(self, name: str) -> None:
        """Adds a repository, or gives it its next version."""
        version = len(self.versions.setdefault(name, []))
        files = {
            f"src/part{part}.py": _text(name, version, part, PADDING if name[-2:] == "00" else 0)
            for part in range(3)
        }
        for path, text in files.items():
            place = self.root(name) / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)
        self.versions[name].append((_rows(name, files), files))
        self.write_catalogue()

    def empty(self, name: str) -> None:
        """Gives a repository a version without files."""
        for path in self.root(name).rglob("*.py"):
            path.unlink()
        self.versions[name].append((frozenset(), {}))

    def forget(self, name: str) -> None:
        """Takes a repository out of the catalogue."""
        del self.versions[name]
        self.write_catalogue()

    def write_catalogue(self, source_folder: str = "") -> None:
        lines = [f"store = {json.dumps(self.address)}"]
        lines.append(f"source_folder = {json.dumps(source_folder or str(self.folder / 'ours'))}")
        for name in sorted(self.versions):
            root = json.dumps(str(self.root(name)))
            lines += ["[[repository]]", f"folder = {root}", f"name = {json.dumps(name)}"]
        self.catalogue.write_text("\n".join(lines) + "\n")

    def command(self, step: str = "update", *options: str) -> list[str]:
        return [*SYMINDEX, "fleet", step, "--catalogue", str(self.catalogue), *options]

    def start(self, *command: str, **environment: str) -> "subprocess.Popen[str]":
        """Starts a process with a group of its own; default: `fleet update`."""
        return subprocess.Popen(
            command or self.command(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**self.environment, **environment},
            start_new_session=True,
        )

    def run(self, *command: str, seconds: float = 300, **environment: str) -> Ran:
        """Runs a process to its end; default: `fleet update`."""
        began = time.monotonic()
        with self.start(*command, **environment) as process:
            try:
                out, said = process.communicate(timeout=seconds)
            except BaseException:
                kill_group(process)
                raise
        return Ran(process.returncode, said, time.monotonic() - began, out)

    def look(self, cache: Path | None = None) -> Seen:
        """Opens the newest generation as a reader does, and checks all that it shows. cache:
        default: a new folder."""
        folder = cache or self.folder / f"cache-{time.monotonic_ns()}"
        try:
            with open_fleet(self.address, folder) as fleet:
                return self.check(fleet)
        except SymindexError as error:
            return Seen({}, [str(error)], [], [], is_open=False)

    def check(self, fleet: Fleet) -> Seen:
        """Checks all that a fleet shows."""
        found: dict[str, set[tuple[str, int, str]]] = {}
        answer = fleet.search("func_team", max_items=None, fuzzy=False)
        said = answer.notices or []
        for item in answer.items:
            name = "/".join(item.file_path.split("/")[:2])
            found.setdefault(name, set()).add((item.file_path, item.line, item.name))
        if not answer.items and not said:
            said = ["nothing was found"]
        served: dict[str, int] = {}
        wrong: list[str] = []
        unread: list[str] = []
        for name, rows in found.items():
            version = self._version_of(name, frozenset(rows))
            if version is None:
                wrong.append(f"{name}: {len(rows)} rows that are of no version")
                continue
            served[name] = version
            for path, text in self.versions[name][version][1].items():
                try:
                    if fleet.source.texts[f"{name}/{path}"] != text.encode():
                        wrong.append(f"{name}/{path}: another text")
                except UnreadableTextError as error:
                    unread.append(f"{name}/{path}: {error.strerror}")
        return Seen(served, said, unread, wrong)

    def _version_of(self, name: str, rows: Rows) -> int | None:
        versions = [version[0] for version in self.versions.get(name, [])]
        return max((at for at, version in enumerate(versions) if version == rows), default=None)

    def why_not_whole(self, seen: Seen) -> str:
        """Returns what a reader of the newest sources would miss; empty if nothing."""
        newest = {
            name: len(versions) - 1 for name, versions in self.versions.items() if versions[-1][0]
        }
        if seen.wrong or seen.said or seen.unread:
            return "; ".join([*seen.wrong, *seen.said, *seen.unread])[:300]
        late = sorted(name for name in newest if seen.served.get(name) != newest[name])
        more = sorted(seen.served.keys() - newest.keys())
        return f"not the newest: {late}, {more}" if late or more else ""

    def why_silent(self, seen: Seen) -> str:
        """Returns which repositories are missing without a word; empty if none is."""
        known = {name for name, versions in self.versions.items() if versions[-1][0]}
        silent = sorted(name for name in known - seen.served.keys() if not seen.tells(name))
        if not seen.is_open or len(silent) <= seen.n_more:
            return ""
        # All may be missing in an old generation, or in none.
        is_told = any("is damaged, so" in line for line in seen.said)
        return "" if is_told else f"missing and not said: {silent}"


def kill_group(process: "subprocess.Popen[str]") -> None:
    """Kills a process and all that it started."""
    if sys.platform != "win32":
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            return


def _text(name: str, version: int, part: int, padding: int) -> str:
    mark = name.replace("/", "_")
    lines = [
        f"def func_{mark}_v{version}_p{part}_{number}():\n    return {number}\n"
        for number in range(FUNCTIONS + version % 5)
    ]
    numbers = [f"{name} {version} {number * 7919 % 100_003}\n" for number in range(padding)]
    return "\n".join(lines) + (f'PADDING = """{"".join(numbers)}"""\n' if part == 1 else "")


def _rows(name: str, files: Mapping[str, str]) -> Rows:
    return frozenset(
        (f"{name}/{path}", number, line[4:-3])
        for path, text in files.items()
        for number, line in enumerate(text.split("\n"), 1)
        if line.startswith("def ")
    )
