"""Any document gives sections within bounds, without an exception and in limited time."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symindex.extract.documents.nesting import (
    MOST_LEVELS,
    MOST_SECTIONS,
    TITLE_CHARACTERS,
    heading_paths,
)
from symindex.extract.documents.readers import READERS, read_document

PIECES = [
    *(bytes([sign]) for sign in b"<>\"'[]()*_`|#=-\\,\t\r\n\0"), b"# a\n", b"==\n", b"a\n", b"\n\n", b"```", b"<h1>", b"</h1>",
    b"<!--", b"-->",
    b"](", b"- ", b"> ", b"    ", b"\xff", b"\xc3", b"::\n\n", b".. x::\n", b'{"cells":[',
    b'{"cell_type":"markdown",', b'"source":["',
    b'# \\u00e9\\ud83d"', b"]}", b"* a\n", b"== a\n", b"<script>", b"<title>", b"&amp;", b"\xe2\x80\xa8", b"   ",
]  # fmt: skip


@pytest.mark.sample(2)
@pytest.mark.parametrize("reader", READERS)
@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.sampled_from(PIECES) | st.binary(max_size=5), max_size=30).map(b"".join),
    st.integers(0, 40),
)
def test_any_bytes(reader: str, data: bytes, start: int) -> None:
    start = min(start, len(data))
    document = read_document(reader, data, start)
    behind = start
    for section in document.sections:
        assert section.title == " ".join(section.title.split())
        assert 0 < len(section.title) <= TITLE_CHARACTERS
        assert len(section.heading) <= TITLE_CHARACTERS
        assert "\n" not in section.heading
        assert (
            behind
            <= section.start_byte
            <= section.title_start
            <= section.title_end
            <= section.end_byte
            <= len(data)
        )
        behind = section.start_byte
    assert len(heading_paths(document.sections)) == len(document.sections)


ATTACKS = [
    "[", "<", "`", "#", "*", "_", "![", "[[", "<!--", "<!a", "<?", '<a b="', "<a ", "<h1>", "<h1 ", "> ", "- ", "- - ",
    "```\n", "|",
    "a\n===\n", "[a]: b\n", "\t", "\n", "<div>\n\n", "&", "\\", "](", "::\n\n", "=====\nA\n=====\n", "A\n=\n", ":a:`",
    "{", "</h1>", "'",
    '{"cells":[', "* a\n", "** a\n", "== a\n", "<script>", "<title>", "<h2>a", "<!", "</",
]  # fmt: skip


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("reader", READERS)
def test_attacks_take_linear_time(reader: str) -> None:
    """60 kB of each attack, alone, after the start of a title, and in short lines: linear time
    would be far below a tenth of a second."""
    for piece in ATTACKS:
        for text in (
            piece * (60_000 // len(piece)),
            "# " + piece * (60_000 // len(piece)),
            ("# " + piece * 100 + "\n") * 150,
        ):
            data = text.encode()[:100_000]
            begin = time.process_time()
            read_document(reader, data)
            assert time.process_time() - begin < 0.5, (piece, text[:20])


def test_a_file_has_a_limit_of_sections_and_levels() -> None:
    document = read_document(
        "org",
        b"".join(b"*" * (number % 3000 + 1) + b" a\n" for number in range(MOST_SECTIONS + 1000)),
    )
    assert len(document.sections) == MOST_SECTIONS
    assert max(section.level for section in document.sections) == MOST_LEVELS
    assert max(map(len, heading_paths(document.sections))) < MOST_LEVELS
    for reader, text in (
        ("markdown", b"# a\n"),
        ("html", b"<h2>a"),
        ("asciidoc", b"= a\n"),
        ("restructured", b"a\n=\n\n"),
    ):
        assert len(read_document(reader, text * (MOST_SECTIONS + 1)).sections) == MOST_SECTIONS
