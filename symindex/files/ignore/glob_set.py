"""Many globs at once: which of them is the last that matches a path.

A walk asks that of every path, and a tree may bring any number of globs. So names, paths, endings and beginnings are looked up in
tables. What is left are expressions (`files/ignore/globs`), and only those are asked of a path that begin or end with the same
letters; of these no more are taken than a walk has time for, and who has more is told so.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Final

from symindex.files.ignore.globs import parse_glob

MOST_EXPRESSIONS: Final = 250
"""So many expressions are asked of one path at most; each takes about a microsecond."""

LONGEST_EXPRESSION: Final = 1_000
"""Characters of a glob with wildcards."""

_FEW: Final = 32
"""So many expressions are asked together sooner than they are looked up."""

_KEY_LETTERS: Final = 3


class GlobSet:
    """Globs by their numbers, spelled as git spells them (`files/ignore/globs`).

    room: how many expressions may be asked of a path; `n_asked` are at most. What finds no place is counted in `n_left_out`.
    """

    def __init__(self, globs: Sequence[str], room: int = MOST_EXPRESSIONS) -> None:
        self.n_left_out = 0
        self._paths: dict[str, int] = {}
        self._names: dict[str, int] = {}
        self._extensions: dict[str, int] = {}
        self._ends: tuple[_Ends, ...] = ()
        self._by_name = _Expressions()
        self._by_path = _Expressions()
        rest = [numbered for numbered in enumerate(globs) if not self._look_up(*numbered)]
        if len(rest) > _FEW:
            starts, tails = _Ends(is_start=True), _Ends(is_start=False)
            rest = [numbered for numbered in rest if not (starts.take(*numbered) or tails.take(*numbered))]
            self._ends = tuple(ends for ends in (starts, tails) if ends)
        self._add_expressions(rest, room)
        self.n_asked = self._by_name.n_asked + self._by_path.n_asked
        self._match_name, self._match_path = self._by_name.quick_match(), self._by_path.quick_match()

    def last(self, path: str) -> int:
        """The number of the last glob that matches a path (of a folder with a slash behind), -1 for none. What is below a folder
        that a glob matches is not matched for that."""
        name = path[path.rfind("/", 0, -1) + 1 :]
        last = self._names.get(name, -1)
        if self._extensions and (dot := name.rfind(".")) >= 0:
            last = max(last, self._extensions.get(name[dot:], -1))
        if self._paths:
            last = max(last, self._paths.get(path, -1))
        for ends in self._ends:
            last = ends.last(name, last)
        if self._match_name is not None and self._match_name(name):
            last = self._by_name.last(name, last)
        if self._match_path is not None and self._match_path(path):
            last = self._by_path.last(path, last)
        return last

    def _look_up(self, number: int, bare: str) -> bool:
        """Puts a pattern into a table; `False` where it is an expression. What can match nothing needs no place."""
        plain = bare.removesuffix("/").removeprefix("/")
        is_name = "/" not in bare.removesuffix("/")
        only_folders = bare.endswith("/")
        special = _SPECIAL.search(plain)
        if special is None:
            if all(plain.split("/")):
                table = self._names if is_name else self._paths
                table[plain + "/"] = number
                if not only_folders:
                    table[plain] = number
            return True
        if is_name and plain.startswith("*.") and not _SPECIAL_IN_ENDING.search(plain, 2):
            self._extensions[plain[1:] + "/"] = number
            if not only_folders:
                self._extensions[plain[1:]] = number
            return True
        return False

    def _add_expressions(self, globs: list[tuple[int, str]], room: int) -> None:
        is_few = len(globs) <= _FEW
        for number, bare in globs:
            if len(bare) > LONGEST_EXPRESSION:
                self.n_left_out += 1
                continue
            glob = parse_glob(bare)
            if glob is None:
                continue
            expression = glob.regex + (r"/\Z" if glob.only_folders else r"/?\Z")
            key = (0, "") if is_few else _key_of(bare.strip("/"))
            place = self._by_name if glob.is_name else self._by_path
            if not place.add(number, expression, key, room - self._by_name.n_asked - self._by_path.n_asked):
                self.n_left_out += 1


_SPECIAL: Final = re.compile(r"[*?\[\\]")
_SPECIAL_IN_ENDING: Final = re.compile(r"[*?\[\\.]")


def _key_of(glob: str) -> tuple[int, str]:
    """What all paths that a glob matches begin or end with: the letters, and how many, as a negative number at the end."""
    special = _SPECIAL.search(glob)
    starts = glob[: special.start() if special is not None else None][:_KEY_LETTERS]
    ends = glob[max(map(glob.rfind, "*?[]\\/")) + 1 :][-_KEY_LETTERS:]
    return (len(starts), starts) if len(starts) > len(ends) else (-len(ends), ends)


class _Ends:
    """Letters that names begin or end with: the last pattern that holds them."""

    def __init__(self, is_start: bool) -> None:
        self._is_start = is_start
        self._numbers: dict[str, int] = {}
        self._lengths: set[int] = set()

    def __bool__(self) -> bool:
        return bool(self._numbers)

    def take(self, number: int, bare: str) -> bool:
        """Takes a pattern that says no more than such letters; `False` where it says something else."""
        plain = bare.removesuffix("/")
        letters = plain.removesuffix("*") if self._is_start else plain.removeprefix("*")
        if len(letters) != len(plain) - 1 or not 0 < len(letters) <= LONGEST_EXPRESSION:
            return False
        if "/" in letters or _SPECIAL.search(letters):
            return False
        self._lengths.add(len(letters))
        self._numbers[letters + "/"] = number
        if plain == bare:
            self._numbers[letters] = number
        return True

    def last(self, name: str, last: int) -> int:
        """The number of the last pattern that matches a name, if that is greater."""
        slash = "/" if name.endswith("/") else ""
        bare = name.removesuffix("/")
        for length in self._lengths:
            if length <= len(bare):
                letters = bare[:length] if self._is_start else bare[len(bare) - length :]
                last = max(last, self._numbers.get(letters + slash, -1))
        return last


class _Expressions:
    """Expressions by what their matches begin or end with. n_asked: so many are asked of one text at most."""

    def __init__(self) -> None:
        self.n_asked = 0
        self._tables: dict[int, tuple[slice, dict[str, _Alternatives]]] = {}
        self._most: dict[int, int] = {}

    def quick_match(self) -> Callable[[str], object] | None:
        """What tells of most texts that no expression matches; `None` where there are none."""
        if not self._tables:
            return None
        if self._tables.keys() == {0}:
            return self._tables[0][1][""].match
        return bool

    def add(self, number: int, expression: str, key: tuple[int, str], room: int) -> bool:
        """One more, unless more than `room` might then have to be asked beyond those that are."""
        n_letters, letters = key
        part = slice(n_letters, None) if n_letters < 0 else slice(n_letters)
        table = self._tables.setdefault(n_letters, (part, {}))[1]
        group = table.setdefault(letters, _Alternatives())
        most = self._most.setdefault(n_letters, 0)
        if len(group.numbered) == most:
            if room <= 0:
                return False
            self._most[n_letters] += 1
            self.n_asked += 1
        group.numbered.append((number, expression))
        return True

    def last(self, text: str, last: int) -> int:
        """The number of the last expression that matches, if that is greater."""
        bare = text.removesuffix("/")
        for part, table in self._tables.values():
            group = table.get(bare[part])
            if group is not None:
                last = group.last(text, last)
        return last


class _Alternatives:
    """Several expressions, in the order of their numbers, as one; made when it is first asked."""

    def __init__(self) -> None:
        self.numbered: list[tuple[int, str]] = []
        self._which: Callable[[str], re.Match[str] | None] | None = None

    @cached_property
    def match(self) -> Callable[[str], re.Match[str] | None]:
        """Whether any does. Of nearly all paths none does, which is told sooner where no groups stand between them."""
        return _joined(expression for _, expression in self.numbered)

    def last(self, text: str, last: int) -> int:
        """As of `_Expressions`."""
        if not self.numbered or self.numbered[-1][0] <= last or self.match(text) is None:
            return last
        if len(self.numbered) == 1:
            return self.numbered[0][0]
        if self._which is None:
            self._which = _joined(f"({expression})" for _, expression in reversed(self.numbered))
        found = self._which(text)
        return max(last, self.numbered[-(found.lastindex or 0)][0]) if found is not None else last


def _joined(expressions: Iterable[str]) -> Callable[[str], re.Match[str] | None]:
    return re.compile("|".join(expressions), re.DOTALL).match
