"""A small database of the user's own, in SQLite: with rights for the user alone, migrated step by
step.

Readers never wait (write-ahead logging); a writer waits for another for a while. Errors of SQLite
become one line with a remedy. `precious_database` adds backups.
"""

import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from symindex.errors import DamagedDatabaseError, RequestError, StorageError, UnwritableError
from symindex.files.access.private_folder import PrivateFolder
from symindex.text.escaping import shorten

BUSY_SECONDS: Final = 10.0
"""Longest wait for another process that writes, in seconds."""

_UNWRITABLE: Final = (
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_IOERR,
)
"""Error codes of SQLite if the system cannot write, or if a file was deleted while open."""

LEAST_SECONDS: Final = 0.05
"""Shortest wait, in seconds, even after the deadline."""

FIRST_MS: Final = -62_135_596_800_000
LAST_MS: Final = 253_402_300_799_999
"""The beginning of the year 1 and the end of the year 9999 in milliseconds since 1970: `datetime`
has no other years."""

LARGEST_INTEGER: Final = (1 << 63) - 1
"""The largest integer that SQLite stores."""


class Database:
    """One database file in a folder. The file is created when it is first opened. Errors are
    StorageErrors.

    Args:
        migrations: the statements, separated by `;`, from each version of the schema to the next;
            the first creates it.
        remedy: what to do about a damaged file without backup.

    Attributes:
        deadline: until when to wait for other processes, on the monotonic clock.
        n_opened: how often the file was opened.
    """

    def __init__(self, folder: Path, name: str, migrations: Sequence[str], remedy: str) -> None:
        self.folder: PrivateFolder = PrivateFolder(
            folder, otherwise="move it away", is_precious=True
        )
        self.path: Path = self.folder / name
        self.deadline: float | None = None
        self.n_opened: int = 0
        self._name, self._migrations, self._remedy = name, migrations, remedy
        self._connection: sqlite3.Connection | None = None
        self.is_in_memory: bool = False
        self._notices: list[str] = []

    def exists(self) -> bool:
        return self.is_in_memory or self.path.exists()

    def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def delete(self) -> None:
        """Deletes a database that can be rebuilt."""
        self.close()
        for suffix in ("", "-wal", "-shm"):
            with suppress(OSError):
                self.path.with_name(self._name + suffix).unlink()

    def move(self, to_memory: bool) -> None:
        """Switches to an empty database in memory, which ends with `close`, or back to the file.
        For derived data whose file cannot be used."""
        self.close()
        self.is_in_memory = to_memory

    def notice(self, text: str) -> None:
        """Stores a warning for `take_notices`, once."""
        if text not in self._notices:
            self._notices.append(text)

    def take_notices(self) -> list[str]:
        """Returns the warnings since the last call: a file was restored, or a row is not valid."""
        notices, self._notices = self._notices, []
        return notices

    def patience(self) -> float:
        """Returns how long to wait for another process, in seconds, limited by the deadline."""
        if self.deadline is None:
            return BUSY_SECONDS
        return min(BUSY_SECONDS, max(LEAST_SECONDS, self.deadline - time.monotonic()))

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Yields the connection, for statements that change nothing."""
        try:
            if self._connection is None:
                self._connection = self._opened()
                self.n_opened += 1
            self._connection.execute(f"PRAGMA busy_timeout = {int(self.patience() * 1_000)}")
            yield self._connection
        except (sqlite3.Error, UnicodeDecodeError) as error:
            kind = (
                DamagedDatabaseError
                if is_damage(error)
                else UnwritableError
                if _is_unwritable(error)
                else StorageError
            )
            if kind is DamagedDatabaseError:
                self.close()  # the next process that opens it may restore it
            raise kind(f"{self.path}: {self._told(error)}") from None
        except UnicodeEncodeError:
            raise RequestError(
                "a text of the request is not valid Unicode: give it as UTF-8"
            ) from None
        except OSError as error:
            raise UnwritableError(
                f"{self.path}: cannot be opened: {error.strerror or error}"
            ) from None

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Yields the connection, in a transaction that ends with the block."""
        self.end()
        with self.reading() as connection, transaction(connection):
            yield connection

    def begin(self) -> None:
        """Reads from one moment from now on, whatever other processes write, until `end`."""
        self.end()
        with self.reading() as connection:
            connection.execute("BEGIN")

    def end(self) -> None:
        """Ends what `begin` began."""
        if self._connection is not None and self._connection.in_transaction:
            with suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")

    def _opened(self) -> sqlite3.Connection:
        return self._connect()

    def _connect(self) -> sqlite3.Connection:
        if self.is_in_memory:
            connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
            connection.text_factory = as_stored
            self._migrate(connection)
            return connection
        self.folder.make()
        if self.path.is_symlink():
            raise StorageError(f"{self.path}: is a symbolic link: move it away")
        self._check_owners()
        with suppress(FileExistsError):
            self.folder.write(
                self._name, [], replaces=False
            )  # with rights for the user alone, while it is empty
        connection = sqlite3.connect(
            self.path, timeout=self.patience(), isolation_level=None, check_same_thread=False
        )
        try:
            connection.text_factory = as_stored
            _use_log(connection, self.patience())
            self._check(connection)
            self._migrate(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _check(self, connection: sqlite3.Connection) -> None:
        """Raises DatabaseError for a damaged file, as far as it is checked."""

    def _files(self) -> list[str]:
        return [self._name, f"{self._name}-wal", f"{self._name}-shm"]

    def _check_owners(self) -> None:
        """Raises StorageError for a file that another user may have written."""
        for name in self._files():
            try:
                self.folder.check(name)
            except FileNotFoundError:
                pass
            except PermissionError as error:
                hint = "move it away, or, if you have looked at it and know it, make it yours alone"
                raise StorageError(f"{self.folder / name}: {error.strerror}: {hint}") from None

    def _before_migration(self, connection: sqlite3.Connection, version: int) -> None:
        """Called before a database of an older version is changed."""

    def _migrate(self, connection: sqlite3.Connection) -> None:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version > len(self._migrations):
            raise StorageError(f"{self.path}: was made by a later version of symindex: use that")
        if version == len(self._migrations):
            return
        if version:
            self._before_migration(connection, version)
        with transaction(connection):
            version = connection.execute("PRAGMA user_version").fetchone()[
                0
            ]  # another process may have migrated it meanwhile
            for number, step in enumerate(self._migrations[version:], version + 1):
                for statement in filter(str.strip, step.split(";")):
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {number}")

    def _told(self, error: Exception) -> str:
        """Returns a message about an error, with a remedy."""
        text = shorten(str(error).partition("\n")[0], 100)
        if "locked" in text or "busy" in text:
            return "another process kept writing it: try again when it is done"
        if "full" in text:
            return "the disk is full: make room, nothing was changed"
        if "readonly" in text or "unable to open" in text or "disk I/O" in text:
            return f"cannot be read or written: {text}"
        if not is_damage(error):
            return f"does not take this: {text}"
        return f"is damaged ({text}): {self._remedy}"


def _is_unwritable(error: Exception) -> bool:
    """Whether the system cannot write there, or the file is gone."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _UNWRITABLE


def is_damage(error: Exception) -> bool:
    """Whether the content of a file causes an error, rather than the statement."""
    if (code := getattr(error, "sqlite_errorcode", None)) is not None:
        return code & 0xFF in (
            sqlite3.SQLITE_CORRUPT,
            sqlite3.SQLITE_NOTADB,
        ) or "no such table" in str(error)
    return type(error) is sqlite3.DatabaseError or "decode" in str(error)


def as_stored(data: bytes) -> str:
    """Decodes a text of a database. Bytes that are not UTF-8 become halves of surrogate pairs,
    which every check of a text rejects."""
    return data.decode("utf-8", "surrogateescape")


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Runs a transaction that ends with the block."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _use_log(connection: sqlite3.Connection, patience: float) -> None:
    """Switches to the write-ahead log; SQLite does not wait for another process to do so."""
    deadline = time.monotonic() + patience
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            is_busy = error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
            if not is_busy or time.monotonic() > deadline:
                raise
            time.sleep(0.02)


def now_ms() -> int:
    """Returns the present time in milliseconds since 1970."""
    return time.time_ns() // 1_000_000
