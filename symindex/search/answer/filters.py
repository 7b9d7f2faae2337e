"""Filters on kind, language and path: which rows pass."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache, reduce

import msgspec
import numpy as np

from symindex.errors import RequestError
from symindex.files.ignore.globs import path_regex
from symindex.index.columns.arrays import I64, Mask
from symindex.index.columns.columns import Index
from symindex.index.snapshot import Part, Snapshot
from symindex.protocol.kinds import expand_kinds
from symindex.text.made_once import made_once

Narrowing = Callable[[Sequence[Part]], Sequence[Mask]]
"""A function from the parts of a snapshot to masks: for each part and row, whether it passes."""


class Filter(msgspec.Struct, frozen=True):
    """The filters of a request; each is empty if everything passes. kinds: as words. languages: as
    ids. paths: globs. narrowings: all other filters."""

    kinds: tuple[str, ...] = ()
    languages: frozenset[str] = frozenset()
    paths: tuple[str, ...] = ()
    narrowings: tuple[Narrowing, ...] = ()


class PartFilter:
    """A filter applied to one part of a snapshot, in which only live files pass.

    files, traits, rows: whether each file, each number in `traits_of`, and each row passes; `None`
    if all do.
    """

    def __init__(self, part: Part, request_filter: Filter) -> None:
        self.part = part
        self.index: Index = part.index
        masks = (
            part.live,
            language_files(part.index, request_filter.languages)
            if request_filter.languages
            else None,
            path_files(part.index, request_filter.paths, part.prefix)
            if request_filter.paths
            else None,
        )
        file_masks = [mask for mask in masks if mask is not None]
        self.files: Mask | None = reduce(np.logical_and, file_masks) if file_masks else None
        self.traits: Mask | None = (
            kind_traits(part.index, request_filter.kinds) if request_filter.kinds else None
        )
        self.rows: Mask | None = None

    @classmethod
    def of_parts(cls, parts: Sequence[Part], request_filter: Filter) -> "list[PartFilter]":
        """Applies a filter to the parts of a snapshot."""
        chosen = [cls(part, request_filter) for part in parts]
        for narrowing in request_filter.narrowings:
            for part_filter in chosen:
                part_filter.narrow_texts()
            for part_filter, rows in zip(chosen, narrowing(parts), strict=True):
                part_filter.rows = rows if part_filter.rows is None else part_filter.rows & rows
        for part_filter in chosen:
            part_filter.narrow_texts()
        return chosen

    def within(self, rows: Mask) -> "PartFilter":
        """Returns a filter that only the rows of a mask pass, of those that pass this one."""
        narrower = PartFilter(self.part, Filter())
        narrower.files, narrower.traits = self.files, self.traits
        narrower.rows = rows if self.rows is None else self.rows & rows
        return narrower

    def narrow_texts(self) -> None:
        """Restricts the search for phrases to files that pass."""
        if self.part.texts is not None and not self.lets_all:
            self.part.texts.narrow(self._make_mask())

    @property
    def lets_all(self) -> bool:
        """Whether every row passes."""
        return self.files is None and self.traits is None and self.rows is None

    @property
    def lets_live(self) -> bool:
        """Whether every row of a live file passes."""
        return self.files is self.part.live and self.traits is None and self.rows is None

    def keeps(self, rows: I64) -> Mask:
        """Returns for each of the rows whether it passes."""
        if len(rows) * 8 > self.index.n_symbols:
            return self.mask[rows]
        passes = np.ones(len(rows), dtype=bool)
        if self.traits is not None:
            passes &= self.traits[self.index.traits[rows]]
        if self.files is not None:
            remaining = np.flatnonzero(passes)
            passes[remaining] = self.files[self.index.file_of(rows[remaining])]
        if self.rows is not None:
            passes &= self.rows[rows]
        return passes

    @made_once
    def mask(self) -> Mask:
        """Whether each row passes."""
        return self._make_mask()

    def _make_mask(self) -> Mask:
        of_kinds = None if self.traits is None else self.traits[self.index.traits]
        if self.rows is not None:
            of_kinds = self.rows if of_kinds is None else of_kinds & self.rows
        if self.files is None:
            return np.ones(self.index.n_symbols, dtype=bool) if of_kinds is None else of_kinds
        # Most searches filter no files: they share the part's own mask.
        of_files = (
            self.part.hidden.live
            if self.files is self.part.live
            else self.index.spread_files(self.files)
        )
        return of_files if of_kinds is None else of_files & of_kinds


def kind_traits(index: Index, kinds: tuple[str, ...]) -> Mask:
    """Returns for each number in `traits_of` whether it has one of these kinds. Raises RequestError
    for an unknown kind."""
    codes = expand_kinds(list(kinds))
    return np.array([traits & 255 in codes for traits in index.columns.traits_of], dtype=bool)


def language_files(index: Index, language_ids: frozenset[str]) -> Mask:
    """Returns for each file whether it is in one of these languages."""
    table = np.array(
        [language in language_ids for language in index.columns.language_ids], dtype=bool
    )
    return table[index.u8("file_language")]


def path_files(index: Index, globs: tuple[str, ...], prefix: str = "") -> Mask:
    """Returns for each file whether it matches one of the globs and none with a leading `!`.
    prefix: the prefix of the paths in answers, with which a glob may begin. Raises RequestError."""
    key = ("paths", prefix, *globs)
    cached = index.memo.get(key)
    if cached is None:
        cached = np.array([*map(path_filter(list(globs), prefix), index.paths.all)], dtype=bool)
        if len(index.memo) < _MOST_GLOBS:
            index.memo[key] = cached
    return cached


def path_filter(globs: Sequence[str], prefix: str = "") -> Callable[[str], bool]:
    """Returns a test of whether a path, with or without the prefix, matches one of the globs and
    none with a leading `!`. Raises RequestError."""
    included = [_path_pattern(glob) for glob in globs if not glob.startswith("!")]
    excluded = [_path_pattern(glob[1:]) for glob in globs if glob.startswith("!")]

    def matches(patterns: list[re.Pattern[str]], path: str) -> bool:
        return any(
            pattern.match(path) or (prefix and pattern.match(prefix + path)) for pattern in patterns
        )

    return lambda path: (not included or matches(included, path)) and not matches(excluded, path)


def shown_path_filter(globs: list[str], snapshot: Snapshot) -> Callable[[str], bool]:
    """Returns a test like that of `path_filter` for paths as answers show them, which begin with
    the prefix of one of several trees. Raises RequestError."""
    filters = [
        (prefix, path_filter(globs, prefix))
        for prefix in {part.prefix for part in snapshot.parts} or {""}
    ]
    return lambda path: any(
        path.startswith(prefix) and keeps(path.removeprefix(prefix)) for prefix, keeps in filters
    )


_MOST_GLOBS = 64
"""Most lists of globs that are cached for an index."""


@lru_cache(maxsize=256)
def _path_pattern(glob: str) -> re.Pattern[str]:
    """Returns a glob (`files/ignore/globs`) as a pattern. Raises RequestError."""
    regex = path_regex(glob)
    if regex is None:
        raise RequestError(f"path glob {glob!r} cannot be read: a glob looks like src/** or *.py")
    return re.compile(regex, re.DOTALL)
