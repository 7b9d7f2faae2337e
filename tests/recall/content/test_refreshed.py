"""Added files are read again: a file replaced by a link is not read, and a file that takes too much
is given up after one attempt."""

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest import mock

import pytest

from symindex.errors import RequestError, StorageError
from symindex.extract.documents.to_text import to_text
from symindex.protocol.recall import TextRequest, TextResponse
from symindex.recall.chunks.answer import answer
from symindex.recall.content import refreshed
from symindex.recall.content.content import Content
from tests.support.pdf import pdf_of


@pytest.fixture
def content(tmp_path: Path) -> Iterator[Content]:
    with Content(tmp_path / "data") as content:
        yield content


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A file in two folders, and a secret of the same name elsewhere."""
    for folder, text in (
        ("secret/in", "SECRET alpha"),
        ("secret", "SECRET alpha"),
        ("out/in", "public alpha"),
    ):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / folder / "notes.md").write_text(text)
    return tmp_path.resolve() / "out" / "in" / "notes.md"


def ask(content: Content) -> tuple[str, str, TextResponse]:
    """Returns the results for a word in both files, and the notices."""
    request = TextRequest(queries=["alpha"], include_content=True)
    response = answer(request, [content.collection(request)])
    notices = [
        *(response.notices or ()),
        *(notice for section in response.sections for notice in section.notices or ()),
    ]
    return (
        "".join(item.content for item in response.sections[0].items),
        "\n".join(notices),
        response,
    )


def aside(path: Path) -> Path:
    return path.rename(path.with_name(path.name + ".old"))


CHANGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "the file is a link": (lambda path: (aside(path), path.symlink_to(path.parents[2] / "secret" / "notes.md")), "symbolic link"),
    "its folder is a link": (lambda path: (aside(path.parent), path.parent.symlink_to(path.parents[2] / "secret")), "symbolic link"),
    "one above is a link": (
        lambda path: (aside(path.parents[1]), path.parents[1].symlink_to(path.parents[2] / "secret")), "symbolic link",
    ),
    "a link that leads back": (lambda path: (aside(path), path.symlink_to("notes.md.old")), "symbolic link"),
    "a link that leads nowhere": (lambda path: (aside(path), path.symlink_to("none")), "symbolic link"),
    "a hard link": (lambda path: (path.unlink(), os.link(path.parents[2] / "secret" / "notes.md", path)), "second name"),
    "another folder": (lambda path: (aside(path.parent), shutil.copytree(path.parents[2] / "secret", path.parent)), "was replaced"),
    "a pipe": (lambda path: (aside(path), os.mkfifo(path)), "not a regular file"),
    "a folder": (lambda path: (aside(path), path.mkdir()), "not a regular file"),
    "a device": (lambda path: (aside(path), path.symlink_to("/dev/zero")), "symbolic link"),
    "a huge file": (lambda path: os.truncate(path, 1 << 40), ""),
}  # fmt: skip


@pytest.mark.sample(2)
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs POSIX files")
@pytest.mark.parametrize(("change", "said"), CHANGES.values(), ids=CHANGES)
def test_a_replaced_file_is_reported_and_not_read(
    content: Content, place: Path, change: Callable[[Path], object], said: str
) -> None:
    content.add_file(place, "notes")
    change(place)
    for _ in range(2):
        text, notices, response = ask(content)
        assert "SECRET" not in text and "public" in text and response.sections[0].items[0].stale
        assert said in notices and "1 source is stale" in notices


@pytest.mark.nightly
def test_what_is_saved_by_renaming_or_comes_back_is_read(content: Content, place: Path) -> None:
    content.add_file(place, "notes")
    new = place.with_name("new")
    new.write_text("saved alpha")
    new.rename(place)
    assert ask(content)[:2] == ("saved alpha", "")
    aside(place)
    place.symlink_to("elsewhere")
    assert "symbolic link" in ask(content)[1]
    place.unlink()
    place.write_text("again alpha")
    assert ask(content)[:2] == ("again alpha", "")


def test_a_folder_that_was_replaced_with_the_same_bytes_is_taken(
    content: Content, place: Path
) -> None:
    content.add_file(place, "notes")
    old = aside(place.parent)
    shutil.copytree(old, place.parent)
    os.utime(place, (1, 1))
    assert ask(content)[1] == ""
    place.write_text("changed alpha")
    assert ask(content)[:2] == ("changed alpha", "")


@pytest.mark.nightly
def test_a_link_that_the_user_names_is_resolved_once(
    content: Content, place: Path, tmp_path: Path
) -> None:
    link = tmp_path / "link.md"
    link.symlink_to(place)
    assert content.add_file(link, "notes").path == str(place)
    link.unlink()
    link.symlink_to(tmp_path / "secret" / "notes.md")
    place.write_text("changed alpha")
    assert ask(content)[:2] == ("changed alpha", "")


def test_a_file_that_becomes_a_bomb_is_given_up_until_it_changes(
    content: Content, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refreshed, "SECONDS", 0.5)
    content.add_file(place, "notes")
    place.write_bytes(pdf_of("bomb", 200_000))
    text, notices, _ = ask(content)
    assert (
        text == "public alpha"
        and "new content was not read" in notices
        and "time limit (0.5 s)" in notices
    )
    tries: list[str] = []
    convert = content._converter.convert
    monkeypatch.setattr(
        content._converter, "convert", lambda *given: (tries.append(given[1]), convert(*given))[1]
    )
    again = ask(content)
    assert again[0] == "public alpha" and "new content was not read" in again[1] and tries == []
    place.write_bytes(b"\0 binary")
    assert (
        "is binary" in ask(content)[1] and "is binary" in ask(content)[1] and tries == ["notes.md"]
    )
    place.write_text("mended alpha")
    assert ask(content)[:2] == ("mended alpha", "") and len(tries) == 2


@pytest.mark.nightly
def test_after_some_seconds_no_further_file_is_begun(
    content: Content, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        other = place.with_name(f"{number}.md")
        other.write_text("alpha")
        content.add_file(other, other.name)
        other.write_text("alpha new")
    monkeypatch.setattr(refreshed, "SECONDS", -1.0)
    labels = "0.md, 1.md, 2.md"
    stale = "sources are stale, as their files have changed or gone"
    assert ask(content)[1] == f"3 {stale}: {labels}"
    content.add_file(place, "notes")
    place.write_text("alpha new")
    assert ask(content)[1] == f"4 {stale}: {labels}"


def test_a_file_whose_new_text_cannot_be_stored_is_stale(
    content: Content, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content.add_file(place, "notes")
    place.write_text("changed alpha")
    with monkeypatch.context() as patched:
        patched.setattr(content, "add", mock.Mock(side_effect=StorageError("the disk is full")))
        text, notices, _ = ask(content)
    assert text == "public alpha"
    assert notices == (
        "notes: cannot be read again (the disk is full)\n"
        "1 source is stale, as its file has changed or gone: notes"
    )
    assert ask(content)[:2] == ("changed alpha", "")


def test_many_that_cannot_be_read_are_counted(content: Content, place: Path) -> None:
    for number in range(refreshed.MOST_NOTICES + 1):
        other = place.with_name(f"{number}.md")
        other.write_text("alpha")
        content.add_file(other, other.name)
        other.unlink()
        other.symlink_to("none")
    notices = ask(content)[1]
    assert notices.count("symbolic link") == refreshed.MOST_NOTICES and "read again: 1" in notices


@pytest.mark.nightly
def test_sources_of_an_older_version_are_followed(
    content: Content, place: Path, tmp_path: Path
) -> None:
    content.add_file(place, "notes")
    content.close()
    connection = sqlite3.connect(tmp_path / "data" / "content.db")
    connection.executescript("DROP TABLE followed; PRAGMA user_version = 2")
    connection.close()
    place.write_text("changed alpha")
    assert ask(content)[:2] == ("changed alpha", "")
    aside(place)
    place.symlink_to(tmp_path / "secret" / "notes.md")
    assert "SECRET" not in ask(content)[0]


def test_the_bomb_of_a_comment_is_no_bomb_any_more() -> None:
    text = b"<!---->" * 60 + b"<x"
    assert to_text(text, "notes").text == text
    with pytest.raises(RequestError):
        to_text(b"\0" + text, "notes")
