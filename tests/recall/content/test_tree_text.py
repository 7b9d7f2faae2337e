"""The sections and items of a tree as texts that recall finds: what belongs to each, what is shown
of a file that has changed, and how often a word occurs."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import UNSET

from symindex.protocol.freshness import CACHED
from symindex.protocol.recall import TextHit, TextResponse
from symindex.recall.content import tree_files
from symindex.workspace.workspace import Workspace, open_content
from tests.support.files import write_files


class Tree:
    """A tree whose files a test writes."""

    def __init__(self, folder: Path) -> None:
        self.root = write_files(folder / "tree", {".git/HEAD": ""})
        self.workspace = Workspace(self.root, folder / "index")

    def write(self, **texts: str) -> None:
        write_files(self.root, {name.replace("__", "/"): text for name, text in texts.items()})

    def ask(self, query: str, **request: Any) -> TextResponse:
        if "freshness" not in request:
            self.workspace.refresh()
        return self.workspace.recall(query, within="text", include_content=True, **request)

    def hits(self, query: str, **request: Any) -> list[TextHit]:
        return self.ask(query, **request).sections[0].items


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Tree]:
    monkeypatch.setenv("SYMINDEX_DATA_DIR", str(tmp_path / "data"))
    tree = Tree(tmp_path)
    yield tree
    tree.workspace.close()


def shown(hits: list[TextHit]) -> list[tuple[str, str, str, int]]:
    return [(hit.id, hit.title, hit.content.strip(), hit.line) for hit in hits]


SECTIONS = {
    "a.md": (
        "zebra opens\n\n# One\n\nzebra one\n\n## Two\n\nzebra two\n",
        [
            ("a.md:3", "One", "zebra opens\n\n# One\n\nzebra one", 3),
            ("a.md:7", "One > Two", "## Two\n\nzebra two", 7),
        ],
    ),
    "b.md": ("---\ntitle: Named\n---\nzebra\n", [("b.md:4", "Named", "zebra", 4)]),
    "c.html": ("zebra<h1>a</h1>b", [("c.html:1", "a", "zebra<h1>a</h1>b", 1)]),
    "d.py": ("#!/bin/python\n\n# A zebra.\n\nx = 1\n", [("d.py:3", "d.py", "A zebra.", 3)]),
    "Makefile": (
        "# A zebra.\n\nall: b\n\techo zebra\n\nb:\n\ttouch b\n",
        [
            ("Makefile:1", "Makefile", "A zebra.", 1),
            ("task:Makefile/all", "all", "all: b\n\techo zebra", 3),
        ],
    ),
    ".claude/skills/x/SKILL.md": (
        "---\nname: x\ndescription: y\n---\n# Title\n\nzebra\n",
        [("skill:x", "Title", "# Title\n\nzebra", 5)],
    ),
    "package.json": (
        '{\n "name": "x",\n "description": "a zebra"\n}\n',
        [("manifest:package", "package", '{\n "name": "x",\n "description": "a zebra"\n}', 1)],
    ),
    "n.ipynb": (
        '{\n "cells": [\n  {"cell_type": "markdown", "metadata": {}, "source": ["# One\\n", "zebra"]}\n ],'
        '\n "metadata": {}, "nbformat": 4, "nbformat_minor": 5\n}\n',
        [
            (
                "n.ipynb:3", "One",
                '{\n "cells": [\n  {"cell_type": "markdown", "metadata": {}, "source": ["# One\\n", "zebra"]}\n ],'
                '\n "metadata": {}, "nbformat": 4, "nbformat_minor": 5\n}', 3,
            )
        ],
    ),
    "e.html": (
        "<head><style>p {}</style></head><body id='x'>zebra<h1>a</h1>b</body>",
        [("e.html:1", "a", "zebra<h1>a</h1>b</body>", 1)],
    ),
    "f.md": ("---\ntitle: Zebra\n---\n", [("f.md:1", "Zebra", "---\ntitle: Zebra\n---", 1)]),
}  # fmt: skip
"""By path: its text, and what a search for zebra shows of it."""


@pytest.mark.parametrize("path", SECTIONS)
def test_the_texts_of_a_file(tree: Tree, path: str) -> None:
    text, expected = SECTIONS[path]
    write_files(tree.root, {path: text})
    assert sorted(shown(tree.hits("zebra"))) == sorted(expected)


def test_text_that_is_in_no_row_is_not_found(tree: Tree) -> None:
    tree.write(**{"a.py": "zebra = 1\n", "b.yaml": "zebra: 1\n"})
    assert tree.hits("zebra") == []


def test_sections_have_the_metadata_of_their_document(tree: Tree) -> None:
    front = "---\ntype: pattern\ncategory: cats\ndate: 2020-01-01\n---\n"
    changes = "# Changes\n\n## 1.1\n\nzebra\n"
    tree.write(**{"a.md": f"{front}# A\n\n## B\n\nzebra\n", "CHANGELOG.md": changes})
    (document,) = tree.hits("zebra", category=["cats"])
    assert (document.id, document.type) == ("a.md:8", "pattern")
    assert document.added.startswith("2020-01-01")
    (version,) = [hit for hit in tree.hits("zebra") if hit.source == "CHANGELOG.md"]
    assert (version.title, version.type) == ("Changes > 1.1", "document")
    assert "version" not in version.metadata  # that of a part is not of the document


def test_which_text_is_code(tree: Tree) -> None:
    tree.write(
        **{
            "a.md": "# Prose\n\nzebra zebra zebra\n\n    x\n",
            "b.md": "# Code\n\nzebra\n\n```py\nrun(zebra)\nrun(zebra)\n```\n",
        }
    )
    assert [hit.source for hit in tree.hits("zebra", content_type="code")] == ["b.md"]
    assert [hit.source for hit in tree.hits("zebra", content_type="prose")] == ["a.md"]
    assert {hit.source: hit.content_type for hit in tree.hits("zebra")} == {
        "a.md": "prose",
        "b.md": "code",
    }


def test_an_identifier_as_written_comes_first(tree: Tree) -> None:
    filler = "all retries " * 3
    tree.write(
        **{
            "a.md": f"# Retry all\n\nmax retries: retry all the retries. {filler}\n",
            "b.md": f"# Other\n\nCall `max_retries` once, and `--retry-all`. {'word ' * 50}\n",
        }
    )
    for query in ("max_retries", "`--retry-all`"):
        assert tree.hits(query)[0].source == "b.md", query


def test_words_that_occur_more_often_count_more(tree: Tree) -> None:
    for many, few in ((2, 1), (4, 3)):
        tree.write(
            **{
                "a.md": f"# A\n\n{'zebra ' * few}{'word ' * (many - few)}\n",
                "b.md": f"# B\n\n{'zebra ' * many}\n",
            }
        )
        assert [hit.source for hit in tree.hits("zebra")] == ["b.md", "a.md"], many


def test_common_words_of_code_are_found(tree: Tree) -> None:
    tree.write(**{"a.md": "# Loops\n\nUse while here.\n", "b.md": "# Else\n\nUse here.\n"})
    assert [hit.source for hit in tree.hits("while")] == ["a.md"]


def test_equally_good_texts_are_in_the_order_of_their_paths(tree: Tree) -> None:
    names = ["a.md", "b.md", "c.md"]
    tree.write(**dict.fromkeys(names, "# T\n\nzebra\n\n## U\n\nzebra\n"))
    tree.workspace.refresh()
    tree.write(**{"b.md": "# T\n\nzebra\n\n## U\n\nzebra\n\n"})
    ids = [f"{name}:{line}" for name in names for line in (1, 5)]
    assert [hit.id for hit in tree.hits("zebra")] == ids


def test_a_file_that_has_changed_or_gone_shows_no_text(tree: Tree) -> None:
    tree.write(**{"a.md": "# T\n\nzebra\n\n# U\n\nzebra\n", "b.md": "# V\n\nzebra\n"})
    tree.workspace.refresh()
    (tree.root / "a.md").write_text("# T\n\nother\n")
    response = tree.ask("zebra", freshness=CACHED)
    contents = {hit.id: hit.content.strip() for hit in response.sections[0].items}
    assert contents == {"a.md:1": "", "a.md:5": "", "b.md:1": "# V\n\nzebra"}
    told = "found by their words, but not shown: a.md"
    assert response.notices == [f"{told} (changed since it was indexed)"]
    (tree.root / "a.md").unlink()
    response = tree.ask("zebra", freshness=CACHED)
    assert response.notices == [f"{told} (No such file or directory)"]


def test_files_are_read_once_while_they_fit(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    tree.write(**{"a.md": "# A\n\nzebra\n\n# B\n\nzebra\n", "b.md": "# C\n\nzebra\n"})
    tree.workspace.refresh()
    read: list[str] = []
    read_text_of = tree_files.read_text_of

    def noted(root: Any, path: str, most: int) -> Any:
        read.append(path)
        return read_text_of(root, path, most)

    monkeypatch.setattr(tree_files, "read_text_of", noted)
    tree.hits("zebra")
    assert read == ["a.md", "b.md"]
    for most, expected in ((23, ["a.md", "b.md"]), (22, ["a.md", "b.md", "a.md"])):
        read.clear()
        monkeypatch.setattr(tree_files, "MOST_KEPT", most)
        files, rows = files_and_rows(tree)
        for row in (*rows, *rows[:1]):
            files.chunk(*row)
        assert read == expected, most


def files_and_rows(tree: Tree) -> tuple[Any, list[tuple[Any, int]]]:
    root, snapshot, _ = next(iter(tree.workspace.source.recalled()))
    (part,) = snapshot.documents.parts
    ends = [part.index.file_first[number + 1] for number in (0, 1)]
    places = [int(end) - 1 for end in ends]
    return tree_files.TreeFiles(root._root, root.languages, {}), [(part, place) for place in places]


def test_what_earlier_versions_stored_is_deleted(tree: Tree, tmp_path: Path) -> None:
    tree.write(**{"a.md": "# A\n\nzebra\n"})
    tree.workspace.refresh()
    (index,) = [path.parent for path in tmp_path.glob("index/*/symbols.index")]
    former = [
        f"text/{name}"
        for name in ("symbols.names", "chunks/symbols.names", "chunks-new/symbols.names")
    ]
    write_files(index, dict.fromkeys(former, "x"))
    tree.hits("zebra")
    assert not [name for name in former if (index / name).exists()]


def test_a_long_text_shows_its_best_passage(tree: Tree) -> None:
    """The line is that of the passage, and the id that of the section; only what is read for
    nearness counts as long."""
    for n_lines, line in ((400, 398), (150, 1)):
        filler = "word word word\n" * n_lines
        text = f"# A\n\nzebra\n{filler}a zebra crossing\n{filler}"
        tree.write(**{"a.md": text})
        tree.workspace.refresh()
        (hit,) = tree.workspace.recall("zebra crossing", within="text").sections[0].items
        assert (hit.id, hit.line) == ("a.md:1", line), n_lines
        assert "a zebra crossing" in hit.content and hit.content.startswith("… ") == (line > 1)
        (whole,) = tree.hits("zebra crossing")
        assert (whole.line, whole.content) == (1, text)


def test_text_before_the_first_heading_belongs_to_the_first_section_alone(tree: Tree) -> None:
    tree.write(**{"a.md": "zebra opens\n\n# One\n\nx\n\n# Two\n\ny\n"})
    assert [hit.title for hit in tree.hits("zebra")] == ["One"]


def test_a_part_of_a_document_has_its_own_words(tree: Tree) -> None:
    """The item that is the document has those of all sections, and a version its own."""
    versions = "# Changes\n\n## 1.1\n\nzebra\n\n## 1.0\n\nlion\n"
    tree.write(**{"CHANGELOG.md": versions, "docs/a.md": "# Title\n\n## One\n\nlion\n"})

    def items(query: str) -> list[str]:
        response = tree.workspace.search(query, kinds=["item"])
        return sorted(f"{item.file_path}#{item.name}" for item in response.items)

    tree.workspace.refresh()
    assert items("zebra") == ["CHANGELOG.md#1.1"]
    assert items("lion") == ["CHANGELOG.md#1.0", "docs/a.md#a"]


def test_a_long_head_of_a_page_is_not_shown(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree_files, "_LONGEST_OPENING", 20)
    for n, shown_text in ((9, "<b>aaaaaaaaa zebra\n\n# T"), (10, "# T")):
        tree.write(**{"a.md": f"<b>{'a' * n} zebra\n\n# T\n"})
        (hit,) = tree.hits("zebra")
        assert hit.content.strip() == shown_text, n


def heard(response: TextResponse) -> list[str]:
    return [notice for section in response.sections for notice in section.notices or ()]


def test_words_of_what_is_gone_and_of_paths_do_not_occur(tree: Tree) -> None:
    """They would hide that a word is misspelt, or be searched instead of it."""
    tree.write(
        **{
            "wolfram__a.md": "---\ndescription: kinkajou\n---\n# A\n\ngiraffe\n",
            "b.md": "# B\n\ngirafes wolfrom\n",
        }
    )
    told = '"{}" occurs nowhere: searched for "{}"'
    response = tree.ask("wolfram")
    assert heard(response) == [told.format("wolfram", "wolfrom")]
    assert [hit.source for hit in response.sections[0].items] == ["b.md"]
    assert heard(tree.ask("wolfran")) == ['"wolfran" occurs nowhere']
    assert heard(tree.ask("kinkajou")) == ['"kinkajou" occurs nowhere']
    assert [hit.source for hit in tree.hits("giraffe")] == ["wolfram/a.md"]
    tree.write(wolfram__a__md="x", **{"wolfram__a.md": "# A\n\nnothing\n"})
    for query, notice in (
        ("giraffe", '"giraffe" occurs nowhere'),
        ("giraffs", told.format("giraffs", "girafes")),
    ):
        response = tree.ask(query)
        assert heard(response) == [notice], query
        assert [hit.source for hit in response.sections[0].items] == ["b.md"]


def test_an_overlay_does_not_change_scores(tree: Tree, tmp_path: Path) -> None:
    tree.write(**{f"{number}.md": f"# A\n\nzebra {'word ' * number}\n" for number in range(9)})
    tree.workspace.refresh()
    tree.write(**{"0.md": "# A\n\n" + "other words " * 400, "1.md": "# B\n\nzebra\n"})
    after = [(hit.id, hit.score) for hit in tree.hits("zebra word")]
    with Workspace(tree.root, tmp_path / "fresh") as fresh:
        fresh.refresh()
        response = fresh.recall("zebra word", within="text", include_content=True)
    assert after == [(hit.id, hit.score) for hit in response.sections[0].items]


def test_common_words_alone_are_told(tree: Tree) -> None:
    tree.write(**{"a.md": "# A\n\nwhile who is it\n"})
    response = tree.ask("who it")
    assert heard(response) == ['"who", "it": too common to be searched for in documents']
    response = tree.ask("who while")
    assert not heard(response) and response.sections[0].is_partial is UNSET  # it may contain both


def test_what_tests_say_comes_last(tree: Tree) -> None:
    tree.write(**{"tests__test_a.py": "# zebra\n\nx = 1\n", "z.py": "# zebra and more\n\nx = 1\n"})
    assert [hit.source for hit in tree.hits("zebra")] == ["z.py", "tests/test_a.py"]


def test_a_file_that_is_gone_does_not_hide_its_copy(tree: Tree, tmp_path: Path) -> None:
    tree.write(**{"a.md": "# A\n\nzebra\n"})
    tree.workspace.refresh()
    with open_content(tree.root) as content:
        content.add_file(write_files(tmp_path, {"copy.md": "# A\n\nzebra\n"}) / "copy.md", "copy")
    assert [hit.source for hit in tree.hits("zebra")] == ["a.md"]
    (tree.root / "a.md").unlink()
    items = tree.ask("zebra", freshness=CACHED).sections[0].items
    assert {hit.source: hit.content.strip() for hit in items} == {
        "a.md": "",
        "copy": "# A\n\nzebra",
    }
