"""Limits of extraction: metadata, documents, items, tables of types and rules, and what is reported
past a limit."""

import io
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from unittest import mock

import pytest
from pypdf import PdfWriter

from symindex.extract.captures import Captures
from symindex.extract.documents.chunks import chunks_of
from symindex.extract.documents.to_text import to_text
from symindex.extract.items.field_values import flatten
from symindex.extract.items.front_matter import read_front_matter
from symindex.extract.items.json_tree import parse_json
from symindex.extract.items.keyed_tree import FormatError
from symindex.extract.items.read_items import read_items
from symindex.extract.items.structured import read_structured
from symindex.extract.items.types import ItemType, build_item_types
from symindex.extract.languages.language import read_rules
from symindex.extract.languages.registry import load_languages
from symindex.extract.languages.tree_rules import _read_lines
from symindex.extract.summary import open_source
from symindex.extract.texts.embedded import parse_all_embedded
from symindex.text.imports import imported_names
from tests.support.files import write_files
from tests.support.limits import SAME, Limit, cases, check_limit
from tests.support.pdf import pdf_of


def fields(n: int, folder: Path) -> object:
    values, problem = flatten(
        parse_json("{" + ", ".join(f'"k{number}": 1' for number in range(n)) + "}")
    )
    return len(values), problem


def entries(n: int, folder: Path) -> object:
    values, problem = flatten(parse_json('{"k": [' + ", ".join(["1"] * n) + "]}"))
    return len(values["k"]), problem  # type: ignore[arg-type]


def characters(n: int, folder: Path) -> object:
    values, problem = flatten(parse_json(f'{{"k": "{"x" * n}"}}'))
    return len(str(values["k"])), problem


def key(n: int, folder: Path) -> object:
    values, problem = flatten(parse_json(f'{{"{"k" * n}": 1}}'))
    return len(values), problem


def front_matter(n: int, folder: Path) -> object:
    read = read_front_matter(b"---\n" + b"a: 1\n".ljust(n - 1) + b"\n---\ntext\n")
    return dict(read.fields), read.problem


def depth(n: int, folder: Path) -> object:
    return keyed('{"a":' * (n - 1) + "{}" + "}" * (n - 1))


def nodes(n: int, folder: Path) -> object:
    return keyed("[" + ", ".join(["1"] * (n - 1)) + "]")


def keyed(text: str) -> object:
    try:
        parse_json(text)
    except FormatError as error:
        return error.reason
    return "read"


def structured(n: int, folder: Path) -> object:
    try:
        read_structured("a.json", b"{}".ljust(n))
    except FormatError as error:
        return error.reason
    return "read"


def tasks(n: int, folder: Path) -> object:
    row = ItemType("task", parts=("make",))
    data = "".join(f"t{number}:\n\techo\n" for number in range(n)).encode()
    items = read_items("Makefile", data, row, None, None)
    return len(items), [item.fields["problem"] for item in items if "problem" in item.fields]


def recipes(n: int, folder: Path) -> object:
    row = ItemType("task", parts=("just",))
    data = "".join(f"t{number}:\n  echo\n" for number in range(n)).encode()
    items = read_items("justfile", data, row, None, None)
    return len(items), [item.fields["problem"] for item in items if "problem" in item.fields]


def rows_of_types(n: int, folder: Path) -> object:
    return build_item_types([{"type": "t", "names": [f"{number}.md"]} for number in range(n)])[1]


def words_of_types(n: int, folder: Path) -> object:
    return build_item_types([{"type": "t", "names": [f"{number}.md" for number in range(n)]}])[1]


def word_of_types(n: int, folder: Path) -> object:
    return build_item_types([{"type": "t", "names": ["n" * n]}])[1]


def attributes(n: int, folder: Path) -> object:
    write_files(folder, {".gitattributes": "*.x linguist-vendored\n" * n})
    lines, problems = _read_lines(folder)
    return len(lines), problems


def attribute_bytes(n: int, folder: Path) -> object:
    write_files(folder, {".gitattributes": "*.x linguist-vendored\n".ljust(n, "#")})
    lines, problems = _read_lines(folder)
    return len(lines), problems


def converted(n: int, folder: Path) -> object:
    return len(to_text(b"x" * n, "a.txt").text)


def chunked(n: int, folder: Path) -> object:
    text = b"x" * n
    chunks = chunks_of(text, "text")
    return [chunk.end - chunk.start for chunk in chunks]


def json_parts(n: int, folder: Path) -> object:
    data = "{" + ", ".join(f'"k{number}": 1' for number in range(n)) + "}"
    return to_text(data.encode(), "a.json").text.count(b"\n# ") + 1


def statements(n: int, folder: Path) -> object:
    return len(imported_names("".join(f"from m import n{number}\n" for number in range(n))))


def names_of_statement(n: int, folder: Path) -> object:
    return len(imported_names("from m import " + ", ".join(f"n{number}" for number in range(n))))


def rules(n: int, folder: Path) -> object:
    row = ItemType("task", parts=("make",))
    data = "".join(f"t{number}:\n\techo\n" for number in range(n)).encode()
    return len(read_items("Makefile", data, row, None, None))


def language_file(n: int, folder: Path) -> object:
    write_files(folder, {"language.toml": 'name = "X"\ngrammar = "c"\n'.ljust(n, "#")})
    return read_rules(folder).name


def dumped(n: int, folder: Path) -> object:
    write_files(folder, {"a.py": "x = 1\n".ljust(n, "#")})
    return len(open_source(folder / "a.py", None)[1])


def inside_each_other(n: int, folder: Path) -> object:
    """Returns how many languages are read of a file with `n` inside each other."""
    captures = Captures()
    read: list[int] = []

    def parse(language: object, data: bytes, pieces: object) -> Captures:
        read.append(1)
        inner = Captures()
        if len(read) < n:
            inner.embedded = {0: embedded}
        return inner

    embedded = cast(Any, SimpleNamespace(word="python", stretches=[(0, 1)], pattern=SimpleNamespace(settings=SimpleNamespace(source=""))))  # fmt: skip
    captures.embedded = {0: embedded}
    with mock.patch("symindex.extract.texts.embedded.parse_embedded", parse):
        return len([*parse_all_embedded(captures, b"x", load_languages(check=False))])


def pages(n: int, folder: Path) -> object:
    writer, file = PdfWriter(), io.BytesIO()
    for _ in range(n):
        writer.append(io.BytesIO(pdf_of("text")))
    writer.write(file)
    return to_text(file.getvalue(), "a.pdf").text.count(b"text")


def text_of_pdf(n: int, folder: Path) -> object:
    return len(to_text(pdf_of("x" * n), "a.pdf").text) >= n


LIMITS: list[Limit] = [
    Limit("extract.documents.to_text.MOST_PAGES", 2, pages, 2, 'a.pdf: at most 2 pages and 20,000,000 characters of a PDF are read; divide it'),
    Limit("extract.documents.to_text.MOST_TEXT", 8, text_of_pdf, True, 'a.pdf: at most 5,000 pages and 8 characters of a PDF are read; divide it'),
    Limit("extract.items.field_values.MOST_FIELDS", 3, fields, (3, ""), (3, 'more than 3 fields: the first ones are kept')),
    Limit("extract.items.field_values.MOST_ENTRIES", 3, entries, (3, ""), (3, '`k` has more than 3 entries: the first ones are kept')),
    Limit("extract.items.field_values.MOST_CHARACTERS", None, characters, (10_000, ""), (10000, '`k` has more than 10,000 characters: the first ones are kept')),
    Limit("extract.items.field_values.LONGEST_KEY", 8, key, (1, ""), (0, '`kkkkkkkkk…` is longer than 8 characters: left out')),
    Limit("extract.items.front_matter.MOST_BYTES", 20, front_matter, ({"a": 1}, ""), ({}, 'front matter, line 1: more than 20 bytes: move long values below the front matter')),
    Limit("extract.items.keyed_tree.MOST_DEPTH", 4, depth, "read", 'values lie more than 4 deep: write them flatter'),
    Limit("extract.items.keyed_tree.MOST_NODES", 5, nodes, "read", 'more than 5 values, counting those that aliases repeat: write fewer'),
    Limit("extract.items.structured.MOST_BYTES", 20, structured, "read", 'more than 20 bytes, so its keys are not read'),
    Limit("extract.items.tasks.MOST_RULES", 3, rules, 3, SAME),
    Limit("extract.languages.language.MOST_FILE_BYTES", 40, language_file, "X", "TMP/language.toml: larger than 40 bytes; a language folder contains language.toml and symbols.scm"),
    Limit("extract.summary.MOST_DUMPED_BYTES", 20, dumped, 20, "TMP/a.py: larger than 20 bytes; name a source file"),
    Limit("extract.texts.embedded.DEEPEST", 2, inside_each_other, 2, SAME),
    Limit("extract.items.tasks.MOST_PARTS", 3, tasks, (3, []), (3, ['more than 3 parts: the first ones are kept'])),
    Limit("extract.items.tasks.MOST_PARTS", 3, recipes, (3, []), (3, ['more than 3 parts: the first ones are kept'])),
    Limit("extract.items.types.MOST_ROWS", 3, rows_of_types, [], ['item_types: more than 3 rows: the others are left out']),
    Limit("extract.items.types.MOST_WORDS", 3, words_of_types, [], ['item_types, row 1: a list of more than 3 entries, or an entry of more than 200 characters']),
    Limit("extract.items.types.LONGEST_WORD", 8, word_of_types, [], ['item_types, row 1: a list of more than 50 entries, or an entry of more than 8 characters']),
    Limit("extract.languages.tree_rules.MOST_LINES", 3, attributes, (3, []), (3, ['everything beyond 3 lines'])),
    Limit("extract.languages.tree_rules.MOST_BYTES", 60, attribute_bytes, (1, []), (1, ['everything beyond 60 bytes'])),
    Limit("extract.documents.to_text.MOST_BYTES", 8, converted, 8, 'a.txt: 9 bytes: at most 8 can be added; divide it'),
    Limit("extract.documents.chunks.MOST_BYTES", 20, chunked, [20], [20, 1]),
    Limit("extract.documents.to_text._MOST_PARTS", 3, json_parts, 3, 1),
    Limit("text.imports.MOST_STATEMENTS", 3, statements, 3, SAME),
    Limit("text.imports._MOST_NAMES", 3, names_of_statement, 3, SAME),
]  # fmt: skip


@cases(LIMITS)
def test_limits_of_extraction(case: Limit, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    check_limit(case, monkeypatch, tmp_path)
