"""Plans the reading of a repository's tree: which files, by which rules, and the key of the result.

A tree's `symindex.toml` and `.gitattributes` choose what is read, as everywhere. Nothing above the
tree counts, and no limit of size or time comes from it: the same files give the same index on every
machine.
"""

import hashlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from symindex.extract.languages.registry import Languages
from symindex.extract.reading_rules import rules_digest
from symindex.extract.texts.file_text import digest_of
from symindex.files.access.beneath import Beneath
from symindex.files.ignore.git_index import AllTracked
from symindex.files.ignore.gitignore import IgnoreRules
from symindex.files.skips import UNREAD
from symindex.files.walk import (
    MAX_FILE_BYTES,
    FoundFile,
    Walk,
    check_root,
    walk_below,
    walk_tree,
)
from symindex.fleet.stored.repository_object import FORMAT_VERSION
from symindex.packages.indexes.content_key import stamp_of_files
from symindex.workspace.root_settings import RootSettings

FILE_SECONDS: Final = 10.0
"""Processor time to read one file, in seconds."""

MOST_SKIPS: Final = 50
"""Most files of a repository that are named because they are not read; all are counted."""

KEY_BYTES: Final = 16
_KEY_FORMAT: Final = b"fleet %d" % FORMAT_VERSION


class TreeToRead(msgspec.Struct, frozen=True):
    """The files of a repository on this machine.

    name: of the repository. root: the folder. tree: the id of git's tree, empty if the files alone
    identify the content. is_commit: whether the folder contains a commit or an unpacked archive,
    and nothing else; of such a tree git's rules ignore nothing.
    """

    name: str
    root: str
    tree: str = ""
    is_commit: bool = False


class KnownContent(msgspec.Struct, frozen=True):
    """The key of a tree, as long as its stamp stays: a digest of the names, sizes and times of its
    files. An empty stamp tells nothing."""

    stamp: str = ""
    key: str = ""


class ReadingPlan(NamedTuple):
    """What will be read of a tree.

    key: identifies the result, in hexadecimal digits. files: by path. languages: by which the files
    are read. skips: the first files that are not read and may hide code. left_out: reason -> how
    many there are. digests: path -> digest of the content, where the key was computed from it.
    known: the key with its stamp.
    """

    tree: TreeToRead
    key: str
    files: list[FoundFile]
    languages: Languages
    skips: list[tuple[str, str]]
    left_out: dict[str, int]
    digests: dict[str, bytes]
    known: KnownContent


def commit_key(name: str, tree: str, rules: bytes) -> str:
    """Returns the key of a commit without reading it. tree: the id of git's tree. rules: digest of
    the rules of all languages."""
    return _hasher(name, rules, b"git" + tree.encode()).hexdigest()


def make_plan(
    tree: TreeToRead, languages: Languages, rules: bytes, known: KnownContent
) -> ReadingPlan:
    """Returns the plan of a tree. languages, rules: all that there are, and their digest. known:
    from an earlier plan. Raises RequestError for a folder that cannot be read."""
    root = Path(tree.root)
    # A wrong setting has its default, as for any root that a server opens.
    root_settings = RootSettings(root, {}, lambda _: None)
    settings, _ = root_settings.read(languages)
    selected = root_settings.select_languages(settings, languages)
    file_filter = selected.wanted(MAX_FILE_BYTES, settings.selection)
    if tree.is_commit:
        ignoring = IgnoreRules().tracking(AllTracked()).under(file_filter.selection)
        walk = walk_below(check_root(root), [("", ignoring)], file_filter)
        walk.sort()
    else:
        walk = walk_tree(check_root(root), file_filter)
    files = list(walk.files)
    if tree.tree:
        key = commit_key(tree.name, tree.tree, rules)
        content = KnownContent(key=key)
        return ReadingPlan(tree, key, files, selected, *_left_out(walk), {}, content)
    # The object names the files that are not read, so a new one makes another object.
    own_rules = rules_digest(selected, settings.item_types) + _digest_of_unread(walk)
    stamp = stamp_of_files(files, walk.began_ns)
    if stamp:
        stamp = _hasher(tree.name, own_rules, stamp).digest()
    digests: dict[str, bytes] = {}
    if not stamp or known.stamp != stamp.hex():
        digests = _read_digests(root, files)
        known = KnownContent(stamp.hex(), _content_key(tree.name, own_rules, files, digests))
    return ReadingPlan(tree, known.key, files, selected, *_left_out(walk), digests, known)


def _content_key(
    name: str, rules: bytes, files: Sequence[FoundFile], digests: dict[str, bytes]
) -> str:
    hasher = _hasher(name, rules, b"files")
    for file in files:
        path = file.path.encode()
        hasher.update(len(path).to_bytes(4, "little") + path)
        digest = digests.get(file.path, b"")
        hasher.update(bytes([len(digest)]) + digest)
    return hasher.hexdigest()


def _hasher(name: str, rules: bytes, content: bytes) -> "hashlib.blake2b":
    start = _KEY_FORMAT + rules + name.encode() + b"\0" + content
    return hashlib.blake2b(start, digest_size=KEY_BYTES)


def _read_digests(root: Path, files: Sequence[FoundFile]) -> dict[str, bytes]:
    digests = {}
    with Beneath(root) as tree:
        for file in files:
            try:
                digests[file.path] = digest_of(tree.read(file.path, MAX_FILE_BYTES))
            except OSError:
                digests[file.path] = b""
    return digests


def _unread(walk: Walk) -> list[tuple[str, str]]:
    """Returns the files that may hide code that somebody searches for, each with the reason."""
    return sorted((skip.path, str(skip.reason)) for skip in walk.skips if skip.reason in UNREAD)


def _digest_of_unread(walk: Walk) -> bytes:
    unread = _unread(walk)
    if not unread:
        return b""
    return hashlib.blake2b(msgspec.msgpack.encode(unread), digest_size=KEY_BYTES).digest()


def _left_out(walk: Walk) -> tuple[list[tuple[str, str]], dict[str, int]]:
    """Returns the first files that are not read, and counts all by reason."""
    unread = _unread(walk)
    return unread[:MOST_SKIPS], dict(Counter(reason for _, reason in unread))
