"""include, exclude and languages: excluded files are in no answer, are counted, and return when
these settings change."""

import random
from pathlib import Path

import pytest

from symindex.extract.languages.registry import Languages, load_languages
from symindex.extract.read import read_file
from symindex.extract.records import FileSymbols, ReadTask
from symindex.files import walk as walk_module
from symindex.files.access.beneath import Beneath
from symindex.files.ignore.selection import EVERYTHING, Selection
from symindex.files.skips import SkipReason
from symindex.files.walk import FileFilter, Walk, walk_folders, walk_tree
from symindex.protocol.freshness import CURRENT_OR_SCAN
from symindex.search.answer.filters import path_filter
from symindex.search.unindexed.scan import ScanSeconds
from symindex.workspace.workspace import Workspace
from tests.support.files import Files, Maker, write_files
from tests.support.rows import content, ids

LANGUAGES = load_languages()

FILES: Files = {
    "a.py": "a = 1\n", "b.go": "package b\n\nfunc B() {}\n", "src/a.py": "a = 2\n", "src/gen/x_pb2.py": "x = 1\n",
    "src/gen/keep.py": "keep = 1\n", "lib/src/y.py": "y = 1\n", "docs/a.py": "a = 3\n", "docs/deep/er/z.py": "z = 1\n",
}  # fmt: skip

CASES: dict[str, tuple[Selection, list[str]]] = {
    "include below a folder": (
        Selection(("src/**",)),
        ["src/a.py", "src/gen/keep.py", "src/gen/x_pb2.py"],
    ),
    "include a folder": (
        Selection(("/src/",)),
        ["src/a.py", "src/gen/keep.py", "src/gen/x_pb2.py"],
    ),
    "include a name at any depth": (
        Selection(("src",)),
        ["lib/src/y.py", "src/a.py", "src/gen/keep.py", "src/gen/x_pb2.py"],
    ),
    "include several": (Selection(("*.go", "docs/**/z.py")), ["b.go", "docs/deep/er/z.py"]),
    "exclude a folder": (Selection((), ("src", "docs/")), ["a.py", "b.go"]),
    "exclude what is in a folder": (
        Selection((), ("src/**", "docs/*")),
        ["a.py", "b.go", "lib/src/y.py"],
    ),
    "exclude a name": (
        Selection((), ("*_pb2.py", "a.py")),
        ["b.go", "docs/deep/er/z.py", "lib/src/y.py", "src/gen/keep.py"],
    ),
    "both": (Selection(("src/**",), ("gen",)), ["src/a.py"]),
    "exclude wins over include": (Selection(("src/gen/x_pb2.py",), ("*_pb2.py",)), []),
    "exclude all": (Selection((), ("**/**",)), []),
    "nothing matches": (Selection(("no/such/*.py",)), []),
}


def walked(root: Path, wanted: FileFilter) -> list[str]:
    return [
        path
        for path in walk_tree(root, wanted).files.paths
        if not path.endswith((".gitignore", ".toml"))
    ]


@pytest.mark.parametrize(("selection", "files"), CASES.values(), ids=CASES)
def test_which_files_are_chosen(selection: Selection, files: list[str], tmp_path: Path) -> None:
    write_files(tmp_path, FILES)
    assert walked(tmp_path, LANGUAGES.wanted(1000, selection)) == files


def test_excluded_beats_a_negation_and_ignored_beats_an_inclusion(tmp_path: Path) -> None:
    write_files(
        tmp_path,
        {
            **FILES,
            ".gitignore": "a.py\n",
            "src/.gitignore": "!a.py\n",
            "src/gen/.gitignore": "!x_pb2.py\n",
        },
    )
    selection = Selection(("a.py", "gen"), ("x_pb2.py",))
    assert walked(tmp_path, LANGUAGES.wanted(1000, selection)) == ["src/a.py", "src/gen/keep.py"]
    walk = walk_tree(tmp_path, LANGUAGES.wanted(1000, Selection((), ("src/a.py", "gen"))))
    assert (walk.ignored, walk.deselected) == (2, 2)  # a.py, docs/a.py; src/a.py, src/gen/


def test_folders_without_anything_to_include_are_not_entered(tmp_path: Path) -> None:
    write_files(tmp_path, FILES)
    assert sorted(walk_folders(tmp_path, Selection(("src/gen/*.py", "/docs/a.py")))) == [
        "",
        "docs/",
        "src/",
        "src/gen/",
    ]
    assert sorted(walk_folders(tmp_path, Selection((), ("src/**", "/docs")))) == [
        "",
        "lib/",
        "lib/src/",
    ]
    assert len(walk_folders(tmp_path, Selection(("*.py",)))) == len(walk_folders(tmp_path)) == 8


PARTS = ["a", "b", "src", "*", "**", "?", "[ab]", "a*", "*.py", "[!a]", "x.py", "a.py"]


def random_glob(chance: random.Random) -> str:
    glob = "/".join(chance.choice(PARTS) for _ in range(chance.randint(1, 3)))
    return chance.choice(["", "", "/", "./"]) + glob + chance.choice(["", "", "/", "/**"])


def random_globs(chance: random.Random) -> tuple[str, ...]:
    return tuple(random_glob(chance) for _ in range(chance.choice([0, 1, 1, 2, 3])))


@pytest.mark.nightly
@pytest.mark.slow
def test_random_globs_choose_what_the_filter_of_a_search_lets_through(tmp_path: Path) -> None:
    chance = random.Random(5)
    folders = ["", "a/", "b/", "src/", "a/b/", "src/a/", "src/b/a/", "b/src/a/", "a.py/", "a/a/a/"]
    write_files(
        tmp_path,
        {
            f"{folder}{name}": ""
            for folder in folders
            for name in ("x.py", "a.pyi", "b.py", "ab.py")
        },
    )
    paths = walked(tmp_path, LANGUAGES.wanted(1000))
    assert len(paths) == 40
    outcomes = set()
    for _ in range(600):
        selection = Selection(random_globs(chance), random_globs(chance))
        lets_through = path_filter(
            [*selection.include, *(f"!{glob}" for glob in selection.exclude)]
        )
        chosen_paths = walked(tmp_path, LANGUAGES.wanted(1000, selection))
        assert chosen_paths == [path for path in paths if lets_through(path)], selection
        outcomes.add(len(chosen_paths))
    assert len(outcomes) > 20


@pytest.mark.nightly
def test_languages_with_one_extension_are_still_distinguished(make_workspace: Maker) -> None:
    workspace = make_workspace({
        "symindex.toml": "languages = ['C', 'py']\n", "a.h": "int one(void);\n", "b.h": "class Two { int f(); };\n",
        "c.py": "three = 3\n", "script": "#!/usr/bin/env python3\nfour = 4\n", "other": "#!/bin/bash\nfive() { :; }\n",
        "d.rb": "class Six; end\n", "notes.txt": "",
    })  # fmt: skip
    assert ids(workspace) == ["a.h#one", "c.py#three", "script#four"]
    rows = {row.reason: row.count for row in workspace.refresh().skipped}
    assert rows[SkipReason.DESELECTED] == 4  # b.h, other, d.rb, notes.txt
    assert workspace.status().unsupported == {}
    assert workspace.refresh(paths=["c.py", "other"]).read <= 1


def settings_of(chance: random.Random) -> str:
    globs = ["a", "/a/", "src/**", "*.py", "b/*", "*.h", "/script", "**/a/*"]
    words = ["python", "Go", ".h", "c", "bash"]
    keys = {"include": (globs, 0.4), "exclude": (globs, 0.6), "languages": (words, 0.5)}
    return "".join(
        f"{key} = {chance.sample(choice, chance.randint(1, 3)) if chance.random() < share else []}\n"
        for key, (choice, share) in keys.items()
    )


def read_here(
    root: Path, tasks: list[tuple[ReadTask, int]], *, languages: Languages, **_: object
) -> list[FileSymbols]:
    with Beneath(root) as tree:
        return [read_file(tree, task, languages, 1000) for task, _ in tasks]


@pytest.mark.sample(2)
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_incremental_equals_full_after_changes_of_settings(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("symindex.workers.parsing.read_files", read_here)
    monkeypatch.setattr(
        "symindex.extract.records.SETTLED_NS", 0
    )  # files written here are read once, without a second look
    chance = random.Random(seed)
    root = tmp_path / "tree"
    names = {
        "x.py": "x = 1\n", "a.h": "int a(void);\n", "b.h": "class B { int f(); };\n", "script": "#!/bin/sh\nf() { :; }\n",
        "m.go": "package m\n\nfunc M() {}\n", "tool": "#!/usr/bin/python\nt = 1\n",
    }  # fmt: skip
    write_files(
        root,
        {
            f"{folder}{name}": text
            for folder in ("", "a/", "b/", "src/", "src/a/")
            for name, text in names.items()
        },
    )
    write_files(root, {"src/.gitignore": "*.py\n!x.py\n"})
    sizes = set()
    for step in range(12):
        write_files(
            root,
            {
                "symindex.toml": settings_of(chance),
                chance.choice(["x.py", "a/x.py"]): f"x{step} = 1\n",
            },
        )
        with (
            Workspace(root, tmp_path / "kept") as workspace,
            Workspace(root, tmp_path / f"full{step}") as full,
        ):
            report, other = workspace.refresh(), full.refresh()
            assert ids(workspace) == ids(full)
            assert content(workspace) == content(full)
            assert report.skipped == other.skipped
            sizes.add(len(ids(full)))
            assert {
                file.path for file, _ in workspace.source.indexed.snapshot.files_and_counts()
            } == {file.path for file, _ in full.source.indexed.snapshot.files_and_counts()}
    assert len(sizes) > 4


@pytest.mark.nightly
def test_a_changed_selection_reads_only_what_it_brings(
    make_workspace: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = make_workspace(
        {**FILES, "symindex.toml": "languages = ['python']\nexclude = ['docs']\n"}
    )
    entered: list[str] = []
    enter = walk_module.enter_folder

    def watch(tree: Beneath, base: str, *more: object) -> object:
        entered.append(base)
        return enter(tree, base, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(walk_module, "enter_folder", watch)
    (workspace.root / "symindex.toml").write_text("")
    with Workspace(workspace.root, workspace.source.indexed.folder.parent) as again:
        report = again.refresh()
        assert (report.read, report.removed) == (3, 0)
        assert "docs/" in entered
    (workspace.root / "symindex.toml").write_text("languages = ['python']\nexclude = ['docs']\n")
    entered.clear()
    with Workspace(workspace.root, workspace.source.indexed.folder.parent) as again:
        report = again.refresh()
        assert (report.read, report.removed) == (0, 3)
        assert "docs/" not in entered


def test_an_early_answer_holds_to_the_selection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("symindex.search.unindexed.before_index.LARGE_BYTES", 0)
    monkeypatch.setattr("symindex.search.unindexed.before_index.READER_SECONDS", ScanSeconds(60.0))
    root = write_files(tmp_path / "tree", {
        "a.py": "class Sought: pass\n", "docs/a.py": "class Sought: pass\n", "b.h": "class Sought { int f(); };\n",
        "c.rb": "class Sought; end\n", "script": "#!/usr/bin/env ruby\nclass Sought; end\n", "d.h": "struct Sought { int i; };\n",
        "symindex.toml": "languages = ['python', 'c']\nexclude = ['docs']\n",
    })  # fmt: skip
    with Workspace(root, tmp_path / "index") as workspace:
        early = workspace.search("Sought", freshness=CURRENT_OR_SCAN)
        assert "the index is still being built" in str(early.notices)
        full = workspace.search("Sought")
        assert (
            sorted(item.file_path for item in early.items)
            == sorted(item.file_path for item in full.items)
            == ["a.py", "d.h"]
        )


def test_an_answer_that_is_empty_by_the_settings_says_so(make_workspace: Maker) -> None:
    workspace = make_workspace({**FILES, "symindex.toml": "include = ['no/such/**']\n"})
    (notice,) = workspace.search("a").notices or []
    assert notice.startswith("the index is empty: ") and str(SkipReason.DESELECTED) in notice


def test_nothing_is_counted_without_a_selection(tmp_path: Path) -> None:
    walk: Walk = walk_tree(write_files(tmp_path, FILES), LANGUAGES.wanted(1000, EVERYTHING))
    assert (walk.deselected, len(walk.files)) == (0, len(FILES))
