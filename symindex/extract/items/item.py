"""An item: a described file, or a described part of one, with its type and its metadata."""

from typing import Final, TypeAlias

import msgspec

Value: TypeAlias = str | int | float | bool | list[str | int | float | bool]
"""Of a field of metadata. Dates are texts in ISO form; what is nested stands under names joined by
dots (`author.name`)."""

BOUNDARY: Final = "\f"
"""Stands in the text of an item where what follows is no continuation: behind titles and between
sections. No phrase goes on there."""


WEIGHTS: Final = {"title": 3.0, "name": 3.0, "description": 2.0, "category": 1.5, "content": 1.0}
"""What a word counts in each field of an item, where the row of its type says nothing else."""


class ItemFacts(msgspec.Struct, frozen=True, array_like=True):
    """What an index knows of an item beside what every row has. weights: of its type, where they
    differ from WEIGHTS; the other fields are those of Item."""

    type: str
    id: str
    fields: dict[str, Value]
    weights: dict[str, float] = {}


class Item(msgspec.Struct, frozen=True, array_like=True):
    """type: a name of the table of types. id: unique among the items of its type in a space, with
    slashes and no extension. name: the last part of the id. fields: its metadata, among these
    `title`, `description`, `category`, `version`, `author`, `status` and `date` where they are
    known; a problem with the metadata stands in `problem`. start_byte, end_byte: of the whole item.
    name_start, name_end: of the name or the title where it stands in the file; equal where it does
    not. text: its plain text, with BOUNDARY in it.
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
