"""The answer of a search in each form: Markdown, a table on a terminal, and a line for each row."""

from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from symindex.protocol.explore import FileReferences, OutlineItem, OutlineRequest, OutlineResponse
from symindex.protocol.grep import FileText, TextRow
from symindex.protocol.recall import TextHit
from symindex.protocol.search import Range, SearchItem, SearchRequest, SearchResponse
from symindex.protocol.search_rows import Rows, row_beginnings
from symindex.render.markdown import (
    as_option,
    extra_cell,
    fence,
    other_lines,
    plain_path,
    render_search,
)
from symindex.render.terminal.lines import hit_lines, outline_lines, render_lines, rest_of_answer
from symindex.render.terminal.table import print_search


def item(name: str = "add", **more: Any) -> SearchItem:
    fields: dict[str, Any] = {"kind": "method", "file_path": "a.py", "line": 3, "container": None}
    return SearchItem(name=name, **(fields | more))


def answer(*items: SearchItem, query: str = "add", include: list[str] | None = None, **more: Any) -> SearchResponse:  # fmt: skip
    fields: dict[str, Any] = {
        "request": SearchRequest(query=query, include=include or []), "items": [*items],
        "start_index": 0, "max_items": None, "total": len(items), "has_more": False,
        "pagination_id": None,
    }  # fmt: skip
    return SearchResponse(**(fields | more))


HEAD = "# Search: `add`\nFound 2 results\n\n| Name | Kind | Location |"
RULE = "|------|------|----------|"
MARKED = [
    item(container="Cart", flags=["exported", "declaration"]),
    item("Add", kind="class", match="typo", flags=["exported"]),
]


def test_a_table_marks_declarations_and_guesses() -> None:
    assert render_search(answer(*MARKED)) == (
        f"{HEAD}\n{RULE}\n| `add` (in `Cart`) | method, declaration | a.py:3 |\n"
        "| `Add` | class, typo | a.py:3 |\n"
    )


def test_included_fields_are_columns_in_one_order() -> None:
    rich = item(
        signature="def add(a | b)", doc="", range=Range(start_line=3, end_line=9), score=0.5,
        id="a.py#add", metadata={"title": "T", "tags": ["a", "b"]}, language="python",
        flags=["exported", "test"],
    )  # fmt: skip
    page = render_search(
        answer(rich, item("b"), include=["metadata", "flags", "score", "id", "range", "signature", "doc", "language"])
    )  # fmt: skip
    assert page.splitlines()[3:] == [
        "| Name | Kind | Location | Score | Language | Signature | Doc | Id | Range | Flags | Metadata |",
        f"{RULE}{'------|' * 8}",
        "| `add` | method | a.py:3 | 0.5 | python | `def add(a \\| b)` |  | `a.py#add` | 3-9 | exported, test |"
        " `title: T, tags: ['a', 'b']` |",
        "| `b` | method | a.py:3 |" + "  |" * 8,
    ]  # fmt: skip
    assert extra_cell(item(doc=" one\n  two "), "doc") == "one two"


OVERLOADS = [
    item(), item(line=4), item(kind="field"), item(file_path="b.py"), item(container="C"),
    item(line=5), item(kind="constant"),
    item(kind="constant", flags=["declaration"]),
]  # fmt: skip


def test_overloads_share_a_row_and_other_namesakes_do_not() -> None:
    rows = [(row.item.kind, row.item.file_path, row.count) for row in Rows(OVERLOADS).rows]
    assert rows == [
        ("method", "a.py", 4), ("field", "a.py", 1), ("method", "b.py", 1), ("method", "a.py", 1),
        ("constant", "a.py", 1),
    ]  # fmt: skip
    begins = [True, False, True, True, True, False, True, False]
    assert row_beginnings(OVERLOADS) == begins
    # A row more than the limit ends the list; more items of the last row do not.
    assert row_beginnings(OVERLOADS, 5) == begins
    assert row_beginnings(OVERLOADS, 4) == begins[:6]
    assert row_beginnings(OVERLOADS, 1) == begins[:2]
    assert row_beginnings(OVERLOADS, 0) == []


def test_shared_rows_count_their_items_and_say_how_to_see_them() -> None:
    folded = render_search(answer(*OVERLOADS[:2]), folds=True, spell=as_option)
    assert folded == (
        f"{HEAD}\n{RULE}\n| `add` (2 times) | method | a.py:3 |\n\n> (n times): overloads or "
        "declarations in one file; `--max-items N` gives each its own row.\n"
    )
    assert "times" not in render_search(answer(*OVERLOADS[:2]))
    assert "times" not in render_search(answer(OVERLOADS[0], OVERLOADS[2]), folds=True)


def text_hit(content: str, source: str = "a.md") -> TextHit:
    return TextHit(
        id="", title="T", source=source, line=3, content=content, score=1, content_type="prose",
        added="", type="document", result_origin="document",
    )  # fmt: skip


def test_text_comes_after_notices_and_before_the_next_page() -> None:
    page = render_search(
        answer(
            notices=["slow"], text=[text_hit(" a\n b"), text_hit("c" * 200, "__b__.md"), text_hit("c" * 201)],
            total=7, start_index=3, has_more=True, pagination_id="T",
        ),
        "pagination_id",
        spell=as_option,
    )  # fmt: skip
    assert page == (
        "# Search: `add`\nFound 7 results\n\n> slow\n\nIn text:\n\n- `T` a.md:3 `a b`\n"
        f"- `T` `__b__.md:3` `{'c' * 200}`\n- `T` a.md:3 `{'c' * 200}…`\n\n"
        "> More results available. Use `--pagination-id T` for next page.\n"
    )


def test_without_a_token_the_next_page_has_a_number() -> None:
    more = answer(item(), total=7, start_index=3, has_more=True)
    for next_by in ("pagination_id", "start_index"):
        page = render_search(more, next_by, spell=as_option)
        assert page.endswith("Use `--start-index 4` for next page.\n")
    whole = answer(item(), total=1, pagination_id="T")
    assert "next page" not in render_search(whole, "pagination_id")


def test_nothing_is_named_as_the_request_names_its_rows() -> None:
    assert "> No item matches.\n" in render_search(answer(), row_name="item")
    assert "matches" not in render_search(answer(item()))


def test_a_fence_is_longer_than_every_run_in_it() -> None:
    assert [fence(text) for text in ("", "`", "a``b`c", "```")] == ["`", "``", "```", "````"]
    assert [fence(text, 3) for text in ("", "``", "```")] == ["```", "```", "````"]


def test_other_lines_of_a_row() -> None:
    assert other_lines([]) == ""
    assert other_lines([4]) == " (+1: 4)"
    assert other_lines([*range(5)]) == " (+5: 0, 1, 2, 3, 4)"
    assert other_lines([*range(6)]) == " (+6: 0, 1, 2, 3, 4, …)"


@pytest.mark.parametrize("path", ["a.py", "a b/c.py", "/a", ".a", "9.py", "a_b/c_d.py"])
def test_a_plain_path_is_a_line(path: str) -> None:
    assert plain_path(path) == path


@pytest.mark.parametrize(
    "path", ["1. a", "2) a", "-a", "a  b", " a", "a ", "__a__", "ä", "+ a", "a[b]", ""]
)
def test_another_path_is_in_a_code_span(path: str) -> None:
    assert plain_path(path) == f"`{path or '  '}`"


def printed(response: SearchResponse, width: int = 200, folds: bool = False) -> str:
    console = Console(width=width)
    with console.capture() as capture:
        print_search(response, console, folds)
    return "\n".join(line.rstrip() for line in capture.get().split("\n"))


def test_a_table_on_a_terminal() -> None:
    assert printed(answer(*MARKED, total=1_002, start_index=1_000, has_more=True)) == (
        "name          kind                 location\n"
        "add  in Cart  method, declaration  a.py:3\n"
        "Add           class, typo          a.py:3\n"
        "1,002 results, 1,001 to 1,002 shown\n"
        "more: --start-index 1002, or all: --max-items 0\n"
    )
    assert printed(answer(*OVERLOADS[:2]), folds=True) == (
        "name           kind    location\nadd (2 times)  method  a.py:3\n2 results\n"
        "(n times): overloads or declarations in one file; a row for each: --max-items 0\n"
    )
    assert printed(answer(*OVERLOADS[:2])).endswith("a.py:4\n2 results\n")


def test_nothing_on_a_terminal() -> None:
    assert printed(answer(suggestions=["abb", "a\tb"], notices=["slow\n"])) == (
        "0 results\nnearest names: abb, a\\tb\nslow\\n\n"
    )
    assert printed(answer(total=3, start_index=9)) == "3 results, none of them on this page\n"


def test_a_place_is_never_broken_and_a_long_name_is() -> None:
    path = "folder/" * 9 + "a.py"
    page = printed(answer(item("n" * 40, file_path=path, line=1_200)), width=30)
    lines = page.split("\n")
    assert lines[1].endswith(f"  method  {path}:1200")
    assert lines[1].startswith("n" * 16 + "  ") and lines[2] == "n" * 16 and lines[3] == "n" * 8
    extra = printed(answer(item("n" * 40, file_path=path, doc="d" * 30), include=["doc"]), width=30)
    assert len(extra.split("\n")[1]) == len(f"{'n' * 16}  method  {path}:3  {'d' * 12}")


def coloured(response: SearchResponse, root: Path | None = None) -> str:
    console = Console(width=200, force_terminal=True, color_system="standard", legacy_windows=False)
    with console.capture() as capture:
        print_search(response, console, root=root)
    return capture.get()


def test_the_letters_of_the_query_stand_out_and_places_are_links() -> None:
    page = coloured(answer(item("addAll", container="Cart", spans=[(0, 3)])), Path("/t"))
    assert "\x1b[1;91madd\x1b[0m\x1b[1mAll\x1b[0m\x1b[1;2m  in Cart\x1b[0m" in page
    assert "\x1b[36mmethod\x1b[0m" in page and "file:///t/a.py#3\x1b" in page
    assert "\x1b[1mother\x1b[0m" in coloured(answer(item("other", kind="key")))
    assert "\x1b[33mkey " in coloured(answer(item("other", kind="key")))


def test_a_line_for_each_row() -> None:
    assert render_lines(answer(*MARKED)) == ("a.py:3: method Cart.add\na.py:3: class Add (typo)\n")
    files: list[FileReferences | FileText] = [
        FileReferences(file_path="a\n.py", language="", items=[]),
        FileText(file_path="b.py", language="", items=[TextRow(line=3, column=7, text="\tf() ")]),
    ]
    assert hit_lines(files) == "b.py:3:7: f()\n"


def test_what_does_not_belong_between_the_rows() -> None:
    assert rest_of_answer(answer()) == ["no symbol matches"]
    assert rest_of_answer(answer(suggestions=["a", "b"], notices=["slow"])) == [
        "no symbol matches; nearest names: a, b", "slow",
    ]  # fmt: skip
    assert rest_of_answer(answer(item())) == []
    more = answer(item(), item(), total=1_000, start_index=5, has_more=True)
    assert rest_of_answer(more) == ["1,000 results; the next: --start-index 7"]


def test_an_outline_for_programs() -> None:
    def row(name: str, kind: str, line: int = 0, *items: OutlineItem) -> OutlineItem:
        return OutlineItem(name=name, kind=kind, line=line, items=[*items])

    rows = [
        row("src", "folder", 0, row("src/a.py", "file", 0, row("A", "class", 3, row("f", "method", 4)), row("g", "function", 9))),
        row("lib", "folder"), row("b.py", "file"), row("M", "file", 5, row("h", "function", 6)),
    ]  # fmt: skip
    response = OutlineResponse(
        request=OutlineRequest(), path="top.py", files=3, symbols=4, hidden=0, omitted=0, items=rows
    )
    assert outline_lines(response, lambda path: f"../{path}") == (
        "../src/a.py:3: class A\n../src/a.py:4: method A.f\n../src/a.py:9: function g\n"
        "../lib/:1: folder\n../b.py:1: file\n../top.py:5: file M\n../top.py:6: function M.h\n"
    )
