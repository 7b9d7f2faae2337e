"""What can go wrong, as one small tree.

    SymindexError
    ├── RequestError      the caller asked for something that cannot be: exit code 2
    │   └── TokenError    a pagination token that is garbled, or belongs to another query
    ├── GrammarError      a language folder that cannot be used
    ├── IndexFileError    an index file that is damaged, foreign or of another version: it is rebuilt
    │   ├── OutdatedIndexError    one made by another version or with other language rules
    │   └── DamagedIndexError     one whose content contradicts itself, found out while it is read
    └── StorageError      the disk refused: no space, no permission, a lock that never came free

Every message is one line that names the thing, the place, and what would be right. Faults of the source code that is
read (syntax errors, odd bytes, a grammar that never returns) are not errors: they are counted and reported as skips.
"""

import os
import re
from collections.abc import Iterable
from typing import Final

_NO_TEXT: Final = re.compile("[\ud800-\udfff]")


class SymindexError(Exception):
    """Any fault that a user can cause; its text is fit to be shown as it is."""

    def __init__(self, message: str = "") -> None:
        super().__init__(shown(message))


class RequestError(SymindexError):
    """A request that cannot be answered: an unknown kind, a missing folder, a negative number."""


class TokenError(RequestError):
    """A pagination token that cannot be used for this request."""


class GrammarError(SymindexError):
    """A language folder that breaks the rules of `grammars/README.md`."""


class IndexFileError(SymindexError):
    """An index file that must not be read. It is never converted; the next refresh rebuilds it."""


class OutdatedIndexError(IndexFileError):
    """A sound index made by another version of symindex or with other language rules: nothing to tell a user of."""


class DamagedIndexError(IndexFileError):
    """An index that contradicts itself, as a number that points behind the end of its table. What reads a column raises it, so
    that damage which no checksum has found yet is never read beyond a bound."""


class StorageError(SymindexError):
    """The disk refused to read or write; what was there before is intact."""


def shown(said: str | os.PathLike[str]) -> str:
    """A path, or a line that names some, as text that can be written anywhere: what in a path is no Unicode is replaced. What
    lies in a tree under such a name is left out of it; but the tree itself, and what is beside it, may be named so."""
    return _NO_TEXT.sub("\N{REPLACEMENT CHARACTER}", os.fspath(said))


def one_of(what: str, got: str, legal: Iterable[str]) -> RequestError:
    """The error for a word that is not in a closed list: names the word and lists the legal ones."""
    return RequestError(f"unknown {what} {got!r}: legal are {', '.join(sorted(legal))}")
