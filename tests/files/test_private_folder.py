"""We write only new files in the user's own folders, wherever a tree has put links, pipes and
settings."""

import os
import stat
from pathlib import Path

import pytest

from symindex.configuration import CONFIG_VARIABLE, read_configuration
from symindex.errors import RequestError, StorageError
from symindex.files.access import private_folder
from symindex.files.access.owners import why_not_ours
from symindex.files.access.private_folder import TRIES, PrivateFolder, begun_again
from symindex.index.store import FILE_NAME
from symindex.workspace.workspace import Workspace
from tests.support.command import run_unprivileged
from tests.support.files import write_files

PRECIOUS = "what the user has written"


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def precious(tmp_path: Path) -> Path:
    """A folder of the user's with a file that must not change."""
    return write_files(tmp_path / "home", {"precious": PRECIOUS})


def is_untouched(home: Path) -> bool:
    return [path.name for path in home.iterdir()] == ["precious"] and (
        home / "precious"
    ).read_text() == PRECIOUS


@pytest.mark.sample(2)
@pytest.mark.slow
@pytest.mark.parametrize(
    "place", ["OUTSIDE", "../home", ".", ".cache", "src/../../home", "link", "link/deeper", "~"]
)
def test_a_tree_does_not_choose_where_we_write(
    place: str, precious: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(precious))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = str(precious) if place == "OUTSIDE" else place
    root = write_files(
        tmp_path / "tree",
        {"a.py": "def found(): pass\n", "symindex.toml": f"index_dir = {folder!r}\n"},
    )
    (root / "link").symlink_to(precious)
    with Workspace(root) as workspace:
        notices = workspace.refresh().notices
        assert workspace.source.indexed.folder.parent == tmp_path / "cache" / "symindex"
    assert notices == [
        f"{root / 'symindex.toml'}: index_dir is ignored, because a source tree must not choose where symindex writes; "
        "set it with --index-dir or SYMINDEX_INDEX_DIR"
    ]
    assert is_untouched(precious)
    assert {path.name for path in root.iterdir()} == {"a.py", "symindex.toml", "link"}


def test_folders_and_files_are_the_users_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = os.umask(0)
    try:
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
        root = write_files(tmp_path / "tree", {f"f{i}.py": f"x{i} = 1\n" for i in range(20)})
        with Workspace(root) as workspace:
            workspace.refresh()
            write_files(root, {"f1.py": "y = 1\n"})
            workspace.refresh()
    finally:
        os.umask(old)
    assert len(list(workspace.source.indexed.folder.iterdir())) >= 6
    assert {mode_of(path) for path in workspace.source.indexed.folder.iterdir()} == {0o600}
    assert {
        mode_of(path)
        for path in (
            tmp_path / "cache",
            tmp_path / "cache" / "symindex",
            workspace.source.indexed.folder,
        )
    } == {0o700}


def test_a_folder_that_was_open_to_others_is_closed(tmp_path: Path) -> None:
    root = write_files(tmp_path / "tree", {"a.py": "x = 1\n"})
    with Workspace(root, tmp_path / "index") as workspace:
        workspace.source.indexed.folder.mkdir(0o777, parents=True)
        workspace.source.indexed.folder.chmod(0o777)
        workspace.refresh()
        assert mode_of(workspace.source.indexed.folder) == 0o700
        assert (
            mode_of(tmp_path / "index") != 0o700
        )  # the user named this folder, and may keep other things in it


@pytest.mark.sample(2)
@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        FILE_NAME,
        "symbols.new",
        "symbols.checked",
        "write.lock",
        "languages.kept",
        "languages.names",
    ],
)
@pytest.mark.parametrize("kind", ["link", "dangling", "pipe", "folder"])
def test_links_and_pipes_in_our_places_are_not_written_through(
    name: str, kind: str, precious: Path, tmp_path: Path
) -> None:
    """This resembles an index folder that came with the tree: the user named a place inside the
    tree."""
    root = write_files(tmp_path / "tree", {"a.py": "def found(): pass\n"})
    index_dir = root / ".index"
    folder = Workspace(root, index_dir).source.indexed.folder
    folder.mkdir(0o700, parents=True)
    trap = folder / name
    if kind == "pipe":
        os.mkfifo(trap)
    elif kind == "folder":
        trap.mkdir()
    else:
        trap.symlink_to(precious / ("precious" if kind == "link" else "new"))
    for _ in range(2):
        with Workspace(root, index_dir) as workspace:
            try:
                assert workspace.search("found").total == 1
            except StorageError as error:
                assert name in (FILE_NAME, "write.lock") and "cannot be" in str(error)
    assert is_untouched(precious)


@pytest.mark.parametrize("depth", [0, 1, 2])
def test_a_place_inside_the_tree_is_not_behind_a_link(
    depth: int, precious: Path, tmp_path: Path
) -> None:
    root = write_files(tmp_path / "tree", {"a.py": "def found(): pass\n", "sub/b.py": ""})
    index_dir = root / "sub" / "index"
    folder = Workspace(root, index_dir).source.indexed.folder
    trap = [root / "sub", index_dir, folder][depth]
    if depth == 0:
        (trap / "b.py").unlink()
        trap.rmdir()
    trap.parent.mkdir(exist_ok=True)
    trap.symlink_to(precious)
    with (
        Workspace(root, index_dir) as workspace,
        pytest.raises(StorageError, match="is a symbolic link there; name another place"),
    ):
        workspace.refresh()
    assert is_untouched(precious)


def test_links_on_the_users_own_way_are_followed(tmp_path: Path) -> None:
    root = write_files(tmp_path / "tree", {"a.py": "def found(): pass\n"})
    (tmp_path / "disk").mkdir()
    (tmp_path / "cache").symlink_to(tmp_path / "disk")
    with Workspace(root, tmp_path / "cache" / "index") as workspace:
        assert workspace.search("found").total == 1
    assert list((tmp_path / "disk" / "index").iterdir())


def test_a_folder_of_another_user_is_neither_written_nor_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write_files(tmp_path / "tree", {"a.py": "def found(): pass\n"})
    with Workspace(root, tmp_path / "index") as workspace:
        workspace.refresh()
    monkeypatch.setattr(private_folder.os, "geteuid", lambda: os.getuid() + 1)
    with Workspace(root, tmp_path / "index") as workspace:
        with pytest.raises(
            StorageError, match="belongs to another user; name another place with --index-dir"
        ):
            workspace.refresh()
        with pytest.raises(StorageError, match="belongs to another user"):
            workspace.load()


def test_whose_files_count() -> None:
    """Files of the user and of root count if nobody else may write to them; the user's own group
    may write to files made by hand."""

    def told(mode: int, owner: int = os.geteuid(), group: int = 7, by_hand: bool = False) -> str:
        return why_not_ours(
            os.stat_result((stat.S_IFREG | mode, 1, 1, 1, owner, group, 0, 0, 0, 0)), by_hand
        )

    user = os.geteuid()
    for mode in (0o600, 0o644, 0o400, 0o755):
        assert told(mode) == told(mode, 0) == told(mode, by_hand=True) == ""
        assert told(mode, user + 1) == "belongs to another user"
    for mode in (0o620, 0o602, 0o666):
        assert (
            told(mode)
            == told(mode, group=user)
            == told(mode, by_hand=True, group=user + 7)
            == "others may write to it"
        )
    assert told(0o664, group=user, by_hand=True) == ""
    assert (
        told(0o666, group=user, by_hand=True)
        == told(0o602, group=user, by_hand=True)
        == "others may write to it"
    )


def test_a_file_that_others_may_write_to_is_not_read(tmp_path: Path) -> None:
    folder = PrivateFolder(tmp_path / "own")
    folder.write("a", [b"x"])
    (tmp_path / "own").chmod(0o777)
    assert (
        folder.read("a", 9) == b"x" and mode_of(tmp_path / "own") == 0o700
    )  # the file belongs to the user
    (tmp_path / "own" / "a").chmod(0o666)
    for ask in (folder.open, folder.check, lambda name: folder.read(name, 9)):
        with pytest.raises(PermissionError, match="others may write to it"):
            ask("a")
    (tmp_path / "own" / "a").chmod(0o600)
    folder.check("a")
    (tmp_path / "own" / "link").symlink_to("a")
    with pytest.raises(PermissionError, match="not a regular file"):
        folder.check("link")
    (tmp_path / "own").chmod(0o770)
    with pytest.raises(
        StorageError, match="others may write to this folder, so nothing in it is trusted"
    ):
        PrivateFolder(tmp_path / "own", is_precious=True).read("a", 9)


def test_an_index_that_others_may_have_written_is_made_again(tmp_path: Path) -> None:
    root = write_files(tmp_path / "tree", {"a.py": "def found(): pass\n"})
    with Workspace(root, tmp_path / "index") as workspace:
        workspace.refresh()
    (workspace.source.indexed.folder / FILE_NAME).chmod(0o666)
    with Workspace(root, tmp_path / "index") as workspace:
        assert any(
            "others may write to it; it will be rebuilt" in notice
            for notice in workspace.refresh().notices
        )
        assert workspace.search("found").total == 1
    assert mode_of(workspace.source.indexed.folder / FILE_NAME) == 0o600


def test_a_configuration_that_others_may_have_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The configuration names registries and folders, and sets how strictly signatures are
    checked."""
    file = tmp_path / "config.toml"
    file.write_text('verify = "off"\n')
    monkeypatch.setenv(CONFIG_VARIABLE, str(file))
    for mode in (0o600, 0o644, 0o444):
        file.chmod(mode)
        assert read_configuration().verify == "off"
    for mode in (0o646, 0o602):
        file.chmod(mode)
        with pytest.raises(
            RequestError,
            match=r"config\.toml: others may write to it, so nothing in it is trusted; look at it",
        ):
            read_configuration()


def test_a_swap_on_the_way_does_not_lead_out(
    tmp_path: Path, precious: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder is opened once: replacing it with a link while a file is written only changes a
    name."""
    folder = PrivateFolder(tmp_path / "tree" / "index", tmp_path / "tree")
    (tmp_path / "tree").mkdir()
    folder.make()

    def swap(*_: object) -> bytes:
        folder.path.rename(tmp_path / "elsewhere")
        folder.path.symlink_to(precious)
        return b"x" * 8

    monkeypatch.setattr(private_folder.os, "urandom", swap)
    folder.write("precious", [b"ours"])
    assert is_untouched(precious)
    assert (tmp_path / "elsewhere" / "precious").read_bytes() == b"ours"


@pytest.mark.skipif(os.name == "nt", reason="an open file keeps its name on this system")
def test_a_scratch_file_is_unnamed_and_in_the_folder(tmp_path: Path) -> None:
    folder = PrivateFolder(tmp_path / "index")
    with folder.scratch() as file:
        file.write(b"content")
        file.seek(0)
        assert file.read() == b"content"
        status = os.fstat(file.fileno())
        assert (status.st_nlink, stat.S_IMODE(status.st_mode), status.st_dev) == (
            0,
            0o600,
            os.stat(folder.path).st_dev,
        )
        assert not list(folder.path.iterdir())


@pytest.mark.skipif(os.name == "nt", reason="links need special rights on this system")
def test_a_scratch_is_not_made_behind_a_link(precious: Path, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "link").symlink_to(precious)
    with pytest.raises(StorageError, match="symbolic link"):
        PrivateFolder(tree / "link", tree).scratch()
    assert is_untouched(precious)


def test_what_killed_processes_have_left_is_deleted(tmp_path: Path) -> None:
    folder = PrivateFolder(tmp_path)
    for name in ("a.0000.new", "b.0000.new", "a.index"):
        (tmp_path / name).write_bytes(b"half")
    folder.remove_unfinished("a.", older_than=0)
    assert {path.name for path in tmp_path.iterdir()} == {"b.0000.new", "a.index"}
    folder.remove_unfinished()
    assert (tmp_path / "b.0000.new").exists()
    os.utime(tmp_path / "b.0000.new", (0, 0))
    folder.remove_unfinished()
    assert not (tmp_path / "b.0000.new").exists()


@pytest.mark.nightly
@pytest.mark.skipif(
    not hasattr(os, "O_PATH"), reason="this system needs readable folders along the path"
)
def test_folders_on_the_way_need_not_be_readable(tmp_path: Path) -> None:
    """The folder that contains all home folders is unreadable on some shared machines."""
    top = tmp_path / "homes"
    (top / "mine").mkdir(parents=True)
    tree = write_files(tmp_path / "tree", {"a.py": "def found(): pass\n"})
    top.chmod(0o311)
    try:
        done = run_unprivileged(
            ["search", "found", "--root", str(tree), "--index-dir", str(top / "mine" / "index")]
        )
    finally:
        top.chmod(0o755)
    assert "`found`" in done.stdout, done.stderr


@pytest.mark.parametrize(
    ("code", "n_failures", "n_calls"), [(2, TRIES - 1, TRIES), (2, TRIES, TRIES), (13, 1, 1)]
)
def test_vanished_files_are_written_again_but_not_forever(
    code: int, n_failures: int, n_calls: int
) -> None:
    calls: list[int] = []

    def write() -> str:
        calls.append(code)
        if len(calls) <= n_failures:
            raise OSError(code, os.strerror(code))
        return "written"

    if n_failures < n_calls:
        assert begun_again(write) == "written"
    else:
        with pytest.raises(OSError, match=os.strerror(code)):
            begun_again(write)
    assert len(calls) == n_calls
