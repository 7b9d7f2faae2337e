"""The types of numpy's arrays, by what they hold; what `numpy.typing.NDArray` stands for, which
takes long to load."""

from typing import Any

import numpy as np

_Any = tuple[Any, ...]
"""Of any shape."""

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
"""As wide as their values need, which only a column itself knows; else what is good for any of
these."""


def distinct_of(numbers: Numbers) -> Numbers:
    """The distinct of some numbers, in order. `np.unique` would load numpy's masked arrays, which
    takes a tenth of an update."""
    ordered = np.sort(numbers)
    is_first = np.ones(len(ordered), dtype=bool)
    is_first[1:] = ordered[1:] != ordered[:-1]
    distinct: Numbers = ordered[is_first]
    return distinct
