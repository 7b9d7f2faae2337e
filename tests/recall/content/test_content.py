"""Added content is stored, replaced, forgotten, kept fresh and searched; the store may be damaged,
locked, or have two writers."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from symindex.errors import RequestError, StorageError
from symindex.extract.documents.to_text import to_text
from symindex.protocol.recall import TextRequest, TextResponse, check_text_request
from symindex.recall import database
from symindex.recall.chunk_index import kept_chunks
from symindex.recall.chunks.answer import answer
from symindex.recall.content import refreshed
from symindex.recall.content.content import Content, content_folder
from symindex.text.snippets import MARK
from tests.support.pdf import pdf_of

DOCS = b"""# React

## useEffect cleanup

Return a function to clean up.

```js
useEffect(() => () => stop())
```

## Cached values

Use memo for values that are cached.
"""


@pytest.fixture
def content(tmp_path: Path) -> Iterator[Content]:
    with Content(tmp_path / "data") as content:
        yield content


def ask(content: Content, *queries: str, **options: object) -> TextResponse:
    request = TextRequest(queries=list(queries), **options)  # type: ignore[arg-type]
    return answer(request, [content.collection(request)])


def titles(response: TextResponse) -> list[str]:
    return [item.title for section in response.sections for item in section.items]


def notices(response: TextResponse) -> str:
    lines = [
        *(response.notices or ()),
        *(notice for section in response.sections for notice in section.notices or ()),
    ]
    return "\n".join(lines)


def test_the_examples_of_the_seed(content: Content) -> None:
    content.add(DOCS, "react-docs", "react.md")
    content.add(
        b"# Root cause\n\nThe lock.\n\n# Proposed fix\n\nA queue.\n\n# Test coverage\n\nNone.\n",
        "issue-#683",
        "-",
    )
    batch = ask(content, "root cause", "proposed fix", "test coverage", source="issue-#683")
    assert [section.items[0].title for section in batch.sections] == [
        "Root cause",
        "Proposed fix",
        "Test coverage",
    ]
    assert {item.source for section in batch.sections for item in section.items} == {"issue-#683"}
    code = ask(
        content, "useEffect cleanup pattern", source="react-docs", content_type="code", limit=5
    )
    assert titles(code) == ["React > useEffect cleanup"] or "hide" in notices(code)
    assert titles(ask(content, "caching"))[0] == "React > Cached values"
    assert titles(ask(content, "useEff"))[0] == "React > useEffect cleanup"
    hit = ask(content, "useEffect cleanup").sections[0].items[0]
    assert (hit.source, hit.line, hit.result_origin) == ("react-docs", 3, "document")
    assert "useEffect cleanup" in hit.content and MARK not in hit.content
    marked = ask(content, "useEffect cleanup", marks=True).sections[0].items[0]
    assert f"{MARK}useEffect{MARK} {MARK}cleanup{MARK}" in marked.content


def test_the_same_source_again_replaces_it(content: Content) -> None:
    content.add(b"old words", "one", "-")
    content.add(b"new words", "one", "-")
    content.add(b"others", "two", "-")
    assert [(source.label, source.n_chunks) for source in content.sources()] == [
        ("one", 1),
        ("two", 1),
    ]
    assert ask(content, "old").total == 0 and ask(content, "new").total == 1
    assert content.forget("one") and not content.forget("one")
    assert ask(content, "words").total == 0


def test_distinct_sections_of_one_title_stay_distinct(content: Content) -> None:
    content.add(b"# A\n\nalpha one\n\n# A\n\nalpha two\n", "doc", "a.md")
    assert len(titles(ask(content, "alpha"))) == 2


def test_filters_are_literal_and_tell_what_they_hide(content: Content) -> None:
    content.add(b"alpha", "docs_100%", "-")
    assert ask(content, "alpha", source="S_100%").total == 1
    for source in ("%", "s_1"):
        assert ask(content, "alpha", source=source).total == 1
    assert "hide the only match (source)" in notices(ask(content, "alpha", source="docsx100"))
    assert "hide the only match (content type)" in notices(
        ask(content, "alpha", content_type="code")
    )


def test_each_query_has_its_own_answer_and_error(content: Content) -> None:
    content.add(b"alpha beta", "doc", "-")
    response = ask(content, "alpha", "", "->", "alhpa", "x" * 1_000_000)
    assert [section.total for section in response.sections[:4]] == [1, 0, 0, 1]
    assert "empty" in str(response.sections[1].error) and "without words" in str(
        response.sections[2].error
    )
    assert 'searched for "alpha"' in notices(response) and "only its beginning" in notices(response)


@pytest.mark.nightly
@pytest.mark.parametrize(
    "query",
    [
        '"unclosed',
        "a AND (b",
        "a NEAR/3 b",
        "title:x^2",
        "'; DROP TABLE chunk; --",
        "*",
        "a* OR -b",
        "\0",
    ],
)
def test_the_syntax_of_other_engines_is_text(content: Content, query: str) -> None:
    content.add(b"a b drop table chunk", "doc", "-")
    ask(content, query)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"limit": 0}, "expected 1 to 50"),
        ({"limit": 51}, "expected 1 to 50"),
        ({"offset": -1}, "0 or more"),
        ({"queries": []}, "1 to 20"),
    ],
)
def test_wrong_requests(options: dict[str, object], message: str) -> None:
    with pytest.raises(RequestError, match=message):
        check_text_request(TextRequest(**{"queries": ["x"], **options}))  # type: ignore[arg-type]


@pytest.mark.parametrize("label", ["", "  ", "a\nb", "x" * 201, "\x1b[31m"])
def test_wrong_labels(content: Content, label: str) -> None:
    with pytest.raises(RequestError, match="printable"):
        content.add(b"x", label, "-")


def test_pages_follow_each_other(content: Content) -> None:
    content.add(b"".join(b"# T%d\n\nalpha\n\n" % number for number in range(30)), "doc", "a.md")
    every = titles(ask(content, "alpha", limit=30))
    assert [
        *titles(ask(content, "alpha", limit=10)),
        *titles(ask(content, "alpha", limit=20, offset=10)),
    ] == every
    assert len({*every}) == 30


def test_files_are_followed(
    content: Content, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = [tmp_path / f"{number}.md" for number in range(3)]
    for place in places:
        place.write_text("alpha")
        content.add_file(place, place.name)
    places[0].write_text("omega")
    places[1].unlink()
    os.utime(places[2], (1, 1))
    response = ask(content, "alpha", "omega")
    assert [section.total for section in response.sections] == [2, 1]
    assert "1.md: its file is gone" in notices(response) and "symindex forget" in notices(response)
    assert {hit.source: hit.stale for hit in response.sections[0].items} == {
        "1.md": True,
        "2.md": False,
    }
    places[1].write_text("alpha")
    assert "gone" not in notices(ask(content, "alpha")) and len(content.sources()) == 3
    monkeypatch.setattr(refreshed, "MOST_REFRESHED", 0)
    places[0].write_text("alpha again")
    response = ask(content, "omega")
    assert "stale" in notices(response) and response.sections[0].items[0].stale


def test_what_is_derived_is_built_anew(
    content: Content, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_chunks, "IN_MEMORY", 3)
    monkeypatch.setattr(kept_chunks, "LEAST", 20)
    for number in range(60):
        content.add(b"# T\n\nalpha %d\n\n# U\n\nbeta\n" % number, f"s{number % 40}", "a.md")
        if number % 7 == 0:
            assert ask(content, "alpha").total == len(content.sources())
    for folder in ("chunks", "chunks-new"):
        for file in (tmp_path / "data" / folder).glob("*"):
            file.write_bytes(file.read_bytes()[:-5])
    assert ask(content, "alpha").total == ask(content, "beta").total == 40
    content.close()
    for file in (tmp_path / "data").glob("content.db*"):
        file.unlink()
    content.add(b"gamma", "new", "-")  # another database, whose numbers start again
    assert (ask(content, "gamma").total, ask(content, "alpha").total) == (1, 0)


@pytest.mark.nightly
def test_a_damaged_or_locked_database_is_reported(
    content: Content, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content.add(b"alpha", "doc", "-")
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.1)
    other = sqlite3.connect(tmp_path / "data" / "content.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    late = Content(tmp_path / "data")
    with pytest.raises(StorageError, match="try again"):
        late.add(b"beta", "two", "-")
    for handle in (other, content, late):
        handle.close()
    (tmp_path / "data" / "content.db").write_bytes(b"no database" * 100)
    with pytest.raises(StorageError, match="is damaged"):
        Content(tmp_path / "data").sources()


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "change",
    [
        "facts = '{'", "first = 'x'", "time_ms = 99999999999999999", "label = CAST(x'ff' AS TEXT)", "origin = x'ff'",
        "size = 'x'",
        "first = 9", "first = 0", "facts = '" + "[" * 100_000 + "'",
    ],
)  # fmt: skip
def test_a_bad_row_is_left_out_and_reported(content: Content, tmp_path: Path, change: str) -> None:
    content.add(b"hello zebra", "bad", "-")
    content.add(b"hello tiger", "good", "-")
    with sqlite3.connect(tmp_path / "data" / "content.db") as other:
        other.execute(f"UPDATE source SET {change} WHERE label = 'bad'")
    other.close()
    assert [source.label for source in content.sources()] == ["good"]
    (notice,) = content.take_notices()
    assert "is left out: its row in" in notice and notice.endswith("is not valid; add it again")
    response = ask(content, "hello")
    assert [item.source for item in response.sections[0].items] == [
        "good"
    ] and "is left out" in notices(response)


@pytest.mark.nightly
@pytest.mark.parametrize(
    "change",
    ["title = x'ff'", "text = CAST(x'ff61' AS TEXT)", "line = 'x'", "text = 5", "is_code = 'x'"],
)
def test_a_bad_chunk_fails_no_answer(content: Content, tmp_path: Path, change: str) -> None:
    content.add(b"hello zebra", "bad", "-")
    content.add(b"hello tiger", "good", "-")
    with sqlite3.connect(tmp_path / "data" / "content.db") as other:
        other.execute(f"UPDATE chunk SET {change} WHERE id = 1")
    other.close()
    assert "good" in [item.source for item in ask(content, "hello").sections[0].items]


def test_the_state_of_a_followed_file_is_not_in_json(content: Content, tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("hello zebra")
    content.add_file(path, "a")
    with sqlite3.connect(tmp_path / "data" / "content.db") as other:
        other.execute("UPDATE followed SET file = '{'")
    other.close()
    response = ask(content, "zebra")
    assert [item.source for item in response.sections[0].items] == ["a"]
    assert "the record of its file is not valid" in notices(response)


@pytest.mark.nightly
def test_two_processes_add_at_once(content: Content, tmp_path: Path) -> None:
    script = "import sys; from pathlib import Path; from symindex.recall.content.content import Content\n"
    script += (
        "for n in range(20): Content(Path(sys.argv[1])).add(b'alpha', f'{sys.argv[2]}-{n}', '-')"
    )
    both = [
        subprocess.Popen([sys.executable, "-c", script, str(tmp_path / "data"), name])
        for name in "ab"
    ]
    assert [process.wait(60) for process in both] == [0, 0]
    assert ask(content, "alpha").total == 40


def test_the_folder_is_the_users_own(
    content: Content, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content.add(b"alpha", "doc", "-")
    assert (tmp_path / "data").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "data" / "content.db").stat().st_mode & 0o777 == 0o600
    monkeypatch.setenv("SYMINDEX_DATA_DIR", "relative")
    with pytest.raises(RequestError, match="absolute path"):
        content_folder(tmp_path)
    monkeypatch.setenv("SYMINDEX_DATA_DIR", str(tmp_path / "mine"))
    assert content_folder(tmp_path).parent == tmp_path / "mine" / "content"


def test_pdf_is_an_extra(content: Content, monkeypatch: pytest.MonkeyPatch) -> None:
    content.add(pdf_of("Rates are limited per user"), "manual", "manual.pdf")
    assert titles(ask(content, "rate limits")) == ["Page 1"]
    whole = pdf_of("x")
    for broken in (
        b"%PDF-1.4\n",
        whole[:200],
        whole.replace(b"/Kids [3 0 R]", b"/Kids [2 0 R]"),
        pdf_of(""),
    ):
        with pytest.raises(RequestError) as caught:
            content.add(broken, "broken", "broken.pdf")
        assert "\n" not in str(caught.value)
    monkeypatch.setitem(sys.modules, "pypdf", None)
    with pytest.raises(RequestError, match="pip install pypdf"):
        to_text(whole, "manual.pdf")


def test_a_file_that_is_too_large_is_refused_unread(content: Content, tmp_path: Path) -> None:
    with open(tmp_path / "huge.txt", "wb") as file:
        file.truncate(500_000_000)
    with pytest.raises(
        RequestError, match="500,000,000 bytes: at most 50,000,000 can be added; divide it"
    ):
        content.add_file(tmp_path / "huge.txt", "huge")


def test_a_query_of_a_megabyte_is_cut_and_reported(content: Content) -> None:
    content.add(DOCS, "react-docs", "react.md")
    assert "the query is too long" in notices(ask(content, "cached values " * 70_000))


def test_a_full_disk_changes_nothing(content: Content) -> None:
    content.add(DOCS, "react-docs", "react.md")
    with content._store.database.reading() as connection:
        connection.execute(
            f"PRAGMA max_page_count = {connection.execute('PRAGMA page_count').fetchone()[0]}"
        )
    with pytest.raises(StorageError, match="the disk is full: make room, nothing was changed"):
        content.add(b"# New\n\n" + b"words of it " * 100_000, "react-docs", "new.md")
    assert [source.size for source in content.sources()] == [len(DOCS)]
    assert titles(ask(content, "cached values"))
