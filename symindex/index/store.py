"""Writes columns to files and reads them; the only module that knows the format of the files.

    bytes 0-7    SYMINDEX
    bytes 8-11   FORMAT_VERSION
    bytes 12-19  length of the payload
    bytes 20-35  digest of the rules for reading symbols: symindex's version and the languages
    bytes 36-51  BLAKE2b checksum of the payload
    then         the payload: Columns (the base) or an Overlay (`index/columns/payload`)

All numbers are little-endian. The base is `symbols.index`. An overlay is `symbols.BASE.FIRST-LAST`:
the first 8 hexadecimal digits of its base's checksum, and the numbers of the updates that it
covers. So a new base makes all overlays of the old one void when it appears, and an overlay that
covers several others makes these void; they are deleted afterwards.

Files are written completely under another name and renamed. Opening a file maps it and copies no
column. The checksum is computed only for a file that is not the one last found sound, according to
the note `symbols.checked` (README.md: Damage).
"""

import errno
import hashlib
import mmap
import os
import re
import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import Final, TypeVar

import msgspec

from symindex.errors import (
    DamagedIndexError,
    IndexFileError,
    OutdatedIndexError,
    StorageError,
    UnwritableError,
)
from symindex.files.access.private_folder import PrivateFolder
from symindex.files.access.regular import open_number
from symindex.index.columns.columns import Index
from symindex.index.columns.layout import Columns, check_layout
from symindex.index.columns.payload import decode, encode
from symindex.index.overlay import Layers, Overlay, move_overlays

FORMAT_VERSION: Final = 16

FILE_NAME: Final = "symbols.index"
TABLE_NAME: Final = "symbols.names"
"""File name of a table next to an index or a set of indexes (`packages/indexes`): a structure with
columns, with the same header."""

_CHECKED_NAME: Final = "symbols.checked"
_LONGEST_CHECKED: Final = 100_000
_LOCK_NAME: Final = "write.lock"
_MAGIC: Final = b"SYMINDEX"
_HEADER: Final = struct.Struct("<8sIQ16s16s")


_Payload = TypeVar("_Payload", bound=msgspec.Struct)


def _encode(value: msgspec.Struct) -> tuple[Sequence[bytes | memoryview], bytes]:
    """Returns a payload in pieces, and its checksum."""
    payload = encode(value, _HEADER.size)
    return payload, _checksum(payload)


def _checksum(payload: Sequence[bytes | memoryview]) -> bytes:
    checksum = hashlib.blake2b(digest_size=16)
    for piece in payload:
        checksum.update(piece)
    return checksum.digest()


def _read(
    folder: PrivateFolder,
    name: str,
    rules_digest: bytes,
    kind: type[_Payload],
    is_distrusted: bool = False,
) -> tuple[_Payload, bytes] | None:
    """Returns the payload of a file, mapped, and its checksum; `None` if there is no file.
    is_distrusted: computes the checksum in any case."""
    path = folder / name
    try:
        with open_number(folder.open(name), "rb") as file:
            identity = _identity(os.fstat(file.fileno()))
            mapped = (
                mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
                if os.fstat(file.fileno()).st_size
                else b""
            )
    except FileNotFoundError:
        return None
    except OSError as error:
        raise IndexFileError(
            f"{path}: cannot be read: {error.strerror}; it will be rebuilt"
        ) from None
    view = memoryview(mapped)
    rules, checksum = _checked_header(view, str(path))
    payload = view[_HEADER.size :]
    if rules != rules_digest:
        raise OutdatedIndexError(f"{path}: {_OTHER_RULES}")
    if is_distrusted or _checked(folder).get(name) != identity:
        if _checksum([payload]) != checksum:
            raise IndexFileError(f"{path}: {_WRONG_CHECKSUM}")
        # In a folder that cannot be written, it is checked again next time.
        with suppress(OSError):
            _note_checked(folder, name)
    return _decoded(payload, kind, str(path)), checksum


def read_index(content: bytes, rules_digest: bytes, name: str) -> Index:
    """Returns the index in the content of a file. name: for errors. Raises as `Store.load`."""
    view = memoryview(content)
    rules, checksum = _checked_header(view, name)
    if rules != rules_digest:
        raise OutdatedIndexError(f"{name}: {_OTHER_RULES}")
    if _checksum([view[_HEADER.size :]]) != checksum:
        raise IndexFileError(f"{name}: {_WRONG_CHECKSUM}")
    return Index(_decoded(view[_HEADER.size :], Columns, name))


_OTHER_RULES: Final = (
    "made by another version of symindex or with other language rules; it will be rebuilt"
)
_WRONG_CHECKSUM: Final = "damaged (wrong checksum); it will be rebuilt"


def _checked_header(view: memoryview, path: str) -> tuple[bytes, bytes]:
    """Returns the digest of the rules and the checksum of a file. Raises IndexFileError."""
    if len(view) < _HEADER.size or bytes(view[: len(_MAGIC)]) != _MAGIC:
        raise IndexFileError(f"{path}: not an index file; it will be rebuilt")
    _, version, length, rules, checksum = _HEADER.unpack_from(view)
    if version != FORMAT_VERSION:
        raise IndexFileError(
            f"{path}: format version {version}, not {FORMAT_VERSION}; it will be rebuilt"
        )
    n_bytes = len(view) - _HEADER.size
    if n_bytes != length:
        raise IndexFileError(
            f"{path}: {n_bytes:,} bytes of content, not {length:,}; it will be rebuilt"
        )
    return rules, checksum


def _decoded(payload: memoryview, kind: type[_Payload], path: str) -> _Payload:
    """Returns the structure in a payload. Raises IndexFileError."""
    try:
        decoded = decode(payload, kind)
        if isinstance(decoded, Columns | Overlay):
            check_layout(decoded.columns if isinstance(decoded, Overlay) else decoded)
        return decoded
    except (ValueError, MemoryError, DamagedIndexError) as error:
        raise IndexFileError(f"{path}: damaged ({error}); it will be rebuilt") from None


def _identity(status: os.stat_result) -> str:
    # A writer can set the mtime back, but no program can set the ctime.
    return f"{status.st_ino} {status.st_size} {status.st_mtime_ns} {status.st_ctime_ns}"


def _note_checked(folder: PrivateFolder, name: str) -> None:
    identities = {
        other_name: identity
        for other_name, identity in _checked(folder).items()
        if (folder / other_name).exists()
    }
    identities[name] = _identity((folder / name).stat())
    lines = "".join(
        f"{other_name} {identity}\n" for other_name, identity in sorted(identities.items())
    )
    folder.write(_CHECKED_NAME, [lines.encode()], synced=False)


def _checked(folder: PrivateFolder) -> dict[str, str]:
    """Returns name -> identity of the files last found sound."""
    try:
        lines = folder.read(_CHECKED_NAME, _LONGEST_CHECKED).decode().splitlines()
    except (OSError, UnicodeDecodeError):
        return {}
    noted = (line.partition(" ") for line in lines)
    return {
        name: identity
        for name, _, identity in noted
        if name in (FILE_NAME, TABLE_NAME) or _OVERLAY_NAME.fullmatch(name)
    }


def is_cut(index: Index) -> bool:
    """Whether the file of a mapped index has become shorter. On most systems, reading the missing
    part ends the process."""
    mapped = index.columns.traits.obj
    return isinstance(mapped, mmap.mmap) and mapped.size() < len(mapped)


def is_sound(index: Index) -> bool:
    """Whether an index still is what was written, by its complete checksum. An index that is not
    mapped is."""
    mapped = index.columns.traits.obj
    if not isinstance(mapped, mmap.mmap):
        return True
    if is_cut(index):
        return False
    view = memoryview(mapped)
    checksum: bytes = _HEADER.unpack_from(view)[-1]
    return _checksum([view[_HEADER.size :]]) == checksum


def index_file(index: Index, rules_digest: bytes) -> list[bytes | memoryview]:
    """Returns the content of a file with this index alone, in pieces."""
    payload, checksum = _encode(index.columns)
    return [_header(rules_digest, payload, checksum), *payload]


def _header(rules: bytes, payload: Sequence[bytes | memoryview], checksum: bytes) -> bytes:
    return _HEADER.pack(_MAGIC, FORMAT_VERSION, sum(map(len, payload)), rules, checksum)


def _write(
    folder: PrivateFolder,
    name: str,
    rules: bytes,
    payload: Sequence[bytes | memoryview],
    checksum: bytes,
) -> None:
    try:
        folder.write(name, [_header(rules, payload, checksum), *payload])
        with suppress(OSError):  # Otherwise the next reader checks it.
            _note_checked(folder, name)
    except OSError as error:
        advice = "delete that folder" if error.errno == errno.EISDIR else "make room"
        raise UnwritableError(
            f"{folder / name}: cannot be written: {error.strerror}; {advice} or name another place"
            " with --index-dir"
        ) from None


def write_table(folder: PrivateFolder, rules_digest: bytes, table: msgspec.Struct) -> None:
    """Writes the table of a folder. Raises StorageError."""
    _write(folder, TABLE_NAME, rules_digest, *_encode(table))


def read_table(folder: PrivateFolder, rules_digest: bytes, kind: type[_Payload]) -> _Payload | None:
    """Returns the table of a folder, mapped, or `None`. Raises IndexFileError and StorageError, as
    `Store.load` does."""
    read = _read(folder, TABLE_NAME, rules_digest, kind)
    return read[0] if read is not None else None


_State = tuple[str, tuple[str, ...]]
"""What is stored: the identity of the base, and the names of all overlays."""

_TRIES: Final = 20
_OVERLAY_NAME: Final = re.compile(r"symbols\.([0-9a-f]{8})\.([0-9]{6,})-([0-9]{6,})")


class Store:
    """The folder of one index: a base and its overlays."""

    def __init__(self, folder: PrivateFolder, rules_digest: bytes) -> None:
        self.folder = folder
        self._rules = rules_digest
        self._known: _State | None = None  # As last loaded or saved.
        self._is_distrusted = False
        self._refused: _State | None = None  # Unusable, though its checksums are right.

    @property
    def size(self) -> int:
        """The size of the index on the disk, in bytes."""
        total = 0
        for name in (FILE_NAME, *(self._known[1] if self._known else ())):
            with suppress(OSError):
                total += (self.folder / name).stat().st_size
        return total

    @property
    def is_current(self) -> bool:
        """Whether the stored files are those that were last loaded or saved here."""
        return self._known is not None and self._state() == self._known

    def _state(self) -> _State | None:
        try:
            identity = _identity((self.folder / FILE_NAME).stat())
            names = sorted(
                name for name in os.listdir(self.folder.path) if _OVERLAY_NAME.fullmatch(name)
            )
        except OSError:
            return None
        return identity, tuple(names)

    def load(self) -> tuple[Layers | None, list[str]]:
        """Returns the stored layers, `None` if there are none yet, and the problems with overlays.
        Overlays are left out from the first bad one on.

        Raises IndexFileError if the base is unusable, StorageError if the folder is not this user's
        own.
        """
        for _ in range(_TRIES):
            state = self._state()
            if state is not None and state == self._refused:
                break
            read = _read(self.folder, FILE_NAME, self._rules, Columns, self._is_distrusted)
            if state is None or read is None:
                break
            columns, checksum = read
            overlays, problems = self._read_overlays(checksum, state[1])
            if self._state() == state:  # Otherwise a writer has come between.
                self._known = state
                try:
                    return Layers(Index(columns), checksum, overlays), problems
                except DamagedIndexError as error:
                    raise IndexFileError(
                        f"{self.folder / FILE_NAME}: damaged ({error}); it will be rebuilt"
                    ) from None
        self._known = None
        return None, []

    def distrust(self, is_refused: bool) -> None:
        """Ignores the note of sound files from now on. is_refused: what is stored now is unusable,
        though its checksums are right."""
        self._refused = self._state() if is_refused else None
        self._known, self._is_distrusted = None, True
        with suppress(OSError):
            os.unlink(self.folder / _CHECKED_NAME)

    def _read_overlays(
        self, checksum: bytes, names: Sequence[str]
    ) -> tuple[list[Overlay], list[str]]:
        """Returns the overlays in order, and the problem with the next one."""
        following: dict[int, tuple[int, str]] = {}
        for name in names:
            match = _OVERLAY_NAME.fullmatch(name)
            if match is not None and match[1] == checksum[:4].hex():
                first, last = int(match[2]), int(match[3])
                following[first] = max(following.get(first, (0, "")), (last, name))
        overlays: list[Overlay] = []
        upcoming = 1
        while upcoming in following:
            last, name = following[upcoming]
            try:
                read = _read(self.folder, name, self._rules, Overlay, self._is_distrusted)
            except IndexFileError as error:
                return overlays, [str(error)]
            if read is None:  # It is gone by now.
                break
            overlay, _ = read
            if (overlay.base, overlay.first, overlay.last) != (checksum, upcoming, last):
                break  # It belongs to another base whose checksum begins with the same digits.
            overlays.append(overlay)
            upcoming = last + 1
        return overlays, []

    def save_overlay(self, overlay: Overlay) -> None:
        """Adds an overlay, which replaces those whose updates it covers. Raises StorageError."""
        self._known = None  # Until it is stored, memory and disk differ.
        self._write(_overlay_name(overlay), *_encode(overlay))
        mine = (overlay.first, overlay.last)
        self._clear(
            overlay.base,
            lambda first, last: (first, last) == mine or not mine[0] <= first <= last <= mine[1],
        )

    def save_base(self, index: Index, on_top: Sequence[Overlay] = ()) -> Layers:
        """Replaces the base, and moves overlays of the old one on top of it. Raises
        StorageError."""
        self._known = None
        payload, checksum = _encode(index.columns)
        overlays = move_overlays(index, checksum, on_top)
        for overlay in overlays:  # Void until the base exists.
            self._write(_overlay_name(overlay), *_encode(overlay))
        self._write(FILE_NAME, payload, checksum)
        self._clear(checksum, lambda _, last: last <= len(overlays))
        mapped = _read(self.folder, FILE_NAME, self._rules, Columns)
        # Somebody has already deleted the file.
        columns = mapped[0] if mapped is not None else index.columns
        return Layers(Index(columns), checksum, overlays)

    def _write(self, name: str, payload: Sequence[bytes | memoryview], checksum: bytes) -> None:
        _write(self.folder, name, self._rules, payload, checksum)

    def _clear(self, base: bytes, is_kept: Callable[[int, int], bool]) -> None:
        """Deletes the overlays that have become void. base: the checksum of the base. is_kept: says
        for the first and last update of one of its overlays whether it stays."""
        state = self._state()
        names = []
        for name in state[1] if state is not None else ():
            match = _OVERLAY_NAME.fullmatch(name)
            if (
                match is not None
                and match[1] == base[:4].hex()
                and is_kept(int(match[2]), int(match[3]))
            ):
                names.append(name)
            else:
                with suppress(OSError):
                    os.unlink(self.folder / name)
        self._known = (state[0], tuple(names)) if state is not None else None


def _overlay_name(overlay: Overlay) -> str:
    return f"symbols.{overlay.base[:4].hex()}.{overlay.first:06}-{overlay.last:06}"


@contextmanager
def writing(folder: PrivateFolder, wait_seconds: float) -> Iterator[None]:
    """Holds the right to write into the folder, which one process can have at a time. Raises
    StorageError if it was not free within `wait_seconds`, UnwritableError if the folder cannot be
    made or written."""
    with ExitStack() as stack:
        try:
            is_ours = stack.enter_context(folder.locked(_LOCK_NAME, wait_seconds))
        except OSError as error:
            raise UnwritableError(
                f"{folder.path}: cannot be written: {error.strerror}; name another place with"
                " --index-dir"
            ) from None
        if not is_ours:
            raise StorageError(
                f"{folder.path}: another process has been writing the index for {wait_seconds:g} s;"
                " try again when it is done"
            )
        folder.remove_unfinished("symbols.", older_than=0)  # No other process writes these now.
        folder.remove_unfinished()
        yield
