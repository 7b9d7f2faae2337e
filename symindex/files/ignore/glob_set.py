"""Many globs at once: which of them is the last that matches a path.

A walk asks this for every path, and a tree may bring any number of globs. So plain names, paths and
extensions are looked up in tables. The rest are expressions (`files/ignore/globs`), of which only
those are tried that share their first or last letters with the path. Their number is limited to
what a walk has time for, and globs beyond it are reported.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Final

from symindex.files.ignore.globs import parse_glob

MOST_EXPRESSIONS: Final = 250
"""How many expressions are tried on one path at most; each takes about a microsecond."""

LONGEST_EXPRESSION: Final = 1_000
"""Characters of a glob with wildcards."""

_FEW: Final = 32
"""Up to so many expressions are tried together, which is faster than looking them up."""

_KEY_LETTERS: Final = 3
"""By so many letters expressions are looked up, but those of globs like `abcd*` and `*abcd` by all,
which leaves one to try."""

_SPECIAL: Final = re.compile(r"[*?\[\\]")
_SPECIAL_IN_ENDING: Final = re.compile(r"[*?\[\\.]")


class GlobSet:
    """Numbered globs in git's spelling (`files/ignore/globs`).

    room: how many expressions may be tried on a path; `n_asked` is how many are at most.
    `n_left_out` counts the globs that find no room.
    """

    def __init__(self, globs: Sequence[str], room: int = MOST_EXPRESSIONS) -> None:
        self.n_left_out = 0
        self._paths: dict[str, int] = {}
        self._names: dict[str, int] = {}
        self._extensions: dict[str, int] = {}
        self._by_name = _Expressions()
        self._by_path = _Expressions()
        others = [
            (number, glob) for number, glob in enumerate(globs) if not self._look_up(number, glob)
        ]
        for number, glob in others:
            if len(glob) > LONGEST_EXPRESSION:
                self.n_left_out += 1
            elif (parsed := parse_glob(glob)) is not None:
                expression = parsed.regex + (r"/\Z" if parsed.only_folders else r"/?\Z")
                key = (0, "") if len(others) <= _FEW else _key_of(glob.strip("/"))
                place = self._by_name if parsed.is_name else self._by_path
                if not place.add(
                    number, expression, key, room - self._by_name.n_asked - self._by_path.n_asked
                ):
                    self.n_left_out += 1
        self.n_asked = self._by_name.n_asked + self._by_path.n_asked
        self._match_name, self._match_path = (
            self._by_name.quick_match(),
            self._by_path.quick_match(),
        )

    def last(self, path: str) -> int:
        """The number of the last glob that matches a path, -1 for none. A folder's path ends with a
        slash; a glob that matches it does not match what is below."""
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
        """Puts a glob into a table; `False` for one that needs an expression. A glob that can match
        nothing needs neither."""
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
    """The letters that all matches of a glob begin or end with, and how many; as a negative number
    for those at the end."""
    special = _SPECIAL.search(glob)
    starts = glob[: special.start() if special is not None else None]
    ends = glob[max(map(glob.rfind, "*?[]\\/")) + 1 :]
    if glob not in (f"{starts}*", f"*{ends}"):
        starts, ends = starts[:_KEY_LETTERS], ends[-_KEY_LETTERS:]
    return (len(starts), starts) if len(starts) > len(ends) else (-len(ends), ends)


class _Expressions:
    """Numbered expressions by the letters that their matches begin or end with."""

    def __init__(self) -> None:
        self._tables: dict[int, tuple[slice, dict[str, _Alternatives]]] = {}
        self._largest: Counter[int] = Counter()  # of each table, the size of its largest group

    @property
    def n_asked(self) -> int:
        """How many expressions are tried on one text at most."""
        return self._largest.total()

    def quick_match(self) -> Callable[[str], object] | None:
        """A quick test that most texts fail, which then match no expression; `None` where there are
        none."""
        if not self._tables:
            return None
        return self._tables[0][1][""].match if self._tables.keys() == {0} else bool

    def add(self, number: int, expression: str, key: tuple[int, str], room: int) -> bool:
        """Adds an expression; `False` where `n_asked` would grow and there is no more `room` for
        that."""
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
        """The number of the last expression that matches, if that is greater than `last`."""
        bare = text.removesuffix("/")
        for part, table in self._tables.values():
            group = table.get(bare[part])
            if group is not None:
                last = group.last(text, last)
        return last


class _Alternatives:
    """Several expressions as one, compiled when it is first used."""

    def __init__(self) -> None:
        self.numbered: list[tuple[int, str]] = []

    @cached_property
    def match(self) -> Callable[[str], re.Match[str] | None]:
        """Whether any matches. Nearly all paths match none, which this finds out faster than
        `_match_which`."""
        return _joined(expression for _, expression in self.numbered)

    @cached_property
    def _match_which(self) -> Callable[[str], re.Match[str] | None]:
        """The same with a group around each, the last one first."""
        return _joined(f"({expression})" for _, expression in reversed(self.numbered))

    def last(self, text: str, last: int) -> int:
        """The same as in `_Expressions`."""
        if not self.numbered or self.numbered[-1][0] <= last or self.match(text) is None:
            return last
        found = self._match_which(text)
        return max(last, self.numbered[-(found.lastindex or 0)][0]) if found is not None else last


def _joined(expressions: Iterable[str]) -> Callable[[str], re.Match[str] | None]:
    return re.compile("|".join(expressions), re.DOTALL).match
