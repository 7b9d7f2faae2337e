"""Every field of what the readers of items return, for texts in `whole_items.txt`.

A case there is a text, with `\\t`, `\\r` and `\\\\` as escapes, and below a line of dashes what is
read of it. `tree NAME`: keys with their places, or why the text is refused. `front`: the front
matter. `item PATH`: the items, each with its place, that of its name, its fields and its text.
"""

from pathlib import Path

import pytest

from symindex.extract.documents.formats import load_formats
from symindex.extract.documents.readers import read_document
from symindex.extract.items.front_matter import read_front_matter
from symindex.extract.items.keyed_tree import FormatError, Mapping, Tree
from symindex.extract.items.read_items import read_items
from symindex.extract.items.structured import read_structured
from symindex.extract.items.types import shipped_item_types
from tests.extract.documents.test_whole_documents import unescaped

PAGE = Path(__file__).with_name("whole_items.txt")


def shown(tree: Tree) -> str:
    if isinstance(tree, list):
        return f"[{', '.join(map(shown, tree))}]"
    if not isinstance(tree, Mapping):
        return repr(tree)
    entries = (
        f"{entry.key!r}@{entry.key_start}-{entry.key_end}-{entry.end} {shown(entry.value)}"
        for entry in tree.entries
    )
    return f"{{{', '.join(entries)}}}"


def read(kind: str, text: str) -> str:
    data = text.encode()
    if kind == "front":
        front = read_front_matter(data)
        return (
            f"{front.start}-{front.end} {front.fields} authors: {front.authors!r}"
            f" problem: {front.problem!r}"
        )
    sort, _, path = kind.partition(" ")
    if sort == "tree":
        try:
            return shown(read_structured(path, data))
        except FormatError as error:
            return f"line {error.line}: {error.reason}"
    row = shipped_item_types().match(path)
    assert row is not None
    front = read_front_matter(data)
    format_id = load_formats().of(path.rpartition("/")[2])
    reader = load_formats().by_id[format_id].reader if format_id else ""
    document = read_document(reader, data, front.end) if reader else None
    return "\n".join(
        f"{item.type} {item.id} {item.name} {item.start_byte}-{item.end_byte}"
        f" {data[item.name_start : item.name_end].decode()!r} {item.fields} {item.text!r}"
        for item in read_items(path, data, row, document, front)
    )


def cases() -> list[tuple[str, str, str]]:
    pieces = PAGE.read_text("utf-8").split("######## ")[1:]
    return [
        (kind, *rest.removesuffix("\n").split("\n--------\n", 1))  # type: ignore[misc]
        for kind, _, rest in (piece.partition("\n") for piece in pieces)
    ]


@pytest.mark.parametrize(("kind", "text", "expected"), cases(), ids=lambda text: text[:30])
def test_everything_is_read_of_a_text(kind: str, text: str, expected: str) -> None:
    assert read(kind, unescaped(text)) == expected
