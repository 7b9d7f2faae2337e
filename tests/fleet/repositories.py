"""Git repositories that tests make, also with trees that git itself would not make."""

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from symindex.fleet.catalogue.repository import Limits, Repository
from symindex.fleet.sources.checkout import Checkout
from symindex.fleet.sources.sync import sync
from tests.support.git import git

AUTHOR = ("-c", "user.name=A", "-c", "user.email=a@example.org")

LIMITS = Limits(seconds=60)


def make_repository(path: Path, files: Mapping[str, str | bytes] | None = None) -> Path:
    """Makes a repository with the branch main and one commit, or without one."""
    path.mkdir(parents=True)
    git(path, "init", "-q", "-b", "main")
    return commit(path, files) if files else path


def commit(path: Path, files: Mapping[str, str | bytes], message: str = "x") -> Path:
    """Commits files on top of what there is."""
    for name, content in files.items():
        data = content.encode() if isinstance(content, str) else content
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(data)
    git(path, "add", "-A", "-f")
    git(path, *AUTHOR, "commit", "-q", "--allow-empty", "-m", message)
    return path


def hash_of(path: Path, name: str = "HEAD") -> str:
    return git(path, "rev-parse", name)


def write_object(path: Path, kind: str, data: bytes) -> str:
    """Stores an object as it is, whatever git thinks of it."""
    words = ["git", "hash-object", "-t", kind, "-w", "--stdin", "--literally"]
    done = subprocess.run(words, cwd=path, input=data, check=True, capture_output=True)
    return done.stdout.decode().strip()


def commit_tree(path: Path, entries: Sequence[tuple[str, bytes, str]]) -> str:
    """Makes main a commit of a tree of exactly these entries: mode, name, hash."""
    data = b"".join(
        f"{mode} ".encode() + name + b"\0" + bytes.fromhex(blob) for mode, name, blob in entries
    )
    tree = write_object(path, "tree", data)
    made = git(path, *AUTHOR, "commit-tree", "-m", "x", tree)
    git(path, "update-ref", "refs/heads/main", made)
    return made


def at(path: Path | str, ref: str = "", token_env: str = "") -> Repository:
    """Returns the entry of a repository."""
    return Repository("r", "git", str(path), ref, token_env, "fleet.toml: [[repository]] 1")


def bring(repository: Repository | Path, folder: Path, limits: Limits = LIMITS) -> Checkout:
    """Brings a repository up to date in a folder."""
    entry = at(repository) if isinstance(repository, Path) else repository
    return sync(entry, folder / "ours", limits)


def files_of(checkout: Checkout) -> dict[str, bytes]:
    """Returns the files of a checkout."""
    root = checkout.root
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if not path.is_dir()
    }
