"""From files to items: their metadata by source, the parts that they list with their places, and
arbitrary bytes."""

import re
import time
from itertools import pairwise
from textwrap import dedent
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symindex.extract.documents.document import Document, Section
from symindex.extract.items.front_matter import read_front_matter
from symindex.extract.items.item import Item
from symindex.extract.items.read_items import read_items
from symindex.extract.items.types import shipped_item_types
from symindex.extract.items.versions import date_in

TYPES = shipped_item_types()


def sections_of(data: bytes, start: int) -> Document:
    """Returns the headings that begin with `#`, as a Markdown reader does: enough for these tests,
    which are not about readers."""
    headings = [*re.compile(rb"^(#+) +([^\n]+)$", re.MULTILINE).finditer(data, start)]
    sections = []
    for number, heading in enumerate(headings):
        level = len(heading[1])
        following = [other.start() for other in headings[number + 1 :]] + [len(data)]
        end = next(
            (other.start() for other in headings[number + 1 :] if len(other[1]) <= level), len(data)
        )
        end = heading.start() + len(data[heading.start() : end].rstrip())
        own = data[heading.end() : following[0]].decode("utf-8", "replace").strip()
        title = heading[2].decode("utf-8", "replace")
        sections.append(
            Section(
                title,
                level,
                heading[0].decode("utf-8", "replace"),
                heading.start(),
                end,
                *heading.span(2),
                own,
            )
        )
    opening = (
        data[start : headings[0].start() if headings else len(data)]
        .decode("utf-8", "replace")
        .strip()
    )
    return Document(sections, opening)


def read(path: str, text: str | bytes) -> list[Item]:
    """Returns the items of a file, after preparing its content as callers do."""
    data = text if isinstance(text, bytes) else dedent(text).encode()
    row = TYPES.match(path)
    assert row is not None
    front = read_front_matter(data)
    document = sections_of(data, front.end) if path.endswith((".md", ".mdc")) else None
    items = read_items(path, data, row, document, front)
    assert len({(item.type, item.id) for item in items}) == len(items)
    for item in items:
        assert item.start_byte <= item.end_byte <= len(data)
        assert (
            item.name_start == item.name_end == 0
            or item.start_byte <= item.name_start <= item.name_end <= item.end_byte
        )
    return items


def one(path: str, text: str) -> dict[str, Any]:
    (item,) = read(path, text)
    return dict(item.fields)


def test_a_document_with_a_leading_block() -> None:
    text = """\
        ```yaml
        id: search
        title: "rye_search"
        description: Find entries
        category: tools-reference
        tags: [search, api]
        version: "1.0.0"
        ```

        # rye_search

        Find entries by words.
        """
    (item,) = read(".ai/knowledge/rye/search.md", text)
    assert (item.type, item.id, item.name) == ("knowledge", "rye/search", "search")
    assert item.fields == {
        "id": "search",
        "title": "rye_search",
        "description": "Find entries",
        "category": "tools-reference",
        "tags": ["search", "api"],
        "version": "1.0.0",
        "name": "search",
    }
    data = dedent(text).encode()
    assert data[item.name_start : item.name_end] == b"rye_search" and (
        item.start_byte,
        item.end_byte,
    ) == (0, len(data))
    assert "Find entries by words." in item.text and "tools-reference" not in item.text


@pytest.mark.parametrize(
    ("path", "text", "fields"),
    [
        (
            ".ai/directives/create.md",
            """\
            <!-- rye:signed:x -->
            # Create

            ```xml
            <directive name="create_tool" version="1.2.0">
              <metadata>
                <description>Makes a &lt;tool&gt;
                   at once</description>
                <category>core</category>
                <author>Ada</author>
                <model tier="general" />
              </metadata>
              <inputs><input name="x">y</input></inputs>
            </directive>
            ```
            """,
            {"name": "create_tool", "version": "1.2.0", "description": "Makes a <tool> at once", "author": "Ada"},
        ),
        (
            ".ai/tools/rye/bash.py",
            '''\
            # rye:signed:x
            #!/usr/bin/env python3
            """Runs a command.

            And more."""
            __version__ = "1.10"
            __category__: str = 'rye/bash'  # a comment
            __tool_type__ = "it\\'s"
            __timeout__ = 30
            __safe__ = False
            __all__ = ["main"]
            x = 1
            def f():
                __inner__ = "no"
            ''',
            {
                "description": "Runs a command.", "version": "1.10", "category": "rye/bash", "tool_type": "it's", "timeout": "30",
                "safe": False, "name": "bash",
            },
        ),
        (
            ".ai/tools/run.sh",
            "#!/bin/sh\n# rye:signed:x\n# Runs all the tests.\n# In order.\n\n# other\nset -e\n",
            {"description": "Runs all the tests. In order.", "name": "run"},
        ),
        (
            ".ai/tools/run.js",
            "/**\n * Runs all the tests.\n */\nexport const __version__ = '2.0';\n",
            {"description": "Runs all the tests.", "version": "2.0", "name": "run"},
        ),
        (
            ".ai/tools/t.yaml",
            "name: t\nversion: 1.10\ndescription: Does things\nauthor: {name: Ada}\nconfig: {a: 1}\n",
            {"name": "t", "version": "1.10", "description": "Does things", "author": "Ada", "author.name": "Ada", "config.a": 1},
        ),
        (".gemini/commands/fix.toml", 'description = "Fixes"\nprompt = "long"\n', {"description": "Fixes", "name": "fix"}),
        (
            ".claude/skills/pdf/SKILL.md",
            "---\nname: pdf\nmetadata: {version: 2}\nsummary: Reads\n---\n## Part\n\ntext\n",
            {"name": "pdf", "metadata.version": 2, "version": "2", "summary": "Reads", "description": "Reads"},
        ),
        (
            "docs/a.md",
            "---\nauthors: [{name: Ada}, Bob]\nstatus: [draft]\ndate: 2024-13-45\ndraft: true\n---\n# T\n",
            {
                "authors": ['{"name": "Ada"}', "Bob"], "author": "Ada, Bob", "status": "draft", "date": "2024-13-45",
                "draft": True, "title": "T", "name": "a",
            },
        ),
        ("README.md", "[badge]\n\n# P\n\nshort\n\nP finds names in any code.\n", {"description": "P finds names in any code."}),
        (
            "docs/adr/1.md",
            "# 1. Use X\n\nDate: 2016-02-12\n\n## Status\n\nSuperseded by [2](2.md)\n\n## Context\n\nWe need to.\n",
            {"title": "1. Use X", "status": "Superseded by [2](2.md)", "date": "2016-02-12", "name": "1"},
        ),
        (
            "docs/adr/2.md",
            "# Use Y\n\n* Status: **accepted**\n* Deciders: Ada, Bob\n* Date: 2020-01-01\n\n## Context\n",
            {"status": "accepted", "author": "Ada, Bob", "date": "2020-01-01"},
        ),
        (".cursor/rules/a.mdc", "---\nglobs: *.py\nalwaysApply: false\n---\ntext\n", {"globs": "*.py", "alwaysApply": False}),
        ("docs/bad.md", "---\na: [\n---\n# T\n", {"title": "T", "name": "bad"}),
        (
            "Cargo.toml",
            '[package]\nname = "x"\nversion = "1.10"\nauthors = ["Ada <a@x>"]\n[dependencies]\ny = "1"\n',
            {"name": "x", "version": "1.10", "authors": ["Ada <a@x>"], "author": "Ada <a@x>"},
        ),
    ],
)  # fmt: skip
def test_metadata(path: str, text: str, fields: dict[str, Any]) -> None:
    metadata = one(path, text)
    constant = TYPES.match(path)
    assert constant is not None
    expected = {**constant.fields, **fields}
    assert {key: metadata.get(key) for key in expected} == expected
    if path == "docs/bad.md":
        assert metadata["problem"].startswith("front matter, line ")
    else:
        assert "problem" not in metadata
    assert "inner" not in metadata and "prompt" not in metadata and "dependencies.y" not in metadata


PARTS = [
    (
        "package.json",
        '{\r\n\t"name": "é",\r\n\t"scripts": {\r\n\t\t"build:all": "tsc -p .",\r\n\t\t"test": "run \\"x\\""\r\n\t}\r\n}',
        [("package/build:all", "build:all", {"command": "tsc -p ."}), ("package/test", "test", {"command": 'run "x"'})],
    ),
    (
        "app/pyproject.toml",
        """\
        [project]
        name = "é"
        [project.scripts]
        run = "app:main"
        "q.r" = "app:q"
        [tool.poe.tasks]
        lint = {cmd = "ruff", help = "Looks"}
        [tool.poe.tasks.type]
        shell = '''
        fake = 1
        '''
        [tool.hatch.envs.test.scripts]
        cov = ["a", "b"]
        """,
        [
            ("app/pyproject/run", "run", {"command": "app:main"}),
            ("app/pyproject/q.r", "q.r", {"command": "app:q"}),
            ("app/pyproject/lint", "lint", {"command": "ruff", "description": "Looks"}),
            ("app/pyproject/type", "tool.poe.tasks.type", {"command": "fake = 1"}),
            ("app/pyproject/test:cov", "cov", {"command": "a\nb"}),
        ],
    ),
    (
        ".github/workflows/ci.yml",
        """\
        # é
        on: [push]
        jobs:
          test:
            name: All tests
            needs: lint
            steps:
              - run: make

          # about lint
          "lint":
            uses: ./x.yml
        """,
        [
            (".github/workflows/ci/test", "test", {"title": "All tests", "needs": "lint"}),
            (".github/workflows/ci/lint", "lint", {"uses": "./x.yml"}),
        ],
    ),
    (
        ".gitlab-ci.yml",
        "stages: [a]\n.base: &b\n  script: [x, y]\n  stage: a\ndeploy:\n  <<: *b\n  only: [main]\n",
        [(".gitlab-ci/deploy", "deploy", {"command": "x\ny", "stage": "a", "only": ["main"]})],
    ),
    (
        "azure-pipelines.yml",
        "stages:\n- stage: B\n  jobs:\n  - job: J\n    displayName: Builds\n",
        [("azure-pipelines/B", "stage", {"stage": "B"}), ("azure-pipelines/J", "job", {"job": "J", "title": "Builds"})],
    ),
    (
        "Taskfile.yml",
        "version: '3'\ntasks:\n  build:\n    desc: Builds all\n    cmds:\n      - go build\n      - task: x\n  short: echo\n",
        [
            ("Taskfile/build", "build", {"description": "Builds all", "command": "go build"}),
            ("Taskfile/short", "short", {"command": "echo"}),
        ],
    ),
    (
        "Makefile",
        """\
        VAR := x
        A ?= b:c
        .PHONY: build test
        # Builds é
        # all of it
        build: dep.o $(OBJ) ## Builds
        \tcc -o x

        \tcc -o y
        test lint:: build
        \t./test
        %.o: %.c
        \tcc
        define block
        inside: x
        endef
        build: more
        target: FLAG = 1
        ifeq (a,b): x
        dep.o:
        """,
        [
            ("Makefile/build", "build", {"description": "Builds", "needs": ["dep.o", "$(OBJ)"]}),
            ("Makefile/test", "test", {"needs": ["build"]}),
            ("Makefile/lint", "lint", {"needs": ["build"]}),
            ("Makefile/dep.o", "dep.o", {}),
        ],
    ),
    (
        "justfile",
        """\
        set shell := ["sh", "-c"]
        x := "a: b"
        alias t := test

        # Runs é
        [group('check')]
        test what="a:b" *rest: build (lint "x")
          cargo test

          more
        @_hidden:
            echo
        [doc("Builds")]
        build:
        """,
        [
            (
                "justfile/test", "test",
                {
                    "description": "Runs é", "group": "check", "parameters": ['what="a:b"', "*rest"],
                    "needs": ["build", "lint", "x"],
                },
            ),
            ("justfile/_hidden", "_hidden", {}),
            ("justfile/build", "build", {"description": "Builds"}),
        ],
    ),
    (
        "CHANGELOG.md",
        """\
        # Changelog
        ## [Unreleased]
        ### Added
        - é
        ## [2.0.0] - 2024-01-02 [YANKED]
        text
        # 1.9.0 (March 5th, 2023)
        ### Notes for 2.0
        ## 1.8.0
        ### core (1.8.0)
        # v1.8.0
        """,
        [
            ("CHANGELOG/unreleased", "[Unreleased]", {"version": "unreleased", "status": "unreleased"}),
            ("CHANGELOG/2.0.0", "[2.0.0] - 2024-01-02 [YANKED]", {"version": "2.0.0", "date": "2024-01-02", "status": "yanked"}),
            ("CHANGELOG/1.9.0", "1.9.0 (March 5th, 2023)", {"version": "1.9.0", "date": "2023-03-05"}),
            ("CHANGELOG/1.8.0", "1.8.0", {"version": "1.8.0"}),
            ("CHANGELOG/1.8.0~2", "v1.8.0", {"version": "1.8.0"}),
        ],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("path", "text", "parts"), PARTS, ids=[path for path, _, _ in PARTS])
def test_parts(path: str, text: str, parts: list[tuple[str, str, dict[str, Any]]]) -> None:
    data = dedent(text).encode()
    row = TYPES.match(path)
    assert row is not None
    items = [item for item in read(path, data) if item.type == row.type]
    assert [(item.id, data[item.name_start : item.name_end].decode()) for item in items] == [
        part[:2] for part in parts
    ]
    for item, (_, _, fields) in zip(items, parts, strict=True):
        own = {key: value for key, value in item.fields.items() if key not in ("name", "runner")}
        own.pop("title", None) if row.type == "changelog" else None
        assert own == fields
        assert item.text and item.end_byte > item.start_byte
    assert all(
        one.end_byte <= two.start_byte or one.start_byte == two.start_byte
        for one, two in pairwise(items)
    )


@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf", b"   "])
def test_places_after_a_byte_order_mark(mark: bytes) -> None:
    data = mark + "tasks:\n  é:\n    desc: x\nother: 1\n".encode()
    (item,) = read("Taskfile.yml", data)
    assert (
        data[item.name_start : item.name_end].decode() == "é" and item.fields["description"] == "x"
    )


def test_the_range_of_a_part() -> None:
    data = dedent(PARTS[2][1]).encode()
    first, second = read(".github/workflows/ci.yml", data)
    assert data[first.start_byte : first.end_byte].decode().splitlines()[::6] == ["  test:"]
    assert data[first.start_byte : first.end_byte].endswith(b"run: make")
    assert data[second.start_byte : second.end_byte] == b'  "lint":\n    uses: ./x.yml'


def test_a_manifest_is_an_item_next_to_its_scripts() -> None:
    manifest, script = read(
        "a/package.json",
        '{"name": "@x/y", "version": "1.2.3", "scripts": {"t": "x"}, "author": {"name": "Ada"}}',
    )
    assert (manifest.type, manifest.id, manifest.fields["name"], manifest.fields["version"]) == (
        "manifest",
        "a/package",
        "@x/y",
        "1.2.3",
    )
    assert manifest.fields["author"] == "Ada" and (script.type, script.id) == (
        "task",
        "a/package/t",
    )


def test_what_lists_nothing() -> None:
    assert read("Makefile", "X = 1\n") == []
    assert [
        (item.type, item.id) for item in read("CHANGELOG.md", "# Changes\n\nSee elsewhere.\n")
    ] == [("changelog", "CHANGELOG")]
    (broken,) = read("Taskfile.yml", "tasks: [\n")
    assert str(broken.fields["problem"]).startswith("line 2: ")
    (broken,) = read("package.json", '{"scripts": {')
    assert broken.type == "manifest" and "not JSON" in str(broken.fields["problem"])


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("2024-1-2", "2024-01-02"), ("2024/01/02", "2024-01-02"), ("Dec 5, 2024", "2024-12-05"),
        ("5 December 2024", "2024-12-05"),
        ("September 1st 2020", "2020-09-01"), ("2024-13-45", ""), ("1.2.3", ""), ("", ""),
    ],
)  # fmt: skip
def test_dates(text: str, date: str) -> None:
    assert date_in(text) == date


PATHS = [
    "package.json", "pyproject.toml", "Cargo.toml", "Makefile", "justfile", "Taskfile.yml", ".github/workflows/a.yml",
    ".gitlab-ci.yml", "azure-pipelines.yml", "CHANGELOG.md", "README.md", "docs/adr/1.md", ".ai/tools/a.py",
    ".ai/tools/a.sh", ".ai/tools/a.json", ".ai/directives/a.md", ".claude/skills/a/SKILL.md", ".cursor/rules/a.mdc",
]  # fmt: skip

PIECES = st.sampled_from([
    "{", "}", "[", "]", '"', "'", ":", ",", "\n", "\r", "\t", " ", "  ", "scripts", "jobs:", "tasks:\n", "- job: ",
    "[alias]\n", "a = 1\n", "define x\n", "endef\n", "build: dep\n", "\tcmd\n", "# ", "## ", "## 1.2.3\n",
    "<directive name='x'>", "<metadata>", "</metadata>", "<a>b</a>", '__version__ = "', '"""', "---\n", "*a", "&a ",
    "<<: ", "é", "\0", "\ufeff", "\ud800", "\\", "[group('", "')]", "@", "* Status: x\n", "## Status\n", "/*", "*/",
    "!!x ", "1.0", "${{ x }}",
])  # fmt: skip


@given(st.sampled_from(PATHS), st.lists(PIECES, max_size=40).map("".join) | st.binary(max_size=100))
def test_any_bytes(path: str, content: str | bytes) -> None:
    for item in read(
        path, content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
    ):
        for text in (item.id, item.name, item.text, *item.fields, *map(str, item.fields.values())):
            text.encode()


UNITS = [
    "[", "{", '{"a":', "- ", "a: ", "a:\n", "a: b\n\t", "a b ", "define x\n", "# c\n", "## 1.2.3\n", "## x 1.2.3 y\n",
    "<metadata>", "<a>", '__a__ = "', '"""', "'", '"', "[a]\n", "a=1\n", "a 'b' ", "* Status: x", "\n", "\t\n", "&a ",
    "*a ", "\\", "//", "/*", "é",
]  # fmt: skip


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS)
def test_nothing_takes_long(path: str) -> None:
    """Each file is a megabyte of one repeated text."""
    row = TYPES.match(path)
    assert row is not None
    for unit in UNITS:
        data = (unit * (1_000_000 // len(unit.encode()))).encode()
        short = data[:60_000]
        document = Document([], data.decode()[:100_000])
        for content in (data, short):
            started = time.process_time()
            read_items(path, content, row, document, None)
            assert time.process_time() - started < 2.0, (path, unit)
