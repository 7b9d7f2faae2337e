"""The text of a file: encodings at the bounds of what is judged, repairs and the way back, folded
headers, lines, conflicts, comments."""

import codecs
import itertools
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symindex.extract.languages.registry import load_languages
from symindex.extract.texts.comment_text import comment_text_of
from symindex.extract.texts.conflicts import find_conflicts, hide_markers
from symindex.extract.texts.encodings import (
    Decoded,
    declared_encoding,
    decode_legacy,
    decode_shifted,
    is_mostly_utf8,
    untrue_of_utf8,
    wide_without_mark,
)
from symindex.extract.texts.encodings import (
    _has_kana as has_kana,
)
from symindex.extract.texts.encodings import (
    _is_latin as is_latin,
)
from symindex.extract.texts.encodings import (
    _is_of_macintosh as is_of_macintosh,
)
from symindex.extract.texts.encodings import (
    _pieces as pieces_of,
)
from symindex.extract.texts.encodings import (
    _torn_in as torn_in,
)
from symindex.extract.texts.file_text import digest_of, text_of, to_utf8
from symindex.extract.texts.line_numbers import add_lines, find_non_ascii, mark_behind_non_ascii
from symindex.extract.texts.minified import is_minified
from symindex.extract.texts.repaired_text import Edit, RepairedText
from symindex.extract.texts.source_text import (
    SourceText,
    as_utf8,
    close_brackets,
    fold_header,
    trim_end,
    unescape,
    with_ascii_letters,
    with_line_feeds,
)
from symindex.protocol.kinds import SymbolFlag

# Which encoding a file declares.


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (b"# coding: latin-1\n", "latin-1"),
        (b"\n# -*- coding=koi8-r -*-\n", "koi8-r"),
        (b"\r# coding: a1\r\n", "a1"),
        (b"\n\n# coding: latin-1\n", ""),
        (b"coding: latin-1\n", ""),
        (b'"coding: latin-1"\n', ""),
        (b"# coding: l\n", ""),
        (b"# coding: " + b"l" * 40 + b"\n", "l" * 40),
        (b"# coding: " + b"l" * 41 + b"\n", "l" * 40),
        (b"#" + b" " * 300 + b"coding: ab\n", "ab"),
        (b"#" + b" " * 301 + b"coding: ab\n", ""),
        (b"<?xml version='1.0' encoding = 'ab'?>", "ab"),
        (b" <?xml" + b" " * 200 + b"encoding='ab'?>", "ab"),
        (b" <?xml" + b" " * 201 + b"encoding='ab'?>", ""),
        (b"x<?xml encoding='ab'?>", ""),
        (b'@charset "ab";', "ab"),
        (b' @charset "ab";', ""),
        (b"<META a=b charset=ab>", "ab"),
        (b"\\usepackage[ab]{inputenc}", "ab"),
        (b"% !TeX encoding = ab", "ab"),
        (b"x\n" * 10 + b"# vim: set fileencoding=ab :\n", "ab"),
        (b"# vi: fenc=ab\n", "ab"),
        (b"\n" * 4_096 + b"# vim: fenc=ab\n" + b"\n" * 985, "ab"),
        (b"\n" * 4_096 + b"# vim: fenc=ab\n" + b"\n" * 990, ""),
        (b"\n" * 5_000 + b"Local Variables:\n coding: ab\n", "ab"),
        (b"\n" * 4_000 + b"# vim: fenc=ab\n" + b"\n" * 3_000, "ab"),
        (b"\n" * 4_090 + b"# vim: fenc=ab\n" + b"\n" * 3_000, ""),
        # the first 4,096 bytes and the last 1,000
        (b"\n" * 4_084 + b"vim: fenc=ab" + b"\n" * 3_000, "ab"),
        (b"\n" * 4_085 + b"vim: fenc=ab" + b"\n" * 3_000, ""),
        (b"\n" * 5_000 + b"vim: fenc=ab" + b"\n" * 988, "ab"),
        (b"\n" * 5_000 + b"vim: fenc=ab" + b"\n" * 989, ""),
        (b"", ""),
    ],
)
def test_the_word_by_which_a_file_declares_its_encoding(data: bytes, word: str) -> None:
    assert declared_encoding(data) == word


@pytest.mark.parametrize(
    ("name", "codec"),
    [
        ("latin-1", "cp1252"),
        ("ISO-8859-1", "cp1252"),
        ("latin-1-unix", "cp1252"),
        ("windows-1251-dos", "cp1251"),
        ("koi8-r-mac", "koi8_r"),
        ("x-sjis", "cp932"),
        ("euc-kr", "cp949"),
        ("macroman", "mac_roman"),
        ("iso-8859-9", "cp1254"),
    ],
)
def test_declared_names_of_encodings(name: str, codec: str) -> None:
    head, letters = f"# coding: {name}\n".encode(), "é".encode("latin-1")
    if codec in ("cp932", "cp949"):
        letters = "가".encode("cp949") if codec == "cp949" else "値".encode("cp932")
    assert decode_legacy(head + letters)[1:] == (codec, "")


@pytest.mark.parametrize(
    "name", ["rot13", "zlib", "unicode-escape", "utf-7", "idna", "klingon", "iso8859-12"]
)
def test_a_file_may_not_choose_any_codec_of_python(name: str) -> None:
    decoded = decode_legacy(f"# coding: {name}\n# caf\xe9\n".encode("latin-1"))
    assert decoded == Decoded(f"# coding: {name}\n# café\n", "cp1252", name)


def test_a_declaration_that_is_not_true_is_named() -> None:
    text = "# coding: euc-jp\n# " + "größer als der nächste Wert, " * 5
    decoded = decode_legacy(text.encode("cp1252"))
    assert decoded == Decoded(text, "cp1252", "euc-jp")
    assert to_utf8(text.encode("cp1252"))[1] == "cp1252; euc-jp, which it declares, is not true"
    assert untrue_of_utf8(b"# coding: koi8-r\n") == "utf_8; koi8-r, which it declares, is not true"
    for right in (b"# coding: utf-8\n", b"# coding: utf-8-unix\n", b"# coding: klingon\n", b""):
        assert untrue_of_utf8(right) == ""


@pytest.mark.parametrize(("n_bad", "is_in"), [(1, True), (2, False)])
def test_a_declared_encoding_may_have_few_wrong_characters(n_bad: int, is_in: bool) -> None:
    """Of twenty characters, one may be broken."""
    head = b"# coding: cp1252\n"
    letters = "é".encode("cp1252") * (20 - n_bad) + b"\x81 " * n_bad + b"\xff" * 0
    decoded = decode_legacy(b"# coding: cp949\n" + "가".encode("cp949") * 19 + b"\xff " * n_bad)
    assert (decoded.encoding == "cp949" and not decoded.untrue) is is_in
    assert decode_legacy(head + letters).encoding in ("cp1252", "latin_1")


def test_a_text_of_a_narrower_encoding_of_the_family_is_in_it() -> None:
    text = b"# coding: latin-1\n# \x81\xe9\n"
    assert decode_legacy(text) == Decoded(text.decode("latin-1"), "cp1252")


@pytest.mark.parametrize(
    ("data", "is_utf8"),
    [
        ("é".encode() * 20 + b"\xe9", True),
        ("ж ".encode() * 20 + b"\xe9", True),
        ("ж ".encode() * 19 + b"\xe9", False),
        ("é".encode() * 40 + b"\xe9 \xe9", True),
        ("é".encode() * 40 + b" \xe9 \xe9 \xe9", False),
        (b"\xe9", False),
        (b"caf\xc3\xa9 d\xe9j\xe0", False),
        ("日本 caf".encode() + b"\xe9", True),
        ("日本 ".encode() + b"\xe9\xe9", True),
        ("日本 ".encode() + b"\xe9\xe9\xe9", False),
        ("日本 ".encode() + b"\xe9 \xe9", False),
        ("日本 日 ".encode() + b"\xe9 \xe9", True),
        ("é ".encode() + b"\x80", True),
        ("ж ".encode() + b"\x80", False),
        ("aж ".encode() + b"\x80", True),
        ("жb ".encode() + b"\x80", True),
        ("ж".encode() + b"1 \x80", False),
        # one of twenty, of at most 4,000 characters
        ("ж ".encode() * 5_000 + b"\xe9 " * 200, True),
        ("ж ".encode() * 5_000 + b"\xe9 " * 201, False),
    ],
)
def test_when_a_text_with_wrong_bytes_is_still_utf8(data: bytes, is_utf8: bool) -> None:
    """One of twenty characters may be broken; in a shorter text, as many as others are surely
    UTF-8, with at most two wrong bytes in a row."""
    answer = is_mostly_utf8(data)
    assert answer is is_utf8


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_wide_characters_without_a_mark_are_recognised(codec: str) -> None:
    for text in ("int x;\n", "a\t\r\n\f", "int größe;\n" * 600, "日本日本 ab"):
        assert wide_without_mark(text.encode(codec)) == codec, text
        assert to_utf8(text.encode(codec)) == (text.encode(), codec)
    for text in ("", "a\x01b", "日本日本日本日本日本a"):
        assert wide_without_mark(text.encode(codec)) == ""
    assert wide_without_mark("int x;\n".encode(codec) + b"\0") == ""
    narrow = {"utf-16": "日" * 9, "utf-32": "日" * 9}[codec[:6]]
    for letters, encoding in (("a", ""), ("aa", codec)):
        text = narrow + letters
        is_found = wide_without_mark(text.encode(codec)) == codec
        assert is_found is bool(encoding) or codec.startswith("utf-32")
    assert wide_without_mark(bytes(range(256)) * 4) == ""


def test_a_text_that_is_cut_within_its_head_is_recognised() -> None:
    for n_letters in (2_046, 2_047, 2_048, 2_049):
        text = "a" * n_letters + "\U0001f600" + "b" * 9
        assert wide_without_mark(text.encode("utf-16-le")) == "utf-16-le"


def test_escapes_count_only_where_they_are_declared() -> None:
    for codec, word in (("iso2022_jp", "iso-2022-jp"), ("hz", "hz")):
        text = (
            f"# coding: {word}\nx = '値を'\n" if codec != "hz" else f"# coding: {word}\nx = '值'\n"
        )
        data = text.encode(codec)
        assert decode_shifted(data) == Decoded(text, codec)
        assert to_utf8(data) == (text.encode(), codec)
        plain = data.replace(b"coding", b"Coding")
        assert decode_shifted(plain) is None and to_utf8(plain) == (plain, "")
    assert decode_shifted(b"# coding: latin-1\n~{") is None
    assert to_utf8(b"# coding: hz\nx = 1\n") == (b"# coding: hz\nx = 1\n", "")
    late = b"\n" * 4_096 + b"# coding: hz\n~{VP~}"
    assert to_utf8(late) == (late, "")


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp932", 's = "表";\n// 能\nint x;\n'),
        ("cp950", 's = "功";\n// 功\nint x;\n'),
        ("mac_roman", "# für größer, élève déjà\n"),
        ("cp1252", "# “a” it\u2019s \u2013 b… 5€ ™\n"),
        ("cp1252", "# § 5, 20° ± 3 µ\n"),
        ("koi8_r", "# Возвращает ошибку, если файл не найден, иначе значение\n"),
        ("cp1251", "# Возвращает ошибку, если файл не найден, иначе значение\n"),
        ("euc_jp", "# これはコメントです\n"),
        ("cp932", "# これはコメントです\n"),
        ("cp1253", "# Επιστρέφει σφάλμα όταν το αρχείο δεν βρεθεί εδώ\n"),
        ("cp866", "# Проверка значения переменной и вывод результата на экран\n"),
    ],
)
def test_an_encoding_is_guessed_from_a_line(encoding: str, text: str) -> None:
    assert decode_legacy(text.encode(encoding)).text == text


def test_much_text_costs_no_more_than_some() -> None:
    """Only the first 4,000 runs of bytes are judged, so what comes later changes nothing."""
    french = "# élève déjà créé\n".encode("cp1252") * 1_000
    assert decode_legacy(french + "Проверка значения ".encode("cp1251") * 9_000).encoding in (
        "cp1252", "cp1251",
    )  # fmt: skip
    assert decode_legacy(french * 5 + "Проверка ".encode("cp1251") * 9).encoding == "cp1252"


# What the guess is based on.


def runs_in(data: bytes) -> list[re.Match[bytes]]:
    return [*re.finditer(rb"[\x80-\xff]+", data)]


@pytest.mark.nightly
@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(1, 3)), min_size=1, max_size=6),
    st.integers(0, 30),
)
def test_a_run_is_judged_with_twelve_bytes_around_it(
    gaps: list[tuple[int, int]], rest: int
) -> None:
    """Runs that are at most twelve bytes apart are one piece."""
    letters = itertools.cycle(b"abcdefghijklmnopqrstuvwxyz")
    data = b"".join(
        bytes(itertools.islice(letters, gap)) + b"\xe9" * size for gap, size in gaps
    ) + bytes(itertools.islice(letters, rest))
    groups: list[list[int]] = []
    for run in runs_in(data):
        if groups and run.start() - groups[-1][1] <= 12:
            groups[-1][1] = run.end()
        else:
            groups.append([*run.span()])
    ends = [0, *(end for _, end in groups)]
    assert [*pieces_of(data, runs_in(data))] == [
        data[max(start - 12, before, 0) : end + 12]
        for (start, end), before in zip(groups, ends, strict=False)
    ]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"a\xe9", True),
        (b"\xe9a", True),
        (b"\xe9\xe8a", True),
        (b"a\xe9\xe8\xe7", False),
        (b"\xe9\xe8 ", False),
        (b"a\x95", False),
        (b"a\x95x", False),
        (b"a\x95 ", True),
        (b"1\xa01", True),
        (b"1\x9f1", False),
        (b"a\x9f1", True),
        (b"a\x80\xe91", False),
        (b" \x93a\x94.", True),
        (b" \x93 \x94.", False),
        # six of ten
        (b"\xe9a " * 3 + b"\x80b " * 2, True),
        (b"\xe9a " * 4 + b"\x80b " * 3, False),
    ],
)
def test_when_runs_are_letters_or_signs_of_latin_texts(data: bytes, expected: bool) -> None:
    assert is_latin(data, runs_in(data)) is expected


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        *((b"a" + bytes([byte]), True) for byte in b"\x87\x88\x89\x8a\x8b\x8d\x8e\x8f\x90"),
        *((b"a" + bytes([byte]), False) for byte in b"\x80\x86\x8c\x91\x9a\x9f\xe9"),
        (b"\x8e", False),
        (b" \x8e", False),
        (b"A\x8e", False),
        # half of the runs are one letter, and none has three
        (b"a\x8e\x8f b\x8e", True),
        (b"a\x8e\x8f a\x8f\x8e b\x8e", False),
        (b"a\x8e\x8f\x90 b\x8e b\x8e", False),
        # more than letters that are small elsewhere
        (b"a\x8e b\xde", True),
        (b"a\x8e b\xdf", False),
        (b"a\x8e a\x8e b\xdf", True),
        # German
        (b"a\x9a b\x9f", True),
        (b"a\x9a b\x9f 1\xdf", False),
        (b"a\x9a B\x9f", False),
    ],
)
def test_when_accents_are_those_of_a_macintosh(data: bytes, expected: bool) -> None:
    assert is_of_macintosh(data, runs_in(data)) is expected


@pytest.mark.parametrize(
    ("text", "encoding", "expected"),
    [
        ("の", "euc_jp", "euc_jp"),
        ("ホ", "euc_jp", "euc_jp"),
        ("亜", "euc_jp", ""),
        # more than a third of the characters
        ("の亜", "euc_jp", "euc_jp"),
        ("の亜亜", "euc_jp", ""),
        ("の亜a亜のb亜", "euc_jp", "euc_jp"),
        # more than a third of the bytes beyond ASCII
        ("の", "cp932", "cp932"),
        ("ア", "cp932", "cp932"),
        ("の亜", "cp932", ""),
        ("のの亜", "cp932", ""),
        ("のの表", "cp932", "cp932"),
    ],
)
def test_japanese_is_known_by_its_kana(text: str, encoding: str, expected: str) -> None:
    data = text.encode(encoding)
    assert has_kana(data, runs_in(data)) == expected


def test_kana_in_a_text_that_is_not_japanese_mean_nothing() -> None:
    for data in (b"\xa4\xa4\xa4\xff\xff", b"\x82\x82\x83\xff"):
        assert has_kana(data, runs_in(data)) == ""


TORN = ("cp932", "gb18030")


@pytest.mark.parametrize(
    ("data", "encodings"),
    [
        (b's = "\x95\\";\n', TORN),
        (b"s = '\x95\\';", TORN),
        (b"// \x95\\\nx", TORN),
        (b"// \x95\\\r\nx", TORN),
        (b"// \x95\\", TORN),
        (b"// \x95\\x", ()),
        (b's = "\xe9\\" a";\n', ()),
        # the quotes of this line decide, up to 2,000 bytes of it
        (b'5"\ns = "\x95\\";\n', TORN),
        (b's = "\x95\\";\n"', TORN),
        (b's = "\x95\\"'.ljust(1_999) + b'"', ()),
        (b's = "\x95\\"'.ljust(2_000) + b'"', TORN),
        # only encodings that have all of these characters
        (b"// \xa1\\\n", ("gb18030", "cp950")),
        (b"// \xa1\\\n// \x95\\\n", ("gb18030",)),
        (b"// \xff\\\n", ()),
        # more for it than against it, of a hundred places
        (b's = "a" + "\x95\\";\n', TORN),
        (b'"\xe9\\" a"\n' + b"\xe9\\\n", ()),
        (b'"\x95\\" a"\n' * 49 + b"\x95\\\n" * 50 + b'"\x95\\" a"\n', ()),
        (b'"\x95\\" a"\n' * 50 + b"\x95\\\n" * 51, ()),
        (b'"\x95\\" a"\n' * 49 + b"\x95\\\n" * 51, TORN),
    ],
)
def test_when_a_backslash_is_half_a_character(data: bytes, encodings: tuple[str, ...]) -> None:
    assert torn_in(data) == encodings


# The text of a file.


def test_a_text_knows_its_mark_and_its_lines() -> None:
    text = text_of(codecs.BOM_UTF8 + b"a\r\nb\rc\n\n")
    assert text.data == b"   a\r\nb\nc\n\n" and text.has_mark
    assert text.lines == ["a", "b", "c", ""]
    assert text.marked == codecs.BOM_UTF8 + b"a\r\nb\nc\n\n"
    plain = text_of(b"   a\nb")
    assert plain.lines == ["   a", "b"] and plain.marked == plain.data and not plain.has_mark
    assert text_of(b"").lines == [""] and text_of(b"\n").lines == [""]
    assert plain.digest == digest_of(b"   a\nb") != text.digest and len(plain.digest) == 16


@pytest.mark.parametrize(
    ("data", "text", "encoding"),
    [
        (codecs.BOM_UTF16_LE + "é".encode("utf-16-le"), "é", "utf-16"),
        (codecs.BOM_UTF16_BE + "é".encode("utf-16-be"), "é", "utf-16"),
        (codecs.BOM_UTF32_LE + "é".encode("utf-32-le"), "é", "utf-32"),
        (codecs.BOM_UTF32_BE + "é".encode("utf-32-be"), "é", "utf-32"),
        (b"\0binary", "\0binary", ""),
        (b"a" * 8_000 + b"\0", "a" * 8_000 + "\0", ""),
        ("é\r\ré\r\n".encode(), "é\n\né\r\n", ""),
        (b"\r", "\n", ""),
    ],
)
def test_bytes_become_utf8(data: bytes, text: str, encoding: str) -> None:
    assert to_utf8(data) == (text.encode(), encoding)


def test_a_zero_late_in_a_file_does_not_make_it_wide() -> None:
    late = b"a\0" * 10
    assert to_utf8(b"x" * 7_999 + b"\0" + late)[1] == ""
    assert to_utf8(b"\xc3\xa9" * 4_000 + late) == (b"\xc3\xa9" * 4_000 + late, "")


# Repaired texts.

EDITS = st.lists(
    st.tuples(st.integers(0, 12), st.integers(0, 4), st.sampled_from([b"", b"}", b"ab", b"((("])),
    max_size=6,
)


def apart(edits: list[tuple[int, int, bytes]], size: int) -> list[Edit]:
    """Returns edits whose ranges do not overlap."""
    kept: list[Edit] = []
    for start, length, text in edits:
        edit = Edit(min(start, size), min(start + length, size), text)
        if not any(
            other.start < other.end
            and edit.start < other.end
            and other.start < max(edit.end, edit.start + 1)
            for other in kept
        ) and not any(
            other.start == other.end and edit.start < other.start < edit.end for other in kept
        ):
            kept.append(edit)
    return kept


@given(st.binary(min_size=12, max_size=12).map(lambda data: data.replace(b"\0", b"\n")), EDITS)
def test_a_repaired_source_is_that_of_a_slow_editor(
    source: bytes, edits: list[tuple[int, int, bytes]]
) -> None:
    wanted = apart(edits, len(source))
    blanked = [source[place : place + 1] for place in range(len(source))]
    n_hidden = 0
    for start, end, text in wanted:
        for place in range(start, end):
            blanked[place] = b"\n" if source[place : place + 1] == b"\n" else b" "
        first_line = source[start:end].partition(b"\n")[0]
        if start < end and len(first_line) >= len(text):
            for number, byte in enumerate(text):
                blanked[start + number] = bytes([byte])
        n_hidden += len(source[start:end].strip())
    pieces, places = [], {}
    for place in range(len(source) + 1):
        for start, end, text in wanted:
            if start == end == place:
                pieces.append(text)
        places[place] = sum(map(len, pieces))
        pieces += blanked[place : place + 1]
    repaired = RepairedText(source, wanted)
    assert repaired.source == b"".join(pieces) and repaired.n_hidden == n_hidden
    for place, moved in places.items():
        assert repaired.repaired_place(place) == moved
        assert repaired.original(moved) == place
    starts = sorted(edit.start for edit in wanted if edit.start == edit.end and edit.text)
    assert [repaired.original(place) for place in repaired.inserted] == starts
    other = bytes(range(65, 65 + len(source)))
    inserted = repaired.with_inserts(other)
    assert len(inserted) == len(repaired.source)
    for place in range(len(source)):
        assert inserted[repaired.repaired_place(place)] == other[place]


def test_a_place_within_inserted_text_is_that_of_the_insertion() -> None:
    repaired = RepairedText(b"abcd", [Edit(3, 3, b"ZZ"), Edit(1, 1, b"XY")])
    assert repaired.source == b"aXYbcZZd" and repaired.inserted == [1, 5]
    assert [repaired.original(place) for place in range(9)] == [0, 1, 1, 1, 2, 3, 3, 3, 4]


# Folded headers.


def slowly_folded(text: str) -> str:
    """Folds a header without commas before closing brackets: the rules, one line at a time."""
    text = text.replace("\\\n", "\n")
    lines = [line.strip() for line in text.split("\n")]
    lines = [lines[0], *filter(None, lines[1:])]
    folded = lines[0]
    for line in lines[1:]:
        opens = folded.endswith(("(", "[")) or (
            folded.endswith("<") and len(folded) > 1 and (folded[-2] == "_" or folded[-2].isalnum())
        )
        folded += ("" if opens or line[:1] in tuple(")]>,") else " ") + line
    return " ".join(folded.split())


@given(st.lists(st.sampled_from(["a", "_", "(", ")", "[", "]", "<", ">", " ", "\n", "\n  ", ":"])))
def test_headers_are_folded_as_the_rules_say(pieces: list[str]) -> None:
    text = "x" + "".join(pieces) + "y"
    assert fold_header(text) == slowly_folded(text)


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("f(\n  a,\n)", "f(a)"),
        ("(\n  a,\n)", "(a,)"),
        (" (\n  a,\n)", "(a,)"),
        ("(\n  a,\n  b,\n)", "(a, b)"),
        ("f[\n  a,\n]", "f[a]"),
        ("g](\n  a,\n)", "g](a)"),
        ("_(\n  a,\n)", "_(a)"),
        ("f((a, b),\n)", "f((a, b))"),
        ("((a, b),\n)", "((a, b),)"),
        ("f<\n  a,\n>", "f<a>"),
        ("a,\n)", "a,)"),
        ("f(a,\r\n  b)", "f(a, b)"),
        ("f(a, \\\r\n  b)", "f(a, b)"),
        ("a{b,\n]", "a{b]"),
        ("f(a \t\n,b)", "f(a,b)"),
        ("a <\n b", "a < b"),
    ],
)
def test_breaks_within_a_header(text: str, folded: str) -> None:
    assert fold_header(text) == folded


@pytest.mark.parametrize(
    ("text", "closed", "cut"),
    [
        ("f(a", "f(a", "f(a …)"),
        ("f(", "f", "f"),
        ("f(a) {", "f(a)", "f(a)"),
        ("f[a(", "f[a", "f[a(…)]"),
        ("f(a))", "f(a)", "f(a)"),
        ("a)", "a)", "a)"),
        ("f(a)) b", "f(a)) b", "f(a)) b"),
        ('f("(", a', 'f("(", a', 'f("(", a …)'),
        ("x = {a: [1", "x = {a: [1", "x = {a: [1 …]}"),
        ("x = {a", "x = {a", "x = {a …}"),
        ("f(a}) b", "f(a}) b", "f(a}) b"),
        ("f(a) =>", "f(a)", "f(a)"),
        ("f(a) ->", "f(a) ->", "f(a) ->"),
        ("a:;,=", "a", "a"),
        ("f(a]", "f(a]", "f(a] …)"),
    ],
)
def test_brackets_at_the_end_of_a_header(text: str, closed: str, cut: str) -> None:
    assert close_brackets(text, is_cut=False) == closed
    assert close_brackets(text, is_cut=True) == cut
    assert trim_end(trim_end(text)) == trim_end(text)


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("\\u0061b", "ab"),
        ("\\u{61}b", "ab"),
        ("\\u{110000}", "\\u{110000}"),
        ("\\u{10ffff}", "\\u{10ffff}"),
        ("\\u0030\\u0024", "0$"),
        ("\\u0020", "\\u0020"),
        ("\\\\u0061", "\\\\u0061"),
        ("a\\u00e9", "aé"),
        ("u0061", "u0061"),
    ],
)
def test_escapes_of_letters_in_a_name(name: str, plain: str) -> None:
    assert unescape(name) == plain


@pytest.mark.parametrize(
    ("data", "seen"),
    [
        ("é".encode(), "é".encode()),
        (b"a\xe9b\xff\xfe", b"a_b__"),
        (b"   a\nb", b"\n\n\na\nb"),
        (b"   a\n b\n", b"   a\n b\n"),
        (b"   a\n\n\tb\nc", b"\n\n\na\n\n\tb\nc"),
        (b"    a\nb", b"    a\nb"),
        (b"   a\n", b"   a\n"),
    ],
)
def test_bytes_as_a_parser_sees_them(data: bytes, seen: bytes) -> None:
    assert as_utf8(data) == seen and len(seen) == len(data)


def test_other_forms_of_a_text_have_its_length() -> None:
    assert with_line_feeds(b"a\r\nb\\\r\nc\rd\n") == b"a \nb\\\n c\rd\n"
    for text, ascii_text in (
        ("aÉé", "aZZzz"), ("日", "zzz"), ("a→", "a→"), ("\U0001d538x", "ZZZZx"), ("plain", "plain"),
    ):  # fmt: skip
        assert with_ascii_letters(text.encode()).decode() == ascii_text
    source = SourceText("aéb".encode())
    assert [source.between(*place) for place in ((0, 3), (3, 4), (1, 2))] == ["aé", "b", "\ufffd"]
    assert source.letters == "aÃ©b"


# Lines.

Placed = tuple[str, str, str, str, str, int, int, int, int, int]


@pytest.mark.nightly
@given(
    st.text("aé\n 日", max_size=30),
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), min_size=1, max_size=5),
)
def test_lines_and_columns_are_counted(text: str, places: list[tuple[int, int]]) -> None:
    data = text.encode()
    ranges = [(min(a, b, len(data)), min(max(a, b), len(data))) for a, b in places]
    symbols: list[Placed] = [("n", "", "", "", "", 0, a, b, a, b) for a, b in ranges]
    for row, (start, end) in zip(add_lines(symbols, data), ranges, strict=True):
        rows = data.count(b"\n", 0, start), data.count(b"\n", 0, end)
        column = start - (data.rfind(b"\n", 0, start) + 1)
        assert row[6:] == (start, end, *rows, start, end, rows[0], column)
    marked = mark_behind_non_ascii(add_lines(symbols, data), data)
    for row, (start, _) in zip(marked, ranges, strict=True):
        before = data[data.rfind(b"\n", 0, start) + 1 : start]
        assert row[5] == (0 if before.isascii() else SymbolFlag.ODD_PLACE)
        assert row[:5] == ("n", "", "", "", "") and len(row) == 14
    assert find_non_ascii(data) == {
        data.rfind(b"\n", 0, place) + 1: place
        for place in reversed(range(len(data)))
        if data[place] > 127
    }


def test_no_symbols_have_no_lines() -> None:
    assert add_lines([], b"x\n") == []


# Minified source.

STATEMENT = b"var aaaaa=b;"
"""Twelve bytes, with two signs of statements."""


def long_line(size: int) -> bytes:
    return (STATEMENT * (size // len(STATEMENT) + 1))[:size]


def long_text(size: int) -> bytes:
    return (b"word " * (size // 5 + 1))[:size]


def lines(*parts: bytes) -> bytes:
    return b"\n".join(parts)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (long_line(5_000), False),
        (long_line(5_001), True),
        # 500 bytes a line
        (lines(*[long_line(499)] * 10, long_line(500)), False),
        (lines(*[long_line(499)] * 9, *[long_line(500)] * 2), True),
        # long lines have more than 300 bytes
        (lines(*[long_line(300)] * 10, long_text(2_500)), False),
        (lines(*[long_line(301)] * 10, long_text(2_500)), True),
        # more than half of the bytes
        (lines(long_line(4_801), long_text(4_199), long_text(300), long_text(300)), False),
        (lines(long_line(4_802), long_text(4_198), long_text(300), long_text(300)), True),
        # more than a fifth of the bytes, in long lines alone
        (lines(long_line(2_000), long_text(7_999)), False),
        (lines(long_line(2_001), long_text(7_998)), True),
        # more than 0.95 of the bytes are in long lines
        (lines(long_line(3_000), long_text(6_500), long_text(299), long_text(198)), False),
        (lines(long_line(3_000), long_text(6_501), long_text(299), long_text(197)), True),
        # the hundred longest lines
        (lines(*[long_text(700)] * 80, *[long_line(700)] * 21), False),
        (lines(*[long_text(700)] * 79, *[long_line(700)] * 21, *[long_text(262)] * 8), True),
    ],
)
def test_what_is_minified(data: bytes, expected: bool) -> None:
    assert is_minified(data) is expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        # twelve signs, with strings left out
        (b'"' + b"x" * 700 + b'",' + b"b=" * 11, False),
        (b'"' + b"x" * 700 + b'",' + b"b=" * 12, True),
        (b"'\\'" + b"x" * 700 + b"'," + b"b=" * 12, True),
        # one in 60 bytes
        ((b"b=" * 12).ljust(720), True),
        ((b"b=" * 12).ljust(721), False),
        ((b"a}" * 12).ljust(720), True),
        ((b"a;" * 12).ljust(720), True),
        ((b"=>" * 6).ljust(720), True),
        ((b"=>" * 5 + b"=").ljust(660), False),
        (b"{1,2,3}, " * 100, False),
        (b"f(){a=1} " * 100, True),
        (b"(a)=>b " * 100, True),
        # the first 8,000 bytes
        ((b"b= " * 133).ljust(7_999) + b"=".ljust(9_000), True),
        ((b"b= " * 133).ljust(8_000) + b"=".ljust(9_000), False),
        # other pieces of a line of 40,000 bytes
        (long_text(8_000) + long_line(31_999), False),
        (long_text(8_000) + long_line(32_000), True),
        (long_text(23_900) + long_line(16_100), False),
        (long_text(22_000) + long_line(18_000), True),
        # nothing after a string that stays open
        (long_line(7_000) + b"'" + long_text(40_000), True),
        (long_text(700) + b"'" + long_line(50_000), False),
    ],
)
def test_which_lines_contain_statements(line: bytes, expected: bool) -> None:
    assert is_minified(lines(*[line] * 9)) is expected


# Conflicts.

CONFLICT = b"a\n<<<<<<< one\nb {\n=======\nc {\n>>>>>>> two\n}\n"


def braces(text: bytes) -> bytes:
    return b"}" * (text.count(b"{") - text.count(b"}"))


def repaired(source: bytes) -> str:
    return RepairedText(source, find_conflicts(source, braces)).source.decode()


def test_both_sides_of_a_conflict_are_left() -> None:
    assert repaired(CONFLICT) == f"a\n{' ' * 11}\nb {{\n}}{' ' * 7}\nc {{\n{' ' * 11}\n}}\n"
    other = CONFLICT.replace(b"c {", b"c {{")
    assert "}" not in repaired(other).partition("c")[0]
    closed = CONFLICT.replace(b"b {", b"b {}").replace(b"c {", b"c {}")
    assert repaired(closed).split() == ["a", "b", "{}", "c", "{}", "}"]


def test_the_base_of_a_conflict_is_hidden() -> None:
    source = CONFLICT.replace(b"=======", b"||||||| base\nold\n=======")
    text = repaired(source)
    assert "old" not in text and text.split() == ["a", "b", "{", "}", "c", "{", "}"]
    assert text.count("\n") == source.count(b"\n")
    assert repaired(source.replace(b"||||||| base", b"|||||||")).split() == text.split()
    windows = repaired(source.replace(b"\n", b"\r\n"))
    assert windows.split() == text.split()


@pytest.mark.parametrize(
    "source",
    [
        b"a\n",
        b"x <<<<<<< one\n=======\n>>>>>>> two\n",
        b"<<<<<<< one\n=======\n",
        b"<<<<<<< one\n>>>>>>> two\n",
        b"<<<<<<< one\n=======\n=======\n>>>>>>> two\n",
        b"=======\n>>>>>>> two\n",
        b"<<<<<<< one\n======= x\n>>>>>>> two\n",
        b"<<<<<<<\n=======\n>>>>>>>\n",
    ],
)
def test_what_is_no_conflict_stays(source: bytes) -> None:
    assert find_conflicts(source, braces) == []


def test_the_last_opening_begins_a_conflict() -> None:
    assert repaired(b"<<<<<<< x\n" + CONFLICT).startswith("<<<<<<< x\na\n    ")
    twice = repaired(CONFLICT * 2)
    assert twice.split() == ["a", "b", "{", "}", "c", "{", "}"] * 2
    assert hide_markers(CONFLICT).split() == [b"a", b"b", b"{", b"c", b"{", b"}"]
    assert len(hide_markers(CONFLICT)) == len(CONFLICT)


def test_a_file_has_a_bounded_number_of_conflicts(monkeypatch: pytest.MonkeyPatch) -> None:
    for most, n_read in ((3, 1), (4, 2), (7, 2), (8, 3)):
        monkeypatch.setattr("symindex.extract.texts.conflicts._MOST_CONFLICTS", most)
        assert repaired(CONFLICT * 4).count("<<<<<<<") == 4 - n_read


# Comments.


def cleaned(language: str, *comments: str, most: int = 1_000) -> str:
    return comment_text_of(load_languages().by_id[language]).clean(comments, most)


@pytest.mark.parametrize(
    ("language", "comments", "text"),
    [
        ("python", ('"""One.\n\n    Two.\n    """',), "One.\n\nTwo."),
        ("python", ("# a", "# b"), "a\nb"),
        ("python", ("#: a",), "a"),
        ("c", ("/**\n * One.\n *\n * two\n */",), "One.\n\ntwo"),
        ("c", ("/* a */", "// b"), "a\nb"),
        ("c", ("/***** a */",), "a"),
        ("c", ("// ----", "// b"), "b"),
        ("c", ("/* ----\n * b\n * ====\n * c */",), "b\nc"),
        ("fsharp", ("/// <summary> a </summary>",), "a"),
        ("erlang", ("%% @doc Adds <b>x</b>", "%% @end"), "Adds <b>x</b>"),
        ("java", ("/** a\n * @param c d */",), "a\n@param c d"),
        ("rust", ("/// a\n", "/// b\n"), "a\nb"),
        ("rust", ("//! a",), "a"),
    ],
)
def test_the_text_of_comments(language: str, comments: tuple[str, ...], text: str) -> None:
    assert cleaned(language, *comments) == text


def test_the_text_of_a_comment_is_cut_at_its_limit() -> None:
    assert cleaned("python", "# abcde", most=5) == "abcde"
    assert cleaned("python", "# abcdef", most=5) == "abcd…"
    assert cleaned("python", "# abc", "# def", most=7) == "abc\ndef"
    assert cleaned("python", "# abc", "# def", "# ghi", most=6) == "abc\nd…"
    text = comment_text_of(load_languages().by_id["python"])
    lines: Any = text.doc_lines(["# abc", "# def", "# ghi"], 6)
    assert lines == ["abc", "def", "ghi"]
    assert text.doc_lines(["# abc", "# def", "# ghi"], 5) == ["abc", "def"]
