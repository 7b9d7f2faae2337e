"""Which files a walk has to take for their items alone: those that no language and no document's
format claims."""

from collections.abc import Iterator

from symindex.extract.documents.formats import Formats
from symindex.extract.items.item_type import ItemType
from symindex.extract.items.types import ItemTypes


def item_globs(types: ItemTypes, formats: Formats) -> tuple[str, ...]:
    """Globs of the paths of all such files of a table, and few others."""
    return tuple(dict.fromkeys(glob for row in types.rows for glob in _of_row(row, formats)))


def _of_row(row: ItemType, formats: Formats) -> Iterator[str]:
    endings = [
        each
        for each in row.extensions
        if each[each.rindex(".") :] not in formats.document_extensions
    ]
    for folder in row.folders or ("",):
        top = folder.removesuffix("/**").strip("/")
        for name in row.names:
            # A walk takes every file without an extension anyway, and the names of documents.
            if "." in name[1:] and name[name.rindex(".") :] not in formats.document_extensions:
                yield f"{top}/**/{name}" if top else name
        for extension in endings:
            for stem in row.stems or ("*",):
                yield f"{top}/**/{stem}{extension}" if top else f"{stem}{extension}"
