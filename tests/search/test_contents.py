"""Phrases, proximity and wildcards in the texts of sections and items, which the index does not
contain; and snippets of these texts.

Each text is read from its file as it was for the index: markup and the division into lines or cells
are handled alike.
"""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from msgspec import UNSET

from symindex.dialects.rye_page import RYE_NEEDS, as_rye
from symindex.protocol.search import SearchItem
from symindex.text.snippets import LONGEST_SNIPPET
from symindex.workspace.workspace import Workspace
from tests.support.files import Files, write_files

CELLS = [
    {
        "cell_type": "markdown",
        "metadata": {},
        "source": ["# Notes\n", "\n", "A walrus\n", "pamphlet stands here.\n"],
    },
    {
        "cell_type": "code",
        "metadata": {},
        "outputs": [],
        "source": ["print('gnome')\n"],
        "execution_count": None,
    },
]
LONG = "\n\n".join(
    f"Paragraph {number} of filler words about nothing in particular." for number in range(40)
)

TREE: Files = {
    ".ai/directives/core/run.md": (
        "---\nname: run\ndescription: Runs it.\n---\n# Run it\n\nEvery thread\ndirective is *kept*.\n\n"
        "## Closing\n\nThis ends with lemon.\n\n## Orange part\n\nThe `is->arrow` sign.\n"
    ),
    ".ai/tools/rye/core/scan.py": '__version__ = "1.0.0"\n"""Scans things. Each thread\ndirective is seen."""\n',
    "README.md": f"# Project\n\nIt knows a **thread** [directive](http://x.y).\n\n## Long\n\n{LONG}\n\n"
    f"The quick zebra jumps.\n\n{LONG}\n",
    "doc/page.html": "<h1>Page</h1><p>A <b>thread</b>\n <i>directive</i>: one.</p><h2>Next</h2><p>one two</p>",
    "doc/note.ipynb": json.dumps(
        {"cells": CELLS, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    ),
    "code.py": "def thread_directive():\n    'Makes a thread, and perhaps a directive.'\n",
}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    folder = tmp_path_factory.mktemp("contents")
    with Workspace(write_files(folder / "tree", TREE), folder / "index") as made:
        made.refresh()
        yield made


def found(workspace: Workspace, query: str, **options: Any) -> set[str]:
    """Returns the hits as `file#name`, with the last parts of their paths."""
    options = {"type": "all", **options} if "scope" not in options else options
    response = workspace.search(query, space="project", **options)
    return {f"{item.file_path.rpartition('/')[2]}#{item.name}" for item in response.items}


NEAR = {"enabled": True, "max_distance": 5}

EVERYWHERE = {
    "run.md#Run it", "run.md#run", "scan.py#scan", "README.md#Project", "README.md#README", "page.html#Page", "page.html#page",
    "code.py#thread_directive",
}  # fmt: skip

IN_MARKDOWN = {"run.md#Run it", "run.md#Closing", "README.md#Project"}


@pytest.mark.sample(22)
@pytest.mark.parametrize(
    ("query", "options", "expected"),
    [
        ('"thread directive"', {}, EVERYWHERE),
        ('content:"thread directive"', {}, EVERYWHERE),
        ('doc:"thread directive"', {}, EVERYWHERE - {"code.py#thread_directive"}),
        ('"thread directive"', {"scope": "tool"}, {"scan.py#scan"}),
        ('"thread directive"', {"scope": "directive.core.*"}, {"run.md#run"}),
        ('"thread directive" -kept', {"scope": "directive"}, set()),
        ('kept "thread directive"', {}, {"run.md#Run it", "run.md#run"}),
        ('lemon OR "thread directive"', {"type": "section", "paths": ["*.md"]},
         {"run.md#Run it", "run.md#Closing", "README.md#Project"}),
        ("x", {"fields": {"content": '"thread directive"'}, "type": "tool"}, set()),
        ("scan", {"fields": {"content": '"thread directive"'}, "type": "tool"}, {"scan.py#scan"}),
        ('"walrus pamphlet"', {}, {"note.ipynb#Notes", "note.ipynb#note"}),  # lines of a cell
        ('"is kept"', {}, {"run.md#Run it", "run.md#run"}),  # a common word, and markup
        ('"is the"', {}, set()),
        ('"lemon orange"', {}, set()),  # the next section begins between them
        ('"orange part the"', {}, set()),  # a title does not begin its section's text
        ('"one next"', {}, set()),
        ('"->"', {"type": "section"}, {"run.md#Orange part"}),
        ('"quick zebra"', {"type": "section"}, {"README.md#Long"}),
        # wildcards match words of the index
        ("content:*alru*", {}, {"note.ipynb#Notes", "note.ipynb#note"}),
        ('content:"walrus pamph*"', {}, set()),  # in quotes, a star is literal
        ("content:walrus-pamph*", {}, {"note.ipynb#Notes", "note.ipynb#note"}),
        ("thread kept", {"proximity": NEAR}, {"run.md#Run it", "run.md#run"}),
        ("every kept", {"proximity": {"enabled": True, "max_distance": 1}}, set()),
        ("lemon orange", {"proximity": NEAR}, set()),
        ('"thread directive"', {"type": "symbol"}, {"code.py#thread_directive"}),
    ],
)  # fmt: skip
def test_what_is_found(
    query: str, options: dict[str, Any], expected: set[str], workspace: Workspace
) -> None:
    assert found(workspace, query, **options) == expected


def snippets(workspace: Workspace, query: str, **options: Any) -> dict[str, SearchItem]:
    response = workspace.search(query, include=["snippet"], space="project", **options)
    return {item.name: item for item in response.items}


def test_a_snippet_is_cut_around_what_was_looked_for(workspace: Workspace) -> None:
    item = snippets(workspace, "zebra jumps", type="section")["Long"]
    assert isinstance(item.snippet, str)
    assert "The quick zebra jumps." in item.snippet
    assert len(item.snippet) <= LONGEST_SNIPPET
    assert item.snippet.startswith("… ") and item.snippet.endswith(" …")
    assert item.changed is UNSET
    whole = snippets(workspace, '"thread directive"', type="section")["Page"]
    assert whole.snippet == "A thread\ndirective: one."
    assert (
        snippets(workspace, "thread_directive")["thread_directive"].snippet
        == "Makes a thread, and perhaps a directive."
    )


def test_the_preview_of_rye_is_the_text(workspace: Workspace) -> None:
    response = workspace.search(
        '"thread directive"', scope="directive", space="project", include=[*RYE_NEEDS]
    )
    [result] = as_rye(response).results
    assert (
        result.preview
        == "Run it Every thread directive is *kept*. Closing This ends with lemon. Orange part The `is->arrow` sign."
    )
    symbol = workspace.search("thread_directive", include=[*RYE_NEEDS])
    assert (
        as_rye(symbol).results[0].preview
        == "def thread_directive() Makes a thread, and perhaps a directive."
    )
