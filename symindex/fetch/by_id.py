"""Fetches an item by its id from the first space or registry that has it, and copies it to another
space if the request asks for that.

The content is read from the file as it is now. The answer says whether that is what was indexed,
and whether a trusted key has signed it.
"""

import hashlib
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

import msgspec
from msgspec import UNSET

from symindex.configuration import ConfiguredRegistry, read_configuration
from symindex.errors import NO_FOLDER, RequestError, SymindexError
from symindex.explore.missing import told_of
from symindex.extract.described import items_of
from symindex.extract.items.item import Value
from symindex.extract.items.types import ItemTypes, shipped_item_types
from symindex.extract.texts.file_text import text_of
from symindex.fetch.copying import copy_item, destination_of
from symindex.fetch.integrity import judge
from symindex.fetch.item_content import ItemFile, read_content
from symindex.fetch.locate import LocatedItem, locate
from symindex.fetch.registry import RegistryEntry, RegistryItem, open_registry
from symindex.fetch.trust import TrustStore
from symindex.files.skips import Skip, tell_unread
from symindex.index.snapshot import Snapshot, Space
from symindex.protocol.fetch import FetchFailure, FetchRequest, FetchResponse
from symindex.search.answer.universe import check_item_types
from symindex.search.names.shadows import shadows_of

_SPACES: Final = {space.word: space for space in (Space.PROJECT, Space.USER, Space.SYSTEM)}


class FetchContext(NamedTuple):
    """Everything that a fetch reads from.

    snapshot: the rows of all spaces. roots: prefix of paths -> folder. project: the root of the
    project, or `None` where none is open. types: the table of item types. notices: what the spaces
    lack. unread: files of the project that are not in its index. unread_items: one line for each
    folder of items that is left out. left_out: returns why a path of the project is not in its
    index (see `Tree.left_out`). texts: files that are not on the disk, by shown path.
    """

    snapshot: Snapshot
    roots: dict[str, Path]
    project: Path | None
    types: ItemTypes
    notices: Sequence[str] = ()
    unread: Sequence[Skip] = ()
    unread_items: Sequence[str] = ()
    left_out: Callable[[str], Skip | None] = lambda _: None
    texts: Mapping[str, bytes] = {}


def fetch_by_id(context: FetchContext, request: FetchRequest) -> FetchResponse | FetchFailure:
    """Returns the item, or the reason why there is none. request: already checked by
    `check_fetch_request`."""
    try:
        request = _with_type(context, request)
        if request.item_type is not None and request.source != Space.REGISTRY.word:
            check_item_types(context.snapshot, [request.item_type])
        return (
            _from_registry(context, request)
            if request.source == "registry"
            else _from_spaces(context, request)
        )
    except SymindexError as error:
        return FetchFailure(error=str(error), item_type=request.item_type, item_id=request.item_id)


def _with_type(context: FetchContext, request: FetchRequest) -> FetchRequest:
    """Splits the type from the id, because answers show both together, such as `tool:rye/bash`."""
    assert request.item_id is not None
    word, colon, rest = request.item_id.partition(":")
    if request.item_type is not None or not colon or word not in context.types.names:
        return request
    return msgspec.structs.replace(request, item_type=word, item_id=rest)


def _from_spaces(context: FetchContext, request: FetchRequest) -> FetchResponse:
    assert request.item_id is not None
    spaces = [_SPACES[request.source]] if request.source else [*_SPACES.values()]
    may_be_it = [skip for skip in context.unread if _may_be(skip.path, request.item_id)]
    lacking = [
        *context.notices,
        *filter(None, [tell_unread(may_be_it, "it")]),
        *_left_out(context, request.item_id),
    ]
    lacking += [unread_item for unread_item in context.unread_items if unread_item not in lacking]
    item = locate(context.snapshot, request.item_id, request.item_type, spaces, lacking)
    space, file = item.part.space, _file_of(context, item)
    revision = None
    if request.version is not None and space is Space.SYSTEM:
        _check_version(item, request.version)
    elif request.version is not None:
        revision = request.version
    types = context.types if space is Space.PROJECT else shipped_item_types()
    content = read_content(file, item, types, revision)
    integrity = judge(
        content.data,
        item.part.index.file(item.file).digest if revision is None else None,
        TrustStore(),
        _verify(request),
        file.shown,
    )
    shadows, shadowed_by = shadows_of(context.snapshot, (item.facts.type, item.facts.id), space)
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
    notices = [*context.notices, *integrity.problems]
    if request.destination == space.word:
        notices.append(f"not copied: it is in the {space.word} space already")
    elif request.destination is not None:
        if content.is_part:
            unread_item = f"{item.facts.type} {item.facts.id} is a part of {file.shown}"
            raise RequestError(f"{unread_item}: only items that are files can be copied")
        notices += _copy(context, response, content.data, file.below, request)
    response.notices = notices or UNSET
    return response


def _may_be(path: str, item_id: str) -> bool:
    """Whether an unread file may be the item with this id, or contain it: its name is a part of the
    id."""
    stems = {os.path.splitext(part)[0] for part in item_id.split("/")}
    return os.path.splitext(os.path.basename(path))[0] in stems


def _left_out(context: FetchContext, item_id: str) -> list[str]:
    """Returns the reason why a path is not in the index; nothing where the id is not a path."""
    skip = context.left_out(item_id) if "\0" not in item_id and not os.path.isabs(item_id) else None
    return [told_of(item_id, skip)] if skip is not None else []


def _file_of(context: FetchContext, item: LocatedItem) -> ItemFile:
    """Returns the file of an item. Raises RequestError if the item's space has gone."""
    prefixes = [prefix for prefix in context.roots if item.path.startswith(prefix)]
    if not prefixes:
        raise RequestError(
            f"{item.path}: its package is no longer installed; symindex deps lists those that are"
        )
    prefix = max(prefixes, key=len)
    below = item.path.removeprefix(prefix)
    return ItemFile(context.roots[prefix], below, item.path, context.texts)


def _metadata(path: str, fields: dict[str, Value]) -> dict[str, Any]:
    """Returns the fields of the contract, then those of the item, which cannot replace them."""
    stem, extension = os.path.splitext(os.path.basename(path))
    of_file = {"name": stem, "path": path, "extension": extension}
    return {**of_file, **{name: value for name, value in fields.items() if name not in of_file}}


def _check_version(item: LocatedItem, version: str) -> None:
    """Raises RequestError if the installed package of an item has another version."""
    package, _, installed = item.label.rpartition("@")
    if version.removeprefix("v") != installed.removeprefix("v"):
        raise RequestError(
            f"{package.partition(':')[2]} has no version {version!r} here: {installed} is installed"
        )


def _verify(request: FetchRequest) -> str:
    return request.verify or read_configuration().verify


def _copy(
    context: FetchContext, response: FetchResponse, data: bytes, below: str, request: FetchRequest
) -> list[str]:
    """Copies the fetched item and returns a notice about what to do next."""
    assert request.destination is not None
    if context.project is None:
        raise RequestError(f"fetch: a copy goes to the project: {NO_FOLDER}")
    home = Path(os.path.expanduser("~"))
    to = destination_of(
        context.types, below, response.item_type, request.destination, context.project, home
    )
    path = copy_item(data, to.root, to.relative, request.force)
    response.copied_to, response.destination_path = request.destination, str(path)
    if response.source == Space.REGISTRY.word:
        return [f"edit {path}; it is an item of the {request.destination} space from now on"]
    hides = Space[request.destination.upper()] < Space[response.source.upper()]
    effect = (
        f"it hides the item of the {response.source} space"
        if hides
        else "other projects find it, too"
    )
    return [f"edit {path}; {effect}"]


def _from_registry(context: FetchContext, request: FetchRequest) -> FetchResponse:
    """Returns the item from the first configured registry that has it."""
    assert request.item_id is not None
    registries = read_configuration().registries
    if not registries:
        raise RequestError(
            "no registry is configured: name one as [[registries]] in config.toml, with a name and"
            " a source"
        )
    refused: list[str] = []
    for configured in registries:
        try:
            registry = open_registry(
                configured.source, configured.sha256 or None, configured.allow_private
            )
            item = registry.read(request.item_type, request.item_id, request.version)
        except SymindexError as error:
            refused.append(f"{configured.name}: {error}")
            continue
        return _fetched(
            context, request, configured, registry.address_of(item.entry), item, refused
        )
    raise RequestError("; ".join(refused))


def _fetched(
    context: FetchContext,
    request: FetchRequest,
    configured: ConfiguredRegistry,
    address: str,
    item: RegistryItem,
    refused: Sequence[str],
) -> FetchResponse:
    entry = item.entry
    name = os.path.basename(entry.path or urlsplit(entry.url).path)
    below = _place_of_type(context.types, entry, name)
    integrity = judge(item.data, None, TrustStore(), _verify(request), name)
    text = text_of(item.data).data
    items = items_of(below, text, context.types) if below else []
    from_entry: dict[str, Value] = {
        "version": entry.version,
        "title": entry.title,
        "description": entry.description,
    }
    fields = {
        **(items[0].fields if len(items) == 1 else {}),
        **{key: value for key, value in from_entry.items() if value},
    }
    response = FetchResponse(
        item_type=entry.type,
        item_id=entry.id,
        content=text.decode("utf-8", "replace"),
        metadata={**_metadata(name, fields), "path": address},
        path=address,
        source=Space.REGISTRY.word,
        digest=hashlib.sha256(item.data).hexdigest(),
        integrity=integrity,
        package=configured.name,
    )
    notices = [*refused, *integrity.problems]
    if request.destination is not None:
        if not below:
            raise RequestError(f"items of type {entry.type} have no place of their own in a space")
        notices += _copy(context, response, item.data, below, request)
    response.notices = notices or UNSET
    return response


def _place_of_type(types: ItemTypes, entry: RegistryEntry, name: str) -> str:
    """Returns where an item of a registry would be in the user's space, or an empty text if its
    type has no folder there. name: the name of its file."""
    rows = [row for row in types.rows_of(entry.type) if row.user_folder]
    extension = os.path.splitext(name)[1]
    row = next(
        (row for row in rows if extension in row.extensions or name.lower() in row.names), None
    )
    if row is None:
        return ""
    below = f"{entry.id}/{name}" if row.id == "folder" else f"{entry.id}{extension}"
    return f"{row.user_folder.removeprefix('~/').rstrip('/')}/{below}"
