"""Outlines of a file, a folder, everything: they fit their budget, and count what they hide."""

import random
import re
from typing import Any

import msgspec
import pytest

from symindex.errors import RequestError
from symindex.protocol.explore import OutlineItem, OutlineRequest, OutlineResponse
from symindex.render.hints import tool_hint
from symindex.render.outline import render_outline
from symindex.text.token_budget import MOST_TOKENS, estimate_tokens
from symindex.workspace.workspace import Workspace
from tests.support.files import Files, Maker


def shown_of(items: list[OutlineItem], wanted: frozenset[str] | None = None) -> int:
    """Counts the rows independently of the code under test."""
    return sum(
        (item.kind != "folder" and (wanted is None or item.kind == "file" or item.kind in wanted))
        + shown_of(item.items, wanted)
        for item in items
    )


def omitted_rows(response: OutlineResponse) -> int:
    def of(items: list[OutlineItem]) -> int:
        return sum(item.omitted + of(item.items) for item in items)

    return response.omitted + of(response.items)


def random_tree(chance: random.Random) -> Files:
    files: Files = {}
    for _ in range(chance.randint(1, 25)):
        folders = [chance.choice("abc") * chance.randint(1, 9) for _ in range(chance.randint(0, 4))]
        lines = []
        for n in range(chance.choice([0, 1, 3, 20, 120])):
            lines.append(
                f"class {chance.choice('ABC')}{n}:"
                if chance.random() < 0.3
                else f"def function_{n}(a, b): pass"
            )
            if lines[-1].startswith("class"):
                lines += [
                    f"    def {chance.choice(['_', ''])}method_{m}(self): pass"
                    for m in range(chance.randint(1, 12))
                ]
        files["/".join([*folders, f"{chance.choice('mnop')}{chance.randint(0, 99)}.py"])] = (  # type: ignore[index]
            "\n".join(lines)
        )
    return files


@pytest.mark.nightly
@pytest.mark.slow
def test_outlines_fit_and_count_exactly_what_they_hide(make_workspace: Maker) -> None:
    chance = random.Random(5)
    for _ in range(6):
        workspace = make_workspace(random_tree(chance))
        everything = workspace.outline()
        assert everything.hidden == 0
        for _ in range(25):
            budget, depth = (
                chance.choice([1, 30, 60, 100, 300, 1_000, 5_000]),
                chance.choice([None, None, 1, 2, 3]),
            )
            kinds = chance.choice([None, ["class"], ["method"], ["function", "method"]])
            include: Any = chance.choice([msgspec.UNSET, ["signature"]])
            response = workspace.outline(
                "", max_tokens=budget, depth=depth, kinds=kinds, include=include
            )
            text = render_outline(response, tool_hint)
            rows = [
                line
                for line in text.split("\n")
                if line.lstrip().startswith("- ") and " more" not in line
            ]
            at_least = estimate_tokens(rows[0]) + 12 if rows else 0
            said = 5 * omitted_rows(response)
            assert estimate_tokens("\n".join(rows)) <= max(budget * 1.05 + 10, at_least), (
                budget,
                said,
                text,
            )
            wanted = (
                frozenset({*kinds, "constructor"} if kinds and "constructor" in kinds else kinds)
                if kinds
                else None
            )
            counted = response.symbols + (response.files if not wanted or response.symbols else 0)
            assert shown_of(response.items, wanted) + response.hidden == counted, (
                budget,
                depth,
                kinds,
                text,
            )
            assert rows or not response.symbols
            if response.hidden:
                assert "hidden. " in text


@pytest.mark.nightly
def test_an_outline_of_everything(tree: Workspace) -> None:
    text = render_outline(tree.outline("py"))
    assert text == (
        "# Outline: `py`\n6 symbols in 2 files\n\n- `shop.py`\n  - 4-12 class `Cart`\n    - 7-10 method `total`\n"
        "    - 12 method `_secret`\n  - 15 constant `VALUE`\n- `shop.pyi`\n  - 1-2 class `Cart`\n    - 2 method `total`\n"
    )
    assert render_outline(tree.outline("py", depth=1, max_tokens=500), tool_hint).endswith(
        "- `shop.py` (4 symbols)\n- `shop.pyi` (2 symbols)\n\n"
        '> 6 symbols hidden. Look into one: `outline {"path": ["py/shop.py"]}`.\n'
    )
    assert "1 symbol\n" in render_outline(tree.outline("vendor/shop.py"))


@pytest.mark.sample(7)
@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("py/", "py"),
        ("./py/../py", "py"),
        ("py/shop.py", "py/shop.py"),
        ("shop.pyi", "py/shop.pyi"),
        ("net\\server.go", "src/net/server.go"),
        ("**/*.py", "**/*.py"),
        (".", ""),
        ("", ""),
    ],
)
def test_paths_of_outlines(tree: Workspace, path: str, expected: str) -> None:
    assert tree.outline(path).path == expected
    assert tree.outline(str(tree.root / "py")).path == "py"


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("py/shup.py", "no file or folder 'py/shup.py'; nearest: py/shop.py"),
        ("pie", "no file or folder 'pie'"),
        ("docs", "docs: a folder without source files that symindex reads"),
        ("notes.xyz", "notes.xyz: in no language that symindex reads (.xyz)"),
        ("**/*.nope", "no file of the index matches"),
        ("..", "leads out of the root"),
        ("py/../../x", "leads out of the root"),
        ("/", "is outside of the root"),
        ("C:\\x", "no file or folder"),
        ("a\0b", "contains a NUL character"),
        ("\udcff", "not valid Unicode"),
        ("a/" * 50_000, "has 100,000 characters"),
        ("*" * 4_000, "no file of the index matches"),
    ],
)
def test_paths_that_name_nothing_say_why(tree: Workspace, path: str, words: str) -> None:
    if words == "no file of the index matches" and path.startswith("***"):
        assert tree.outline(path).files > 1
        return
    with pytest.raises(RequestError, match=re.escape(words)):
        tree.outline(path)


def test_outlines_of_files_without_symbols_say_why(tree: Workspace) -> None:
    assert tree.outline("empty.py").notices == ["python: the file defines nothing"]
    assert tree.outline("program").notices == ["no symbols were read: binary"]
    assert tree.outline("py", kinds=["enum"]).notices == [
        "no symbols of the kinds enum; without that filter there are 6"
    ]
    with pytest.raises(RequestError, match="unknown kind 'klass': expected one of"):
        tree.outline("py", kinds=["klass"])
    for wrong in ({"depth": 0}, {"max_tokens": -1}, {"include": ["doc"]}):
        with pytest.raises(RequestError):
            tree.outline("py", **wrong)


def test_a_folder_whose_name_looks_like_a_glob(make_workspace: Maker) -> None:
    workspace = make_workspace({"app/[id]/page.py": "x = 1\n", "app/i/page.py": "y = 1\n"})
    response = workspace.outline("app/[id]")
    assert [item.name for item in response.items] == ["app/[id]/page.py"]


@pytest.mark.nightly
@pytest.mark.slow
def test_deep_and_large_files(make_workspace: Maker) -> None:
    """Deep nesting and many symbols do not exceed any limit."""
    deep = "".join(f"namespace n{n} {{\n" for n in range(1_000)) + "int leaf;\n" + "}\n" * 1_000
    large = (
        "".join(f"def f{n}(): pass\n" for n in range(5_000))
        + "class C:\n"
        + "".join(f"    class D{n}:\n        x = 1\n" for n in range(2_000))
    )
    folders = "/".join("d" for _ in range(60))
    workspace = make_workspace({"deep.cpp": deep, "large.py": large, f"{folders}/a.py": "x = 1\n"})
    for path in ("deep.cpp", "large.py", ""):
        response = workspace.outline(path)
        assert shown_of(response.items) + response.hidden == response.symbols + (
            response.files if not path else 0
        )
        assert (
            msgspec.json.decode(msgspec.json.encode(response), type=OutlineResponse).hidden
            == response.hidden
        )
        assert render_outline(response)
        assert estimate_tokens(render_outline(workspace.outline(path, max_tokens=300))) < 500
    assert workspace.symbol("D1999.x", max_tokens=500).symbol is not None


def test_a_file_that_is_too_large_says_so(make_workspace: Maker) -> None:
    workspace = make_workspace({"a.py": "def only(): pass\n" * 200_000})
    with pytest.raises(
        RequestError,
        match=r"a.py is not in the index: larger than the size limit \(3,400,000 bytes\); max_file_bytes",
    ):
        workspace.outline("a.py")


@pytest.mark.parametrize(
    ("content", "reason"),
    [(b"\0\1", "1 binary"), (b"plain\n", "1 in no language that symindex reads (no suffix)")],
)
def test_a_folder_of_files_that_were_not_read_says_why(
    content: bytes, reason: str, make_workspace: Maker
) -> None:
    workspace = make_workspace({"a.py": "x = 1\n", "bin/run": content})
    with pytest.raises(
        RequestError, match=re.escape(f"bin: none of its 1 file was read: {reason}")
    ):
        workspace.outline("bin")


def test_the_hint_of_the_largest_answer_is_a_search_that_has_pages() -> None:
    request = OutlineRequest(path="src", max_tokens=MOST_TOKENS)
    response = OutlineResponse(
        request=request, path="src", files=2, symbols=9, hidden=7, omitted=1, items=[]
    )
    assert '`search {"query": "", "path": ["src"]}`' in render_outline(response, tool_hint)
    request = OutlineRequest(path="src", max_tokens=MOST_TOKENS - 1)
    assert f'"max_tokens": {MOST_TOKENS}' in render_outline(
        msgspec.structs.replace(response, request=request), tool_hint
    )


def test_hidden_rows_are_counted_as_symbols_or_files(make_workspace: Maker) -> None:
    workspace = make_workspace(
        {f"d{n}/m{m}.py": "def f(): pass\n" for n in range(4) for m in range(3)}
    )
    assert "> 24 symbols and files hidden. " in render_outline(workspace.outline("", depth=1))
    assert "> 3 symbols hidden. " in render_outline(workspace.outline("d1", depth=1))


def test_the_only_folder_of_a_globs_matches_is_not_a_level(make_workspace: Maker) -> None:
    tree = make_workspace({"a/b/x.py": "X = 1\n", "a/b/y.py": "def f(): pass\n", "z.py": "Z = 1\n"})
    text = render_outline(tree.outline("a/b/*.py", depth=1), tool_hint)
    assert "- `a/b/`\n  - `x.py` (1 symbol)\n  - `y.py` (1 symbol)\n" in text
