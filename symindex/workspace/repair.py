"""Reading an index that may be damaged: an error leads to a rebuild and a second attempt."""

from collections.abc import Callable
from typing import Final, Protocol, TypeVar

from symindex.errors import DamagedIndexError

_T = TypeVar("_T")

_READING_ERRORS: Final = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    BufferError,
    DamagedIndexError,
    LookupError,
    MemoryError,
    RuntimeError,
    TypeError,
    ValueError,
)
"""Errors that reading a damaged index can raise where a check is missing. Errors in a request and
cancellation are not among them."""


class Repairable(Protocol):
    """One or several indexes. n_repairs: how often one was found damaged."""

    @property
    def n_repairs(self) -> int: ...

    def repair(self, error: Exception) -> bool:
        """Starts to rebuild an index if the error, raised while reading it, shows that it is
        damaged. Returns whether it does."""


def with_repair(indexes: Repairable, read: Callable[[], _T]) -> _T:
    """Returns the result of `read`. Calls it a second time if an error, in this thread or in
    another one meanwhile, has shown that an index was damaged; raises other errors."""
    n_before = indexes.n_repairs
    try:
        return read()
    except _READING_ERRORS as error:
        if not indexes.repair(error) and indexes.n_repairs == n_before:
            raise
    return read()
