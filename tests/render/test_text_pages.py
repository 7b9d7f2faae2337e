"""Searches in prose, notes, added content and fetched items as Markdown: each page to the byte."""

from typing import Any, NamedTuple

import pytest

from symindex.protocol.fetch import FetchFailure, FetchResponse, Integrity
from symindex.protocol.recall import Related, TextHit, TextRequest, TextResponse, TextSection
from symindex.render.fetch import render_fetch
from symindex.render.notes import render_note, render_notes
from symindex.render.prose import place_of, render_related, render_text_search
from symindex.render.sources import render_sources


def hit(**more: Any) -> TextHit:
    fields: dict[str, Any] = {
        "id": "a.md:3", "title": "Title", "source": "a.md", "line": 3, "content": "text\n", "score": 1,
        "content_type": "prose", "added": "2026-11-27T10:11:12Z", "type": "document",
        "result_origin": "document",
    }  # fmt: skip
    return TextHit(**(fields | more))


NOTE = {"type": "note", "result_origin": "note", "source": "decision"}
PLACES: dict[str, tuple[dict[str, Any], bool, str]] = {
    "a document": ({}, False, "`a.md`:3"),
    "a document in a timeline": ({}, True, "`a.md`:3, 2026-11-27 10:11"),
    "a document without a date": ({"added": ""}, True, "`a.md`:3"),
    "a note": (NOTE, False, "`decision`, 2026-11-27 10:11"),
    "a note of a session": (
        {**NOTE, "metadata": {"session": 7}}, True, "`decision`, 2026-11-27 10:11, session `7`",
    ),
    "a note as a neighbour": ({**NOTE, "result_origin": "graph"}, False, "`decision`"),
    "a stale document": ({"stale": True}, False, "`a.md`:3 (stale)"),
    "a guess at a name": (
        {"result_origin": "symbol", "metadata": {"match": "typo"}}, False, "`a.md`:3 (typo)",
    ),
    "metadata of a document are no guess": ({"metadata": {"match": "typo"}}, False, "`a.md`:3"),
}  # fmt: skip


@pytest.mark.parametrize("case", PLACES)
def test_the_origin_of_a_hit(case: str) -> None:
    fields, is_dated, expected = PLACES[case]
    assert place_of(hit(**fields), is_dated) == expected


def text_search(*sections: TextSection, **more: Any) -> str:
    fields: dict[str, Any] = {
        "request": TextRequest(queries=["q"]), "total": 1, "symbol_count": 0, "document_count": 0,
        "note_count": 0, "graph_count": 0, "usage_hint": "",
    }  # fmt: skip
    return render_text_search(TextResponse(sections=[*sections], **(fields | more)))


def section(*hits: TextHit, **more: Any) -> TextSection:
    return TextSection(query="q", items=[*hits], total=1_002, has_more=True, **more)


def test_a_search_in_prose() -> None:
    page = text_search(
        section(hit(content="```\ncode\n```\n\n"), hit(id="chunk:4"), notices=["corrected"]),
        section(error="no words"),
        notices=["slow"],
    )
    assert page == (
        """# Search: `q`
Found 1,002 results (showing 2)

## `Title`
`a.md`:3
````
```
code
```
````

## `Title`
`a.md`:3 `chunk:4`
```
text
```

> corrected

# Search: `q`
no words

> slow
"""
    )


def test_a_hint_on_full_texts_is_for_documents() -> None:
    assert text_search(usage_hint="get", document_count=1) == "> get\n"
    assert text_search(usage_hint="get", document_count=0) == "\n"
    assert text_search(usage_hint="", document_count=1) == "\n"


def test_a_timeline_has_dates() -> None:
    timeline = TextRequest(queries=["q"], sort="timeline")
    assert "`a.md`:3, 2026-11-27 10:11\n" in text_search(section(hit()), request=timeline)
    assert "`a.md`:3\n" in text_search(section(hit()))


def test_what_is_related_to_a_hit() -> None:
    rows = [
        Related(relation="caller", hit=hit(id="a.md:3")),
        Related(relation="caller", hit=hit(id="note:4")),
        Related(relation="note", hit=hit(source="__b__.md")),
    ]
    assert render_related(hit(id="a.md#x"), rows) == (
        "# Related: `a.md#x`\n\n## caller\n\n- `Title` a.md:3\n- `Title` a.md:3 `note:4`\n\n"
        "## note\n\n- `Title` `__b__.md:3` `a.md:3`\n"
    )
    assert render_related(hit(), []) == (
        "# Related: `a.md:3`\n\n> Nothing related to it is known.\n\n"
    )


class Note:
    def __init__(self, **more: Any) -> None:
        self.id, self.text, self.category, self.title = 3, "text\n\n", "decision", "a|b"
        self.time_ms, self.project, self.session = 1_795_773_599_999, "", ""
        self.source, self.author = "", ""
        self.links: list[str] = []
        for name, value in more.items():
            setattr(self, name, value)


def test_notes() -> None:
    table = """| Note | When | Category | Text |
|---|---|---|---|
| 3 | 2026-11-27 09:59 | `decision` | `a\\|b` |
"""
    assert render_notes([Note()], 1) == table
    assert render_notes([Note()], 2) == (
        f"{table}\n> 1 of 2 notes; `--offset` and `--limit` show others\n"
    )
    assert render_notes([], 0) == (
        "No notes match: `symindex note add --category decision TEXT` adds one.\n"
    )


def test_a_note_in_full() -> None:
    assert render_note(Note()) == "# Note 3: `decision`, 2026-11-27 09:59\n```\ntext\n```\n"
    assert render_note(Note(text="```", project="p", author="a", links=["x", "y"])) == (
        "# Note 3: `decision`, 2026-11-27 09:59\nproject: `p`\nauthor: `a`\nlinks: `x, y`\n"
        "````\n```\n````\n"
    )


class Source(NamedTuple):
    label: str
    n_chunks: int
    origin: str = "/a|b"
    digest: str = "0123456789abcdef"
    size: int = 70_000
    added_ms: int = 1_795_773_599_999


def test_the_sources_of_added_content() -> None:
    table = """| Source | From | Chunks | Bytes | Added | Digest |
|---|---|---|---|---|---|
| `a` | `/a\\|b` | 1,000 | 70,000 | 2026-11-27 09:59:59 | 0123456789ab |
"""
    assert render_sources([Source("a", 1_000)]) == table
    empty = table.splitlines()[2].replace("`a`", "`b`").replace("1,000", "0")
    assert render_sources([Source("a", 1_000), Source("b", 0)]) == (
        f"{table}{empty}\n\n> `b`: no text was found in it\n"
    )
    assert render_sources([]) == (
        "Nothing was added yet: `symindex add FILE --source LABEL` adds a file.\n"
    )


def fetched(**more: Any) -> str:
    fields: dict[str, Any] = {
        "item_type": "skill", "item_id": "a", "content": "text\n\n", "metadata": {}, "path": "/a.md",
        "source": "project", "digest": "12ab", "integrity": Integrity("same", "missing"),
    }  # fmt: skip
    return render_fetch(FetchResponse(**(fields | more)))


def test_a_fetched_item() -> None:
    assert fetched() == (
        "# Fetch: `skill:a`\nproject, `/a.md`\n\n- sha256: 12ab; same as indexed; signature: missing\n"
        "\n```\ntext\n```\n"
    )
    assert fetched(
        package="pypi:p@1",
        metadata={"extension": ".md", "version": 0, "title": "T\n t", "status": "s" * 200, "author": "a" * 201, "other": "o"},
        integrity=Integrity("changed", "valid", binding="It vouches."),
        content="```",
        shadows=[{"space": "user"}, {"space": "system"}],
        shadowed_by="user",
        copied_to="user",
        destination_path="/u/a.md",
        notices=["next"],
    ) == (
        f"""# Fetch: `skill:a`
project, `pypi:p@1`, `/a.md`

- title: `T t`
- author: `{"a" * 200}…`
- status: `{"s" * 200}`
- sha256: 12ab; changed as indexed; signature: valid
- It vouches.

````md
```
````

> hides the same id in user, system

> hidden by the one in user

> copied to user: /u/a.md

> next
"""
    )  # fmt: skip


def test_an_item_that_cannot_be_fetched() -> None:
    failure = FetchFailure(error="no *item*", item_type=None, item_id=None)
    assert render_fetch(failure) == "# Fetch: `  `\n> no \\*item\\*\n"
    assert render_fetch(FetchFailure(error="no", item_type=None, item_id="a")).startswith(
        "# Fetch: `a`\n"
    )
