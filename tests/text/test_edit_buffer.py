"""The edit buffer and the range of a difference, compared with slow and simple references."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from symindex.text.editing.difference import differing, point_at
from symindex.text.editing.edit_buffer import (
    Buffer,
    Encoding,
    Place,
    count_units,
    encode,
    find_byte,
)

ENCODINGS: tuple[Encoding, ...] = ("utf-8", "utf-16", "utf-32")
TEXTS = st.text(st.sampled_from("ab\n\ré字🎉"), max_size=12)
PLACES = st.tuples(st.integers(-1, 6), st.integers(-1, 8))


def width(character: str, encoding: Encoding) -> int:
    if encoding == "utf-8":
        return len(character.encode())
    return 2 if encoding == "utf-16" and character > "\uffff" else 1


def offset_of(text: str, place: Place, encoding: Encoding) -> int:
    """Returns the offset of a place in a text, by walking over its lines and their characters."""
    starts = [0, *(match.end() for match in re.finditer(r"\r\n|\r|\n", text))]
    line, column = max(place[0], 0), max(place[1], 0)
    if line >= len(starts):
        return len(text)
    offset = starts[line]
    while offset < len(text) and text[offset] not in "\r\n":
        column -= width(text[offset], encoding)
        if column < 0:
            break
        offset += 1
    return offset


@example("a", "", (0, 0), (-1, 1), "utf-8")
@given(TEXTS, TEXTS, PLACES, PLACES, st.sampled_from(ENCODINGS))
def test_a_replacement_is_that_of_plain_text(
    old: str, new: str, start: Place, end: Place, encoding: Encoding
) -> None:
    buffer = Buffer(old.encode(), encoding)
    buffer.replace(start, end, new.encode())
    low, high = sorted(offset_of(old, place, encoding) for place in (start, end))
    expected = old[:low] + new + old[high:]
    assert buffer.data == expected.encode()
    lines = expected.encode().splitlines(keepends=True)
    assert [buffer.line(n) for n in range(-1, len(lines) + 1)] == [
        b"", *(line.rstrip(b"\r\n") for line in lines), b"",
    ]  # fmt: skip
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    assert [buffer.line_start(n) for n in range(len(starts) + 1)] == [*starts, starts[-1]]


@given(TEXTS, st.sampled_from(ENCODINGS))
def test_the_place_of_an_offset_leads_back_to_it(text: str, encoding: Encoding) -> None:
    buffer = Buffer(text.encode(), encoding)
    bytes_before = [len(text[:offset].encode()) for offset in range(len(text) + 1)]
    for offset, place in enumerate(buffer.places(bytes_before)):
        # The end of a line is inside of it; a place after it means the beginning of its end.
        reached = offset_of(text, place, encoding)
        assert reached == offset or text[reached:offset] in ("\r", "\n", "\r\n")
        line_start = len(text[:reached].encode()) - buffer.byte_in_line(place)
        assert line_start == buffer.line_start(place[0])


def test_a_whole_text_is_replaced_without_places() -> None:
    for start, end in ((None, None), (None, (0, 1)), ((0, 1), None)):
        buffer = Buffer(b"a\nb", "utf-8")
        assert buffer.line_start(1) == 2
        buffer.replace(start, end, b"xyz\nc\n")
        assert buffer.data == b"xyz\nc\n" and buffer.line_start(1) == 4


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_half_a_surrogate_pair_is_one_character(encoding: Encoding) -> None:
    line = encode("a\ud83dé")
    assert len(line) == 6
    assert count_units(line, encoding) == (6 if encoding == "utf-8" else 3)
    if encoding != "utf-8":
        assert [find_byte(line, units, encoding) for units in range(5)] == [0, 1, 4, 6, 6]


def test_bytes_that_are_no_utf8_are_counted() -> None:
    assert count_units(b"a\xffb", "utf-16") == 3
    assert count_units("🎉\n".encode() + b"\xff", "utf-16") == 4
    assert count_units("🎉".encode() + b"\xff", "utf-32") == 2
    assert count_units("\uffff".encode(), "utf-16") == 1


def test_a_column_inside_a_character_means_its_beginning() -> None:
    line = "é🎉x".encode()
    assert [find_byte(line, n, "utf-8") for n in range(9)] == [0, 0, 2, 2, 2, 2, 6, 7, 7]
    assert [find_byte(line, n, "utf-16") for n in range(6)] == [0, 2, 2, 6, 7, 7]
    assert [find_byte(line, n, "utf-32") for n in range(5)] == [0, 2, 6, 7, 7]
    assert find_byte(b"ab", 9, "utf-16") == 2


SMALL = st.binary(max_size=8).map(lambda data: bytes(byte % 3 + 97 for byte in data))


@given(SMALL, SMALL)
def test_texts_differ_only_in_the_range(old: bytes, new: bytes) -> None:
    start, old_end, new_end = differing(old, new)
    assert 0 <= start <= min(old_end, new_end)
    assert old[:start] == new[:start] and old[old_end:] == new[new_end:]
    # It could not be smaller at either end.
    if start < min(old_end, new_end):
        assert old[start] != new[start] and old[old_end - 1] != new[new_end - 1]
    elif old == new:
        assert start == old_end == new_end == len(old)


@given(st.text(st.sampled_from("ab\n"), max_size=9))
def test_the_point_of_an_offset(text: str) -> None:
    data = text.encode()
    for offset in range(len(data) + 1):
        *before, line = data[:offset].split(b"\n")
        assert point_at(data, offset) == (len(before), len(line))


@pytest.mark.parametrize("n_lines", [2, 300])
def test_text_is_added_at_the_end_of_few_and_many_lines(n_lines: int) -> None:
    buffer = Buffer(b"x\n" * n_lines, "utf-8")
    buffer.replace((n_lines, 0), (n_lines, 0), b"y")
    assert buffer.data == b"x\n" * n_lines + b"y"
