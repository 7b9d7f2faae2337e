"""Matches many globs at once and finds the last one that matches a path.

A walk does this for every path, and a tree may bring any number of globs. So plain names, paths and
extensions are looked up in tables. The other globs become regular expressions
(`files/ignore/globs`), and only those are tried that share their first or last letters with the
path. Their number is limited so that a walk stays fast; globs beyond the limit are reported.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Final

from symindex.files.ignore.globs import parse_glob

MOST_EXPRESSIONS: Final = 250
"""Most expressions to try on one path; each takes about a microsecond."""

LONGEST_EXPRESSION: Final = 1_000
"""Longest glob with wildcards, in characters."""

_FEW: Final = 32
"""Up to this many expressions are tried together, which is faster than looking them up."""

_KEY_LETTERS: Final = 3
"""How many letters the keys of expressions have. A glob such as `abcd*` or `*abcd` has all of its
letters as its key, so that only one such glob is tried."""

_SPECIAL: Final = re.compile(r"[*?\[\\]")
_SPECIAL_IN_ENDING: Final = re.compile(r"[*?\[\\.]")


class GlobSet:
    """Numbered globs in git's spelling (`files/ignore/globs`).

    room: how many expressions may be tried on one path. n_asked: how many are tried at most.
    n_left_out: how many globs exceeded `room`.
    """

    def __init__(self, globs: Sequence[str], room: int = MOST_EXPRESSIONS) -> None:
        self.n_left_out: int = 0
        self._paths: dict[str, int] = {}
        self._names: dict[str, int] = {}
        self._extensions: dict[str, int] = {}
        self._by_name = _Expressions()
        self._by_path = _Expressions()
        not_in_tables = [
            (number, glob) for number, glob in enumerate(globs) if not self._look_up(number, glob)
        ]
        for number, glob in not_in_tables:
            if len(glob) > LONGEST_EXPRESSION:
                self.n_left_out += 1
            elif (parsed := parse_glob(glob)) is not None:
                expression = parsed.regex + (r"/\Z" if parsed.only_folders else r"/?\Z")
                key = (0, "") if len(not_in_tables) <= _FEW else _key_of(glob.strip("/"))
                place = self._by_name if parsed.is_name else self._by_path
                if not place.add(
                    number, expression, key, room - self._by_name.n_asked - self._by_path.n_asked
                ):
                    self.n_left_out += 1
        self.n_asked: int = self._by_name.n_asked + self._by_path.n_asked
        self._match_name, self._match_path = (
            self._by_name.quick_match(),
            self._by_path.quick_match(),
        )

    def last(self, path: str) -> int:
        """Returns the number of the last glob that matches a path; -1 for none.

        path: a folder's ends with a slash. A glob that matches a folder does not match the paths
        below it.
        """
        name = path[path.rfind("/", 0, -1) + 1 :]
        last = self._names.get(name, -1)
        if self._extensions and (dot := name.rfind(".")) >= 0:
            last = max(last, self._extensions.get(name[dot:], -1))
        if self._paths:
            last = max(last, self._paths.get(path, -1))
        if self._match_name is not None and self._match_name(name):
            last = self._by_name.last(name, last)
        if self._match_path is not None and self._match_path(path):
            last = self._by_path.last(path, last)
        return last

    def _look_up(self, number: int, glob: str) -> bool:
        """Puts a glob into a table; returns `False` if it needs an expression. A glob that can
        match nothing needs neither."""
        is_name = "/" not in glob.removesuffix("/")
        plain = glob.removesuffix("/").removeprefix("/")
        if not _SPECIAL.search(plain):
            if all(plain.split("/")):
                _put(self._names if is_name else self._paths, plain, number, glob)
            return True
        if is_name and plain.startswith("*.") and not _SPECIAL_IN_ENDING.search(plain, 2):
            _put(self._extensions, plain[1:], number, glob)
            return True
        return False


def _put(table: dict[str, int], key: str, number: int, glob: str) -> None:
    """Adds a glob to a table in which the keys of folders end with a slash."""
    table[key + "/"] = number
    if not glob.endswith("/"):
        table[key] = number


def _key_of(glob: str) -> tuple[int, str]:
    """Returns the letters that all matches of a glob begin or end with, and their number, which is
    negative for letters at the end."""
    special = _SPECIAL.search(glob)
    starts = glob[: special.start() if special is not None else None]
    ends = glob[max(map(glob.rfind, "*?[]\\/")) + 1 :]
    if glob not in (f"{starts}*", f"*{ends}"):
        starts, ends = starts[:_KEY_LETTERS], ends[-_KEY_LETTERS:]
    return (len(starts), starts) if len(starts) > len(ends) else (-len(ends), ends)


class _Expressions:
    """Numbered expressions, by the letters that their matches begin or end with."""

    def __init__(self) -> None:
        self._tables: dict[int, tuple[slice, dict[str, _Alternatives]]] = {}
        self._largest: Counter[int] = Counter()  # the size of the largest group of each table

    @property
    def n_asked(self) -> int:
        """How many expressions are tried on one text at most."""
        return self._largest.total()

    def quick_match(self) -> Callable[[str], object] | None:
        """Returns a quick test: a text that fails it matches no expression, and most texts fail.
        `None` if there are no expressions."""
        if not self._tables:
            return None
        return self._tables[0][1][""].match if self._tables.keys() == {0} else bool

    def add(self, number: int, expression: str, key: tuple[int, str], room: int) -> bool:
        """Adds an expression; returns `False` if `n_asked` would grow and `room` is used up."""
        n_letters, letters = key
        part = slice(n_letters, None) if n_letters < 0 else slice(n_letters)
        group = self._tables.setdefault(n_letters, (part, {}))[1].setdefault(
            letters, _Alternatives()
        )
        if len(group.numbered) == self._largest[n_letters]:
            if room <= 0:
                return False
            self._largest[n_letters] += 1
        group.numbered.append((number, expression))
        return True

    def last(self, text: str, last: int) -> int:
        """Returns the number of the last expression that matches, or `last` if that is greater."""
        bare = text.removesuffix("/")
        for part, table in self._tables.values():
            group = table.get(bare[part])
            if group is not None:
                last = group.last(text, last)
        return last


class _Alternatives:
    """Several expressions as one, compiled on first use."""

    def __init__(self) -> None:
        self.numbered: list[tuple[int, str]] = []

    @cached_property
    def match(self) -> Callable[[str], re.Match[str] | None]:
        """Tests whether any expression matches. Nearly all paths match none, which this finds out
        faster than `_match_which`."""
        return _joined(expression for _, expression in self.numbered)

    @cached_property
    def _match_which(self) -> Callable[[str], re.Match[str] | None]:
        """Finds which expression matches: each is in a group, the last one first."""
        return _joined(f"({expression})" for _, expression in reversed(self.numbered))

    def last(self, text: str, last: int) -> int:
        """Returns the number of the last expression that matches, or `last` if that is greater."""
        if not self.numbered or self.numbered[-1][0] <= last or self.match(text) is None:
            return last
        match = self._match_which(text)
        return max(last, self.numbered[-(match.lastindex or 0)][0]) if match is not None else last


def _joined(expressions: Iterable[str]) -> Callable[[str], re.Match[str] | None]:
    return re.compile("|".join(expressions), re.DOTALL).match
