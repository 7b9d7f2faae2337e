"""A tree that is larger than any real corpus: symbols with realistic names, kinds, containers,
signatures and places.

The same seed and words give the same tree. How often a name is used falls with its rank, as in real
code: a third of the names occurs once. Nothing here is parsed; the symbols go straight into an
index (`tests/bench/adapter`).
"""

from collections.abc import Iterator
from itertools import accumulate
from random import Random
from typing import Final

import msgspec

from symindex.extract.records import FileSymbols, Symbol
from symindex.protocol.kinds import SymbolFlag, SymbolKind
from tests.bench.names import join_words, make_names
from tests.bench.words import read_words
from tests.support.rows import pack_symbols

_CAMEL_LANGUAGES: Final = {
    "java": ".java",
    "typescript": ".ts",
    "javascript": ".js",
    "kotlin": ".kt",
    "go": ".go",
    "csharp": ".cs",
}
_SNAKE_LANGUAGES: Final = {
    "python": ".py",
    "rust": ".rs",
    "c": ".c",
    "ruby": ".rb",
    "cpp": ".cc",
    "php": ".php",
}

_TYPES: Final = {"class": 60, "interface": 12, "struct": 10, "enum": 10, "type": 8}
_MEMBERS: Final = {"method": 62, "field": 20, "property": 13, "constructor": 5}
_FREE: Final = {"function": 66, "variable": 30, "module": 4}

FILES_A_FOLDER: Final = 7
"""Files per folder, as in the corpus of real code: 29,415 files in 4,313 folders. The time of a
walk depends on it."""

_BYTES_A_ROW: Final = 34
_FIRST_MTIME_NS: Final = 1_700_000_000_000_000_000


class Shape(msgspec.Struct, frozen=True):
    """The size of a synthetic tree: distinct names, symbols (at least as many), files."""

    names: int
    symbols: int
    files: int
    seed: int = 1


def make_files(shape: Shape) -> Iterator[FileSymbols]:
    """Yields the files of the tree, each with its symbols, in no particular order."""
    random = Random(shape.seed)
    names = make_names(shape.names, random)
    pools = _deal(names, shape.symbols, random)
    words, counts = read_words()
    writer = _Writer(random, words, list(accumulate(counts)))
    paths: set[str] = set()
    for pool, languages in zip(pools, (_CAMEL_LANGUAGES, _SNAKE_LANGUAGES), strict=True):
        n_files = (
            round(shape.files * len(pool) / shape.symbols)
            if pool is pools[0]
            else shape.files - len(paths)
        )
        for part in _cut(pool, n_files, random):
            language = random.choice(list(languages))
            path = writer.path(languages[language], paths)
            yield writer.file(path, language, [names[number] for number in part])


def _deal(
    names: list[tuple[str, str]], n_symbols: int, random: Random
) -> tuple[list[int], list[int]]:
    """Returns the numbers of names as often as they are used, shuffled: for the languages with
    camel case, and for those with underscores."""
    weights = list(accumulate((rank + 10) ** -0.9 for rank in range(len(names))))
    uses = [
        *range(len(names)),
        *random.choices(range(len(names)), cum_weights=weights, k=n_symbols - len(names)),
    ]
    random.shuffle(uses)
    humps: list[int] = []
    underscores: list[int] = []
    for number in uses:
        style = names[number][1]
        in_humps = style == "camel" or (style in ("pascal", "upper") and random.random() < 0.55)
        (humps if in_humps else underscores).append(number)
    return humps, underscores


def _cut(pool: list[int], n_parts: int, random: Random) -> Iterator[list[int]]:
    """Cuts the pool into parts whose sizes vary like those of source files."""
    ends = list(accumulate(random.lognormvariate(0, 1.1) for _ in range(n_parts)))
    before = 0
    for end in ends:
        position = round(end / ends[-1] * len(pool))
        yield pool[before:position]
        before = position


class _Writer:
    """Makes files from names."""

    def __init__(self, random: Random, words: list[str], cumulative: list[int]) -> None:
        self._random = random
        self._words = words
        self._cumulative = cumulative
        self._folders: list[str] = []

    def _some_words(self, count: int) -> list[str]:
        return self._random.choices(self._words, cum_weights=self._cumulative, k=count)

    def _kind(self, weights: dict[str, int]) -> SymbolKind:
        return SymbolKind(self._random.choices(list(weights), list(weights.values()))[0])

    def path(self, suffix: str, taken: set[str]) -> str:
        """Returns a new path, in folders that many files share."""
        random = self._random
        while True:
            if not self._folders or random.random() < 1 / FILES_A_FOLDER:
                self._folders.append(self._new_folder())
            folder = random.choice(self._folders)
            path = f"{folder}/{join_words(self._some_words(random.randint(1, 3)), 'snake')}{suffix}"
            if path not in taken:
                taken.add(path)
                return path

    def _new_folder(self) -> str:
        top = self._random.choice(
            ("src", "lib", "packages", "tests", "vendor", "tools", "core", "server")
        )
        inner = [
            self._random.choice(self._words[: 60 * depth])
            for depth in range(1, self._random.randint(2, 4))
        ]
        return "/".join([top, *inner])

    def file(self, path: str, language: str, names: list[tuple[str, str]]) -> FileSymbols:
        """Returns a file that defines these names, in this order; types contain the names after
        them."""
        random = self._random
        is_test = path.startswith("tests/")
        symbols = []
        container, container_kind, members_left, row = "", SymbolKind.CLASS, 0, 3
        for name, style in names:
            if not members_left:
                container = ""
            if style == "pascal":
                kind = self._kind(_TYPES)
            elif style == "upper":
                kind = (
                    SymbolKind.ENUM_MEMBER
                    if container and container_kind == SymbolKind.ENUM
                    else SymbolKind.CONSTANT
                )
            else:
                kind = self._kind(_MEMBERS if container else _FREE)
            flags = SymbolFlag.TEST if is_test else SymbolFlag(0)
            if name.startswith("_"):
                flags |= SymbolFlag.PRIVATE
            elif random.random() < 0.6:
                flags |= SymbolFlag.EXPORTED
            elif not container and kind == SymbolKind.VARIABLE:
                flags |= SymbolFlag.LOCAL
            row += 1 + int(random.expovariate(0.15))
            symbols.append(self._symbol(name, kind, container, flags, row))
            members_left -= bool(members_left)
            if style == "pascal" and random.random() < 0.8:
                nested = container and random.random() < 0.15
                container, container_kind = f"{container}.{name}" if nested else name, kind
                members_left = 1 + int(random.expovariate(0.1))
        return FileSymbols(
            path=path,
            size=(row + 10) * _BYTES_A_ROW,
            mtime_ns=_FIRST_MTIME_NS + row,
            digest=random.randbytes(16),
            language=language,
            symbols=pack_symbols(symbols),
        )

    def _symbol(
        self, name: str, kind: SymbolKind, container: str, flags: SymbolFlag, row: int
    ) -> Symbol:
        random = self._random
        signature = f"{kind} {name}"
        if kind in (SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CONSTRUCTOR):
            signature = f"{name}({', '.join(self._some_words(random.randint(0, 4)))})"
        doc = " ".join(self._some_words(random.randint(4, 12))) if random.random() < 0.25 else ""
        column = 4 if container else 0
        start = row * _BYTES_A_ROW + column
        n_rows = 1 + int(random.expovariate(0.3))
        name_column = column + len(str(kind)) + 1
        name_start = row * _BYTES_A_ROW + name_column
        return Symbol(
            name=name,
            kind=kind,
            container=container,
            flags=int(flags),
            start_byte=start,
            end_byte=start + n_rows * _BYTES_A_ROW,
            start_row=row,
            end_row=row + n_rows - 1,
            name_start=name_start,
            name_end=name_start + len(name.encode()),
            name_row=row,
            name_column=name_column,
            signature=signature,
            doc=doc,
        )
