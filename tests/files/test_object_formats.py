"""A repository whose hashes are SHA-256 gives the answers of one whose hashes are SHA-1."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from symindex.fetch.item_content import file_at_revision
from symindex.recall.content.commit_dates import commit_dates, head_of
from symindex.workspace.workspace import Workspace
from tests.support.files import write_files
from tests.support.git import git

_HASH = re.compile(r"\b[0-9a-f]{12,64}\b")

FIRST = {
    ".gitignore": "*.log.py\n",
    "a.py": "def one():\n    return 1\n\n\ndef two():\n    return 2\n",
    "same.py": "def same():\n    return 1\n",
    "moved.py": "def moved():\n    return 1\n",
    "gone.py": "def gone():\n    return 1\n",
    "kept.log.py": "def tracked_though_ignored():\n    return 1\n",
}


def commit(root: Path, message: str) -> None:
    git(root, "add", "-A", "-f")
    git(root, "-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-q", "-m", message)


def make_repository(root: Path, object_format: str) -> None:
    """Makes a repository with a submodule and three commits, and edits its files."""
    other = write_files(root.parent / "other", {"inner.py": "def inner():\n    return 1\n"})
    for place in (other, write_files(root, FIRST)):
        git(place, "init", "-q", "-b", "main", f"--object-format={object_format}")
        commit(place, "first")
    git(root, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(other), "sub")
    commit(root, "second")
    write_files(root, {"a.py": FIRST["a.py"].replace("return 2", "return 3")})
    commit(root, "third")
    write_files(
        root, {"a.py": FIRST["a.py"].replace("return 1", "return 4"), "new.log.py": "x = 1\n"}
    )
    write_files(root / "sub", {"inner.py": "def inner():\n    return 2\n"})
    (root / "moved.py").rename(root / "elsewhere.py")
    (root / "gone.py").unlink()


def answers(root: Path, index: Path) -> Iterator[tuple[str, Any]]:
    """Yields what each question about a repository answers."""
    yield "head", head_of(root)
    yield "dates", sorted(commit_dates(root))
    yield "content", [file_at_revision(root, "a.py", version) for version in ("HEAD", "HEAD~2")]
    yield "content by hash", file_at_revision(root, "a.py", git(root, "rev-parse", "HEAD~1"))
    with Workspace(root, index) as workspace:
        for since in ("HEAD", "HEAD~2", git(root, "rev-parse", "HEAD~2")[:12]):
            yield f"since {since}", workspace.changed(since)
        yield "tracked", workspace.search("tracked_though_ignored").total
        for name in ("same", "tracked_though_ignored"):
            symbol = workspace.symbol(name, history=True).symbol
            assert symbol is not None
            yield f"history of {name}", symbol.last_commit
        yield "blame", workspace.blame("a.py")
        for lines in (None, "5-6"):
            yield f"commits of {lines}", workspace.line_history("a.py", lines=lines, patches=True)
        for path in ("a.py", "sub/inner.py"):
            yield f"{path} then", workspace.file_at(path)
            yield f"head of {path}", workspace.head(path)


@pytest.mark.slow
def test_both_object_formats_give_the_same_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2021-05-05T00:00:00Z")
    monkeypatch.setenv("GIT_AUTHOR_DATE", "2021-05-05T00:00:00Z")
    answers_by_format: dict[str, dict[str, str]] = {}
    for object_format in ("sha1", "sha256"):
        root = tmp_path / "tree"
        make_repository(root, object_format)
        answers_by_format[object_format] = {
            _HASH.sub("HASH", question): _HASH.sub("HASH", repr(answer))
            for question, answer in answers(root, tmp_path / f"index of {object_format}")
        }
        assert len(git(root, "rev-parse", "HEAD")) == {"sha1": 40, "sha256": 64}[object_format]
        for name in ("tree", "other"):
            os.rename(tmp_path / name, tmp_path / f"{name} of {object_format}")
    assert answers_by_format["sha256"] == answers_by_format["sha1"]
    changes = answers_by_format["sha256"]["since HEAD"]
    assert "'a.py'" in changes and "'sub/inner.py'" in changes and "same.py" not in changes
    assert "renamed_from='moved.py'" in changes
    assert (
        answers_by_format["sha256"]["tracked"] == "1"
        and "first" in answers_by_format["sha256"]["history of same"]
    )
