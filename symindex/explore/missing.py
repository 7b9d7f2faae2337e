"""Explains why something was not found, and what to request instead."""

import os
from collections import Counter
from collections.abc import Sequence
from typing import Final

from symindex.errors import EmptyFolderError, RequestError
from symindex.files.left_out import reason_and_remedy, tell_left_out
from symindex.files.skips import Skip, SkipReason
from symindex.resolve.tree import IndexedFile, Tree, indexed_files, is_glob, place_of
from symindex.text.counts import count_of
from symindex.text.escaping import show_controls

_NEAR: Final = 60.0
"""Similarity, out of 100, that a path needs to be suggested."""

_OFFERED: Final = 3

NO_FILES: Final = "the index contains no source files: status tells what was skipped, and why"


def nothing_there(tree: Tree, path: str) -> RequestError:
    """Returns the error for a path that is not in the index."""
    if not path and tree.snapshot.n_symbols:
        return RequestError("that is a root itself: its outline lists what is in it")
    if not path:
        return EmptyFolderError(NO_FILES)
    if is_glob(path):
        return RequestError(
            f"no file of the index matches {path!r}: a glob looks like src/** or *.py"
        )
    place = place_of(tree, path)
    if os.path.isdir(place) and tree.left_out(f"{path}/") is None:
        unread = Counter(
            _why_skipped(file) for file in indexed_files(tree) if file.path.startswith(f"{path}/")
        )
        if not unread:
            return EmptyFolderError(
                f"{path}: a folder without source files that symindex reads, or one that is"
                " left out"
            )
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in unread.most_common(_OFFERED))
        return EmptyFolderError(
            f"{path}: none of its {count_of(unread.total(), 'file')} was read: {reasons}"
        )
    if (
        left_out := tree.left_out(path)
    ) is not None and left_out.reason is not SkipReason.UNSUPPORTED:
        return RequestError(told_of(path, left_out))
    if os.path.isfile(place) and not tree.languages.by_name(os.path.basename(path)):
        return RequestError(f"{path}: {_of_no_language(path)}")
    if os.path.exists(place):
        size = f", of {os.path.getsize(place):,} bytes," if os.path.isfile(place) else ""
        return RequestError(
            f"{path}{size} is not in the index: too large, ignored by git, left out by the"
            " settings, or newer"
        )
    near = _near_paths(tree, path)
    hint = f"; nearest: {', '.join(map(show_controls, near))}" if near else ""
    return RequestError(f"no file or folder {path!r}{hint}")


def told_of(path: str, left_out: Skip) -> str:
    """Returns the message about a path that is left out, or that is in a folder that is."""
    message = tell_left_out(left_out)
    return message if left_out.path.rstrip("/") == path.rstrip("/") else f"{path}: {message}"


def _near_paths(tree: Tree, path: str) -> list[str]:
    """Returns paths in the index with the same last part as a missing path, or with a similar
    spelling."""
    from rapidfuzz import fuzz, process  # takes 15 ms

    files = indexed_files(tree)
    paths = sorted(
        {file.path for file in files} | {file.path.rpartition("/")[0] for file in files} - {""}
    )
    base = path.rpartition("/")[2].lower()
    same = [known_path for known_path in paths if known_path.rpartition("/")[2].lower() == base]
    matches = process.extract(path, paths, scorer=fuzz.ratio, limit=_OFFERED, score_cutoff=_NEAR)
    return list(dict.fromkeys([*same[:_OFFERED], *(near for near, _, _ in matches)]))[:_OFFERED]


def why_no_symbols(files: Sequence[IndexedFile], kinds: Sequence[str]) -> str:
    """Explains why some files show no symbols."""
    if len(files) == 1 and files[0].known.skip:
        if files[0].known.skip == SkipReason.UNSUPPORTED:
            return f"no symbols were read: {_of_no_language(files[0].path)}"
        return f"no symbols were read: {reason_and_remedy(skip_of(files[0]))}"
    if kinds:
        return (
            f"no symbols of the kinds {', '.join(kinds)}; without that filter there are"
            f" {sum(f.n_symbols for f in files):,}"
        )
    return (
        f"{files[0].known_language}: the file defines nothing"
        if len(files) == 1
        else "the files define nothing"
    )


def skip_of(file: IndexedFile) -> Skip:
    """Returns the reason why a file in the index has no symbols. The file must have one."""
    return Skip(file.path, SkipReason(file.known.skip), file.known.detail)


def _why_skipped(file: IndexedFile) -> str:
    record = file.known
    if record.skip == SkipReason.UNSUPPORTED:
        return _of_no_language(file.path)
    return f"{record.skip} ({record.detail})" if record.detail else record.skip


def _of_no_language(path: str) -> str:
    return f"in no language that symindex reads ({os.path.splitext(path)[1] or 'no suffix'})"
