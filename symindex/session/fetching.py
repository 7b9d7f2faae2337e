"""Fetch: an item by its id from the first space that has it, with what vouches for it; copied elsewhere if that is wanted.

The content is read from the file as it is now. Whether that is what the index has read, and whether somebody trusted has signed
it, is said beside it.
"""

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from msgspec import UNSET

from symindex.configuration import read_configuration
from symindex.errors import RequestError, SymindexError
from symindex.explore.fetch.contract import FetchFailure, FetchRequest, FetchResponse, check_fetch_request
from symindex.explore.fetch.copying import copy_item
from symindex.explore.fetch.destination import destination_of
from symindex.explore.fetch.integrity import judge
from symindex.explore.fetch.locate import Located, locate
from symindex.explore.fetch.registry import RegistryItem, open_registry
from symindex.explore.fetch.revision import file_at_revision
from symindex.explore.fetch.trust import TrustStore
from symindex.extract.items.item import Value
from symindex.files.access.beneath import read_beneath
from symindex.files.access.regular import LargeFileError
from symindex.index.snapshot import Snapshot, Space
from symindex.search.shadows import shadows_of

if TYPE_CHECKING:
    from symindex.extract.items.types import ItemTypes

MOST_BYTES: Final = 2_000_000
"""The largest file that is fetched."""

_ABSENT: Final = {"project": Space.PROJECT, "user": Space.USER, "system": Space.SYSTEM}


class Place(NamedTuple):
    """What is fetched from. snapshot: of all spaces. roots: the folder of each prefix of paths. project: the root of the project.
    types: the table of item types."""

    snapshot: Snapshot
    roots: dict[str, Path]
    project: Path
    types: "ItemTypes"


class _Content(NamedTuple):
    """What was read. data: of the whole file. path: where it is; name: as it is shown. start, end: of the item in the data; None
    for all. below: its path from the root of its space. digest: as the index has it; `None` where it has none, or another
    version was asked for."""

    data: bytes
    path: str
    name: str
    start: int
    end: int | None
    below: str
    digest: bytes | None


def fetch_by_id(place: Place, request: FetchRequest) -> FetchResponse | FetchFailure:
    """The item, or why there is none."""
    try:
        check_fetch_request(request)
        if request.source == "registry":
            return _from_registry(place, request)
        return _from_spaces(place, request)
    except SymindexError as error:
        return FetchFailure(error=str(error), item_type=request.item_type, item_id=request.item_id)


def _from_spaces(place: Place, request: FetchRequest) -> FetchResponse:
    assert request.item_id is not None
    spaces = [_ABSENT[request.source]] if request.source else [*Space]
    item = locate(place.snapshot, request.item_id, request.item_type, spaces)
    content = _read(place, item, request.version)
    notices: list[str] = []
    if request.version is not None and item.part.space is Space.SYSTEM:
        notices += _check_version(item, request.version)
    integrity = judge(content.data, content.digest, TrustStore(), _verify(request), content.name)
    shadows, shadowed_by = shadows_of(place.snapshot, (item.facts.type, item.facts.id), item.part.space)
    label = item.label
    response = FetchResponse(
        item_type=item.facts.type,
        item_id=item.facts.id,
        content=content.data[content.start : content.end].decode("utf-8", "replace"),
        metadata=_metadata(content.path, item.facts.fields),
        path=content.path,
        source=item.part.space.word,
        digest=hashlib.sha256(content.data).hexdigest(),
        integrity=integrity,
        package=label.partition(":")[2] or UNSET,
        shadows=shadows or UNSET,
        shadowed_by=shadowed_by or UNSET,
    )
    notices += integrity.problems
    if request.destination is not None and request.destination != item.part.space.word:
        if content.start or content.end is not None:
            raise RequestError(
                f"{item.facts.type} {item.facts.id} is a part of {content.name}: only items that are files can be copied"
            )
        notices += _copy(place, response, content.data, content.below, request)
    response.notices = notices or UNSET
    return response


def _read(place: Place, item: Located, version: str | None) -> _Content:
    """The file of an item. Raises RequestError where it cannot be read."""
    shown = item.path
    prefix, root = max(
        (pair for pair in place.roots.items() if shown.startswith(pair[0])), key=lambda pair: len(pair[0]), default=("", None)
    )
    if root is None:
        raise RequestError(f"{shown}: its package is not there any more; list what is with symindex deps")
    below = shown.removeprefix(prefix)
    start, end = _range(item)
    of_git = version is not None and item.part.space is not Space.SYSTEM
    if version is not None and of_git:
        data = file_at_revision(root, below, version, MOST_BYTES)
        return _Content(data, str(root / below), shown, 0, None, below, None)
    try:
        data = read_beneath(root, below, MOST_BYTES)
    except LargeFileError:
        raise RequestError(f"{shown}: has more than {MOST_BYTES:,} bytes, the most that is fetched") from None
    except OSError as error:
        raise RequestError(
            f"{shown}: cannot be read: {error.strerror or error}; symindex index brings the index up to date"
        ) from None
    return _Content(data, str(root / below), shown, start, end, below, item.part.index.file(item.file).digest)


def _range(item: Located) -> tuple[int, int | None]:
    """Where an item stands in its file; all of it where it is the only one that begins at the top."""
    start, end, *_ = item.part.index.places(item.row)
    first, _ = item.part.index.lines(item.row)
    size = item.part.index.file(item.file).size
    return (0, None) if (first == 0 and end >= size - 2) or (start == 0 and end == 0) else (start, end)


def _metadata(path: str, fields: dict[str, Value]) -> dict[str, Any]:
    base = os.path.basename(path)
    stem, extension = os.path.splitext(base)
    return {
        "name": stem,
        "path": path,
        "extension": extension,
        **{name: value for name, value in fields.items() if name != "path"},
    }


def _check_version(item: Located, version: str) -> list[str]:
    """Raises RequestError where the package of an item has another version."""
    installed = item.label.rpartition("@")[2]
    if version.lstrip("v") != installed.lstrip("v"):
        raise RequestError(f"{item.label} has no version {version!r}: {installed} is installed")
    return []


def _verify(request: FetchRequest) -> str:
    return request.verify or read_configuration().verify


def _copy(place: Place, response: FetchResponse, data: bytes, below: str, request: FetchRequest) -> list[str]:
    """Copies what was fetched, and says what to do next."""
    assert request.destination is not None
    home = Path(os.path.expanduser("~"))
    to = destination_of(place.types, below, response.item_type, request.destination, place.project, home)
    path = copy_item(data, to.root, to.relative, request.force)
    response.copied_to, response.destination_path = request.destination, str(path)
    hides = (
        f"it hides the one of the {response.source} space" if request.destination == "project" else "other projects find it, too"
    )
    return [f"edit {path}; {hides}"]


def _from_registry(place: Place, request: FetchRequest) -> FetchResponse:
    """The item from the first registry of the configuration that has it."""
    assert request.item_id is not None
    registries = read_configuration().registries
    if not registries:
        raise RequestError("no registry is configured: name one as [[registries]] in config.toml, with a name and a source")
    if request.item_type is None:
        raise RequestError("a registry is asked by type, too: name the item_type")
    refused: list[str] = []
    for known in registries:
        try:
            registry = open_registry(known.source, known.sha256 or None, known.allow_private)
            found = registry.read(request.item_type, request.item_id, request.version)
        except SymindexError as error:
            refused.append(f"{known.name}: {error}")
            continue
        return _fetched(place, request, known.name, known.source, found, refused)
    raise RequestError("; ".join(refused))


def _fetched(
    place: Place, request: FetchRequest, name: str, source: str, found: RegistryItem, refused: Sequence[str]
) -> FetchResponse:
    entry = found.entry
    shown = entry.path or entry.url
    integrity = judge(found.data, None, TrustStore(), _verify(request), shown)
    response = FetchResponse(
        item_type=entry.type,
        item_id=entry.id,
        content=found.data.decode("utf-8", "replace"),
        metadata=_metadata(shown, {"version": entry.version, "title": entry.title, "description": entry.description}),
        path=f"{source.rstrip('/')}/{entry.path}" if entry.path else entry.url,
        source="registry",
        digest=hashlib.sha256(found.data).hexdigest(),
        integrity=integrity,
        package=name,
    )
    notices = [*refused, *integrity.problems]
    if request.destination is not None:
        row = next((row for row in place.types.rows_of(entry.type) if row.user_folder), None)
        if row is None:
            raise RequestError(f"items of type {entry.type} have no place of their own in a space")
        extension = os.path.splitext(shown)[1]
        below = f"{row.user_folder.removeprefix('~/').rstrip('/')}/{entry.id}{extension}"
        notices += _copy(place, response, found.data, below, request)
    response.notices = notices or UNSET
    return response
