"""Symbols, outlines and maps as Markdown: each page to the byte."""

from typing import Any

import msgspec
import pytest

from symindex.protocol.explore import (
    LastCommit,
    OutlineItem,
    OutlineRequest,
    OutlineResponse,
    SymbolDetail,
    SymbolLine,
    SymbolRequest,
    SymbolResponse,
    TextRange,
)
from symindex.protocol.overview import MapFile, MapFolder, MapRequest, MapResponse, MapSymbol
from symindex.protocol.search import Range
from symindex.render.outline import render_map, render_outline
from symindex.render.symbol import render_symbol
from symindex.text.token_budget import MOST_TOKENS


def symbol_line(name: str, line: int = 3, **more: Any) -> SymbolLine:
    fields: dict[str, Any] = {
        "name": name, "kind": "method", "file_path": "a.py", "line": line, "end_line": line,
    }  # fmt: skip
    return SymbolLine(**(fields | more))


DETAIL = SymbolDetail(
    id="a.py#Cart.add",
    name="add",
    kind="method",
    language="python",
    file_path="a.py",
    line=9,
    range=Range(start_line=9, end_line=10),
    container="Cart",
    container_chain=[],
    signature="def add(self)",
    doc="",
    flags=["exported"],
    code="def add(self):\n    pass",
    code_start_line=9,
    code_end_line=10,
    is_whole=True,
    more_lines="",
    members=[],
    hidden_members=0,
    siblings=[],
    hidden_siblings=0,
)

HEAD = """# Symbol: `a.py#Cart.add`
method in `Cart`, python, lines 9-10
"""
CODE = """
```python
 9 def add(self):
10     pass
```
"""


def detail_page(request: SymbolRequest | None = None, **more: Any) -> str:
    request = request or SymbolRequest(symbol="add")
    symbol = msgspec.structs.replace(DETAIL, **more)
    return render_symbol(SymbolResponse(request=request, symbol=symbol, others=[], total=1))


DETAILS: dict[str, tuple[dict[str, Any], str]] = {
    "code has line numbers, aligned to the right": ({}, HEAD + CODE),
    "one line is a line": (
        {"range": Range(start_line=7, end_line=7), "code": "x", "code_start_line": 7, "code_end_line": 7},
        "# Symbol: `a.py#Cart.add`\nmethod in `Cart`, python, line 7\n\n```python\n7 x\n```\n",
    ),
    "flags come before the kind, but not exported": (
        {"flags": ["exported", "test", "local"]},
        HEAD.replace("method", "test local method") + CODE,
    ),
    "a symbol without a container has the chain around it": (
        {"container": None, "container_chain": [symbol_line("A"), symbol_line("B")]},
        HEAD.replace("`Cart`, ", "`A.B`, ") + CODE,
    ),
    "at the top of a file nothing is around it": (
        {"container": None}, HEAD.replace(" in `Cart`", "") + CODE,
    ),
    "a doc that the code shows is not repeated": (
        {"code": '"""Adds, a row."""', "code_end_line": 9, "doc": "Adds a row."},
        HEAD + '\n```python\n9 """Adds, a row."""\n```\n',
    ),
    "a doc elsewhere is a quotation": (
        {"doc": "Adds a row.\n\nAnd more."}, HEAD + "\n> Adds a row.\n>\n> And more.\n" + CODE,
    ),
    "the head of a long symbol comes before its code": (
        {"head": "def add(\n    self,", "code": "a", "code_start_line": 99, "code_end_line": 99},
        HEAD + "\n```python\n 9 def add(\n10     self,\n```\n\n```python\n99 a\n```\n",
    ),
    "prose has no line numbers": (
        {"kind": "section", "language": "markdown", "code": "# Add\nIt adds.", "head": "# Add"},
        HEAD.replace("method", "section").replace("python", "markdown")
        + "\n```markdown\n# Add\n```\n\n```markdown\n# Add\nIt adds.\n```\n",
    ),
    "nor has an item": (
        {"kind": "item"}, HEAD.replace("method", "item") + "\n```python\ndef add(self):\n    pass\n```\n",
    ),
    "without code there is the signature": (
        {"code": "", "code_start_line": 1, "code_end_line": 0},
        HEAD + "\n```python\ndef add(self)\n```\n",
    ),
    "an empty line is code": (
        {"code": "", "code_start_line": 9, "code_end_line": 9}, HEAD + "\n```python\n9\n```\n",
    ),
    "without code and signature there is no block": (
        {"code": "", "code_start_line": 1, "code_end_line": 0, "signature": ""}, HEAD,
    ),
    "a part of the code says which lines it is, and how to get more": (
        {"is_whole": False, "code": "a", "code_end_line": 9, "more_lines": "10-12"},
        HEAD + "\n```python\n9 a\n```\n\n"
        "> Line 9 of 9-10. More: `symindex symbol --lines 10-12 'a.py#Cart.add'`\n",
    ),
    "the last part leads nowhere": (
        {"is_whole": False}, HEAD + CODE + "\n> Lines 9-10 of 9-10.\n",
    ),
    "the commit that changed it": (
        {"last_commit": LastCommit(commit="0123456789abcdef", date="2026-11-24", subject="Add", is_exact=True)},
        HEAD + CODE + "\nLast touched by commit 0123456789ab of 2026-11-24: `Add`\n",
    ),
    "the oldest commit that was examined": (
        {"last_commit": LastCommit(commit="01", date="2026-11-24", subject="Add", is_exact=False)},
        HEAD + CODE + "\nNot touched since commit 01 of 2026-11-24: `Add`\n",
    ),
    "members have a place, and a kind unless the signature shows it": (
        {
            "members": [
                symbol_line("a", signature="def a()"),
                symbol_line("b", kind="field", signature="b: int"),
                symbol_line("c"),
                symbol_line("d", file_path="b.py", kind="class", signature="class d"),
            ],
        },
        HEAD + CODE + "\nMembers elsewhere:\n- 3 `def a()`\n- 3 `b: int` field\n- 3 `c` method\n"
        "- `b.py:3` `class d`\n",
    ),
    "members of a symbol whose code is cut are not elsewhere": (
        {"is_whole": False, "members": [symbol_line("a")]},
        HEAD + CODE + "\n> Lines 9-10 of 9-10.\n\nMembers:\n- 3 `a` method\n",
    ),
    "nor are those of a symbol without code": (
        {"code": "", "code_start_line": 1, "code_end_line": 0, "signature": "", "members": [symbol_line("a")]},
        HEAD + "\nMembers:\n- 3 `a` method\n",
    ),
    "hidden members have a hint with room for all": (
        {"members": [symbol_line("a")], "hidden_members": 1_500},
        HEAD + CODE + "\nMembers elsewhere:\n- 3 `a` method\n"
        "- and 1,500 more: `symindex symbol --max-tokens 1701 add`\n",
    ),
    "members that are all hidden have a hint, too": (
        {"hidden_members": 2},
        HEAD + CODE + "\nMembers elsewhere:\n- and 2 more: `symindex symbol --max-tokens 202 add`\n",
    ),
    "siblings come after members": (
        {"members": [symbol_line("a")], "siblings": [symbol_line("b", 4)], "hidden_siblings": 1},
        HEAD + CODE + "\nMembers elsewhere:\n- 3 `a` method\n\nSiblings:\n- 4 `b` method\n"
        "- and 1 more: `symindex symbol --max-tokens 202 add`\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", DETAILS)
def test_a_symbol(case: str) -> None:
    fields, expected = DETAILS[case]
    assert detail_page(**fields) == expected


def test_a_doc_is_shown_by_code_with_its_first_sixty_letters() -> None:
    beginning = "a" * 60
    shown = detail_page(code=f"# {beginning}", code_end_line=9, doc=f"{beginning} and more")
    assert "> " not in shown
    assert "> " in detail_page(code=f"# {beginning[1:]}", code_end_line=9, doc=f"{beginning}s")


REQUESTED: dict[str, tuple[SymbolRequest, dict[str, Any], str]] = {
    "lines that were asked for are named even if they are all": (
        SymbolRequest(symbol="add", lines="9-10"), {}, "\n> Lines 9-10; the symbol is 9-10.\n",
    ),
    "the hint keeps the budget": (
        SymbolRequest(symbol="add", max_tokens=50, lines="9-10"),
        {"more_lines": "11-12"},
        "\n> Lines 9-10; the symbol is 9-10. More: "
        "`symindex symbol --lines 11-12 --max-tokens 50 'a.py#Cart.add'`\n",
    ),
    "the hint keeps what was asked for": (
        SymbolRequest(symbol="add", siblings=True, code=False, max_tokens=100),
        {"siblings": [symbol_line("b")], "hidden_siblings": 1},
        "\nSiblings:\n- 3 `b` method\n"
        "- and 1 more: `symindex symbol --siblings --no-code --max-tokens 400 add`\n",
    ),
    "the hint asks for no more tokens than there can be": (
        SymbolRequest(symbol="add", max_tokens=MOST_TOKENS - 1),
        {"hidden_siblings": 1},
        f"\nSiblings:\n- and 1 more: `symindex symbol --max-tokens {MOST_TOKENS} add`\n",
    ),
    "with the largest budget the file is left": (
        SymbolRequest(symbol="add", max_tokens=MOST_TOKENS),
        {"hidden_siblings": 1_001},
        "\nSiblings:\n- and 1,001 more in its file, page by page: `symindex search --path a.py`\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REQUESTED)
def test_a_requested_part_of_a_symbol(case: str) -> None:
    request, fields, expected = REQUESTED[case]
    assert detail_page(request, **fields) == HEAD + CODE + expected


def answer(**more: Any) -> str:
    fields: dict[str, Any] = {
        "request": SymbolRequest(symbol="add"), "symbol": None, "others": [], "total": 0,
    }  # fmt: skip
    return render_symbol(SymbolResponse(**(fields | more)))


OTHERS = [
    symbol_line("add", id="a.py#add", kind="function"),
    symbol_line("add", 1_200, id="b.py#A.add", signature="def add(self)"),
]
OTHER_ROWS = "- `a.py#add` function, line 3\n- `b.py#A.add` method, line 1200: `def add(self)`\n"
ANSWERS: dict[str, tuple[dict[str, Any], str]] = {
    "nothing has the name, and something resembles it": (
        {"suggestions": ["abb", "ad"]},
        "# Symbol: `add`\nNo symbol has this name.\n\n> Nearest names: `abb`, `ad`.\n",
    ),
    "nothing resembles it": (
        {}, "# Symbol: `add`\nNo symbol has this name.\n\n> Search for parts of it: `symindex search add`.\n",
    ),
    "nothing resembles it, and a notice says why": (
        {"notices": ["the index is empty"]},
        "# Symbol: `add`\nNo symbol has this name.\n\n> the index is empty\n",
    ),
    "several have the name": (
        {"others": OTHERS, "total": 2},
        f"# Symbol: `add`\n2 symbols have this name; ask for one by its id:\n\n{OTHER_ROWS}",
    ),
    "one has the name": (
        {"others": OTHERS[:1], "total": 1},
        "# Symbol: `add`\n1 symbol has this name; ask for one by its id:\n\n"
        "- `a.py#add` function, line 3\n",
    ),
    "many have the name": (
        {"others": OTHERS, "total": 1_003},
        f"# Symbol: `add`\n1,003 symbols have this name; ask for one by its id:\n\n{OTHER_ROWS}"
        "- and 1,001 more: `symindex search add`\n",
    ),
    "one is meant, and others have the name": (
        {"symbol": DETAIL, "others": OTHERS, "total": 3},
        f"{HEAD}{CODE}\n2 more have this name, but are less likely meant:\n\n{OTHER_ROWS}",
    ),
    "one is meant, and more others have the name than are listed": (
        {"symbol": DETAIL, "others": OTHERS, "total": 4},
        f"{HEAD}{CODE}\n3 more have this name, but are less likely meant:\n\n{OTHER_ROWS}"
        "- and 1 more: `symindex search add`\n",
    ),
    "any of a few may be meant": (
        {"candidates": [DETAIL, DETAIL], "total": 2},
        f"# Symbol: `add`\n2 symbols have this name:\n\n#{HEAD}{CODE}\n#{HEAD}{CODE}",
    ),
    "any of a few may be meant, and less likely others": (
        {"candidates": [DETAIL], "total": 1_002},
        f"# Symbol: `add`\n1,002 symbols have this name:\n\n#{HEAD}{CODE}\n"
        "And 1,001 less likely: `symindex search add`\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", ANSWERS)
def test_which_symbols_a_name_means(case: str) -> None:
    fields, expected = ANSWERS[case]
    assert answer(**fields) == expected


def test_lines_of_a_file() -> None:
    text = TextRange(
        file_path="a.py",
        language="python",
        code="x = 1\ny = 2",
        code_start_line=9,
        code_end_line=10,
        n_lines=1_200,
        touched=[symbol_line("x", 9), symbol_line("y", 10, container="C")],
        more_lines="11-20",
    )
    head = "# Lines: `a.py`\nlines 9-10 of 1,200\n"
    code = "\n```python\n 9 x = 1\n10 y = 2\n```\n"
    assert answer(text=text) == (
        f"{head}\nSymbols: `x` 9, `C.y` 10\n{code}\n> More: `symindex symbol a.py:11-20`\n"
    )
    bare = msgspec.structs.replace(text, touched=[], more_lines="")
    assert answer(text=bare) == f"{head}{code}"


def outline(request: OutlineRequest | None = None, **more: Any) -> str:
    fields: dict[str, Any] = {
        "request": request or OutlineRequest(), "path": "", "files": 1, "symbols": 0, "hidden": 0,
        "omitted": 0, "items": [],
    }  # fmt: skip
    return render_outline(OutlineResponse(**(fields | more)))


def row(name: str, kind: str = "method", line: int = 0, end: int = 0, **more: Any) -> OutlineItem:
    return OutlineItem(name=name, kind=kind, line=line, end_line=end, **more)


SHUT = row("C", "class", 2, 8, hidden=1_200, id="a.py#C")
TREE = [
    row("src/a.py", "file", symbols=2, items=[
        row("A", "class", 1, 9, items=[row("m", line=3, end=4, signature="def m()")], omitted=2),
        row("LIMIT", "constant", 11, 11),
    ]),
    row("src/b.py", "file", symbols=7, hidden=7),
    row("src/deep", "folder", files=1, symbols=1, hidden=1),
    row("src/open", "folder", files=1, symbols=1, items=[row("src/open/c.py", "file", symbols=1)]),
]  # fmt: skip
TREE_ROWS = """- `a.py`
  - 1-9 class `A`
    - 3-4 method `def m()`
    - and 2 more
  - 11 constant `LIMIT`
- `b.py` (7 symbols)
- `deep/` (1 file, 1 symbol)
- `open/`
  - `c.py`
"""
HIDING = "hidden. Look into one: `symindex outline src/b.py`."
OUTLINES: dict[str, tuple[OutlineRequest, dict[str, Any], str]] = {
    "a file": (
        OutlineRequest(path="a.py"),
        {"path": "a.py", "symbols": 2, "items": [row("f", "function", 1, 1)]},
        "# Outline: `a.py`\n2 symbols\n\n- 1 function `f`\n",
    ),
    "nothing": (
        OutlineRequest(), {"files": 0, "notices": ["empty"]},
        "# Outline: `.`\n0 symbols in 0 files\n\n> empty\n",
    ),
    "a folder, with names relative to the row above": (
        OutlineRequest(path="src"), {"path": "src", "files": 1_004, "symbols": 1, "items": TREE},
        f"# Outline: `src`\n1 symbol in 1,004 files\n\n{TREE_ROWS}",
    ),
    "closed folders count files, and the fullest one is named": (
        OutlineRequest(path="src"),
        {"path": "src", "files": 4, "symbols": 11, "items": TREE, "hidden": 8},
        f"# Outline: `src`\n11 symbols in 4 files\n\n{TREE_ROWS}\n> 8 symbols and files {HIDING}\n",
    ),
    "without closed folders, only symbols are hidden": (
        OutlineRequest(), {"files": 2, "items": TREE[1:2], "hidden": 1_007},
        f"# Outline: `.`\n0 symbols in 2 files\n\n- `src/b.py` (7 symbols)\n\n> 1,007 symbols {HIDING}\n",
    ),
    "in one file nothing hides files": (
        OutlineRequest(path="a.py"), {"path": "a.py", "items": [SHUT], "hidden": 1},
        "# Outline: `a.py`\n0 symbols\n\n- 2-8 class `C` (+1,200)\n\n"
        "> 1 symbol hidden. Look into one: `symindex symbol 'a.py#C'`.\n",
    ),
    "rows that are left out need a larger answer": (
        OutlineRequest(max_tokens=200),
        {"files": 2, "items": TREE[1:2], "hidden": 1, "omitted": 1_001},
        "# Outline: `.`\n0 symbols in 2 files\n\n- `src/b.py` (7 symbols)\n- and 1,001 more\n\n"
        "> 1 symbol or file hidden. Look into one: `symindex outline src/b.py`. "
        "For a larger answer: `symindex outline --max-tokens 800`.\n",
    ),
    "a larger answer keeps kinds, depth and signatures": (
        OutlineRequest(path="a.py", kinds=["class"], depth=2, max_tokens=1, include=["signature"]),
        {"path": "a.py", "hidden": 3},
        "# Outline: `a.py`\n0 symbols\n\n> 3 symbols hidden. For a larger answer: "
        "`symindex outline --kind class --depth 2 --signatures --max-tokens 500 a.py`.\n",
    ),
    "without a budget, the hint asks for the least": (
        OutlineRequest(path="a.py", include=[]), {"path": "a.py", "hidden": 3},
        "# Outline: `a.py`\n0 symbols\n\n> 3 symbols hidden. For a larger answer: "
        "`symindex outline --max-tokens 500 a.py`.\n",
    ),
    "a larger answer has no more tokens than there can be": (
        OutlineRequest(path="a.py", max_tokens=MOST_TOKENS - 1), {"path": "a.py", "hidden": 3},
        "# Outline: `a.py`\n0 symbols\n\n> 3 symbols hidden. For a larger answer: "
        f"`symindex outline --max-tokens {MOST_TOKENS} a.py`.\n",
    ),
    "what does not fit into the largest answer comes page by page": (
        OutlineRequest(path="a.py", kinds=["class"], max_tokens=MOST_TOKENS),
        {"path": "a.py", "hidden": 3},
        "# Outline: `a.py`\n0 symbols\n\n> 3 symbols hidden. Page by page: "
        "`symindex search --kind class --path a.py`.\n",
    ),
    "page by page through everything": (
        OutlineRequest(max_tokens=MOST_TOKENS),
        {"files": 2, "items": TREE[1:2], "hidden": 3, "omitted": 2},
        "# Outline: `.`\n0 symbols in 2 files\n\n- `src/b.py` (7 symbols)\n- and 2 more\n\n"
        f"> 3 symbols and files {HIDING} Page by page: `symindex search`.\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", OUTLINES)
def test_an_outline(case: str) -> None:
    request, fields, expected = OUTLINES[case]
    assert outline(request, **fields) == expected


def test_an_outline_writes_paths_as_its_reader_names_them() -> None:
    response = OutlineResponse(
        request=OutlineRequest(path="a.py", kinds=["class"]), path="a.py", files=2, symbols=1,
        hidden=1, omitted=1, items=[row("a.py", "file", symbols=1, hidden=1)],
    )  # fmt: skip
    page = render_outline(response, shown=lambda path: f"../{path}")
    assert page.startswith("# Outline: `../a.py`\n")
    assert page.endswith(
        "Look into one: `symindex outline --kind class ../a.py`. For a larger answer: "
        "`symindex outline --kind class --max-tokens 500 ../a.py`.\n"
    )
    response = msgspec.structs.replace(response, items=[SHUT])
    assert "symindex symbol '../a.py#C'" in render_outline(
        response, shown=lambda path: f"../{path}"
    )


@pytest.mark.parametrize(("tokens", "call"), [
    (10, "outline --max-tokens 500 ../a ../b '!../a/c.py'"),
    (MOST_TOKENS, "search --path ../a --path ../b --path '!../a/c.py'"),
])  # fmt: skip
def test_an_outline_of_several_paths_leads_to_a_larger_one_of_all(tokens: int, call: str) -> None:
    paths = ["a", "b", "!a/c.py"]
    response = OutlineResponse(
        request=OutlineRequest(path=[*paths], max_tokens=tokens), path=", ".join(paths), files=2,
        symbols=2, hidden=2, omitted=2, items=[],
    )  # fmt: skip
    page = render_outline(response, shown=lambda path: f"../{path}")
    assert page.startswith("# Outline: `../a, ../b, !../a/c.py`\n")
    assert page.endswith(f": `symindex {call}`.\n")


def test_a_map() -> None:
    symbols = [MapSymbol(name="A.f", kind="method", line=3), MapSymbol(name="g", kind="function", line=1_200, signature="def g()")]  # fmt: skip
    response = MapResponse(
        request=MapRequest(),
        path="src",
        files=[
            MapFile(file_path="src/a.py", language="python", symbols=symbols),
            MapFile(file_path="src/__init__.py", language="python", symbols=[]),
        ],
        files_in_all=1,
        symbols_in_all=1_202,
        folders=[MapFolder(name="src", files=7), MapFolder(name="__x__", files=1)],
        notices=["empty"],
    )
    assert render_map(response) == (
        "# Map: `src`\n1,202 symbols in 1 file\n\nFolders: src 7, `__x__` 1\n\n"
        "src/a.py\n- 3 `method A.f`\n- 1200 `def g()`\n`src/__init__.py`\n\n> empty\n"
    )
    bare = msgspec.structs.replace(response, path="", files=[], folders=response.folders[:1], notices=[])  # fmt: skip
    assert render_map(bare) == "# Map: `.`\n1,202 symbols in 1 file\n\n"
