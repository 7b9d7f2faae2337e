"""A registry: a folder or an address from which items can be got, with an index document that pins
each of them by its digest.

The index document is `index.json` in the folder, or below an address that ends with a slash; else
the address is its own:

    {"symindex_registry": 1,
     "items": [{"type": "tool", "id": "deploy/release", "version": "1.2.0", "path":
     "tools/deploy/release-1.2.0.py",
                "sha256": "<of the file>", "size": 1234, "title": "Release", "description": "Cuts a
                release.", ...}]}

`path` is relative to the index document; `url` is a whole address in its place. `title` and
`description` may be missing, and other keys are ignored. The digest of the index document can be
pinned in the user's configuration: then nothing can change behind the user's back. A registry is
not trusted otherwise: its paths lead nowhere else, its sizes are bounded, its addresses are public
(`http_reader`), and a file that is not what its index says is an error.
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
"""Bytes."""

_SHOWN: Final = 10
_PIN: Final = re.compile(r"(?:sha256:)?([0-9a-f]{64})")

_Word = Annotated[str, Meta(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,63}$")]
_Version = Annotated[str, Meta(pattern=r"^[0-9A-Za-z][0-9A-Za-z.+_-]{0,63}$")]
_Digest = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$")]
_Size = Annotated[int, Meta(ge=0, le=LARGEST_ITEM)]
_Line = Annotated[str, Meta(max_length=2_000)]


class Entry(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the index document says of an item. path: relative to the document; url: in its
    place."""

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


class _Document(msgspec.Struct):
    symindex_registry: int
    items: list[Entry]


class RegistryItem(NamedTuple):
    """An item, whose bytes are what its entry says."""

    data: bytes
    entry: Entry


class Registry:
    """An open registry: its index document was read and checked. Made by `open_registry`."""

    def __init__(self, source: str, entries: Sequence[Entry], allowed: Origin | None) -> None:
        self.source = source
        self._entries = sorted(
            entries,
            key=lambda entry: (entry.type, entry.id, version_key(entry.version), entry.version),
        )
        self._allowed = allowed

    def list(self) -> Sequence[Entry]:
        """All entries, by type and id, the newest version of each last."""
        return self._entries

    def find(self, type_name: str | None, item_id: str, version: str | None = None) -> Entry:
        """An entry; of the newest release, unless a version is given; of any type, if only one has
        the id. Raises RequestError, which says what there is."""
        others = sorted({entry.type for entry in self._entries if entry.id == item_id})
        if type_name is None:
            if not others:
                raise RequestError(f"{self.source} has no item {item_id!r}")
            if len(others) > 1:
                raise RequestError(
                    f"{self.source} has {item_id} as {' and as '.join(others)}: name its type"
                )
            type_name = others[0]
        named = [
            entry for entry in self._entries if entry.id == item_id and entry.type == type_name
        ]
        if not named:
            told = f"; it has one of the type {', '.join(others)}" if others else ""
            raise RequestError(f"{self.source} has no {type_name} {item_id!r}{told}")
        wanted = newest([entry.version for entry in named]) if version is None else version
        for entry in named:
            if entry.version == wanted:
                return entry
        versions = [entry.version for entry in reversed(named)]
        more = f" and {len(versions) - _SHOWN:,} older ones" if len(versions) > _SHOWN else ""
        raise RequestError(
            f"{self.source} has no version {wanted!r} of {type_name} {item_id}: there is"
            f" {', '.join(versions[:_SHOWN])}{more}"
        )

    def address_of(self, entry: Entry) -> str:
        """Where an item is: its address, or its path on the disk."""
        if not is_address(self.source):
            return os.path.join(self.source, *entry.path.split("/"))
        return entry.url or urljoin(_document_address(self.source), quote(entry.path))

    def read(self, type_name: str | None, item_id: str, version: str | None = None) -> RegistryItem:
        """An item; as `find`. Raises IntegrityError for one that is not what its entry says,
        StorageError where it cannot be read."""
        entry = self.find(type_name, item_id, version)
        if is_address(self.source):
            data = read_url(self.address_of(entry), LARGEST_ITEM, self._allowed)
        else:
            data = _read_file(Path(self.source), entry.path, LARGEST_ITEM)
        found = hashlib.sha256(data).hexdigest()
        if found != entry.sha256 or len(data) != entry.size:
            raise IntegrityError(
                f"{self.source}: {entry} is not what the index says: sha256 {found} and"
                f" {len(data):,} bytes instead of {entry.sha256} and {entry.size:,}; do not use it,"
                " and tell whoever keeps the registry"
            )
        return RegistryItem(data, entry)


def open_registry(source: str, pinned: str | None = None, allow_private: bool = False) -> Registry:
    """Opens a registry.

    source: a folder, or an http(s) address. pinned: the sha256 of its index document.
    allow_private: whether its server may have an address that is not public, and be asked without
    encryption and pin; only the user's own configuration says so, and it holds for no other server.
    Raises RequestError for what cannot be a registry, StorageError for what cannot be read, and
    IntegrityError for another digest than the pinned one.
    """
    pin = _PIN.fullmatch(pinned.strip().lower()) if pinned else None
    if pinned and pin is None:
        raise RequestError(
            f"{source}: the pin {pinned[:100]!r} is no digest: expected the 64 hexadecimal digits"
            " of a sha256"
        )
    allowed = None
    if is_address(source):
        origin = origin_of(source)
        allowed = origin if allow_private else None
        if origin.scheme == "http" and pin is None and not allow_private:
            hint = f"use https, or pin the sha256 of its {INDEX_NAME}"
            raise RequestError(
                f"{source}: whoever is on the way can change what http brings; {hint}"
            )
        data = read_url(_document_address(source), LARGEST_INDEX, allowed)
    else:
        source = os.path.realpath(os.path.expanduser(source))  # the user chose the way to the root
        data = _read_file(Path(source), INDEX_NAME, LARGEST_INDEX)
    digest = hashlib.sha256(data).hexdigest()
    if pin is not None and pin[1] != digest:
        hint = "look at what has changed, and pin the new digest if it is right"
        raise IntegrityError(
            f"{source}: the index has the sha256 {digest} instead of the pinned {pin[1]}; {hint}"
        )
    return Registry(source, _entries_of(data, source), allowed)


def is_address(source: str) -> bool:
    """Whether a source is an address, not a folder."""
    return re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", source) is not None


def _document_address(source: str) -> str:
    return source + INDEX_NAME if source.endswith("/") else source


def _read_file(folder: Path, path: str, most_bytes: int) -> bytes:
    try:
        return read_beneath(folder, path, most_bytes)
    except OSError as error:
        raise StorageError(
            f"{folder}: {path} cannot be read: {error.strerror}; see that it is a registry's folder"
        ) from None


def _entries_of(data: bytes, source: str) -> Sequence[Entry]:
    """The entries of an index document. Raises RequestError, which names the first that is
    wrong."""
    try:
        number = msgspec.json.decode(data, type=_Number).symindex_registry
        if number != FORMAT:
            raise RequestError(
                f"{source}: an index of format {number}: this version of symindex reads format"
                f" {FORMAT}"
            )
        entries = msgspec.json.decode(data, type=_Document).items
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        told = "is nested too deeply" if isinstance(error, RecursionError) else str(error)[:200]
        sample = json.dumps({"symindex_registry": FORMAT, "items": []})
        raise RequestError(
            f"{source}: not an index of a registry: {told}; expected {sample}"
        ) from None
    seen = set[tuple[str, str, str]]()
    for entry in entries:
        key = (entry.type, entry.id, entry.version)
        try:
            split_path(entry.id, "id")
            if bool(entry.path) == bool(entry.url):
                raise RequestError("has to have either a path or a url")
            if entry.path:
                split_path(entry.path)
            elif not is_address(source):
                raise RequestError(
                    "has a url, which no folder may have: a folder calls no addresses"
                )
            if key in seen:
                raise RequestError("stands there twice")
        except RequestError as error:
            raise RequestError(
                f"{source}: the index has a wrong entry, {str(entry)[:200]!r}: {error}"
            ) from None
        seen.add(key)
    return entries


class _Number(msgspec.Struct):
    symindex_registry: int
