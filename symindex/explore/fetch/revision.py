"""A file as it was at a revision of its git repository: read from the repository, not checked out.

A repository may come from anybody, and its configuration can name programs. So git is only asked for what runs none: which commit
is meant, which blob it has under a path, and the bytes of that blob, as they are stored: no filter, no textconv, no replacement,
no hook, nothing fetched from elsewhere. git finds the repository itself, and refuses one of another user as it always does.
"""

import difflib
import re
from pathlib import Path
from typing import Final

from symindex.errors import RequestError
from symindex.files.access.owners import find_upwards
from symindex.files.ignore.git_command import ALONE_SETTINGS, GitAnswer, find_git, run_git
from symindex.files.walk import MAX_FILE_BYTES

LONGEST_REVISION: Final = 200

SECONDS: float = 5.0
"""For each call of git, which usually takes some milliseconds."""

_MOST_ANSWER: Final = 65_536
_MOST_TAGS: Final = 500
_SHOWN_TAGS: Final = 5

_REFUSED: Final = re.compile(r"[\x00-\x20\x7f:]|\.\.|\A-|\A\Z")

_HASH: Final = re.compile(rb"[0-9a-f]{40}(?:[0-9a-f]{24})?")

_LINK: Final = "120000"


def file_at_revision(root: Path, path: str, revision: str, most_bytes: int = MAX_FILE_BYTES) -> bytes:
    """The bytes of a file at a revision.

    root: of the tree, anywhere in the repository. path: of the file, relative to the root. revision: a tag, a branch, a hash, or
    what git takes for a commit (`HEAD~3`). Raises RequestError where one of these is not there, with tags that are.
    """
    if _REFUSED.search(revision) or len(revision) > LONGEST_REVISION:
        shown = revision if len(revision) <= 100 else f"{revision[:100]}..."
        raise RequestError(f"version {shown!r} is no revision: expected a tag, a branch, a hash, or one such as HEAD~3")
    parts = path.split("/")
    if not {"", ".", ".."}.isdisjoint(parts) or "\0" in path:
        raise RequestError(f"{path!r} is no path below {root}: expected one such as src/main.py")
    top = find_upwards(root, ".git")
    if not (top / ".git").exists():
        raise RequestError(f"{root}: not in a git repository, so its files have no versions; leave the version out")
    program = find_git(top)
    if program is None:
        raise RequestError("git is not installed, or not on your search path: versions of files need it")
    repository = _Repository(program, top)
    whole = "/".join((*root.relative_to(top).parts, *parts))
    return repository.read(whole, repository.commit(revision), revision, most_bytes)


class _Repository:
    """git, asked in one repository."""

    def __init__(self, program: str, top: Path) -> None:
        self._program = program
        self._top = top

    def commit(self, revision: str) -> str:
        """The hash of the commit that a revision means."""
        answer = self._ask(_MOST_ANSWER, "rev-parse", "--verify", "--quiet", revision + "^{commit}")
        said = answer.said.strip()
        if answer.code > 1:
            hint = f"git -C {self._top} status says why"
            raise RequestError(f"{self._top}: git does not read this repository, as it does one of another user; {hint}")
        if answer.code or not _HASH.fullmatch(said):
            raise RequestError(f"{self._top} has no version {revision!r}{self._tags_like(revision)}")
        return said.decode()

    def read(self, path: str, commit: str, revision: str, most_bytes: int) -> bytes:
        """The bytes of the file under a path in a commit."""
        answer = self._ask(_MOST_ANSWER, "ls-tree", "-z", "-l", "--full-tree", commit, "--", path)
        entries = [entry for entry in answer.said.split(b"\0") if entry.endswith(b"\t" + path.encode("utf-8", "surrogateescape"))]
        mode, kind, name, size = entries[0].decode("utf-8", "replace").partition("\t")[0].split() if entries else ("",) * 4
        if kind != "blob" or mode == _LINK:
            what = "a symbolic link" if mode == _LINK else {"tree": "a folder", "commit": "another repository"}.get(kind)
            fault = f"is {what}" if what else "is not there"
            raise RequestError(f"{path} {fault} at version {revision!r}{self._tags_like(revision)}")
        if not size.isdigit():
            raise RequestError(
                f"{path} at version {revision!r} is not in this copy of the repository, which has only parts; git fetch"
            )
        if int(size) > most_bytes:
            raise RequestError(f"{path} at version {revision!r} has {int(size):,} bytes, more than {most_bytes:,}")
        answer = self._ask(int(size) + 1, "cat-file", "blob", name)
        if answer.code or len(answer.said) != int(size):
            raise RequestError(
                f"{path} at version {revision!r} cannot be read: the repository is damaged, or lacks it; see git fsck"
            )
        return answer.said

    def _tags_like(self, revision: str) -> str:
        """Some tags of the repository, as the end of a sentence: those that look alike, else the newest."""
        answer = self._ask(
            1_000_000, "for-each-ref", f"--count={_MOST_TAGS}", "--sort=-creatordate", "--format=%(refname:strip=2)", "refs/tags"
        )
        tags = [tag for tag in answer.said.decode("utf-8", "replace").split("\n") if tag and tag != revision]
        if not tags:
            return "; it has no tags: give a branch or a hash"
        near = difflib.get_close_matches(revision, tags, _SHOWN_TAGS) or tags[:_SHOWN_TAGS]
        return f"; it has the tags {', '.join(near)}{', ...' if len(tags) > len(near) else ''}"

    def _ask(self, most_bytes: int, *words: str) -> GitAnswer:
        answer = run_git(self._program, [*ALONE_SETTINGS, "-C", str(self._top), *words], most_bytes, SECONDS, self._top)
        if answer is None or answer.is_late:
            raise RequestError(f"{self._top}: git did not answer within {SECONDS:g} s; try git {words[0]} there yourself")
        return answer
