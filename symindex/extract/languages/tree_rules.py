"""What a tree says of its own files: in which language they are, which were generated or copied, whether code in documents
counts.

It stands in the settings (`overrides`, `code_fences`), and in the `.gitattributes` at the root, by the attributes that GitHub's
linguist reads (docs/overrides.md in its repository): `linguist-language`, `-generated`, `-vendored`. The settings come last.
"""

import re
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Final

import msgspec

from symindex.files.access.regular import read_regular
from symindex.files.ignore.glob_set import GlobSet
from symindex.files.ignore.globs import plain_glob
from symindex.protocol.kinds import SymbolFlag

ATTRIBUTES_NAME: Final = ".gitattributes"

MOST_BYTES: Final = 200_000
MOST_LINES: Final = 1_000
"""Of `.gitattributes`: what comes later is not read, for a tree may come from a stranger."""

NO_LANGUAGE: Final = ""
"""Stands for a language that is not known here: such a file is not read as something that it is not."""

_FLAGS: Final = {"linguist-generated": SymbolFlag.GENERATED.value, "linguist-vendored": SymbolFlag.VENDORED.value}


class TreeRules(msgspec.Struct, frozen=True, array_like=True, dict=True):
    """overrides: globs, each with the id of a language; the last that matches decides. flags: globs, each with a bit of
    SymbolFlag, and whether it is set. code_fences: whether the code in documents gives symbols."""

    overrides: tuple[tuple[str, str], ...] = ()
    flags: tuple[tuple[str, int, bool], ...] = ()
    code_fences: bool = False

    def language_of(self, path: str) -> str | None:
        """The id of the language that a file is said to be in; `None` where nothing is said. path: relative to the root."""
        if not self.overrides:
            return None
        number = self._override_globs.last(path)
        return self.overrides[number][1] if number >= 0 else None

    def with_flags(self, path: str, flags: int) -> int:
        """The flags of a file, with what is said of it in place of what its path tells."""
        for globs, rows in self._flag_globs:
            number = globs.last(path)
            if number >= 0:
                _, bit, is_set = rows[number]
                flags = flags | bit if is_set else flags & ~bit
        return flags

    @cached_property
    def _override_globs(self) -> GlobSet:
        return GlobSet([plain_glob(glob) for glob, _ in self.overrides])

    @cached_property
    def _flag_globs(self) -> list[tuple[GlobSet, list[tuple[str, int, bool]]]]:
        tables = [[row for row in self.flags if row[1] == bit] for bit in _FLAGS.values()]
        return [(GlobSet([plain_glob(glob) for glob, _, _ in rows]), rows) for rows in tables if rows]


def tree_rules(root: Path, overrides: Mapping[str, str], code_fences: bool, find: Callable[[str], str | None]) -> TreeRules:
    """What the tree at `root` says. overrides, code_fences: of its settings. find: the id of the language of a name."""
    languages, flags = _read_attributes(root, find)
    languages += [(glob, find(word) or NO_LANGUAGE) for glob, word in overrides.items()]
    return TreeRules(tuple(languages), tuple(flags), code_fences)


def _read_attributes(root: Path, find: Callable[[str], str | None]) -> tuple[list[tuple[str, str]], list[tuple[str, int, bool]]]:
    try:
        text = read_regular(root / ATTRIBUTES_NAME, MOST_BYTES).decode("utf-8", "replace")
    except OSError:  # none, or nothing that can be read; git does without as well
        return [], []
    languages: list[tuple[str, str]] = []
    flags: list[tuple[str, int, bool]] = []
    for line in text.split("\n")[:MOST_LINES]:
        if "linguist-" not in line or (match := _LINE.match(line)) is None:
            continue
        glob = match["plain"] or _ESCAPE.sub(r"\1", match["quoted"])
        for word in match["attributes"].split():
            name, _, value = word.partition("=")
            bit = _FLAGS.get(name.lstrip("-!"))
            if name == "linguist-language" and value:
                languages.append((glob, find(value) or find(value.replace("-", " ")) or NO_LANGUAGE))
            elif bit is not None:
                flags.append((glob, bit, name[0] not in "-!" and value.lower() != "false"))
    return languages, flags


_LINE: Final = re.compile(r'[ \t]*(?:"(?P<quoted>(?:[^"\\]|\\.)++)"|(?P<plain>[^\s"#\[]\S*+))(?P<attributes>[ \t].*)')
_ESCAPE: Final = re.compile(r"\\(.)")
