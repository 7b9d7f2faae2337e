"""Which files a walk has to take for their items alone: those that no language and no document's format claims."""

from collections.abc import Iterator

from symindex.extract.documents.formats import Formats
from symindex.extract.items.item_type import ItemType
from symindex.extract.items.types import ItemTypes


def item_globs(types: ItemTypes, formats: Formats) -> tuple[str, ...]:
    """Globs of the paths of all such files of a table, and few others."""
    return tuple(dict.fromkeys(glob for row in types.rows for glob in _of_row(row, formats)))


def _of_row(row: ItemType, formats: Formats) -> Iterator[str]:
    for folder in row.folders or ("",):
        top = folder.removesuffix("/**").strip("/")
        for name in row.names:
            # Names ignore case; two spellings are what people write.
            for spelt in dict.fromkeys((name, name.capitalize())):
                yield f"{top}/**/{spelt}" if top else spelt
        for extension in row.extensions:
            if extension not in formats.document_extensions and (top or row.stems or extension.count(".") > 1):
                stems = row.stems or ("*",)
                for stem in stems:
                    yield f"{top}/**/{stem}{extension}" if top else f"{stem}{extension}"
