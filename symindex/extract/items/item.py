"""An item: a described file, or a described part of one, with its type and its metadata."""

from typing import Final, TypeAlias

import msgspec

Value: TypeAlias = str | int | float | bool | list[str | int | float | bool]
"""The value of a metadata field. Dates are texts in ISO form; nested values have names joined by
dots (`author.name`)."""

BOUNDARY: Final = "\f"
"""Separates texts of an item that are not continuous: after titles and between sections. No phrase
matches across it."""


WEIGHTS: Final = {"title": 3.0, "name": 3.0, "description": 2.0, "category": 1.5, "content": 1.0}
"""Weight of a word in each field of an item, unless the row of its type says otherwise."""


class ItemFacts(msgspec.Struct, frozen=True, array_like=True):
    """What an index stores about an item beyond the columns of every row. weights: those of its
    type, where they differ from WEIGHTS. The other fields are those of Item."""

    type: str
    id: str
    fields: dict[str, Value]
    weights: dict[str, float] = {}


class Item(msgspec.Struct, frozen=True, array_like=True):
    """One item.

    type: a name from the table of types. id: unique among the items of its type in a space;
    contains slashes but no extension. name: the last part of the id. fields: its metadata,
    including `title`, `description`, `category`, `version`, `author`, `status` and `date` if they
    are known; `problem` describes a fault of the metadata. start_byte, end_byte: the range of the
    item. name_start, name_end: the range of its name or title in the file; empty if the file does
    not contain it. text: its plain text, with BOUNDARY in it.
    """

    type: str
    id: str
    name: str
    fields: dict[str, Value]
    start_byte: int
    end_byte: int
    name_start: int
    name_end: int
    text: str
