"""The contract of fetch, as rye_fetch has it: what is asked, and what is answered.

There are two ways to ask: by an id, for the content of one item, or by a query, for a list as of a
search. What symindex adds is optional.
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
    """Args: item_id: the id of an item, or its path. item_type: its type, where several have this
    id. source: by id, where to look: `project`, `user`, `system`, `registry`; default: the first
    three, in this order. By query
        also `local` (these three) and `all` (the default): these and the registries of the user's
        configuration.
    destination: `project` or `user`: copies the item there. force: replaces what is there. version:
    of a package, of an item in a registry, or a git revision of a file of the project. verify:
    `off`, `warn`, `intact` or `require`; default: as the user's configuration has it, else
    `intact`. query, scope, limit, offset, sort_by, fields, filters, fuzzy, proximity: as of a
    search.
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
    """The field `integrity` of an answer.

    indexed: whether the bytes are those that the index has read. signature: what its signature is
    worth; `unchecked` where nobody asked, or nothing is installed to check with. key: the
    fingerprint of the key that the signature names. key_name: the user's name for it. signed_at:
    when, if the signature is valid. binds: what a valid signature vouches for: the content, not the
    id or the type under which it was found. binding: a sentence that says so. problems: what is
    wrong, a line each, with the command that mends it.
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
    """An item. content: its text. metadata: its `name`, `path`, `extension` and all its fields.
    path: on the disk, absolute; the address for one of a registry. source: the space, and the
    package. digest: SHA-256 of the bytes, as hexadecimal digits. copied_to, destination_path: where
    it was copied. notices: what to do next, and what to know."""

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
    """What is answered where nothing could be fetched. error: one line: what is wrong, and what
    would be right."""

    status: Literal["error"] = "error"
    error: str
    item_type: str | None
    item_id: str | None
