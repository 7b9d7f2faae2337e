"""Which notes a filter or a request selects, compared with a look at each; their order, sessions
and counts; what is written about notes that wait, are cut or are damaged."""

import json
from io import BytesIO
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symindex.errors import RequestError, StorageError, UnwritableError
from symindex.protocol.recall import TextRequest
from symindex.recall.notes import note_copies, note_store
from symindex.recall.notes.note import Note, check_category, check_note, check_size
from symindex.recall.notes.note_copies import NoteCopies, digest_in, digest_of
from symindex.recall.notes.note_database import sound_note
from symindex.recall.notes.note_store import NoteFilter, NoteStore, read_lines
from symindex.recall.notes.notes import NoteCollection, Notes, when
from symindex.text.since import read_since

NOTES = st.lists(
    st.builds(
        Note,
        text=st.sampled_from(["one", "two"]),
        category=st.sampled_from(["plan", "error", "learned"]),
        project=st.sampled_from(["/p", "/other", ""]),
        session=st.sampled_from(["s", "t", ""]),
        source=st.sampled_from(["hook:A", "cli", ""]),
        time_ms=st.sampled_from([1, 86_400_000, 86_399_999, 172_800_000]),
    ),
    max_size=6,
)


def stored(folder: Path, notes: list[Note]) -> tuple[NoteStore, list[Note]]:
    store = NoteStore(folder)
    return store, [store.add(note) for note in notes]


@pytest.mark.nightly
@settings(max_examples=12, deadline=None)
@given(
    NOTES,
    st.builds(
        NoteFilter,
        project=st.sampled_from([None, "/p", "/none"]),
        categories=st.lists(st.sampled_from(["plan", "error"]), unique=True),
        session=st.sampled_from(["", "s"]),
        source=st.sampled_from(["", "OOK:a", "c"]),
        since_ms=st.sampled_from([0, 86_400_000]),
    ),
    st.integers(-1, 3),
    st.integers(0, 3),
)
def test_a_filter_selects_what_a_look_at_each_note_selects(
    tmp_path_factory: pytest.TempPathFactory,
    notes: list[Note],
    wanted: NoteFilter,
    most: int,
    offset: int,
) -> None:
    store, kept = stored(tmp_path_factory.mktemp("notes"), notes)
    try:
        chosen = [
            note for note in kept
            if (wanted.project is None or note.project in (wanted.project, ""))
            and (not wanted.categories or note.category in wanted.categories)
            and wanted.session in ("", note.session)
            and wanted.source.lower() in note.source.lower()
            and note.time_ms >= wanted.since_ms
        ]  # fmt: skip
        if kept:
            assert store.numbers(wanted) == [note.id for note in chosen]
        counts = {
            category: sum(note.category == category for note in chosen)
            for category in ("error", "learned", "plan")
        }
        assert [*store.count(wanted).items()] == [(name, n) for name, n in counts.items() if n]
        newest = sorted(chosen, key=lambda note: (-note.time_ms, -note.id))
        page = newest[offset:] if most < 0 else newest[offset : offset + most]
        assert store.newest_first(wanted, most, offset) == (page, len(chosen))
        assert [*store.export()] == kept
        for number in range(len(kept) + 2):
            assert store.get(number) == next((note for note in kept if note.id == number), None)
    finally:
        store.database.close()


@pytest.fixture
def notes(tmp_path: Path) -> Any:
    with Notes(Path("/p"), tmp_path / "notes") as opened:
        yield opened


def add(notes: Notes, text: str, time_ms: int, **more: Any) -> Note:
    return notes._store.add(Note(text=text, time_ms=time_ms, **{"project": "/p", **more}))


def chosen(notes: Notes, **request: Any) -> list[int]:
    collection = notes.collection(TextRequest(queries=["x"], **request))
    listed = collection.listed()
    indexes = collection.indexes()
    if indexes:
        (index,) = indexes
        assert sorted(index.ids[collection.selected(index)].tolist()) == sorted(listed)
    return listed


def test_a_request_selects_notes_newest_first(notes: Notes) -> None:
    assert chosen(notes) == []
    day = 86_400_000
    add(notes, "a", 3 * day, category="plan", session="s", source="Hook:x")
    add(notes, "b", 2 * day, category="error", session="t")
    add(notes, "c", 2 * day, category="error", project="", source="cli")
    add(notes, "d", 5 * day, project="/other")
    assert chosen(notes) == [1, 3, 2]
    assert chosen(notes, source="HOOK") == [1] and chosen(notes, source="err") == [3, 2]
    assert chosen(notes, source="err", source_name="cli") == [3]
    assert chosen(notes, category=["plan"]) == [1] and chosen(notes, category=["none"]) == []
    assert chosen(notes, types=["Note"]) == chosen(notes, types=["x", "episode"]) == [1, 3, 2]
    assert chosen(notes, types=["PLAN"]) == [1] and chosen(notes, types=["document"]) == []
    assert chosen(notes, since="1970-01-04") == [1] and chosen(notes, since="1970-01-03") == [
        1,
        3,
        2,
    ]
    assert chosen(notes, project="/p") == [1, 2] == chosen(notes, project="p")
    assert chosen(notes, project="other") == []
    for name in ("language", "status"):
        assert chosen(notes, **{name: ["x"]}) == []
    for name in ("assignee", "source_id"):
        assert chosen(notes, **{name: "x"}) == []
    with pytest.raises(RequestError, match="category 'A b': expected a word"):
        chosen(notes, category=["A b"])
    collection = notes.collection(TextRequest(queries=["x"], content_type="code"))
    (index,) = collection.indexes()
    assert not collection.selected(index).any()


def test_notes_of_other_sessions_are_hidden_where_only_one_is_requested(notes: Notes) -> None:
    for number, session in enumerate(["s", "t", "", "s"], 1):
        add(notes, f"note {number}", number, session=session)
    add(notes, "elsewhere", 9, session="t", project="/other")

    def asked(**request: Any) -> tuple[list[int], list[int]]:
        collection = notes.collection(TextRequest(queries=["x"], this_session=True, **request))
        (index,) = collection.indexes()
        mask = collection.selected(index)
        return index.ids[mask].tolist(), index.ids[collection.hidden(index)].tolist()

    assert asked(session="t") == ([2, 3], [1, 4])
    assert asked() == ([1, 3, 4], [2])  # the session of the newest note of the project that has one
    assert asked(session="t", sort="timeline") == ([1, 2, 3, 4], [])
    notes.delete(4)
    assert asked() == ([2, 3], [1])


def test_the_collection_of_notes(notes: Notes) -> None:
    empty = notes.collection(TextRequest(queries=["x"]))
    assert empty.is_empty and empty.indexes() == [] and empty.types() == {"note", "episode"}
    first = add(
        notes,
        "\n  A title \nand more",
        86_400_000,
        category="plan",
        session="s",
        source="h",
        author="me",
        links=["a#b"],
    )
    add(notes, "b", 172_800_000)
    add(notes, "c", 172_800_000, project="/other")
    collection: NoteCollection = notes.collection(TextRequest(queries=["x"]))
    (index,) = collection.indexes()
    assert not collection.is_empty and collection.types() == {"note", "episode", "plan", "learned"}
    assert collection.live(index).tolist() == [True, True, False]
    assert collection.selected(index).tolist() == [True, True, False]
    assert collection.order(index, np.array([0, 1, 2])).tolist() == [1, 0, 2]
    assert collection.groups(index).tolist() == [1, 2, 3] and not collection.documents(index).any()
    assert (
        index.texts[:2] == ["a", "and"] and "plan" in index.texts
    )  # the category is one of its words
    shown = collection.shown(1)
    assert (shown.id, shown.title, shown.text, shown.label, shown.line) == (
        "note:1",
        "A title",
        first.text,
        "plan",
        1,
    )
    assert (shown.time_ms, shown.type, shown.is_code) == (86_400_000, "note", False)
    assert shown.facts == {
        "category": "plan",
        "session": "s",
        "source": "h",
        "author": "me",
        "links": ["a#b"],
    }
    assert collection.shown(2).facts == {"category": "learned"}
    assert collection.shown(99).text == "" and when(first) == "1970-01-02T00:00:00+00:00"


def test_the_words_of_notes_follow_the_notes(notes: Notes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symindex.recall.chunk_index.kept_chunks.IN_MEMORY", 1)
    for number in range(4):
        add(notes, f"word{number}", number + 1)
        indexes = notes.collection(TextRequest(queries=["x"])).indexes()
        ids = [note for index in indexes for note in index.ids.tolist()]
        assert ids == [*range(1, number + 2)]
    notes.delete(2)
    collection = notes.collection(TextRequest(queries=["x"]))
    assert [collection.live(index).tolist() for index in collection.indexes()] != []
    assert notes._store.n_after(1) == 2 and notes._store.newest() == 4
    assert [row[0] for row in notes._store.after(1)] == [3, 4]


def test_a_page_of_notes(notes: Notes) -> None:
    for number in range(25):
        add(notes, f"note {number}", 1_000 + number)
    page, total = notes.newest_first()
    assert (len(page), total, page[0].text) == (20, 25, "note 24")
    rest, total = notes.newest_first(offset=20)
    assert ([note.text for note in rest], total) == ([f"note {n}" for n in range(4, -1, -1)], 25)
    assert notes.newest_first(limit=2, offset=24) == ([rest[-1]], 25)
    with pytest.raises(RequestError):
        notes.newest_first(categories=["Not a word"])
    since = read_since("1970-01-01")
    assert since == 0 and notes.newest_first(since="1970-01-02") == ([], 0)


# What is valid


@pytest.mark.parametrize(
    ("fields", "words"),
    [({"time_ms": 0}, ""), ({"time_ms": -1}, "time_ms -1: expected milliseconds"), ({"time_ms": 253_402_300_799_999}, ""),
     ({"time_ms": 253_402_300_800_000}, "before the year 10000"), ({"links": ["a"] * 50}, ""), ({"links": ["a" * 1_000]}, ""),
     ({"links": ["a" * 1_001]}, "links: at most 50, of 1,000 characters each"), ({"uid": "\ud800"}, "not valid Unicode"),
     ({"links": ["\udfff"]}, "not valid Unicode"), ({"author": "\ud7ff\ue000"}, ""), ({"author": "a\x1b"}, ""),
     ({"source": "x" * 1_001}, "source has more than 1,000 characters"), ({"text": "é" * 32_768}, ""),
     ({"text": "é" * 32_769}, "the note has 65,538 bytes: at most 65,536"), ({"category": "a" * 40}, ""),
     ({"category": "a" * 41}, "expected a word of small letters"), ({"category": "-a"}, "expected a word"), ({"category": "1-a"}, "")],
    ids=range(18),
)  # fmt: skip
def test_which_notes_are_valid(fields: dict[str, Any], words: str) -> None:
    note = msgspec.structs.replace(Note(text="x"), **fields)
    if words:
        with pytest.raises(RequestError, match=words):
            check_note(note)
    else:
        check_note(note)


def test_the_title_of_a_note_is_its_first_line() -> None:
    for length in (120, 121):
        note = Note(text=f"\n\n {'t' * length} \nmore")
        assert note.title == ("t" * 120 if length == 120 else "t" * 120 + "…")
    assert check_category("a-1") == "a-1"
    with pytest.raises(RequestError, match="not valid Unicode: give it as UTF-8"):
        check_size("\ud800")


def test_lines_of_an_export() -> None:
    line = msgspec.json.encode(Note(text="x", id=7, uid="u", time_ms=1))
    for lines in ([line, b" ", line], BytesIO(b"\n" + line + b"\n\n" + line)):
        assert [(note.text, note.id, note.uid) for note in read_lines(lines)] == [("x", 0, "u")] * 2
    with pytest.raises(RequestError, match=r"^line 3: "):
        [*read_lines([line, b"", b"{"])]


def test_a_row_is_sound_only_with_its_digest(notes: Notes) -> None:
    add(notes, "x", 5, links=["a"])
    with notes._store.database.reading() as connection:
        row = connection.execute(f"SELECT {note_store.COLUMNS} FROM note").fetchone()
    note = sound_note(row)
    assert note is not None and (note.id, note.text, note.links) == (1, "x", ["a"])
    for place in range(1, len(row)):
        changed = [*row]
        changed[place] = b"x" if isinstance(row[place], bytes) else f"{row[place]}1"
        assert sound_note(changed) is None, place


# Files


def test_files_are_in_the_order_of_their_writing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Notes(tmp_path, tmp_path / "notes") as notes:
        copies: NoteCopies = notes._store._copies
        copies.folder.make()
        assert copies.names() == []
        kept = [Note(text=str(number), uid=f"uid {number}", time_ms=1) for number in range(4)]
        times = iter([9, 10, 100, 99])
        monkeypatch.setattr(note_copies.time, "time_ns", lambda: next(times))
        names = [copies.keep(note) for note in kept]
        assert copies.names() == [names[0], names[1], names[3], names[2]]
        assert [digest_in(name) for name in names] == [digest_of(note.uid) for note in kept]
        (tmp_path / "notes/recent-1.txt").write_text("")
        (tmp_path / "notes/other.json").write_text("")
        assert len(copies.names()) == 4
        assert [note.text for note in copies.read(copies.names())] == ["0", "1", "3", "2"]
        assert copies.missing({digest_of("uid 0"), digest_of("uid 3")}) == names[1:3]
        copies.forget("uid 1")
        assert copies.names() == [names[0], names[3], names[2]]
        copies.backed_up({"uid 0", "uid 1"})
        assert copies.names() == [names[3], names[2]]
        copies.delete([names[3], "recent-none.json"])
        assert copies.names() == [names[2]]
        times = iter([100])
        with pytest.raises(UnwritableError, match="cannot be written: "):
            copies.keep(kept[2])  # the file is there


def test_a_file_that_cannot_be_read_is_named_until_it_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Notes(tmp_path, tmp_path / "notes") as notes:
        copies: NoteCopies = notes._store._copies
        copies.folder.make()
        names = [copies.keep(Note(text=text, uid=text, time_ms=1)) for text in "abc"]
        read, failing = type(copies.folder).read, {names[1]: OSError(24, "Too many open files")}

        def read_or_fail(self: Any, name: str, most: int) -> bytes:
            if name in failing:
                raise failing[name]
            return read(self, name, most)

        monkeypatch.setattr(type(copies.folder), "read", read_or_fail)
        assert [note.text for note in copies.read(names)] == ["a", "c"]
        assert copies.unread == {names[1]: "Too many open files"} and copies.bad == []
        (notice,) = notes.take_notices()
        assert (
            notice == f"1 note waits in {tmp_path / 'notes'}, cannot be read: Too many open files"
        )
        failing[names[1]] = FileNotFoundError()
        assert [note.text for note in copies.read(names)] == ["a", "c"] and copies.unread == {}
        failing[names[1]] = OSError("no number")
        assert [note.text for note in copies.read(names)] == ["a", "c"]
        assert copies.unread == {names[1]: "no number"}
        failing.clear()
        assert [note.text for note in copies.read(names)] == ["a", "b", "c"] and copies.unread == {}
        failing[names[0]] = PermissionError(1, "belongs to another user")
        assert [note.text for note in copies.read(names)] == ["b", "c"]
        (notice,) = notes.take_notices()
        assert (
            notice
            == f"in {tmp_path / 'notes'}, 1 file is not a valid note and was set aside: {names[0]}.bad"
        )


def test_a_folder_that_cannot_be_listed_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Notes(tmp_path, tmp_path / "notes") as notes:
        copies: NoteCopies = notes._store._copies

        def refuse(*_: object) -> None:
            raise OSError(5, "Input/output error")

        monkeypatch.setattr(type(copies.folder), "names", refuse)
        with pytest.raises(StorageError, match="notes: cannot be read: Input/output error"):
            copies.names()


def test_what_an_agent_writes_is_scrubbed_in_each_field(notes: Notes) -> None:
    secret = "ghp_" + "a1B2" * 9
    note = notes.add_scrubbed(
        f"use {secret}", session=secret, author="me", links=[secret, "a#b"], source=secret
    )
    assert (note.text, note.session, note.author, note.links) == (
        "use [secret]",
        "[secret]",
        "me",
        ["[secret]", "a#b"],
    )
    assert note.source == secret  # it is set by the program, not by the agent
    (notice,) = notes.take_notices()
    assert notice.endswith("in the note: 3 github")
    assert (
        notes.add_scrubbed("plain", category="plan").text == "plain" and notes.take_notices() == []
    )
    with pytest.raises(RequestError, match="at most 65,536"):
        notes.add_scrubbed("x" * 65_537)
    kept = notes.add_as_is(f"use {secret}")
    assert kept.text == f"use {secret}"
    (notice,) = notes.take_notices()
    assert notice == (
        "the note seems to contain keys or passwords (1 github), and is stored unchanged:"
        f" `symindex note delete {kept.id}` deletes it"
    )
    assert notes.add_as_is("plain").text == "plain" and notes.take_notices() == []


def test_the_project_of_an_event_is_that_of_its_folder(notes: Notes, tmp_path: Path) -> None:
    (tmp_path / "tree/.git").mkdir(parents=True)
    (tmp_path / "tree/.git/HEAD").write_text("")
    (tmp_path / "tree/sub").mkdir()
    for folder, project in (
        (tmp_path / "tree/sub", str(tmp_path / "tree")),
        (tmp_path / "none", "/p"),
    ):
        event = {
            "hook_event_name": "UserPromptSubmit",
            "session_id": "s",
            "prompt": "x",
            "cwd": str(folder),
        }
        note = notes.record(json.dumps(event).encode())
        assert note is not None and note.project == project
    assert notes.record(b"{}") is None


def test_a_damaged_row_that_cannot_be_restored_now_is_named(
    notes: Notes, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(notes, "sound", 1)
    add(notes, "damaged", 2)
    store = notes._store
    with store.database.reading() as connection:
        connection.execute("UPDATE note SET text = 'other' WHERE id = 2")

    def refuse(*_: object, **__: object) -> None:
        raise StorageError("another process has it")

    monkeypatch.setattr(type(store.database), "write", refuse)
    assert [note.text for note in notes.newest_first()[0]] == ["sound"]
    notices = notes.take_notices()
    path = store.database.path
    assert notices == [
        f"1 note waits in {path.parent}: another process has it",  # in its file
        "1 note cannot be restored now: another process has it",
        f"note 2 is left out: its row in {path} is not a valid note",
    ]
    assert store.database.deadline is None
    # It is not tried again, and is named again.
    assert [note.text for note in notes.newest_first()[0]] == ["sound"]
    assert [notice.partition(":")[0] for notice in notes.take_notices()] == [
        f"1 note waits in {path.parent}",
        "note 2 is left out",
    ]
