"""A tree does not gain the trust of the user's own files when an environment variable names a
folder in it."""

import os
from pathlib import Path

import pytest

from symindex.errors import RequestError
from symindex.files import locations
from symindex.files.locations import check_own_folders
from symindex.workspace.workspace import Workspace, open_content, open_dependencies, open_notes
from tests.support.command import run_symindex
from tests.support.files import write_files

VARIABLES = ["HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "SYMINDEX_DATA_DIR"]

pytestmark = pytest.mark.skipif(os.name == "nt", reason="this system names these folders itself")


def system_home(monkeypatch: pytest.MonkeyPatch, home: Path | None) -> None:
    monkeypatch.setattr(locations, "_system_home", lambda: home)


def only(monkeypatch: pytest.MonkeyPatch, **values: Path) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    for name, value in values.items():
        monkeypatch.setenv(name, str(value))


@pytest.mark.parametrize("place", [".", "in/it", "way"])
@pytest.mark.parametrize("variable", VARIABLES)
def test_a_folder_of_the_users_in_a_tree(
    variable: str, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write_files(tmp_path / "tree", {"a.py": "", ".git/HEAD": "", "sub/b.py": ""})
    (root / "way").symlink_to(root / "in")
    monkeypatch.setenv(variable, str(root / place))
    for start in (root, root / "sub"):
        for use in (Workspace, open_notes, open_content, open_dependencies):
            with pytest.raises(
                RequestError, match=rf"{variable} is '.*', which is in the tree {root}: files of"
            ):
                use(start)
    monkeypatch.setenv(variable, str(tmp_path / "tree2"))
    check_own_folders(root)


def test_the_home_folder_that_the_system_has_is_the_users_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    (home / ".config").mkdir(parents=True)
    system_home(monkeypatch, home)
    only(monkeypatch, HOME=home)
    for root in (home, tmp_path, home / ".config", home / "project"):
        check_own_folders(root)
    only(monkeypatch, HOME=home, XDG_CONFIG_HOME=home / "project" / "config")
    check_own_folders(home)
    with pytest.raises(RequestError, match="XDG_CONFIG_HOME is"):
        check_own_folders(home / "project")
    system_home(monkeypatch, None)
    only(monkeypatch, HOME=home)
    with pytest.raises(RequestError, match="HOME is"):
        check_own_folders(home)


def test_a_cache_that_is_not_used_does_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system_home(monkeypatch, tmp_path / "home")
    only(monkeypatch, HOME=tmp_path / "home", XDG_CACHE_HOME=tmp_path / "tree" / "cache")
    with pytest.raises(RequestError, match="XDG_CACHE_HOME is"):
        check_own_folders(tmp_path / "tree")
    monkeypatch.setenv("SYMINDEX_INDEX_DIR", str(tmp_path / "indexes"))
    check_own_folders(tmp_path / "tree")


@pytest.mark.nightly
@pytest.mark.slow
def test_the_command_line_reads_nothing_of_such_a_folder(tmp_path: Path) -> None:
    """git does not read it either: its configuration names files for git to write."""
    written = tmp_path / "written"
    root = write_files(tmp_path / "tree", {
        "a.py": "def a(): pass\n", ".gitconfig": f"[trace2]\n\teventTarget = {written}\n[include]\n\tpath = pipe\n",
        ".config/symindex/config.toml": 'verify = "off"\n', ".local/share/symindex/notes/notes.db": "x",
    })  # fmt: skip
    os.mkfifo(root / "pipe")
    before = sorted(path for path in root.rglob("*"))
    names = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    for words in (
        ["search", "a"],
        ["changed"],
        ["recall", "a"],
        ["note", "list"],
        ["fetch", "code:a"],
    ):
        done = run_symindex(*words, cwd=root, env={**names, "HOME": str(root)})
        assert done.returncode == 2 and done.stderr.count("\n") == 1, (words, done.stderr)
        assert "HOME is" in done.stderr or "is your home folder" in done.stderr, (
            words,
            done.stderr,
        )
    assert not written.exists() and sorted(path for path in root.rglob("*")) == before


@pytest.mark.parametrize("root", ["~no-such-user", "a\0b", "", "missing"])
def test_a_root_that_is_no_folder_is_an_error_in_a_line(root: str) -> None:
    with pytest.raises(RequestError) as caught:
        Workspace(root)
    assert "\n" not in str(caught.value) and "\0" not in str(caught.value)
