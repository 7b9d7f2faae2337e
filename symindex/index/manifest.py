"""What an index knows of files, for the check of what has changed."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class KnownFiles(NamedTuple):
    """What is known of some files, by file. digests: of their bytes. try_again: whether it was not read for a reason that may
    have gone without the file's changing."""

    paths: list[str]
    sizes: NDArray[np.uint64]
    mtimes: NDArray[np.int64]
    stamps: NDArray[np.uint64]
    digests: NDArray[np.void]
    try_again: NDArray[np.bool_]
