"""What bounds items: long names and texts, many keys, rows of the table; at each bound and one past
it."""

from typing import Any

import msgspec
import pytest

from symindex.extract.documents.readers import read_document
from symindex.extract.items import (
    json_tree,
    keyed_tree,
    metadata,
    read_items,
    tasks,
    toml_tree,
    types,
    versions,
    yaml_tree,
)
from symindex.extract.items.field_values import as_text, cut_text, flatten, names_in
from symindex.extract.items.front_matter import read_front_matter
from symindex.extract.items.item import Item, ItemFacts, Value
from symindex.extract.items.item_type import ItemType, find_folder
from symindex.extract.items.json_tree import parse_json, parse_json_at
from symindex.extract.items.keyed_tree import Entry, FormatError, Mapping, line_at, number_of
from symindex.extract.items.loose_fields import read_toml_loosely, read_yaml_loosely
from symindex.extract.items.metadata import first_paragraph, name_fields
from symindex.extract.items.structured import find_parts
from symindex.extract.items.toml_tree import parse_toml
from symindex.extract.items.types import build_item_types, shipped_item_types
from symindex.extract.items.versions import date_in
from symindex.extract.items.yaml_tree import parse_yaml


def items_of(path: str, text: str) -> list[Item]:
    data = text.encode()
    row = shipped_item_types().match(path)
    assert row is not None
    front = read_front_matter(data)
    document = read_document("markdown", data, front.end) if path.endswith(".md") else None
    return read_items.read_items(path, data, row, document, front)


# Trees of keys.


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0", 0),
        ("-0", None),
        ("-1", -1),
        ("007", None),
        ("9" * 18, int("9" * 18)),
        ("9" * 19, None),
        ("1.5", 1.5),
        ("1.50", None),
        ("0.1", 0.1),
        ("-0.5", -0.5),
        ("1.", None),
        (".5", None),
        ("1e5", None),
        ("9" * 15 + ".5", float("9" * 15 + ".5")),
        ("9" * 16 + ".5", None),
        ("", None),
    ],
)
def test_a_number_is_read_if_it_would_be_written_so(text: str, number: float | None) -> None:
    value = number_of(text)
    assert value == number and type(value) is type(number)


def test_positions_become_lines() -> None:
    assert [line_at("a\nb\n", place) for place in range(5)] == [1, 1, 2, 2, 3]
    error = FormatError(3, "odd")
    assert (error.line, error.reason, str(error)) == (3, "odd", "line 3: odd")
    assert Mapping([Entry("a", 1), Entry("a", 2)]).get("a") == 1
    assert Mapping([]).get("a") is None
    assert Entry("a", 1)[2:] == (0, 0, 0)


def refusal(parse: Any, text: str) -> str:
    try:
        parse(text)
    except FormatError as error:
        return str(error)
    return ""


def test_values_nest_as_deep_as_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (json_tree, yaml_tree, toml_tree, keyed_tree):
        monkeypatch.setattr(module, "MOST_DEPTH", 3)
    deep = "values lie more than 3 deep: write them flatter"
    for parse, pattern in ((parse_json, "\n{}"), (parse_yaml, "\n{}")):
        assert refusal(parse, pattern.format("[[[1]]]")) == ""
        assert refusal(parse, pattern.format("[[[[1]]]]")) == f"line 2: {deep}"
    assert refusal(parse_toml, "a.b.c = 1") == ""
    assert refusal(parse_toml, "a.b.c.d = 1") == f"line 1: {deep}"
    assert refusal(parse_toml, "a = [[1]]") == ""
    assert refusal(parse_toml, "a = [[[1]]]") == f"line 1: {deep}"


def test_a_file_has_as_many_values_as_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (json_tree, yaml_tree, toml_tree, keyed_tree):
        monkeypatch.setattr(module, "MOST_NODES", 4)
    many = "more than 4 values, counting those that aliases repeat: write fewer"
    for parse, right, wrong, line in (
        (parse_json, "[1, 2, 3]", "[1, 2,\n 3, 4]", 2),
        (parse_json, '{"a": 1}', '{"a": 1,\n "b": 2}', 2),
        (parse_yaml, "[1, 2, 3]", "[1, 2,\n 3, 4]", 2),
        (parse_yaml, "a: 1", "a: 1\nb: 2\nc: 3", 3),
        (parse_yaml, "[&a 1, *a, *a]", "[&a [1],\n *a]", 2),
        (parse_toml, "a = 1\nb = 2\nc = 3", "a = 1\nb = 2\nc = 3\nd = 4", 1),
    ):
        assert refusal(parse, right) == ""
        assert refusal(parse, wrong) == f"line {line}: {many}"


def test_the_end_of_a_value_within_a_text() -> None:
    assert parse_json_at('x {"a": [1]} y', 1) == (Mapping([Entry("a", [1], 3, 6, 11)]), 12)
    assert parse_json_at("12 34", 0) == (12, 2) and parse_json_at("12 34", 2) == (34, 5)
    assert parse_json("{a: 1}") == Mapping([Entry("a", 1, 1, 2, 5)])
    assert parse_json('"a\tb"') == "a\tb"
    with pytest.raises(FormatError, match="line 3: a key without quotes"):
        parse_json("{\n\n1: 2}")
    with pytest.raises(FormatError, match="line 1: a `}` that closes nothing"):
        parse_json("[1}")


def test_toml_values_become_plain() -> None:
    def value(text: str) -> Any:
        return parse_toml(f"a = {text}").get("a")  # type: ignore[union-attr]

    edge = 2**63
    assert value(str(edge - 1)) == edge - 1 and value(str(-edge + 1)) == -edge + 1
    assert value(str(edge)) == hex(edge) and value(f"-{edge}") == hex(-edge)
    assert value("true") is True and value("1.10") == "1.10" and value("1e3") == "1e3"
    assert value("2024-01-02T03:04:05Z") == "2024-01-02T03:04:05+00:00"
    assert value("[1, 'a']") == [1, "a"]


# Fields.


def test_what_values_become_as_fields() -> None:
    tree = Mapping(
        [
            Entry(" a  b ", "x"),
            Entry("", 1),
            Entry("c", Mapping([Entry("d", True), Entry("", 2), Entry("e", None)])),
            Entry("f", [None, 1, [2], Mapping([Entry("g", [None])])]),
            Entry("h", [None]),
            Entry("a b", "later"),
        ]
    )
    assert flatten(tree) == (
        {"a b": "later", "c.d": True, "f": [1, "[2]", '{"g": [null]}']}, "",
    )  # fmt: skip
    assert flatten([1]) == ({}, "") and flatten(None) == ({}, "")
    values: list[Value] = [True, False, 1, 1.5, "x", [1, True, "y"]]
    assert [as_text(value) for value in values] == [
        "true", "false", "1", "1.5", "x", "1, true, y",
    ]  # fmt: skip
    assert names_in([Mapping([Entry("mail", "x"), Entry("name", "A")]), None, 2]) == "A, 2"
    assert names_in(Mapping([])) == "" and names_in(["a"] * 201) == ", ".join(["a"] * 200)
    assert cut_text("x" * 10_000) == "x" * 10_000
    assert cut_text("x" * 10_001) == "x" * 9_999 + "…"
    assert cut_text("abc", 3) == "abc" and cut_text("abcd", 3) == "ab…"
    assert cut_text("\ud800") == "\N{REPLACEMENT CHARACTER}"


def test_what_is_left_out_of_fields_is_told() -> None:
    def told(*entries: Entry) -> str:
        return flatten(Mapping([*entries]))[1]

    key = "k" * 200
    assert told(Entry(key, 1)) == ""
    assert told(Entry(key + "k", 1)) == f"`{'k' * 50}…` is longer than 200 characters: left out"
    assert told(Entry(key + "k", [])) == ""
    assert told(Entry("a" * 60, [1] * 201)) == (
        f"`{'a' * 50}` has more than 200 entries: the first ones are kept"
    )
    assert told(Entry("a", [1] * 200), Entry("b", "x" * 10_000)) == ""
    assert told(Entry("b" * 51, "x" * 10_001)).startswith(f"`{'b' * 50}` has more than 10,000")
    assert told(*[Entry(f"{number}{key}", 1) for number in range(5)]).count("; ") == 2
    many = [Entry(str(number), number) for number in range(200)]
    fields, cut = flatten(Mapping([*many, Entry("0", "again")]))
    assert len(fields) == 200 and fields["0"] == "again" and cut == ""
    fields, cut = flatten(Mapping([*many, Entry("x", 1), Entry("0", "no")]))
    assert len(fields) == 200 and fields["0"] == 0
    assert cut == "more than 200 fields: the first ones are kept"


def test_named_fields_are_texts_and_have_other_names() -> None:
    fields: Any = {"summary": "", "about": " x ", "version": 1.5, "tags": [1]}
    name_fields(fields, {"description": ("summary", "about"), "version": ("tags",)})
    assert fields == {
        "summary": "", "about": " x ", "version": "1.5", "tags": [1], "description": "x",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "paragraph"),
    [
        ("one two three\n\nfour five six seven\n", "four five six seven"),
        ("one two three four\nfive\n\nmore of it all", "one two three four five"),
        ("one\n\ntwo\n", "one"),
        ("", ""),
        ("w " * 3 + "x" * 993 + " y", "w w w " + "x" * 993 + "…"),
        ("w " * 3 + "x" * 994, "w w w " + "x" * 994),
        ("\n" * 19_999 + "a b c d", "a"),
        ("\n" * 20_000 + "a b c d", ""),
    ],
)
def test_the_paragraph_that_describes(text: str, paragraph: str) -> None:
    assert first_paragraph(text) == paragraph


def test_where_a_description_is_looked_for() -> None:
    def described(text: str) -> Any:
        return items_of("docs/a.md", text)[0].fields.get("description")

    def after(n_sections: int) -> str:
        heads = "".join(f"# h{number}\n\n" for number in range(n_sections))
        return f"{heads}four words are here\n"

    assert described(after(5)) == "four words are here" and described(after(6)) is None
    assert described("short\n\n# a\n\nalso short\n") == "short"
    assert described("short\n\n# a\n\nwith four words here\n") == "with four words here"
    titled = items_of("docs/a.md", "---\nname: n\n---\n## first\n\ntext\n")[0].fields
    assert "title" not in titled
    assert items_of("docs/a.md", "---\nx: n\n---\n## first\n")[0].fields["title"] == "first"
    assert items_of("docs/a.md", "---\nname: n\n---\n# first\n")[0].fields["title"] == "first"


def test_the_head_of_a_module_has_its_metadata() -> None:
    size = metadata.HEAD_CHARACTERS
    for n_blanks, version in ((size - len('\n__version__ = "1"'), "1"), (size, None)):
        text = "x = 1" + " " * (n_blanks - 5) + '\n__version__ = "1"\n'
        (item,) = items_of(".ai/tools/a.py", text)
        assert item.fields.get("version") == version


# Front matter.


@pytest.mark.parametrize(("n_comments", "fields"), [(7, {"a": 1}), (8, {"a": 1}), (9, {})])
def test_few_comments_may_precede_front_matter(n_comments: int, fields: dict[str, Any]) -> None:
    assert read_front_matter(b"<!-- x -->" * n_comments + b"---\na: 1\n---\n").fields == fields


def test_a_block_that_never_ends_is_told_if_it_looks_like_keys() -> None:
    problem = "front matter, line 1: never closed: add a line `---` after it"
    for text, said in (
        (b"---\nkey: 1\n", problem),
        (b"+++\nkey = 1\n", problem.replace("---", "+++")),
        (b"---\n# " + b"x" * 990 + b"\nkey: 1\n", problem),
        (b"---\n# " + b"x" * 1_000 + b"\nkey: 1\n", ""),
        (b"---\ntext\n", ""),
        (b"```yaml\nid: 1\n", ""),
        (b"\n\n---\nkey: 1\n", problem.replace("line 1", "line 3")),
    ):
        assert read_front_matter(text)[0:4] == ({}, 0, 0, said)


def test_front_matter_in_braces_has_a_limit() -> None:
    block = b'{\n"a": "' + b"x" * 60_000 + b'"\n}\n'
    front = read_front_matter(block + b"text")
    assert (front.start, front.end) == (0, len(block))
    assert "front matter, line 0: `a` has more than 10,000 characters" in front.problem
    huge = b'{\n"a": "' + b"x" * 66_000 + b'"\n}\n'
    assert read_front_matter(huge) == ({}, 0, 0, "", "")
    assert "not JSON" in read_front_matter(huge[:65_536]).problem
    assert "not JSON" not in read_front_matter(huge[:65_537] + b"\n").problem


@pytest.mark.parametrize("n_keys", [199, 200, 201])
def test_a_block_is_read_loosely_up_to_a_number_of_keys(n_keys: int) -> None:
    """One key more than the fields that are kept is read, and shows that some are missing."""
    loose = read_yaml_loosely("".join(f"k{n}: 1\n" for n in range(n_keys)) + "x: [\n", parse_yaml)
    assert loose is not None and len(loose.tree.entries) == min(n_keys + 1, 201)
    toml = read_toml_loosely("".join(f"k{n} = 1\n" for n in range(n_keys)) + "x = \n", parse_toml)
    assert toml is not None and len(toml.tree.entries) == min(n_keys + 1, 201)
    tables = read_toml_loosely("".join(f"[t{n}]\nk = 1\n" for n in range(n_keys)), parse_toml)
    assert tables is not None and len(tables.tree.entries) == min(n_keys, 200)
    assert tables.tree.entries[1].key == "t1.k"


def test_nested_keys_are_read_loosely_as_deep_as_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symindex.extract.items.loose_fields.MOST_DEPTH", 2)

    def depth(text: str) -> int:
        loose = read_yaml_loosely(text, parse_yaml)
        assert loose is not None
        tree, level = loose.tree.entries[0].value, 0
        while isinstance(tree, Mapping):
            tree, level = tree.entries[0].value, level + 1
        return level

    text = "".join(f"{'  ' * level}k{level}:\n" for level in range(6))
    assert depth(text + "            x: [\n") == 2


# Tasks and versions.


def test_names_and_comments_of_tasks_have_limits() -> None:
    for size, name in ((200, "t" * 200), (201, "t" * 199 + "…")):
        (item,) = items_of("Makefile", f"{'t' * size}: {'n' * size}\n\techo\n")
        assert item.name == name and item.fields["needs"] == [
            "n" * 200 if size == 200 else "n" * 199 + "…"
        ]
    needs = " ".join(f"n{number}" for number in range(201))
    (item,) = items_of("Makefile", f"t: {needs}\n\techo\n")
    assert len(item.fields["needs"]) == 200  # type: ignore[arg-type]
    comments = "".join(f"# c{number}\n" for number in range(25))
    (item,) = items_of("Makefile", f"{comments}t:\n\techo\n")
    assert item.fields["description"] == " ".join(f"c{number}" for number in range(5, 25))
    (item,) = items_of("Makefile", f"# {'d' * 2_000}\nt:\n\techo\n")
    assert item.fields["description"] == "d" * 1_000
    for above, said in (
        ("# one\n#\n# two\n", "two"), ("# one\n# ---\n", "one"), ("# one\n\n", None),
        ("#! one\n# two\n", "two"), ("x = 1\n# two\n", "two"),
    ):  # fmt: skip
        (item,) = items_of("Makefile", f"{above}t:\n\techo\n")
        assert item.fields.get("description") == said


def test_a_file_of_rules_is_read_up_to_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "a: x\na: y\nb: z\n\techo\n"
    for most, names in ((3, ["a", "b"]), (2, ["a"]), (1, ["a"])):
        monkeypatch.setattr(tasks, "MOST_RULES", most)
        assert [item.name for item in items_of("Makefile", text)] == names


def test_a_target_is_its_first_rule_with_a_recipe() -> None:
    (item,) = items_of("Makefile", "a: x\na: y\n\techo 1\na: z\n\techo 2\n")
    assert item.text == "a: y\n\techo 1" and item.fields["needs"] == ["y"]
    (item,) = items_of("Makefile", "a: x\na: y ; echo\na: z\n\techo 2\n")
    assert item.text == "a: y ; echo"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("define a\nx: y\nendef\nz:\n\tw\n", ["z"]),
        ("define a\ndefine b\nx: y\nendef\nz:\n\tw\n", ["z"]),
        ("endef\nx: y\nz:\n\tw\n", ["x", "z"]),
        ("define a\nx: y\n", ["x"]),
        ("a::\n\tw\nb :\n\tw\nc := d\ne ::= f\n", ["a", "b"]),
        ("a b: c\n", ["a", "b"]),
        ("ifeq (a,b)\nelse: x\nifdef: y\n.PHONY: z\n$(v): w\n%.o: v\n", []),
        ("t: VAR = 1\nt: export V := 2\nt: private V ?= 3\nu: v=w\n", []),
    ],
)
def test_which_targets_a_makefile_has(text: str, names: list[str]) -> None:
    items = items_of("Makefile", text)
    assert sorted(item.name for item in items if item.name != "Makefile") == names


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("2024-12-31", "2024-12-31"),
        ("2024-12-32", ""),
        ("2024-12-01", "2024-12-01"),
        ("2024-1-31", "2024-01-31"),
        ("2024-0-1", ""),
        ("2024-1-0", ""),
        ("2024.3.4", "2024-03-04"),
        ("12024-01-02", ""),
        ("Sept. 3rd 2021", "2021-09-03"),
        ("3-Jan-2020", "2020-01-03"),
        ("2nd of May 2020", ""),
        ("May 2020", ""),
        ("2024-13-01, then Jan 2, 2003", "2003-01-02"),
    ],
)
def test_dates_in_headings(text: str, date: str) -> None:
    assert date_in(text) == date


def version_fields(heading: str, text: str = "") -> dict[str, Any]:
    items = items_of("CHANGELOG.md", f"# {heading}\n\n{text}\n")
    return {key: value for item in items for key, value in item.fields.items() if key != "title"}


@pytest.mark.parametrize(
    ("heading", "fields"),
    [
        ("1.2.3", {"version": "1.2.3"}),
        ("v1.2", {"version": "1.2"}),
        ("V2", {"version": "2"}),
        ("2", {}),
        ("Upcoming", {"version": "unreleased", "status": "unreleased"}),
        ("UNRELEASED", {"version": "unreleased", "status": "unreleased"}),
        ("2024-01-02 1.0.0", {"version": "1.0.0", "date": "2024-01-02"}),
        (
            "1.0.0 - 2024-01-02 [Yanked]",
            {"version": "1.0.0", "date": "2024-01-02", "status": "yanked"},
        ),
        ("@a/b@1.0.0", {"version": "1.0.0", "package": "@a/b"}),
        ("Version 1.0", {"version": "1.0"}),
        ("Release: 1.0", {"version": "1.0"}),
        ("1.0 is out now", {}),
        ("1.0 released on time now", {"version": "1.0"}),
        ("1.0 is out on 2024-01-02", {"version": "1.0", "date": "2024-01-02"}),
        ("1.0. Title", {}),
        ("1.0.x", {"version": "1.0.x"}),
        ("Notes", {}),
    ],
)
def test_what_a_heading_says_of_a_version(heading: str, fields: dict[str, Any]) -> None:
    all_fields = version_fields(heading)
    all_fields.pop("name", None)
    assert {
        key: all_fields.get(key)
        for key in ("version", "package", "date", "status")
        if key in all_fields
    } == fields


def test_what_follows_a_heading_dates_a_version() -> None:
    day = "2024-01-02"
    assert version_fields("1.0.0", "x" * 189 + " " + day)["date"] == day
    assert "date" not in version_fields("1.0.0", "x" * 190 + " " + day)
    assert version_fields("1.0.0", "x" * 29 + "Unreleased")["status"] == "unreleased"
    assert "status" not in version_fields("1.0.0", "x" * 31 + "Unreleased")
    long = "1.0.0 " + "x" * 280
    assert version_fields(f"{long} {day}").get("date") is None


def test_versions_inside_a_version() -> None:
    def names(text: str) -> list[str]:
        return [item.id.removeprefix("CHANGELOG/") for item in items_of("CHANGELOG.md", text)]

    assert names("# 2.0\n## lib 1.0\n## 2.0\n## 1.9\n") == ["2.0", "1.9"]
    assert names("# 2.0\n# lib 1.0\n# 2.0\n") == ["2.0", "1.0", "2.0~2"]


def test_a_version_has_a_bounded_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(versions, "MOST_TEXT", 10)
    for size, text in ((3, "1.0.0\n\fxxx"), (4, "1.0.0\n\fxx…")):
        assert items_of("CHANGELOG.md", f"# 1.0.0\n{'x' * size}\n")[0].text == text
    monkeypatch.setattr(read_items, "MOST_TEXT", 5)
    assert items_of("docs/a.md", "abcde")[0].text == "abcde"
    assert items_of("docs/a.md", "abcdef")[0].text == "abcd…"
    assert items_of(".ai/tools/a.sh", "abcdef")[0].text == "abcde"


# Parts by patterns of keys.


def parts(text: str, pattern: str, *excluded: str) -> list[tuple[str, str, Any]]:
    data = text.encode()
    return [
        (part.name, data[part.key_start : part.end].decode(), part.value)
        for part in find_parts("a.json", data, pattern, excluded)
    ]


def test_patterns_name_parts() -> None:
    text = '{"é": {"a": 1, "b": {"c": 2}}, "l": [{"job": "J", "x": 1}, {"job": 3}, 4]}'
    assert parts(text, "é.*") == [
        ("a", '"a": 1', 1),
        ("b", '"b": {"c": 2}', Mapping([Entry("c", 2, 21, 24, 27)])),
    ]
    assert [part[0] for part in parts(text, "*.*")] == ["é:a", "é:b"]
    assert [part[0] for part in parts(text, "é.*", "a*")] == ["b"]
    assert [(name, written) for name, written, _ in parts(text, "l.[].job")] == [
        ("J", '"job": "J"')
    ]
    assert parts(text, "none.*") == parts(text, "l.*") == parts("[1]", "*") == []
    assert [part[0] for part in parts('{"": 1, "a": 2}', "*")] == ["a"]


# The table of types.


@pytest.mark.parametrize(
    ("path", "item_id"),
    [
        ("docs/a.md", "docs/a"),
        ("a.test.md", "a.test"),
        (".md", ".md"),
        ("a.b/c", "a.b/c"),
        ("a.b/.c", "a.b/.c"),
        ("a", "a"),
        ("a.", "a"),
    ],
)
def test_the_path_of_a_file_is_its_id(path: str, item_id: str) -> None:
    assert ItemType("x", id="path", extensions=(".md",)).id_of(path) == item_id


@pytest.mark.parametrize(
    ("kind", "item_id"),
    [("below", "web/b/c"), ("inner", "b/c"), ("path", "web/x/a/b/c"), ("folder", "web/b")],
)
def test_ids_below_a_folder(kind: Any, item_id: str) -> None:
    row = ItemType("x", folders=("**/x/a",), extensions=(".md", ".x.md"), id=kind)
    assert row.id_of("web/x/a/b/c.x.md") == item_id


def test_folders_match_globs() -> None:
    assert find_folder("a/b", "a/b/c") == ("", 3) and find_folder("a/b", "a/bc") is None
    assert find_folder("**/b", "x/y/b/c") == ("x/y/", 5) and find_folder("**/b", "b") == ("", 1)
    assert find_folder("a/*/c", "a/x/c/d") == ("x/", 5)
    assert find_folder("**/a/*", "w/a/x") == ("w/x/", 5)
    assert find_folder("a/**", "a/b") == ("", 1)
    assert find_folder("a[", "a[") is None


def test_globs_of_files_that_a_walk_would_not_select() -> None:
    row = ItemType(
        "x", folders=("a/**", ""), names=("make.x", "plain", "doc.md", ".hid"), extensions=(".md", ".y", ".b.y"), stems=("s*",)
    )  # fmt: skip
    assert [*row.globs(frozenset({".md"}))] == [
        "a/**/make.x", "a/**/s*.y", "a/**/s*.b.y", "make.x", "s*.y", "s*.b.y",
    ]  # fmt: skip
    assert [*ItemType("x", extensions=(".y",)).globs(frozenset())] == ["*.y"]


def test_which_row_claims_a_file() -> None:
    rows = [
        {"type": "n", "names": ["Exact.AB"]},
        {"type": "d", "extensions": [".b.ab"]},
        {"type": "s", "extensions": [".ab"], "stems": ["st*", "one"]},
        {"type": "p", "extensions": [".ab"], "folders": ["in"]},
        {"type": "q", "extensions": [".ab"], "folders": ["**/deep"]},
    ]
    table, problems = build_item_types(rows)
    assert problems == []

    def claimed(path: str) -> str:
        row = table.match(path)
        return row.type if row is not None and row.type in "ndspq" else ""

    assert [claimed(path) for path in (
        "exact.ab", "x.b.ab", ".b.ab", "stem.ab", "st.x.ab", "one.ab", "ones.ab", "in/ones.ab", "inn/x.ab",
        "a/deep/b/x.ab", "in/x.b.ab", "in/one.ab", "IN/x.ab", ".ab", "in/.ab",
    )] == ["n", "d", "", "s", "s", "s", "", "p", "", "q", "d", "s", "", "", ""]  # fmt: skip


def test_a_hidden_folder_may_contain_items() -> None:
    table = shipped_item_types()
    for folder, may in (
        (".claude/", True), (".claude/skills/", True), ("a/.claude/", True), (".claude/other/", False),
        (".git/", False), ("a/", False), (".claude", False), ("", False), (".ai/tools/", True),
    ):  # fmt: skip
        assert table.may_be_in(folder) is may, folder


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ({"type": "t" * 40}, ""),
        ({"type": "t" * 41}, "it must be a word in small letters"),
        ({"whole": "Class"}, "whole is 'Class': it must be a word in small letters"),
        ({"whole": ""}, ""),
        ({"extensions": [".md"] * 50}, ""),
        ({"folders": ["a"] * 51}, "a list of more than 50 entries"),
        ({"stems": ["s" * 200]}, ""),
        ({"stems": ["s" * 201]}, "an entry of more than 200 characters"),
        ({"without": ["s" * 201]}, "an entry of more than 200 characters"),
        ({"extensions": [".a.b.c"]}, ""),
        ({"extensions": [".a.b.c.d"]}, "extensions has '.a.b.c.d': it must begin with a dot"),
        ({"folders": ["a/../b"]}, "folders has 'a/../b': it must be a glob from the root"),
        ({"folders": ["a/..b"]}, ""),
        ({"weights": {"title": 0}}, ""),
        ({"weights": {"title": 100}}, ""),
        ({"weights": {"title": 100.5}}, "weights must be numbers from 0 to 100"),
        ({"metadata": ["keys:project"], "parts": ["keys:a.*"]}, ""),
        ({"metadata": ["keys", "eval:x"]}, "metadata has 'eval:x': it must be one of comment"),
        ({"user_folder": "~/a..b"}, ""),
        ({"user_folder": "~/a/../b"}, "user_folder is '~/a/../b': it must be a folder like"),
        ({"extensions": [], "names": []}, "neither extensions nor names: say which files"),
        ({"extensions": [], "names": ["x"]}, ""),
    ],
)
def test_each_value_of_a_row_has_its_bounds(row: dict[str, Any], fault: str) -> None:
    table, problems = build_item_types([{"type": "mine", "extensions": [".zz"], **row}], True)
    if not fault:
        assert problems == [] and len(table.rows) == len(shipped_item_types().rows) + 1
    else:
        assert problems[0].startswith("item_types, row 1: ") and fault in problems[0]


def test_a_long_fault_of_a_row_is_cut() -> None:
    (problem,) = build_item_types([{"type": "x", "k" * 400: 1}])[1]
    head, _, keys = problem.partition("; the keys are ")
    assert len(head) == len("item_types, row 1: ") + 200 and keys.startswith("type, folders, ")
    (problem,) = build_item_types([{"type": "x", "extensions": ["e" * 100]}])[1]
    assert f"'{'e' * 80}'" in problem


def test_a_table_keeps_its_answers_for_many_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(types, "_MOST_FOLDERS", 2)
    table, _ = build_item_types([{"type": "mine", "extensions": [".zz"], "folders": ["a*"]}])
    for _ in range(2):
        for folder, claimed in (("a1", True), ("b", False), ("a2", True), ("c", False)):
            row = table.match(f"{folder}/x.zz")
            assert (row is not None and row.type == "mine") is claimed
            assert len(table._of_folder) <= 2


def test_items_do_not_change() -> None:
    item = Item("t", "i", "n", {}, 0, 1, 0, 0, "")
    facts = ItemFacts("t", "i", {})
    for struct in (item, facts, ItemType("t")):
        with pytest.raises(AttributeError):
            struct.type = "u"  # type: ignore[misc]
    assert facts.weights == {} and msgspec.to_builtins(facts) == ["t", "i", {}, {}]
    assert msgspec.to_builtins(item) == ["t", "i", "n", {}, 0, 1, 0, 0, ""]
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"type": "t", "colour": 1}, ItemType)
