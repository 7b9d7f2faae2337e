"""Stores copies of notes in files of their own: of notes that no backup has yet, and of notes that
wait for the database.

A note is written to its file before it is committed, and the file stays until a backup has the
note. So whatever happens to the database and its log, every acknowledged note is in the backup or
here. A note that cannot wait for the database is only stored here until the next command that can
write adds it. Its uid prevents that it is added twice.

A file counts only if it is the user's own, short, and a valid note; any other is set aside.
"""

import errno
import os
import time
from collections.abc import Iterable, Iterator, Set
from contextlib import suppress
from hashlib import blake2b
from typing import Final

import msgspec

from symindex.errors import RequestError, StorageError, UnwritableError
from symindex.files.access.private_folder import PrivateFolder
from symindex.files.access.regular import LargeFileError, NotRegularError
from symindex.recall.notes.note import Note, check_note

MOST_WAITING: Final = 1_000
MOST_WAITING_BYTES: Final = 16_000_000
"""Most files, and most bytes, of notes that wait for the database."""

MOST_BYTES: Final = 1_000_000
"""Largest file that is read, in bytes: twice the longest note with everything escaped."""

MOST_NAMES: Final = 20_000
"""Most files of the folder that are listed; a notice says if there are more."""

_BEGIN: Final = "recent-"
_ENDING: Final = ".json"
_ASIDE: Final = ".bad"
_NOTE: Final = msgspec.json.Decoder(Note)


class NoteCopies:
    """The files, in the folder of the database. bad: names of files that were set aside since the
    last listing. unread: those that the system could not read, with the reasons. is_cut: whether
    the last listing lacks files."""

    def __init__(self, folder: PrivateFolder) -> None:
        self.folder = folder
        self.bad: list[str] = []
        self.unread: dict[str, str] = {}
        self.is_cut: bool = False

    def names(self) -> list[str]:
        """Returns the names of the files, in the order in which they were written. Raises
        StorageError."""
        try:
            names = self.folder.names(MOST_NAMES + 1)
        except OSError as error:
            raise StorageError(
                f"{self.folder.path}: cannot be read: {error.strerror or error}"
            ) from None
        self.is_cut = len(names) > MOST_NAMES
        return sorted(
            name
            for name in names[:MOST_NAMES]
            if name.startswith(_BEGIN) and name.endswith(_ENDING)
        )

    def keep(self, note: Note) -> str:
        """Writes a note and returns the name of its file; the note is then on disk. Raises
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
        """Writes a note that waits for the database. Raises StorageError if too many are
        waiting."""
        names = self.names()
        if len(names) >= MOST_WAITING or sum(map(self._size, names)) > MOST_WAITING_BYTES:
            raise StorageError(
                f"{self.folder.path}: {len(names):,} notes are already waiting to be stored: the"
                " new note was not recorded"
            )
        self.keep(note)

    def _size(self, name: str) -> int:
        try:
            return (self.folder / name).lstat().st_size
        except OSError:  # another process has added it
            return 0

    def read(self, names: Iterable[str]) -> Iterator[Note]:
        """Returns the notes in files. A file that is not a note is set aside and named in `bad`;
        one that is gone, or that the system cannot read, is skipped; `unread` names the
        latter."""
        for name in names:
            try:
                note = _NOTE.decode(self.folder.read(name, MOST_BYTES))
                check_note(note)
                if digest_of(note.uid) != digest_in(name):
                    raise RequestError("not the note that its name tells")
            except FileNotFoundError:
                continue
            except (
                OSError,
                msgspec.MsgspecError,
                RequestError,
                RecursionError,
                ValueError,
            ) as error:
                if isinstance(error, OSError) and not _is_not_ours(error):
                    # Too many open files, for instance: the file may be sound.
                    self.unread[name] = error.strerror or str(error)
                    continue
                with suppress(OSError):
                    os.replace(self.folder / name, self.folder / f"{name}{_ASIDE}")
                    self.bad.append(name)
                continue
            self.unread.pop(name, None)
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
        """Deletes the files of notes that a backup has."""
        digests = set(map(digest_of, uids))
        for name in self.names():
            if digest_in(name) in digests:
                with suppress(OSError):
                    self.folder.delete(name)
        self.folder.remove_unfinished(_BEGIN)

    def missing(self, digests: Set[str]) -> list[str]:
        """Returns the names of the files whose notes are not among these."""
        return [name for name in self.names() if digest_in(name) not in digests]


def _is_not_ours(error: OSError) -> bool:
    """Whether an error tells that a file is not one that we have written."""
    return isinstance(error, NotRegularError | LargeFileError) or error.errno == errno.EPERM


def digest_of(uid: str) -> str:
    """Returns the digest of a uid for the name of a file: an imported uid may be any text."""
    return blake2b(uid.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def digest_in(name: str) -> str:
    """Returns the digest in the name of a file."""
    return name.removesuffix(_ENDING).rpartition("-")[2]
