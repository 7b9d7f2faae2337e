"""Front matter: its forms, values of every kind, and broken and hostile blocks."""

import time
from textwrap import dedent
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from symindex.extract.items import front_matter
from symindex.extract.items.field_values import MOST_CHARACTERS, MOST_ENTRIES, MOST_FIELDS
from symindex.extract.items.front_matter import MOST_BYTES, read_front_matter

BODY = "# Body\n\ntext\n"


def read(text: str) -> dict[str, Any]:
    """Returns the fields of a text, after checking that the content after its front matter is the
    body."""
    data = dedent(text).encode() + BODY.encode()
    front = read_front_matter(data)
    assert front.problem == "", front.problem
    assert data[front.end :].decode().lstrip("\n") == BODY
    return dict(front.fields)


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("---\ntitle: A\n---\n", {"title": "A"}),
        ("---  \r\ntitle: A\r\ntags:\r\n  - x\r\n---\r\n", {"title": "A", "tags": ["x"]}),
        ("---\ntitle: A\n...\n", {"title": "A"}),
        ("\ufeff---\ntitle: A\n---\n", {"title": "A"}),
        ("   ---\ntitle: A\n---\n", {"title": "A"}),  # spaces in place of the byte order mark
        ("---\n---\n", {}),
        ("---\n# nothing but a comment\n---\n", {}),
        ('+++\ntitle = "A"\n[params]\nx.y = 1\n+++\n', {"title": "A", "params.x.y": 1}),
        ('{\n  "title": "A",\n  "n": [1, 2]\n}\n', {"title": "A", "n": [1, 2]}),
        ("```yaml\nid: search\ntags: [a, b]\n```\n", {"id": "search", "tags": ["a", "b"]}),
        ('```toml\nname = "x"\n```\n', {"name": "x"}),
        (
            "<!-- rye:signed:2026-01-01T00:00:00Z:abc:def:0123 -->\n---\ntitle: A\n---\n",
            {"title": "A"},
        ),
        ("<!-- rye:signed:x -->\n```yaml\nid: search\n```\n", {"id": "search"}),
        ("{/* license */}\n\n---\ntitle: A\n---\n", {"title": "A"}),
        ("# rye:signed:2026:abc\n---\ntitle: A\n---\n", {"title": "A"}),
        ("", {}),
    ],
)
def test_forms(text: str, fields: dict[str, Any]) -> None:
    assert read(text) == fields


@pytest.mark.parametrize(
    "text",
    [
        "---\n\nA line across the page, and text.\n\n---\n\nmore\n",
        "---\njust words\n---\n",
        "---\n- a list\n---\n",
        "----\ntitle: A\n----\n",
        "```yaml\nkind: Pod\n```\nan example\n",
        "```yaml\nname: [broken\n```\n",
        "```yaml\nname: never closed\n",
        "{{ template }}\n",
        "{/* MDX */}\ntext\n",
        "# Title\n---\na: b\n---\n",
        "",
    ],
)
def test_a_block_that_is_not_front_matter_is_content(text: str) -> None:
    assert read_front_matter(text.encode()) == ({}, 0, 0, "", "")


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("2024-01-02", "2024-01-02"),
        ("2024-13-45", "2024-13-45"),
        ("2024-01-02 03:04:05 +01:00", "2024-01-02 03:04:05 +01:00"),
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"),
        ("12:30:45", "12:30:45"),
        ("190:20:30", "190:20:30"),
        ("7", 7),
        ("-7", -7),
        ("-0", "-0"),
        ("010", "010"),
        ("0o17", "0o17"),
        ("0x1F", "0x1F"),
        ("0b11", "0b11"),
        ("1_000", "1_000"),
        ("+1", "+1"),
        ("1.5", 1.5),
        ("1.0", 1.0),
        ("1.10", "1.10"),
        ("1e5", "1e5"),
        ("1e400", "1e400"),
        (".inf", ".inf"),
        ("-.inf", "-.inf"),
        (".nan", ".nan"),
        ("123456789012345678", 123456789012345678),
        ("1" * 5000, "1" * 5000),
        ("true", True),
        ("False", False),
        ("yes", "yes"),
        ("off", "off"),
        ("n", "n"),
        ('"true"', "true"),
        ("'12'", "12"),
        ("!!int '12'", "12"),
        ("!!python/object/apply:os.system [ls]", ["ls"]),
        ("!!binary aGk=", "aGk="),
        ("!custom x", "x"),
        ("**/*.py, *.md", "**/*.py, *.md"),
        ("@scope/name", "@scope/name"),
        ("|\n  two\n  lines", "two\nlines\n"),
        ('"\\U0001F600"', "\U0001f600"),
    ],
)
def test_values(written: str, value: object) -> None:
    data = f"---\nx: {written}\n---\n".encode()
    field = read_front_matter(data).fields["x"]
    assert (field, type(field)) == (value, type(value))


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("2024-01-02", "2024-01-02"),
        ("2024-01-02T03:04:05Z", "2024-01-02T03:04:05+00:00"),
        ("03:04:05", "03:04:05"),
        ("inf", "inf"),
        ("nan", "nan"),
        ("1.10", "1.10"),
        ("1.5", 1.5),
        ("0x1F", 31),
        ("9" * 30, hex(int("9" * 30))),
    ],
)
def test_values_of_toml(written: str, value: object) -> None:
    assert read_front_matter(f"+++\nx = {written}\n+++\n".encode()).fields["x"] == value


def test_nested_values() -> None:
    fields = read(
        """\
        ---
        author: {name: Ada, email: a@x}
        authors: [{name: Ada}, Bob]
        none: ~
        empty: []
        a: {b: {c: 1}, d: null}
        1: one
        ? [k, e]
        : odd
        base: &base {p: 1, q: 2}
        merged: {<<: *base, q: 3}
        list: [a, 1, true, null, {k: [v]}]
        ---
        """.replace("? [k, e]\n        : odd\n        ", "")
    )
    assert fields == {
        "author.name": "Ada",
        "author.email": "a@x",
        "authors": ['{"name": "Ada"}', "Bob"],
        "a.b.c": 1,
        "1": "one",
        "base.p": 1,
        "base.q": 2,
        "merged.q": 3,
        "merged.p": 1,
        "list": ["a", 1, True, '{"k": ["v"]}'],
    }


BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{chr(98 + n)}: &{chr(98 + n)} [{', '.join([f'*{chr(97 + n)}'] * 9)}]\n" for n in range(9)
)


@pytest.mark.parametrize(
    ("block", "line", "said"),
    [
        ("title: [unclosed\n", 3, "front matter"),
        ("a: 1\nb: 'open\n", 4, "quote"),
        ("a: 1\n\tb: 2\n", 3, "t"),
        ("a: 1\n  b: 2\n", 3, "mapping values"),
        ("a: \x01\n", 2, "not allowed"),
        ("x: &x [*x]\n", 2, "inside of what it names"),
        ("x: &x {y: {z: *x}}\n", 2, "inside of what it names"),
        ("x: *nothing_that_is_there\ny: &y 1\nz: [*w]\n", 2, "names nothing"),
        (BOMB, 6, "values"),
        ("x: " + "[" * 40 + "]" * 40 + "\n", 2, "deep"),
        ("x: " + "{a: " * 40 + "1" + "}" * 40 + "\n", 2, "deep"),
        ("x: [" + "a, " * 25_000 + "]\n" * 1, 1, "65,536 bytes"),
        ("x: " + "y" * 1_000_000 + "\n", 1, "65,536 bytes"),
        ("%YAML 9.9\n", 2, "document"),
    ],
)
def test_a_bad_block_gives_a_line(block: str, line: int, said: str) -> None:
    data = f"---\n{block}---\n{BODY}".encode()
    started = time.perf_counter()
    front = read_front_matter(data)
    assert time.perf_counter() - started < 0.5
    assert len(repr(front.fields)) < 1_000
    assert data[front.end :].decode() == BODY
    assert front.problem.startswith("front matter, line ") and "\n" not in front.problem
    assert said in front.problem
    assert abs(int(front.problem.split("line ")[1].split(":")[0]) - line) <= 1


def test_an_unclosed_block_says_so() -> None:
    front = read_front_matter(b"---\ntitle: A\n\ntext\n")
    assert front == (
        {},
        0,
        0,
        "front matter, line 1: never closed: add a line `---` after it",
        "",
    )


def test_a_value_that_needs_quotes_is_read_and_named() -> None:
    front = read_front_matter(b"---\nname: x\ndescription: use when: asked\nglobs: *.py\n---\n")
    assert front.fields == {"name": "x", "description": "use when: asked", "globs": "*.py"}
    assert front.problem.startswith("front matter, line 3: mapping values are not allowed")


@pytest.mark.parametrize(
    ("block", "fields"),
    [
        (
            "argument-hint: [pr] [priority] [--force]\nmodel: opus",
            {"argument-hint": "[pr] [priority] [--force]", "model": "opus"},
        ),
        (
            "name: a\ndescription: [WIP] Makes things",
            {"name": "a", "description": "[WIP] Makes things"},
        ),
        (
            "globs: **/*.ts, *.js\nalwaysApply: true",
            {"globs": "**/*.ts, *.js", "alwaysApply": True},
        ),
        ("description: *bold* words", {"description": "*bold* words"}),
        ("name:a\ndescription:Reviews code", {"name": "a", "description": "Reviews code"}),
    ],
)
def test_values_that_agents_accept_unquoted_are_no_problem(
    block: str, fields: dict[str, Any]
) -> None:
    assert read(f"---\n{block}\n---\n") == fields


@pytest.mark.parametrize(
    ("block", "fields"),
    [
        (
            "description: First line\n  goes on: really\nname: a",
            {"description": "First line goes on: really", "name": "a"},
        ),
        (
            "description: First line\ngoes on here\nname: a: b",
            {"description": "First line goes on here", "name": "a: b"},
        ),
        (
            "name: a\n\tdescription: b\n\ttags: [x]",
            {"name": "a", "description": "b", "tags": ["x"]},
        ),
        ("meta:\n\ta: b\n\tc: d: e", {"meta.a": "b", "meta.c": "d: e"}),
        (
            "owner: @me\ntools: `ls`\nmode: %done\nn: 1",
            {"owner": "@me", "tools": "`ls`", "mode": "%done", "n": 1},
        ),
        ('description: "open\ntools: Read', {"description": "open", "tools": "Read"}),
        ("description: 'It's fine'\ntools: Read", {"description": "It's fine", "tools": "Read"}),
        ("name: a\ndescription:none", {"name": "a", "description": "none"}),
        ("tools: [a, b\nmodel: x", {"tools": "[a, b", "model": "x"}),
        ("name: a\nname: b: c", {"name": "b: c"}),
        (
            "tags:\n  - use: when: x\n  - plain\nname: a",
            {"tags": ["use: when: x", "plain"], "name": "a"},
        ),
        (
            "description: >\n  Use when: x\n  and more\nname: a: b",
            {"description": "Use when: x and more", "name": "a: b"},
        ),
        ("url: http://a/b: c\nat: 10:30: x", {"url": "http://a/b: c", "at": "10:30: x"}),
        ("a: b: c\n# d: e\nf: g", {"a": "b: c", "f": "g"}),
    ],
)
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_what_yaml_refuses_is_read_key_by_key(
    block: str, fields: dict[str, Any], ending: str, mark: str
) -> None:
    front = read_front_matter((mark + f"---\n{block}\n---\n".replace("\n", ending)).encode())
    assert front.fields == fields
    assert front.problem.startswith("front matter, line ")


def test_what_toml_refuses_is_read_key_by_key() -> None:
    block = 'title = "a"\ntitle = "b"\nbad = yes it is\n[params]\nq = 1\nr = \'open\n'
    front = read_front_matter(f"+++\n{block}+++\n".encode())
    assert front.fields == {"title": "b", "bad": "yes it is", "params.q": 1, "params.r": "open"}


@pytest.mark.nightly
def test_many_broken_keys_take_no_seconds() -> None:
    begun = time.process_time()
    for line in ("k: a: b\n", "k:\n x:\n  y: a: b\n", "k: [\n", "k: a: '\n", "\tk: a: b\n"):
        front = read_front_matter(b"---\n" + line.encode() * (60_000 // len(line)) + b"---\n")
        assert front.fields and front.problem
    assert time.process_time() - begun < 3


def test_what_is_cut_is_reported() -> None:
    many = "".join(f"k{n}: {n}\n" for n in range(MOST_FIELDS + 1))
    front = read_front_matter(f"---\n{many}---\n".encode())
    assert len(front.fields) == MOST_FIELDS and "more than 200 fields" in front.problem
    long = read_front_matter(
        f"---\nt: {'x' * (MOST_CHARACTERS + 1)}\nl: [{'a, ' * (MOST_ENTRIES + 1)}]\n---\n".encode()
    )
    assert [len(value) for value in long.fields.values() if isinstance(value, str | list)] == [
        MOST_CHARACTERS,
        MOST_ENTRIES,
    ]
    assert "10,000 characters" in long.problem and "200 entries" in long.problem


PIECES = st.sampled_from([
    "---\n", "+++\n", "```yaml\n", "```\n", "{\n", "}", '"a": ', "a: ", "b = ", "- ", "&x ", "*x ", "<<: ", "[", "]", "{",
    ",", "'", '"', "\n", "  ", "\t", "2024-13-45", ".nan", "0x1", "1e9", "|\n", ">\n", "!!python/name:os ", "? ", "# ",
    "<!--", "-->", "\ufeff", "\0", "é", "\ud800", "\x85", "\u2028", "null", "[a.b.c]\n", '"""', "'''", "\\ud800", "\r\n",
    "name: x\n",
])  # fmt: skip


@pytest.mark.nightly
@given(
    st.lists(PIECES, max_size=40).map("".join),
    st.sampled_from(["", "---\n", "+++\n", "{\n", "```yaml\n"]),
)
@example('"\\ud800": "\\ud800"}', "{\n")
def test_any_text(text: str, opening: str) -> None:
    data = (opening + text).encode("utf-8", "surrogatepass")
    for content in (data, data + b"\n---\n", data + b"\n+++\n" + data):
        check_any(content)


@given(st.binary(max_size=200))
def test_any_bytes(data: bytes) -> None:
    check_any(b"---\n" + data + b"\n---\n")


def check_any(data: bytes) -> None:
    front = read_front_matter(data)
    assert 0 <= front.start <= front.end <= len(data)
    assert "\n" not in front.problem
    for key, value in front.fields.items():
        for part in [key, *(value if isinstance(value, list) else [value])]:
            assert isinstance(part, str | int | float | bool)
            str(part).encode()


@pytest.mark.sample(48)
@pytest.mark.parametrize(
    "unit",
    [
        "[",
        "{",
        "- ",
        "? ",
        "a: ",
        "&a ",
        "*a ",
        "!!x ",
        "'",
        '"',
        "\n ",
        "{a: [",
        "<!--",
        "-- ",
        "# signed:\n",
        "a: &a [*a]\n",
    ],
)
@pytest.mark.parametrize("opening", ["---\n", "+++\n", "{\n", ""])
def test_nothing_takes_long(unit: str, opening: str) -> None:
    text = (opening + "a" * (opening == "{\n") + unit * (MOST_BYTES // len(unit) - 10)).encode()
    for closing in (b"", b"\n---\n", b"\n+++\n"):
        started = time.perf_counter()
        read_front_matter(text + closing + b"x" * 1_000_000)
        assert time.perf_counter() - started < 1.0


def test_the_bound_is_of_the_block() -> None:
    data = f"---\nx: {'y' * 60_000}\n---\n".encode()
    assert read_front_matter(data).fields and front_matter.MOST_BYTES == 65_536


@pytest.mark.parametrize(
    ("text", "fields", "is_said"),
    [
        ('{\n  "title": "A",\n  "tags": ["x"],\n}\n# B\n', {"title": "A", "tags": ["x"]}, False),
        (
            '---json\n{"title": "A", "tags": ["x"],}\n---\n# B\n',
            {"title": "A", "tags": ["x"]},
            False,
        ),
        ('{\n  "title": "A,\n  "tags": "x"\n}\n# B\n', {"tags": "x"}, True),
        (
            '---json\n{\n  "title": "A",\n  "tags": "x\n}\n---\n# B\n',
            {"title": "A", "tags": "x"},
            True,
        ),
    ],
)
def test_broken_json_keeps_what_can_be_read(
    text: str, fields: dict[str, object], is_said: bool
) -> None:
    front = read_front_matter(text.encode())
    assert front.fields.items() >= fields.items() and text.encode()[front.end :].startswith(b"# B")
    assert ("front matter, line" in front.problem) is is_said


@pytest.mark.parametrize(
    ("opening", "text"),
    [("---json", '{"title": "A"}'), ("---toml", 'title = "A"'), ("--- yaml", "title: A")],
)
def test_a_fence_may_name_its_format(opening: str, text: str) -> None:
    assert read_front_matter(f"{opening}\n{text}\n---\nx\n".encode()).fields == {"title": "A"}
