"""Merged indexes: the bytes of an index of all files at once, whatever is merged first, and however
little is read at a time."""

import os

import msgspec
import numpy as np
import pytest

from symindex.index import build
from symindex.index.build import build_index
from symindex.index.columns.columns import Index
from symindex.index.columns.layout import Columns
from symindex.index.kept_files import KeptFiles
from symindex.index.words import build_mentions, build_words, kept_postings, mentions
from symindex.packages.indexes.environment_base import merge
from symindex.workspace.workspace import Workspace
from tests.support.files import Files, Maker, write_files
from tests.support.rows import without_stamps

SALT = b"salt"

REPOSITORIES: dict[str, Files] = {
    "acme/core": {
        "src/store.py": "class Store:\n    '''Keeps the boxes.'''\n    def get(self): pass\n",
        "src/größe.py": "def größe(): return Store().get()\n",
        "README.md": "# Core\n\nKeeps boxes, boxes and boxes.\n\n## Boxes\n\nOf any size.\n",
        "binary.py": b"\0\1",
    },
    "acme/web": {
        "store.go": "package store\n\n// Get says what is stored.\nfunc Get() {}\n",
        "tests/store_test.py": "def test_store(): Store().get()\n",
        ".agents/skills/boxes/SKILL.md": "---\nname: boxes\ndescription: Packs.\n---\n# Pack\n",
    },
    "zoo/api": {
        "a/A.java": "/** Stores. */\nclass A { int getStore() { return 1; } }\n",
        "a/odd.py": b"a = 1  # \xe9\ndef odd(): pass\n",
        "b/text.md": "Boxes are stored.\n\n# Stores\n\nStored boxes store boxes.\n",
        "empty.py": "",
    },
}


def index_of(workspace: Workspace) -> Index:
    (part,) = workspace.source.indexed.snapshot.parts
    return part.index


def made(make_workspace: Maker, files: Files) -> Index:
    """Returns the index of files that all have the same time."""
    workspace = make_workspace({})
    for path in write_files(workspace.root, files).rglob("*"):
        os.utime(path, ns=(5, 5))
    workspace.refresh()
    return index_of(workspace)


@pytest.fixture
def whole(make_workspace: Maker) -> Index:
    """The index of all repositories at once."""
    return made(
        make_workspace,
        {
            f"{name}/{path}": text
            for name, files in REPOSITORIES.items()
            for path, text in files.items()
        },
    )


def same_salt(index: Index) -> bytes:
    """Returns the bytes of an index, made again with SALT."""
    return without_stamps(merge([(index, "")], SALT).columns)


def without_ids(columns: Columns) -> bytes:
    """Returns the bytes of an index without the facts about items: their ids begin at the root of
    the tree that was read."""
    assert columns.documents is not None and columns.documents.item_facts
    documents = msgspec.structs.replace(columns.documents, item_facts=memoryview(b""))
    return without_stamps(msgspec.structs.replace(columns, documents=documents))


def test_a_merge_is_the_index_of_all_files(make_workspace: Maker, whole: Index) -> None:
    one, two, three = (
        (made(make_workspace, files), f"{name}/") for name, files in REPOSITORIES.items()
    )
    merged = merge([one, two, three], SALT)
    assert without_ids(merged.columns) == without_ids(merge([(whole, "")], SALT).columns)
    for parts in (
        [(merge([one, two], SALT), ""), three],
        [one, (merge([two, three], b"other"), "")],
        [(merge([three], SALT), ""), (merge([two, one], SALT), "")],
    ):
        assert without_stamps(merge(parts, SALT).columns) == without_stamps(merged.columns)


def test_parts_of_a_repository_are_merged_to_its_index(whole: Index) -> None:
    """Its files may be divided anyhow, as when several tasks read a repository."""
    numbers = np.arange(whole.n_files)
    for n_tasks in (2, 3, len(numbers)):
        read = [build_index([], [(whole, numbers[first::n_tasks])]) for first in range(n_tasks)]
        parts: list[KeptFiles] = [(index, np.arange(index.n_files)) for index in read]
        assert without_stamps(build_index([], parts, SALT).columns) == same_salt(whole)


def test_how_much_is_read_at_a_time_makes_no_difference(
    whole: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = same_salt(whole)
    some = np.arange(0, whole.n_files, 2)
    of_some = without_stamps(build_index([], [(whole, some)]).columns)
    for module, limit in (
        (build_words, "_MOST_KEYS"),
        (build_mentions, "_MOST_KEYS"),
        (kept_postings, "_AT_ONCE"),
        (mentions, "_AT_ONCE"),
        (build_words, "_TEXTS_AT_ONCE"),
        (build, "_LARGE"),
    ):
        monkeypatch.setattr(module, limit, 1)
        assert same_salt(whole) == expected
        assert without_stamps(build_index([], [(whole, some)]).columns) == of_some
