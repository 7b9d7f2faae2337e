"""The project whose packages are looked for: how its files and those of its ecosystems are read,
and what is said meanwhile.

What lies in the project's own folder may have been written by a stranger. So it is opened part by
part without following a link, and whether a place lies in it is decided by its real path. What lies
elsewhere (the user's caches, the system's folders) was chosen by the user or by the system, so
links may lead on. Everything is bounded in size, number and time.
"""

import errno
import os
import stat
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

import msgspec

from symindex.files.access.beneath import Beneath
from symindex.files.access.regular import closing, open_regular, read_regular, read_up_to
from symindex.packages.found.names import fault_of
from symindex.packages.found.package import Package
from symindex.text.decoding import check_toml_keys
from symindex.text.escaping import shorten, show_controls
from symindex.text.versions import version_key

MOST_BYTES: Final = 8_000_000
"""The largest lock file that is read. One of 3,000 packages has about 2 MB."""

MOST_MANIFEST_BYTES: Final = 1_000_000
"""The same for the metadata of one package, and for what people write by hand."""

MOST_TOML_BYTES: Final = 300_000
"""The same for TOML that people write, whose parser is slow."""

MOST_ENTRIES: Final = 100_000
"""How many entries of one folder are looked at."""

MOST_PACKAGES: Final = 20_000
"""How many packages of one ecosystem are listed."""

MOST_NOTICES: Final = 100

MOST_NAMED: Final = 100_000
"""How many packages the files of one ecosystem may name before the rest of these files is left
unread. More are named than are listed, because a lock file also names those that are not
installed."""

MOST_READ_BYTES: Final = 100_000_000
"""How many bytes of files are read for one ecosystem. 5,000 packages of npm have 15 MB of
manifests."""

MOST_JSON_PARTS: Final = 400_000
"""How many objects and lists a JSON file may hold: each takes up to 240 bytes in memory, and three
bytes in the file. A lock file of 3,000 packages has 30,000."""

SECONDS: Final = 10.0
"""How long one ecosystem may take. A project of a thousand packages takes a fifth of a second."""

MOST_SECONDS: Final = 30.0
"""How long all ecosystems of a project may take together."""

MOST_PLACES: Final = 50
"""How many folders of one kind (with a `package.json`, a `go.mod`) are looked at."""

_DEPTH: Final = 3
_MOST_FOLDERS: Final = 1_000
_MOST_SEEN: Final = 50_000
"""How far below the root, in how many folders and in how many entries such files are looked for."""

_NOT_OURS: Final = frozenset(
    {
        "node_modules",
        "vendor",
        "target",
        "build",
        "dist",
        "out",
        "site-packages",
        "__pycache__",
        "venv",
        "env",
        "fixtures",
        "testdata",
    }
)
"""Folders that hold what others wrote, what was made, or examples."""

_LONGEST_NOTICE: Final = 300

_ABSENT: Final = frozenset({errno.ENOENT, errno.ENOTDIR})


class Entry(NamedTuple):
    """What a folder lists. Of a link, is_folder says nothing."""

    name: str
    is_folder: bool
    is_link: bool


class Project:
    """See the module. Paths are absolute texts; those of the project begin with `root`. To be
    closed.

    environment: variables, as of a shell in which the user works. home: the user's. system: the
    folder that `/usr` stands in.
    """

    def __init__(
        self,
        root: Path,
        environment: Mapping[str, str],
        home: Path | None = None,
        system: Path = Path("/"),
        seconds: float = SECONDS,
    ) -> None:
        self.root = os.path.realpath(root)
        self.environment = environment
        self.home = str(home if home is not None else Path.home())
        self.system = str(system)
        self.notices: list[str] = []
        self._seconds = seconds
        self._deadline = time.monotonic() + seconds
        self._last_deadline = time.monotonic() + MOST_SECONDS
        self._ecosystem = ""
        self._n_limits = 0
        self._n_read = 0
        self._inside = os.path.join(self.root, "")
        self._tree = Beneath(self.root)
        self._n_notices = 0
        self._folders: dict[str, frozenset[str]] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._tree.close()

    # Places

    def place(self, *parts: str) -> str:
        """A path below the root."""
        return os.path.join(self.root, *parts)

    def is_inside(self, path: str) -> bool:
        """Whether a path lies in the project's folder, by its text; a real path is given where that
        matters."""
        return path == self.root or path.startswith(self._inside)

    def is_in_tree(self, path: str) -> bool:
        """The same for wherever a path leads."""
        return self.is_inside(os.path.realpath(path))

    def variable(self, name: str) -> str:
        """The real path of a folder that a variable names; empty where it names none, or a relative
        one."""
        named = self.environment.get(name, "")
        if not os.path.isabs(named) or "\0" in named:
            return ""
        real = os.path.realpath(named)
        return real if os.path.isdir(real) else ""

    def programs(self, name: str) -> Iterator[str]:
        """The real paths of a program by the user's search path, without the parts of it that are
        relative or in the project."""
        for folder in filter(os.path.isabs, self.environment.get("PATH", "").split(os.pathsep)):
            for program in (os.path.join(folder, name), os.path.join(folder, f"{name}.exe")):
                if "\0" not in program and os.path.isfile(program):
                    real = os.path.realpath(program)
                    if not self.is_inside(real) and not self.is_in_tree(folder):
                        yield real

    def relative(self, path: str) -> str:
        """A path as messages name it."""
        return (
            path[len(self._inside) :].replace(os.sep, "/") or "." if self.is_inside(path) else path
        )

    # Reading

    def read(self, path: str, most_bytes: int = MOST_MANIFEST_BYTES) -> bytes | None:
        """The bytes of a file, `None` where there is none. What keeps it from being read is
        said."""
        if self.is_exhausted():
            return None
        try:
            inside = self.is_inside(path)
            data = (
                self._tree.read(self.relative(path), most_bytes)
                if inside
                else read_regular(path, most_bytes, follow=True)
            )
            self._n_read += len(data)
            return data
        except OSError as error:
            if error.errno not in _ABSENT:
                self.say(f"{self.relative(path)}: not read: {error.strerror}")
            return None

    def read_start(self, path: str, n_bytes: int) -> bytes | None:
        """The first bytes of a file, however large it is; `None` as `read` does."""
        if self.is_exhausted():
            return None
        try:
            inside = self.is_inside(path)
            number = (
                self._tree.open_file(self.relative(path))
                if inside
                else open_regular(path, follow=True)
            )
            with closing(number):
                data = read_up_to(number, n_bytes)
            self._n_read += len(data)
            return data
        except OSError as error:
            if error.errno not in _ABSENT:
                self.say(f"{self.relative(path)}: not read: {error.strerror}")
            return None

    def text(self, path: str, most_bytes: int = MOST_MANIFEST_BYTES) -> str:
        """The same as text; empty where there is none. What is no UTF-8 is replaced."""
        data = self.read(path, most_bytes) or b""
        return data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace").replace("\r\n", "\n")

    def read_json(self, path: str, most_bytes: int = MOST_MANIFEST_BYTES) -> dict[str, Any] | None:
        """The object that a file of JSON holds; `None` where it holds none."""
        data = self.read(path, most_bytes)
        if data is None:
            return None
        if data.count(b"{") + data.count(b"[") > MOST_JSON_PARTS:
            self.say(
                f"{self.relative(path)}: holds more than {MOST_JSON_PARTS:,} objects and lists;"
                " left out"
            )
            return None
        try:
            found = msgspec.json.decode(data.removeprefix(b"\xef\xbb\xbf"))
        except (msgspec.MsgspecError, ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            self.say(f"{self.relative(path)}: no JSON object; left out")
            return None
        return found

    def read_toml(self, path: str) -> dict[str, Any]:
        """The table that a file of TOML holds; empty where it holds none."""
        data = self.read(path, MOST_TOML_BYTES)
        if data is None:
            return {}
        import tomllib  # here, because few projects need it

        try:
            text = data.decode().removeprefix("\ufeff").replace("\r\n", "\n")
            check_toml_keys(text)
            return tomllib.loads(text)
        except (ValueError, RecursionError):
            self.say(f"{self.relative(path)}: no valid TOML; left out")
            return {}

    def entries(self, path: str) -> list[Entry]:
        """What a folder holds, by name; nothing where there is none."""
        found: list[Entry] = []
        try:
            with os.scandir(
                self._tree.folder(self._base(path)) if self.is_inside(path) else path
            ) as entries:
                for entry in entries:
                    if len(found) == MOST_ENTRIES:
                        self.say(
                            f"{self.relative(path)}: only {MOST_ENTRIES:,} of its entries are"
                            " looked at"
                        )
                        break
                    found.append(
                        Entry(entry.name, entry.is_dir(follow_symlinks=False), entry.is_symlink())
                    )
        except OSError as error:
            if error.errno not in _ABSENT:
                self.say(f"{self.relative(path)}: not read: {error.strerror}")
            return []
        except ValueError:  # a NUL character
            return []
        found.sort()
        return found

    def all_but(self, path: str, inner: Iterable[str]) -> Iterator[str]:
        """The fewest files and folders that are all of a folder but for some files and folders in
        it, relative to it."""
        left_out: dict[str, list[str]] = {}
        for each in inner:
            head, _, rest = each.partition("/")
            left_out.setdefault(head, []).append(rest)
        for entry in self.entries(path):
            rests = left_out.get(entry.name)
            if rests is None:
                if not entry.is_link:
                    yield entry.name
            elif "" not in rests and entry.is_folder:
                for name in self.all_but(os.path.join(path, entry.name), rests):
                    yield f"{entry.name}/{name}"

    def is_folder(self, path: str) -> bool:
        """Whether there is a folder; in the project none that is a link, or behind one."""
        try:
            if self.is_inside(path):
                self._tree.folder(self._base(path))
                return True
            return stat.S_ISDIR(os.stat(path).st_mode)
        except (OSError, ValueError):
            return False

    def is_file(self, path: str) -> bool:
        """The same for regular files."""
        try:
            status = (
                self._tree.lstat(self.relative(path)) if self.is_inside(path) else os.stat(path)
            )
        except (OSError, ValueError):
            return False
        return stat.S_ISREG(status.st_mode)

    def newest(self, path: str, *parts: str) -> Iterator[str]:
        """`path/*/parts` for the folders of `path` that have it, the highest version first."""
        for name in sorted(
            (each.name for each in self.entries(path)), key=version_key, reverse=True
        ):
            found = os.path.join(path, name, *parts)
            if self.is_folder(found):
                yield found

    def places(self, name: str) -> list[str]:
        """The folders of the project that hold a file of that name, the root and those near it
        first."""
        if self._folders is None:
            self._folders = dict(self._look_around())
        return [folder for folder, names in self._folders.items() if name in names][:MOST_PLACES]

    def names_around(self) -> Mapping[str, frozenset[str]]:
        """The names of files by folder, for the folders near the root."""
        if self._folders is None:
            self._folders = dict(self._look_around())
        return self._folders

    # What is said

    def say(self, notice: str) -> None:
        """Adds a notice: one line that names the thing, the place and what would be right."""
        line = shorten(show_controls(notice), _LONGEST_NOTICE)
        if line in self.notices:
            return
        self._n_notices += 1
        if self._n_notices <= MOST_NOTICES:
            self.notices.append(line)
        elif self._n_notices == MOST_NOTICES + 1:
            self.notices.append("more was broken than is listed here")

    def say_limit(self, what: str) -> None:
        """Adds a notice that an ecosystem is not listed as a whole. Such notices come first, so others
        cannot crowd them out."""  # noqa: E501
        line = f"{self._ecosystem}: {what}" if self._ecosystem else what
        if line not in self.notices[: self._n_limits]:
            self.notices.insert(self._n_limits, line)
            self._n_limits += 1

    def begin(self, ecosystem: str = "") -> None:
        """Begins the time and the bytes of one ecosystem, which notices name so."""
        self._ecosystem, self._n_read = ecosystem, 0
        self._deadline = min(time.monotonic() + self._seconds, self._last_deadline)

    def is_late(self) -> bool:
        """Whether the time of an ecosystem is over. Adds a notice if it is."""
        if time.monotonic() <= self._deadline:
            return False
        self.say_limit(
            f"not all packages are listed: an ecosystem has {self._seconds:g} s, all of them"
            f" {MOST_SECONDS:g} s"
        )
        return True

    def is_over(self, n_named: int) -> bool:
        """Whether the time of an ecosystem is over, or too many packages were named. Adds a notice
        then."""
        if n_named >= MOST_NAMED:
            self.say_limit(f"not all packages are listed: its files name more than {MOST_NAMED:,}")
        return n_named >= MOST_NAMED or self.is_late()

    def is_exhausted(self) -> bool:
        """Whether nothing more may be read for an ecosystem."""
        if self._n_read > MOST_READ_BYTES:
            self.say_limit(
                f"not all packages are listed: their files have more than {MOST_READ_BYTES:,} bytes"
            )
        return self._n_read > MOST_READ_BYTES or self.is_late()

    def package(
        self,
        ecosystem: str,
        name: str,
        version: str,
        root: str | None,
        *,
        source: str,
        files: tuple[str, ...] = (),
        modules: tuple[str, ...] = (),
        is_direct: bool = False,
        missing: str = "",
    ) -> Package | None:
        """A package; `None`, said, where its name or version is none that its ecosystem could have.
        source: the file that names it. A place in the project that leads out of it is taken for
        missing."""
        fault = fault_of(ecosystem, name, version)
        if fault:
            self.say(f"{self.relative(source)}: {fault}; left out")
            return None
        real = None if root is None or missing else os.path.realpath(root)
        is_in_tree = real is not None and self.is_inside(real)
        if real is not None and root is not None and self.is_inside(root) and not is_in_tree:
            missing, real = (
                f"{self.relative(root)} leads out of the project: install it in the project itself",
                None,
            )
        kept = tuple(
            sorted(each for each in modules if each.isprintable() and len(each) <= _LONGEST_NOTICE)
        )
        place = Path(real) if real is not None else None
        said = shorten(show_controls(missing), _LONGEST_NOTICE)
        return Package(ecosystem, name, version, place, files, kept, is_direct, is_in_tree, said)

    def _base(self, path: str) -> str:
        """A folder of the project as `Beneath` takes it."""
        base = path[len(self._inside) :].replace(os.sep, "/").rstrip("/")
        return f"{base}/" if base else ""

    def _look_around(self) -> Iterator[tuple[str, frozenset[str]]]:
        level, n_folders, n_seen = [self.root], 0, 0
        for depth in range(_DEPTH + 1):
            below = []
            for folder in level:
                if n_folders == _MOST_FOLDERS or n_seen > _MOST_SEEN:
                    self.say(
                        f"packages are looked for in the first {n_folders:,} folders of the project"
                        " alone"
                    )
                    return
                entries = self.entries(folder)
                names = frozenset(
                    each.name for each in entries if not each.is_folder and not each.is_link
                )
                n_folders += 1
                n_seen += len(entries)
                if depth and "pyvenv.cfg" in names:
                    continue
                yield folder, names
                below += [
                    os.path.join(folder, each.name)
                    for each in entries
                    if each.is_folder
                    and each.name not in _NOT_OURS
                    and not each.name.startswith(".")
                ]
            level = below
