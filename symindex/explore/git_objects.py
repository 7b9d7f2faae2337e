"""Reads what a git repository stores: commits, lists of files, blobs.

A repository may come from anyone, and its configuration can name programs. So git is only called
for what runs none: no filter, textconv, replacement, hook or external diff, and nothing is fetched.
git runs outside the working tree and reads none of its files. `files/ignore/git_reader` decides
which repository that is and that it does not lead to another.
"""

import difflib
import re
from pathlib import Path
from typing import Final, NamedTuple

from symindex.errors import RequestError
from symindex.files.ignore.git_command import GitAnswer
from symindex.files.ignore.git_reader import GitReader

LONGEST_REVISION: Final = 200

SECONDS: float = 5.0
"""Limit of one call of git, which usually takes some milliseconds."""

_MOST_ANSWER: Final = 65_536
"""Most bytes of an answer that is a hash, a word, or one file of a commit with its path."""

_MOST_LISTING: Final = 200_000_000
_MOST_TAGS: Final = 500
_SHOWN_TAGS: Final = 5

_REFUSED: Final = re.compile(r"[\x00-\x20\x7f:]|\.\.|\A-|\A\Z|[\ud800-\udc7f\udd00-\udfff]")
"""Signs that no revision contains. The last are halves of surrogate pairs that are not bytes of an
argument, so they cannot be passed to git."""

_END_OF_NAME: Final = re.compile(r"[~^@]")
"""Matches the end of the name in a revision, where the path of steps from it begins."""

_HASH: Final = re.compile(rb"[0-9a-f]{40}(?:[0-9a-f]{24})?")

_LINK: Final = "120000"


def check_revision(revision: str) -> None:
    """Raises RequestError for a text that git would not accept as a commit."""
    if _REFUSED.search(revision) or len(revision) > LONGEST_REVISION:
        shown = revision if len(revision) <= 100 else f"{revision[:100]}..."
        if ".." in revision.strip("./"):
            first = revision.partition("..")[0]
            raise RequestError(
                f"version {shown!r} is a range; what is there now is compared with one commit: give"
                f" {first}"
            )
        raise RequestError(
            f"version {shown!r} is not a revision: expected a tag, a branch, a hash, or one such as"
            " HEAD~3"
        )


def open_repository(root: Path) -> "tuple[Repository, str]":
    """Returns the repository of a folder, and the prefix of the folder's paths in it. Raises
    RequestError."""
    reader = GitReader.of(root)
    inside = "/".join(root.relative_to(reader.top).parts)
    return Repository(reader), f"{inside}/" if inside else ""


class Listing(NamedTuple):
    """The content of a commit below a folder, by paths from there. files: blob and size of each
    regular file. links: the commit of each submodule."""

    files: dict[str, tuple[str, int]]
    links: dict[str, str]


class Repository:
    """One repository, read by git. All methods raise RequestError."""

    def __init__(self, reader: GitReader) -> None:
        self._reader = reader
        self._top = reader.top

    def commit(self, revision: str) -> str:
        """Returns the hash of the commit that a revision means."""
        self._reader.check_name(_END_OF_NAME.split(revision)[0])
        answer = self._ask(_MOST_ANSWER, "rev-parse", "--verify", "--quiet", revision + "^{commit}")
        output = answer.said.strip()
        if answer.code > 1:
            hint = f"git -C {self._top} status says why"
            raise RequestError(
                f"{self._top}: git does not read this repository, as it may belong to another user;"
                f" {hint}"
            )
        if answer.code or not _HASH.fullmatch(output):
            if revision == "HEAD":
                raise RequestError(f"{self._top}: its git repository has no commit yet")
            raise RequestError(
                f"{self._top} has no version {revision!r}{self._tags_like(revision)}"
            )
        return output.decode()

    def commit_before(self, date: str) -> str:
        """Returns the hash of the last commit of the current branch before a day, as 2026-11-24, by
        the dates of the commits."""
        words = "rev-list", "-1", f"--before={date}T00:00:00", "HEAD"
        output = self._ask(_MOST_ANSWER, *words).said.strip()
        if not _HASH.fullmatch(output):
            raise RequestError(f"{self._top} has no commit before {date}")
        return output.decode()

    def read(self, path: str, commit: str, revision: str, most_bytes: int) -> bytes:
        """Returns the bytes of a file in a commit."""
        answer = self._ask(_MOST_ANSWER, "ls-tree", "-z", "-l", "--full-tree", commit, "--", path)
        entries = [
            entry
            for entry in answer.said.split(b"\0")
            if entry.endswith(b"\t" + path.encode("utf-8", "surrogateescape"))
        ]
        mode, kind, name, size = (
            entries[0].decode("utf-8", "replace").partition("\t")[0].split()
            if entries
            else ("",) * 4
        )
        if kind != "blob" or mode == _LINK:
            what = (
                "a symbolic link"
                if mode == _LINK
                else {"tree": "a folder", "commit": "another repository"}.get(kind)
            )
            fault = f"is {what}" if what else "is not there"
            raise RequestError(f"{path} {fault} at version {revision!r}{self._tags_like(revision)}")
        if not size.isdigit():
            raise RequestError(
                f"{path} at version {revision!r} is not in this copy of the repository, which has"
                " only parts; git fetch"
            )
        if int(size) > most_bytes:
            raise RequestError(
                f"{path} at version {revision!r} has {int(size):,} bytes, more than {most_bytes:,}"
            )
        answer = self._ask(int(size) + 1, "cat-file", "blob", name)
        if answer.code or len(answer.said) != int(size):
            raise RequestError(
                f"{path} at version {revision!r} cannot be read: the repository is damaged, or"
                " lacks it; see git fsck"
            )
        return answer.said

    def merge_base(self, commit: str) -> str:
        """Returns the commit where the current history left that of another commit; the other
        commit itself if they share none."""
        output = self._ask(_MOST_ANSWER, "merge-base", "HEAD", commit).said.strip()
        return output.decode() if _HASH.fullmatch(output) else commit

    def files(self, commit: str, folder: str) -> Listing:
        """Returns what a commit contains below a folder. folder: from the top, with a slash at its
        end, or empty."""
        answer = self._ask(
            _MOST_LISTING,
            "ls-tree",
            "-r",
            "-z",
            "-l",
            "--full-tree",
            commit,
            "--",
            *filter(None, [folder]),
        )
        if answer.code or len(answer.said) >= _MOST_LISTING:
            raise RequestError(
                f"{self._top}: git cannot list the files of commit {commit[:12]}: see git fsck"
            )
        contents = Listing({}, {})
        for entry in answer.said.split(b"\0")[:-1]:
            facts, _, name = entry.partition(b"\t")
            mode, kind, blob, size = facts.decode("ascii", "replace").split()
            path = name.decode("utf-8", "surrogateescape").removeprefix(folder)
            if kind == "blob" and mode != _LINK and size.isdigit():
                contents.files[path] = blob, int(size)
            elif kind == "commit":
                contents.links[path] = blob
        return contents

    def blob(self, name: str, size: int) -> bytes:
        """Returns the bytes of a blob."""
        answer = self._ask(size + 1, "cat-file", "blob", name)
        if answer.code or len(answer.said) != size:
            raise RequestError(
                f"{self._top}: the repository is damaged, or lacks blob {name[:12]}; see git fsck"
            )
        return answer.said

    def blob_of(self, path: str, commit: str) -> tuple[str, int] | None:
        """Returns blob and size of a file in a commit; `None` if the commit does not contain it."""
        output = self._ask(
            _MOST_ANSWER, "ls-tree", "-z", "-l", "--full-tree", commit, "--", path
        ).said
        facts = output.partition(b"\t")[0].decode("ascii", "replace").split()
        return (
            (facts[2], int(facts[3]))
            if len(facts) == 4 and facts[1] == "blob" and facts[3].isdigit()
            else None
        )

    def is_shallow(self) -> bool:
        """Whether the repository lacks the commits before some of its own."""
        return self._ask(_MOST_ANSWER, "rev-parse", "--is-shallow-repository").said == b"true\n"

    def _tags_like(self, revision: str) -> str:
        """Lists some tags of the repository as the end of a sentence: those that look alike, else
        the newest."""
        answer = self._ask(
            1_000_000,
            "for-each-ref",
            f"--count={_MOST_TAGS}",
            "--sort=-creatordate",
            "--format=%(refname:strip=2)",
            "refs/tags",
        )
        tags = [
            tag
            for tag in answer.said.decode("utf-8", "replace").split("\n")
            if tag and tag != revision
        ]
        if not tags:
            return "; it has no tags: give a branch or a hash"
        near = difflib.get_close_matches(revision, tags, _SHOWN_TAGS) or tags[:_SHOWN_TAGS]
        return f"; it has the tags {', '.join(near)}{', ...' if len(tags) > len(near) else ''}"

    def ask_partly(self, most_bytes: int, *words: str) -> GitAnswer:
        """Returns git's answer, or the part of it that fits into its time and `most_bytes`. words:
        a command and its arguments, which must run no program."""
        answer = self._reader.ask(words, most_bytes, SECONDS, self._reader.outside)
        if answer is None:
            raise RequestError(
                f"{self._top}: git does not start; try git {words[0]} there yourself"
            )
        return answer

    def _ask(self, most_bytes: int, *words: str) -> GitAnswer:
        answer = self.ask_partly(most_bytes, *words)
        if answer.is_late:
            raise RequestError(
                f"{self._top}: git did not answer within {SECONDS:g} s; try git {words[0]} there"
                " yourself"
            )
        return answer
