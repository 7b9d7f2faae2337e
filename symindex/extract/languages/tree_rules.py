"""What a tree says of its own files: in which language they are, which were generated or copied,
whether code in documents counts.

It stands in the settings (`overrides`, `code_fences`, `minified`), and in the `.gitattributes` at
the root, by the attributes that GitHub's linguist reads (docs/overrides.md in its repository):
`linguist-language`, `-generated`, `-vendored`. The settings come last.
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
"""Of `.gitattributes`, counting lines that say something of these: what comes later is not applied,
for a tree may come from a stranger."""

NO_LANGUAGE: Final = ""
"""Stands for a language that is not known here: such a file is not read as something that it is
not."""

_FLAGS: Final = {
    "linguist-generated": SymbolFlag.GENERATED.value,
    "linguist-vendored": SymbolFlag.VENDORED.value,
}


class TreeRules(msgspec.Struct, frozen=True, array_like=True, dict=True):
    """overrides: globs, each with the id of a language; the last that matches decides. flags:
    globs, each with a bit of SymbolFlag, and whether it is set. code_fences: whether the code in
    documents gives symbols. unread: why a part of `.gitattributes` is not applied; empty where all
    is. minified: globs of files that are read though they look minified."""

    overrides: tuple[tuple[str, str], ...] = ()
    flags: tuple[tuple[str, int, bool], ...] = ()
    code_fences: bool = False
    unread: str = ""
    minified: tuple[str, ...] = ()

    def language_of(self, path: str) -> str | None:
        """The id of the language that a file is said to be in; `None` where nothing is said. path:
        relative to the root."""
        if not self.overrides:
            return None
        number = self._override_globs.last(path)
        return self.overrides[number][1] if number >= 0 else None

    def takes_minified(self, path: str) -> bool:
        """Whether a file is read though it looks minified."""
        return (
            bool(self.minified)
            and GlobSet([plain_glob(glob) for glob in self.minified]).last(path) >= 0
        )

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
    """What the tree at `root` says. overrides, code_fences, minified: of its settings. find: the id
    of the language of a name."""
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
    """The lines of `.gitattributes` that are applied, and what is not."""
    try:
        with closing(open_regular(root / ATTRIBUTES_NAME)) as number:
            data = read_up_to(number, MOST_BYTES + 1)
    except OSError:  # none, or nothing that can be read; git does without as well
        return [], []
    limits = []
    if len(data) > MOST_BYTES:
        limits.append(f"what stands beyond {MOST_BYTES:,} bytes")
        data = data[: data.rfind(b"\n", 0, MOST_BYTES) + 1]
    lines = [line for line in data.decode("utf-8", "replace").split("\n") if "linguist-" in line]
    if len(lines) > MOST_LINES:
        limits.append(f"what stands beyond {MOST_LINES:,} lines")
    return lines[:MOST_LINES], limits


def _read_line(
    line: str,
    find: Callable[[str], str | None],
    languages: list[tuple[str, str]],
    flags: list[tuple[str, int, bool]],
) -> None:
    """Adds what a line says."""
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
