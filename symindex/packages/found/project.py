"""The project whose packages are searched for: reads its files and those of its ecosystems safely,
and collects notices.

Files in the project's own folder may have been written by a stranger. They are opened part by part
without following links, and a path's real location decides whether it is in the project. Files
elsewhere (the user's caches, the system's folders) were chosen by the user or the system, so links
are followed. Everything is limited in size, number and time.
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
from symindex.packages.found.package import Package, fault_of
from symindex.text.decoding import check_toml_keys
from symindex.text.escaping import shorten, show_controls
from symindex.text.versions import version_key

MOST_BYTES: Final = 8_000_000
"""Largest lock file that is read, in bytes. One of 3,000 packages has about 2 MB."""

MOST_MANIFEST_BYTES: Final = 1_000_000
"""Largest package metadata or hand-written file that is read, in bytes."""

MOST_TOML_BYTES: Final = 300_000
"""Largest hand-written TOML file that is read, in bytes: its parser is slow."""

MOST_ENTRIES: Final = 100_000
"""Most entries of one folder that are read."""

MOST_PACKAGES: Final = 20_000
"""Most packages of one ecosystem that are listed."""

MOST_NOTICES: Final = 100

MOST_NAMED: Final = 100_000
"""Most packages that the files of one ecosystem may name before the rest is left unread. It is more
than are listed, because a lock file also names packages that are not installed."""

MOST_READ_BYTES: Final = 100_000_000
"""Most bytes that are read for one ecosystem. 5,000 npm packages have 15 MB of manifests."""

MOST_JSON_PARTS: Final = 400_000
"""Most objects and lists in a JSON file: each takes up to 240 bytes in memory, and three in the
file. A lock file of 3,000 packages has 30,000."""

SECONDS: Final = 10.0
"""Time for one ecosystem, in seconds. A project of a thousand packages takes 0.2."""

MOST_SECONDS: Final = 30.0
"""Time for all ecosystems of a project together, in seconds."""

MOST_PLACES: Final = 50
"""Most folders of one kind (with a `package.json`, a `go.mod`) that are searched."""

_DEPTH: Final = 3
_MOST_FOLDERS: Final = 1_000
_MOST_SEEN: Final = 50_000
"""How deep below the root, in how many folders and in how many entries such files are searched
for."""

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
"""Folders with other people's files, generated files or examples."""

_LONGEST_NOTICE: Final = 300

_ABSENT: Final = frozenset({errno.ENOENT, errno.ENOTDIR})


class FolderEntry(NamedTuple):
    """An entry of a folder. For a link, is_folder means nothing."""

    name: str
    is_folder: bool
    is_link: bool


class Project:
    """A project and its surroundings. It must be closed. Paths are absolute texts; those in the
    project begin with `root`.

    environment: variables of the user's shell. home: the user's folder. system: the folder that
    contains `/usr`.
    """

    def __init__(
        self,
        root: Path,
        environment: Mapping[str, str],
        home: Path | None = None,
        system: Path = Path("/"),
        seconds: float = SECONDS,
    ) -> None:
        self.root: str = os.path.realpath(root)
        self.environment = environment
        self.home: str = str(home if home is not None else Path.home())
        self.system: str = str(system)
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
        """Returns a path below the root."""
        return os.path.join(self.root, *parts)

    def is_inside(self, path: str) -> bool:
        """Whether a path is in the project's folder, judged by its text; pass a real path where
        links matter."""
        return path == self.root or path.startswith(self._inside)

    def is_in_tree(self, path: str) -> bool:
        """Whether a path leads to a place in the project's folder."""
        return self.is_inside(os.path.realpath(path))

    def variable(self, name: str) -> str:
        """Returns the real path of the folder in a variable, or an empty text if there is no such
        absolute path."""
        value = self.environment.get(name, "")
        if not os.path.isabs(value) or "\0" in value:
            return ""
        real = os.path.realpath(value)
        return real if os.path.isdir(real) else ""

    def programs(self, name: str) -> Iterator[str]:
        """Yields the real paths of a program on the user's search path, without relative parts and
        those in the project."""
        for folder in filter(os.path.isabs, self.environment.get("PATH", "").split(os.pathsep)):
            for program in (os.path.join(folder, name), os.path.join(folder, f"{name}.exe")):
                if "\0" not in program and os.path.isfile(program):
                    real = os.path.realpath(program)
                    if not self.is_inside(real) and not self.is_in_tree(folder):
                        yield real

    def relative(self, path: str) -> str:
        """Returns a path in the form for messages."""
        return (
            path[len(self._inside) :].replace(os.sep, "/") or "." if self.is_inside(path) else path
        )

    # Reading

    def read(self, path: str, most_bytes: int = MOST_MANIFEST_BYTES) -> bytes | None:
        """Returns the bytes of a file, or `None`. A file that exists but cannot be read adds a
        notice."""
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
                self.notify(f"{self.relative(path)}: not read: {error.strerror}")
            return None

    def read_start(self, path: str, n_bytes: int) -> bytes | None:
        """Returns the first bytes of a file of any size, or `None`, as `read` does."""
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
                self.notify(f"{self.relative(path)}: not read: {error.strerror}")
            return None

    def text(self, path: str, most_bytes: int = MOST_MANIFEST_BYTES) -> str:
        """Returns a file as text, empty if there is none. Invalid UTF-8 is replaced."""
        data = self.read(path, most_bytes) or b""
        return data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace").replace("\r\n", "\n")

    def read_json(self, path: str, most_bytes: int = MOST_MANIFEST_BYTES) -> dict[str, Any] | None:
        """Returns the object in a JSON file, or `None`."""
        data = self.read(path, most_bytes)
        if data is None:
            return None
        if data.count(b"{") + data.count(b"[") > MOST_JSON_PARTS:
            self.notify(
                f"{self.relative(path)}: contains more than {MOST_JSON_PARTS:,} objects and lists;"
                " left out"
            )
            return None
        try:
            parsed = msgspec.json.decode(data.removeprefix(b"\xef\xbb\xbf"))
        except (msgspec.MsgspecError, ValueError, RecursionError):
            parsed = None
        if not isinstance(parsed, dict):
            self.notify(f"{self.relative(path)}: not a JSON object; left out")
            return None
        return parsed

    def read_toml(self, path: str) -> dict[str, Any]:
        """Returns the table in a TOML file, empty if there is none."""
        data = self.read(path, MOST_TOML_BYTES)
        if data is None:
            return {}
        import tomllib  # Imported here because few projects need it.

        try:
            text = data.decode().removeprefix("\ufeff").replace("\r\n", "\n")
            check_toml_keys(text)
            return tomllib.loads(text)
        except (ValueError, RecursionError):
            self.notify(f"{self.relative(path)}: not valid TOML; left out")
            return {}

    def entries(self, path: str) -> list[FolderEntry]:
        """Returns the entries of a folder by name; nothing if there is no folder."""
        listed: list[FolderEntry] = []
        try:
            with os.scandir(
                self._tree.folder(self._base(path)) if self.is_inside(path) else path
            ) as entries:
                for entry in entries:
                    if len(listed) == MOST_ENTRIES:
                        self.notify(
                            f"{self.relative(path)}: only {MOST_ENTRIES:,} of its entries are read"
                        )
                        break
                    listed.append(
                        FolderEntry(
                            entry.name, entry.is_dir(follow_symlinks=False), entry.is_symlink()
                        )
                    )
        except OSError as error:
            if error.errno not in _ABSENT:
                self.notify(f"{self.relative(path)}: not read: {error.strerror}")
            return []
        except ValueError:  # The path contains NUL.
            return []
        listed.sort()
        return listed

    def all_but(self, path: str, inner: Iterable[str]) -> Iterator[str]:
        """Yields the fewest files and folders that cover a folder except the `inner` files and
        folders. All paths are relative to it."""
        left_out: dict[str, list[str]] = {}
        for excluded in inner:
            head, _, rest = excluded.partition("/")
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
        """Whether there is a folder; in the project, one that is not a link or behind one."""
        try:
            if self.is_inside(path):
                self._tree.folder(self._base(path))
                return True
            return stat.S_ISDIR(os.stat(path).st_mode)
        except (OSError, ValueError):
            return False

    def is_file(self, path: str) -> bool:
        """Whether there is a regular file; in the project, one that is not a link or behind one."""
        try:
            status = (
                self._tree.lstat(self.relative(path)) if self.is_inside(path) else os.stat(path)
            )
        except (OSError, ValueError):
            return False
        return stat.S_ISREG(status.st_mode)

    def newest(self, path: str, *parts: str) -> Iterator[str]:
        """Yields `path/*/parts` for the folders of `path` that have it, the highest version
        first."""
        for name in sorted(
            (entry.name for entry in self.entries(path)), key=version_key, reverse=True
        ):
            folder = os.path.join(path, name, *parts)
            if self.is_folder(folder):
                yield folder

    def places(self, name: str) -> list[str]:
        """Returns the folders of the project with a file of this name, the root and those near it
        first."""
        if self._folders is None:
            self._folders = dict(self._look_around())
        places = [folder for folder, names in self._folders.items() if name in names]
        if len(places) > MOST_PLACES:
            self.notify_limit(
                f"only {MOST_PLACES} of {len(places):,} folders with a {name} are searched"
            )
        return places[:MOST_PLACES]

    def names_around(self) -> Mapping[str, frozenset[str]]:
        """Returns folder -> names of its files, for the folders near the root."""
        if self._folders is None:
            self._folders = dict(self._look_around())
        return self._folders

    # Notices

    def notify(self, notice: str) -> None:
        """Adds a notice: one line that names the thing, the place and the remedy."""
        line = shorten(show_controls(notice), _LONGEST_NOTICE)
        if line in self.notices:
            return
        self._n_notices += 1
        if self._n_notices <= MOST_NOTICES:
            self.notices.append(line)
        elif self._n_notices == MOST_NOTICES + 1:
            self.notices.append("more was broken than is listed here")

    def notify_limit(self, what: str) -> None:
        """Adds a notice that an ecosystem is not listed as a whole. Such notices come first, so others
        cannot crowd them out."""  # noqa: E501
        line = f"{self._ecosystem}: {what}" if self._ecosystem else what
        if line not in self.notices[: self._n_limits]:
            self.notices.insert(self._n_limits, line)
            self._n_limits += 1

    def begin(self, ecosystem: str = "") -> None:
        """Starts the time and the bytes of one ecosystem, which notices call by this name."""
        self._ecosystem, self._n_read = ecosystem, 0
        self._deadline = min(time.monotonic() + self._seconds, self._last_deadline)

    def is_late(self) -> bool:
        """Whether the ecosystem's time is over. Adds a notice if it is."""
        if time.monotonic() <= self._deadline:
            return False
        self.notify_limit(
            f"not all packages are listed: the time is limited to {self._seconds:g} s for an"
            f" ecosystem, and {MOST_SECONDS:g} s for all"
        )
        return True

    def is_over(self, n_named: int) -> bool:
        """Whether the ecosystem's time is over or too many packages were named. Adds a notice if
        so."""
        if n_named >= MOST_NAMED:
            self.notify_limit(
                f"not all packages are listed: its files name more than {MOST_NAMED:,}"
            )
        return n_named >= MOST_NAMED or self.is_late()

    def is_exhausted(self) -> bool:
        """Whether no more files may be read for the ecosystem. Adds a notice if so."""
        if self._n_read > MOST_READ_BYTES:
            self.notify_limit(
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
        """Makes a package, or adds a notice and returns `None` if its ecosystem does not allow its
        name or version. source: the file that names it. A root in the project that leads out of it
        counts as missing."""
        fault = fault_of(ecosystem, name, version)
        if fault:
            self.notify(f"{self.relative(source)}: {fault}; left out")
            return None
        real = None if root is None or missing else os.path.realpath(root)
        is_in_tree = real is not None and self.is_inside(real)
        if real is not None and root is not None and self.is_inside(root) and not is_in_tree:
            missing, real = (
                f"{self.relative(root)} leads out of the project: install it in the project itself",
                None,
            )
        valid_modules = tuple(
            sorted(
                module
                for module in modules
                if module.isprintable() and len(module) <= _LONGEST_NOTICE
            )
        )
        place = Path(real) if real is not None else None
        reason = shorten(show_controls(missing), _LONGEST_NOTICE)
        return Package(
            ecosystem, name, version, place, files, valid_modules, is_direct, is_in_tree, reason
        )

    def _base(self, path: str) -> str:
        """Returns a folder of the project in the form that `Beneath` expects."""
        base = path[len(self._inside) :].replace(os.sep, "/").rstrip("/")
        return f"{base}/" if base else ""

    def _look_around(self) -> Iterator[tuple[str, frozenset[str]]]:
        level, n_folders, n_seen = [self.root], 0, 0
        for depth in range(_DEPTH + 1):
            below = []
            for folder in level:
                if n_folders == _MOST_FOLDERS or n_seen > _MOST_SEEN:
                    self.notify(
                        f"only the first {n_folders:,} folders of the project are searched for"
                        " packages"
                    )
                    return
                entries = self.entries(folder)
                names = frozenset(
                    entry.name for entry in entries if not entry.is_folder and not entry.is_link
                )
                n_folders += 1
                n_seen += len(entries)
                if depth and "pyvenv.cfg" in names:
                    continue
                yield folder, names
                below += [
                    os.path.join(folder, entry.name)
                    for entry in entries
                    if entry.is_folder
                    and entry.name not in _NOT_OURS
                    and not entry.name.startswith(".")
                ]
            level = below


def as_table(value: Any) -> dict[str, Any]:
    """Returns a value of a parsed file if it is a table, else an empty one."""
    return value if isinstance(value, dict) else {}
