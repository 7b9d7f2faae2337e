"""Reads from a file's path whether its symbols are tests, generated code, or copies of other
projects' code.

The conventions here apply to all languages. Those of one language (`*_test.go`) are in its folder,
as `test_paths`.
"""

import re
from collections.abc import Callable
from fnmatch import translate
from functools import lru_cache
from typing import Final

from symindex.extract.languages.language import Language
from symindex.protocol.kinds import SymbolFlag

TEST_FOLDERS: Final = frozenset(
    {"test", "tests", "__tests__", "testing", "testdata", "spec", "specs", "e2e", "__mocks__"}
)
VENDOR_FOLDERS: Final = frozenset(
    {
        "vendor",
        "vendored",
        "_vendor",
        "third_party",
        "third-party",
        "thirdparty",
        "extern",
        "external",
        "deps",
        "node_modules",
        "bower_components",
        "site-packages",
    }
)
"""Folders of copies. Hidden folders count as well: tools keep copies there (`.yarn`, `.tox`, the
`.pc` of Debian's sources)."""

GENERATED_NAMES: Final = re.compile(
    r"_pb2(_grpc)?\.pyi?$|\.pb\.(go|h|cc|c)$|\.pb\.\w+\.go$|_generated\.\w+$|\.generated\.\w+$|\.g\.(cs|dart)$|\.designer\.cs$"
    r"|\.min\.\w+$|\.bundle\.\w+$",
    re.IGNORECASE,
)


_PRODUCTION: Final = re.compile(r"(?:^|/)src/(?:main|\w*Main)(?:/|$)")
"""Folders of production code in Maven and Gradle: no name makes a file there a test."""


def path_flags(path: str, language: Language | None) -> int:
    """Returns the flags (SymbolFlag) that a path gives to every symbol of the file. path: relative,
    with forward slashes."""
    folder, _, name = path.rpartition("/")
    flags = _folder_flags(folder)
    if (
        not flags & _TEST
        and language is not None
        and language.rules.test_paths
        and not _PRODUCTION.search(folder)
    ):
        is_test = _tests_of(language)
        if is_test(name) or is_test(path):
            flags |= _TEST
    if ("_" in name or name.count(".") > 1) and GENERATED_NAMES.search(name):
        flags |= SymbolFlag.GENERATED.value
    return flags


@lru_cache(maxsize=1024)
def _folder_flags(folder: str) -> int:
    parts = folder.lower().split("/")
    flags = 0 if TEST_FOLDERS.isdisjoint(parts) else _TEST
    if not VENDOR_FOLDERS.isdisjoint(parts) or folder.startswith(".") or "/." in folder:
        flags |= SymbolFlag.VENDORED.value
    return flags


@lru_cache(maxsize=256)
def _tests_of(language: Language) -> Callable[[str], re.Match[str] | None]:
    return re.compile("|".join(map(translate, language.rules.test_paths))).match


_TEST: Final = SymbolFlag.TEST.value
"""The flag as a number: an operation with a member of a flag makes another member."""
