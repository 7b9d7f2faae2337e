"""Signing files where they stand: each is replaced as a whole, and none before all of them can be
signed."""

import errno
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from symindex.errors import RequestError, StorageError
from symindex.fetch.keys import SigningKey
from symindex.fetch.signature import find_signature, sign
from symindex.files.access.new_file import write_new
from symindex.files.access.regular import read_regular

LARGEST_FILE: Final = 100_000_000
"""Bytes; items are text."""


class SignedFile(NamedTuple):
    """file: as the user named it. key: the fingerprint. signed_at: the time in its signature
    line."""

    file: str
    key: str
    signed_at: str


def sign_files(names: Sequence[str], key: SigningKey) -> list[SignedFile]:
    """Signs files. Raises RequestError for one that is a link, is not there or cannot hold a
    signature line: then none is signed; StorageError where the system refuses to write one."""
    signed = []
    for name in names:
        try:
            data = read_regular(name, LARGEST_FILE)
        except OSError as error:
            hint = (
                "name the file that it leads to"
                if error.errno == errno.ELOOP
                else "name a file to sign"
            )
            raise RequestError(f"{name!r}: {error.strerror}: {hint}") from None
        signed.append((name, data, sign(data, key, name)))
    done = []
    for name, before, after in signed:
        folder, last = os.path.split(os.path.abspath(name))
        try:
            if read_regular(name, LARGEST_FILE) != before:
                raise StorageError(
                    f"{name}: has changed in this moment; look at it, and sign it again"
                )
            write_new(Path(folder), [last], after, replaces=True)
        except OSError as error:
            raise StorageError(
                f"{name}: cannot be signed: {error.strerror}; see that you may write there, and"
                " that there is room"
            ) from None
        found = find_signature(after, name)
        done.append(
            SignedFile(name, key.public.fingerprint, found.time if found is not None else "")
        )
    return done
