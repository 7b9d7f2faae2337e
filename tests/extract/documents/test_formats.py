"""The results of each reader: headings with levels, the places of titles, nested sections."""

import json

import pytest

from symindex.extract.documents.document import Document
from symindex.extract.documents.nesting import enclosing_sections, heading_paths
from symindex.extract.documents.readers import read_document


def headings(reader: str, text: str) -> list[str]:
    return [
        f"{section.level} {section.title}"
        for section in read_document(reader, text.encode()).sections
    ]


MARKDOWN = {
    "# a\n\n## b ##\n### c #d\n#e\n####### f\n": ["1 a", "2 b", "3 c #d"],
    "   # a\n\n    # code\n\n\t# code\n": ["1 a"],
    "a\n# b\nc\n===\n\nd\ne\n---\n\n---\n": ["1 b", "1 c", "2 d e"],
    "```\n# a\n~~~\n```\n# b\n~~~ x\n# c\n": ["1 b"],
    "1. a\n\n   ```sh\n   # code\n   ```\n\n   ## b\n\n       # code\n": ["2 b"],
    "- a\n# b\n> # c\n> d\n===\n": ["1 b", "1 c"],
    "<!--\n# a\n\n# b\n-->\n# c\n<pre>\n# d\n\n</pre>\n# e\n<div>\n# f\n\n# g\n": [
        "1 c",
        "1 e",
        "1 g",
    ],
    "| a | b |\n|---|---|\n| c | d |\n---\n": [],
    "[a]: /b\n===\n": [],
    "# `a` *b* __c__ ~~d~~ e_f_g 2 * 3 * 4\n": ["1 a b c d e_f_g 2 * 3 * 4"],
    "# [a](b) [c] [d] ![e](f) <https://g> <b>h</b> &amp; \\*i\\* <!-- j -->\n\n[d]: /x\n": [
        "1 a [c] d e https://g h & *i*"
    ],
    "# a {#b .c}\n## d {/* e */}\n": ["1 a", "2 d"],
    "#\n# \n## a\n": ["2 a"],
    '<h1 align="center">\n  <img src="x" alt="a">\n\n  <b>b</b>\n</h1>\n\n## c\n': ["1 b", "2 c"],
    '<h1 align="center"><img src="x" alt="a"></h1>\n': ["1 a"],
    "# a\r\n\r\nb\r\n---\r\n": ["1 a", "2 b"],
    "# a\rb\r===\r": ["1 a", "1 b"],
}

RESTRUCTURED = {
    "a\n=\n\nb\n-\n\nc\n~\n\nd\n-\n\ne\n=\n": ["1 a", "2 b", "3 c", "2 d", "1 e"],
    "===\n a\n===\n\nb\n===\n": ["1 a", "2 b"],
    "long title\n===\n\nlong title\n====\n": ["1 long title"],
    "a\nb\n====\n": [],
    "x::\n\n  a\n  ====\n\nb\n====\n": ["1 b"],
    "x::\n\n====\n----\na\n----\n": ["1 a"],
    "=====  =====\na      b\n=====  =====\n\nc\n====\n": ["1 c"],
    ".. note::\n\n   a\n   ====\n\nb\n====\n": ["1 b"],
    "- a\n\n1. b\n====\n\n:c: d\n\n>>> e\n====\n": ["1 1. b"],
    "``a`` *b* **c** :func:`~d.e` `f <g>`_ h_ |i| :ref:`j <k>`\n" + "=" * 60 + "\n": [
        "1 a b c e f h i j"
    ],
    "日本\n==\n\n日本\n====\n": ["1 日本"],
    "a\n====\n\n----\n\nb\n====\n": ["1 a", "1 b"],
}

HTML = {
    "<h1>{% if n %}{{ n | count }} {{ 'a' if n == 1 else 'b' }}{% else %}No user found{% endif %}</h1>"
    "<h2>Cart {# old #}</h2><h3>{{ title }}</h3><h4>({{ n }})</h4><h2>{ a } {{ {} }}</h2>": [
        "1 No user found",
        "2 Cart",
        "3 {{ title }}",
        "4 ({{ n }})",
        "2 { a } {{ {} }}",
    ],
    "<title>t</title><h1>a</h1><H2 class=x>b <em>c</em>d</H2>": ["1 a", "2 b cd"],
    "<title>t &amp; u</title><h2>a</h2>": ["1 t & u", "2 a"],
    "<h1>a</h1><!-- <h2>b</h2> --><script>'<h2>c</h2>'</script><style><h2></style><h2>d</h2>": [
        "1 a",
        "2 d",
    ],
    '<h1 title="<h2>">a<br>b</h1>': ["1 a b"],
    "<h1>a<h2>b</h2><h3></h3>": ["1 a", "2 b"],
    '<h1>a<a href="#a">¶</a></h1><h2><img alt="b"></h2>': ["1 a", "2 b"],
    "<script><h1>a</h1>": ["1 a"],
}

ASCIIDOC = {
    "= a\n:b: c\n\n== d `e` *f*\n\n----\n== code\n----\n\n=== https://g[h] ===\n": [
        "1 a",
        "2 d e f",
        "3 h",
    ],
    "////\n= a\n////\n\n====\n== b\n====\n": ["2 b"],
}

ORG = {
    "#+TITLE: a\n* TODO [#A] b [1/2] :c:d:\n** =e= [[f][g]]\n*h*\n": ["1 a", "2 b", "3 e g"],
    "* a\n*** b\n": ["1 a", "3 b"],
}

CASES = [
    (reader, text, expected)
    for reader, cases in (
        ("markdown", MARKDOWN),
        ("restructured", RESTRUCTURED),
        ("html", HTML),
        ("asciidoc", ASCIIDOC),
        ("org", ORG),
        ("plain_text", {"a\n===\n": []}),
    )
    for text, expected in cases.items()
]


@pytest.mark.parametrize(("reader", "text", "expected"), CASES)
def test_headings(reader: str, text: str, expected: list[str]) -> None:
    assert headings(reader, text) == expected


def source(cells: list[tuple[str, object]]) -> list[dict[str, object]]:
    return [
        {"cell_type": kind, "metadata": {"source": "# no"}, "outputs": ["# no"], "source": text}
        for kind, text in cells
    ]


CELLS = source(
    [
        ("markdown", ["# é \"a\"\n", "\n", "text \\ one"]),
        ("code", "# no heading\nx = 1"),
        ("markdown", "b 😀\n---\nmore\n\n## c\t\n"),
        ("raw", ["# no"]),
    ]
)  # fmt: skip


@pytest.mark.parametrize("escapes", [True, False])
@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize(
    "wrap", [lambda cells: {"cells": cells}, lambda cells: {"worksheets": [{"cells": cells}]}]
)
def test_notebook(wrap, indent: int | None, escapes: bool) -> None:  # type: ignore[no-untyped-def]
    data = json.dumps(
        {"cell": "cells", "nbformat": 4} | wrap(CELLS), indent=indent, ensure_ascii=escapes
    ).encode()
    document = read_document("notebook", data)
    assert [(section.level, section.title) for section in document.sections] == [
        (1, 'é "a"'),
        (2, "b 😀"),
        (2, "c"),
    ]
    assert [section.text for section in document.sections] == [
        "text \\ one\n\n# no heading\nx = 1",
        "more",
        "# no",
    ]
    for section in document.sections:
        assert json.loads(b'"%b"' % data[section.title_start : section.title_end]) == section.title
        assert (
            json.loads(b'"%b"' % data[section.start_byte : section.title_end]).lstrip("# ")
            == section.title
        )
    assert data[: document.sections[0].end_byte].endswith(b"# no")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "{}",
        '{"cells":1}',
        '{"cells":[1]}',
        '{"cells":[],"cells":[{}]}',
        "[" * 9999,
        "\ud800",
    ],
)
def test_an_invalid_notebook_is_empty(text: str) -> None:
    assert read_document("notebook", text.encode("utf-8", "surrogatepass")) == Document([], "")


def test_sections_nest() -> None:
    """Sections nest by level, even if levels are skipped; each ends before the next section outside
    it, without trailing white space."""
    text = "intro\n\n# a\n\ntext a\n\n### b\n\ntext b\n\n## c\n\n# d\n\n"
    document = read_document("markdown", text.encode())
    cut = [text[section.start_byte : section.end_byte] for section in document.sections]
    assert cut == ["# a\n\ntext a\n\n### b\n\ntext b\n\n## c", "### b\n\ntext b", "## c", "# d"]
    assert [section.text for section in document.sections] == ["text a", "text b", "", ""]
    assert enclosing_sections(document.sections) == [-1, 0, 0, -1]
    assert heading_paths(document.sections) == [(), ("a",), ("a",), ()]
    assert document.opening == "intro"


def test_places_count_from_the_beginning_of_the_file() -> None:
    """They do not count from the content after front matter."""
    for reader, text, title in (
        ("markdown", "---\n# x\n---\n## a\n", "a"),
        ("restructured", "---\nx\n===\n\na\n===\n", "a"),
        ("html", "---\n<h1>x</h1>\n---\n<h2>a</h2>", "a"),
    ):
        start = (
            text.rindex("\n", 0, text.index("a"))
            if reader == "restructured"
            else text.rindex("---") + 3
        )
        (section,) = read_document(reader, text.encode(), start).sections
        assert section.title == text[section.title_start : section.title_end] == title


def test_plain_text_of_markdown() -> None:
    text = "a [b](http://c) <i>d</i> <!-- e --> `Vec<T>` &lt;\n\n```\nList<F> [g](h)\n```\n"
    assert (
        read_document("markdown", text.encode()).opening
        == "a [b] d  `Vec<T>` <\n\n```\nList<F> [g](h)\n```"
    )
