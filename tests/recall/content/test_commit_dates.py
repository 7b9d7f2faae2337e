"""The date of a file in git's history is that of the last commit that changed it."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from symindex.recall.content import commit_dates as module
from symindex.recall.content.commit_dates import commit_dates
from tests.support.files import write_files
from tests.support.git import git

Commit = Callable[[str, Sequence[str]], None]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    return root


@pytest.fixture
def commit(root: Path, monkeypatch: pytest.MonkeyPatch) -> Commit:
    """Commits changes of some files in a year; their author wrote them in 2001."""
    for name, value in (("AUTHOR", "a"), ("COMMITTER", "c")):
        monkeypatch.setenv(f"GIT_{name}_NAME", value)
        monkeypatch.setenv(f"GIT_{name}_EMAIL", f"{value}@b.example")
    monkeypatch.setenv("GIT_AUTHOR_DATE", "2001-01-01T00:00:00Z")

    def make(year: str, paths: Sequence[str]) -> None:
        monkeypatch.setenv("GIT_COMMITTER_DATE", f"{year}-01-01T00:00:00Z")
        for path in paths:
            old = (root / path).read_text() if (root / path).exists() else ""
            write_files(root, {path: f"{old}{year}\n"})
        git(root, "add", "-A")
        git(root, "commit", "-q", "-m", year)

    return make


def years(root: Path) -> dict[str, int]:
    return {
        path: datetime.fromtimestamp(ms / 1_000, UTC).year
        for path, ms in commit_dates(root).items()
    }


def test_the_last_commit_of_a_file_counts(root: Path, commit: Commit) -> None:
    commit("2010", ["a.md", "b.md", "dir/é d.md"])
    commit("2020", ["a.md"])
    assert years(root) == {"a.md": 2020, "b.md": 2010, "dir/é d.md": 2010}
    assert years(root / "dir") == {"é d.md": 2010}
    commit("2015", ["a.md"])  # a clock that was wrong
    assert years(root)["a.md"] == 2015
    git(root, "checkout", "-q", "-b", "branch")
    commit("2021", ["b.md"])
    git(root, "checkout", "-q", "main")
    commit("2022", ["c.md"])
    git(root, "merge", "-q", "--no-edit", "branch")
    assert years(root) == {"a.md": 2015, "b.md": 2021, "c.md": 2022, "dir/é d.md": 2010}


def test_a_history_that_is_too_long_gives_its_newest_dates(
    root: Path, commit: Commit, monkeypatch: pytest.MonkeyPatch
) -> None:
    # More names than a pipe holds, so that git cannot end before it is ended.
    commit("2010", [f"{'x' * 200}{number}.md" for number in range(400)])
    for year, name in (("2020", "new.md.more"), ("2021", "new.md")):
        commit(year, [name])
    monkeypatch.setattr(module, "MOST_COMMITS", 2)
    assert years(root) == {"new.md": 2021, "new.md.more": 2020}
    words = b"\x011609459200\n\nnew.md\0\x011577836800\n\nnew.md.more\0"
    for most_bytes in range(1, len(words) + 2):
        monkeypatch.setattr(module, "MOST_BYTES", most_bytes)
        file_years = years(root)
        assert set(file_years.items()) <= {("new.md", 2021), ("new.md.more", 2020)}, most_bytes
    assert file_years == {"new.md": 2021, "new.md.more": 2020}
    monkeypatch.setattr(module, "MOST_BYTES", len(words) - 1)
    assert years(root) == {"new.md": 2021}
