"""Files of notes: a note that cannot wait for the database is stored in a file, and added once, in
order, and only if the file is sound."""

import json
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest

from symindex.errors import StorageError
from symindex.recall import database
from symindex.recall.notes import note_copies, note_database, note_store
from symindex.recall.notes.note import Note
from symindex.recall.notes.note_copies import digest_of
from symindex.recall.notes.notes import Notes
from tests.attack.restores import start_writer
from tests.support.command import SYMINDEX, run_program
from tests.support.waiting import until


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with Notes(tmp_path, tmp_path / "notes") as notes:
        notes.add("first")
    return tmp_path / "notes"


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keeps a write transaction open on another connection."""
    other = sqlite3.connect(folder / "notes.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    yield
    other.execute("ROLLBACK")
    other.close()


def event(prompt: str) -> bytes:
    return json.dumps(
        {"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": prompt}
    ).encode()


def hook(folder: Path, *prompts: str) -> list[str]:
    """Returns the notices of a hook that notes these prompts."""
    with Notes(folder.parent, folder) as notes:
        for prompt in prompts:
            notes.record(event(prompt))
        return notes.take_notices()


def listed(folder: Path) -> tuple[list[str], str]:
    """Returns the texts of the notes, oldest first, and the notices."""
    with Notes(folder.parent, folder) as notes:
        texts = [note.text for note in notes.export()]
        return texts, "".join(notes.take_notices())


def waiting(folder: Path) -> list[Path]:
    """Returns the files of notes that are not in the database."""
    with sqlite3.connect(folder / "notes.db") as connection:
        digests = {digest_of(uid) for (uid,) in connection.execute("SELECT uid FROM note")}
    connection.close()
    return [
        path
        for path in sorted(folder.glob("recent-*.json"))
        if path.stem.split("-")[-1] not in digests
    ]


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(note_store, "HURRIED_SECONDS", 0.1)
    monkeypatch.setattr(note_store, "TAKING_IN_SECONDS", 0.05)


def test_a_hook_does_not_wait_long(folder: Path) -> None:
    with locked(folder):
        begun = time.monotonic()
        notices = hook(folder, "one", "two", "three")
        assert time.monotonic() - begun < database.BUSY_SECONDS  # for all three together
        assert "the note waits in a file" in notices[0]
        files = waiting(folder)
        assert len(files) == 3 and {file.stat().st_mode & 0o777 for file in files} == {0o600}
        texts, said = listed(folder)
        assert texts == ["first"] and "3 notes wait in" in said
    with Notes(folder.parent, folder) as notes:
        notes.add("four")
    assert (
        listed(folder) == (["first", "one", "two", "three", "four"], "") and waiting(folder) == []
    )


@pytest.mark.nightly
@pytest.mark.slow
def test_the_command_of_a_hook_waits_two_seconds_at_most(folder: Path) -> None:
    """A locked database delays the hook by at most two seconds."""
    environment = {**os.environ, "SYMINDEX_DATA_DIR": str(folder.parent), "SYMINDEX_DAEMON": "off"}
    root = folder.parent / "project"
    root.mkdir()
    command = ["note", "hook", "--root", str(root)]
    took = []
    for prompt, holds in (("one", False), ("two", True)):
        begun = time.monotonic()
        if holds:
            with locked(folder):
                done = run_symindex(command, event(prompt), environment)
        else:
            done = run_symindex(command, event(prompt), environment)
        took.append(time.monotonic() - begun)
        assert done == (0, "the note waits in a file" if holds else "")
    assert took[1] - took[0] < 5  # usually 10 to 13; a busy machine takes longer
    assert listed(folder)[0] == ["first", "one", "two"]


def run_symindex(
    arguments: list[str], given: bytes, environment: dict[str, str]
) -> tuple[int, str]:
    done = run_program([*SYMINDEX, *arguments], input=given.decode(), env=environment)
    return (
        done.returncode,
        "the note waits in a file" if "the note waits in a file" in done.stderr else done.stderr,
    )


def test_a_waiting_note_is_not_added_twice(folder: Path) -> None:
    """A process that adds waiting notes may be killed at any moment: the files remain, and are
    recognised."""
    with locked(folder):
        hook(folder, "waiting")
    (file,) = waiting(folder)
    data = file.read_bytes()
    for _ in range(2):
        assert listed(folder)[0] == ["first", "waiting"]
        file.write_bytes(data)
        file.chmod(0o600)
    (folder / f"recent-1-{digest_of(json.loads(data)['uid'])}.json").write_bytes(data)
    os.chmod(folder / f"recent-1-{digest_of(json.loads(data)['uid'])}.json", 0o600)
    assert listed(folder)[0] == ["first", "waiting"]


def test_a_note_whose_writer_was_killed_before_it_was_committed(folder: Path) -> None:
    notes = Notes(folder.parent, folder)
    notes._store._copies.keep(Note(text="from a file", uid="u", time_ms=1))
    assert [note.text for note in notes.export()] == ["first", "from a file"]
    number = notes.newest_first(all_projects=True)[0][-1].id
    assert notes.delete(number) and [note.text for note in notes.export()] == ["first"]
    notes.close()
    assert listed(folder) == (["first"], "")


def sound(**fields: object) -> bytes:
    return msgspec.json.encode({"text": "x", "uid": "u", "time_ms": 1, **fields})


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("data", "mode"),
    [
        (sound(text=""), 0o600), (sound(time_ms=1 << 60), 0o600), (sound(more=1), 0o600), (sound(uid="other"), 0o600),
        (b"\xff\xfe", 0o600), (b"", 0o600), (b"[" * 100_000, 0o600), (b" " * 1_000_001 + sound(), 0o600), (sound(), 0o666),
        (sound(text=1), 0o600), (sound(text="x" * 70_000), 0o600),
    ],
)  # fmt: skip
def test_an_unsound_file_of_a_note_is_set_aside_and_reported(
    folder: Path, data: bytes, mode: int
) -> None:
    path = folder / f"recent-2-{digest_of('u')}.json"
    path.write_bytes(data)
    path.chmod(mode)
    texts, said = listed(folder)
    assert (
        texts == ["first"]
        and f"1 file is not a valid note and was set aside: {path.name}.bad" in said
    )
    assert not path.exists() and path.with_name(f"{path.name}.bad").exists()
    assert listed(folder) == (["first"], "")


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away"
)
def test_a_file_of_another_user_is_set_aside(folder: Path) -> None:
    path = folder / f"recent-2-{digest_of('u')}.json"
    path.write_bytes(sound())
    path.chmod(0o600)
    os.chown(path, 1234, 1234)
    assert "set aside" in listed(folder)[1]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs POSIX pipes")
def test_a_link_and_a_pipe_are_set_aside(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_bytes(sound())
    (folder / f"recent-1-{digest_of('u')}.json").symlink_to(tmp_path / "elsewhere")
    os.mkfifo(folder / f"recent-2-{digest_of('u')}.json")
    texts, said = listed(folder)
    assert texts == ["first"] and "2 files are not valid notes" in said


@pytest.mark.parametrize(("name", "most"), [("MOST_WAITING", 3), ("MOST_WAITING_BYTES", 10)])
def test_what_waits_is_bounded(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, most: int
) -> None:
    monkeypatch.setattr(note_copies, name, most)
    with locked(folder):
        with pytest.raises(
            StorageError,
            match="notes are already waiting to be stored: the new note was not recorded",
        ):
            hook(folder, "one", "two", "three", "four")
        n_waiting = len(waiting(folder))
    assert n_waiting < 4 and len(listed(folder)[0]) == 1 + n_waiting


def test_a_backup_makes_the_files_superfluous(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(note_database, "MOST_COPIES", 5)
    with Notes(folder.parent, folder) as notes:
        for number in range(20):
            notes.add(f"note {number}")
            assert len([*folder.glob("recent-*.json")]) <= 6
        many = [
            msgspec.json.encode(Note(text="x", uid=f"u{number}", time_ms=1))
            for number in range(note_store.MOST_COPIED + 1)
        ]
        assert notes.take_in(many) == len(many)
    assert not [*folder.glob("recent-*.json")]
    with sqlite3.connect(folder / "notes.db.bak") as backup:
        assert backup.execute("SELECT count(*) FROM note").fetchone() == (21 + len(many),)
    backup.close()


@pytest.mark.nightly
@pytest.mark.slow
def test_processes_that_take_in_at_once_take_each_note_in_once(folder: Path) -> None:
    with locked(folder):
        hooks = [start_writer(name, folder, "hook", 3) for name in "ab"]
        until(lambda: len(waiting(folder)) >= 2, "notes that wait")
        others = [start_writer(name, folder, "add", 3) for name in "cd"]
    for process in hooks + others:
        _, errors = process.communicate()
        assert not errors and process.returncode == 0
    texts, _ = listed(folder)
    assert sorted(texts) == sorted(
        ["first", *(f"{name}-{number}" for name in "abcd" for number in range(3))]
    )
