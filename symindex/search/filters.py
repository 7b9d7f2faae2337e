"""Filters: which rows a request lets through, by kind, language and path."""

import re
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from symindex.errors import RequestError
from symindex.index.columns import Index
from symindex.protocol import expand_kinds
from symindex.source.globs import NEXT_PART, parse_glob

Mask = NDArray[np.bool_]


def kind_mask(index: Index, kinds: list[str]) -> Mask:
    """The rows of these kinds. Raises RequestError for an unknown one."""
    table = np.zeros(256, dtype=bool)
    table[list(expand_kinds(kinds))] = True
    return table[index.u8("kind")]


def language_mask(index: Index, language_ids: set[str]) -> Mask:
    """The rows of files in these languages."""
    table = np.array([language in language_ids for language in index.columns.language_ids], dtype=bool)
    return _of_files(index, table[index.u8("file_language")])


def path_mask(index: Index, globs: list[str]) -> Mask:
    """The rows of files that `path_filter` lets through. Raises RequestError."""
    chosen = [*map(path_filter(globs), index.paths.all)]
    return _of_files(index, np.array(chosen, dtype=bool))


def path_filter(globs: list[str]) -> Callable[[str], bool]:
    """Whether a path matches one of the globs and none of those with a leading `!`. Raises RequestError."""
    wanted = [_path_pattern(glob) for glob in globs if not glob.startswith("!")]
    unwanted = [_path_pattern(glob[1:]) for glob in globs if glob.startswith("!")]

    def lets_through(path: str) -> bool:
        return (not wanted or any(pattern.match(path) for pattern in wanted)) and not any(
            pattern.match(path) for pattern in unwanted
        )

    return lets_through


def _of_files(index: Index, files: Mask) -> Mask:
    return files[index.u32("file")] if len(files) else np.zeros(0, dtype=bool)


@lru_cache(maxsize=256)
def _path_pattern(glob: str) -> re.Pattern[str]:
    """Globs as in .gitignore and ripgrep's -g: without a slash inside they match a name at any depth, a folder's name matches
    all below it."""
    parsed = parse_glob("*" if glob in (".", "./") else glob.removeprefix("./").replace("\\", "/"))
    if parsed is None:
        raise RequestError(f"path glob {glob!r} cannot be read: a glob looks like src/** or *.py")
    below = "/" if parsed.only_folders else r"(?:/|\Z)"
    return re.compile((NEXT_PART if parsed.is_name else "") + parsed.regex + below, re.DOTALL)
