"""The types of numpy's arrays, by what they hold."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

U8 = NDArray[np.uint8]
U16 = NDArray[np.uint16]
U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]
I8 = NDArray[np.int8]
I16 = NDArray[np.int16]
I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
Intp = NDArray[np.intp]
F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
Mask = NDArray[np.bool_]
Numbers = NDArray[Any]
"""As wide as their values need, which only a column itself knows; else what is good for any of these."""
