"""Copies of notes in files of their own, one each: of those that no backup has yet, and of those
that wait for the database.

A note is written to such a file before it is committed, and the file stays until a backup has the
note. So whatever happens to the database and its log, all that was acknowledged is in the backup or
here. A note that cannot wait for the database is kept here alone, until the next command that can
write takes it in. Its uid keeps it from being taken in twice.

What is in a file counts only if the file is the user's own, short, and a valid note; another is set
aside.
"""

import os
import time
from collections.abc import Iterable, Iterator, Set
from contextlib import suppress
from hashlib import blake2b
from typing import Final

import msgspec

from symindex.errors import RequestError, StorageError, UnwritableError
from symindex.files.access.private_folder import PrivateFolder
from symindex.recall.notes.note import Note, check_note

MOST_WAITING: Final = 1_000
MOST_WAITING_BYTES: Final = 16_000_000
"""Files and bytes beyond which no further note can wait for the database."""

MOST_BYTES: Final = 1_000_000
"""The largest file that is read. A note of the longest text, all escaped, has half of it."""

MOST_NAMES: Final = 20_000
"""How many files are listed."""

_BEGIN: Final = "recent-"
_ENDING: Final = ".json"
_ASIDE: Final = ".bad"
_NOTE: Final = msgspec.json.Decoder(Note)


class NoteCopies:
    """The files, in the folder of the database. bad: the names of those that were set aside since
    the last look."""

    def __init__(self, folder: PrivateFolder) -> None:
        self.folder = folder
        self.bad: list[str] = []

    def names(self) -> list[str]:
        """The names of the files, in the order in which they were written. Raises StorageError."""
        try:
            names = self.folder.names(MOST_NAMES)
        except OSError as error:
            raise StorageError(
                f"{self.folder.path}: cannot be read: {error.strerror or error}"
            ) from None
        return sorted(name for name in names if name.startswith(_BEGIN) and name.endswith(_ENDING))

    def keep(self, note: Note) -> str:
        """Writes a note, which is on the disk when this returns with the name of its file. Raises
        StorageError."""
        name = f"{_BEGIN}{time.time_ns():020d}-{digest_of(note.uid)}{_ENDING}"
        try:
            self.folder.write(name, [msgspec.json.encode(note)], replaces=False)
        except OSError as error:
            raise UnwritableError(
                f"{self.folder / name}: cannot be written: {error.strerror or error}"
            ) from None
        return name

    def keep_waiting(self, note: Note) -> None:
        """Writes a note that waits for the database. Raises StorageError where there are too many
        already."""
        names = self.names()
        if len(names) >= MOST_WAITING or sum(map(self._size, names)) > MOST_WAITING_BYTES:
            raise StorageError(
                f"{self.folder.path}: {len(names):,} notes wait already: nothing was noted"
            )
        self.keep(note)

    def _size(self, name: str) -> int:
        try:
            return (self.folder / name).lstat().st_size
        except OSError:  # another process has taken it in
            return 0

    def read(self, names: Iterable[str]) -> Iterator[Note]:
        """The notes of files. One that is none is set aside, and named in `bad`; one that is gone
        is none."""
        for name in names:
            try:
                note = _NOTE.decode(self.folder.read(name, MOST_BYTES))
                check_note(note)
                if digest_of(note.uid) != digest_in(name):
                    raise RequestError("another note than the name says")
            except FileNotFoundError:
                continue
            except (OSError, msgspec.MsgspecError, RequestError, RecursionError, ValueError):
                with suppress(OSError):
                    os.replace(self.folder / name, self.folder / f"{name}{_ASIDE}")
                    self.bad.append(name)
                continue
            yield msgspec.structs.replace(note, id=0)

    def forget(self, uid: str) -> None:
        """Deletes the files of a note."""
        digest = digest_of(uid)
        self.delete(name for name in self.names() if digest_in(name) == digest)

    def delete(self, names: Iterable[str]) -> None:
        """Deletes files."""
        for name in names:
            with suppress(FileNotFoundError):
                self.folder.delete(name)

    def backed_up(self, uids: Set[str]) -> None:
        """Deletes the files of those notes that a backup has."""
        digests = set(map(digest_of, uids))
        for name in self.names():
            if digest_in(name) in digests:
                with suppress(OSError):
                    self.folder.delete(name)
        self.folder.remove_unfinished(_BEGIN)

    def missing(self, digests: Set[str]) -> list[str]:
        """The names of the files whose notes are not among some."""
        return [name for name in self.names() if digest_in(name) not in digests]


def digest_of(uid: str) -> str:
    """The digest of a uid for the name of a file: an imported uid may be any text."""
    return blake2b(uid.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def digest_in(name: str) -> str:
    """The digest in the name of a file."""
    return name.removesuffix(_ENDING).rpartition("-")[2]
