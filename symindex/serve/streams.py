"""The standard streams of a process that speaks a protocol on them."""

import os
from typing import IO


def standard_streams() -> tuple[IO[bytes], IO[bytes]]:
    """Standard input and output for messages alone: what else is printed from here on goes to standard error."""
    source, target = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    return os.fdopen(source, "rb"), os.fdopen(target, "wb")
