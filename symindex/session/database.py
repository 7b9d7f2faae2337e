"""A small database of the user's own, in SQLite: made with rights for the user alone, migrated step by step, backed up.

Readers never wait (write-ahead logging); a writer waits for another for a while. What SQLite says is told as a line with a
remedy.
"""

import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final

from symindex.errors import DamagedDatabaseError, StorageError, UnwritableError
from symindex.files.access.private_folder import PrivateFolder
from symindex.text.escaping import shorten

BUSY_SECONDS: Final = 10.0

_UNWRITABLE: Final = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR)
"""What SQLite says where the system takes nothing, or where a file was deleted while it was open."""

BACKUP_SECONDS: Final = 3_600
"""A backup of this age is made anew when something is written."""


class Database:
    """One file in a folder, which is made when it is first opened. Errors are StorageErrors.

    Args:
        migrations: the statements, divided by `;`, that lead from each version of the schema to the next; the first makes it.
        remedy: what to do about a damaged file that has no backup.
        is_precious: whether what was written must be on the disk when that is said, and the file has a backup.
    """

    def __init__(self, folder: Path, name: str, migrations: Sequence[str], remedy: str, is_precious: bool = False) -> None:
        self.folder = PrivateFolder(folder, otherwise="move it away", is_precious=True)
        self.path = self.folder / name
        self.backup = self.folder / f"{name}.bak"
        self._name, self._migrations, self._remedy, self._is_precious = name, migrations, remedy, is_precious
        self._connection: sqlite3.Connection | None = None
        self.is_in_memory = False
        self._notices: list[str] = []

    def exists(self) -> bool:
        return self.is_in_memory or self.path.exists() or self.backup.exists()

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def delete(self) -> None:
        """Deletes a database that can be made anew."""
        self.close()
        for suffix in ("", "-wal", "-shm"):
            with suppress(OSError):
                self.path.with_name(self._name + suffix).unlink()

    def move(self, to_memory: bool) -> None:
        """From now on all is in memory, where it begins empty and ends with `close`; or it is in the file again. For what can be
        made anew, where the file is of no use."""
        self.close()
        self.is_in_memory = to_memory

    def notice(self, text: str) -> None:
        """Keeps something that the user must know for `take_notices`, once."""
        if text not in self._notices:
            self._notices.append(text)

    def take_notices(self) -> list[str]:
        """What the user must know, since the last call: that a file was restored."""
        taken, self._notices = self._notices, []
        return taken

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """The connection, for statements that change nothing."""
        try:
            if self._connection is None:
                self._connection = self._opened()
            yield self._connection
        except (sqlite3.Error, UnicodeDecodeError) as error:
            kind = DamagedDatabaseError if _is_damage(error) else UnwritableError if _is_unwritable(error) else StorageError
            raise kind(f"{self.path}: {self._told(error)}") from None
        except OSError as error:
            raise UnwritableError(f"{self.path}: cannot be opened: {error.strerror or error}") from None

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """The connection, in a transaction that ends with the block."""
        with self.reading() as connection:
            with _transaction(connection):
                yield connection
            if self._is_precious and self._is_backup_old():
                self._back_up(connection, self.backup)

    def _opened(self) -> sqlite3.Connection:
        try:
            return self._connect()
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            if not _is_damage(error) or not self._is_precious or not self.backup.exists():
                raise
            return self._restored()

    def _restored(self) -> sqlite3.Connection:
        """One process restores a damaged file; those that have waited for it find a sound one."""
        from filelock import FileLock, Timeout  # here, because hardly any file is damaged

        try:
            with FileLock(self.folder / f"{self._name}.lock", mode=0o600, timeout=BUSY_SECONDS):
                try:
                    return self._connect()
                except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
                    if not _is_damage(error):
                        raise
                    self._restore(str(error))
                    return self._connect()
        except Timeout:
            raise StorageError(f"{self.path}: another process is restoring it: try again when it is done") from None

    def _connect(self) -> sqlite3.Connection:
        if self.is_in_memory:
            connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
            self._migrate(connection)
            return connection
        self.folder.make()
        if self.path.is_symlink():
            raise StorageError(f"{self.path}: is a symbolic link: move it away")
        self._check_owners()
        if not self.path.exists() and self._is_precious and self.backup.exists():
            self._restore("the file is gone")
        with suppress(FileExistsError):
            self.folder.write(self._name, [], replaces=False)  # with rights for the user alone, before anything is in it
        connection = sqlite3.connect(self.path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        try:
            _use_log(connection)
            if self._is_precious:
                connection.execute("PRAGMA synchronous = FULL")
                if (found := connection.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
                    raise sqlite3.DatabaseError(str(found).partition("\n")[0])
            self._migrate(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _check_owners(self) -> None:
        """Raises StorageError for a file that somebody else may have written."""
        for name in (self._name, f"{self._name}-wal", f"{self._name}-shm", self.backup.name):
            try:
                self.folder.check(name)
            except FileNotFoundError:
                pass
            except PermissionError as error:
                hint = "move it away, or, if you have looked at it and know it, make it yours alone"
                raise StorageError(f"{self.folder / name}: {error.strerror}: {hint}") from None

    def _migrate(self, connection: sqlite3.Connection) -> None:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version > len(self._migrations):
            raise StorageError(f"{self.path}: was made by a later version of symindex: use that")
        if version == len(self._migrations):
            return
        if version and self._is_precious:
            self._back_up(connection, self.folder / f"{self._name}.{version}.bak")
        with _transaction(connection):
            version = connection.execute("PRAGMA user_version").fetchone()[0]  # another process may have been sooner
            for number, step in enumerate(self._migrations[version:], version + 1):
                for statement in filter(str.strip, step.split(";")):
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {number}")

    def _is_backup_old(self) -> bool:
        try:
            return abs(time.time() - self.backup.stat().st_mtime) > BACKUP_SECONDS
        except OSError:
            return True

    def _back_up(self, connection: sqlite3.Connection, to: Path) -> None:
        """Copies the database, whoever writes it; the copy appears as a whole."""
        with closing(sqlite3.connect(":memory:")) as copy:
            connection.backup(copy)
            self.folder.write(to.name, [copy.serialize()])

    def _restore(self, why: str) -> None:
        """Puts the backup in the place of a damaged file, which is kept aside."""
        aside = f"{self.path}.damaged-{time.time_ns() // 1_000_000}"
        with suppress(FileNotFoundError):
            self.path.rename(aside)
        for suffix in ("-wal", "-shm"):
            with suppress(FileNotFoundError):
                self.path.with_name(self._name + suffix).rename(aside + suffix)
        self.folder.write(self._name, [self.folder.read(self.backup.name, 1 << 32)])
        made = time.strftime("%Y-%m-%d %H:%M", time.localtime(self.backup.stat().st_mtime))
        self._notices.append(f"{self.path} was damaged ({why}): restored from its backup of {made}; what was there is in {aside}")

    def _told(self, error: Exception) -> str:
        """What is wrong, and what would be right."""
        text = shorten(str(error).partition("\n")[0], 100)
        if "locked" in text or "busy" in text:
            return f"another process has been writing it for {BUSY_SECONDS:.0f} s: try again when it is done"
        if "full" in text:
            return "the disk is full: make room, nothing was changed"
        if "readonly" in text or "unable to open" in text or "disk I/O" in text:
            return f"cannot be read or written: {text}"
        return f"is damaged ({text}): {self._remedy}"


def _is_unwritable(error: Exception) -> bool:
    """Whether the system takes nothing that is to be written there, or has no such file any more."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _UNWRITABLE


def _is_damage(error: Exception) -> bool:
    """Whether an error is due to the content of a file. SQLite's module cannot even tell some of it: it is no valid text."""
    return not isinstance(error, sqlite3.OperationalError) or "decode" in str(error)


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _use_log(connection: sqlite3.Connection) -> None:
    """SQLite does not wait for another process to switch to the log."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)


def now_ms() -> int:
    """Milliseconds since 1970."""
    return time.time_ns() // 1_000_000
