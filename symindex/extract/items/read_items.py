"""Turns a file into items: the file itself, or the parts that it lists, with their metadata."""

from collections.abc import Callable, Iterator
from typing import Final

from symindex.extract.documents.document import Document
from symindex.extract.items.field_values import cut_text
from symindex.extract.items.front_matter import FrontMatter
from symindex.extract.items.item import BOUNDARY, Item, Value
from symindex.extract.items.item_type import ItemType
from symindex.extract.items.keyed_tree import FormatError
from symindex.extract.items.metadata import MetadataSource, name_fields, read_fields
from symindex.extract.items.tasks import (
    LONGEST_NAME,
    MOST_PARTS,
    ItemPart,
    just_recipes,
    keyed_tasks,
    make_targets,
)
from symindex.extract.items.versions import changelog_versions

MOST_TEXT: Final = 1_000_000
"""Most characters of a file's own text in an item."""


def read_items(
    path: str,
    data: bytes,
    item_type: ItemType,
    document: Document | None,
    front: FrontMatter | None,
) -> list[Item]:
    """Returns the items of a file, in order; the field `problem` describes a fault of their
    metadata.

    path: relative to the root of the space. data: in UTF-8. item_type: the row that claims the
    file. document: its sections, if there is a reader for it. front: its front matter, if it was
    read. Never raises, whatever the bytes.
    """
    file_id = item_type.id_of(path)
    parts, problem = _read_parts(path, data, item_type, document)
    items: list[Item] = []
    used: set[str] = set()
    has_own = _has_own_item(item_type, parts, problem)
    if has_own:
        items.append(
            _whole(MetadataSource(path, data, item_type, document, front), file_id, problem, used)
        )
    for part in parts:
        fields = dict(part.fields)
        name_fields(fields, {})
        fields = {**item_type.fields, "name": part.name, **fields}
        item_id = _unused(f"{file_id}/{part.name}", used)
        positions = part.start, part.end, part.name_start, part.name_end
        items.append(Item(item_type.type, item_id, part.name, fields, *positions, part.text))
    if problem and not has_own:  # it is about what follows the last part
        items[-1].fields["problem"] = problem
    return items


def _has_own_item(row: ItemType, parts: list[ItemPart], problem: str) -> bool:
    """Whether a file without parts is an item itself: a changelog without versions is still a
    document; a list of tasks without tasks is not, unless it cannot be read."""
    if not row.parts or row.whole:
        return True
    return not parts and (bool(problem) or "versions" in row.parts)


def _whole(source: MetadataSource, file_id: str, problem: str, used: set[str]) -> Item:
    row, document, front = source.row, source.document, source.front
    fields, fault = read_fields(source)
    stem = file_id.rpartition("/")[2] or file_id
    fields.setdefault("name", stem)
    if fault or problem:
        fields["problem"] = fault or problem
    start, end = _place_of_title(fields, document)
    kind = row.whole or row.type
    content = front.end if front is not None else 0
    return Item(
        kind,
        _unused(file_id, used),
        stem,
        fields,
        0,
        len(source.data),
        start,
        end,
        _text(source.data, content, document),
    )


def _place_of_title(fields: dict[str, Value], document: Document | None) -> tuple[int, int]:
    """Returns the range of the title, if it is that of the first heading."""
    if (
        document is None
        or not document.sections
        or fields.get("title") != document.sections[0].title.strip()
    ):
        return 0, 0
    return document.sections[0].title_start, document.sections[0].title_end


def _text(data: bytes, content: int, document: Document | None) -> str:
    if document is None:
        return cut_text(data[content : content + MOST_TEXT].decode("utf-8", "replace"), MOST_TEXT)
    sections = [f"{section.title}\n{BOUNDARY}{section.text}" for section in document.sections]
    return cut_text(f"\n{BOUNDARY}\n".join(filter(None, [document.opening, *sections])), MOST_TEXT)


def _read_parts(
    path: str, data: bytes, row: ItemType, document: Document | None
) -> tuple[list[ItemPart], str]:
    """Returns the parts that a row asks for, and a line about a file that cannot be read."""
    parts: list[ItemPart] = []
    for word in row.parts:
        name, _, argument = word.partition(":")
        try:
            read_parts = (
                keyed_tasks(path, data, argument, row.without)
                if name == "keys"
                else _READERS[name](data, document)
            )
            for part in read_parts:
                if len(parts) == MOST_PARTS:
                    return parts, f"more than {MOST_PARTS:,} parts: the first ones are kept"
                parts.append(_named(part))
        except FormatError as error:
            return parts, f"line {error.line}: {error.reason}"
    return parts, ""


def _named(part: ItemPart) -> ItemPart:
    return part._replace(name=cut_text(" ".join(part.name.split()), LONGEST_NAME))


def _versions(data: bytes, document: Document | None) -> Iterator[ItemPart]:
    return changelog_versions(data, document) if document is not None else iter(())


_READERS: Final[dict[str, Callable[[bytes, Document | None], Iterator[ItemPart]]]] = {
    "versions": _versions,
    "make": lambda data, _: make_targets(data),
    "just": lambda data, _: just_recipes(data),
}


def _unused(item_id: str, used: set[str]) -> str:
    """Returns the id, with `~2` and so on for the second and later ones of a file."""
    number = 1
    free = item_id
    while free in used:
        number += 1
        free = f"{item_id}~{number}"
    used.add(free)
    return free
