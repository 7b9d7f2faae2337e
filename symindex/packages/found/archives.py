"""Unpacks archives of sources (jars, zips) that strangers have made, into a folder of ours.

The headers of an archive may lie about sizes, names and numbers. So an archive with a name that
leads out of it is refused, only safe names are written, each member is read up to a limit whatever
its header says, and the number of members, bytes, compression ratio and time are limited. The
content appears under its final name only when it is complete.
"""

import errno
import io
import os
import re
import shutil
import stat
import struct
import time
import unicodedata
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, ClassVar, Final

from symindex.errors import ArchiveError, StorageError
from symindex.files.access.private_folder import PrivateFolder
from symindex.files.access.regular import open_number, open_regular
from symindex.files.file_names import is_device

MOST_MEMBERS: Final = 200_000
MOST_BYTES: Final = 1_000_000_000
MOST_MEMBER_BYTES: Final = 8_000_000
"""Largest member, in bytes: larger ones are not source that somebody wrote."""

MOST_RATIO: Final = 200
"""Largest ratio of content to archive, and of a member to its packed size. Sources have 4 to 10;
the method allows a thousand."""

_RATIO_FROM: Final = 1_000_000
"""Size up to which no ratio is suspicious, in bytes."""

SECONDS: Final = 120.0
"""Time to unpack an archive, in seconds. The sources of a JDK (15,000 files) take three."""

_MOST_DIRECTORY_BYTES: Final = 32_000_000
"""Largest list of members, in bytes. The library loads it as a whole, into three times as much
memory. The sources of a JDK have 2,000,000."""

_MOST_FOLDERS: Final = 100_000
"""Most folders: as many as are read of a package. One name of 1,000 bytes makes up to 63 of
them."""

_ENTRY: Final = b"PK\x01\x02"
"""The beginning of each entry in the list of members."""

_CHUNK_BYTES: Final = 256_000
_STALE_SECONDS: Final = 3_600
_TEMPORARY: Final = ".new"

_LONGEST_NAME: Final = 1_000
"""Longest name, in bytes. Linux opens no path of 4,096 bytes, which includes the archive's
folder."""

_LONGEST_PART: Final = 240
"""Longest part of a name, in bytes. File systems allow 255."""

_MOST_SHOWN: Final = 200
"""Most characters that an error quotes from an archive: the library's own errors contain whole
names, of up to 65,535 bytes."""

_DEEPEST: Final = 64

_UNSAFE: Final = re.compile(r'[\x00-\x1f\x7f\\:*?"<>|]')
"""Characters that end a name, lead elsewhere or name a stream on some system."""

_SEPARATORS: Final = re.compile(r"[/\\]")
_REMEDY: Final = "delete it, and fetch it again from a place that you trust"

_ENCRYPTED: Final = 0x1
DAMAGE: Final = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    ValueError,
    EOFError,
    NotImplementedError,
    RuntimeError,
    OverflowError,
    LookupError,
)
"""Errors that the library raises for data that it cannot read."""

_METHODS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Other methods need memory that the archive decides on."""

_NEW_FILE: Final = (
    os.O_WRONLY
    | os.O_CREAT
    | os.O_EXCL
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


@dataclass(slots=True)
class Unpacked:
    """The result of unpacking. skipped: reason -> number of members that were not written."""

    n_files: int = 0
    n_bytes: int = 0
    skipped: Counter[str] = field(default_factory=Counter)


def unpack(
    archive: Path,
    into: Path,
    suffixes: tuple[str, ...] = (),
    *,
    most_members: int = MOST_MEMBERS,
    most_bytes: int = MOST_BYTES,
    most_member_bytes: int = MOST_MEMBER_BYTES,
    seconds: float = SECONDS,
) -> Unpacked:
    """Writes the members of an archive below `into`, a new folder in a folder of the user's own.

    Afterwards the folder is complete, or does not exist. An existing one is left alone: another
    process was faster.

    suffixes: of the names to write, in lower case; empty for all. Raises ArchiveError for an
    archive that is damaged or exceeds a limit, StorageError where the disk refuses.
    """
    with complete_folder(into) as new:
        deadline = time.monotonic() + seconds
        limits = most_members, most_bytes, most_member_bytes
        return Unpacking(archive, new, suffixes, *limits, deadline).read()


@contextmanager
def complete_folder(into: Path) -> Iterator[Path]:
    """Lets the block fill a new folder, which gets its name `into` at the end; if the block fails,
    it is deleted. Raises StorageError."""
    try:
        PrivateFolder(into.parent).make()
        _remove_unfinished(into.parent)
        new = into.parent / f"{into.name}.{os.urandom(8).hex()}{_TEMPORARY}"
        os.mkdir(new, 0o700)
    except OSError as error:
        raise StorageError(f"{into.parent}: cannot be written: {error.strerror or error}") from None
    try:
        yield new
        try:
            os.rename(new, into)
        except OSError as error:
            if not into.is_dir():
                raise StorageError(f"{into}: cannot be written: {error.strerror}") from None
    finally:
        shutil.rmtree(new, ignore_errors=True)


def skipped_members(archive: Path) -> Counter[str]:
    """Returns how many members `unpack` does not write, by reason. Raises as it does."""
    run = Unpacking(
        archive, None, (), MOST_MEMBERS, MOST_BYTES, MOST_MEMBER_BYTES, time.monotonic() + SECONDS
    )
    return run.read().skipped


class _BoundedReader(io.BufferedReader):
    """A file that limits the list of members, which the library reads in one call and turns into
    one object per entry."""

    most_members = MOST_MEMBERS

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > _MOST_DIRECTORY_BYTES:
            raise ArchiveError("its list of members is too long")
        data = super().read(size)
        if len(data) > _CHUNK_BYTES and data.count(_ENTRY) > self.most_members:
            raise ArchiveError(f"it has more than {self.most_members:,} members")
        return data


@dataclass(slots=True)
class Unpacking:
    """One reading of an archive. new: the folder to write into, or `None` to write nothing. A class
    below it reads another format by the same rules."""

    archive: Path
    new: Path | None
    suffixes: tuple[str, ...]
    most_members: int
    most_bytes: int
    most_member_bytes: int
    deadline: float
    damage: ClassVar[tuple[type[Exception], ...]] = DAMAGE
    done: Unpacked = field(default_factory=Unpacked)
    _size: int = 0
    _files: set[tuple[int, str]] = field(default_factory=set)
    _folders: dict[tuple[int, str], tuple[int, str]] = field(default_factory=dict)
    """(number of the parent folder, folded name) -> (number of the folder, name as spelled)."""

    def read(self) -> Unpacked:
        """Reads the archive and returns what was written. Raises as `unpack` does."""
        try:
            self._read_members()
        except ArchiveError as error:
            raise ArchiveError(f"{self.archive}: not unpacked: {error}") from None
        except self.damage as error:
            raise ArchiveError(
                f"{self.archive}: damaged ({_shortened(str(error) or 'it ends too soon')}): fetch"
                " it again"
            ) from None
        except OSError as error:
            # A header pointed to a place before the beginning of the file.
            if self._size and error.errno == errno.EINVAL and not error.filename:
                raise ArchiveError(
                    f"{self.archive}: damaged (a header points outside of it): fetch it again"
                ) from None
            place = error.filename or self.archive
            raise StorageError(
                f"{place}: cannot be read or written: {error.strerror or error}"
            ) from None
        return self.done

    def _read_members(self) -> None:
        with _BoundedReader(io.FileIO(open_regular(self.archive), "rb")) as file:
            file.most_members = self.most_members
            self._size = os.fstat(file.fileno()).st_size
            with zipfile.ZipFile(file) as opened:
                # All names are checked before anything is written.
                for member, name in [*self._members(opened)]:
                    if self.new is not None:
                        self._write(opened, member, self.new.joinpath(*name.split("/")))

    def _members(self, opened: zipfile.ZipFile) -> Iterator[tuple[zipfile.ZipInfo, str]]:
        """Yields the members to write with their names, and counts the others."""
        members = opened.infolist()
        if len(members) > self.most_members:
            raise ArchiveError(f"it has more than {self.most_members:,} members")
        for member in members:
            self._check_time()
            # The library cuts a name at NUL and changes separators; the original name counts.
            name = member.orig_filename
            self._check_name(name)
            if name.endswith("/"):
                continue
            reason = self._reason_to_skip(name, member)
            if reason:
                self.done.skipped[reason] += 1
            elif name.lower().endswith(self.suffixes or ("",)):
                yield member, name

    def _reason_to_skip(self, name: str, member: zipfile.ZipInfo) -> str:
        """Returns why a member is not written, or an empty text if it is."""
        mode = member.external_attr >> 16
        if not is_sound(name):
            return "a name that leads elsewhere"
        if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
            return "a link or a special file"
        if member.flag_bits & _ENCRYPTED or member.compress_type not in _METHODS:
            return "encrypted, or packed by another method"
        if not self._claim(name):
            return "a name that another member has"
        return "larger than is read" if member.file_size > self.most_member_bytes else ""

    def _check_name(self, name: str) -> None:
        """Raises ArchiveError for a name that leads out of the archive."""
        if ".." in _SEPARATORS.split(name):
            raise ArchiveError(
                f"its member {_shortened(name)} leads out of it, as in attacks: {_REMEDY}"
            )

    def _claim(self, name: str) -> bool:
        """Claims a name. Returns whether it differs from all others on a file system that ignores
        case."""
        *parts, last = name.split("/")
        above, n_known = 0, 0
        for part in parts:
            folder = self._folders.get((above, _folded(part)))
            if folder is None:
                break
            if folder[1] != part:
                return False
            above, n_known = folder[0], n_known + 1
        first = (above, _folded((parts[n_known:] or [last])[0]))
        if first in self._files or first in self._folders:
            return False
        for part in parts[n_known:]:
            if len(self._folders) >= _MOST_FOLDERS:
                raise ArchiveError(f"it has more than {_MOST_FOLDERS:,} folders")
            number = len(self._folders) + 1
            self._folders[above, _folded(part)] = (number, part)
            above = number
        self._files.add((above, _folded(last)))
        return True

    def _write(self, opened: zipfile.ZipFile, member: zipfile.ZipInfo, place: Path) -> None:
        with opened.open(member) as stream:
            self._write_file(stream, member.compress_size, place)

    def _write_file(self, stream: IO[bytes], packed_bytes: int, place: Path) -> None:
        """Writes a member. packed_bytes: its size in the archive."""
        parts = []
        n_bytes = 0
        while data := stream.read(_CHUNK_BYTES):
            parts.append(data)
            n_bytes += len(data)
            self._check_bytes(self.done.n_bytes + n_bytes, n_bytes, packed_bytes)
            if n_bytes > self.most_member_bytes:  # Its header stated a smaller size.
                self.done.skipped["larger than is read"] += 1
                return
        with suppress(FileExistsError):
            os.makedirs(place.parent, 0o700)
        number = os.open(place, _NEW_FILE, 0o600)
        with open_number(number, "wb") as file:
            file.writelines(parts)
        self.done.n_files += 1
        self.done.n_bytes += n_bytes

    def _check_bytes(self, total: int, n_bytes: int, packed_bytes: int) -> None:
        self._check_time()
        if total > self.most_bytes:
            raise ArchiveError(f"it contains more than {self.most_bytes:,} bytes")
        if total > max(_RATIO_FROM, MOST_RATIO * self._size) or n_bytes > max(
            _RATIO_FROM, MOST_RATIO * packed_bytes
        ):
            raise ArchiveError(
                f"it unpacks to more than {MOST_RATIO} times its size, as bombs do: {_REMEDY}"
            )

    def _check_time(self) -> None:
        if time.monotonic() > self.deadline:
            raise ArchiveError("it takes too long")


def is_sound(name: str) -> bool:
    """Whether a name leads to a place below its folder, on every system."""
    if (
        len(name) > _LONGEST_NAME
        or len(name.encode("utf-8", "replace")) > _LONGEST_NAME
        or _UNSAFE.search(name)
    ):
        return False
    parts = name.split("/")
    return len(parts) <= _DEEPEST and all(map(_is_sound_part, parts))


def _is_sound_part(part: str) -> bool:
    # Windows drops dots and blanks at the end of a name.
    is_kept = bool(part) and part[-1] not in ". "
    return is_kept and len(part.encode("utf-8", "replace")) <= _LONGEST_PART and not is_device(part)


def _folded(part: str) -> str:
    """Returns a name as a file system compares it that ignores case and the encoding of accents."""
    return unicodedata.normalize("NFC", part.casefold())


def _shortened(text: str) -> str:
    """Returns text from an archive in a form for errors: one line, of limited length."""
    return "".join(sign if sign.isprintable() else "?" for sign in text[:_MOST_SHOWN]) + "..." * (
        len(text) > _MOST_SHOWN
    )


def _remove_unfinished(folder: Path) -> None:
    """Deletes the unfinished folders of killed processes."""
    for entry in os.scandir(folder):
        if entry.name.endswith(_TEMPORARY) and entry.is_dir(follow_symlinks=False):
            with suppress(OSError):
                if time.time() - entry.stat(follow_symlinks=False).st_mtime >= _STALE_SECONDS:
                    shutil.rmtree(entry.path, ignore_errors=True)
