"""The key of a tree: what it depends on, and what is read to compute it."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from symindex.extract.languages.registry import Languages, load_languages
from symindex.extract.reading_rules import rules_digest
from symindex.files.walk import MAX_FILE_BYTES, FoundFile
from symindex.fleet.building.reading_plan import (
    KnownContent,
    ReadingPlan,
    TreeToRead,
    _read_digests,
    commit_key,
    make_plan,
)
from tests.support.files import write_files

FILES = {"b/z.py": "def z(): ...\n", "a.py": "def a(): ...\n", "b/a.js": "function a() {}\n"}


@pytest.fixture(scope="module")
def languages() -> Languages:
    return load_languages()


Plan = Callable[..., ReadingPlan]


@pytest.fixture
def plan(languages: Languages, tmp_path: Path) -> Plan:
    write_files(tmp_path, FILES)
    for path in tmp_path.rglob("*.*"):
        os.utime(path, (1_000_000_000, 1_000_000_000))

    def make(
        name: str = "acme/web",
        tree: str = "",
        is_commit: bool = False,
        rules: bytes = b"",
        known: KnownContent | None = None,
    ) -> ReadingPlan:
        return make_plan(
            TreeToRead(name, str(tmp_path), tree, is_commit),
            languages,
            rules or rules_digest(languages, ()),
            known or KnownContent(),
        )

    return make


def _paths(plan: ReadingPlan) -> list[str]:
    return [file.path for file in plan.files]


def test_the_files_are_in_order(plan: Plan, tmp_path: Path) -> None:
    """A hyphen and a dot come before a slash, digits after it."""
    more = {f"{name}{end}": "" for name in "zbmc" for end in (".py", "-c/y.py", "/x.py", "0/x.py")}
    write_files(tmp_path, more)
    for is_commit in False, True:
        assert _paths(plan(is_commit=is_commit)) == sorted(FILES | more)


def test_the_key_changes_with_the_content(plan: Plan, tmp_path: Path) -> None:
    first = plan().key
    assert plan().key == first
    os.utime(tmp_path / "a.py", (1_100_000_000, 1_100_000_000))
    assert plan().key == first
    assert plan(name="acme/copy").key != first
    write_files(tmp_path, {"a.py": "def b(): ...\n"})
    second = plan().key
    assert second != first
    (tmp_path / "a.py").rename(tmp_path / "c.py")
    assert plan().key not in (first, second)
    write_files(tmp_path, {"a.py": FILES["a.py"]})
    (tmp_path / "c.py").unlink()
    assert plan().key == first


def test_the_key_of_a_commit_is_known_without_its_files(plan: Plan, languages: Languages) -> None:
    rules = rules_digest(languages, ())
    assert plan(tree="abc", is_commit=True).key == commit_key("acme/web", "abc", rules)
    keys = {
        commit_key("acme/web", "abc", rules),
        commit_key("acme/web", "abd", rules),
        commit_key("acme/api", "abc", rules),
        commit_key("acme/web", "abc", b"others"),
    }
    assert len(keys) == 4


def test_settings_of_a_tree_change_its_key(plan: Plan, tmp_path: Path) -> None:
    """Also those that change what is read of a file, and not which files are read."""
    first = plan()
    selected = 'exclude = ["symindex.toml"]\n'
    keys, digests = [first.key], set()
    for more in (
        "",
        'languages = ["python"]\n',
        "code_fences = true\n",
        "overrides = {'*.js' = 'typescript'}\n",
    ):
        write_files(tmp_path, {"symindex.toml": selected + more})
        changed = plan()
        keys.append(changed.key)
        digests.add(changed.languages.reading_digest)
    assert len(set(keys)) == 4  # What is left out makes no difference by itself.
    assert len(digests) == 3


def test_nothing_is_read_while_the_stamp_stays(plan: Plan, tmp_path: Path) -> None:
    first = plan()
    assert set(first.digests) == set(FILES)
    again = plan(known=first.known)
    assert (again.digests, again.key, again.known) == ({}, first.key, first.known)
    os.utime(tmp_path / "a.py", (1_100_000_000, 1_100_000_000))
    third = plan(known=again.known)
    assert set(third.digests) == set(FILES)
    assert third.key == first.key and third.known.stamp != first.known.stamp
    # The stamp is that of one name and of one set of rules.
    assert plan(name="acme/api", known=first.known).digests
    settings = 'exclude = ["symindex.toml"]\ncode_fences = true\n'
    write_files(tmp_path, {"symindex.toml": settings})
    assert plan(known=third.known).digests


def test_files_that_have_just_changed_have_no_stamp(plan: Plan, tmp_path: Path) -> None:
    write_files(tmp_path, {"a.py": "def b(): ...\n"})
    first = plan()
    assert first.known.stamp == ""
    assert plan(known=first.known).digests  # An empty stamp tells nothing.


def test_a_file_that_is_not_read_changes_the_key(plan: Plan, tmp_path: Path) -> None:
    """The object says that it is left out."""
    first = plan()
    for number in 2, 1:
        large = tmp_path / f"large{number}.py"
        large.touch()
        os.truncate(large, MAX_FILE_BYTES + 1)
        os.utime(large, (1_000_000_000, 1_000_000_000))
    second = plan(known=first.known)
    assert second.key != first.key
    assert [path for path, _ in second.skips] == ["large1.py", "large2.py"]
    assert plan(known=second.known).digests == {}
    (tmp_path / "large1.py").unlink()
    assert plan(known=second.known).key not in (first.key, second.key)


def test_a_commit_has_all_of_its_files(plan: Plan, tmp_path: Path) -> None:
    write_files(tmp_path, {".gitignore": "a.py\n", ".git/HEAD": ""})
    assert "a.py" not in _paths(plan())
    assert "a.py" in _paths(plan(is_commit=True))


def test_a_file_that_has_vanished_has_no_digest(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.py": ""})
    files = [FoundFile("a.py", 0, 0), FoundFile("gone.py", 0, 0)]
    digests = _read_digests(tmp_path, files)
    assert digests["a.py"] and digests["gone.py"] == b""
