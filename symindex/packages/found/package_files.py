"""Which files of a package are read: all that may hold symbols, but for tests and copies that tools
have made.

Nobody has cloned a package: git's ignore rules and its folders say nothing here. What a project
would leave out, the folders of dependencies, belongs to other packages. Whoever wrote the package
may have written anything into it, so the number of its files and of their bytes is limited; what is
left out is counted, for `symindex deps`.
"""

import os
import re
import stat
from collections import Counter
from typing import Final, NamedTuple

from symindex.files.access.beneath import Beneath
from symindex.files.change_stamp import change_stamp
from symindex.files.ignore.gitignore import IgnoreRules
from symindex.files.skips import SkipReason
from symindex.files.walk import FoundFile, Walk, Wanted, sort_entries
from symindex.packages.found.package import Package
from symindex.packages.found.package_documents import (
    DOCUMENTS,
    MOST_DOCUMENTS,
    TOO_MANY_DOCUMENTS,
    Formats,
    is_document,
    is_left_out,
)

MOST_FILES: Final = 100_000
MOST_BYTES: Final = 2_000_000_000
"""Of one package. The largest that are known have a third of either."""

MOST_FOLDERS: Final = 100_000

TEST_FOLDERS: Final = frozenset({"tests", "__tests__", "__mocks__", "testdata", "__testfixtures__"})
"""Tests of a library are of no use to those who call it, and two fifths of what some install.
`test` and `testing` are not among these: they are modules that libraries offer (`django.test`,
`numpy.testing`)."""

TOP_TEST_FOLDERS: Final = frozenset({"test", "spec", "e2e", "benchmark", "benchmarks"})
"""What holds tests at the top of a package that has a folder of its own."""

MADE: Final = re.compile(
    r"[.-]min\.\w+$|\.bundle\.\w+$|[.-]bundle\.min\.\w+$|\.map$", re.IGNORECASE
)
"""The names of files that a tool has packed for browsers."""

_DECLARED: Final = (
    (".d.ts", (".js", ".jsx", ".mjs", ".cjs", ".d.mts", ".d.cts")),
    (".d.mts", (".mjs",)),
    (".d.cts", (".cjs",)),
)
"""Declarations of types, and what is left out beside them: what a compiler has made of the same
source says less of it."""

_NO_RULES: Final = IgnoreRules()
_NO_FORMATS: Final = Formats()

TESTS: Final = "tests"
PACKED: Final = "packed for browsers"
COMPILED: Final = "compiled, with declarations beside it"
TOO_MANY: Final = f"beyond the limits of {MOST_FILES:,} files and {MOST_BYTES:,} bytes"
UNREADABLE: Final = "unreadable"
"""Why files are left out; further ones are those of `files/skips`."""


class PackageFiles(NamedTuple):
    """files: in the order of their paths. left_out: by reason, how many files, or folders with all
    that is in them."""

    files: list[FoundFile]
    left_out: dict[str, int]
    began_ns: int


def find_package_files(
    package: Package, wanted: Wanted, formats: Formats = _NO_FORMATS
) -> PackageFiles:
    """The files of a package that is a folder, or a part of one. formats: of documents, which are
    read as `package_documents` has it. Raises OSError where its root cannot be opened."""
    assert package.root is not None
    walk, left_out = Walk(), Counter[str]()
    with Beneath(package.root) as tree:
        tree.folder("")
        named, pending = _named(tree, package, wanted, left_out)
        while pending:
            base, is_named = pending.pop()
            if base in walk.folders:  # named twice
                continue
            if len(walk.files) > MOST_FILES or len(walk.folders) >= MOST_FOLDERS:
                left_out[TOO_MANY] += 1
                break
            if not is_named and _holds_tests(base, package):
                left_out[TESTS] += 1
                continue
            _enter(tree, base, walk, wanted, left_out)
            pending += [(inner, False) for inner, _ in reversed(walk.pending)]
            walk.pending.clear()
    left_out.update(str(skip.reason) for skip in walk.skips)
    files = {file.path: file for file in (*named, *walk.files)}
    return PackageFiles(
        _within_limits(files, left_out, package, formats),
        dict(sorted(left_out.items())),
        walk.began_ns,
    )


def _named(
    tree: Beneath, package: Package, wanted: Wanted, left_out: Counter[str]
) -> tuple[list[FoundFile], list[tuple[str, bool]]]:
    """The files that the package names, and the folders to begin with, the last one first."""
    if not package.files:
        return [], [("", True)]
    files, folders = [], []
    for path in sorted(package.files)[: MOST_FILES + 1]:
        try:
            status = tree.lstat(path)
        except OSError:
            left_out[UNREADABLE] += 1
            continue
        if stat.S_ISDIR(status.st_mode):
            folders.append((f"{path}/", True))
        elif stat.S_ISREG(status.st_mode) and wanted.takes_path(path):
            if status.st_size <= wanted.max_file_bytes:
                files.append(
                    FoundFile(path, status.st_size, status.st_mtime_ns, change_stamp(status))
                )
            else:
                left_out[str(SkipReason.TOO_LARGE)] += 1
    return files, folders[::-1]


def _enter(tree: Beneath, base: str, walk: Walk, wanted: Wanted, left_out: Counter[str]) -> None:
    """Adds the files of a folder to the walk, and the folders in it to `pending`, in the order of
    their names."""
    walk.folders[base] = _NO_RULES
    try:
        with os.scandir(tree.folder(base)) as entries:
            listed = {entry.name: entry for entry in sorted(entries, key=lambda entry: entry.name)}
        sort_entries(listed, base, _NO_RULES, walk, wanted)
    except OSError:
        left_out[UNREADABLE] += 1


def _holds_tests(base: str, package: Package) -> bool:
    name = base[:-1].rpartition("/")[2].lower()
    return name in TEST_FOLDERS or (
        not package.files and base.lower() == f"{name}/" and name in TOP_TEST_FOLDERS
    )


def _within_limits(
    files: dict[str, FoundFile], left_out: Counter[str], package: Package, formats: Formats
) -> list[FoundFile]:
    """The files that are read, by path."""
    kept: list[FoundFile] = []
    n_bytes = n_documents = 0
    for path in sorted(files):
        if is_left_out(path, package, formats):
            left_out[DOCUMENTS] += 1
            continue
        n_documents += is_document(path, formats)
        n_bytes += files[path].size
        if n_documents > MOST_DOCUMENTS and is_document(path, formats):
            left_out[TOO_MANY_DOCUMENTS] += 1
        elif len(kept) >= MOST_FILES or n_bytes > MOST_BYTES:
            left_out[TOO_MANY] += 1
        elif MADE.search(path):
            left_out[PACKED] += 1
        elif _is_declared(path, files):
            left_out[COMPILED] += 1
        else:
            kept.append(files[path])
    return kept


def _is_declared(path: str, files: dict[str, FoundFile]) -> bool:
    for declaration, others in _DECLARED:
        for other in others:
            if path.endswith(other) and path.removesuffix(other) + declaration in files:
                return True
    return False
