# ruff: noqa: RUF001  (letters that look like others are what some of this is about)
"""Documents in editors: headings after code, whole words only; nested outlines; unsaved text; every
name that an editor has for the language."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from tests.serve.lsp.test_answers import flattened, text_at
from tests.support.files import write_files
from tests.support.lsp_client import Client, Editors, TcpServer

GUIDE = "# Deploying\n\nText.\n\n## Roll back a `release`\n\nMore.\n\n### 𝒳 é: *rollback* plan\n\n## Deployment keys\n"
NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "metadata": {}, "source": ["# Kneading dough\n", "text\n", "## Baking it\n"]},
        {"cell_type": "code", "metadata": {}, "source": ["x = 1\n"], "outputs": [], "execution_count": None},
    ],
    "metadata": {}, "nbformat": 4, "nbformat_minor": 5,
}  # fmt: skip
FILES: dict[str, str] = {
    "src/deploy.py": '"""Deploys what was built."""\n\ndef deploy(): pass\nclass Deployer: pass\ndef redeploy(): pass\n',
    "src/scatter.py": "def deeply_nested_xploration(): pass\ndef get_right_oats(): pass\n",
    "guide/ship.md": GUIDE,
    "guide/marked.md": "\ufeff# Oatmeal cookies\n\n## Oatmeal *scones*\n",
    "guide/returns.md": "# Rye bread\rtext\r## Rye *crackers*\r",
    "guide/page.rst": "Sourdough starter\n=================\n\nFeeding ``it``\n--------------\n\ntext\n",
    "guide/page.html": "<p>é</p><h1>Wheat &amp; spelt</h1>\n<p>é <b>x</b></p><h2>Spelt\nflour</h2>\n",
    "guide/dough.ipynb": json.dumps(NOTEBOOK, indent=1),
    "CHANGELOG.md": "# Changelog\n\n## 2.1.0 - 2024-05-01\n\n- Oven\n",
}


@pytest.fixture(scope="module")
def tree(lsp_server: TcpServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """An indexed tree."""
    root = write_files(tmp_path_factory.mktemp("tree") / "bakery", FILES)
    keeper = Editors(lsp_server)
    keeper.start_indexed(root)
    yield root
    keeper.end()


@pytest.fixture(scope="module")
def client(tree: Path, lsp_server: TcpServer) -> Iterator[Client]:
    editors = Editors(lsp_server)
    yield editors.start(tree)
    editors.end()


@pytest.mark.sample(12)
@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("deploy", ["deploy", "Deployer", "redeploy", "Deploying", "Deployment keys"]),
        ("keys", ["Deployment keys"]),  # a whole word
        (
            "rel",
            ["Roll back a release", "redeploy"],
        ),  # the beginning of a word, before code that only contains the letters
        ("eployment", []),  # inside a word
        ("dkeys", []),  # the beginnings of two words
        ("deploymnet", []),  # misspelt
        ("roll back", ["Roll back a release"]),
        ("deployment k", ["Deployment keys", "deploy", "Deployer", "redeploy"]),
        ("oat", ["get_right_oats", "Oatmeal cookies", "Oatmeal scones"]),
        ("de", ["deploy", "Deployer", "deeply_nested_xploration", "redeploy"]),  # too short
        ("", ["Deployer", "deploy", "redeploy", "deeply_nested_xploration", "get_right_oats"]),
        ("grc", []),
        ("dough", ["Kneading dough"]),
        ("spelt", ["Spelt flour", "Wheat & spelt"]),
        (
            "deploy.py",
            ["deploy.deploy", "deploy.Deployer", "deploy.redeploy"],
        ),  # a code file is not a heading: its symbols are listed
        ("2.1.0", ["2.1.0 - 2024-05-01"]),  # once, though it is both a heading and an item
    ],
)
def test_headings_come_after_code_and_match_only_whole_words(
    client: Client, query: str, names: list[str]
) -> None:
    row_names = client.names(query)
    assert sorted(row_names) == sorted(names)


def test_headings_come_after_code_that_matches_as_well_and_before_worse_matches(
    client: Client,
) -> None:
    code = {"deploy", "Deployer", "redeploy"}
    assert set(client.names("deploy")[:3]) == code
    assert client.names("rel") == [
        "Roll back a release",
        "redeploy",
    ]  # contains the letters, far apart
    # code that contains one of the words follows
    assert client.names("deployment k")[0] == "Deployment keys"


@pytest.mark.parametrize("limit", [1, 3, 4, 10])
def test_code_is_not_displaced(tree: Path, editors: Editors, limit: int) -> None:
    names = editors.start(tree, options={"limit": limit}).names("deploy")
    assert names == ["deploy", "Deployer", "redeploy", "Deploying", "Deployment keys"][:limit]


def test_a_row_has_its_path_of_headings_and_its_exact_place(tree: Path, client: Client) -> None:
    expected = {
        "rollback": ("𝒳 é: rollback plan", "Deploying.Roll back a release", "𝒳 é: *rollback* plan"),
        "release": ("Roll back a release", "Deploying", "Roll back a `release`"),
        "cookies": ("Oatmeal cookies", None, "Oatmeal cookies"),
        "scones": ("Oatmeal scones", "Oatmeal cookies", "Oatmeal *scones*"),
        "crackers": ("Rye crackers", "Rye bread", "Rye *crackers*"),
        "feeding": ("Feeding it", "Sourdough starter", "Feeding ``it``"),
        "wheat": ("Wheat & spelt", None, "Wheat &amp; spelt"),
        "flour": ("Spelt flour", "Wheat & spelt", "Spelt"),  # the first of two lines
        "baking": ("Baking it", "Kneading dough", "Baking it"),
    }
    for query, (name, container, written) in expected.items():
        (row,) = client.symbols(query)
        place = row["location"]
        text = text_at(
            Path(place["uri"].removeprefix("file://")).read_bytes(), place["range"], "utf-16"
        )
        assert (row["name"], row.get("containerName"), row["kind"], text) == (
            name,
            container,
            types.SymbolKind.String,
            written,
        )


def shape(nodes: list[Any]) -> list[Any]:
    return [[node["name"], *shape(node.get("children", []))] for node in nodes]


@pytest.mark.nightly
@pytest.mark.parametrize("is_open", [False, True])
def test_the_outline_of_a_document_is_its_headings(
    tree: Path, editors: Editors, is_open: bool
) -> None:
    client = editors.start(tree)
    expected: dict[str, list[Any]] = {
        "guide/ship.md": [
            ["Deploying", ["Roll back a release", ["𝒳 é: rollback plan"]], ["Deployment keys"]]
        ],
        "guide/page.rst": [["Sourdough starter", ["Feeding it"]]],
        "guide/page.html": [["Wheat & spelt", ["Spelt flour"]]],
        "guide/dough.ipynb": [["Kneading dough", ["Baking it"]]],
        "CHANGELOG.md": [["Changelog", ["2.1.0 - 2024-05-01"]]],
        "src/deploy.py": [["deploy"], ["Deployer"], ["redeploy"]],
    }
    for path, nodes in expected.items():
        uri = (
            client.open(tree / path, FILES[path], "plaintext")
            if is_open
            else (tree / path).as_uri()
        )
        outline = client.outline(uri)
        assert shape(outline) == nodes, path
        # Search and outline agree.
        for node in flattened(outline):
            rows = [
                row
                for row in client.symbols(node["name"])
                if row["location"]["uri"] == uri and row["name"] == node["name"]
            ]
            assert node["selectionRange"] in [row["location"]["range"] for row in rows], node


@pytest.mark.nightly
def test_what_is_unsaved_in_a_document_counts(tree: Path, editors: Editors) -> None:
    client = editors.start(tree)
    uri = client.open(tree / "guide/ship.md", GUIDE, "markdown")
    client.change(uri, 2, ("# Shipping 𝒳 crates\n\n## *Second* crate\n", 0, 0, 0, 11))
    client.until_names("crate", ["Second crate", "Shipping 𝒳 crates"])
    assert shape(client.outline(uri))[0][:2] == ["Shipping 𝒳 crates", ["Second crate"]]
    by_name = {row["name"]: row["location"] for row in client.symbols("crate")}
    assert by_name["Second crate"] == {
        "uri": uri, "range": {"start": {"line": 2, "character": 3}, "end": {"line": 2, "character": 17}}
    }  # fmt: skip
    assert "Deploying" not in client.names("deploy")
    assert client.symbols("keys")[0]["location"]["range"]["start"]["line"] == 13
    client.change(uri, 3, "nothing but text\n")
    client.until_names("crate", [])
    assert client.names("keys") == [] and client.outline(uri) == []
    new = client.open(tree / "guide/new.md", "# Unsaved page\n", "markdown")
    client.until_names("unsaved", ["Unsaved page"])
    client.close_document(new)
    client.close_document(uri)
    client.until_names("keys", ["Deployment keys"])
    assert client.names("unsaved") == []


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("language", "names"),
    [
        ("markdown", ["One"]), ("plaintext", []), ("text", []), ("html", []), ("restructuredtext", []), ("rst", []),
        ("jupyter", []), ("notebook", []), ("json", []), ("yaml", []), ("toml", []), ("mdx", ["One"]), ("", []), ("ma\0rk", []),
    ],
)  # fmt: skip
def test_any_word_for_a_document_is_accepted(
    tree: Path, editors: Editors, language: str, names: list[str]
) -> None:
    client = editors.start(tree)
    untitled = client.open("untitled:Untitled-1", "# One\n", language)
    assert [node["name"] for node in client.outline(untitled)] == names
    named = client.open(tree / "guide/ship.md", "# Two\n", language)
    assert [node["name"] for node in client.outline(named)] == ["Two"]
    client.until_names("two", ["Two"])


def test_a_kind_that_is_named_finds_headings_where_they_are(client: Client) -> None:
    (row,) = [
        row for row in client.symbols("kind:section keys") if row["name"] == "Deployment keys"
    ]
    assert row["location"]["range"]["start"]["line"] == 10
