"""Decides which files of a package are read: all that may contain symbols, except tests and files
that tools generated.

A package was not cloned, so git's ignore rules do not apply. The folders of dependencies, which a
project leaves out, belong to other packages. The author of a package may have put anything into it,
so the number of files and bytes is limited. Files that are left out are counted, for
`symindex deps`.
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
from symindex.files.walk import FileFilter, FoundFile, Walk, sort_entries
from symindex.packages.found.package import Package
from symindex.packages.found.package_documents import (
    DOCUMENTS,
    MOST_DOCUMENTS,
    TOO_MANY_DOCUMENTS,
    DocumentEndings,
    is_document,
    is_left_out,
)

MOST_FILES: Final = 100_000
MOST_BYTES: Final = 2_000_000_000
"""Most files and bytes of one package. The largest known ones have a third of either."""

MOST_FOLDERS: Final = 100_000

TEST_FOLDERS: Final = frozenset({"tests", "__tests__", "__mocks__", "testdata", "__testfixtures__"})
"""Names of folders with tests, which are of no use to callers, and two fifths of some packages.
`test` and `testing` are not included: libraries offer modules of these names (`django.test`,
`numpy.testing`)."""

TOP_TEST_FOLDERS: Final = frozenset({"test", "spec", "e2e", "benchmark", "benchmarks"})
"""Names of folders with tests at the top of a package that has a folder of its own."""

MADE: Final = re.compile(
    r"[.-]min\.\w+$|\.bundle\.\w+$|[.-]bundle\.min\.\w+$|\.map$", re.IGNORECASE
)
"""Names of files that a tool has packed for browsers."""

_DECLARED: Final = (
    (".d.ts", (".js", ".jsx", ".mjs", ".cjs", ".d.mts", ".d.cts")),
    (".d.mts", (".mjs",)),
    (".d.cts", (".cjs",)),
)
"""Endings of type declarations -> endings of files that are left out next to them: a compiler made
them from the same source, and they say less."""

_NO_RULES: Final = IgnoreRules()
_NO_DOCUMENTS: Final = DocumentEndings()

TESTS: Final = "tests"
PACKED: Final = "packed for browsers"
COMPILED: Final = "compiled, with declarations beside it"
TOO_MANY: Final = f"beyond the limits of {MOST_FILES:,} files and {MOST_BYTES:,} bytes"
UNREADABLE: Final = "unreadable"
"""Reasons for leaving files out; `files/skips` has further ones."""


class PackageFiles(NamedTuple):
    """files: by path. left_out: reason -> number of files, or of folders with all their
    contents."""

    files: list[FoundFile]
    left_out: dict[str, int]
    began_ns: int


def find_package_files(
    package: Package, file_filter: FileFilter, endings: DocumentEndings = _NO_DOCUMENTS
) -> PackageFiles:
    """Returns the files of a package that is a folder, or a part of one. endings: of documents,
    which are selected by `package_documents`. Raises OSError if the root cannot be opened."""
    assert package.root is not None
    walk, left_out = Walk(), Counter[str]()
    with Beneath(package.root) as tree:
        tree.folder("")
        named_files, pending = _named_files(tree, package, file_filter, left_out)
        while pending:
            base, is_named = pending.pop()
            if base in walk.folders:  # A folder that is named twice.
                continue
            if len(walk.files) > MOST_FILES or len(walk.folders) >= MOST_FOLDERS:
                left_out[TOO_MANY] += 1
                break
            if not is_named and _holds_tests(base, package):
                left_out[TESTS] += 1
                continue
            _enter(tree, base, walk, file_filter, left_out)
            pending += [(inner, False) for inner, _ in reversed(walk.pending)]
            walk.pending.clear()
    left_out.update(str(skip.reason) for skip in walk.skips)
    files = {file.path: file for file in (*named_files, *walk.files)}
    return PackageFiles(
        _within_limits(files, left_out, package, endings),
        dict(sorted(left_out.items())),
        walk.began_ns,
    )


def _named_files(
    tree: Beneath, package: Package, file_filter: FileFilter, left_out: Counter[str]
) -> tuple[list[FoundFile], list[tuple[str, bool]]]:
    """Returns the files that the package names, and the folders to start with, the last one
    first."""
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
        elif stat.S_ISREG(status.st_mode) and file_filter.takes_path(path):
            if status.st_size <= file_filter.max_file_bytes:
                files.append(
                    FoundFile(path, status.st_size, status.st_mtime_ns, change_stamp(status))
                )
            else:
                left_out[str(SkipReason.TOO_LARGE)] += 1
    return files, folders[::-1]


def _enter(
    tree: Beneath, base: str, walk: Walk, file_filter: FileFilter, left_out: Counter[str]
) -> None:
    """Adds the files of a folder to the walk, and its folders to `pending`, by name."""
    walk.folders[base] = _NO_RULES
    try:
        with os.scandir(tree.folder(base)) as entries:
            listed = {entry.name: entry for entry in sorted(entries, key=lambda entry: entry.name)}
        sort_entries(listed, base, _NO_RULES, walk, file_filter)
    except OSError:
        left_out[UNREADABLE] += 1


def _holds_tests(base: str, package: Package) -> bool:
    name = base[:-1].rpartition("/")[2].lower()
    return name in TEST_FOLDERS or (
        not package.files and base.lower() == f"{name}/" and name in TOP_TEST_FOLDERS
    )


def _within_limits(
    files: dict[str, FoundFile], left_out: Counter[str], package: Package, endings: DocumentEndings
) -> list[FoundFile]:
    """Selects the files that are read, by path, and counts the others."""
    selected: list[FoundFile] = []
    n_bytes = n_documents = 0
    for path in sorted(files):
        if is_left_out(path, package, endings):
            left_out[DOCUMENTS] += 1
            continue
        n_documents += is_document(path, endings)
        n_bytes += files[path].size
        if n_documents > MOST_DOCUMENTS and is_document(path, endings):
            left_out[TOO_MANY_DOCUMENTS] += 1
        elif len(selected) >= MOST_FILES or n_bytes > MOST_BYTES:
            left_out[TOO_MANY] += 1
        elif MADE.search(path):
            left_out[PACKED] += 1
        elif _is_declared(path, files):
            left_out[COMPILED] += 1
        else:
            selected.append(files[path])
    return selected


def _is_declared(path: str, files: dict[str, FoundFile]) -> bool:
    for declaration, endings in _DECLARED:
        for ending in endings:
            if path.endswith(ending) and path.removesuffix(ending) + declaration in files:
                return True
    return False
