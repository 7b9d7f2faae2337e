"""Copying an item into a space: below its root, with its folders, whole or not at all.

The path may come from anybody, so it is checked first (`safe_path`), and written without following
links (`files/access/new_file`).
"""

import errno
import os
from pathlib import Path
from typing import Final

from symindex.errors import RequestError, StorageError
from symindex.fetch.safe_path import split_path
from symindex.files.access.new_file import write_new
from symindex.files.access.regular import NotRegularError

_REMEDIES: Final = {
    errno.ENOSPC: "make room on that disk, or copy it elsewhere",
    errno.EDQUOT: "make room in your quota, or copy it elsewhere",
    errno.EROFS: "that disk can only be read: copy it elsewhere",
    errno.EACCES: "take the right to write there, or copy it elsewhere",
    errno.EPERM: "take the right to write there, or copy it elsewhere",
    errno.ENOTDIR: "something there is no folder: move it away, or copy it elsewhere",
    errno.EFBIG: "it is larger than files may be there: copy it elsewhere",
    errno.ENAMETOOLONG: "choose a shorter place",
}


def copy_item(data: bytes, destination: Path, relative: str, force: bool = False) -> Path:
    """Writes an item below a root. Returns the path of the new file.

    destination: the root, which exists. relative: the path below it, with forward slashes. force:
    whether a file that is there is replaced. Raises RequestError for a path that is refused and a
    file that is there; StorageError where the system refuses. In both cases nothing was written.
    """
    parts = split_path(relative)
    if not os.path.isdir(destination):
        raise StorageError(
            f"{destination}: no such folder; make it first, or copy the item elsewhere"
        )
    try:
        return write_new(destination, parts, data, replaces=force)
    except FileExistsError as error:
        raise RequestError(
            f"{error.filename}: is there already; `symindex fetch --force` replaces it"
        ) from None
    except NotRegularError as error:
        remedy = "move it away, or copy the item elsewhere"
        told = (
            f"{error.filename}: {error.strerror}, which is neither followed nor replaced; {remedy}"
        )
        raise StorageError(told) from None
    except OSError as error:
        remedy = _REMEDIES.get(error.errno or 0, "see what is there, or copy it elsewhere")
        raise StorageError(
            f"{error.filename}: cannot be written: {error.strerror}; {remedy}"
        ) from None
