"""Signs files in place. Each file is replaced as a whole, and none before all of them can be
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
"""Largest file that can be signed, in bytes; items are text."""


class SignedFile(NamedTuple):
    """file: the name that the user gave. key: the fingerprint. signed_at: the time in the signature
    line."""

    file: str
    key: str
    signed_at: str


def sign_files(names: Sequence[str], key: SigningKey) -> list[SignedFile]:
    """Signs files. Raises RequestError if one is a link, is missing or cannot have a signature
    line, and then signs none; raises StorageError if the system refuses to write one."""
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
    for name, data_read, signed_data in signed:
        folder, last = os.path.split(os.path.abspath(name))
        try:
            if read_regular(name, LARGEST_FILE) != data_read:
                raise StorageError(f"{name}: has just changed; look at it, and sign it again")
            write_new(Path(folder), [last], signed_data, replaces=True)
        except OSError as error:
            raise StorageError(
                f"{name}: cannot be signed: {error.strerror}; check that you may write there, and"
                " that there is room"
            ) from None
        signature = find_signature(signed_data, name)
        done.append(
            SignedFile(
                name, key.public.fingerprint, signature.time if signature is not None else ""
            )
        )
    return done
