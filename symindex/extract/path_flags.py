"""What a file's path says of all its symbols: that they are tests, generated, or copies of other projects' code.

The conventions here hold across languages. Those of one language (`*_test.go`) are in its folder, as `test_paths`.
"""

import re
from fnmatch import translate
from functools import lru_cache
from typing import Final

from symindex.extract.languages.language import Language
from symindex.protocol import SymbolFlag

TEST_FOLDERS: Final = frozenset({"test", "tests", "__tests__", "testing", "testdata", "spec", "specs", "e2e", "__mocks__"})
VENDOR_FOLDERS: Final = frozenset(
    {"vendor", "vendored", "_vendor", "third_party", "third-party", "thirdparty", "extern", "external", "deps"}
)
"""Hidden folders count as well: tools keep copies there (`.yarn`, `.tox`, the `.pc` of Debian's sources)."""

GENERATED_NAMES: Final = re.compile(
    r"_pb2(_grpc)?\.pyi?$|\.pb\.(go|h|cc|c)$|\.pb\.\w+\.go$|_generated\.\w+$|\.generated\.\w+$|\.g\.(cs|dart)$|\.designer\.cs$"
    r"|\.min\.\w+$|\.bundle\.\w+$",
    re.IGNORECASE,
)


_TEST: Final = SymbolFlag.TEST.value
_VENDORED: Final = SymbolFlag.VENDORED.value
_GENERATED: Final = SymbolFlag.GENERATED.value


def path_flags(path: str, language: Language | None) -> int:
    """The flags (SymbolFlag) that a path (relative, forward slashes) gives to every symbol of the file."""
    folder, _, name = path.rpartition("/")
    flags = _folder_flags(folder)
    if not flags & _TEST and language is not None and language.rules.test_paths:
        is_test = _compile(tuple(language.rules.test_paths)).match
        if is_test(name) or is_test(path):
            flags |= _TEST
    if ("_" in name or name.count(".") > 1) and GENERATED_NAMES.search(name):
        flags |= _GENERATED
    return flags


@lru_cache(maxsize=1024)
def _folder_flags(folder: str) -> int:
    flags = 0
    parts = folder.split("/")
    lower = {part.lower() for part in parts}
    if lower & TEST_FOLDERS:
        flags |= _TEST
    if lower & VENDOR_FOLDERS or any(part.startswith(".") for part in parts):
        flags |= _VENDORED
    return flags


@lru_cache(maxsize=256)
def _compile(globs: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(map(translate, globs)))
