"""Files that are not in UTF-8: declared encodings, guessed encodings, wrong declarations; lines by
any ending."""

import time

import pytest

from symindex.extract.texts.encodings import declared_encoding, decode_legacy
from symindex.extract.texts.file_text import text_of, to_utf8
from tests.extract.test_bad_source import read

WORDS = {
    "cp1252": "größer als der nächste Wert: élément déjà trouvé",
    "iso8859_2": "wartość większa niż następna; příliš žluťoučký kůň",
    "cp1251": "Проверка значения переменной",
    "koi8_r": "Проверка значения переменной",
    "cp932": "値を確認して結果を表示する",
    "euc_jp": "値を確認して結果を返す関数",
    "gb18030": "检查变量的值并返回函数结果",
    "cp950": "檢查變數的值並返回函數結果",
    "cp949": "변수의 값을 확인하고 함수의 결과를 반환한다",
}


@pytest.mark.parametrize("encoding", WORDS)
def test_one_comment_tells_the_encoding(encoding: str) -> None:
    text = (
        f"int before(void);\n// {WORDS[encoding]}\nint after(void);\n"
        + "int one_of_many(void);\n" * 200
    )
    assert to_utf8(text.encode(encoding))[0].decode() == text


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp1252", "# don\u2019t do it, it\u2019s wrong\n"), ("cp1252", "# a\u2013b\n"),
        ("cp1252", "# see the \u201cmanual\u201d \u2013 page 3\u20144 … it\u2019s ™\n"),
        ("cp932", "# 仕事 abc会計def\n"), ("cp932", "# 一覧表 取得処理 開始 終了 判定\n"),
        ("gb18030", "# 数据\u2019\n"), ("mac_roman", "# für größere Maße\n"),
        ("mac_roman", "# Calcule le montant passé à l'élève, où la clé est créée\n"),
        ("cp1250", "# Łączna wartość źródła, wyraźnie żądana\n"),
        ("iso8859_5", "# Возвращает ошибку, если файл не найден\n"),
    ],
)  # fmt: skip
def test_few_words_tell_the_encoding(encoding: str, text: str) -> None:
    text += "def before(): pass\n"
    for ending in ("\n", "\r", "\r\n"):
        decoded = to_utf8(text.replace("\n", ending).encode(encoding))[0].decode()
        assert decoded.replace("\r\n", "\n") == text
        declared = "# -*- coding: utf-8 -*-\n" + text  # a wrong declaration
        assert to_utf8(declared.encode(encoding))[0].decode() == declared


@pytest.mark.parametrize(
    "data",
    [
        b"package a\n// caf\xe9\nfunc Caf\xc3\xa9() {}\n", b"// \xff\xfe\nfunc \xe6\x97\xa5\xe6\x9c\xac() {}\n",
        "// Größe\n".encode() + b"// gr\xfcn\n", "// Возврат\n".encode() + b"// a\x97b\n", "x = 'é'".encode() + b" # \xe9\n",
    ],
)  # fmt: skip
def test_a_wrong_byte_leaves_the_rest_in_utf8(data: bytes) -> None:
    assert to_utf8(data) == (data, "UTF-8, but for some bytes")


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("word", ["größe", "在庫数", "价格谀", "총액계산가", "Величина"])
def test_a_wide_text_without_a_mark(encoding: str, word: str) -> None:
    text = f"# {word}\r\ndef {word}(value):\r\n    return value\r\n"
    for many in (1, 300):
        assert to_utf8((text * many).encode(encoding))[0].decode() == text * many
    assert [symbol.name for symbol in read("a.py", text.encode(encoding)).symbols] == [word]


@pytest.mark.parametrize(
    "data",
    [
        bytes((0, *range(14, 256))) * 9,
        b"\x01\x00" * 900,
        b"a\0b\0\x01\0\xff\xdb" * 90,
        b"\0" * 999,
        b"\x7fELF\x02\x01\x01" + b"\0" * 9,
    ],
)
def test_zeros_alone_make_no_text(data: bytes) -> None:
    assert to_utf8(data) == (data, "")


@pytest.mark.parametrize(
    "encoding", ["cp1252", "cp1251", "koi8_r", "euc_jp", "gb18030", "cp949", "cp950", "cp932"]
)
def test_names_are_names(encoding: str) -> None:
    word = WORDS[encoding].split()[0].strip(";:")
    result = read(
        "a.py", f"# {WORDS[encoding]}\ndef {word}(): pass\ndef after(): pass\n".encode(encoding)
    )
    assert [(symbol.name, symbol.name_row) for symbol in result.symbols] == [
        (word, 1),
        ("after", 2),
    ]


@pytest.mark.parametrize(
    ("encoding", "character"),
    [
        ("cp932", "表"),
        ("cp932", "ソ"),
        ("cp932", "能"),
        ("gb18030", "誠"),
        ("cp950", "功"),
        ("cp950", "許"),
    ],
)
@pytest.mark.parametrize(
    "line", ["// {}\n", 'const char *s = "{}";\n', 'char *s = "a{}"; // it\'s\n']
)
def test_half_a_character_is_no_backslash(encoding: str, character: str, line: str) -> None:
    data = ("int before(void);\n" + line.format(character) + "int after(void);\n").encode(encoding)
    names = [symbol.name for symbol in read("a.c", data).symbols]
    assert (names[0], names[-1]) == ("before", "after")


@pytest.mark.parametrize(
    "text",
    [
        'printf("caf\xe9\\n");',
        'x = "d\xe9j\xe0 \\"vu\\" \xe9\\"";',
        "// \xa9 2004 Jos\xe9 N\xfa\xf1ez",
        "# na\xefve",
    ],
)
def test_an_escape_behind_an_accent_stays_one(text: str) -> None:
    assert decode_legacy(text.encode("latin-1")).text == text


@pytest.mark.parametrize(
    ("head", "declared"),
    [
        ("# -*- coding: koi8-r -*-", "koi8-r"),
        ("#!/usr/bin/ruby\n# encoding: koi8-r", "koi8-r"),
        ("#!/usr/bin/python\n# vim: set fileencoding=koi8-r :", "koi8-r"),
        ("; -*- mode: lisp; coding: koi8-r-unix -*-", "koi8-r-unix"),
        ("/* vim: set fenc=koi8-r: */", "koi8-r"),
        ('<?xml version="1.0" encoding="koi8-r"?>', "koi8-r"),
        ('@charset "koi8-r";', "koi8-r"),
        ('<html><head><meta charset="koi8-r">', "koi8-r"),
        ('<meta http-equiv="Content-Type" content="text/html; charset=koi8-r">', "koi8-r"),
        ("\\documentclass{article}\n\\usepackage[koi8-r]{inputenc}", "koi8-r"),
        ("% !TeX encoding = koi8-r", "koi8-r"),
        ('x = "coding: koi8-r"', ""),
        ("\n\n# coding: koi8-r", ""),
    ],
)
def test_declarations(head: str, declared: str) -> None:
    data = f"{head}\nЩит\n".encode("koi8-r")
    assert declared_encoding(data) == declared
    if declared:
        assert decode_legacy(data).text == data.decode("koi8-r")


@pytest.mark.parametrize(
    "line", ["# vim: fileencoding=cp1251", "# Local Variables:\n# coding: cp1251\n# End:"]
)
def test_a_declaration_at_the_end(line: str) -> None:
    assert decode_legacy(
        f"x = 'Щит'\n{'y = 1' + chr(10)}{line}\n".encode("cp1251")
    ).text.startswith("x = 'Щит'")


def test_shifted_encodings_are_read_where_they_are_declared() -> None:
    text = "# coding: iso-2022-jp\n# 値を表示\ndef after(): pass\n"
    assert to_utf8(text.encode("iso2022_jp")) == (text.encode(), "iso2022_jp")
    bare = "# 値を表示\n".encode("iso2022_jp")
    assert to_utf8(bare) == (bare, "")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("# coding: euc-jp\n# größer, über, schön\n".encode("latin-1"), "cp1252; euc-jp, which it declares, is not true"),
        ("# coding: ascii\n# größer\n".encode("latin-1"), "cp1252; ascii, which it declares, is not true"),
        ("# coding: no-such\n# größer\n".encode("latin-1"), "cp1252; no-such, which it declares, is not true"),
        ("# coding: utf-8\n# größer\n".encode("latin-1"), "cp1252; utf-8, which it declares, is not true"),
        ("# coding: latin-1\n# größer\n".encode(), "utf_8; latin-1, which it declares, is not true"),
        ("# coding: rot13\n# größer\n".encode(), ""),
        (b"# coding: latin-1\n# plain\n", ""),
        ("# größer, über, schön, süß, Öl, Äpfel\n".encode() * 9 + b"# \xff\n", "UTF-8, but for some bytes"),
    ],
)  # fmt: skip
def test_what_is_not_true_is_reported(data: bytes, said: str) -> None:
    assert to_utf8(data)[1] == said


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig"])
def test_byte_order_marks(encoding: str) -> None:
    assert to_utf8("def café(): pass\n".encode(encoding))[0].decode().strip() == "def café(): pass"


@pytest.mark.nightly
def test_a_large_file_costs_no_seconds() -> None:
    begun = time.process_time()
    for line in ("// größer\n", "// Проверка\n", "x = 'é\\n';\n"):
        to_utf8(line.encode("cp1251" if "П" in line else "cp1252") * 200_000)
    to_utf8(bytes(range(128, 256)) * 15_000)
    to_utf8(b"\x95\\" * 1_000_000)
    assert time.process_time() - begun < 3


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_lines_count_by_any_ending(ending: str) -> None:
    data = ending.join(
        ["def one():", "    # comment", "    pass", "def two():", "    pass", ""]
    ).encode()
    lines = [
        (symbol.name, symbol.start_row, symbol.end_row) for symbol in read("a.py", data).symbols
    ]
    assert lines == [("one", 0, 2), ("two", 3, 4)]
    assert text_of(data).lines == [
        "def one():",
        "    # comment",
        "    pass",
        "def two():",
        "    pass",
    ]
