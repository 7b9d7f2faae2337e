"""Searches skip files that cannot contain a name, by the index, and their answers do not change."""

import os
import random
import re
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from symindex.explore.references import known_files, mentions, references
from symindex.explore.references.candidates import CandidateFile, Choosing, candidates_of
from symindex.explore.references.known_files import KnownFiles
from symindex.explore.references.mention_job import FileToSearch
from symindex.extract.texts.file_text import to_utf8
from symindex.files.access.beneath import Beneath
from symindex.protocol.explore import ReferencesRequest
from symindex.protocol.freshness import CACHED, CURRENT
from symindex.resolve.tree import Tree, read_bytes
from symindex.text.patterns.whole_words import find_words, forms_of
from symindex.workers.process import Process
from symindex.workspace.workspace import Workspace
from tests.support.files import Files, Maker, write_files
from tests.support.mixed_tree import TREE
from tests.support.references import places

_SOURCE = Path(known_files.__file__).parents[2]
_MOST_BYTES = 1_000_000
_WORD = re.compile(rb"[$@#~]?[\w\x80-\xff]+[?!=]?(?:-[\w\x80-\xff]+)?")


def _tree(workspace: Workspace) -> Tree:
    return workspace.source.tree_of(workspace.source.view())


def _settled(workspace: Workspace) -> None:
    """Waits until changes of files are seen by their times."""
    time.sleep(0.1)
    workspace.refresh()


@pytest.fixture(scope="module")
def own_source(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """The source of symindex, indexed."""
    with Workspace(_SOURCE, tmp_path_factory.mktemp("index")) as workspace:
        workspace.refresh()
        yield workspace


def _missing(tree: Tree, seed: int, n_words: int) -> tuple[list[tuple[str, str]], int]:
    """Returns names that are in a file which is not searched for them, with its path, and how many
    files were not searched for all names together. The names are random words of random files."""
    candidates = candidates_of(tree, [], []).files
    texts = [to_utf8(read_bytes(tree, one.file.path, _MOST_BYTES))[0] for one in candidates]
    chosen = random.Random(seed)
    wrong, n_without = [], 0
    for _ in range(n_words):
        words = _WORD.findall(chosen.choice(texts))
        if not words:
            continue
        name = chosen.choice(words).decode("utf-8", "replace")
        forms = forms_of(name)
        choose = KnownFiles(tree).choosing(forms, _MOST_BYTES, time.monotonic() + 60)
        searched = {one.file.path for one in candidates_of(tree, [], [], choose).files}
        n_without += len(candidates) - len(searched)
        wrong += [
            (name, one.file.path)
            for one, text in zip(candidates, texts, strict=True)
            if one.file.path not in searched and find_words(text, forms)
        ]
    return wrong, n_without


def test_no_file_of_a_real_tree_with_the_name_is_left_out(own_source: Workspace) -> None:
    wrong, n_without = _missing(_tree(own_source), 1, 150)
    assert not wrong
    assert n_without > 10_000


def test_no_file_in_any_language_with_the_name_is_left_out(make_workspace: Maker) -> None:
    odd: Files = {
        "nul.py": b"#" * 9_000 + b"\nUseA\0UseB = 1\n",
        "utf16.py": "Gr\u00f6\u00dfe = Other\n".encode("utf-16"),
        "nfd.py": "print(Gro\u0308\u00dfe, O\u0308ne)\n",
        "marked.py": b"\xef\xbb\xbfUseC = UseD\n",
        "latin.py": b"# coding: latin-1\nGr\xf6sse = UseE\n",
        "page.html": "<script>UseF()</script><p>UseG</p>\n",
        "valid.rb": "def Valid?; end\nx.Valid? || x.Valid\n@Inst = $Glob\n",
        "own.js": "class D { #Own = 1; get() { return this.#Own + $Own + Own } }\n",
    }
    workspace = make_workspace({**TREE, **odd})
    _settled(workspace)
    wrong, n_without = _missing(_tree(workspace), 2, 400)
    assert not wrong
    assert n_without > 1_000


class _Sent:
    """Notes which files are sent to workers."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.paths: list[str] = []
        order_of = mentions.order_of

        def noting(tree: Tree, candidate: CandidateFile) -> FileToSearch:
            self.paths.append(candidate.file.path)
            return order_of(tree, candidate)

        monkeypatch.setattr(mentions, "order_of", noting)

    def take(self) -> list[str]:
        paths, self.paths = sorted(set(self.paths)), []
        return paths


def test_files_that_have_changed_are_searched(
    make_workspace: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = make_workspace(
        {f"m{number}.py": f"Value{number} = len({number})\n" for number in range(8)}
    )
    _settled(workspace)
    sent, root = _Sent(monkeypatch), workspace.source.folders_by_prefix[""][0]
    assert places(workspace.references("Value3")) == ["m3.py:1:1"]
    assert sent.take() == ["m3.py"]
    assert places(workspace.references("Missing")) == []
    assert sent.take() == []
    write_files(root, {"m5.py": "Value5 = Value3\n"})
    (root / "m6.py").unlink()
    (root / "m7.py").replace(root / "kept")
    (root / "m7.py").symlink_to("kept")
    answer = workspace.references("Value3")
    assert places(answer) == ["m3.py:1:1", "m5.py:1:10"]
    assert sent.take() == ["m3.py", "m5.py", "m6.py", "m7.py"]
    assert "m6.py (No such file or directory)" in str(answer.notices)
    assert "m7.py (" in str(answer.notices)
    assert places(workspace.references("Value3", languages=["python"], paths=["m5.py"])) == [
        "m5.py:1:10"
    ]


def test_pages_are_the_same_with_and_without(
    own_source: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(references, "COUNT_SECONDS", 30.0)  # all pages are counted
    requests: list[tuple[str, int]] = [
        ("MentionSearch", 3),
        ("find_words", 2),
        ("symindex.Missing", 5),
        ("forms_of", 100),
        ("resolve/tree.py#Tree", 20),
    ]

    def pages() -> list[object]:
        read: list[object] = []
        for name, most in requests:
            token: str | None = None
            while True:
                page = own_source.references(name, seconds=60, max_items=most, pagination_id=token)
                read.append(page)
                token = page.pagination_id
                if token is None or len(read) > 40:
                    break
        read += [
            own_source.hierarchy("MentionSearch", direction="callers"),
            own_source.hierarchy("Pool", direction="subtypes"),
            own_source.hierarchy("find_words", direction="tests"),
        ]
        return read

    with_index = pages()

    def leaving_out_none(*_: object) -> Choosing:
        return lambda _, numbers: numbers

    monkeypatch.setattr(KnownFiles, "choosing", leaving_out_none)
    assert pages() == with_index


def test_files_are_compared_once_an_answer_and_only_if_they_were_not_yet(
    make_workspace: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A refresh has compared all files. What changes after it is noticed by the next answer."""
    workspace = make_workspace(
        {f"m{number}.py": f"Value{number} = len({number})\n" for number in range(8)}
    )
    _settled(workspace)
    root = workspace.source.folders_by_prefix[""][0]
    compared: list[str] = []
    statuses = Beneath.statuses

    def noting(self: Beneath, paths: Iterable[str]) -> Iterator[os.stat_result | None]:
        paths = [*paths]
        compared.extend(paths)
        return statuses(self, paths)

    monkeypatch.setattr(Beneath, "statuses", noting)
    workspace.references("Value3", freshness=CURRENT)
    assert compared == []
    workspace.hierarchy("m3.py#Value3", direction="callers")
    assert sorted(compared) == [f"m{number}.py" for number in range(8) if number != 3]
    write_files(root, {"m5.py": "Value5 = Value3\n"})
    for freshness in (CACHED, CURRENT, CACHED):
        answer = workspace.references("Value3", freshness=freshness)
        assert places(answer) == ["m3.py:1:1", "m5.py:1:10"]


def test_an_unsaved_text_is_searched_although_the_files_were_compared(
    make_workspace: Maker,
) -> None:
    workspace = make_workspace({"a.py": "Value1 = 1\n", "b.py": "Value2 = 2\n"})
    _settled(workspace)
    tree = _tree(workspace)._replace(is_current=True, texts={"b.py": b"Value2 = Value1\n"})
    answer = references.find_references(
        tree, ReferencesRequest(name="Value1"), _MOST_BYTES, 10.0, seconds=10.0
    )
    assert places(answer) == ["a.py:1:1", "b.py:1:10"]


def test_a_worker_serves_one_search_after_another(
    make_workspace: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It stays for other names and other requests, and ends with the workspace."""
    workspace = make_workspace({"a.py": "Value1 = 1\n", "b.py": "Value2 = Value1\n"})
    _settled(workspace)
    started: list[Process] = []
    begin = Process.begin

    def noting(self: Process) -> bool:
        started.append(self)
        return begin(self)

    monkeypatch.setattr(Process, "begin", noting)
    assert places(workspace.references("Value1")) == ["a.py:1:1", "b.py:1:10"]
    assert places(workspace.references("Value2")) == ["b.py:1:1"]
    workspace.hierarchy("a.py#Value1", direction="callers")
    workspace.grep("Value", where="code")
    assert len(started) == 1
    started[0].kill()  # as the system does when memory is short
    assert places(workspace.references("Value1")) == ["a.py:1:1", "b.py:1:10"]
    assert len(started) == 2
    assert started[1].is_alive
    workspace.close()
    assert not started[1].is_alive
