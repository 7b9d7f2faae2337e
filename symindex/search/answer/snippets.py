"""The snippet of a hit: of a section or an item a piece of its text around what was looked for, of
a symbol the beginning of its doc.

It is cut here, where the row is known; whoever answers gives the texts (`search/answer/contents`).
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from symindex.extract.items.item import BOUNDARY
from symindex.index.snapshot import Part
from symindex.protocol.kinds import KIND_OF_CODE, SymbolKind
from symindex.protocol.search import SearchItem
from symindex.text.snippets import Run, cut_snippet

if TYPE_CHECKING:
    from symindex.search.answer.contents import Contents

_DESCRIBED: Final = (SymbolKind.SECTION, SymbolKind.ITEM)


def add_snippet(
    item: SearchItem, part: Part, row: int, runs: Sequence[Run], contents: "Contents | None"
) -> None:
    """Adds its snippet to the item of a row. runs: what is looked for. Where there is no text, it
    is the doc."""
    text = ""
    index = part.index
    if contents is not None and KIND_OF_CODE[index.kind_code(row)] in _DESCRIBED:
        found = contents.to_show(part, index.file_at(row))
        if found is not None:
            text = found.of_row(index, row).replace(BOUNDARY, "")
            if found.is_changed:
                item.changed = True
    item.snippet = cut_snippet(text or index.doc(row), runs)
