"""What bounds a document: long titles, deep nesting, many sections, signs and parts; at each bound
and one past it."""

import json
import sys
from itertools import pairwise
from typing import Any
from unittest import mock

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from symindex.errors import RequestError
from symindex.extract.documents import html, nesting, notebook, to_text
from symindex.extract.documents.chunks import MOST_BYTES, MOST_TITLE, chunks_of
from symindex.extract.documents.formats import CELLS, Format, load_formats
from symindex.extract.documents.leading_docs import HEAD_BYTES, leading_doc
from symindex.extract.documents.nesting import shorten_title
from symindex.extract.documents.notebook import find_code
from symindex.extract.documents.readers import read_document
from symindex.extract.languages.registry import load_languages
from tests.support.pdf import pdf_of


def titles(reader: str, text: str) -> list[str]:
    return [section.title for section in read_document(reader, text.encode()).sections]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("t" * 200, "t" * 200),
        ("t" * 201, "t" * 199 + "…"),
        ("t" * 198 + " tt", "t" * 198 + "…"),
        ("a  b\n c", "a b c"),
        (" " * 3_999 + "t" + "u", "t"),
        ("t" + " " * 5_000 + "u", "t"),
    ],
)
def test_a_title_is_cut_at_200_characters(text: str, title: str) -> None:
    assert shorten_title(text) == title


@pytest.mark.parametrize(
    ("reader", "pattern"),
    [
        ("markdown", "# {}\n"),
        ("markdown", "{}\n===\n"),
        ("asciidoc", "= {}\n"),
        ("org", "* {}\n"),
        ("restructured", "{}\n====\n"),
    ],
)
@pytest.mark.parametrize("blanks", [1_497, 1_498, 1_499, 1_500])
def test_the_beginning_of_a_heading_gives_its_title(reader: str, pattern: str, blanks: int) -> None:
    (section,) = read_document(reader, pattern.format("t" + " " * blanks + "uv").encode()).sections
    assert section.title == "t " + "uv"[: 1_499 - blanks] if blanks < 1_499 else "t"
    assert section.title_end - section.title_start == blanks + 3
    mark = pattern.partition("{}")[0]
    n_seen = 1_499 - len(mark) - blanks
    assert section.heading == f"{mark}t {'uv'[:n_seen]}".strip() if n_seen > 0 else f"{mark}t"


def test_levels_deeper_than_64_count_as_64() -> None:
    text = "".join(f"{'*' * level} s{level}\n" for level in (63, 64, 65, 66))
    sections = read_document("org", text.encode()).sections
    assert [section.level for section in sections] == [63, 64, 64, 64]
    assert nesting.enclosing_sections(sections) == [-1, 0, 0, 0]
    assert nesting.heading_paths(sections) == [(), ("s63",), ("s63",), ("s63",)]
    assert sections[0].end_byte == len(text) - 1 and sections[1].end_byte < sections[2].start_byte


def test_a_document_has_as_many_sections_as_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (nesting, html, notebook):
        monkeypatch.setattr(module, "MOST_SECTIONS", 2)
    cells = [{"cell_type": "markdown", "source": f"# {name}\ntext"} for name in "abc"]
    for reader, text in (
        ("markdown", "# a\ntext\n# b\ntext\n# c\ntext\n"),
        ("html", "<h1>a</h1>text<h1>b</h1>text<h1>c</h1>text"),
        ("notebook", json.dumps({"cells": cells})),
    ):
        sections = read_document(reader, text.encode()).sections
        assert [section.title for section in sections] == ["a", "b"]
        assert sections[1].text.endswith("text") and "c" in sections[1].text


@pytest.mark.parametrize(("depth", "titled"), [(48, ["t"]), (49, ["t"]), (50, ["t"]), (51, [])])
def test_quotes_and_lists_nest_50_deep(depth: int, titled: list[str]) -> None:
    assert titles("markdown", ">" * depth + " # t\n") == titled
    assert titles("markdown", "- " * depth + "# t\n") == titled


@pytest.mark.parametrize(("n_pairs", "left"), [(14, ""), (15, ""), (16, "*x*")])
def test_thirty_signs_of_a_title_can_be_emphasis(n_pairs: int, left: str) -> None:
    (title,) = titles("markdown", "# " + " ".join(["*x*"] * n_pairs) + "\n")
    assert title == " ".join(["x"] * min(n_pairs, 15) + ([left] if left else []))


def test_the_sign_after_the_thirtieth_is_text() -> None:
    for n_pairs, last in ((14, "*y*"), (13, "y")):
        (title,) = titles("markdown", "# 2 * 3 " + "*x* " * n_pairs + "*y*\n")
        assert title == "2 * 3 " + "x " * n_pairs + last


@pytest.mark.parametrize(("size", "titled"), [(1_995, True), (1_996, False)])
def test_a_heading_in_html_ends_within_2000_bytes(size: int, titled: bool) -> None:
    text = f"<h1>{'<b></b>' * 100}{'t'.ljust(size - 700)}</h1>\n"
    assert titles("markdown", text) == (["t"] if titled else [])


@pytest.mark.parametrize(("size", "title"), [(10_000, "t"), (10_001, None)])
def test_a_heading_of_a_page_has_at_most_10000_bytes(size: int, title: str | None) -> None:
    text = f"<h1>{'t'.ljust(size)}</h1><h2>u</h2>"
    assert titles("html", text) == ([title, "u"] if title else ["u"])


def test_a_page_heading_of_pictures_is_read_in_part() -> None:
    picture = '<img alt="pic">'
    for n_blanks, titled in ((1_500 - len(picture) + 1, ["pic"]), (1_500, [])):
        assert titles("html", f"<h1>{' ' * n_blanks}{picture}</h1>") == titled


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_the_width_of_an_underline_counts_below_four_signs(n: int) -> None:
    for title in ("a" * n, "a" * (n + 1), "日", "e\u0301" * n):
        width = {"日": 2}.get(title, title.count("a") + title.count("e"))
        headings = titles("restructured", f"{title}\n{'=' * n}\n")
        assert headings == ([title] if n >= 4 or width <= n else [])
        over = titles("restructured", f"{'=' * n}\n{title}\n{'=' * n}\n")
        assert over == headings


def test_the_first_100_bytes_of_a_title_are_as_wide_as_its_line() -> None:
    narrow = "a" + "\u0301" * 49
    assert len(narrow.encode()) == 99
    for title, headings in ((narrow + "b", []), (narrow + " b", [narrow + " b"])):
        assert titles("restructured", f"{title}\n=\n") == headings


@pytest.mark.parametrize(
    ("text", "headings"),
    [
        ("<h1>a<h2>b</h2>\n", ["b"]),
        ("<h1>a\n<h2>b</h2>\n", ["b"]),
        ("<div><!-- <h1>a</h1> --><h1>b</h1></div>\n", ["b"]),
        ("<div><!-- <h1>a</h1></div>\n<h1>b</h1>\n", []),
        ("<h1>![a](b)</h1>\n", ["a"]),
        ("<h1>[a](b)</h1>\n", ["a"]),
        ("<h1><img alt='a'></h1><h2></h2><h3>c</h3>\n", ["a", "c"]),
        ("# *x [y*](z)\n", ["*x y*"]),
        ("# [*x](y) z*\n", ["*x z*"]),
        ("# *a* [*b*](c) *d*\n", ["a b d"]),
    ],
)
def test_which_headings_of_markdown_have_which_titles(text: str, headings: list[str]) -> None:
    assert titles("markdown", text) == headings


@pytest.mark.parametrize(("n_blanks", "titled"), [(0, []), (197, []), (198, ["(a"])])
def test_a_paragraph_announces_a_literal_block_in_its_last_200_bytes(
    n_blanks: int, titled: list[str]
) -> None:
    assert titles("restructured", f"x::{' ' * n_blanks}\n\n(a\n((((\n") == titled


def test_the_tags_and_texts_of_a_page() -> None:
    page = b"a<B>c</b><title>t</title><!-- d --><svg>e</svg>"
    assert [tuple(token) for token in html.markup(page, 0)] == [
        (b"", 0, 1, False, 0, 0), (b"b", 1, 4, False, 0, 0), (b"", 4, 5, False, 0, 0), (b"b", 5, 9, True, 0, 0),
        (b"title", 9, 25, False, 16, 17), (b"!", 25, 35, False, 0, 0), (b"svg", 35, 47, False, 40, 41),
    ]  # fmt: skip
    names = [token.name for token in html.markup(page, 9, frozenset())]
    assert names == [b"title", b"!", b"svg", b"", b"svg"]


# Chunks.


def sizes(text: str, format_id: str = "markdown") -> list[int]:
    return [chunk.end - chunk.start for chunk in chunks_of(text.encode(), format_id)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x" * 4_096, [4_096]),
        ("x" * 4_097, [4_096, 1]),
        ("é" * 2_049, [4_096, 2]),
        ("x" + "é" * 2_048, [4_095, 2]),
        ("xx " * 1_400, [4_095, 105]),
        ("x" * 4_095 + "\n" + "y" * 10, [4_096, 10]),
        ("x" * 4_096 + "\n" + "y", [4_096, 2]),
        ("x" * 4_094 + " " + "y\n", [4_095, 2]),
        ("x" * 2_000 + "\n\n" + "y" * 2_094, [4_096]),
        ("x" * 2_000 + "\n\n" + "y" * 2_095, [2_002, 2_095]),
        ("x" * 2_000 + "\n\n" + "y" * 1_000 + "\n\n" + "z" * 2_000, [3_004, 2_000]),
    ],
)
def test_where_a_long_text_is_cut(text: str, expected: list[int]) -> None:
    assert sizes(text, "text") == expected
    assert MOST_BYTES == 4_096


@pytest.mark.parametrize(
    ("text", "is_code"),
    [
        ("```\nab\n```\nxx", [True]),
        ("    code\n", [True]),
        ("\tcode\n", [True]),
        ("   text\n", [False]),
        ("    c\nxxxxx\n", [False]),
        ("    cc\nxxxxx\n", [True]),
        ("    c\nxxxxxx\n", [False]),
        ("~~~~\n~~~\nab\n~~~~\ntext", [True]),
        ("text text text text\n\n```\na\n```\n", [False]),
        ("text\n\n```\na\n\nb = 1\n```\n\nt\n", [True]),
    ],
)
def test_whether_most_of_a_chunk_is_code(text: str, is_code: list[bool]) -> None:
    assert [chunk.is_code for chunk in chunks_of(text.encode(), "markdown")] == is_code


def test_a_path_of_headings_is_cut_from_the_left() -> None:
    long = "t" * 190
    text = "".join(f"{'#' * level} {long}{level}\n" for level in range(1, 7))
    paths = [chunk.title for chunk in chunks_of(text.encode(), "markdown")]
    whole = [" > ".join(f"{long}{level}" for level in range(1, last + 1)) for last in range(1, 7)]
    assert paths[:5] == whole[:5] and len(whole[4]) == 967
    assert paths[5] == "…" + whole[5][-(MOST_TITLE - 1) :] and len(paths[5]) == 1_000
    for last, is_cut in (("t" * 188, False), ("t" * 189, True)):
        text = "".join(f"{'#' * level} {'t' * 200}\n" for level in range(1, 5)) + f"##### {last}\n"
        assert chunks_of(text.encode(), "markdown")[-1].title.startswith("…") is is_cut


def test_chunks_leave_a_section_when_another_of_its_level_begins() -> None:
    text = "a\n\n# b\n\n### c\n\n## d\n\n# e\n"
    chunks = [(chunk.title, chunk.line) for chunk in chunks_of(text.encode(), "markdown")]
    assert chunks == [("", 0), ("b", 2), ("b > c", 4), ("b > d", 6), ("e", 8)]
    assert [chunk.title for chunk in chunks_of(text.encode(), "")] == [""]
    assert chunks_of(b" \n\n", "markdown") == []


@pytest.mark.nightly
@given(st.lists(st.sampled_from(["x", "é", "日", " ", "\n", "xy " * 30]), max_size=400))
def test_pieces_of_a_long_text_are_as_long_as_they_can_be(pieces: list[str]) -> None:
    """Two neighbouring chunks of plain text fit into no chunk, except where words keep them apart."""
    text = "".join(pieces * 20).encode()
    chunks = chunks_of(text, "text")
    for first, second in pairwise(chunks):
        assert second.end - first.start > MOST_BYTES
        assert first.end <= second.start


# Notebooks.


def cell(kind: str, source: Any, **more: Any) -> dict[str, Any]:
    return {"cell_type": kind, "source": source, **more}


def test_headings_of_old_notebooks_are_cells() -> None:
    cells = [
        cell("heading", "One\nline", level=2),
        cell("heading", ["Two ", "é"], level=9),
        cell("heading", "Three", level=0),
        cell("heading", "Four"),
        cell("markdown", "text"),
        {"cell_type": "code", "input": "x = 1"},
        {"cell_type": "code"},
        {"source": "no kind"},
    ]
    data = json.dumps({"worksheets": [{"cells": cells}, {}]}, ensure_ascii=False).encode()
    document = read_document("notebook", data)
    headings = [
        (section.level, section.title, data[section.title_start : section.title_end].decode())
        for section in document.sections
    ]
    assert headings == [
        (2, "One line", "One\\nline"),
        (6, "Two é", 'Two ", "é'),
        (1, "Three", "Three"),
        (1, "Four", "Four"),
    ]
    assert [
        data[section.start_byte : section.title_end].decode() for section in document.sections
    ] == [text for _, _, text in headings]
    assert document.sections[3].text == "text\n\nx = 1"
    assert data[: document.sections[3].end_byte].endswith(b"x = 1")


@pytest.mark.nightly
@given(
    st.lists(
        st.sampled_from(
            [
                "a",
                "é",
                "日",
                "😀",
                "\n",
                "\t",
                '"',
                "\\",
                "# t\n",
                "text ",
                "  ",
                "u\n==\n",
                "# v ##\n",
            ]
        ),
        max_size=12,
    ),
    st.booleans(),
)
def test_a_place_of_a_cell_is_where_the_file_has_it(pieces: list[str], escapes: bool) -> None:
    """A section of a notebook of one cell is cut where the text of the cell has it."""
    text = "".join(pieces)
    data = json.dumps({"cells": [cell("markdown", text)]}, ensure_ascii=escapes).encode()
    inside = read_document("markdown", text.encode())
    document = read_document("notebook", data)
    assert document.opening == inside.opening
    assert len(document.sections) == len(inside.sections)
    for ours, theirs in zip(document.sections, inside.sections, strict=True):
        assert ours[:3] == theirs[:3] and ours.text == theirs.text
        title = json.loads(b'"%b"' % data[ours.title_start : ours.title_end])
        assert title == text.encode()[theirs.title_start : theirs.title_end].decode()
        heading = json.loads(b'"%b"' % data[ours.start_byte : ours.title_end])
        assert heading == text.encode()[theirs.start_byte : theirs.title_end].decode()
        end = data[ours.start_byte : ours.end_byte]
        assert json.loads(b'"%b"' % end) == (
            text.encode()[theirs.start_byte : theirs.end_byte].decode()
        )


@pytest.mark.parametrize(
    ("metadata", "language"),
    [
        ({}, ""),
        ({"language_info": {"name": "r"}, "kernelspec": {"language": "julia"}}, "r"),
        ({"kernelspec": {"language": "julia", "name": "ir"}}, "julia"),
        ({"kernelspec": {"name": "python3"}}, "python"),
        ({"kernelspec": {"name": "julia-1.10"}}, "julia-"),
    ],
)
def test_the_language_of_a_notebook(metadata: dict[str, Any], language: str) -> None:
    cells = [cell("markdown", "# a"), cell("code", ["x = 1\n", "y"]), cell("code", "")]
    data = json.dumps({"cells": cells, "metadata": metadata}).encode()
    named, code_cells = find_code(data)
    assert (named, [cell.source for cell in code_cells]) == (language, [b"x = 1\ny", b""])
    assert [data[begin:end] for begin, end in code_cells[0].strings] == [b"x = 1\\n", b"y"]
    assert code_cells[0].place(0, is_end=False) == code_cells[0].strings[0][0]
    assert code_cells[0].place(7, is_end=True) == code_cells[0].strings[1][1]
    assert code_cells[1].place(0, is_end=False) == code_cells[1].place(0, is_end=True)


def test_what_is_no_notebook_is_refused() -> None:
    for text in (b"[]", b"{", b'{"cells": {}}', b'{"a": 1, "a": 2}'):
        with pytest.raises((ValueError, msgspec.MsgspecError)):
            find_code(text)


# Formats.


@pytest.mark.parametrize(
    ("name", "format_id"),
    [
        ("a.md", "markdown"),
        ("a.MD", "markdown"),
        ("contents.lr", "markdown"),
        ("a.rst.txt", "restructuredtext"),
        ("a.txt", "text"),
        ("README", "text"),
        ("readme", ""),
        ("requirements.txt", ""),
        ("CMakeLists.txt", ""),
        ("a.py", ""),
        ("", ""),
        ("a.md.in", "markdown"),
        ("a.yaml", "yaml"),
    ],
)
def test_the_format_of_a_name(name: str, format_id: str) -> None:
    assert load_formats().of(name) == format_id


@pytest.mark.parametrize(
    ("name", "data", "format_id"),
    [
        ("a.asc", b"= Title\n", "asciidoc"),
        ("a.asc", b"-----BEGIN PGP", ""),
        ("a.asc", b"\n" * 3_989 + b"-----BEGIN PGP", ""),
        ("a.asc", b"\n" * 3_990 + b"-----BEGIN PGP", "asciidoc"),
        ("a.md", b"(define_insn", ""),
        ("a.py", b"-----BEGIN ", ""),
    ],
)
def test_a_file_that_begins_unlike_its_format_has_none(
    name: str, data: bytes, format_id: str
) -> None:
    assert load_formats().of_file(name, data) == format_id


def test_the_reader_of_a_text_depends_on_its_beginning() -> None:
    text = load_formats().by_id["text"]
    assert text.reader_of(b"plain\n") == "plain_text"
    assert text.reader_of(b"Title\n=====\n") == "restructured"
    assert text.reader_of(b"x\n" * 1_990 + b"Title\n=====\n") == "restructured"
    assert text.reader_of(b"x\n" * 2_000 + b"Title\n=====\n") == "plain_text"


def test_formats_by_the_words_of_editors() -> None:
    formats = load_formats()
    words = ("markdown", "md", "rst", "yaml", "yml", "klingon", "text", "txt")
    assert [formats.named(word) for word in words] == [
        "markdown", "markdown", "restructuredtext", "", "", "", "text", "text",
    ]  # fmt: skip
    assert ".md" in formats.document_extensions and ".yaml" not in formats.document_extensions
    assert "README" in formats.document_names and "contents.lr" in formats.document_names
    assert formats.digest == type(formats)(formats.by_id).digest and len(formats.digest) == 16
    fewer = type(formats)({"text": formats.by_id["text"]})
    assert fewer.digest != formats.digest and fewer.of("a.md") == ""
    assert load_formats() is formats


def test_a_format_states_what_it_lacks_by_default() -> None:
    row = Format("x")
    assert (row.reader, row.code, row.front_matter, row.content) == ("", "", True, {})
    assert load_formats().by_id["notebook"].code == CELLS
    assert not load_formats().by_id["notebook"].front_matter
    with pytest.raises(AttributeError):
        row.name = "y"  # type: ignore[misc]
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"name": "x", "colour": 1}, Format)


# The doc of a code file.


def doc(text: str, language: str = "python") -> str | None:
    documentation = leading_doc(text.encode(), load_languages().by_id[language])
    return documentation and documentation[2]


def test_the_head_of_a_file_is_searched_for_its_doc() -> None:
    for n_blanks, said in ((HEAD_BYTES - 10, "Abc."), (HEAD_BYTES, None)):
        assert doc("\n" * n_blanks + "# Abc.\n\nimport x\n") == said
    cut = doc('"""' + "x" * HEAD_BYTES)
    assert cut is not None and len(cut) == HEAD_BYTES - 3
    assert doc('"""never closed') is None


@pytest.mark.parametrize(
    ("text", "language", "said"),
    [
        ("# One.\n# Two.\n\n# Three.\n\nx = 1\n", "python", "One.\nTwo."),
        ("# ---- Title ----\n\nx = 1\n", "python", "Title"),
        ("# Do not edit.\n\nx = 1\n", "python", None),
        ("# Generated by x.\n# Rest.\n\nx = 1\n", "python", "Rest."),
        ("# Word\n# Copyright 2020 A\n\nx = 1\n", "python", None),
        ("# Two words\n# Copyright 2020 A\n\nx = 1\n", "python", "Two words"),
        ("# Word\n\nx = 1\n", "python", "Word"),
        ("# Copyright 2020 A\n# Licensed\n\n# Real.\n\nx = 1\n", "python", "Real."),
        ("# Real.\n", "python", "Real."),
        ("# Of f.\ndef f(): pass\n", "python", None),
        ("# Of file.\n\ndef f(): pass\n", "python", "Of file."),
        ('"Doc." # why\n', "python", "Doc."),
        ('"Doc."; x\n', "python", "Doc."),
        ('"Doc." + x\n', "python", None),
        ('""\n', "python", None),
        ("'''A \\''' b'''\n", "python", "A \\''' b"),
        ("'A \\' b'\n", "python", "A \\' b"),
        ('# Before.\n\n"""Doc."""\n', "python", "Doc."),
        ("// a\n/* b */\n\nint x;\n", "c", "a"),
        ("/* a */ // b\n\nint x;\n", "c", "a"),
        ("/* Of x. */\nint x;\n", "c", None),
        ("//! Of file.\nfn a() {}\n", "rust", "Of file."),
        ("// Line.\n//! Of file.\nfn a() {}\n", "rust", "Of file."),
        ("// Line.\n\n//! Of file.\n//! More.\nfn a() {}\n", "rust", "Of file.\nMore."),
        ("/** @file One. */\n/** @file Two. */\nint x;\n", "c", "@file One."),
        ("/* A. */\n\n/** @file One. */\n\n/* B. */\n\nint x;\n", "c", "@file One."),
    ],
)
def test_which_comment_is_the_doc_of_a_file(text: str, language: str, said: str | None) -> None:
    assert doc(text, language) == said


# Added content.


LONG = "n" * 81
SHOWN = "n" * 80 + "…"


def refusal_of(data: bytes) -> str:
    with pytest.raises(RequestError) as caught:
        to_text.to_text(data, LONG)
    return str(caught.value)


def test_a_refusal_begins_with_the_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """A long name is cut, and so is what another program says."""
    reader = "pypdf.PdfReader"
    text = "only text, Markdown, JSON, HTML and PDF can be added"
    assert refusal_of(b"\0") == f"{SHOWN}: is binary: {text}"
    assert refusal_of(pdf_of("")) == f"{SHOWN}: this PDF has no text, only pictures of it"
    for error, said in (("a\n b", "a b"), ("x" * 201, "x" * 200 + "…"), ("", "ValueError")):
        monkeypatch.setattr(reader, mock.Mock(side_effect=ValueError(error)))
        assert refusal_of(b"%PDF-") == f"{SHOWN}: is damaged, or not read by pypdf: {said}"
    monkeypatch.setattr(reader, mock.Mock(side_effect=MemoryError))
    with pytest.raises(MemoryError):
        to_text.to_text(b"%PDF-", LONG)
    monkeypatch.setitem(sys.modules, "pypdf", None)
    assert refusal_of(b"%PDF-") == f"{SHOWN}: is PDF, which needs an extra: pip install pypdf"
    monkeypatch.setattr(to_text, "MOST_BYTES", 4)
    assert refusal_of(b"%PDF-") == f"{SHOWN}: 5 bytes: at most 4 can be added; divide it"
    assert to_text.to_text(b"text", LONG).text == b"text"


@pytest.mark.parametrize(("limit", "most"), [("MOST_PAGES", 2), ("MOST_TEXT", 8)])
def test_the_text_of_a_pdf_is_read_up_to_a_limit(
    limit: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = [mock.Mock(extract_text=lambda: "abcd")] * 2
    reader = mock.Mock(pages=pages, metadata=mock.Mock(title="T"))
    monkeypatch.setattr("pypdf.PdfReader", lambda _: reader)
    monkeypatch.setattr(to_text, limit, most)
    read = to_text.to_text(b"%PDF-", "a")
    assert read == (b"# Page 1\n\nabcd\n\n# Page 2\n\nabcd\n\n", "markdown", "T")
    monkeypatch.setattr(to_text, limit, most - 1)
    assert "characters of a PDF are read; divide it" in refusal_of(b"%PDF-")
    for metadata in (None, mock.Mock(title=None)):
        monkeypatch.setattr(to_text, limit, most)
        reader.metadata = metadata
        assert to_text.to_text(b"%PDF-", "a").title == ""


def read_text(data: bytes, name: str, content_type: str = "") -> tuple[str, str]:
    read = to_text.to_text(data, name, content_type)
    return read.text.decode().strip(), read.format_id


@pytest.mark.parametrize(
    ("data", "name", "content_type", "text", "format_id"),
    [
        (b"x", "a.md", "", "x", "markdown"),
        (b"x", "a.rst", "", "x", "restructuredtext"),
        (b"x", "a", "", "x", "markdown"),
        (b"x", "a.b", "", "x", "text"),
        (b"x", "c.d/a", "", "x", "markdown"),
        (b"x", "c.d\\a", "", "x", "markdown"),
        (b"x", "a.yaml", "", "x", "text"),
        (b"x", "a.txt", "text/markdown; charset=utf-8", "x", "markdown"),
        (b"<p>x", "a.txt", "TEXT/HTML", "x", "markdown"),
        (b"<p>x", "a.txt", "application/xhtml+xml", "x", "markdown"),
        (b"<p>x", "a", "", "<p>x", "markdown"),
        (b" <!-- a - b --> <!DOCTYPE html><p>x", "a", "", "x", "markdown"),
        (b"<html lang=x><p>x", "a.b", "", "x", "markdown"),
        (b" " * 1_995 + b"<html><p>x", "a", "", "x", "markdown"),
        (b" " * 1_996 + b"<html><p>x", "a", "", "<html><p>x", "markdown"),
        (b"1", "a", "application/json", "# (all)\n\n```json\n1\n```", "markdown"),
        (b"1", "a.JSON", "", "# (all)\n\n```json\n1\n```", "markdown"),
        (b"{", "a.json", "", "{", "text"),
        ("é".encode("latin-1"), "a.txt", "", "é", "text"),
        ("ж".encode("cp1251"), "a.txt", "text/plain; charset=windows-1251", "ж", "text"),
        ("<meta charset='windows-1251'>ж".encode("cp1251"), "a.txt", "", None, "text"),
        ("é".encode("latin-1"), "a.txt", "text/plain; charset=utf-7", "é", "text"),
        ("é".encode("latin-1"), "a.txt", "text/plain; charset=klingon", "é", "text"),
        ("é".encode("utf-16"), "a.txt", "", "é", "text"),
        ("é".encode("utf-16-be"), "a.txt", "", None, "text"),
        (b"\xfe\xff\x00\xe9", "a.txt", "", "é", "text"),
    ],
)  # fmt: skip
def test_what_added_content_becomes(
    data: bytes, name: str, content_type: str, text: str | None, format_id: str
) -> None:
    if text is None and b"\0" in data:
        with pytest.raises(RequestError, match="is binary: only text, Markdown, JSON, HTML and"):
            to_text.to_text(data, name, content_type)
        return
    content = read_text(data, name, content_type)
    assert content[1] == format_id and (content[0] == text or (text is None and "ж" in content[0]))


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<h1>a</h1><h6>b</h6>", "# a\n\n###### b"),
        ("<ul><li>a<li></ul>b", "- a\n\n- b"),
        ("<ul><li>a</li></ul>b", "- a\n\nb"),
        ("<pre>\n a\n<b>b</b> <p>c</pre>d", "```\n a\nb c\n```\n\nd"),
        ("<pre>`````</pre>", "``````\n`````\n``````"),
        ("<pre>``</pre>", "```\n``\n```"),
        ("<pre> </pre>x", "x"),
        ("a<br>b<span>c</span>", "a bc"),
        ("a<script>x</script><svg>y</svg><object>z</object>b", "ab"),
        ("&lt;p&gt;<div>b", "<p>\n\nb"),
        ("<title>t</title><title>u</title>a", "a"),
        ("<h2></h2>a", "a"),
    ],
)
def test_a_page_becomes_markdown(page: str, text: str) -> None:
    assert read_text(page.encode(), "a.html")[0] == text


def test_the_first_title_of_a_page_counts() -> None:
    page = b"<title> a &amp;\n b </title><title>c</title>"
    assert to_text.to_text(page, "a.html").title == "a & b"


def test_json_is_divided_by_its_keys() -> None:
    small = {"a": 1, "b": [2]}
    assert read_text(json.dumps(small).encode(), "a.json")[0] == (
        "# a\n\n```json\n1\n```\n\n# b\n\n```json\n[\n  2\n]\n```"
    )
    inner = {"k": "v" * 2_990}
    for extra, heads in ((0, ["# x"]), (9, ["# x.k"])):
        value = {"x": {"k": "v" * (3_000 - 8 + extra)}}
        assert len(msgspec.json.encode(value["x"])) == 3_000 + extra
        text = read_text(msgspec.json.encode(value), "a.json")[0]
        assert [line for line in text.splitlines() if line.startswith("#")] == heads
    deep: Any = inner
    for _ in range(8):
        deep = {"d": deep, "e": "v" * 3_000}
    text = read_text(msgspec.json.encode(deep), "a.json")[0]
    heads = [line for line in text.splitlines() if line.startswith("# ")]
    assert max(head.count(".") for head in heads) == 5
    assert read_text(b'["a", "b"]', "a.json")[0].startswith('# 0\n\n```json\n"a"\n```\n\n# 1\n')
    assert read_text(b'{"": 1}', "a.json")[0].startswith("# (all)\n")


def test_headings_of_json_are_short() -> None:
    for size, shown in ((150, "k" * 150), (151, "k" * 150 + "…")):
        text = read_text(json.dumps({"k" * size: 1}).encode(), "a.json")[0]
        assert text.partition("\n")[0] == f"# {shown}"


@pytest.mark.parametrize(("depth", "is_indented"), [(20, True), (21, False)])
def test_json_that_nests_deeply_keeps_its_layout(depth: int, is_indented: bool) -> None:
    inner = "[" * depth + "]" * depth
    assert ("\n" in to_text._indented(inner.encode())) is is_indented
    assert to_text._indented(b'["\\"[[[", 1]') == '[\n  "\\"[[[",\n  1\n]'


def test_lists_of_many_entries_are_not_divided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(to_text, "_MOST_PARTS", 2)
    assert [read_text(text, "a.json")[0].count("# ") for text in (b"[1,2]", b"[1,2,3]")] == [2, 1]
    for text, is_divided in ((b'{"a":1,"b":2}', True), (b'{"a":1,"b":2,"c":3}', False)):
        assert ("# (all)" not in read_text(text, "a.json")[0]) is is_divided


def test_large_json_keeps_its_layout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(to_text, "_MOST_INDENTED_BYTES", 5)
    assert to_text._indented(b"[1,2]") == "[\n  1,\n  2\n]"
    assert to_text._indented(b"[1, 2]") == "[1, 2]"
