"""Code in other languages inside a file is found in its own language, at its place in the file."""

import json
import time
from pathlib import Path

import pytest

from symindex.extract.languages.registry import load_languages
from symindex.extract.languages.tree_rules import TreeRules
from symindex.extract.parse.mentions import find_mentions
from symindex.extract.read import read_bytes
from symindex.extract.records import FileSymbols, Symbol
from symindex.extract.texts.embedded import MOST_PIECES
from symindex.protocol.kinds import SymbolFlag
from symindex.workspace.workspace import Workspace
from tests.support.files import write_files


def symbols_of(path: str, text: str | bytes, tree: TreeRules | None = None) -> list[Symbol]:
    """Returns the symbols of a file, after checking that each is at its place."""
    data = text if isinstance(text, bytes) else text.encode()
    symbols = list(
        read_bytes(FileSymbols(path, len(data), 0), data, load_languages().choose((), tree)).symbols
    )
    lines = data.split(b"\n")
    for symbol in symbols:
        if not symbol.flags & SymbolFlag.ODD_PLACE:
            assert data[symbol.name_start : symbol.name_end].decode() == symbol.name
            assert lines[symbol.name_row][symbol.name_column :].startswith(symbol.name.encode())
    return symbols


def names(path: str, text: str, tree: TreeRules | None = None) -> list[str]:
    return [symbol.qualified_name for symbol in symbols_of(path, text, tree)]


def test_each_script_of_a_page_is_a_file_of_its_own() -> None:
    page = "<script>\nfunction a() {}\n</script>\n<script>\nexport const b = 1;\n</script>"
    assert [symbol.flags & SymbolFlag.EXPORTED for symbol in symbols_of("a.html", page)] == [1, 1]
    assert names(
        "a.html", "<script>\nclass A {\n</script>\n<script>\nfunction b() {}\n</script>"
    ) == ["A", "b"]


def test_the_code_of_a_template_is_one_program() -> None:
    assert names("a.erb", "<% class A %>\n<p><%= 1 %></p>\n<% def b %>\n<% end; end %>") == [
        "A",
        "A.b",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "<script>",
        "<script></script>",
        "<script lang='no-such'>x</script>",
        "<style>{{{",
        "<script>\0</script>",
        "<script>\xff",
    ],
)
def test_pieces_that_hold_nothing(text: str) -> None:
    assert names("a.vue", text) == []


@pytest.mark.nightly
def test_more_pieces_than_are_read_cost_bounded_time() -> None:
    page = "".join(f"<script>function a{n}() {{}}</script>\n" for n in range(MOST_PIECES + 5_000))
    started = time.process_time()
    symbols = symbols_of("a.html", page)
    assert len(symbols) == MOST_PIECES
    assert time.process_time() - started < 20


def test_languages_within_each_other() -> None:
    page = "{% block b %}<script>function f() {}</script>{% endblock %}"
    assert names("a.twig", page) == ["b", "f"]


FENCES = '# A\n\n```python\ndef f(): pass\n```\n\n> ~~~js title="x"\n> function g() {\n> }\n> ~~~\n\n~~~\ndef h(): pass\n'


def test_code_in_documents_counts_only_when_told_to() -> None:
    assert names("a.md", FENCES) == []
    assert names("a.md", FENCES, TreeRules(code_fences=True)) == ["f", "g"]


def notebook(*cells: str | list[str], **metadata: object) -> str:
    return json.dumps(
        {"cells": [{"cell_type": "code", "source": cell} for cell in cells], "metadata": metadata},
        indent=1,
    )


PYTHON = {"kernelspec": {"name": "python3"}}


def test_the_cells_of_a_notebook_are_one_program_in_each_language() -> None:
    text = notebook(
        [
            "%matplotlib inline\n",
            "import os\n",
            "!ls\n",
            "def load(path):\n",
            '    """Reads it."""\n',
            "    return os\n",
        ],
        "class A:\n    def b(self): pass\n    name = 'é'; c = 1",
        "%%bash\nf() { ls; }",
        "%%time\ndef timed(): pass",
        **PYTHON,
    )
    symbols = symbols_of("a.ipynb", text)
    assert [symbol.qualified_name for symbol in symbols] == [
        "load",
        "A",
        "A.b",
        "A.name",
        "A.c",
        "f",
        "timed",
    ]
    assert symbols[0].doc == "Reads it."
    rows = text.split("\n")
    assert all(symbol.name in rows[symbol.name_row] for symbol in symbols)


@pytest.mark.parametrize(
    ("source", "odd", "odd_if_escaped"),
    [
        ("a = 'é'; b = 1", ["b"], []),
        ("a = 'e'; b = 1", [], []),
        ("é = 1", [], ["é"]),
        ("def é(): pass\nc = 1", ["c"], ["é"]),
    ],
)
def test_names_of_a_notebook_whose_place_the_bytes_do_not_tell(
    source: str, odd: list[str], odd_if_escaped: list[str]
) -> None:
    """A name after other letters on the line of the file, and one that is written with escapes."""
    cell = {"cell_type": "code", "source": source}
    for escapes, expected in ((False, odd), (True, odd_if_escaped)):
        text = json.dumps({"cells": [cell], "metadata": PYTHON}, ensure_ascii=escapes)
        symbols = symbols_of("a.ipynb", text)
        flagged = [symbol.name for symbol in symbols if symbol.flags & SymbolFlag.ODD_PLACE]
        assert flagged == expected


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"cells": 1}', "[" * 100_000, notebook("def f(): pass"), notebook("x", kernelspec={"name": 3}),
     notebook("def f(): pass", kernelspec={"language": "no-such"}),
     '{"cells": [{"cell_type": "code", "source": "def f(): pass"}'],
)  # fmt: skip
def test_a_notebook_without_code_that_can_be_read(text: str) -> None:
    assert names("a.ipynb", text) == []


@pytest.mark.parametrize(
    ("text", "has_error"),
    [
        ("", False),
        ("\n", False),
        ('{"cells": []}', False),
        ('{"cells": 5}', True),
        ('{"cells": [', True),
        ("[" * 100_000, True),
        ('{"cells": [1], "cells": []}', True),
        ('{"cells": [{"cell_type": "code", "source": "\\ud800"}]}', True),
    ],
)
def test_a_notebook_that_cannot_be_read_is_a_file_with_errors(text: str, has_error: bool) -> None:
    result = FileSymbols("a.ipynb", len(text), 0)
    assert read_bytes(result, text.encode(), load_languages()).has_error is has_error


def test_status_counts_a_notebook_that_cannot_be_read(tmp_path: Path) -> None:
    with Workspace(
        write_files(tmp_path / "tree", {"a.ipynb": '{"cells": [', "b.ipynb": notebook("x = 1")})
    ) as workspace:
        workspace.refresh()
        assert [(row.language, row.with_errors) for row in workspace.status().languages] == [
            ("notebook", 1)
        ]


@pytest.mark.nightly
def test_very_many_cells_take_no_product_of_time() -> None:
    text = notebook(*(f"f{n} = {n}" for n in range(20_000)), **PYTHON)
    started = time.process_time()
    assert len(symbols_of("a.ipynb", text)) == 20_000
    assert time.process_time() - started < 20


def test_references_are_found_in_embedded_code() -> None:
    page = b"<p>total</p><script>\nfunction f() { return total() }\n// total\n</script>"
    languages = load_languages()
    mentions = find_mentions(languages.by_id["html"], page, [b"total"], languages)
    assert [
        (page[mention.start_byte : mention.end_byte], mention.does.role) for mention in mentions
    ] == [(b"total", "call")]


@pytest.mark.nightly
def test_every_front_end_sees_it(tmp_path: Path) -> None:
    root = write_files(
        tmp_path / "tree",
        {
            "a.vue": "<script>\nfunction shown() {}\n</script>\n",
            "b.ipynb": notebook("def told(): pass", **PYTHON),
            "c.md": FENCES,
        },
    )
    with Workspace(root, tmp_path / "index") as workspace:
        assert {item.name for item in workspace.search("").items if item.kind == "function"} == {
            "shown",
            "told",
        }
        assert [item.name for item in workspace.outline("a.vue").items] == ["shown"]
    write_files(root, {"symindex.toml": "code_fences = true\n"})
    with Workspace(root, tmp_path / "index") as workspace:
        assert [
            (item.name, item.line) for item in workspace.search("g", kinds=["function"]).items
        ] == [("g", 8)]
