"""Notes survive kills, and are filtered, exported and imported, restored, migrated and found."""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from subprocess import PIPE

import msgspec
import pytest

from symindex.errors import RequestError, StorageError
from symindex.protocol.recall import TextRequest
from symindex.recall import database
from symindex.recall.notes import note_database, note_store
from symindex.recall.notes.note import MOST_BYTES
from symindex.recall.notes.notes import Notes
from symindex.text.since import read_since
from symindex.workspace.workspace import open_workspace

KILLS = 10
"""Number of killed processes; `python -m tests.recall.notes.test_notes` kills 200."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "notes"


@pytest.fixture
def notes(tmp_path: Path, folder: Path) -> Notes:
    return Notes(tmp_path / "project", folder)


def texts(notes: Notes, **wanted: object) -> list[str]:
    return [note.text for note in notes.newest_first(**wanted)[0]]  # type: ignore[arg-type]


def test_notes_are_listed_newest_first_and_filtered(
    notes: Notes, tmp_path: Path, folder: Path
) -> None:
    assert texts(notes) == [] and notes.counts() == {} and not folder.exists()
    notes.add("Cache for an hour", category="decision", session="s1", source="hook")
    notes.add("Disk full", category="error", session="s2")
    Notes(tmp_path / "other", folder).add("Elsewhere")
    assert texts(notes) == ["Disk full", "Cache for an hour"]
    assert texts(notes, all_projects=True)[0] == "Elsewhere"
    assert (
        texts(notes, categories=["decision"])
        == texts(notes, session="s1")
        == texts(notes, source="OO")
        == ["Cache for an hour"]
    )
    assert (
        texts(notes, since="1h", limit=1) == ["Disk full"]
        and texts(notes, since="2099-01-01") == []
    )
    assert notes.counts() == {"decision": 1, "error": 1}
    assert notes.delete(1) and not notes.delete(1) and notes.show(1) is None
    assert (folder.stat().st_mode & 0o777, (folder / "notes.db").stat().st_mode & 0o777) == (
        0o700,
        0o600,
    )


def test_notes_that_others_may_have_written(notes: Notes, tmp_path: Path, folder: Path) -> None:
    """Notes are trusted, so a folder or file that others could write to is not read."""
    notes.add("Cache for an hour")
    notes.close()
    for place, mode, words in (
        (
            folder,
            0o770,
            "others may write to this folder, so nothing in it is trusted; look at its files",
        ),
        (folder, 0o1777, "others may write to this folder"),
        (folder / "notes.db", 0o666, r"notes\.db: others may write to it: move it away"),
        (folder / "notes.db", 0o620, r"notes\.db: others may write to it"),
    ):
        before = place.stat().st_mode
        place.chmod(mode)
        with pytest.raises(StorageError, match=words):
            texts(Notes(tmp_path, folder))
        assert place.stat().st_mode & 0o7777 == mode
        place.chmod(before & 0o7777)
    (folder / "notes.db-wal").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StorageError, match=r"notes\.db-wal: not a regular file"):
        texts(Notes(tmp_path, folder))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"text": " "}, "is empty"),
        ({"text": "x" * (MOST_BYTES + 1)}, "at most 65,536"),
        ({"text": "\ud800"}, "not valid Unicode"),
        ({"category": "Decision!"}, "small letters"),
        ({"category": ""}, "small letters"),
        ({"author": "x" * 1_001}, "author has more"),
        ({"links": ["x"] * 51}, "links: at most 50"),
    ],
)
def test_wrong_notes(notes: Notes, fields: dict[str, object], message: str) -> None:
    with pytest.raises(RequestError, match=message):
        notes.add(**{"text": "x", **fields})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("since", "day"),
    [
        ("2026-05-31", (2026, 5, 31)),
        ("7d", (2026, 6, 8)),
        ("2w", (2026, 6, 1)),
        ("3mo", (2026, 3, 17)),
        ("1y", (2025, 6, 15)),
    ],
)
def test_since(since: str, day: tuple[int, int, int]) -> None:
    assert read_since(since, datetime(2026, 6, 15, tzinfo=UTC)) == int(
        datetime(*day, tzinfo=UTC).timestamp() * 1_000
    )


@pytest.mark.parametrize(
    "since", ["", "yesterday", "7", "d", "-3d", "2026-13-01", "99999d ago", "7 days"]
)
def test_wrong_since(since: str) -> None:
    with pytest.raises(RequestError, match="expected a date"):
        read_since(since)


def test_export_and_import(notes: Notes, tmp_path: Path) -> None:
    notes.add("A \x1b[31m\u202e b\nline two", category="plan", links=["a.py#B.c"])
    lines = [msgspec.json.encode(note) for note in notes.export()]
    other = Notes(tmp_path / "project", tmp_path / "copy")
    assert (other.take_in(lines), other.take_in(lines)) == (1, 0)
    assert [msgspec.json.encode(note) for note in other.export()] == lines
    with pytest.raises(RequestError, match=r"line 2: .*expected a note"):
        other.take_in(
            [
                lines[0]
                .replace(b"A ", b"B ")
                .replace(notes.newest_first()[0][0].uid.encode(), b"new"),
                b"{broken",
            ]
        )
    assert len([*other.export()]) == 1  # all notes or none


def test_a_time_that_no_calendar_has_is_refused_at_import(notes: Notes) -> None:
    line = b'{"text": "x", "uid": "u", "time_ms": 253402300800000}'
    with pytest.raises(RequestError, match=r"line 1: .*before the year 10000"):
        notes.take_in([line])
    assert texts(notes) == []


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"\xff\xfe", "malformed"), (b'{"text": "a\x00b"}', "invalid character"), (b'{"text": "\xff"}', "expected a note"),
        (b'{"text": "\\ud800"}', "truncated"), (b'{"text": "x", "uid": "\\udc00"}', "surrogate"), (b"[" * 100_000, "array"),
        (b'{"links": ' + b"[" * 100_000, "expected a note"),
        (b"{" + b" " * 1_000_001, "more than 1,000,000 bytes"), (b'{"text": null}', "got `null`"), (b"{}", "required field"),
        (b'{"text": "x", "time_ms": 1e30}', "int"), (b'{"text": "x", "links": [1]}', "str"),
        (b'{"text": "x", "more": 1}', "more"), (b'{"text": "x", "category": "A b"}', "small letters"),
    ],
)  # fmt: skip
def test_a_bad_line_is_named_and_nothing_is_taken_in(
    notes: Notes, line: bytes, message: str
) -> None:
    good = b'{"text": "x", "uid": "u", "time_ms": 1}'
    with pytest.raises(RequestError, match=rf"line 2: .*{message}") as error:
        notes.take_in(BytesIO(b"\n".join([good, line, good])))
    assert "\n" not in str(error.value) and "damaged" not in str(error.value)
    assert texts(notes, all_projects=True) == []


BAD = [
    ("time_ms", "253402300800000"), ("time_ms", "'x'"), ("time_ms", "-1"), ("time_ms", "1.5"), ("text", "x'ff'"),
    ("links", "'{'"),
    ("text", "CAST(x'61ff62' AS TEXT)"), ("category", "CAST(x'ff' AS TEXT)"), ("session", "CAST(x'ff' AS TEXT)"), ("text", "''"),
    ("project", "x'ff'"), ("links", "x'ff'"), ("source", "x'00'"), ("uid", "x'ff'"), ("links", "'" + "[" * 100_000 + "'"),
]  # fmt: skip
"""Columns with SQL values that no version of symindex writes."""


def spoil(
    folder: Path, column: str, value: str, number: int = 1, leaves_copies: bool = False
) -> None:
    """Writes a value into the row of a note.

    leaves_copies: whether the backup and the note's file remain.
    """
    if not leaves_copies:
        for file in [*folder.glob("recent-*"), *folder.glob("*.bak")]:
            file.unlink()
    with sqlite3.connect(folder / "notes.db") as other:
        other.execute(f"UPDATE note SET {column} = {value} WHERE id = {number}")
    other.close()


@pytest.mark.parametrize(("column", "value"), BAD)
def test_a_bad_row_is_skipped_with_a_notice(
    notes: Notes, folder: Path, column: str, value: str
) -> None:
    notes.add("bad")
    notes.add("good")
    spoil(folder, column, value)
    asked: list[Callable[[], object]] = [
        lambda: [note.text for note in notes.newest_first()[0]],
        lambda: [note.text for note in notes.newest_first(since="1d")[0]],
        lambda: [note.text for note in notes.export()],
        lambda: ["good"] * notes.newest_first()[1],
        lambda: ["good"] * sum(notes.counts().values()),
        lambda: ["good"] if notes.show(1) is None else [],
    ]
    for ask in asked:
        assert ask() == ["good"]
        (notice,) = notes.take_notices()
        assert notice == f"note 1 is left out: its row in {folder / 'notes.db'} is not a valid note"
    notes.add("another")
    assert notes.delete(1) and len([*notes.export()]) == 2 and notes.take_notices() == []


@pytest.mark.sample(13)
@pytest.mark.parametrize("is_backed_up", [True, False], ids=["from the backup", "from its file"])
@pytest.mark.parametrize(
    ("column", "value"), [*BAD, ("text", "'bat'"), ("time_ms", "7"), ("digest", "x'00'")]
)
def test_a_damaged_row_is_restored(
    notes: Notes, folder: Path, column: str, value: str, is_backed_up: bool
) -> None:
    """A row is restored even if it is a valid note, but not the stored one."""
    notes.add("first")
    notes.add("bad")
    if is_backed_up:
        notes.delete(1)  # this makes a backup
        assert not [*folder.glob("recent-*")]
    spoil(folder, column, value, 2, leaves_copies=True)
    again = Notes(Path(notes._project), folder)
    assert [note.text for note in again.export() if note.text != "first"] == ["bad"]
    assert [note.text for note in again.newest_first()[0] if note.text != "first"] == ["bad"]
    again.close()


def test_data_derived_from_damaged_notes_is_rebuilt(notes: Notes, folder: Path) -> None:
    notes.add("giraffe")
    before = notes._store.identity()
    spoil(folder, "text", "'zebra'", leaves_copies=True)
    again = Notes(Path(notes._project), folder)
    assert texts(again) == ["giraffe"] and again._store.identity() != before
    again.close()


def test_a_request_that_is_no_unicode(notes: Notes) -> None:
    notes.add("x")
    for wanted in ({"session": "\udcff"}, {"source": "\udcff"}):
        with pytest.raises(RequestError, match="not valid Unicode"):
            notes.newest_first(**wanted)  # type: ignore[arg-type]
    assert notes.show(10**30) is None and not notes.delete(10**30)


def test_a_project_whose_path_is_no_unicode_has_notes(folder: Path) -> None:
    with Notes(Path("/p\udcff"), folder) as notes:
        assert notes.add("x").project == "/p\\xff"
        assert texts(notes) == ["x"]


def test_many_bad_rows_are_reported_on_one_line(notes: Notes, folder: Path) -> None:
    for number in range(1, 9):
        notes.add("bad")
        spoil(folder, "time_ms", "-1", number)
    assert texts(notes) == []
    assert notes.take_notices()[0].startswith(
        "notes 8, 7, 6, 5, 4 and 3 more are left out: their rows"
    )


@pytest.mark.sample(2)
@pytest.mark.slow
@pytest.mark.parametrize(("column", "value"), BAD[::3])
def test_an_answer_leaves_a_bad_row_out_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, column: str, value: str
) -> None:
    monkeypatch.setenv("SYMINDEX_DATA_DIR", str(tmp_path / "data"))
    root = tmp_path / "project"
    root.mkdir()
    with Notes(root) as notes:
        notes.add("a giraffe that is bad")
        notes.add("a giraffe that is good")
    spoil(tmp_path / "data" / "notes", column, value)
    with open_workspace(root, tmp_path / "index") as workspace:
        for within in ("all", "notes"):
            response = workspace.recall(TextRequest(queries=["giraffe"], within=within))
            assert [item.id for item in response.sections[0].items] == ["note:2"]
            assert "note 1 is left out" in "".join(response.notices or [])
        assert workspace.related("note:2") is not None
        with pytest.raises(RequestError, match="note 1 is left out"):
            workspace.related("note:1")


def test_a_note_of_an_agent_is_scrubbed(notes: Notes) -> None:
    assert notes.add_scrubbed("use DB_PASS=hunter2x").text == "use DB_PASS=[secret]"
    assert "1 password" in notes.take_notices()[0]


def test_a_clock_that_goes_back(notes: Notes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(note_store, "now_ms", lambda: 2_000)
    first = notes.add("first")
    monkeypatch.setattr(note_store, "now_ms", lambda: 1_000)
    second = notes.add("second")
    assert second.id > first.id and texts(notes) == ["first", "second"]


def test_a_damaged_file_is_restored_with_a_notice(
    notes: Notes, tmp_path: Path, folder: Path
) -> None:
    notes.add("kept")
    notes.close()
    for damage in (b"no database" * 500, None):
        if damage is None:
            (folder / "notes.db").unlink()
        else:
            (folder / "notes.db").write_bytes(damage)
        for log in folder.glob("notes.db-*"):
            log.unlink()
        again = Notes(tmp_path / "project", folder)
        assert texts(again) == ["kept"]
        assert "restored from its backup" in "".join(again.take_notices())
        again.close()
    assert [*folder.glob("notes.db.damaged-*")]
    for file in folder.iterdir():
        file.unlink()
    (folder / "notes.db").write_bytes(b"no database" * 500)
    with pytest.raises(StorageError, match=r"is damaged .*move it away"):
        texts(Notes(tmp_path / "project", folder))


def test_a_migration_is_backed_up_first(
    notes: Notes, tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes.add("kept")
    notes.close()
    steps = (*note_database._MIGRATIONS, "ALTER TABLE meta ADD COLUMN more TEXT")
    monkeypatch.setattr(note_database, "_MIGRATIONS", steps)
    later = Notes(tmp_path / "project", folder)
    assert texts(later) == ["kept"]
    with sqlite3.connect(folder / "notes.db.2.bak") as backup:
        assert backup.execute("SELECT text FROM note").fetchall() == [("kept",)]
    later.close()
    monkeypatch.setattr(note_database, "_MIGRATIONS", steps[:2])
    with pytest.raises(StorageError, match="later version"):
        texts(Notes(tmp_path / "project", folder))


def test_notes_of_the_version_without_digests_are_migrated(folder: Path) -> None:
    folder.mkdir(mode=0o700)
    with closing(sqlite3.connect(folder / "notes.db")) as old:
        old.executescript(note_database._MIGRATIONS[0])
        old.execute("INSERT INTO note VALUES (1, 'u', 5, 'learned', 'old', '/p', '', '', '', '[]')")
        old.execute("PRAGMA user_version = 1")
        old.commit()
    (folder / "notes.db").chmod(0o600)
    with Notes(Path("/p"), folder) as notes:
        assert texts(notes) == ["old"] and not notes.take_notices()
        notes.add("new")
        spoil(folder, "text", "'other'", leaves_copies=True)
        assert texts(notes) == ["new", "old"]


def test_a_locked_file_is_reported(
    notes: Notes, tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes.add("kept")
    notes.close()
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.1)
    other = sqlite3.connect(folder / "notes.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StorageError, match="try again"):
        Notes(tmp_path / "project", folder).add("more")
    other.close()


WRITER = """
import sys
from pathlib import Path
from symindex.recall.notes.notes import Notes
notes = Notes(Path(sys.argv[1]), Path(sys.argv[2]))
for number in range(100_000):
    print(notes.add(f"{sys.argv[3]}-{number}").text, flush=True)
"""


def kill_writers(folder: Path, kills: int) -> None:
    """Kills processes that add notes at random moments; checks that every acknowledged note exists
    once."""
    acknowledged: list[str] = []
    for turn in range(kills):
        both = [
            subprocess.Popen(
                [sys.executable, "-c", WRITER, "/p", str(folder), f"{turn}{name}"],
                stdout=PIPE,
                stderr=PIPE,
                text=True,
            )
            for name in "ab"
        ]
        for process in both:
            assert process.stdout is not None
            acknowledged.append(process.stdout.readline().strip())
            assert acknowledged[-1], process.communicate()[1]
        time.sleep(random.random() / 5)
        for process in both:
            process.send_signal(signal.SIGKILL)
            assert process.stdout is not None
            acknowledged += process.stdout.read().split("\n")[:-1]
            process.communicate()
        texts = [note.text for note in Notes(Path("/p"), folder).newest_first(limit=1_000_000)[0]]
        assert len({*texts}) == len(texts)
        assert {*acknowledged} <= {*texts}


@pytest.mark.nightly
@pytest.mark.slow
def test_what_was_acknowledged_survives_kills(folder: Path) -> None:
    kill_writers(folder, KILLS)


def test_notes_are_found_next_to_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYMINDEX_DATA_DIR", str(tmp_path / "data"))
    root = tmp_path / "project"
    with Notes(root) as notes:
        notes.add("We decided that responses are cached for an hour", category="decision")
        notes.add("The cache was full: error E77", category="error")
        Notes(tmp_path / "other").add("Caching elsewhere")
    root.mkdir()
    with open_workspace(root, tmp_path / "index") as workspace:

        def found(query: str, **options: object) -> list[str]:
            response = workspace.recall(query, **options)  # type: ignore[arg-type]
            return [item.id for item in response.sections[0].items]

        assert found("what did we decide about caching", source="decision", sort="timeline") == [
            "note:1"
        ]
        assert found("caching", sort="timeline") == ["note:2", "note:1"]
        assert found("E77") == found("cache", category=["error"]) == ["note:2"]
        assert found("cache", since="2099-01-01") == []
        assert workspace.recall(TextRequest(queries=["cache"])).note_count == 2
        with Notes(root) as notes:
            notes.delete(2)
            notes.add("cache again", category="plan")
        assert {*found("cache")} == {"note:1", "note:4"}


def test_a_clock_that_goes_back_loses_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Notes(Path("/p"), folder) as notes:
        for moment in (5_000, 1_000, 3_000):
            monkeypatch.setattr(
                "symindex.recall.notes.note_store.now_ms", lambda moment=moment: moment
            )
            notes.add(f"at {moment}")
        assert [note.text for note in notes.newest_first()[0]] == ["at 5000", "at 3000", "at 1000"]


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as place:
        kill_writers(Path(place) / "notes", int(os.environ.get("KILLS", "200")))
        print("every acknowledged note is there")
