"""Reads the content of an item from its file: as the file is now, or as it was at a git revision,
which is read from the repository and not checked out."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from symindex.errors import RequestError
from symindex.explore.git_objects import check_revision, open_repository
from symindex.extract.described import items_of
from symindex.extract.items.item import Value
from symindex.extract.items.types import ItemTypes
from symindex.extract.texts.file_text import text_of
from symindex.fetch.locate import LocatedItem
from symindex.files.access.beneath import read_beneath
from symindex.files.access.regular import LargeFileError
from symindex.files.walk import MAX_FILE_BYTES

MOST_BYTES: Final = 2_000_000
"""Largest file that is fetched, in bytes."""


class ItemFile(NamedTuple):
    """The file of an item.

    root: the folder of its space. below: its path relative to the root. shown: its path as answers
    name it. texts: files that are not on the disk, by shown path.
    """

    root: Path
    below: str
    shown: str
    texts: Mapping[str, bytes] = {}

    @property
    def path(self) -> str:
        """The path on the disk; for a file that is not there, as answers name it."""
        return self.shown if self.shown in self.texts else str(self.root / self.below)


class ItemContent(NamedTuple):
    """The content of an item.

    data: all bytes of the file. text: the text of the item. fields: its metadata. is_part: whether
    the item is only a part of the file.
    """

    data: bytes
    text: str
    fields: dict[str, Value]
    is_part: bool


def read_content(
    file: ItemFile, item: LocatedItem, types: ItemTypes, revision: str | None
) -> ItemContent:
    """Reads an item from its file, now or at a revision.

    The item's place and metadata in the index are valid only for the same bytes; a file that
    differs is parsed again. Raises RequestError where the item cannot be read.
    """
    data = (
        _read_file(file)
        if revision is None
        else file_at_revision(file.root, file.below, revision, MOST_BYTES)
    )
    text = text_of(data)
    fields, (start, end) = item.facts.fields, item.place
    if text.digest != item.part.index.file(item.file).digest:
        key = (item.facts.type, item.facts.id)
        items = items_of(file.below, text.data, types)
        current = next((item for item in items if (item.type, item.id) == key), None)
        if current is None:
            when = (
                f"at version {revision!r}"
                if revision is not None
                else "any more; symindex index updates the index"
            )
            raise RequestError(f"{item.facts.type} {item.facts.id} is not in {file.shown} {when}")
        fields, (start, end) = current.fields, (current.start_byte, current.end_byte)
    is_part = start > 0 or end < len(text.data)
    content = text.data[start:end] if is_part else text.data
    return ItemContent(data, content.decode("utf-8", "replace"), fields, is_part)


def _read_file(file: ItemFile) -> bytes:
    try:
        data = file.texts.get(file.shown)
        return data if data is not None else read_beneath(file.root, file.below, MOST_BYTES)
    except LargeFileError:
        raise RequestError(
            f"{file.shown}: has more than {MOST_BYTES:,} bytes, the most that is fetched"
        ) from None
    except OSError as error:
        remedy = "symindex index updates the index"
        raise RequestError(
            f"{file.shown}: cannot be read: {error.strerror or error}; {remedy}"
        ) from None


def file_at_revision(
    root: Path, path: str, revision: str, most_bytes: int = MAX_FILE_BYTES
) -> bytes:
    """Returns the bytes of a file at a revision.

    root: a folder anywhere in the repository. path: the file, relative to the root. revision: a
    tag, a branch, a hash, or any other name that git resolves to a commit (`HEAD~3`). Raises
    RequestError where the path or the revision does not exist; the message lists tags that do.
    """
    check_revision(revision)
    if not {"", ".", ".."}.isdisjoint(path.split("/")) or "\0" in path:
        raise RequestError(
            f"{path!r} is not a path below {root}: expected a path such as src/main.py"
        )
    repository, above = open_repository(root)
    return repository.read(above + path, repository.commit(revision), revision, most_bytes)
