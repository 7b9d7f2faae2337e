"""The request and response of fetch, which follow rye_fetch.

A request names an id, for the content of one item, or a query, for a list as in a search. Fields
that symindex adds are optional.
"""

from typing import Any, Final, Literal

import msgspec
from msgspec import UNSET, UnsetType

SOURCES: Final = ("project", "user", "system", "registry")
QUERY_SOURCES: Final = ("project", "user", "system", "local", "registry", "all")
DESTINATIONS: Final = ("project", "user")

DEFAULT_LIMIT: Final = 10

VERIFY: Final = ("off", "warn", "intact", "require")

Indexed = Literal["same", "changed", "unknown"]
State = Literal["valid", "missing", "changed", "unknown key", "bad signature"]


class FetchRequest(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Asks for the content of one item by its id, or for a list of items by a query.

    Args:
        item_id: the id of an item, or its path.
        item_type: the type of the item, if several items have this id.
        source: where to look. For an id: `project`, `user`, `system` or `registry`; by default the
            first three, in this order. For a query also `local` (these three) and `all` (the
            default): these and the registries of the user's configuration.
        destination: `project` or `user`: copies the item there.
        force: whether the copy may replace an existing file.
        version: the version of a package or of an item in a registry, or a git revision of a file
            of the project.
        verify: `off`, `warn`, `intact` or `require`; by default the value of the user's
            configuration, or else `intact`.
        query, scope, limit, offset, sort_by, fields, filters, fuzzy, proximity: see SearchRequest.
    """

    item_id: str | None = None
    item_type: str | None = None
    source: str | None = None
    destination: str | None = None
    force: bool = False
    version: str | None = None
    verify: str | None = None
    query: str | None = None
    scope: str | list[str] | None = None
    limit: int | None = DEFAULT_LIMIT
    offset: int = 0
    sort_by: str | None = None
    fields: dict[str, Any] | None = None
    filters: dict[str, Any] | None = None
    fuzzy: bool | dict[str, Any] | None = None
    proximity: dict[str, Any] | None = None


class Integrity(msgspec.Struct, frozen=True, omit_defaults=True):
    """The field `integrity` of a response.

    indexed: whether the bytes are those that were indexed. signature: the result of checking its
    signature; `unchecked` if that was not requested or the library for it is missing. key: the
    fingerprint of the key that the signature names. key_name: the user's name for the key.
    signed_at: the time of a valid signature. binds: the parts that a valid signature vouches for:
    the content, not the id or type under which the item was found. binding: a sentence that says
    so. problems: one line for each problem, with the command that repairs it.
    """

    indexed: Indexed
    signature: State | Literal["unchecked"]
    key: str = ""
    key_name: str = ""
    signed_at: str = ""
    binds: Literal["", "content"] = ""
    binding: str = ""
    problems: list[str] = []


class FetchResponse(msgspec.Struct, kw_only=True):
    """A fetched item.

    content: its text. metadata: its `name`, `path` and `extension`, and all its fields. path: the
    absolute path, or the address of an item in a registry. source: its space, and the package.
    digest: the SHA-256 of the bytes in hexadecimal digits. copied_to, destination_path: where it
    was copied. notices: the next steps, and facts that a reader needs.
    """

    item_type: str
    item_id: str
    content: str
    metadata: dict[str, Any]
    path: str
    source: str
    digest: str
    integrity: Integrity
    status: Literal["success"] = "success"
    package: str | UnsetType = UNSET
    shadows: list[dict[str, str]] | UnsetType = UNSET
    shadowed_by: str | UnsetType = UNSET
    copied_to: str | UnsetType = UNSET
    destination_path: str | UnsetType = UNSET
    notices: list[str] | UnsetType = UNSET


class FetchFailure(msgspec.Struct, kw_only=True):
    """The response if nothing could be fetched. error: one line that says why, and what a correct
    request looks like."""

    status: Literal["error"] = "error"
    error: str
    item_type: str | None
    item_id: str | None
