"""The rules of a tree about its own files: their languages, which of them are generated or
vendored, and whether code in documents counts.

They are in the settings (`overrides`, `code_fences`, `minified`) and in the `.gitattributes` at the
root, whose attributes are those of GitHub's linguist (docs/overrides.md in its repository):
`linguist-language`, `-generated`, `-vendored`. Settings win.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Final

import msgspec

from symindex.files.access.regular import closing, open_regular, read_up_to
from symindex.files.ignore.glob_set import GlobSet
from symindex.files.ignore.globs import plain_glob
from symindex.protocol.kinds import SymbolFlag
from symindex.text.counts import count_of

ATTRIBUTES_NAME: Final = ".gitattributes"

MOST_BYTES: Final = 200_000
MOST_LINES: Final = 1_000
"""Most bytes and relevant lines of `.gitattributes`; the rest is not applied, because a tree may
come from a stranger."""

NO_LANGUAGE: Final = ""
"""Id of an unknown language: a file that a rule assigns to it is not read at all."""

_FLAGS: Final = {
    "linguist-generated": SymbolFlag.GENERATED.value,
    "linguist-vendored": SymbolFlag.VENDORED.value,
}


class TreeRules(msgspec.Struct, frozen=True, array_like=True, dict=True):
    """The rules of one tree.

    overrides: globs, each with the id of a language; the last match decides. flags: globs, each
    with a bit of SymbolFlag and whether it is set. code_fences: whether code in documents gives
    symbols. unread: why a part of `.gitattributes` is not applied; else empty. minified: globs of
    files that are read although they look minified.
    """

    overrides: tuple[tuple[str, str], ...] = ()
    flags: tuple[tuple[str, int, bool], ...] = ()
    code_fences: bool = False
    unread: str = ""
    minified: tuple[str, ...] = ()

    def language_of(self, path: str) -> str | None:
        """Returns the id of the language that the rules assign to a file; `None` if they assign
        none. path: relative to the root."""
        if not self.overrides:
            return None
        number = self._override_globs.last(path)
        return self.overrides[number][1] if number >= 0 else None

    def takes_minified(self, path: str) -> bool:
        """Whether a file is read although it looks minified."""
        return (
            bool(self.minified)
            and GlobSet([plain_glob(glob) for glob in self.minified]).last(path) >= 0
        )

    def with_flags(self, path: str, flags: int) -> int:
        """Returns the flags of a file, with the rules applied to those that its path gives."""
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
        return [
            (GlobSet([plain_glob(glob) for glob, _, _ in rows]), rows) for rows in tables if rows
        ]


def tree_rules(
    root: Path,
    overrides: Mapping[str, str],
    code_fences: bool,
    find: Callable[[str], str | None],
    minified: Sequence[str] = (),
) -> TreeRules:
    """Returns the rules of the tree at `root`. overrides, code_fences, minified: from its settings.
    find: returns the id of the language of a name."""
    lines, limits = _read_lines(root)
    languages: list[tuple[str, str]] = []
    flags: list[tuple[str, int, bool]] = []
    for line in lines:
        _read_line(line, find, languages, flags)
    languages += [(glob, find(word) or NO_LANGUAGE) for glob, word in overrides.items()]
    rules = TreeRules(tuple(languages), tuple(flags), code_fences, minified=tuple(minified))
    n_left_out = rules._override_globs.n_left_out + sum(
        globs.n_left_out for globs, _ in rules._flag_globs
    )
    if n_left_out:
        limits.append(
            f"{count_of(n_left_out, 'glob')}: too many with wildcards inside, or too long"
        )
    return msgspec.structs.replace(rules, unread="; ".join(limits)) if limits else rules


def _read_lines(root: Path) -> tuple[list[str], list[str]]:
    """Returns the relevant lines of `.gitattributes`, and descriptions of the parts that are not
    applied."""
    try:
        with closing(open_regular(root / ATTRIBUTES_NAME)) as number:
            data = read_up_to(number, MOST_BYTES + 1)
    except OSError:  # missing or unreadable: git also goes on without it
        return [], []
    limits = []
    if len(data) > MOST_BYTES:
        limits.append(f"everything beyond {MOST_BYTES:,} bytes")
        data = data[: data.rfind(b"\n", 0, MOST_BYTES) + 1]
    lines = [line for line in data.decode("utf-8", "replace").split("\n") if "linguist-" in line]
    if len(lines) > MOST_LINES:
        limits.append(f"everything beyond {MOST_LINES:,} lines")
    return lines[:MOST_LINES], limits


def _read_line(
    line: str,
    find: Callable[[str], str | None],
    languages: list[tuple[str, str]],
    flags: list[tuple[str, int, bool]],
) -> None:
    """Adds the rules of one line."""
    if (match := _LINE.match(line)) is None:
        return
    glob = match["plain"] or _ESCAPE.sub(r"\1", match["quoted"])
    for word in match["attributes"].split():
        name, _, value = word.partition("=")
        bit = _FLAGS.get(name.lstrip("-!"))
        if name == "linguist-language" and value:
            languages.append((glob, find(value) or find(value.replace("-", " ")) or NO_LANGUAGE))
        elif bit is not None:
            flags.append((glob, bit, name[0] not in "-!" and value.lower() != "false"))


_LINE: Final = re.compile(
    r'[ \t]*(?:"(?P<quoted>(?:[^"\\]|\\.)++)"|(?P<plain>[^\s"#\[]\S*+))(?P<attributes>[ \t].*)'
)
_ESCAPE: Final = re.compile(r"\\(.)")
