"""A store of objects: five verbs over a folder, S3, Google's or Azure's storage, or memory.

An object is written once and never changed. The names of most contain the digest of their content,
so writing one twice is harmless. Only generations are numbered; `create` lets one of two writers
win.
"""

import errno
import os
import re
from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from symindex.errors import RequestError, StorageError

if TYPE_CHECKING:
    from obstore.store import ObjectStore

_Result = TypeVar("_Result")

CONNECT_TIMEOUT: Final = timedelta(seconds=5)
REQUEST_TIMEOUT: Final = timedelta(seconds=120)
MOST_RETRIES: Final = 4
RETRY_TIMEOUT: Final = timedelta(seconds=150)
"""Limits of one request: to connect, in all, how often it is tried again, and within which time."""

MOST_OBJECT_BYTES: Final = 4_000_000_000
"""Bytes of the largest object that is read whole. A shard of a million symbols has 100 MB."""

LIST_CHUNK: Final = 1_000
"""Objects that one request lists: S3 lists no more at once."""

_SCHEMES: Final = ("file", "memory", "s3", "s3a", "gs", "az", "azure", "abfs", "abfss")
_MEMORY: Final[dict[str, "ObjectStore"]] = {}
"""The stores in the memory of this process, by address."""

_ALMOST_URL: Final = re.compile(
    r"(?P<scheme>(?:file|memory):(?!//)|(?:s3a?|gs|az|azure|abfss?):(?!//[^/])"
    r"|[A-Za-z][A-Za-z0-9+.-]+:/(?!/))(?P<rest>.*)",
    re.DOTALL,
)
"""A URL with too few or too many slashes. A path of Windows has one letter before the colon."""

_NAME: Final = re.compile(r"[a-z0-9][a-z0-9._/-]{0,199}")


class StoredObject(NamedTuple):
    """An object as a listing shows it. n_bytes: its size. modified: when it was written, in seconds
    since 1970 by the clock of the store."""

    name: str
    n_bytes: int
    modified: float


class MissingObjectError(StorageError):
    """An object that is not in the store."""


class Store:
    """A store at an address: a folder, or a URL that begins with `file://`, `memory://`, `s3://`,
    `gs://` or `az://`.

    Keys, endpoints and regions come from the environment, by the names that each vendor's tools
    use: `AWS_ENDPOINT_URL`, `AWS_ACCESS_KEY_ID`, and so on. All methods raise StorageError if the
    store refuses or cannot be reached.
    """

    def __init__(self, address: str, *, creates: bool = False) -> None:
        """creates: whether to make a folder that is not there. Raises RequestError for an address
        that cannot be one of a store, and StorageError if the library is not installed."""
        self.address = address
        self._store = _opened(address, creates)

    @property
    def location(self) -> str:
        """The address as it is understood in any folder, by other processes too."""
        if "://" in self.address:
            return self.address
        return os.path.abspath(os.path.expanduser(self.address))

    def read(self, name: str, start: int = 0, n_bytes: int | None = None) -> bytes:
        """Returns an object, or a range of it, of which what is beyond the end is missing. Raises
        MissingObjectError if there is no such object."""
        import obstore

        if n_bytes is None:
            return self._ask(name, partial(self._whole, name))
        try:
            return self._ask(
                name,
                lambda: bytes(obstore.get_range(self._store, name, start=start, length=n_bytes)),
            )
        except StorageError as error:
            if _BEYOND in str(error):
                return b""
            raise

    def _whole(self, name: str) -> bytes:
        import obstore

        answer = obstore.get(self._store, name)
        size = answer.meta["size"]
        if size > MOST_OBJECT_BYTES:
            raise ValueError(
                f"has {size:,} bytes, more than {MOST_OBJECT_BYTES:,}: it is none of ours"
            )
        return bytes(answer.bytes())

    def write(self, name: str, content: bytes | Path) -> None:
        """Writes an object whose name is the digest of its content. content: its bytes, or a file
        that contains them."""
        import obstore

        self._ask(
            name, lambda: obstore.put(self._store, checked_name(name), content), verb="written"
        )

    def create(self, name: str, content: bytes) -> bool:
        """Writes an object unless there is one of this name. Returns whether it was written."""
        import obstore
        from obstore.exceptions import AlreadyExistsError, PreconditionError

        def put() -> bool:
            try:
                obstore.put(
                    self._store, checked_name(name), content, mode="create", use_multipart=False
                )
            except (AlreadyExistsError, PreconditionError):
                return False
            return True

        return self._ask(name, put, verb="written")

    def list(self, prefix: str, after: str = "") -> Iterator[StoredObject]:
        """Yields the objects whose names begin with a folder. after: leaves out names up to this
        one."""
        import obstore

        chunks = self._ask(
            prefix,
            lambda: iter(
                obstore.list(self._store, prefix, offset=after or None, chunk_size=LIST_CHUNK)
            ),
        )
        while (chunk := self._ask(prefix, lambda: next(chunks, None))) is not None:
            for entry in chunk:
                yield StoredObject(entry["path"], entry["size"], entry["last_modified"].timestamp())

    def delete(self, names: Iterable[str]) -> None:
        """Deletes objects; those that are gone already count as deleted."""
        import obstore

        for name in names:
            try:
                self._ask(name, partial(obstore.delete, self._store, name), verb="deleted")
            except MissingObjectError:
                continue

    def _ask(self, name: str, action: Callable[[], _Result], verb: str = "") -> _Result:
        """Returns the result of an action of the library. Its errors become ours, in one line.
        verb: what is done, if that changes the store."""
        from obstore.exceptions import (
            BaseError,
            NotFoundError,
            PermissionDeniedError,
            UnauthenticatedError,
        )

        try:
            return action()
        except (FileNotFoundError, NotFoundError):
            raise MissingObjectError(
                f"{self.address}: {name} is not in the store; run `symindex fleet update`"
            ) from None
        except (PermissionDeniedError, UnauthenticatedError, PermissionError):
            denied = (
                f"denies access, so {name} is not {verb}" if verb else f"denies access to {name}"
            )
            check = _CHECK_KEYS if _folder_of(self.address) is None else _CHECK_RIGHTS
            raise StorageError(f"{self.address}: the store {denied}; {check}") from None
        except (BaseError, OSError, ValueError) as error:
            if verb and _READ_ONLY in str(error):
                raise StorageError(
                    f"{self.address}: the store is on a read-only file system: nothing can be"
                    f" {verb}; reading works"
                ) from None
            raise StorageError(f"{self.address}: {name}: {_why(error)}") from None


_LONGEST_ERROR: Final = 300
_READ_ONLY: Final = "Read-only file system"
_CHECK_KEYS: Final = "check the keys in the environment"
_CHECK_RIGHTS: Final = "check the rights of its folder"
_BEYOND: Final = "the range begins beyond the end"

_ANSWERS: Final = (
    ("range was invalid", _BEYOND),
    ("Wanted range starting at", _BEYOND),
    ("416 Range Not Satisfiable", _BEYOND),
    ("404 Not Found", "there is no such bucket or container"),
    ("403 Forbidden", "the store denies access; check the keys in the environment"),
    ("401 Unauthorized", "the store denies access; check the keys in the environment"),
    ("error sending request", "the store cannot be reached; check the endpoint and the network"),
    ("operation timed out", "the store did not answer in time; try again later"),
    ("No space left", "the disk of the store is full; make room"),
    ("507 Insufficient Storage", "the store is full; make room"),
    ("503 Service Unavailable", "the store is overloaded or starting; try again later"),
    ("500 Internal Server Error", "the store failed; see its log, and try again later"),
)
"""What an error of the library contains, and what it means."""


def _why(error: Exception) -> str:
    """Returns an error of the library in one line, without the dump that follows it."""
    text = str(error).strip()
    for mark, meaning in _ANSWERS:
        if mark in text:
            return meaning
    return text.partition("\n")[0][:_LONGEST_ERROR] or type(error).__name__


def almost_url(address: str) -> str:
    """Returns what would be right instead of a URL with too few or too many slashes, such as
    `s3:/x`; empty for all other addresses."""
    found = _ALMOST_URL.fullmatch(address)
    if found is None:
        return ""
    scheme, rest = found["scheme"], found["rest"].lstrip("/")
    # The path of a file is absolute; others begin with a bucket.
    return f"{scheme}///{rest}" if scheme == "file:" else f"{scheme}//{rest or 'bucket/fleet'}"


def _folder_of(address: str) -> Path | None:
    """Returns the folder of a store that is one."""
    scheme, mark, rest = address.partition("://")
    if mark and scheme != "file":
        return None
    return Path(os.path.abspath(Path(rest if mark else address).expanduser()))


def checked_name(name: str) -> str:
    """Returns a name of an object. Raises StorageError for one that is none."""
    if _NAME.fullmatch(name) is None:
        raise StorageError(f"{name!r} is no name of an object")
    return name


def _opened(address: str, creates: bool) -> "ObjectStore":
    try:
        from obstore.store import LocalStore, MemoryStore, from_url
    except ImportError:
        raise StorageError(
            "a fleet needs the library obstore: pip install 'symindex[fleet]'"
        ) from None
    if not address or "\0" in address:
        raise RequestError(
            "the address of the store is empty: name a folder or a URL such as s3://bucket/fleet"
        )
    right = almost_url(address)
    scheme, mark, _ = (right or address).partition("://")
    if mark and scheme not in _SCHEMES:
        raise RequestError(
            f"{address}: no store has the scheme {scheme}://; name a folder, or a URL that begins"
            " with file://, memory://, s3://, gs:// or az://"
        )
    if right:
        folder_hint = "" if "://" in address else f", or ./{address} if a folder is meant"
        raise RequestError(f"{address}: expected {right}{folder_hint}")
    if scheme == "memory" and mark:
        return _MEMORY.setdefault(address, MemoryStore())
    folder = _folder_of(address)
    if folder is not None:
        try:
            if creates:
                folder.mkdir(parents=True, exist_ok=True)
            elif folder.exists() and not folder.is_dir():
                raise NotADirectoryError("it is a file, not a folder")
            elif not folder.exists():
                raise RequestError(f"{address}: no such store; `symindex fleet update` makes one")
            return LocalStore(folder)
        except (OSError, ValueError) as error:
            if isinstance(error, OSError) and error.errno == errno.EROFS:
                raise StorageError(
                    f"{address}: cannot be made: its file system is read-only"
                ) from None
            raise StorageError(f"{address}: cannot be opened: {_why(error)}") from None
    options: dict[str, Any] = {
        "connect_timeout": CONNECT_TIMEOUT,
        "timeout": REQUEST_TIMEOUT,
        "allow_http": True,
    }
    retries: dict[str, Any] = {"max_retries": MOST_RETRIES, "retry_timeout": RETRY_TIMEOUT}
    try:
        opened: ObjectStore = from_url(  # type: ignore[call-overload]
            address, client_options=options, retry_config=retries
        )
    except Exception as error:
        raise RequestError(f"{address}: {_why(error)}") from None
    return opened
