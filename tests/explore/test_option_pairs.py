"""Options of references, text searches and questions in pairs: what each means does not depend on
the others.

As in `search/test_option_pairs`, the combinations are covering arrays. A text search is also
compared with reading every line of every file.
"""

import json
import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from symindex.protocol.explore import ReferencesRequest, ReferencesResponse
from symindex.protocol.grep import GrepRequest, GrepResponse
from symindex.protocol.recall import TextRequest
from symindex.serve.mcp.handlers import ToolHandlers
from symindex.workspace.workspace import Workspace
from tests.support.command import run
from tests.support.files import Files, write_files
from tests.support.pairs import Combination, cases

FILES: Final[Files] = {
    "py/shop.py": (
        "import json\n\n\nclass Cart:\n    '''A cart with a total.'''\n\n    def total(self):\n"
        "        # the total, not the Total\n        text = 'total: none'; return self.total\n\n"
        "    def pay(self):\n        return self.total() + total()\n\n\ndef total():\n    return 'Total'\n"
    ),
    "py/late.py": "from shop import Cart, total\n\n\nclass Late(Cart):\n    def pay(self):\n        self.count = total()\n        return Cart().total()\n",
    "src/shop.go": 'package shop\n\n// total of it\nfunc total(a int) int { return a }\n\nfunc pay() int { s := "total"; _ = s; return total(1) }\n',
    "web/cart.ts": "export function total(a: number) { return a; }\nconst paid = total(1); // total\nconst text = `total ${total(2)}`;\n",
    "tests/test_shop.py": "from shop import Cart\n\n\ndef test_total():\n    cart = Cart()\n    assert cart.total() == 'total'\n",
    "docs/guide.md": "# Total\n\nThe total of a cart. A cart has a total.\n\n## Paying\n\nPay the total.\n\n```python\ntotal = Cart().total()\n```\n",
    "docs/notes.md": "# Notes\n\nNothing is paid without a total of the cart.\n",
    "data.txt": "total\nTotal 2\n",
    "TOTAL.bin": b"total\0",
}

EDITS: Final[Files] = {
    "py/late.py": "from shop import Cart, total\n\n\nclass Late(Cart):\n    total = 2\n\n    def pay(self):\n        return Cart().total() + total()\n",
    "docs/notes.md": "# Notes\n\nNothing is paid without the total of a cart.\n",
}

ABSENT: Final = object()

PLACES: Final[dict[str, Callable[[str], bool]]] = {
    "py": lambda path: path.startswith("py/"),
    "tests": lambda path: path.startswith("tests/"),
    "*.py": lambda path: path.endswith(".py"),
    "docs/**": lambda path: path.startswith("docs/"),
}

FILES_CHOSEN: Final[dict[str, list[Any]]] = {
    "languages": [ABSENT, ["python"], ["go", "typescript"]],
    "paths": [ABSENT, ["py"], ["!tests"], ["*.py", "docs/**", "!tests"]],
    "max_items": [ABSENT, 1, 4],
}

GREP: Final[dict[str, list[Any]]] = {
    "pattern": [
        "total",
        "Total",
        "total()",
        "the total",
        "t[a-z]tal",
        "(?i)TOTAL",
        "none|paid",
        "absent_here",
    ],
    "regex": [False, True],
    "ignore_case": [False, True],
    "where": ["all", "code", "strings", "comments"],
    "each_line": [False, True],
    **FILES_CHOSEN,
}

REFERENCES: Final[dict[str, list[Any]]] = {
    "name": ["total", "Cart", "py/shop.py#Cart.total", "py/shop.py#total", "Cart.pay", "pay"],
    "role": [ABSENT, "call", ["definition", "import"], ["write", "read", "inherit"]],
    **FILES_CHOSEN,
}

RECALL: Final[dict[str, list[Any]]] = {
    "queries": [["total"], ["total of a cart"], ["pay", "total of a cart"], ["paing cart"], [""]],
    "within": ["all", "names", "text", "notes"],
    "limit": [50, 1, 3],
    "offset": [0, 1],
    "source": ["", "docs", "SHOP"],
    "content_type": [ABSENT, "code", "prose"],
    "types": [ABSENT, ["document"], ["function", "class"], ["note", "symbol"]],
    "language": [ABSENT, ["python"], ["go", "markdown"]],
    "sort": [ABSENT, "timeline"],
    "boost_recent": [ABSENT, True],
    "use_enhanced": [ABSENT, False],
    "include_content": [ABSENT, True],
    "include_documents": [ABSENT, False],
    "include_graph": [ABSENT, False],
    "by_entity": [ABSENT, True],
    "max_characters": [ABSENT, 200],
}

N_PUSH: Final = 40
N_NIGHTLY: Final = 120


def given(combination: Combination) -> dict[str, Any]:
    return {name: value for name, value in combination.items() if value is not ABSENT}


@pytest.fixture
def combination(request: pytest.FixtureRequest) -> Combination:
    made: Combination = request.param()
    return made


GREP_CASES: Final = cases(GREP, N_PUSH, N_NIGHTLY)
REFERENCES_CASES: Final = cases(REFERENCES, N_PUSH, N_NIGHTLY)
RECALL_CASES: Final = cases(RECALL, N_PUSH, N_NIGHTLY)


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """A workspace whose index has an overlay."""
    root = write_files(tmp_path_factory.mktemp("pairs") / "tree", FILES)
    with Workspace(root, root.parent / "indexes") as made:
        made.refresh()
        write_files(root, EDITS)
        made.refresh()
        yield made


@pytest.fixture(scope="module")
def agent(workspace: Workspace) -> Iterator[Callable[..., Any]]:
    """Answers calls as the MCP server does."""
    handlers = ToolHandlers([workspace.root], str(workspace.root.parent / "indexes"))
    yield lambda tool, arguments: handlers.answer(tool, arguments, threading.Event())
    handlers.workspace.close()


def passes(fields: dict[str, Any], path: str, language: str) -> bool:
    """Whether a file passes the filters on path and language of a request."""
    globs = fields.get("paths", [])
    chosen = [glob for glob in globs if glob[0] != "!"]
    return (
        (not chosen or any(PLACES[glob](path) for glob in chosen))
        and not any(PLACES[glob[1:]](path) for glob in globs if glob[0] == "!")
        and language in fields.get("languages", [language])
    )


def texts(root: Path) -> Iterator[tuple[str, list[str]]]:
    """Yields the path and the lines of each text file."""
    for path in sorted(path for path in root.rglob("*") if path.is_file()):
        if b"\0" not in (data := path.read_bytes()):
            yield path.relative_to(root).as_posix(), data.decode().split("\n")


def lines_of(response: GrepResponse) -> list[tuple[str, int]]:
    """Returns the place of each line with a hit."""
    return [
        (file.file_path, line)
        for file in response.files
        for row in file.items
        for line in (row.line, *row.lines)
    ]


def rows_of(response: GrepResponse | ReferencesResponse) -> list[tuple[str, Any]]:
    return [(file.file_path, row) for file in response.files for row in file.items]


LANGUAGE: Final = {"py": "python", "go": "go", "ts": "typescript", "md": "markdown"}


@pytest.mark.nightly
@pytest.mark.parametrize("combination", GREP_CASES, indirect=True)
def test_a_text_search_finds_what_reading_each_line_finds(
    combination: Combination, workspace: Workspace
) -> None:
    fields = given(combination)
    most = fields.pop("max_items", None)
    whole = workspace.grep(GrepRequest(**fields))
    places = [] if whole.is_near else lines_of(whole)
    assert len(places) == len({*places}) == (0 if whole.is_near else whole.total)

    source = fields["pattern"] if fields["regex"] else re.escape(fields["pattern"])
    pattern = re.compile(source, re.IGNORECASE if fields["ignore_case"] else 0)
    expected = {
        (path, number)
        for path, lines in texts(workspace.root)
        for number, line in enumerate(lines, 1)
        if pattern.search(line) and passes(fields, path, LANGUAGE.get(path.rsplit(".", 1)[-1], ""))
    }
    everywhere = {
        place
        for where in ("code", "strings", "comments")
        for place in _found(workspace, {**fields, "where": where})
    }
    if fields["where"] == "all":
        assert {*places} == expected
        assert everywhere <= expected
        assert {
            place for place in expected if place[0].endswith((".py", ".go", ".ts"))
        } <= everywhere
    else:
        assert {*places} <= expected
        unfiltered = {key: fields[key] for key in fields if key not in FILES_CHOSEN}
        assert {*places} == {place for place in _found(workspace, unfiltered) if place in expected}
    joined = {*_found(workspace, {**fields, "each_line": not fields["each_line"]})}
    assert joined == {*places}
    if fields["each_line"]:
        assert all(not row.lines for _, row in rows_of(whole))
    check_pages(rows_of(whole), lambda **page: workspace.grep(GrepRequest(**fields, **page)), most)


def _found(workspace: Workspace, fields: dict[str, Any]) -> list[tuple[str, int]]:
    response = workspace.grep(GrepRequest(**fields))
    return [] if response.is_near else lines_of(response)


def check_pages(rows: list[Any], ask: Callable[..., Any], most: int | None) -> None:
    """A page is the beginning of the whole, and its token leads to the rest."""
    if most is None:
        return
    first = ask(max_items=most)
    assert rows_of(first) == rows[:most]
    assert first.has_more == (len(rows) > most) == (first.pagination_id is not None)
    if first.has_more:
        second = ask(max_items=most, pagination_id=first.pagination_id)
        assert rows_of(second) == rows[most : 2 * most]


@pytest.mark.nightly
@pytest.mark.parametrize("combination", REFERENCES_CASES, indirect=True)
def test_filters_of_references_leave_what_passes(
    combination: Combination, workspace: Workspace
) -> None:
    fields = given(combination)
    most = fields.pop("max_items", None)
    whole = workspace.references(ReferencesRequest(**fields))
    rows = rows_of(whole)
    assert whole.total == len(rows) and not whole.has_more
    roles = fields.get("role")
    wanted = [roles] if isinstance(roles, str) else roles
    everything = workspace.references(ReferencesRequest(name=fields["name"]))
    language = {file.file_path: file.language for file in everything.files}
    assert rows == [
        (path, row)
        for path, row in rows_of(everything)
        if (wanted is None or row.role in wanted) and passes(fields, path, language[path])
    ]
    counts = {
        role: sum(row.role == role for _, row in rows) for role in {row.role for _, row in rows}
    }
    assert {role: whole.roles.get(role, 0) for role in counts} == counts
    lines = dict(texts(workspace.root))
    assert all(
        re.match(rf"\b{whole.name}\b", lines[path][row.line - 1][row.column - 1 :])
        for path, row in rows
    )
    turned: dict[str, Any] = {
        name: value[::-1] if isinstance(value, list) else value
        for name, value in [*fields.items()][::-1]
    }
    assert rows_of(workspace.references(ReferencesRequest(**turned))) == rows
    check_pages(
        rows, lambda **page: workspace.references(ReferencesRequest(**fields, **page)), most
    )


@pytest.mark.sample(36)
@pytest.mark.parametrize("combination", RECALL_CASES, indirect=True)
def test_options_of_questions_leave_what_passes(
    combination: Combination, workspace: Workspace
) -> None:
    fields = given(combination)
    page = {
        name: fields.pop(name) for name in ("limit", "offset", "max_characters") if name in fields
    }
    response = workspace.recall(TextRequest(**fields, **page))
    whole = workspace.recall(TextRequest(**fields, limit=50))
    assert [section.query for section in response.sections] == fields["queries"]
    start, end = page["offset"], page["offset"] + page["limit"]
    for section, every in zip(response.sections, whole.sections, strict=True):
        ids = [hit.id for hit in every.items]
        assert len(ids) == len({*ids})
        assert [hit.id for hit in section.items] == ids[start:end]
        n_found = sum(hit.result_origin != "graph" for hit in every.items)
        assert section.total == every.total == n_found  # neighbours of hits are shown beside them
        assert section.has_more == (section.total > end)
        for hit in section.items:
            assert fields.get("content_type") in (None, hit.content_type)
            assert fields["source"].lower() in hit.source.lower()
            assert hit.result_origin != "note" or fields["within"] in ("all", "notes")
            if fields["within"] == "names":
                assert hit.result_origin == "symbol"
            if fields.get("by_entity") and not fields.get("include_documents", True):
                assert not hit.is_document
    if len(fields["queries"]) > 1:
        alone = [
            workspace.recall(TextRequest(**{**fields, "queries": [query]}, limit=50))
            for query in fields["queries"]
        ]
        assert [[hit.id for hit in one.sections[0].items] for one in alone] == [
            [hit.id for hit in section.items] for section in whole.sections
        ]
    for name in ("source", "content_type", "types", "language"):
        if not fields.get(name):
            continue
        wider = workspace.recall(
            TextRequest(**{key: value for key, value in fields.items() if key != name}, limit=50)
        )
        for section, less in zip(wider.sections, whole.sections, strict=True):
            if (
                not section.has_more
                and fields.get("use_enhanced") is False
                and "by_entity" not in fields
            ):
                assert {hit.id for hit in less.items} <= {hit.id for hit in section.items}, name


def words_of(fields: dict[str, Any]) -> list[str]:
    """Returns the options of a text search or of references as words of a command."""
    words = []
    for name, value in fields.items():
        option = {"languages": "--lang", "paths": "--path", "where": "--in"}.get(
            name, f"--{name.replace('_', '-')}"
        )
        if name == "regex":
            words += [] if value else ["-F"]
        elif name == "ignore_case":
            words += ["-i"] if value else []
        else:
            for one in value if isinstance(value, list) else [value]:
                words += [option, str(one)]
    return words


@pytest.mark.nightly
@pytest.mark.parametrize("combination", GREP_CASES, indirect=True)
def test_front_ends_agree_on_text(
    combination: Combination, workspace: Workspace, agent: Callable[..., Any]
) -> None:
    fields = given(combination)
    fields.pop("each_line")
    response = workspace.grep(GrepRequest(**fields))
    options = {**fields}
    shown = run(
        "grep", options.pop("pattern"), *words_of(options), "--json",
        "--root", str(workspace.root), "--index-dir", str(workspace.root.parent / "indexes"),
    )  # fmt: skip
    assert shown.code == (0 if response.at_least else 1), shown.err
    printed, expected = json.loads(shown.out), json.loads(msgspec.json.encode(response))
    for name in ("files", "total", "total_files", "has_more", "near", "is_near", "notices"):
        assert printed.get(name) == expected.get(name), name
    ignores_case = fields.pop("ignore_case")
    if ignores_case:
        return  # the agents' tool has no such option: a regular expression can say it
    arguments = {
        "in"
        if name == "where"
        else {"pattern": "name", "languages": "language", "paths": "path"}.get(name, name): value
        for name, value in fields.items()
    }
    arguments.setdefault("max_items", 50)
    answer = agent("references", arguments)
    response = workspace.grep(GrepRequest(**{**fields, "max_items": arguments["max_items"]}))
    assert not answer.is_error, answer.text
    assert answer.data.files == response.files
    assert answer.data.total == response.total


@pytest.mark.sample(2)
@pytest.mark.parametrize("combination", REFERENCES_CASES, indirect=True)
def test_front_ends_agree_on_references(
    combination: Combination, workspace: Workspace, agent: Callable[..., Any]
) -> None:
    fields = given(combination)
    if isinstance(fields.get("role"), list):
        fields["role"] = fields["role"][0]  # the agents' tool takes one
    response = workspace.references(ReferencesRequest(**fields))
    options = {**fields}
    shown = run(
        "refs", options.pop("name"), *words_of(options), "--json",
        "--root", str(workspace.root), "--index-dir", str(workspace.root.parent / "indexes"),
    )  # fmt: skip
    assert shown.code == (0 if response.files else 1), shown.err
    printed, expected = json.loads(shown.out), json.loads(msgspec.json.encode(response))
    for name in (
        "files",
        "total",
        "total_files",
        "has_more",
        "roles",
        "symbol",
        "narrowed",
        "notices",
    ):
        assert printed.get(name) == expected.get(name), name
    arguments = {
        {"languages": "language", "paths": "path"}.get(name, name): value
        for name, value in fields.items()
    }
    arguments.setdefault("max_items", 50)
    answer = agent("references", arguments)
    response = workspace.references(
        ReferencesRequest(**{**fields, "max_items": arguments["max_items"]})
    )
    assert not answer.is_error, answer.text
    assert answer.data.files == response.files
    assert (answer.data.total, answer.data.roles) == (response.total, response.roles)
