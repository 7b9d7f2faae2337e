"""Trees whose `.git` leads to another repository of the user, in every form that git follows."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final

from tests.support.files import write_files
from tests.support.git import git

PRIVATE: Final = "qprivatename"
"""A word that only the other repository contains: in the names of a symbol and a tag, and in a
commit message."""

ITEM: Final = ".claude/skills/plain/SKILL.md"
"""A file of both repositories that can be fetched at a version."""


def commit(root: Path, message: str) -> str:
    """Commits all files and returns the hash."""
    git(root, "add", "-A")
    git(root, "-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-q", "-m", message)
    return git(root, "rev-parse", "HEAD")


def make_private(folder: Path) -> Path:
    """Makes another repository of the user, with a loose and a packed commit, a worktree and a
    submodule."""
    item = f"---\nname: plain\ndescription: {PRIVATE} item\n---\n# {PRIVATE}\n"
    root = write_files(folder, {"code.py": f"def {PRIVATE}_first():\n    pass\n", ITEM: item})
    git(root, "init", "-q", "-b", "main")
    commit(root, f"{PRIVATE} first")
    git(root, "repack", "-q", "-a", "-d")
    git(root, "tag", f"v{PRIVATE}")
    write_files(root, {"code.py": f"def {PRIVATE}_second():\n    pass\n"})
    commit(root, f"{PRIVATE} second")
    git(
        root,
        "worktree",
        "add",
        "-q",
        "-b",
        "other",
        str(folder.with_name(f"{folder.name}-worktree")),
    )
    git(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(root), "inner")
    commit(root, f"{PRIVATE} third")
    return root


def make_tree(folder: Path) -> Path:
    """Makes a stranger's tree with a sound repository of its own."""
    item = "---\nname: plain\ndescription: plain item\n---\n# Plain\n\nPlain words.\n"
    root = write_files(folder, {"code.py": "def plain():\n    pass\n", ITEM: item})
    git(root, "init", "-q", "-b", "main")
    commit(root, "plain")
    write_files(root, {"code.py": "def plain():\n    return 1\n"})
    return root


def _instead(root: Path, text: str) -> None:
    shutil.rmtree(root / ".git")
    (root / ".git").write_text(text)


def _link(path: Path, target: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)


def _head(root: Path, private: Path) -> None:
    """Makes the other repository's commit the head of the tree."""
    (root / ".git" / "refs" / "heads" / "main").write_text(git(private, "rev-parse", "main") + "\n")


def _alternates(root: Path, text: str) -> None:
    write_files(root, {".git/objects/info/alternates": text})


def _alternates_of_alternates(root: Path, private: Path) -> None:
    write_files(root, {"store/info/alternates": f"{private / '.git' / 'objects'}\n"})
    _alternates(root, "../../store\n")
    _head(root, private)


def _relative_alternates(root: Path, private: Path) -> None:
    _alternates(
        root, os.path.relpath(private / ".git" / "objects", root / ".git" / "objects") + "\n"
    )
    _head(root, private)


def _whole_alternates(root: Path, private: Path) -> None:
    _alternates(root, f"# one\n{private / '.git' / 'objects'}\n")
    _head(root, private)


def _quoted_alternates(root: Path, private: Path) -> None:
    _alternates(root, f'"{private / ".git" / "objects"}"\n')
    _head(root, private)


def _common(root: Path, private: Path) -> None:
    write_files(root, {".git/commondir": f"{private / '.git'}\n"})


def _gitdir_inside(root: Path, private: Path) -> None:
    (root / ".git").rename(root / "own")
    (root / ".git").write_text("gitdir: own\n")
    write_files(
        root, {"own/commondir": f"{private / '.git'}\n", "own/gitdir": f"{root / '.git'}\n"}
    )


def _worktree_inside(root: Path, private: Path) -> None:
    """Moves `.git` to where worktrees are, in a folder of the tree whose objects are a link."""
    (root / ".git").rename(root / "own")
    (root / ".git").write_text("gitdir: own/worktrees/x\n")
    files = {
        "commondir": "../..\n",
        "gitdir": f"{root / '.git'}\n",
        "HEAD": "ref: refs/heads/main\n",
    }
    write_files(root, {f"own/worktrees/x/{name}": text for name, text in files.items()})
    _link(root / "own" / "objects", private / ".git" / "objects")
    (root / "own" / "refs" / "heads" / "main").write_text(git(private, "rev-parse", "main") + "\n")


def _gitdir_through_a_link(root: Path, private: Path) -> None:
    _instead(root, "gitdir: way/.git\n")
    (root / "way").symlink_to(private)


def _linked(*names: str) -> Callable[[Path, Path], None]:
    def make(root: Path, private: Path) -> None:
        _head(root, private)
        for name in names:
            _link(root / ".git" / name, private / ".git" / name)

    return make


def _linked_objects(root: Path, private: Path) -> None:
    """Links each object of the other repository separately."""
    _head(root, private)
    for path in (private / ".git" / "objects").rglob("*"):
        here = root / ".git" / path.relative_to(private / ".git")
        if path.is_file() and not here.exists():
            here.parent.mkdir(exist_ok=True)
            here.symlink_to(path)


def _linked_parts(root: Path, private: Path) -> None:
    """Links each folder of objects of the other repository separately."""
    _head(root, private)
    for path in (private / ".git" / "objects").iterdir():
        _link(root / ".git" / "objects" / path.name, path)


def _linked_git_file(root: Path, private: Path) -> None:
    shutil.rmtree(root / ".git")
    (root / ".git").symlink_to(private.with_name(f"{private.name}-worktree") / ".git")


FORMS: Final[dict[str, Callable[[Path, Path], None]]] = {
    "a gitdir that is another repository's": lambda root, private: _instead(root, f"gitdir: {private / '.git'}\n"),
    "a gitdir by a relative path": lambda root, private: _instead(root, f"gitdir: {os.path.relpath(private / '.git', root)}\n"),
    "a gitdir that is another worktree's": lambda root, private: _instead(
        root, f"gitdir: {private / '.git' / 'worktrees' / (private.name + '-worktree')}\n"
    ),
    "a gitdir that is a submodule of others": lambda root, private: _instead(
        root, f"gitdir: {private / '.git' / 'modules' / 'inner'}\n"
    ),
    "a gitdir through a link": _gitdir_through_a_link,
    "a gitdir inside whose common folder is another's": _gitdir_inside,
    "a gitdir inside that looks like a worktree": _worktree_inside,
    "a common folder": _common,
    "whole alternates": _whole_alternates,
    "relative alternates": _relative_alternates,
    "quoted alternates": _quoted_alternates,
    "alternates of alternates": _alternates_of_alternates,
    "a link for .git": lambda root, private: _link(root / ".git", private / ".git"),
    "a link for .git that is a file": _linked_git_file,
    "a link for objects": _linked("objects"),
    "a link for packs": _linked("objects/pack"),
    "links for all folders of objects": _linked_parts,
    "links for all objects": _linked_objects,
    "links for refs and objects": _linked("refs", "objects"),
    "links for all": _linked("HEAD", "config", "index", "packed-refs", "refs", "logs", "objects"),
}  # fmt: skip
"""Functions that change a tree of `make_tree` so that it leads to a repository of `make_private`,
by description."""
