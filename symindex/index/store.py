"""Columns to a file and back: the only module that knows the file's bytes.

    bytes 0-7    SYMINDEX
    bytes 8-11   FORMAT_VERSION
    bytes 12-19  length of the payload
    bytes 20-35  digest of the rules that the symbols were read with: symindex's version and the languages
    bytes 36-51  BLAKE2b checksum of the payload
    then         the payload: Columns as MessagePack

All numbers are little-endian. Opening maps the file and decodes the payload without copying its columns, so its cost does not
grow with the size. For the same reason the checksum is computed only where the file is not the one that was last checked: a
small file beside it holds the inode, size and mtime that a writer or reader last found good.

A file is replaced as a whole: written beside, synced, renamed. Whoever has the old one mapped keeps it.
"""

import hashlib
import mmap
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import msgspec

from symindex.errors import IndexFileError, OutdatedIndexError, StorageError
from symindex.index.columns import Columns, Index

FORMAT_VERSION: Final = 3

FILE_NAME: Final = "symbols.index"
_NEW_NAME: Final = "symbols.new"
_CHECKED_NAME: Final = "symbols.checked"
_LOCK_NAME: Final = "write.lock"
_MAGIC: Final = b"SYMINDEX"
_HEADER: Final = struct.Struct("<8sIQ16s16s")


def save_index(folder: Path, index: Index, rules_digest: bytes) -> int:
    """Writes the index into `folder`, replacing the one there; returns its size in bytes.

    Raises StorageError where the disk refuses; the previous file is then as it was.
    """
    payload = msgspec.msgpack.encode(index.columns)
    checksum = hashlib.blake2b(payload, digest_size=16).digest()
    header = _HEADER.pack(_MAGIC, FORMAT_VERSION, len(payload), rules_digest, checksum)
    target = folder / FILE_NAME
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _replace(target, header, payload)
        _note_checked(folder, target)
    except OSError as error:
        raise StorageError(
            f"{target}: cannot be written: {error.strerror}; make room or name another place with --index-dir"
        ) from None
    return len(header) + len(payload)


def _replace(target: Path, *parts: bytes) -> None:
    name = target.with_name(_NEW_NAME)  # always the same: what a killed writer left is overwritten
    try:
        with open(name, "wb") as file:
            for part in parts:
                file.write(part)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise
    with suppress(OSError):  # folders cannot be synced on every system; the rename is atomic all the same
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def load_index(folder: Path, rules_digest: bytes) -> Index | None:
    """The index in `folder`, mapped; `None` where there is none yet.

    Raises IndexFileError where the file is damaged, foreign, or of another version or other language rules.
    """
    path = folder / FILE_NAME
    try:
        with open(path, "rb") as file:
            status = os.fstat(file.fileno())
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if status.st_size else b""
    except FileNotFoundError:
        return None
    except OSError as error:
        raise IndexFileError(f"{path}: cannot be read: {error.strerror}; it will be rebuilt") from None
    view = memoryview(mapped)
    if len(view) < _HEADER.size or bytes(view[: len(_MAGIC)]) != _MAGIC:
        raise IndexFileError(f"{path}: not an index file; it will be rebuilt")
    _, version, length, rules, checksum = _HEADER.unpack_from(view)
    if version != FORMAT_VERSION:
        raise IndexFileError(f"{path}: format version {version}, not {FORMAT_VERSION}; it will be rebuilt")
    payload = view[_HEADER.size :]
    if len(payload) != length:
        raise IndexFileError(f"{path}: {len(payload):,} bytes of content, not {length:,}; it will be rebuilt")
    if rules != rules_digest:
        raise OutdatedIndexError(f"{path}: made by another version of symindex or with other language rules; it will be rebuilt")
    if not _is_checked(folder, status):
        if hashlib.blake2b(payload, digest_size=16).digest() != checksum:
            raise IndexFileError(f"{path}: damaged (wrong checksum); it will be rebuilt")
        with suppress(OSError):  # a folder that cannot be written costs the check again next time
            _note_checked(folder, path)
    try:
        return Index(msgspec.msgpack.decode(payload, type=Columns))
    except msgspec.MsgspecError as error:
        raise IndexFileError(f"{path}: damaged ({error}); it will be rebuilt") from None


def _identity(status: os.stat_result) -> bytes:
    return f"{status.st_ino} {status.st_size} {status.st_mtime_ns}\n".encode()


def _note_checked(folder: Path, target: Path) -> None:
    (folder / _CHECKED_NAME).write_bytes(_identity(target.stat()))


def _is_checked(folder: Path, status: os.stat_result) -> bool:
    try:
        return (folder / _CHECKED_NAME).read_bytes() == _identity(status)
    except OSError:
        return False


@contextmanager
def writing(folder: Path, wait_seconds: float) -> Iterator[None]:
    """Holds the right to write into `folder` among all processes; waits for whoever has it.

    Raises StorageError when it was not free within `wait_seconds`, or the folder cannot be made.
    """
    from filelock import FileLock, Timeout  # here, because readers do without it and its import takes 15 ms

    lock = FileLock(folder / _LOCK_NAME)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=wait_seconds)
    except Timeout:
        raise StorageError(
            f"{folder}: another process has been writing the index for {wait_seconds:g} s; try again when it is done"
        ) from None
    except OSError as error:
        raise StorageError(f"{folder}: cannot be written: {error.strerror}; name another place with --index-dir") from None
    try:
        yield
    finally:
        lock.release()
