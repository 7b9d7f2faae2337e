"""Reads registries: a folder or an address that offers items, with an index document that pins each
item by its digest.

The index document is `index.json` in the folder, or below an address that ends with a slash; any
other address is that of the document itself:

    {"symindex_registry": 1,
     "items": [{"type": "tool", "id": "deploy/release", "version": "1.2.0",
                "path": "tools/deploy/release-1.2.0.py", "sha256": "<of the file>", "size": 1234,
                "title": "Release", "description": "Cuts a release.", ...}]}

`path` is relative to the index document; an item may have a complete `url` instead. `title` and
`description` are optional, and unknown keys are ignored. The user's configuration can pin the
digest of the index document, so that nothing changes unnoticed. Otherwise a registry is not
trusted: its paths stay inside it, its sizes are limited, its addresses are public (`http_reader`),
and a file that differs from its entry is an error.
"""

import hashlib
import json
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final, NamedTuple
from urllib.parse import quote, urljoin

import msgspec
from msgspec import Meta

from symindex.errors import IntegrityError, RequestError, StorageError
from symindex.fetch.http_reader import Origin, origin_of, read_url
from symindex.fetch.safe_path import split_path
from symindex.files.access.beneath import read_beneath
from symindex.text.versions import newest, version_key

INDEX_NAME: Final = "index.json"
FORMAT: Final = 1

LARGEST_INDEX: Final = 10_000_000
LARGEST_ITEM: Final = 2_000_000
"""Largest item, in bytes."""

_SHOWN: Final = 10
_PIN: Final = re.compile(r"(?:sha256:)?([0-9a-f]{64})")

_Word = Annotated[str, Meta(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,63}$")]
_Version = Annotated[str, Meta(pattern=r"^[0-9A-Za-z][0-9A-Za-z.+_-]{0,63}$")]
_Digest = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$")]
_Size = Annotated[int, Meta(ge=0, le=LARGEST_ITEM)]
_Line = Annotated[str, Meta(max_length=2_000)]


class RegistryEntry(msgspec.Struct, frozen=True, omit_defaults=True):
    """An item in the index document. path: relative to the document. url: its complete address
    instead."""

    type: _Word
    id: str
    version: _Version
    sha256: _Digest
    size: _Size
    path: str = ""
    url: str = ""
    title: _Line = ""
    description: _Line = ""

    def __str__(self) -> str:
        return f"{self.type} {self.id} {self.version}"


class _IndexDocument(msgspec.Struct):
    symindex_registry: int
    items: list[RegistryEntry]


class RegistryItem(NamedTuple):
    """An item whose bytes match its entry."""

    data: bytes
    entry: RegistryEntry


class Registry:
    """An open registry, with its index document read and checked. Made by `open_registry`."""

    def __init__(
        self, source: str, entries: Sequence[RegistryEntry], allowed: Origin | None
    ) -> None:
        self.source = source
        self._entries = sorted(
            entries,
            key=lambda entry: (entry.type, entry.id, version_key(entry.version), entry.version),
        )
        self._allowed = allowed

    def list(self) -> Sequence[RegistryEntry]:
        """Returns all entries by type and id, the newest version of each last."""
        return self._entries

    def find(
        self, type_name: str | None, item_id: str, version: str | None = None
    ) -> RegistryEntry:
        """Returns one entry.

        type_name: may be `None` if only one type has the id. version: the newest release if `None`.
        Raises RequestError, which lists the choices.
        """
        types = sorted({entry.type for entry in self._entries if entry.id == item_id})
        if type_name is None:
            if not types:
                raise RequestError(f"{self.source} has no item {item_id!r}")
            if len(types) > 1:
                raise RequestError(
                    f"{self.source} has {item_id} as {' and as '.join(types)}: name its type"
                )
            type_name = types[0]
        entries = [
            entry for entry in self._entries if entry.id == item_id and entry.type == type_name
        ]
        if not entries:
            hint = f"; it has one of type {', '.join(types)}" if types else ""
            raise RequestError(f"{self.source} has no {type_name} {item_id!r}{hint}")
        chosen = newest([entry.version for entry in entries]) if version is None else version
        for entry in entries:
            if entry.version == chosen:
                return entry
        versions = [entry.version for entry in reversed(entries)]
        more = f" and {len(versions) - _SHOWN:,} older ones" if len(versions) > _SHOWN else ""
        raise RequestError(
            f"{self.source} has no version {chosen!r} of {type_name} {item_id}: it has"
            f" {', '.join(versions[:_SHOWN])}{more}"
        )

    def address_of(self, entry: RegistryEntry) -> str:
        """Returns the address of an item, or its path on the disk."""
        if not is_address(self.source):
            return os.path.join(self.source, *entry.path.split("/"))
        return entry.url or urljoin(_document_address(self.source), quote(entry.path))

    def read(self, type_name: str | None, item_id: str, version: str | None = None) -> RegistryItem:
        """Returns an item, found as by `find`. Raises IntegrityError if the file differs from its
        entry, StorageError if it cannot be read."""
        entry = self.find(type_name, item_id, version)
        if is_address(self.source):
            data = read_url(self.address_of(entry), LARGEST_ITEM, self._allowed)
        else:
            data = _read_file(Path(self.source), entry.path, LARGEST_ITEM)
        digest = hashlib.sha256(data).hexdigest()
        if digest != entry.sha256 or len(data) != entry.size:
            raise IntegrityError(
                f"{self.source}: {entry} is not what the index says: sha256 {digest} and"
                f" {len(data):,} bytes instead of {entry.sha256} and {entry.size:,}; do not use it,"
                " and tell the maintainer of the registry"
            )
        return RegistryItem(data, entry)


def open_registry(source: str, pinned: str | None = None, allow_private: bool = False) -> Registry:
    """Opens a registry.

    source: a folder, or an http(s) address. pinned: the sha256 of its index document.
    allow_private: whether its server may have a private address, and may be read without encryption
    or a pin; only the user's own configuration can allow this, and only for this server. Raises
    RequestError for a source that cannot be a registry, StorageError if it cannot be read, and
    IntegrityError if the digest differs from the pinned one.
    """
    pin = _PIN.fullmatch(pinned.strip().lower()) if pinned else None
    if pinned and pin is None:
        raise RequestError(
            f"{source}: the pin {pinned[:100]!r} is not a digest: expected the 64 hexadecimal"
            " digits of a sha256"
        )
    allowed = None
    if is_address(source):
        origin = origin_of(source)
        allowed = origin if allow_private else None
        if origin.scheme == "http" and pin is None and not allow_private:
            hint = f"use https, or pin the sha256 of its {INDEX_NAME}"
            raise RequestError(
                f"{source}: anybody on the way can change what http delivers; {hint}"
            )
        data = read_url(_document_address(source), LARGEST_INDEX, allowed)
    else:
        # Links above the root are followed: the user named this folder.
        source = os.path.realpath(os.path.expanduser(source))
        data = _read_file(Path(source), INDEX_NAME, LARGEST_INDEX)
    digest = hashlib.sha256(data).hexdigest()
    if pin is not None and pin[1] != digest:
        hint = "check what has changed, and pin the new digest if it is right"
        raise IntegrityError(
            f"{source}: the index has the sha256 {digest} instead of the pinned {pin[1]}; {hint}"
        )
    return Registry(source, _entries_of(data, source), allowed)


def is_address(source: str) -> bool:
    """Whether a source is an address rather than a folder."""
    return re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", source) is not None


def _document_address(source: str) -> str:
    return source + INDEX_NAME if source.endswith("/") else source


def _read_file(folder: Path, path: str, most_bytes: int) -> bytes:
    try:
        return read_beneath(folder, path, most_bytes)
    except OSError as error:
        raise StorageError(
            f"{folder}: {path} cannot be read: {error.strerror}; check that it is the folder of a"
            " registry"
        ) from None


def _entries_of(data: bytes, source: str) -> Sequence[RegistryEntry]:
    """Parses the entries of an index document. Raises RequestError, which names the first wrong
    one."""
    try:
        number = msgspec.json.decode(data, type=_FormatNumber).symindex_registry
        if number != FORMAT:
            raise RequestError(
                f"{source}: an index of format {number}: this version of symindex reads format"
                f" {FORMAT}"
            )
        entries = msgspec.json.decode(data, type=_IndexDocument).items
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        reason = "is nested too deeply" if isinstance(error, RecursionError) else str(error)[:200]
        sample = json.dumps({"symindex_registry": FORMAT, "items": []})
        raise RequestError(
            f"{source}: not an index of a registry: {reason}; expected {sample}"
        ) from None
    keys = set[tuple[str, str, str]]()
    for entry in entries:
        key = (entry.type, entry.id, entry.version)
        try:
            split_path(entry.id, "id")
            if bool(entry.path) == bool(entry.url):
                raise RequestError("must have either a path or a url")
            if entry.path:
                split_path(entry.path)
            elif not is_address(source):
                raise RequestError(
                    "has a url, which is not allowed in a folder: a folder must not call addresses"
                )
            if key in keys:
                raise RequestError("is listed twice")
        except RequestError as error:
            raise RequestError(
                f"{source}: the index has a wrong entry, {str(entry)[:200]!r}: {error}"
            ) from None
        keys.add(key)
    return entries


class _FormatNumber(msgspec.Struct):
    symindex_registry: int
