"""All errors, as one small tree.

    SymindexError
    ├── RequestError             an invalid request: exit code 2
    │   ├── EmptyFolderError     a folder without source files: exit code 1
    │   ├── TokenError           a pagination token that is garbled, or of another query
    │   ├── UnfinishedQueryError a query that lacks its end, as it is typed
    │   └── PrivateAddressError  an address of this machine or a private network
    ├── GrammarError             a language folder that cannot be used
    ├── IndexFileError           an index file that must be rebuilt
    │   ├── OutdatedIndexError   made by another version or with other language rules
    │   └── DamagedIndexError    its content contradicts itself
    ├── ArchiveError             an archive that must not be unpacked
    ├── IntegrityError           fetched content that fails its check, or cannot be checked
    └── StorageError             the disk or a server refuses
        ├── UnwritableError      a result cannot be stored, but can be used
        └── DamagedDatabaseError a database that contradicts itself

Every message is one line that names the thing, the place, and what would be right. Faults of
source code (syntax errors, odd bytes, a grammar that never returns) are not errors: they are
counted and reported as skips.
"""

import os
import re
from collections.abc import Iterable, Sequence
from typing import Final

NO_FOLDER: Final = "no folder is open: open the folder that contains it"
"""Ends the message of a request that needs a folder, when the editor has opened none."""

_SURROGATE: Final = re.compile("[\ud800-\udfff]")


class SymindexError(Exception):
    """Any fault that a user can cause. Its message can be shown unchanged."""

    def __init__(self, message: str = "") -> None:
        super().__init__(shown(message))


class RequestError(SymindexError):
    """A request that cannot be answered: an unknown kind, a missing folder, a negative number."""


class EmptyFolderError(RequestError):
    """A request about a folder or a tree without source files. Nothing is wrong: nothing was
    found."""


class TokenError(RequestError):
    """A pagination token that cannot be used for this request."""


class UnfinishedQueryError(RequestError):
    """A query that lacks its end: a closing quote or parenthesis, or a word after an operator."""


class GrammarError(SymindexError):
    """A language folder that breaks the rules of `grammars/README.md`.

    key, word: the faulty entry of `language.toml`, for a caller that can name its line.
    """

    def __init__(self, message: str = "", key: str = "", word: str = "") -> None:
        super().__init__(message)
        self.key = key
        self.word = word


class IndexFileError(SymindexError):
    """An index file that must not be read. It is never converted; the next refresh rebuilds it."""


class OutdatedIndexError(IndexFileError):
    """A sound index of another version of symindex or with other language rules. Users need no
    notice."""


class DamagedIndexError(IndexFileError):
    """An index that contradicts itself, for instance by a number beyond the end of its table. The
    readers of columns raise it, so that damage without a checksum error does not lead to reads out
    of bounds."""


class ArchiveError(SymindexError):
    """A foreign archive that is damaged, or exceeds a limit on unpacked content."""


class IntegrityError(SymindexError):
    """Fetched content that differs from its signature, its digest or the index; or that cannot be
    checked, for lack of a key or a library. It must not be used."""


class StorageError(SymindexError):
    """The disk refuses to read or write, or a registry's server does not answer. Stored data is
    intact."""


class UnwritableError(StorageError):
    """The system refuses a write: the disk is full or read-only."""


class DamagedDatabaseError(StorageError):
    """A database that cannot be read. A derived one is made again."""


def shown(text: str | os.PathLike[str]) -> str:
    """Returns a path, or a line with paths in it, as valid Unicode, with replacement characters.
    Files with other names are left out of an index, but a root or a folder next to it may have
    one."""
    return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", os.fspath(text))


def is_unicode(text: str) -> bool:
    """Whether a text can be written as UTF-8. In file names and arguments, Python represents bytes
    that are not UTF-8 as lone surrogates."""
    return text.isascii() or _SURROGATE.search(text) is None


def one_of(noun: str, got: str, choices: Iterable[str]) -> RequestError:
    """Returns the error for a word that is not in a closed list. It names the list and similar
    words."""
    words = sorted(choices)
    return RequestError(f"unknown {noun} {got!r}: {_expected(words)}{like_it(got.lower(), words)}")


def like_it(got: str, choices: Iterable[str]) -> str:
    """Returns the end of a message about an unknown word: similar words, or nothing."""
    from difflib import get_close_matches  # deferred, because most requests are right

    like = get_close_matches(got[:100], sorted(set(choices)), 3, 0.6)
    return f"; similar: {', '.join(like)}" if like else ""


def right_words(got: str, choices: Iterable[str]) -> str:
    """Returns the end of a message about an unknown word: similar words, or else all of them."""
    words = sorted(set(choices))
    return like_it(got, words) or f": {_expected(words)}"


def _expected(words: Sequence[str]) -> str:
    """Returns the list of legal words, or says that there are none."""
    return f"expected one of {', '.join(words)}" if words else "there are none"


class PrivateAddressError(RequestError):
    """An address of this machine or a private network."""
