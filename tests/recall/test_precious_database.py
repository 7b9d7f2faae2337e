"""A damaged database that several processes have open: one process restores it, and no change is
lost."""

import os
import signal
import sqlite3
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from symindex.errors import StorageError
from symindex.recall import database, precious_database
from symindex.recall.notes.notes import Notes
from symindex.recall.precious_database import PreciousDatabase
from tests.attack.restores import NOTES, damage, lost_or_doubled, start_writer

ROUNDS = 3
WRITERS = 6


def restored_once(notices: list[str]) -> bool:
    return sum("restored from its backup" in notice for notice in notices) == 1


@pytest.mark.nightly
@pytest.mark.slow
def test_no_acknowledged_note_is_lost_while_six_processes_restore(tmp_path: Path) -> None:
    folder, chance = tmp_path / "notes", Random(1)
    with Notes(Path("/p"), folder) as notes:
        kept = {notes.add("first").text}
    for number in range(ROUNDS):
        writers = [
            start_writer(f"{number}-{writer}", folder, closes="closes" * (writer % 2))
            for writer in range(WRITERS)
        ]
        for writer in writers:
            assert writer.stdout is not None
            assert writer.stdout.readline() == b"begun\n"
            kept.add(writer.stdout.readline().decode().split()[-1])
        (folder / "notes.db").write_bytes(chance.randbytes(5_000))
        damage(folder, chance)
        if number % 2:
            writers[0].send_signal(signal.SIGKILL)
        for writer in writers:
            said, errors = writer.communicate()
            assert not errors
            lines = [line.split() for line in said.decode().splitlines()]
            assert {word for word, *_ in lines} <= {"kept"}, said
            assert writer.returncode or len(lines) == NOTES - 1
            kept |= {text for _, _, text in lines}
        assert lost_or_doubled(folder, kept) == []
    assert [*folder.glob("notes.db.damaged-*")]


def test_a_change_to_a_replaced_file_is_made_in_the_new_one(tmp_path: Path) -> None:
    before, after = Notes(tmp_path, tmp_path / "notes"), Notes(tmp_path, tmp_path / "notes")
    before.add("first")
    database = tmp_path / "notes" / "notes.db"
    database.rename(tmp_path / "moved.db")
    after.add("second")
    assert restored_once(after.take_notices())
    before.add("third")
    with closing(sqlite3.connect(database)) as connection:
        assert {row[0] for row in connection.execute("SELECT text FROM note")} >= {"third"}
    assert (
        [note.text for note in before.export()]
        == [note.text for note in after.export()]
        == ["first", "second", "third"]
    )
    before.close()
    after.add("fourth")
    after.close()
    with Notes(tmp_path, tmp_path / "notes") as notes:
        assert [note.text for note in notes.export()] == ["first", "second", "third", "fourth"]


def test_closing_a_replaced_file_leaves_the_log_of_the_new_one(tmp_path: Path) -> None:
    old, new = Notes(tmp_path, tmp_path / "notes"), Notes(tmp_path, tmp_path / "notes")
    old.add("first")
    (tmp_path / "notes" / "notes.db").unlink()
    new.add("second")
    log = tmp_path / "notes" / "notes.db-wal"
    before = log.stat()
    old.close()
    assert (log.stat().st_ino, log.stat().st_size) == (
        before.st_ino,
        before.st_size,
    ) and before.st_size
    new.close()


@pytest.mark.sample(2)
@pytest.mark.parametrize("kind", ["gone", "empty", "no tables", "garbage", "log cut"])
def test_all_that_was_acknowledged_is_back(tmp_path: Path, kind: str) -> None:
    """The backup contains only the first note; the other notes are in files."""
    folder = tmp_path / "notes"
    notes = Notes(tmp_path, folder)
    texts = [notes.add(f"note {number}").text for number in range(5)]
    path, log = folder / "notes.db", folder / "notes.db-wal"
    if kind == "log cut":
        log.write_bytes(log.read_bytes()[: log.stat().st_size // 2])
    else:
        log.unlink()
        if kind == "gone":
            path.unlink()
        else:
            path.write_bytes(
                {"empty": b"", "no tables": b"", "garbage": b"no database" * 900}[kind]
            )
    again = Notes(tmp_path, folder)
    assert sorted(note.text for note in again.export()) == texts
    if kind != "log cut":
        assert restored_once(again.take_notices())
    again.close()


def test_a_damaged_backup_is_set_aside(tmp_path: Path) -> None:
    """Notes with files are restored, and a damaged backup does not replace the database."""
    folder = tmp_path / "notes"
    with Notes(tmp_path, folder) as notes:
        notes.add("in the backup alone")
        notes.add("first")
        for name in ("notes.db", "notes.db.bak"):
            (folder / name).write_bytes(b"no database" * 900)
    with Notes(tmp_path, folder) as notes:
        assert [note.text for note in notes.export()] == ["first"]
        (notice,) = [text for text in notes.take_notices() if "was damaged" in text]
        assert "without its backup of" in notice and "which is damaged, too" in notice
        notes.add("second")
    assert [path.read_bytes()[:11] for path in folder.glob("notes.db.damaged-*.bak")] == [
        b"no database"
    ]
    with Notes(tmp_path, folder) as notes:
        assert [note.text for note in notes.export()] == [
            "first",
            "second",
        ] and not notes.take_notices()


@pytest.mark.nightly
@pytest.mark.parametrize("length", [0, 100, 5_000])
def test_a_file_that_is_cut_while_it_is_open_is_restored(tmp_path: Path, length: int) -> None:
    """SQLite reports `disk I/O error` for a truncated page."""
    folder = tmp_path / "notes"
    notes = Notes(tmp_path, folder)
    for number in range(40):
        notes.add(f"note {number} " + "x" * 500)
    for name in ("notes.db", "notes.db-wal"):
        os.truncate(folder / name, length)
    notes.add("another")
    assert len([*notes.export()]) == 41
    os.truncate(folder / "notes.db-wal", length)
    os.truncate(folder / "notes.db", length)
    assert len([*notes.export()]) == 41
    notes.close()


def test_an_index_that_lacks_a_row_is_damage(tmp_path: Path) -> None:
    """A row that its index lacks can be read but not changed, so nothing else would restore it."""
    folder, project = tmp_path / "notes", "/a-project-of-its-own"
    with Notes(Path(project), folder) as notes:
        for number in range(3):
            notes.add(f"note {number}")
        notes.delete(1)
    data = (folder / "notes.db").read_bytes()
    assert data.count(project.encode()) >= 4  # in two rows and in two keys of an index
    (folder / "notes.db").write_bytes(data.replace(project.encode(), b"b" * len(project), 1))
    with Notes(Path(project), folder) as notes:
        assert [note.text for note in notes.newest_first()[0]] == ["note 2", "note 1"]
        assert restored_once(notes.take_notices())


def test_a_backup_of_a_poorer_database_keeps_the_last_backups_notes(tmp_path: Path) -> None:
    """A truncated log loses notes without an error; replacing the last backup would then lose them
    for good."""
    folder = tmp_path / "notes"
    notes = Notes(tmp_path, folder)
    notes.add("first")
    with sqlite3.connect(folder / "notes.db") as other:
        other.execute("DELETE FROM note")
    other.close()
    number = notes.add("second").id
    notes.delete(number)
    assert [note.text for note in notes.export()] == ["first"]
    notes.close()


@pytest.mark.nightly
def test_a_damaged_database_does_not_replace_a_sound_backup(tmp_path: Path) -> None:
    """The database is damaged while a connection is open, so only a check of the copy detects
    it."""
    folder = tmp_path / "notes"
    with Notes(Path("/p"), folder) as notes:
        texts = [notes.add(f"note {number} " + "x" * 500).text for number in range(100)]
        notes.delete(1)
    sound = (folder / "notes.db.bak").read_bytes()
    with closing(sqlite3.connect(folder / "notes.db")) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        damaged = bytearray((folder / "notes.db").read_bytes())
        damaged[4_096 * 4 : 4_096 * 8] = b"\xff" * 4_096 * 4
        (folder / "notes.db").write_bytes(damaged)
        with pytest.raises(sqlite3.DatabaseError):
            PreciousDatabase(folder, "notes.db", [], "")._back_up(
                connection, folder / "notes.db.bak"
            )
    assert (folder / "notes.db.bak").read_bytes() == sound
    with Notes(Path("/p"), folder) as notes:
        assert [note.text for note in notes.export()] == texts[1:]


def test_what_is_deleted_does_not_come_back_from_the_backup(tmp_path: Path) -> None:
    with Notes(tmp_path, tmp_path / "notes") as notes:
        number = notes.add("first").id
        notes.add("second")
        assert notes.delete(number)
    (tmp_path / "notes" / "notes.db").write_bytes(b"no database" * 500)
    with Notes(tmp_path, tmp_path / "notes") as notes:
        assert [note.text for note in notes.export()] == ["second"]


@pytest.mark.nightly
def test_what_sqlite_can_still_read_is_salvaged(tmp_path: Path) -> None:
    """A version that wrote no files of notes left only the database, whose last page is damaged."""
    folder = tmp_path / "notes"
    with Notes(tmp_path, folder) as notes:
        for number in range(40):
            notes.add(f"{number} " + "x" * 1_000)
    for copy in folder.glob("recent-*"):
        copy.unlink()
    data = bytearray((folder / "notes.db").read_bytes())
    data[-4_096:] = b"\xff" * 4_096
    (folder / "notes.db").write_bytes(data)
    with Notes(tmp_path, folder) as notes:
        assert len([*notes.export()]) > 20
        (notice,) = [text for text in notes.take_notices() if "restored" in text]
    assert " written since then; " in notice and " with 0 rows" not in notice


def test_a_process_that_restores_for_ever_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.1)
    notes, other = Notes(tmp_path, tmp_path / "notes"), Notes(tmp_path, tmp_path / "notes")
    notes.add("first")
    with (
        notes._store.database._alone(),
        pytest.raises(StorageError, match="another process is restoring it: try again"),
    ):
        other.add("second")
    assert other.add("second").id == 2


def test_a_file_that_is_replaced_again_and_again_ends_with_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = Notes(tmp_path, tmp_path / "notes")
    notes.add("first")
    monkeypatch.setattr(precious_database.PreciousDatabase, "_is_replaced", lambda self: True)
    with pytest.raises(StorageError, match="was replaced 10 times while it was written: try again"):
        notes.add("second")
