"""Fetch: an item by its id from the first space that has it, with what vouches for it; copied
elsewhere if that is wanted.

The content is read from the file as it is now. Whether that is what the index has read, and whether
somebody trusted has signed it, is said beside it.
"""

import hashlib
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

import msgspec
from msgspec import UNSET

from symindex.configuration import Registry as KnownRegistry
from symindex.configuration import read_configuration
from symindex.errors import NO_FOLDER, RequestError, SymindexError
from symindex.explore.missing import told_of
from symindex.extract.described import items_of
from symindex.extract.items.item import Value
from symindex.extract.items.types import ItemTypes, shipped_item_types
from symindex.extract.texts.file_text import text_of
from symindex.fetch.copying import copy_item
from symindex.fetch.destination import destination_of
from symindex.fetch.integrity import judge
from symindex.fetch.locate import Located, locate
from symindex.fetch.registry import Entry, RegistryItem, open_registry
from symindex.fetch.revision import file_at_revision
from symindex.fetch.trust import TrustStore
from symindex.files.access.beneath import read_beneath
from symindex.files.access.regular import LargeFileError
from symindex.files.skips import Skip, tell_unread
from symindex.index.snapshot import Snapshot, Space
from symindex.protocol.fetch import FetchFailure, FetchRequest, FetchResponse
from symindex.search.answer.universe import check_item_types
from symindex.search.names.shadows import shadows_of

MOST_BYTES: Final = 2_000_000
"""The largest file that is fetched."""

_SPACES: Final = {space.word: space for space in (Space.PROJECT, Space.USER, Space.SYSTEM)}


class Place(NamedTuple):
    """What is fetched from.

    snapshot: of all spaces. roots: the folder of each prefix of paths. project: the root of the
    project, `None` where none is open. types: the table of item types. notices: what the spaces
    lack. unread: files of the project that are not in its index. unread_items: a line on the
    folders of items that are left out. left_out: why a path of the project is not in its index, as
    of `Tree`.
    """

    snapshot: Snapshot
    roots: dict[str, Path]
    project: Path | None
    types: ItemTypes
    notices: Sequence[str] = ()
    unread: Sequence[Skip] = ()
    unread_items: Sequence[str] = ()
    left_out: Callable[[str], Skip | None] = lambda _: None


class _File(NamedTuple):
    """The file of an item. root: of its space; below: its path there; shown: as answers name it."""

    root: Path
    below: str
    shown: str

    @property
    def path(self) -> str:
        return str(self.root / self.below)


class _Content(NamedTuple):
    """What stands in a file. data: all its bytes. text: of the item. is_part: whether it is not all
    of the file."""

    data: bytes
    text: str
    fields: dict[str, Value]
    is_part: bool


def fetch_by_id(place: Place, request: FetchRequest) -> FetchResponse | FetchFailure:
    """The item, or why there is none. request: as `check_fetch_request` has let it through."""
    try:
        request = _with_type(place, request)
        if request.item_type is not None and request.source != Space.REGISTRY.word:
            check_item_types(place.snapshot, [request.item_type])
        return (
            _from_registry(place, request)
            if request.source == "registry"
            else _from_spaces(place, request)
        )
    except SymindexError as error:
        return FetchFailure(error=str(error), item_type=request.item_type, item_id=request.item_id)


def _with_type(place: Place, request: FetchRequest) -> FetchRequest:
    """The request with the type apart from the id: `tool:rye/bash` is what answers show."""
    assert request.item_id is not None
    word, colon, rest = request.item_id.partition(":")
    if request.item_type is not None or not colon or word not in place.types.names:
        return request
    return msgspec.structs.replace(request, item_type=word, item_id=rest)


def _from_spaces(place: Place, request: FetchRequest) -> FetchResponse:
    assert request.item_id is not None
    spaces = [_SPACES[request.source]] if request.source else [*_SPACES.values()]
    may_be_it = [skip for skip in place.unread if _may_be(skip.path, request.item_id)]
    lacking = [
        *place.notices,
        *filter(None, [tell_unread(may_be_it, "it")]),
        *_left_out(place, request.item_id),
    ]
    lacking += [told for told in place.unread_items if told not in lacking]
    item = locate(place.snapshot, request.item_id, request.item_type, spaces, lacking)
    space, file = item.part.space, _file_of(place, item)
    revision = None
    if request.version is not None and space is Space.SYSTEM:
        _check_version(item, request.version)
    elif request.version is not None:
        revision = request.version
    types = place.types if space is Space.PROJECT else shipped_item_types()
    content = _read(file, item, types, revision)
    integrity = judge(
        content.data,
        item.part.index.file(item.file).digest if revision is None else None,
        TrustStore(),
        _verify(request),
        file.shown,
    )
    shadows, shadowed_by = shadows_of(place.snapshot, (item.facts.type, item.facts.id), space)
    response = FetchResponse(
        item_type=item.facts.type,
        item_id=item.facts.id,
        content=content.text,
        metadata=_metadata(file.path, content.fields),
        path=file.path,
        source=space.word,
        digest=hashlib.sha256(content.data).hexdigest(),
        integrity=integrity,
        package=item.label.partition(":")[2] or UNSET,
        shadows=shadows or UNSET,
        shadowed_by=shadowed_by or UNSET,
    )
    notices = [*place.notices, *integrity.problems]
    if request.destination == space.word:
        notices.append(f"not copied: it is in the {space.word} space already")
    elif request.destination is not None:
        if content.is_part:
            told = f"{item.facts.type} {item.facts.id} is a part of {file.shown}"
            raise RequestError(f"{told}: only items that are files can be copied")
        notices += _copy(place, response, content.data, file.below, request)
    response.notices = notices or UNSET
    return response


def _may_be(path: str, item_id: str) -> bool:
    """Whether a file that was not read may be, or hold, the item of an id: it is named as a part of
    that is."""
    stems = {os.path.splitext(part)[0] for part in item_id.split("/")}
    return os.path.splitext(os.path.basename(path))[0] in stems


def _left_out(place: Place, item_id: str) -> list[str]:
    """That the path which an id is, if it is one, is not in the index, and why."""
    found = place.left_out(item_id) if "\0" not in item_id and not os.path.isabs(item_id) else None
    return [told_of(item_id, found)] if found is not None else []


def _file_of(place: Place, item: Located) -> _File:
    """Raises RequestError for a file whose space is gone."""
    prefixes = [prefix for prefix in place.roots if item.path.startswith(prefix)]
    if not prefixes:
        raise RequestError(
            f"{item.path}: its package is not there any more; list what is with symindex deps"
        )
    prefix = max(prefixes, key=len)
    return _File(place.roots[prefix], item.path.removeprefix(prefix), item.path)


def _read(file: _File, item: Located, types: ItemTypes, revision: str | None) -> _Content:
    """The item as it stands in its file, now or at a revision. What the index knows of it holds for
    the same bytes alone; others are read again. Raises RequestError where it cannot be read."""
    data = (
        _read_file(file)
        if revision is None
        else file_at_revision(file.root, file.below, revision, MOST_BYTES)
    )
    text = text_of(data)
    fields, (start, end) = item.facts.fields, item.place
    if text.digest != item.part.index.file(item.file).digest:
        wanted = (item.facts.type, item.facts.id)
        found = next(
            (
                each
                for each in items_of(file.below, text.data, types)
                if (each.type, each.id) == wanted
            ),
            None,
        )
        if found is None and not item.is_whole:
            when = (
                f"at version {revision!r}"
                if revision is not None
                else "any more; symindex index brings the index up to date"
            )
            raise RequestError(f"{item.facts.type} {item.facts.id} is not in {file.shown} {when}")
        fields, (start, end) = (
            (found.fields, (found.start_byte, found.end_byte))
            if found
            else (fields, (0, len(data)))
        )
    is_part = start > 0 or end < len(text.data)
    return _Content(
        data,
        (text.data[start:end] if is_part else text.data).decode("utf-8", "replace"),
        fields,
        is_part,
    )


def _read_file(file: _File) -> bytes:
    try:
        return read_beneath(file.root, file.below, MOST_BYTES)
    except LargeFileError:
        raise RequestError(
            f"{file.shown}: has more than {MOST_BYTES:,} bytes, the most that is fetched"
        ) from None
    except OSError as error:
        remedy = "symindex index brings the index up to date"
        raise RequestError(
            f"{file.shown}: cannot be read: {error.strerror or error}; {remedy}"
        ) from None


def _metadata(path: str, fields: dict[str, Value]) -> dict[str, Any]:
    """The fields of the contract before those of the item, which may not replace them."""
    stem, extension = os.path.splitext(os.path.basename(path))
    of_file = {"name": stem, "path": path, "extension": extension}
    return {**of_file, **{name: value for name, value in fields.items() if name not in of_file}}


def _check_version(item: Located, version: str) -> None:
    """Raises RequestError where the package of an item has another version."""
    package, _, installed = item.label.rpartition("@")
    if version.removeprefix("v") != installed.removeprefix("v"):
        raise RequestError(
            f"{package.partition(':')[2]} has no version {version!r} here: {installed} is installed"
        )


def _verify(request: FetchRequest) -> str:
    return request.verify or read_configuration().verify


def _copy(
    place: Place, response: FetchResponse, data: bytes, below: str, request: FetchRequest
) -> list[str]:
    """Copies what was fetched, and says what to do next."""
    assert request.destination is not None
    if place.project is None:
        raise RequestError(f"fetch: a copy goes to the project: {NO_FOLDER}")
    home = Path(os.path.expanduser("~"))
    to = destination_of(
        place.types, below, response.item_type, request.destination, place.project, home
    )
    path = copy_item(data, to.root, to.relative, request.force)
    response.copied_to, response.destination_path = request.destination, str(path)
    if response.source == Space.REGISTRY.word:
        return [f"edit {path}; it is an item of the {request.destination} space from now on"]
    hides = Space[request.destination.upper()] < Space[response.source.upper()]
    effect = (
        f"it hides the one of the {response.source} space"
        if hides
        else "other projects find it, too"
    )
    return [f"edit {path}; {effect}"]


def _from_registry(place: Place, request: FetchRequest) -> FetchResponse:
    """The item from the first registry of the configuration that has it."""
    assert request.item_id is not None
    registries = read_configuration().registries
    if not registries:
        raise RequestError(
            "no registry is configured: name one as [[registries]] in config.toml, with a name and"
            " a source"
        )
    refused: list[str] = []
    for known in registries:
        try:
            registry = open_registry(known.source, known.sha256 or None, known.allow_private)
            found = registry.read(request.item_type, request.item_id, request.version)
        except SymindexError as error:
            refused.append(f"{known.name}: {error}")
            continue
        return _fetched(place, request, known, registry.address_of(found.entry), found, refused)
    raise RequestError("; ".join(refused))


def _fetched(
    place: Place,
    request: FetchRequest,
    known: KnownRegistry,
    address: str,
    found: RegistryItem,
    refused: Sequence[str],
) -> FetchResponse:
    entry = found.entry
    name = os.path.basename(entry.path or urlsplit(entry.url).path)
    below = _place_of_type(place.types, entry, name)
    integrity = judge(found.data, None, TrustStore(), _verify(request), name)
    text = text_of(found.data).data
    items = items_of(below, text, place.types) if below else []
    said: dict[str, Value] = {
        "version": entry.version,
        "title": entry.title,
        "description": entry.description,
    }
    fields = {
        **(items[0].fields if len(items) == 1 else {}),
        **{key: value for key, value in said.items() if value},
    }
    response = FetchResponse(
        item_type=entry.type,
        item_id=entry.id,
        content=text.decode("utf-8", "replace"),
        metadata={**_metadata(name, fields), "path": address},
        path=address,
        source=Space.REGISTRY.word,
        digest=hashlib.sha256(found.data).hexdigest(),
        integrity=integrity,
        package=known.name,
    )
    notices = [*refused, *integrity.problems]
    if request.destination is not None:
        if not below:
            raise RequestError(f"items of type {entry.type} have no place of their own in a space")
        notices += _copy(place, response, found.data, below, request)
    response.notices = notices or UNSET
    return response


def _place_of_type(types: ItemTypes, entry: Entry, name: str) -> str:
    """Where an item of a registry would be in the user's space; empty where its type has no place
    there. name: of its file."""
    rows = [row for row in types.rows_of(entry.type) if row.user_folder]
    extension = os.path.splitext(name)[1]
    row = next(
        (row for row in rows if extension in row.extensions or name.lower() in row.names), None
    )
    if row is None:
        return ""
    below = f"{entry.id}/{name}" if row.id == "folder" else f"{entry.id}{extension}"
    return f"{row.user_folder.removeprefix('~/').rstrip('/')}/{below}"
