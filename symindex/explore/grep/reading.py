"""Reads the bytes of many files one after the other, in this process, until the time is over.

A plain search for bytes is fastest here: most of it is reading.
"""

import os
import re
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from typing import Final

import numpy as np

from symindex.cancellation import check_wanted
from symindex.errors import RequestError
from symindex.explore.missing import nothing_there
from symindex.extract.path_flags import path_flags
from symindex.extract.texts.file_text import BINARY_BYTES
from symindex.extract.word_lists import mention_hash
from symindex.files.access.beneath import Beneath
from symindex.files.access.regular import LargeFileError, closing, read_up_to
from symindex.files.ignore.globs import plain_glob
from symindex.protocol.grep import GrepRequest
from symindex.protocol.kinds import SymbolFlag
from symindex.resolve.tree import Tree, find_file, is_glob, place_of
from symindex.search.answer.filters import shown_path_filter
from symindex.text.counts import count_of

_ASIDE = SymbolFlag.TEST | SymbolFlag.GENERATED | SymbolFlag.VENDORED

FileKey = tuple[int, str]
"""Sort key of files: 0 for production code, 1 for other text, 2 for tests, copies and generated
code; then the path."""


class FilePass:
    """A pass over the files that a request selects.

    Args:
        seconds: limit for all files.
        mentioned: a name; files that are known to mention it are read first.

    Attributes:
        n_files: files that are selected.
        n_read: files that the pass has reached.
        unread: files that could not be read, each with the reason.
        too_large: the text files that were passed over for their size, by path, each with the
            limit.
    """

    def __init__(
        self, tree: Tree, request: GrepRequest, max_bytes: int, seconds: float, mentioned: str = ""
    ) -> None:
        self._tree, self._max_bytes = tree, max_bytes
        self._deadline = time.monotonic() + seconds
        self._paths = _listed_paths(tree, request)
        if mentioned:
            mentioning = _paths_mentioning(tree, mentioned)
            self._paths.sort(key=lambda path: path not in mentioning)
        self.n_files: int = len(self._paths)
        self.n_read: int = 0
        self.unread: list[str] = []
        self.too_large: dict[str, str] = {}

    def __iter__(self) -> Iterator[tuple[str, bytes]]:
        """Yields shown paths and bytes. Skips files that are gone by now."""
        texts = self._tree.texts
        with ExitStack() as stack:
            trees = {
                prefix: stack.enter_context(Beneath(os.path.realpath(root)))
                for prefix, root in self._tree.roots.items()
            }
            for number, (prefix, path) in enumerate(self._paths):
                check_wanted()
                if time.monotonic() > self._deadline:
                    return
                self.n_read = number + 1
                shown = prefix + path
                try:
                    data = texts.get(shown)
                    if data is None:
                        data = trees[prefix].read(path, self._max_bytes)
                except FileNotFoundError:
                    continue
                except LargeFileError as error:
                    if not _is_binary(trees[prefix], path):
                        self.too_large[shown] = str(error.strerror)
                    continue
                except OSError as error:
                    self.unread.append(f"{shown} ({error.strerror or error})")
                    continue
                yield shown, data


def _is_binary(tree: Beneath, path: str) -> bool:
    try:
        with closing(tree.open_file(path)) as number:
            return b"\0" in read_up_to(number, BINARY_BYTES)
    except OSError:
        return False


def _listed_paths(tree: Tree, request: GrepRequest) -> list[tuple[str, str]]:
    """Returns the files that a request selects, as pairs of a root's prefix and a path in that
    root."""
    listed = tree.listed()
    if not listed:
        listed = {}
        for part in tree.snapshot.parts:
            listed.setdefault(part.prefix, []).extend(
                part.index.paths.take(np.array(part.live_files(), dtype=np.int64))
            )
    lets_through = shown_path_filter(request.paths, tree.snapshot) if request.paths else None
    languages = frozenset().union(
        *(tree.languages.ids_of(word) for word in request.languages or ())
    )
    return [
        (prefix, path)
        for prefix, paths in listed.items()
        for path in paths
        if (lets_through is None or lets_through(prefix + path))
        and (not languages or language_of(tree, prefix + path) in languages)
    ]


def not_looked_into(tree: Tree, request: GrepRequest) -> list[str]:
    """Returns notices about existing files and folders that a request names but that are not
    searched."""
    named = list(filter(None, map(_literal_path, request.paths or ())))
    literal_paths = named[:_MOST_NAMED]
    if not literal_paths:
        return []
    searched = {
        prefix + path for prefix, path in _listed_paths(tree, GrepRequest(pattern=request.pattern))
    }
    notices = []
    for path in literal_paths:
        with suppress(RequestError):
            is_known = path in searched or any(other.startswith(f"{path}/") for other in searched)
            if not is_known and os.path.lexists(place_of(tree, path)):
                notices.append(f"not looked into: {nothing_there(tree, path)}")
    if len(named) > _MOST_NAMED:
        more = count_of(len(named) - _MOST_NAMED, "further path")
        notices.append(f"of {more}, it is not known whether they were looked into")
    return notices


_MOST_NAMED: Final = 100
"""Most paths that are compared with the searched ones, which takes time for each."""


def _literal_path(pattern: str) -> str:
    """Returns the only path that a glob matches; empty if it may match several."""
    glob = plain_glob(pattern)
    return (
        ""
        if pattern.startswith("!") or is_glob(re.sub(r"\[([*?\[])\]", "", glob))
        else re.sub(r"\[([*?\[])\]", r"\1", glob).strip("/")
    )


def _paths_mentioning(tree: Tree, name: str) -> set[tuple[str, str]]:
    """Returns the files that mention a name as a whole word, by the stored lists of words
    (`extract/word_lists`)."""
    name_hash = mention_hash(name)
    paths: set[tuple[str, str]] = set()
    for part in tree.snapshot.parts:
        numbers = part.index.mentions.files(name_hash)
        live = numbers if part.live is None else numbers[part.live[numbers]]
        paths.update((part.prefix, path) for path in part.index.paths.take(live))
    return paths


def language_of(tree: Tree, path: str) -> str:
    """Returns the id of a file's language; empty if symindex has none for it."""
    file = find_file(tree, path)
    return file.known_language if file is not None else ""


def key_of(tree: Tree, path: str) -> FileKey:
    """Returns the sort key of a file."""
    language = tree.languages.code(language_of(tree, path))
    return (2 if path_flags(path, language) & _ASIDE else int(language is None)), path
