"""Limits of recall: questions, added content, notes, and what an answer says past a limit."""

import io
import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest import mock

import msgspec
import numpy as np
import pytest

from symindex.errors import StorageError
from symindex.protocol.recall import TextRequest, TextResponse, check_text_request
from symindex.recall.chunks.answer import answer
from symindex.recall.chunks.question import read_question
from symindex.recall.chunks.static_model import files_in, read_model
from symindex.recall.content.commit_dates import commit_dates
from symindex.recall.content.content import Content
from symindex.recall.notes.agent_memory import AgentMemory
from symindex.recall.notes.hook_events import read_event
from symindex.recall.notes.note import Note, check_note
from symindex.recall.notes.note_copies import NoteCopies
from symindex.recall.notes.note_store import read_lines
from symindex.recall.notes.notes import Notes
from symindex.recall.notes.scrubbing import HIDDEN, scrub
from symindex.recall.recalled_text import hit_of
from symindex.workers import added_text
from symindex.workspace.workspace import Workspace
from tests.support.files import write_files
from tests.support.git import git
from tests.support.limits import SAME, Limit, cases, check_limit
from tests.support.static_models import safetensors


class ConverterHere(added_text.Converter):
    """Converts in this process, where limits are lowered and no process has to start."""

    def _answers(self, slot: object, order: object) -> Iterator[bytes]:
        sent: list[bytes] = []
        added_text._convert(msgspec.msgpack.encode(order), sent.append)
        return iter(sent)


@pytest.fixture(autouse=True)
def converts_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symindex.recall.content.content.Converter", ConverterHere)


def heard(response: TextResponse) -> str:
    """Returns all notices of an answer."""
    return "; ".join(
        [
            *(response.notices or ()),
            *(notice for section in response.sections for notice in section.notices or ()),
        ]
    )


def ask(content: Content, query: str, **options: object) -> TextResponse:
    request = TextRequest(queries=[query], **options)  # type: ignore[arg-type]
    return answer(request, [content.collection(request)])


def noted(**fields: object) -> Callable[[int, Path], object]:
    """Checks a note whose field is as long as the case says."""

    def check(n: int, folder: Path) -> object:
        ((name, piece),) = fields.items()
        note = Note(text="text", category="learned")
        check_note(msgspec.structs.replace(note, **{name: piece * n}))  # type: ignore[operator]
        return "kept"

    return check


def streamed(n: int, folder: Path) -> object:
    with Content(folder / "data") as content:
        return content.add_stream(io.BytesIO(b"a" * n), "label").n_chunks


def labelled(n: int, folder: Path) -> object:
    with Content(folder / "data") as content:
        return len(content.add(b"text", "l" * n, "-").label)


def changed_files(n: int, folder: Path, size: int = 6, gone: bool = False) -> tuple[str, str]:
    """Returns what is found in `n` added files that change, and the notices."""
    with Content(folder / "data") as content:
        for number in range(n):
            path = folder / f"{number}.md"
            path.write_text("alpha")
            content.add_file(path, f"file {number}")
        for number in range(n):
            path = folder / f"{number}.md"
            if gone:
                path.unlink()
            else:
                path.write_text("alpha!".ljust(size))
        response = ask(content, "alpha", include_content=True)
    texts = sorted(item.content.strip() for item in response.sections[0].items)
    return " ".join(texts), heard(response)


def refreshed_bytes(n: int, folder: Path) -> object:
    return changed_files(1, folder, n)


def gone_files(n: int, folder: Path) -> object:
    return re.sub(
        r" its file is gone \S+; what was added is kept until `symindex forget` removes it",
        "",
        changed_files(n, folder, gone=True)[1],
    )


def memory_file(n: int, folder: Path) -> object:
    write_files(folder, {".claude/CLAUDE.md": "m" * n})
    return remembered(folder)


def memory_files(n: int, folder: Path) -> object:
    write_files(folder, {f".codex/memories/{number}.md": "m" for number in range(n)})
    return remembered(folder)


def remembered(home: Path) -> object:
    with mock.patch("symindex.recall.notes.agent_memory.read_configuration") as configuration:
        configuration.return_value.agent_memory = True
        memory = AgentMemory(home / "tree", TextRequest(queries=["m"]), home)
    return len(memory.listed()), memory.notices


def hooked(n: int, folder: Path) -> object:
    event = json.dumps({"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "p"})
    recorded = read_event(event.encode().ljust(n))
    return recorded is not None and recorded.note.text


def prompted(n: int, folder: Path) -> object:
    event = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "p" * n}
    recorded = read_event(json.dumps(event).encode())
    assert recorded is not None
    return recorded.note.text


def session(n: int, folder: Path) -> object:
    event = {"hook_event_name": "UserPromptSubmit", "session_id": "s" * n, "prompt": "p"}
    recorded = read_event(json.dumps(event).encode())
    assert recorded is not None
    return recorded.note.session


def waiting(n: int, folder: Path) -> object:
    """Keeps one more note after `n - 1` that wait."""
    with Notes(folder, folder / "notes") as notes:
        copies: NoteCopies = notes._store._copies
        for number in range(n):
            copies.keep_waiting(Note(text=str(number), category="learned"))
        return len(copies.names())


def files_of_notes(n: int, folder: Path) -> object:
    """Returns how many files are listed of `n` in the folder of notes, and what is said."""
    with Notes(folder, folder / "notes") as notes:
        copies: NoteCopies = notes._store._copies
        for number in range(n):
            copies.keep(Note(text=str(number), category="learned"))
        return len(copies.names()), notes.take_notices()[-1:] == [
            f"{folder / 'notes'} has more than 3 files: notes in the others wait until some are gone"
        ]


def taken_together(n: int, folder: Path) -> object:
    """Adds `n` notes at once; returns how many have files of their own."""
    with Notes(folder, folder / "notes") as notes:
        notes.add("a first one, which a backup follows")
        before = len(notes._store._copies.names())
        lines = [
            msgspec.json.encode(Note(text=str(number), category="learned")) for number in range(n)
        ]
        assert notes.take_in(lines) == n
        return len(notes._store._copies.names()) - before


def damaged_rows(n: int, folder: Path) -> object:
    with Notes(folder, folder / "notes") as notes:
        notes._store._bad = dict.fromkeys(range(1, n + 1))
        return notes.take_notices()[0].partition(" in ")[0]


def line_of_export(n: int, folder: Path) -> object:
    line = msgspec.json.encode(Note(text="text", category="learned"))
    return [note.text for note in read_lines(io.BytesIO(line.ljust(n - 1) + b"\n"))]


def secret_in_quotes(n: int, folder: Path) -> object:
    """Hides a value of `n` characters, and nothing behind its quote."""
    text, kinds = scrub(f'password = "{"x9Q!" * (n // 4)}{"z" * (n % 4)}" stays')
    return text.replace(HIDDEN, "HIDDEN"), sum(kinds.values())


def questioned(n: int, folder: Path) -> object:
    question = read_question("word " * (n // 5) + "w" * (n % 5))
    return question.is_cut


def question_of_words(n: int, folder: Path) -> object:
    with Content(folder / "data") as content:
        content.add(b"# Title\n\nalpha beta\n", "label", "a.md")
        words = " ".join(["alpha", "beta", "gamma", "delta"][:n])
        said = heard(ask(content, words))
    return said.rpartition("; ")[2]


def timeline(n: int, folder: Path) -> object:
    with Content(folder / "data") as content:
        for number in range(n):
            content.add(f"alpha {number}".encode(), f"label {number}", "-")
        response = ask(content, "alpha", sort="timeline")
    section = response.sections[0]
    return len(section.items), section.total, heard(response)


def asked_late(n: int, folder: Path) -> object:
    """Asks with a clock that goes on by `n` seconds between the request and its question."""
    times = iter([0.0, float(n)])
    with Content(folder / "data") as content:
        content.add(b"alpha", "label", "-")
        request = TextRequest(queries=["alpha"])
        collection = content.collection(request)
        with mock.patch("symindex.recall.chunks.answer.time.monotonic", lambda: next(times)):
            section = answer(request, [collection]).sections[0]
    return section.error or len(section.items)


def many_queries(n: int, folder: Path) -> object:
    check_text_request(TextRequest(queries=["a"] * n))
    return "asked"


def long_page(n: int, folder: Path) -> object:
    check_text_request(TextRequest(queries=["a"], limit=n))
    return "asked"


def dated_by_git(n: int, folder: Path) -> object:
    """Returns which of `n` files, each of its own commit, have a date from git."""
    git(folder, "init", "-q")
    for number in range(n):
        write_files(folder, {f"{number}.md": "text"})
        git(folder, "add", ".")
        git(folder, "-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "text")
    return sorted(commit_dates(folder))


def waiting_bytes(n: int, folder: Path) -> object:
    """Keeps a note while files of `n` bytes wait."""
    with Notes(folder, folder / "notes") as notes:
        copies: NoteCopies = notes._store._copies
        name = copies.keep(Note(text="text", category="learned"))
        os.truncate(copies.folder / name, n)
        copies.keep_waiting(Note(text="more", category="learned"))
        return len(copies.names())


def file_of_note(n: int, folder: Path) -> object:
    with Notes(folder, folder / "notes") as notes:
        copies: NoteCopies = notes._store._copies
        name = copies.keep(Note(text="text", category="learned", uid="0" * 32, time_ms=1))
        path = copies.folder / name
        path.write_bytes(path.read_bytes().ljust(n))
        return [note.text for note in copies.read([name])], len(copies.bad)


def long_text(n: int, folder: Path) -> object:
    """Returns the notice about a document of a tree."""
    write_files(folder, {"tree/.git/HEAD": "", "tree/a.md": "# Alpha\n\nalpha\n".ljust(n)})
    with Workspace(folder / "tree", folder / "index") as workspace:
        response = workspace.recall("alpha", within="text")
    return heard(response)


def long_id(n: int, folder: Path) -> object:
    with mock.patch("symindex.recall.recalled_text._hits", lambda *_: iter(["hit"])):
        return hit_of(mock.Mock(), "i" * n)


def named_elsewhere(n: int, folder: Path) -> object:
    """Searches by file for the last of `n` symbols: the others are found before it."""
    files = {f"a/{number}.py": "def alpha(): pass\n" for number in range(n - 1)}
    write_files(folder, {"tree/.git/HEAD": "", "tree/z.py": "def alpha_of_z(): pass\n"})
    write_files(folder / "tree", files)
    with Workspace(folder / "tree", folder / "index") as workspace:
        response = workspace.recall("alpha", within="names", source="Z.py")
    return [hit.title for hit in response.sections[0].items], response.total, heard(response)


def added_page(n: int, folder: Path) -> object:
    """Adds a web page of `n` bytes."""
    page = b"<p>text</p>".ljust(n)

    def read_url(url: str, most: int, allowed: object) -> bytes:
        if len(page) > most:
            raise StorageError(f"more than {most} bytes")
        return page

    with (
        mock.patch("symindex.fetch.http_reader.read_url", read_url),
        Content(folder / "data") as content,
    ):
        return content.add_page("https://a.example/page.html", "label").size


def model_of(n: int, folder: Path) -> object:
    """Reads vectors whose file has `n` bytes; they lack their tokenizer."""
    table = safetensors({"embeddings": np.ones((1, 1), "float32")})
    (folder / "model.safetensors").write_bytes(table.ljust(n, b"\0"))
    return read_model(files_in(folder))


def described(n: int, folder: Path) -> object:
    """Reads vectors whose description has `n` bytes; they lack their tokenizer."""
    header = json.dumps({"embeddings": {"dtype": "I8", "shape": [1, 1], "data_offsets": [0, 1]}})
    data = n.to_bytes(8, "little") + header.encode().ljust(n) + b"\1"
    (folder / "model.safetensors").write_bytes(data)
    return read_model(files_in(folder))


def tokenizer_bytes(n: int, folder: Path) -> object:
    (folder / "tokenizer.json").write_bytes(b"{}".ljust(n))
    return model_of(200, folder)


NO_TOKENIZER = "TMP/tokenizer.json: cannot be read: No such file or directory; the folder of a model contains model.safetensors and tokenizer.json"
TOO_LARGE = "cannot be read: larger than 200 bytes; the folder of a model contains model.safetensors and tokenizer.json"

LIMITS: list[Limit] = [
    Limit("recall.chunks.static_model.MOST_MODEL_BYTES", 200, model_of, NO_TOKENIZER, f"TMP/model.safetensors: {TOO_LARGE}"),
    Limit("recall.chunks.static_model.MOST_TOKENIZER_BYTES", 200, tokenizer_bytes, "TMP/tokenizer.json: is no tokenizer: expected JSON with a model", f"TMP/tokenizer.json: {TOO_LARGE}"),
    Limit("recall.chunks.static_model.MOST_HEADER_BYTES", 200, described, NO_TOKENIZER, "TMP/model.safetensors: is no safetensors file"),
    Limit("recall.content.content.MOST_OF_PAGE", 20, added_page, 20, "more than 20 bytes"),
    Limit("recall.name_search.MOST_FILTERED", 3, named_elsewhere, (["alpha_of_z"], 1, ""), ([], 0, "only the best 3 of 4 symbols were compared with the filters: give more words")),
    Limit("recall.recalled_text.LONGEST", 8, long_id, "hit", None),
    Limit("recall.notes.note_copies.MOST_NAMES", 3, files_of_notes, (3, False), (3, True)),
    Limit("recall.notes.note_copies.MOST_WAITING_BYTES", 400, waiting_bytes, 2, 'TMP/notes: 1 notes are already waiting to be stored: the new note was not recorded'),
    Limit("recall.notes.note_copies.MOST_BYTES", 400, file_of_note, (["text"], 0), ([], 1)),
    Limit("recall.content.tree_files.MOST_BYTES", 60, long_text, "", "found by their words, but not shown: a.md (larger than 60 bytes)"),
    Limit("recall.notes.note.MOST_BYTES", 8, noted(text="x"), "kept", "the note has 9 bytes: at most 8; `symindex add` keeps longer texts"),
    Limit("recall.notes.note.LONGEST_FIELD", 8, noted(session="x"), "kept", "session has more than 8 characters"),
    Limit("recall.notes.note.MOST_LINKS", 2, noted(links=["a.py#a"]), "kept", "links: at most 2, of 1,000 characters each"),
    Limit("extract.documents.to_text.MOST_BYTES", 20, streamed, 1, "standard input: more than 20 bytes, the most that can be added; divide it"),
    Limit("recall.content.content.LONGEST_LABEL", 5, labelled, 5, "source 'llllll': give a label of 1 to 5 printable characters"),
    Limit("recall.content.refreshed.MOST_REFRESHED", 2, changed_files, ("alpha! alpha!", ""), ("alpha alpha! alpha!", "1 source is stale, as its file has changed or gone: file 2")),
    Limit("recall.content.refreshed.MOST_REFRESHED_BYTES", 8, refreshed_bytes, ("alpha!", ""), ("alpha", "1 source is stale, as its file has changed or gone: file 0")),
    Limit(
        "recall.content.refreshed.MOST_NOTICES", 2, gone_files,
        "file 0:; file 1:; 2 sources are stale, as their files have changed or gone: file 0, file 1",
        "file 0:; file 1:; others whose files are gone or cannot be read again: 1; 3 sources are stale, as their files have changed or gone: file 0, file 1, file 2",
    ),
    Limit("recall.content.commit_dates.MOST_COMMITS", 2, dated_by_git, ["0.md", "1.md"], ["1.md", "2.md"]),
    Limit("recall.notes.agent_memory.MOST_BYTES", 5, memory_file, (1, []), (0, ["~/.claude/CLAUDE.md is not searched: larger than 5 bytes"])),
    Limit("recall.notes.agent_memory.MOST_FILES", 2, memory_files, (2, []), (2, ["~/.codex/memories/: only the first 2 of 3 files are searched"])),
    Limit("recall.notes.hook_events.MOST_BYTES", None, hooked, "p", "the event has more than 1,000,000 bytes: nothing is recorded"),
    Limit("recall.notes.hook_events.LONGEST_TEXT", None, prompted, "p" * 8_000, "p" * 3_997 + "\n[…]\n" + "p" * 3_997),
    Limit("recall.notes.hook_events.LONGEST_SUBJECT", 5, session, "sssss", SAME),
    Limit("recall.notes.note_copies.MOST_WAITING", 2, waiting, 2, "TMP/notes: 2 notes are already waiting to be stored: the new note was not recorded"),
    Limit("recall.notes.note_store.MOST_COPIED", 2, taken_together, 2, 0),
    Limit("recall.notes.note_store.MOST_NAMED", 2, damaged_rows, "notes 1, 2 are left out: their rows", "notes 1, 2 and 1 more are left out: their rows"),
    Limit("recall.notes.note_store.MOST_LINE", 300, line_of_export, ["text"], "line 1: more than 300 bytes: expected a note as `symindex note export` writes it"),
    Limit("recall.notes.assigned_secrets._QUOTED_BYTES", 80, secret_in_quotes, ('password = "HIDDEN" stays', 1), SAME),
    Limit("recall.chunks.question.MOST_CHARACTERS", 20, questioned, False, True),
    Limit("recall.chunks.question.MOST_WORDS", 3, question_of_words, '"gamma" occurs nowhere', "the query is too long: only its beginning was searched for"),
    Limit("recall.chunks.answer.MOST_DATED", 2, timeline, (2, 2, ""), (2, 3, "only the best 2 of 3 matches are sorted by date: give more words or a filter")),
    Limit("recall.chunks.answer.SECONDS", None, asked_late, 1, "not answered within 10 s: ask for fewer at once"),
    Limit("protocol.recall.MOST_QUERIES", 2, many_queries, "asked", "3 queries: give 1 to 2"),
    Limit("protocol.recall.MOST_LIMIT", 2, long_page, "asked", "limit 3: expected 1 to 2"),
]  # fmt: skip


@cases(LIMITS)
def test_limits_of_recall(case: Limit, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    check_limit(case, monkeypatch, tmp_path)
