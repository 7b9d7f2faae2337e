"""The small databases: what each error of SQLite says, how long a writer waits, migrations, and
where a database is when its file cannot be used."""

import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from symindex.errors import DamagedDatabaseError, RequestError, StorageError, UnwritableError
from symindex.protocol.recall import TextRequest
from symindex.recall import database as database_module
from symindex.recall import precious_database
from symindex.recall.chunks.answer import answer
from symindex.recall.content.content import Content
from symindex.recall.database import Database, as_stored, is_damage, now_ms, transaction
from symindex.recall.notes.notes import Notes
from symindex.recall.precious_database import PreciousDatabase

STEPS = (
    "CREATE TABLE t (a TEXT UNIQUE); INSERT INTO t VALUES ('one')",
    "INSERT INTO t VALUES ('two'); ",
)


def opened(folder: Path, *steps: str) -> Database:
    return Database(folder, "data.db", steps or STEPS, "the remedy")


def rows(database: Database) -> list[str]:
    with database.reading() as connection:
        return [row[0] for row in connection.execute("SELECT a FROM t ORDER BY a")]


def failure(
    code: int, text: str, kind: type[sqlite3.Error] = sqlite3.OperationalError
) -> sqlite3.Error:
    error = kind(text)
    error.sqlite_errorcode = code
    return error


ERRORS: list[tuple[Exception, type[Exception], str]] = [
    (failure(sqlite3.SQLITE_BUSY, "database is locked"), StorageError, "another process kept writing it: try again when it is done"),
    (failure(sqlite3.SQLITE_BUSY, "is busy"), StorageError, "another process kept writing it: try again when it is done"),
    (failure(sqlite3.SQLITE_FULL, "database or disk is full"), UnwritableError, "the disk is full: make room, nothing was changed"),
    (failure(sqlite3.SQLITE_READONLY, "attempt to write a readonly database"), UnwritableError, "cannot be read or written: attempt to write a readonly database"),
    (failure(sqlite3.SQLITE_CANTOPEN, "unable to open database file"), UnwritableError, "cannot be read or written: unable to open database file"),
    (failure(sqlite3.SQLITE_IOERR | 0x100, "disk I/O error"), UnwritableError, "cannot be read or written: disk I/O error"),
    (failure(sqlite3.SQLITE_CONSTRAINT, "UNIQUE failed"), StorageError, "does not take this: UNIQUE failed"),
    (failure(sqlite3.SQLITE_CORRUPT | 0x100, "malformed\nmore"), DamagedDatabaseError, "is damaged (malformed): the remedy"),
    (failure(sqlite3.SQLITE_NOTADB, "x" * 101), DamagedDatabaseError, f"is damaged ({'x' * 100}…): the remedy"),
    (failure(sqlite3.SQLITE_ERROR, "no such table: t"), DamagedDatabaseError, "is damaged (no such table: t): the remedy"),
    (failure(sqlite3.SQLITE_ERROR, "no such column: t"), StorageError, "does not take this: no such column: t"),
    (sqlite3.DatabaseError("bad page"), DamagedDatabaseError, "is damaged (bad page): the remedy"),
    (sqlite3.OperationalError("could not decode it"), DamagedDatabaseError, "is damaged (could not decode it): the remedy"),
    (sqlite3.OperationalError("other"), StorageError, "does not take this: other"),
    (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "why"), DamagedDatabaseError, "is damaged ('utf-8' codec can't decode byte 0xff in position 0: why): the remedy"),
    (OSError(13, "Permission denied"), UnwritableError, "cannot be opened: Permission denied"),
    (OSError("odd"), UnwritableError, "cannot be opened: odd"),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(ERRORS)))
def test_each_error_is_one_line_with_a_remedy(number: int, tmp_path: Path) -> None:
    error, kind, words = ERRORS[number]
    database = opened(tmp_path)
    with pytest.raises(StorageError) as caught, database.reading():
        raise error
    assert type(caught.value) is kind
    assert str(caught.value) == f"{tmp_path}/data.db: {words}"
    # A damaged file is opened again the next time, since another process may have restored it.
    assert (database._connection is None) is (kind is DamagedDatabaseError)
    assert is_damage(error) is (kind is DamagedDatabaseError) or isinstance(error, OSError)
    database.close()


def test_a_text_that_is_no_unicode_is_refused(tmp_path: Path) -> None:
    with closing(opened(tmp_path)) as database:
        with (
            pytest.raises(RequestError, match="not valid Unicode"),
            database.reading() as connection,
        ):
            connection.execute("SELECT ?", ("\ud800",))
        assert rows(database) == ["one", "two"]
    assert as_stored(b"a\xff") == "a\udcff"


def test_each_version_is_migrated_once(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []

    class Watched(Database):
        def _before_migration(self, connection: sqlite3.Connection, version: int) -> None:
            seen.append((version, connection.execute("SELECT count(*) FROM t").fetchone()[0]))

    for steps, expected in ((STEPS[:1], ["one"]), (STEPS, ["one", "two"]), (STEPS, ["one", "two"])):
        with closing(Watched(tmp_path, "data.db", steps, "")) as watched:
            assert rows(watched) == expected and watched.n_opened == 1
            assert rows(watched) == expected and watched.n_opened == 1
    assert seen == [(1, 1)]
    later = "was made by a later version of symindex: use that"
    with (
        closing(opened(tmp_path, STEPS[0])) as database,
        pytest.raises(StorageError, match=later),
    ):
        rows(database)
    # A step that fails changes nothing.
    broken = (*STEPS, "INSERT INTO t VALUES ('three'); INSERT INTO t VALUES ('one')")
    with closing(opened(tmp_path, *broken)) as database, pytest.raises(StorageError):
        rows(database)
    with closing(opened(tmp_path)) as database:
        assert rows(database) == ["one", "two"]


def test_a_change_is_made_whole_or_not_at_all(tmp_path: Path) -> None:
    with closing(opened(tmp_path)) as database:
        with database.writing() as connection:
            connection.execute("INSERT INTO t VALUES ('three')")
        with pytest.raises(StorageError, match="UNIQUE"), database.writing() as connection:
            connection.execute("INSERT INTO t VALUES ('four')")
            connection.execute("INSERT INTO t VALUES ('one')")
        with pytest.raises(ZeroDivisionError), database.writing() as connection:
            connection.execute("ROLLBACK")
            raise ZeroDivisionError
        assert rows(database) == ["one", "three", "two"]


def test_an_answer_reads_from_one_moment(tmp_path: Path) -> None:
    with closing(opened(tmp_path)) as reader, closing(opened(tmp_path)) as writer:
        reader.begin()
        assert rows(reader) == ["one", "two"]
        with writer.writing() as connection:
            connection.execute("INSERT INTO t VALUES ('three')")
        assert rows(reader) == ["one", "two"]
        reader.begin()
        assert rows(reader) == ["one", "three", "two"]
        reader.end()
        reader.end()
        with reader.writing() as connection:  # ends what was begun
            connection.execute("DELETE FROM t")
        assert rows(writer) == []


def test_how_long_a_writer_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database = opened(tmp_path)
    monkeypatch.setattr(database_module.time, "monotonic", lambda: 100.0)
    waits = {
        None: 10.0,
        105.0: 5.0,
        111.0: 10.0,
        100.04: 0.05,
        100.06: pytest.approx(0.06),
        90.0: 0.05,
    }
    for deadline, seconds in waits.items():
        database.deadline = deadline
        assert database.patience() == seconds
    database.deadline = 103.5
    with database.reading() as connection:
        assert connection.execute("PRAGMA busy_timeout").fetchone()[0] == 3_500
    database.close()


def test_a_busy_log_is_tried_until_the_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    class Connection:
        def __init__(self, *errors: sqlite3.Error | None) -> None:
            self.errors = [*errors]

        def execute(self, statement: str) -> None:
            assert statement == "PRAGMA journal_mode = WAL"
            if error := self.errors.pop(0):
                raise error

    now = [100.0]
    monkeypatch.setattr(database_module.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(database_module.time, "sleep", lambda seconds: now.append(now.pop() + 1))
    busy, locked = (
        failure(code, "x") for code in (sqlite3.SQLITE_BUSY | 0x200, sqlite3.SQLITE_LOCKED)
    )
    connection: Any = Connection(busy, locked, busy, None)
    database_module._use_log(connection, 2.0)
    assert connection.errors == [] and now == [103.0]
    connection = Connection(busy, busy, busy, busy)
    with pytest.raises(sqlite3.OperationalError):
        database_module._use_log(connection, 2.0)
    assert len(connection.errors) == 0 and now == [106.0]
    connection = Connection(failure(sqlite3.SQLITE_IOERR, "x"), None)
    with pytest.raises(sqlite3.OperationalError):
        database_module._use_log(connection, 2.0)


def test_warnings_are_given_once(tmp_path: Path) -> None:
    database = opened(tmp_path)
    for text in ("one", "two", "one"):
        database.notice(text)
    assert database.take_notices() == ["one", "two"] and database.take_notices() == []


def test_a_database_may_be_in_memory_for_a_while(tmp_path: Path) -> None:
    database = opened(tmp_path / "data")
    assert not database.exists()
    database.move(to_memory=True)
    assert database.exists() and rows(database) == ["one", "two"]
    with database.writing() as connection:
        connection.execute("INSERT INTO t VALUES ('three')")
    assert rows(database) == ["one", "three", "two"] and not (tmp_path / "data").exists()
    database.move(to_memory=False)
    assert not database.exists() and rows(database) == ["one", "two"] and database.exists()
    database.delete()
    assert not database.exists() and [*(tmp_path / "data").iterdir()] == []
    database.delete()


def test_a_link_in_place_of_a_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir(mode=0o700)
    (tmp_path / "data/data.db").symlink_to(tmp_path / "other")
    for database in (opened(tmp_path / "data"), precious(tmp_path / "data")):
        with pytest.raises(StorageError, match=r"data\.db: is a symbolic link: move it away"):
            rows(database)


def test_a_transaction_is_ended_even_if_the_database_ended_it(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "a", isolation_level=None)) as connection:
        with transaction(connection):
            connection.execute("CREATE TABLE t (a)")
        assert not connection.in_transaction
        with pytest.raises(ZeroDivisionError), transaction(connection):
            connection.execute("DROP TABLE t")
            raise ZeroDivisionError
        assert not connection.in_transaction
        assert connection.execute("SELECT count(*) FROM t").fetchone() == (0,)


# Databases with backups


def precious(folder: Path) -> PreciousDatabase:
    return PreciousDatabase(folder, "data.db", STEPS, "the remedy")


def put(database: PreciousDatabase, text: str, **more: bool) -> None:
    database.write(
        lambda connection: connection.execute("INSERT INTO t VALUES (?)", (text,)), **more
    )


def in_backup(database: PreciousDatabase) -> list[str]:
    with closing(sqlite3.connect(":memory:")) as connection:
        precious_database._in_memory(connection, database.backup.read_bytes())
        return [row[0] for row in connection.execute("SELECT a FROM t ORDER BY a")]


def test_a_backup_follows_the_first_change_and_is_renewed_after_an_hour(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(precious(tmp_path)) as database:
        assert not database.exists()
        put(database, "a")
        assert in_backup(database) == ["a", "one", "two"]
        put(database, "b")
        assert in_backup(database) == ["a", "one", "two"]
        put(database, "c", backs_up=True)
        assert in_backup(database) == ["a", "b", "c", "one", "two"]
        made = database.backup.stat().st_mtime
        for seconds, is_old in ((3_599, False), (3_601, True), (-3_599, False), (-3_601, True)):
            monkeypatch.setattr(
                precious_database.time, "time", lambda seconds=seconds: made + seconds
            )
            assert database.is_backup_old() is is_old
        monkeypatch.undo()
        database.backup.unlink()
        assert database.is_backup_old() and database.exists()


def test_a_damaged_file_is_restored_and_kept_aside(tmp_path: Path) -> None:
    with closing(precious(tmp_path)) as database:
        put(database, "a")
    for content, why in (
        (b"", "the file is empty"),
        (b"no database" * 900, "file is not a database"),
        (None, "the file is gone"),
    ):
        path = tmp_path / "data.db"
        if content is None:
            path.unlink()
        else:
            path.write_bytes(content)
        with closing(precious(tmp_path)) as database:
            assert rows(database) == ["a", "one", "two"]
            (notice,) = database.take_notices()
        made = time.strftime(
            "%Y-%m-%d %H:%M", time.localtime((tmp_path / "data.db.bak").stat().st_mtime)
        )
        begin = f"{path} was damaged ({why}): restored from its backup of {made}, with 0 rows written since then; what was there is in {path}.damaged-"
        assert notice.startswith(begin)
        aside = Path(notice.rpartition(" ")[2])
        assert aside.exists() is (content is not None) and (
            content is None or aside.read_bytes() == content
        )


def test_a_damaged_file_without_a_backup_is_an_error(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    (tmp_path / "data.db").write_bytes(b"no database" * 900)
    (tmp_path / "data.db").chmod(0o600)
    with (
        closing(precious(tmp_path)) as database,
        pytest.raises(DamagedDatabaseError, match="the remedy"),
    ):
        rows(database)


def test_a_change_is_made_again_where_the_file_was_replaced(tmp_path: Path) -> None:
    with closing(precious(tmp_path)) as database, closing(precious(tmp_path)) as other:
        put(database, "a")
        (tmp_path / "data.db").rename(tmp_path / "moved")
        put(other, "b")
        calls = []

        def change(connection: sqlite3.Connection) -> int:
            calls.append(1)
            connection.execute("INSERT OR IGNORE INTO t VALUES ('c')")
            return len(calls)

        assert database.write(change) == len(calls)
        assert rows(database) == rows(other) == ["a", "b", "c", "one", "two"]


def test_a_lock_that_another_process_holds_is_reported(tmp_path: Path) -> None:
    from filelock import FileLock

    with closing(precious(tmp_path)) as database:
        put(database, "a")
        with FileLock(tmp_path / "data.db.lock"):
            database.deadline = time.monotonic()
            with pytest.raises(
                StorageError, match="another process is restoring it: try again when"
            ):
                put(database, "b", backs_up=True)
            with closing(precious(tmp_path)) as other:
                other.deadline = time.monotonic()
                with pytest.raises(StorageError, match="another process is restoring it"):
                    rows(other)
        database.deadline = None
        put(database, "b", backs_up=True)
        began = time.monotonic()
        with FileLock(tmp_path / "data.db.lock"):
            database.close()  # does not wait for long
        assert time.monotonic() - began < 2
        assert rows(database) == ["a", "b", "one", "two"]


def test_a_question_is_asked_again_after_the_file_was_restored(tmp_path: Path) -> None:
    with closing(precious(tmp_path)) as database:
        put(database, "a")
        failures = [failure(sqlite3.SQLITE_CORRUPT, "bad")]

        def question(connection: sqlite3.Connection) -> str:
            if failures:
                raise failures.pop()
            return "answer"

        assert database.read(question) == "answer" and database.n_opened == 2
        failures += [failure(sqlite3.SQLITE_CORRUPT, "bad")] * 2
        with pytest.raises(DamagedDatabaseError):
            database.read(question)
        failures += [failure(sqlite3.SQLITE_CORRUPT, "bad")]
        assert database.write(question) == "answer"
        failures += [failure(sqlite3.SQLITE_CORRUPT, "bad")] * 2
        with pytest.raises(DamagedDatabaseError):
            database.write(question)
        assert failures == []


def test_a_backup_that_is_too_large_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database then keeps what it has, and a damaged one cannot be restored."""
    merged: list[int] = []

    class Merging(PreciousDatabase):
        def merge(self, connection: sqlite3.Connection, backup: sqlite3.Connection) -> None:
            merged.append(backup.execute("SELECT count(*) FROM t").fetchone()[0])

    with closing(Merging(tmp_path, "data.db", STEPS, "")) as database:
        put(database, "a")
        size = database.backup.stat().st_size
        for most, expected in ((size, [3]), (size - 1, [3])):
            monkeypatch.setattr(precious_database, "MOST_BACKUP_BYTES", most)
            put(database, f"b{most}", backs_up=True)
            assert merged == expected
            database.folder.write("data.db.bak", [database.backup.read_bytes()])
            size = database.backup.stat().st_size
    (tmp_path / "data.db").write_bytes(b"no database" * 900)
    with (
        closing(precious(tmp_path)) as damaged,
        pytest.raises(UnwritableError, match="larger than"),
    ):
        rows(damaged)


def test_the_time_is_in_milliseconds() -> None:
    before = time.time()
    assert int(before * 1_000) <= now_ms() + 1 <= int(before * 1_000) + 60_000


def test_databases_of_an_earlier_version_keep_all_their_content(tmp_path: Path) -> None:
    fixtures = Path(__file__).parents[2] / "fixtures" / "databases"
    for name in ("notes", "content"):
        (tmp_path / name).mkdir(mode=0o700)
        with closing(sqlite3.connect(tmp_path / name / f"{name}.db")) as earlier:
            earlier.executescript((fixtures / f"{name}.sql").read_text("utf-8"))
        (tmp_path / name / f"{name}.db").chmod(0o600)

    with (
        Notes(Path("/srv/project"), tmp_path / "notes") as notes,
        Content(tmp_path / "content") as content,
    ):
        assert [source.label for source in content.sources()] == ["handbook", "runbook"]
        request = TextRequest(queries=["settlement", "rates", "sandbox", "refunds"])
        response = answer(request, [content.collection(request), notes.collection(request)])
        texts = [[hit.content for hit in section.items] for section in response.sections]
        assert [len(section) for section in texts] == [2, 1, 1, 1]
        assert "Page the duty engineer before you retry a" in texts[0][0] + texts[0][1]
        assert texts[1:] == [
            ["Rates are limited per user, not per address"],
            ["The sandbox rejects tokens older than a day"],
            ["# Handbook\n\nRefunds go through the ledger."],
        ]
        assert not response.notices and not any(section.notices for section in response.sections)
