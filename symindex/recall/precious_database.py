"""A database of data that exists nowhere else: committed data is on disk, and a damaged file is
restored from a backup.

SQLite finds the log of a file by its path, and deletes it by its path when the file is closed
unless the path leads to another file by then. A file that is replaced at that moment would get the
wrong log, or lose its own. So every process opens, closes, backs up and restores the database under
one lock. A change that was committed to a replaced file is made again in the new one.
"""

import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final, TypeVar

from symindex.errors import DamagedDatabaseError, StorageError, UnwritableError
from symindex.recall.database import Database, as_stored, is_damage, transaction
from symindex.text.counts import count_of
from symindex.text.escaping import shorten

BACKUP_SECONDS: Final = 3_600
"""Age of a backup, in seconds, at which the next write renews it."""

MOST_TRIES: Final = 10
"""Most times that a change is made again because the file was replaced meanwhile."""

CLOSING_SECONDS: Final = 0.3
"""Longest wait for the lock of a process that closes the database, in seconds."""

MOST_BACKUP_BYTES: Final = 1 << 32
"""Largest backup that is read, in bytes: all of it is in memory."""

_LOGS: Final = ("-wal", "-shm")
_T = TypeVar("_T")


class PreciousDatabase(Database):
    """See the module. Changes use `write`, not `writing`."""

    def __init__(self, folder: Path, name: str, migrations: Sequence[str], remedy: str) -> None:
        super().__init__(folder, name, migrations, remedy)
        self.backup: Path = self.folder / f"{name}.bak"
        self._file = (0, 0)

    def exists(self) -> bool:
        return self.path.exists() or self.backup.exists()

    def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is None:
            return
        soon = time.monotonic() + CLOSING_SECONDS
        before, self.deadline = (
            self.deadline,
            soon if self.deadline is None else min(self.deadline, soon),
        )
        try:
            with suppress(StorageError, OSError), self._alone():
                connection.close()
        finally:
            self.deadline = before
            connection.close()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Yields the connection, for statements that change nothing."""
        if self._connection is not None and self._is_replaced():
            self.close()
        with super().reading() as connection:
            yield connection

    def read(self, question: Callable[[sqlite3.Connection], _T]) -> _T:
        """Returns the answer to a question. If the file is damaged or cannot be read, opens it
        again, which restores it, and asks once more."""
        try:
            with self.reading() as connection:
                return question(connection)
        except (DamagedDatabaseError, UnwritableError):
            self.close()
            with self.reading() as connection:
                return question(connection)

    def write(self, change: Callable[[sqlite3.Connection], _T], backs_up: bool = False) -> _T:
        """Makes a change in a transaction, and returns its result.

        If the file was replaced meanwhile, the change is made again in the new file, so it must be
        idempotent. backs_up: whether the change must be in the backup when this returns.
        """
        n_failed = 0
        for _ in range(MOST_TRIES):
            try:
                with self.reading() as connection:
                    if backs_up or self.is_backup_old():
                        with self._alone():
                            if not self._is_replaced():
                                self._merge_backup(connection)
                                with transaction(connection):
                                    result = change(connection)
                                self._back_up(connection, self.backup)
                                return result
                        continue
                    with transaction(connection):
                        result = change(connection)
                    if not self._is_replaced():
                        return result
            except (
                DamagedDatabaseError,
                UnwritableError,
            ):  # a file that was truncated while open cannot be read
                is_replaced = self._connection is not None and self._is_replaced()
                self.close()  # opening the file again restores it
                n_failed += not is_replaced
                if n_failed > 1:
                    raise
            except StorageError:
                if self._connection is None or not self._is_replaced():
                    raise
        raise StorageError(
            f"{self.path}: was replaced {MOST_TRIES} times while it was written: try again"
        )

    def merge(self, connection: sqlite3.Connection, backup: sqlite3.Connection) -> None:
        """Adds rows that only the last backup has to the database, before a new backup replaces
        it."""

    def _merge_backup(self, connection: sqlite3.Connection) -> None:
        """Adds what the backup has: a damaged log loses changes without an error, and a backup of
        that must not replace a better one."""
        try:
            data = self.folder.read(self.backup.name, MOST_BACKUP_BYTES)
        except OSError:
            return
        if _is_sound(data):
            with closing(sqlite3.connect(":memory:")) as backup:
                _in_memory(backup, data)
                self.merge(connection, backup)

    def salvage(self, connection: sqlite3.Connection, aside: Sequence[Path]) -> int:
        """Adds what can still be read of damaged files, and of copies, to the restored one; returns
        the number of rows."""
        return 0

    def backed_up(self, copy: sqlite3.Connection) -> None:
        """Called after each new backup, if the database file contains all of it without its log."""

    def is_backup_old(self) -> bool:
        """Whether a backup must follow the next change."""
        try:
            return abs(time.time() - self.backup.stat().st_mtime) > BACKUP_SECONDS
        except OSError:
            return True

    def _is_replaced(self) -> bool:
        """Whether the path leads to another file than the open one."""
        try:
            status = os.stat(self.path)
        except OSError:
            return True
        return (status.st_dev, status.st_ino) != self._file

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Locks the database (see the module). Raises StorageError if another process has the lock
        for long."""
        from filelock import FileLock, Timeout  # other databases need none

        lock = FileLock(self.folder / f"{self._name}.lock", mode=0o600, timeout=self.patience())
        try:
            lock.acquire()
        except Timeout:
            raise StorageError(
                f"{self.path}: another process is restoring it: try again when it is done"
            ) from None
        try:
            yield
        finally:
            with suppress(OSError):  # it is tried again when the object is freed
                lock.release()

    def _opened(self) -> sqlite3.Connection:
        self.folder.make()
        with self._alone():
            try:
                return self._connect()
            except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
                if not is_damage(error) or not self.backup.exists():
                    raise
                return self._restored(shorten(str(error).partition("\n")[0], 100))

    def _connect(self) -> sqlite3.Connection:
        self.folder.make()
        if (
            not self.path.is_symlink()
            and self.backup.exists()
            and not (self.path.exists() and self.path.stat().st_size)
        ):
            self._check_owners()
            raise sqlite3.DatabaseError(
                "the file is empty" if self.path.exists() else "the file is gone"
            )
        connection = super()._connect()
        status = os.stat(self.path)
        self._file = status.st_dev, status.st_ino
        return connection

    def _files(self) -> list[str]:
        return [*super()._files(), self.backup.name]

    def _check(self, connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA synchronous = FULL")
        if self.backup.exists() and not connection.execute("PRAGMA user_version").fetchone()[0]:
            raise sqlite3.DatabaseError("it has no tables")
        if (fault := connection.execute("PRAGMA integrity_check(1)").fetchone()[0]) != "ok":
            raise sqlite3.DatabaseError(str(fault).partition("\n")[0])

    def _before_migration(self, connection: sqlite3.Connection, version: int) -> None:
        self._back_up(connection, self.folder / f"{self._name}.{version}.bak")

    def _back_up(self, connection: sqlite3.Connection, to: Path) -> None:
        """Copies the database; the copy appears as a whole. Raises DatabaseError for a damaged
        database: its copy must not replace a sound backup."""
        with closing(sqlite3.connect(":memory:")) as copy:
            connection.backup(copy)
            if (fault := copy.execute("PRAGMA integrity_check(1)").fetchone()[0]) != "ok":
                raise sqlite3.DatabaseError(str(fault).partition("\n")[0])
            self.folder.write(to.name, [copy.serialize()])
            is_busy, n_logged, n_moved = connection.execute(
                "PRAGMA wal_checkpoint(PASSIVE)"
            ).fetchone()
            if to == self.backup and not is_busy and n_logged == n_moved:
                copy.text_factory = as_stored
                self.backed_up(copy)

    def _restored(self, why: str) -> sqlite3.Connection:
        """Replaces a damaged file by its backup, keeps the file aside, and adds what can be read of
        it.

        A damaged backup is kept aside as well, and the new file begins empty.
        """
        aside = f"{self.path}.damaged-{time.time_ns() // 1_000_000}"
        for suffix in ("", *_LOGS):
            with suppress(FileNotFoundError):
                self.path.with_name(self._name + suffix).rename(aside + suffix)
        created = time.strftime("%Y-%m-%d %H:%M", time.localtime(self.backup.stat().st_mtime))
        source = f"from its backup of {created}"
        backup_aside = Path(f"{aside}.bak")
        backup = self.folder.read(self.backup.name, MOST_BACKUP_BYTES)
        if _is_sound(backup):
            self.folder.write(self._name, [backup])
        else:
            self.backup.rename(backup_aside)
            source = f"without its backup of {created}, which is damaged, too"
        connection = self._connect()
        try:
            n_salvaged = self.salvage(connection, [backup_aside, Path(aside)])
        except BaseException:
            connection.close()
            raise
        self.notice(
            f"{self.path} was damaged ({why}): restored {source}, with "
            f"{count_of(n_salvaged, 'row')} written since then; what was there is in {aside}"
        )
        return connection


def _in_memory(connection: sqlite3.Connection, data: bytes) -> None:
    """Loads the content of a database into a connection to memory."""
    content = bytearray(data)
    content[18:20] = b"\x01\x01"  # memory has no log
    connection.deserialize(content)
    connection.text_factory = as_stored


def _is_sound(data: bytes) -> bool:
    """Whether the content of a database has tables, and SQLite finds no fault in it."""
    with suppress(sqlite3.Error), closing(sqlite3.connect(":memory:")) as connection:
        _in_memory(connection, data)
        has_tables = connection.execute("PRAGMA user_version").fetchone()[0]
        return bool(
            has_tables and connection.execute("PRAGMA integrity_check(1)").fetchone()[0] == "ok"
        )
    return False
