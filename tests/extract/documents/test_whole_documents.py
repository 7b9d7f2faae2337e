"""Every field of what the readers of documents return, for texts in `whole_documents.txt`.

A case there is a text, with `\\t`, `\\r` and `\\\\` as escapes, and below a line of dashes its
document: the opening, then for each section its level and title, its range in bytes, the part of
the file that is its title, its heading, and its text.
"""

from pathlib import Path

import pytest

from symindex.extract.documents.readers import read_document

PAGE = Path(__file__).with_name("whole_documents.txt")


def unescaped(text: str) -> str:
    parts = text.split("\\\\")
    return "\\".join(part.replace("\\t", "\t").replace("\\r", "\r") for part in parts)


def written_document(reader: str, data: bytes) -> str:
    document = read_document(reader, data)
    lines = [f"opening: {document.opening!r}"]
    for section in document.sections:
        title = data[section.title_start : section.title_end].decode()
        lines.append(
            f"{section.level} {section.title}"
            f" | {section.start_byte}-{section.end_byte} {section.title_start} {title!r}"
            f" | {section.heading!r} | {section.text!r}"
        )
    return "\n".join(lines)


def cases() -> list[tuple[str, str, str]]:
    pieces = PAGE.read_text("utf-8").split("######## ")[1:]
    return [
        (head, *rest.rstrip("\n").split("\n--------\n", 1))  # type: ignore[misc]
        for head, _, rest in (piece.partition("\n") for piece in pieces)
    ]


@pytest.mark.parametrize(("name", "text", "document"), cases(), ids=lambda text: text[:40])
def test_a_document_is_read_whole(name: str, text: str, document: str) -> None:
    assert written_document(name.partition(":")[0], unescaped(text).encode()) == document


FRONT = b"---\ntitle: {x}\n---\n# a\n\n[b]: c\n== d\n<h1>e</h1>\n* f\n\n"


@pytest.mark.parametrize(("name", "text", "document"), cases(), ids=lambda text: text[:40])
def test_a_document_behind_front_matter_is_read_as_if_alone(
    name: str, text: str, document: str
) -> None:
    """Its places are those of the file."""
    reader, data = name.partition(":")[0], unescaped(text).encode()
    alone, behind = read_document(reader, data), read_document(reader, FRONT + data, len(FRONT))
    assert behind.opening == alone.opening
    assert behind.sections == [
        section._replace(**{field: getattr(section, field) + len(FRONT) for field in PLACES})
        for section in alone.sections
    ]


PLACES = ("start_byte", "end_byte", "title_start", "title_end")
