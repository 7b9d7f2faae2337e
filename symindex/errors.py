"""What can go wrong, as one small tree.

    SymindexError ├── RequestError      an invalid request: exit code 2 │   ├── EmptyFolderError
    a folder that holds no source files: exit code 1 │   ├── TokenError    a pagination token that
    is garbled, or belongs to another query │   └── UnfinishedQueryError    a query that lacks its
    end, as all do while they are typed ├── GrammarError      a language folder that cannot be used
    ├── IndexFileError    an index file that is damaged, foreign or of another version: it is
    rebuilt │   ├── OutdatedIndexError    made by another version or with other language rules │
    └── DamagedIndexError     its content contradicts itself ├── ArchiveError      an archive that
    must not be unpacked: damaged, or too large for its bounds ├── IntegrityError    what was
    fetched is not what its signature or digest says, or that cannot be told └── StorageError
    the disk refused: no space, no permission, a lock that was never released; or a server did
        ├── UnwritableError    what we make cannot be stored; it may still be used
        └── DamagedDatabaseError    a database that contradicts itself

Every message is one line that names the thing, the place, and what would be right. Faults of the
source code that is read (syntax errors, odd bytes, a grammar that never returns) are not errors:
they are counted and reported as skips.
"""

import os
import re
from collections.abc import Iterable, Sequence
from typing import Final

NO_FOLDER: Final = "no folder is open: open the folder that it is to be found in"
"""The end of an error of a request that needs a folder, where an editor has opened none."""

_SURROGATE: Final = re.compile("[\ud800-\udfff]")


class SymindexError(Exception):
    """Any fault that a user can cause. Its message can be shown as it is."""

    def __init__(self, message: str = "") -> None:
        super().__init__(shown(message))


class RequestError(SymindexError):
    """A request that cannot be answered: an unknown kind, a missing folder, a negative number."""


class EmptyFolderError(RequestError):
    """A request about a folder, or a whole tree, that holds no source files. Nothing is wrong with
    it: nothing was found."""


class TokenError(RequestError):
    """A pagination token that cannot be used for this request."""


class UnfinishedQueryError(RequestError):
    """A query where something is expected behind its end: a closing quote or parenthesis, a word
    after an operator."""


class GrammarError(SymindexError):
    """A language folder that breaks the rules of `grammars/README.md`.

    key, word: what of its `language.toml` is wrong, for whoever knows the file and can tell the
    line.
    """

    def __init__(self, message: str = "", key: str = "", word: str = "") -> None:
        super().__init__(message)
        self.key, self.word = key, word


class IndexFileError(SymindexError):
    """An index file that must not be read. It is never converted; the next refresh rebuilds it."""


class OutdatedIndexError(IndexFileError):
    """A sound index of another version of symindex or with other language rules. Users need not be
    told."""


class DamagedIndexError(IndexFileError):
    """An index that contradicts itself, for instance by a number beyond the end of its table. The
    readers of columns raise it, so that damage which no checksum has found yet leads to no read out
    of bounds."""


class ArchiveError(SymindexError):
    """An archive of others that is damaged, or breaks a bound of what is unpacked."""


class IntegrityError(SymindexError):
    """Something that was fetched is not what its signature, its digest or the index says; or nobody
    can tell, for want of a key or a library. It must not be used as if it were."""


class StorageError(SymindexError):
    """The disk refused to read or write, or the server of a registry to answer. What was there
    before is intact."""


class UnwritableError(StorageError):
    """The system does not take what is to be written: the disk is full, or may only be read."""


class DamagedDatabaseError(StorageError):
    """A database that cannot be read. One that is derived is made anew."""


def shown(said: str | os.PathLike[str]) -> str:
    """A path, or a line with paths in it, as valid Unicode: what is none is replaced. Files of a
    tree never have such names, which are left out, but its root or a folder beside it may."""
    return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", os.fspath(said))


def is_unicode(text: str) -> bool:
    """Whether a text can be written as UTF-8. Python keeps bytes of names or arguments that are no
    UTF-8 as lone surrogates."""
    return text.isascii() or _SURROGATE.search(text) is None


def one_of(what: str, got: str, known: Iterable[str]) -> RequestError:
    """The error for a word that is not in a closed list: it has the list, and at its end what is
    like the word."""
    words = sorted(known)
    return RequestError(f"unknown {what} {got!r}: {_expected(words)}{like_it(got.lower(), words)}")


def like_it(got: str, known: Iterable[str]) -> str:
    """What is said behind an unknown word: which are like it; empty where none is."""
    from difflib import get_close_matches  # here, because most requests have no fault

    like = get_close_matches(got[:100], sorted(set(known)), 3, 0.6)
    return f"; like it: {', '.join(like)}" if like else ""


def right_words(got: str, known: Iterable[str]) -> str:
    """What is said behind a word that is not in a list: which are like it, or else all."""
    words = sorted(set(known))
    return like_it(got, words) or f": {_expected(words)}"


def _expected(words: Sequence[str]) -> str:
    """What would be right: a list that is empty is said to be."""
    return f"expected one of {', '.join(words)}" if words else "there are none"


class PrivateAddressError(RequestError):
    """Raised for an address of this machine or a private network."""
