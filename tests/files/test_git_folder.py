"""Each tree has the right git folder, and nothing in it leads to another."""

import os
import shutil
from pathlib import Path

import pytest

from symindex.errors import RequestError
from symindex.fetch.item_content import file_at_revision
from symindex.files.ignore import git_reader
from symindex.files.ignore.git_folder import ForeignGitError, git_folder
from symindex.files.ignore.git_reader import GitReader
from symindex.recall.content.commit_dates import commit_dates, head_of
from symindex.workspace.workspace import Workspace
from tests.support.files import write_files
from tests.support.git import git
from tests.support.git_forms import FORMS, PRIVATE, commit, make_private, make_tree


@pytest.fixture(scope="module")
def private(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_private(tmp_path_factory.mktemp("others") / "private")


@pytest.mark.sample(2)
@pytest.mark.parametrize("form", FORMS)
def test_a_tree_shows_nothing_of_another_repository(
    form: str, private: Path, tmp_path: Path
) -> None:
    root = make_tree(tmp_path / "tree")
    FORMS[form](root, private)
    with Workspace(root, tmp_path / "indexes") as workspace:
        for ask in (
            workspace.changed,
            lambda: workspace.changed("main"),
            lambda: workspace.changed(git(private, "rev-parse", "HEAD")),
            lambda: file_at_revision(root, "code.py", "HEAD"),
            lambda: file_at_revision(root, "code.py", "main"),
            lambda: file_at_revision(root, "code.py", f"v{PRIVATE}"),
            lambda: file_at_revision(root, "code.py", git(private, "rev-parse", "HEAD")),
            lambda: file_at_revision(root, "code.py", "nowhere"),
        ):
            with pytest.raises(RequestError) as caught:
                ask()
            said = str(caught.value)
            assert PRIVATE not in said and "\n" not in said and str(root) in said, said
        assert head_of(root) == "" and commit_dates(root) == {}
        answer = workspace.symbol("plain", history=True)
        assert answer.notices and PRIVATE not in repr(answer)


def test_what_is_refused_says_what_would_be_right(private: Path, tmp_path: Path) -> None:
    for form, words in {
        "whole alternates": "git repack -a -d, and delete that file",
        "a link for objects": "is a symbolic link, which git would follow: replace it with its target, or clone again",
        "a gitdir that is another worktree's": "git worktree repair",
        "a gitdir that is another repository's": "git init --separate-git-dir",
        "a link for .git": "git worktree add",
        "a common folder": "git worktree",
    }.items():
        root = make_tree(tmp_path / form)
        FORMS[form](root, private)
        with pytest.raises(RequestError, match=words):
            GitReader.of(root)


def test_a_clone_that_borrows_objects_can_be_made_whole(private: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--shared", str(private), "clone")
    root = tmp_path / "clone"
    with pytest.raises(RequestError, match=r"git repack -a -d, and delete that file"):
        file_at_revision(root, "code.py", "HEAD")
    git(root, "repack", "-q", "-a", "-d")
    (root / ".git/objects/info/alternates").unlink()
    assert PRIVATE.encode() in file_at_revision(root, "code.py", "HEAD")


def first(root: Path) -> bytes:
    """Checks that everything that uses git reads the tree's own repository; returns the content of
    `code.py` in it."""
    assert head_of(root) == git(root, "rev-parse", "HEAD")
    assert "code.py" in commit_dates(root)
    return file_at_revision(root, "code.py", "HEAD")


@pytest.fixture
def own(tmp_path: Path) -> Path:
    root = write_files(
        tmp_path / "own", {"code.py": "def own():\n    pass\n", "in/b.py": "b = 1\n"}
    )
    git(root, "init", "-q", "-b", "main")
    commit(root, "own")
    return root


OWN = b"def own():\n    pass\n"


@pytest.mark.nightly
def test_worktrees_are_read(own: Path, tmp_path: Path) -> None:
    git(own, "worktree", "add", "-q", str(tmp_path / "second"))
    git(own, "worktree", "add", "-q", str(own / "inside"))
    git(tmp_path, "clone", "-q", "--bare", str(own), "bare.git")
    git(tmp_path / "bare.git", "worktree", "add", "-q", str(tmp_path / "third"), "main")
    git(own, "config", "extensions.worktreeConfig", "true")
    for root in (own, tmp_path / "second", own / "inside", tmp_path / "third"):
        assert first(root) == OWN
        write_files(root, {"code.py": "def own():\n    return 1\n"})
        with Workspace(root, tmp_path / "indexes") as workspace:
            changes = workspace.changed()
        assert [(symbol.name, symbol.status) for file in changes.files for symbol in file.symbols][
            :1
        ] == [("own", "changed")]
        assert file_at_revision(root / "in", "b.py", "HEAD") == b"b = 1\n" and list(
            commit_dates(root / "in")
        ) == ["b.py"]


def test_a_worktree_that_was_moved_is_read_once_it_is_repaired(own: Path, tmp_path: Path) -> None:
    git(own, "worktree", "add", "-q", str(tmp_path / "second"))
    (tmp_path / "second").rename(tmp_path / "third")
    with pytest.raises(RequestError, match="git worktree repair"):
        GitReader.of(tmp_path / "third")
    git(own, "worktree", "repair", str(tmp_path / "third"))
    assert first(tmp_path / "third") == OWN


@pytest.mark.nightly
def test_submodules_are_read(own: Path, tmp_path: Path) -> None:
    """This includes nested submodules, submodules in a worktree, submodules with worktrees of their
    own, and configuration for each worktree."""
    outer = make_tree(tmp_path / "outer")
    add = "-c", "protocol.file.allow=always", "submodule", "--quiet", "add"
    git(outer, *add, str(own), "inner")
    commit(outer, "inner")
    git(outer / "inner", *add, str(own), "innermost")
    git(outer / "inner", "worktree", "add", "-q", str(tmp_path / "beside"))
    git(outer, "worktree", "add", "-q", str(tmp_path / "second"))
    git(
        tmp_path / "second",
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "update",
        "--init",
    )
    roots = [
        outer / "inner",
        outer / "inner" / "innermost",
        tmp_path / "beside",
        tmp_path / "second" / "inner",
    ]
    for root in roots:
        assert first(root) == OWN
    git(outer / "inner", "config", "extensions.worktreeConfig", "true")
    git(
        outer / "inner",
        "config",
        "--worktree",
        "core.worktree",
        git(outer / "inner", "config", "core.worktree"),
    )
    git(
        outer / "inner",
        "config",
        "--file",
        str(outer / ".git/modules/inner/config"),
        "--unset",
        "core.worktree",
    )
    assert first(outer / "inner") == OWN


def test_a_separate_folder_is_read_once_it_names_the_tree(tmp_path: Path) -> None:
    root = write_files(tmp_path / "tree", {"code.py": OWN})
    git(tmp_path, "init", "-q", "--separate-git-dir", str(tmp_path / "elsewhere"), str(root))
    commit(root, "own")
    with pytest.raises(RequestError, match=r"core\.worktree does not name this tree"):
        GitReader.of(root)
    git(root, "config", "core.worktree", str(root))
    assert first(root) == OWN


def test_a_separate_folder_inside_of_the_tree_is_read(tmp_path: Path) -> None:
    root = write_files(tmp_path / "tree", {"code.py": OWN})
    git(tmp_path, "init", "-q", "--separate-git-dir", str(root / "kept"), str(root))
    commit(root, "own")
    assert first(root) == OWN


def test_other_forms_that_git_makes_are_read(own: Path, tmp_path: Path) -> None:
    (own / ".git" / "hooks").mkdir(exist_ok=True)
    (own / ".git" / "hooks" / "post-commit").symlink_to(own / "code.py")
    (own / ".git" / "objects" / "info").mkdir(exist_ok=True)
    (own / ".git" / "objects" / "info" / "alternates").touch()
    git(
        own, "config", "core.worktree", str(tmp_path)
    )  # git uses the tree around the folder, whatever this setting says
    (own / ".git" / "HEAD").unlink()
    (own / ".git" / "HEAD").symlink_to("refs/heads/main")  # as old versions of git did
    assert file_at_revision(own, "code.py", "HEAD") == OWN and list(commit_dates(own)) == [
        "code.py",
        "in/b.py",
    ]
    git(own, "config", "--unset", "core.worktree")
    git(own, "pack-refs", "--all")
    git(own, "gc", "-q")
    assert first(own) == OWN


SPECIAL = [
    ".git/HEAD", ".git/packed-refs", ".git/config", ".git/shallow", ".git/refs/heads/main", ".git/refs/heads/pipe",
    ".git/objects/pack/pack-x.idx", ".git/objects/ab/cd", ".git/objects/info/commit-graph", ".git/logs/HEAD",
    ".git/logs/refs/a/b", ".git/info/attributes",
]  # fmt: skip


@pytest.mark.parametrize("place", SPECIAL)
@pytest.mark.parametrize(
    "make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero")], ids=["pipe", "link"]
)
def test_files_that_would_make_git_wait_are_refused_first(
    make: object, place: str, own: Path
) -> None:
    path = own / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    make(path)  # type: ignore[operator]
    with pytest.raises(RequestError, match=rf"{place}: (is|a symbolic link|not a regular file)"):
        GitReader.of(own)


@pytest.mark.parametrize("name", ["PIPE", "way/code.py", "PIPE~2", "LINK^0", "deep/PIPE@{0}"])
def test_a_name_of_a_revision_leads_to_no_pipe_or_link(name: str, own: Path) -> None:
    os.mkfifo(own / ".git" / "PIPE")
    (own / ".git" / "deep").mkdir()
    os.mkfifo(own / ".git" / "deep" / "PIPE")
    (own / ".git" / "way").symlink_to(own)
    (own / ".git" / "LINK").symlink_to(own / ".git" / "refs" / "heads" / "main")
    with pytest.raises(
        RequestError, match="is not a git reference: give a tag, a branch or a hash"
    ):
        file_at_revision(own, "code.py", name)


def test_how_much_git_may_keep(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = own / ".git" / "refs" / "/".join("d" * 50)
    deep.mkdir(parents=True)
    with pytest.raises(RequestError, match="more than 40 nested folders"):
        GitReader.of(own)
    shutil.rmtree(own / ".git" / "refs" / "d")
    monkeypatch.setattr("symindex.files.ignore.git_inspection.MOST_ENTRIES", 10)
    with pytest.raises(RequestError, match="holds more than 10 files: git gc packs them"):
        GitReader.of(own)


def test_a_repository_that_is_replaced_while_git_reads_it(
    own: Path, private: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer is discarded, even if everything looks as before afterwards, and the next answer
    is right."""
    reader = GitReader.of(own)
    real, turns = git_reader.run_git, iter([True])

    def run(program: str, words: list[str], *others: object) -> object:
        if next(turns, False):
            (own / ".git" / "objects").rename(own / "kept")
            (own / ".git" / "objects").symlink_to(private / ".git" / "objects")
            answer = real(program, words, *others)  # type: ignore[arg-type]
            (own / ".git" / "objects").unlink()
            (own / "kept").rename(own / ".git" / "objects")
            return answer
        return real(program, words, *others)  # type: ignore[arg-type]

    monkeypatch.setattr(git_reader, "run_git", run)
    commit_there = git(private, "rev-parse", "HEAD")
    answer = reader.ask(["cat-file", "-p", commit_there], 1_000, 5.0)
    assert answer is not None and not answer.said
    turns = iter([True] * git_reader.MOST_TRIES)
    with pytest.raises(RequestError, match="keeps changing while it is read; try again"):
        reader.ask(["cat-file", "-p", commit_there], 1_000, 5.0)


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give a file away"
)
def test_a_repository_of_another_user(own: Path) -> None:
    for path in (own, own / ".git"):
        os.chown(path, 12345, -1)
        with pytest.raises(
            RequestError,
            match=r"belongs to another user; if you trust it: git config --global --add safe\.directory",
        ):
            GitReader.of(own)
        os.chown(path, 0, -1)
    os.chown(own / ".git", 12345, -1)
    for values, is_safe in (
        (["*"], True),
        (["/elsewhere", str(own)], True),
        ([str(own), ""], False),
        ([str(own.parent)], False),
    ):
        write_files(
            Path(os.environ["HOME"]),
            {".gitconfig": "[safe]\n" + "".join(f'directory = "{value}"\n' for value in values)},
        )
        if is_safe:
            GitReader.of(own)
        else:
            with pytest.raises(RequestError, match="belongs to another user"):
                GitReader.of(own)


def test_a_worktree_inside_has_its_common_folder_inside(tmp_path: Path) -> None:
    """A tree named `worktrees` does not make the folder around it the common folder."""
    around = make_tree(tmp_path / "around") / ".git"
    root = write_files(
        around / "worktrees",
        {".git": "gitdir: x\n", "x/commondir": "../..\n", "x/HEAD": "ref: refs/heads/main\n"},
    )
    write_files(root, {"x/gitdir": f"{root / '.git'}\n"})
    with pytest.raises(ForeignGitError, match="the folder of another worktree"):
        git_folder(root)


def test_a_tree_without_git(tmp_path: Path) -> None:
    assert git_folder(tmp_path) is None
    (tmp_path / ".git").write_text("gitdir: nowhere\n")
    with pytest.raises(
        ForeignGitError, match="does not name a folder: expected a line such as gitdir: FOLDER"
    ):
        git_folder(tmp_path)
