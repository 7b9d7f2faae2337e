"""Types of numpy arrays by element type: the aliases that `numpy.typing.NDArray` would give,
without importing that slow module."""

from typing import Any

import numpy as np

_Any = tuple[Any, ...]
"""The shape, which is not checked."""

U8 = np.ndarray[_Any, np.dtype[np.uint8]]
U16 = np.ndarray[_Any, np.dtype[np.uint16]]
U32 = np.ndarray[_Any, np.dtype[np.uint32]]
U64 = np.ndarray[_Any, np.dtype[np.uint64]]
I8 = np.ndarray[_Any, np.dtype[np.int8]]
I16 = np.ndarray[_Any, np.dtype[np.int16]]
I32 = np.ndarray[_Any, np.dtype[np.int32]]
I64 = np.ndarray[_Any, np.dtype[np.int64]]
Intp = np.ndarray[_Any, np.dtype[np.intp]]
F32 = np.ndarray[_Any, np.dtype[np.float32]]
F64 = np.ndarray[_Any, np.dtype[np.float64]]
Mask = np.ndarray[_Any, np.dtype[np.bool_]]
Numbers = np.ndarray[_Any, np.dtype[Any]]
"""An array of any integer type: a column is as wide as its values need."""


def distinct_of(numbers: Numbers) -> Numbers:
    """Returns the distinct numbers, sorted. `np.unique` would import numpy's masked arrays, which
    takes a tenth of an update."""
    ordered = np.sort(numbers)
    is_first = np.ones(len(ordered), dtype=bool)
    is_first[1:] = ordered[1:] != ordered[:-1]
    distinct: Numbers = ordered[is_first]
    return distinct
