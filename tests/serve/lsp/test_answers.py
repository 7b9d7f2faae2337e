# ruff: noqa: RUF001  (letters that look like others are what some of this is about)
"""The language server's answers: places of symbols, the content of rows, what a query finds, and
the order."""

import json
import re
import shutil
from collections.abc import Iterator, Sequence
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.protocol import default_converter
from pytest_lsp import client_capabilities

from symindex.text.editing.edit_buffer import Encoding
from tests.support.files import write_files
from tests.support.lsp_client import EVERYTHING, Client, Editors, LspError, TcpServer
from tests.support.waiting import until

FIXTURES = Path(__file__).parents[3] / "fixtures" / "symbols"
UNIT_BYTES: dict[Encoding, tuple[str, int]] = {
    "utf-8": ("utf-8", 1),
    "utf-16": ("utf-16-le", 2),
    "utf-32": ("utf-32-le", 4),
}

ODD_TEXTS = {
    "astral.py": "x𝒳 = '𝒳𝒴'; yé = '\U0001f600'\ndef 𝑓𝑔(): pass\nclass Cafe\u0301: e\u0301e = 'e\u0301'; after = 1\n",
    "tabs.c": "\tint\ttabbed(void)\t{ return 0; }\n",
    "crlf.py": "first = 1\r\ndef second():\r\n    pass\r\n\r\n\r\nthird = '\U0001f600'; fourth = 2\r\n",
    "cr.py": "one = 1\rtwo = 2\r",
    "marked.py": "\ufeffmarked = 1\ndef marked_too(): pass\n",
    "marked_crlf.py": "\ufeffdef line_one(): pass\r\ndef line_two(): pass\r\n",
    "stored_otherwise.cpp": "struct É { bool operator  == (int); É ~ É(); operator  long   int(); };\n",
    "stored_otherwise.test.js": "test('𝒳  two   blanks', () => {})\n",
    "last.py": "def at_the_end(): pass",
    "wide.ts": "const é = 1, 𝒳 = 2, z = 3;\nclass Ä { 'a b' = 1; ß() {} }\n",
}
"""Files whose columns, lines and names are not what they seem."""


LEGACY_TEXTS = {
    "accents.py": (
        "# größer als der nächste\rgröße = 1; prüfung = 2\rdef prüfe(wert): pass\r",
        "latin-1",
    ),
    "kanji.py": (
        "# 表示する能力を調べる\r\n表示 = 'ソ'; 次 = 1\r\ndef 能力(値): pass\r\n",
        "cp932",
    ),
    "letters.py": ("# Проверка значения\nзначение = 'да'; другое = 2\n", "koi8-r"),
    "wide_marked.py": ("größte = 1\r\ndef größter(x): pass\r\n", "utf-16"),
    "wide_plain.py": ("kleinste = 'ß'; kleinster = 2\r\n", "utf-16-le"),
    "nearly.py": ("café = 1; déjà = 'é' # \udce9\n", "utf-8"),
}
"""Files in other encodings, whose characters an editor shows; the last contains an invalid byte."""


def text_at(data: bytes, place: Any, encoding: Encoding, of_file: str = "utf-8") -> str:
    """Returns the text of a file in a range of the protocol: without a byte order mark, with any of
    the three line endings."""
    start, end = place["start"], place["end"]
    assert start["line"] == end["line"]
    line = (
        data.decode(of_file, "replace")
        .removeprefix("\ufeff")
        .replace("\r\n", "\n")
        .replace("\r", "\n")
        .split("\n")[start["line"]]
    )
    codec, n_bytes = UNIT_BYTES[encoding]
    return line.encode(codec)[n_bytes * start["character"] : n_bytes * end["character"]].decode(
        codec
    )


def flattened(nodes: Sequence[Any]) -> list[Any]:
    return [
        descendant for node in nodes for descendant in [node, *flattened(node.get("children", []))]
    ]


@pytest.fixture(scope="module")
def fixture_tree(lsp_server: TcpServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """An indexed tree with some annotated sources of each language, and odd files."""
    root = tmp_path_factory.mktemp("all") / "fixtures"
    for path in [
        path for folder in sorted(FIXTURES.iterdir()) for path in sorted(folder.glob("*.*"))[:5]
    ]:
        (root / path.parent.name).mkdir(parents=True, exist_ok=True)
        shutil.copy(path, root / path.parent.name)
    for path, text in ODD_TEXTS.items():  # type: ignore[assignment]
        (root / path).write_bytes(text.encode())
    for path, (text, written_in) in LEGACY_TEXTS.items():  # type: ignore[assignment]
        (root / path).write_bytes(text.encode(written_in, "surrogateescape"))
    keeper = Editors(lsp_server)
    keeper.start_indexed(root)
    yield root
    keeper.end()


_SEPARATOR = re.compile(r"::|\\")


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_a_location_is_exactly_the_name_in_the_file(
    encoding: Encoding, fixture_tree: Path, editors: Editors
) -> None:
    client = editors.start(fixture_tree, encodings=[encoding], options={"limit": 10_000})
    rows, files = client.symbols(""), {}  # type: ignore[var-annotated]
    assert len(rows) > 500
    renamed: set[tuple[str, str]] = set()
    for row in rows:
        path = Path(row["location"]["uri"].removeprefix("file://"))
        data = files.setdefault(path, path.read_bytes())
        _, written_in = LEGACY_TEXTS.get(path.name, ("", "utf-8"))
        text = text_at(data, row["location"]["range"], encoding, written_in)
        assert text, row
        if row["name"].endswith(":") and row["name"].startswith(
            text
        ):  # a selector: its place is that of its first part
            continue
        if row["name"] in (
            text.replace("\\", ""),
            unescape(text),
        ):  # characters that style sheets and pages escape
            continue
        if (
            text != row["name"] and _SEPARATOR.sub(".", text).strip(".") != row["name"]
        ):  # the parts of a namespace are joined by dots
            renamed.add((text, row["name"]))
    assert renamed == {("operator  ==", "operator =="), ("operator  long   int", "operator long int"),
                       ("'𝒳  two   blanks'", "𝒳 two blanks")}  # fmt: skip  # stored with single blanks, shown whole
    odd_rows = {
        row["name"] for row in rows if row["location"]["uri"].rpartition("/")[2] in ODD_TEXTS
    }
    assert {
        "x𝒳",
        "yé",
        "tabbed",
        "second",
        "fourth",
        "two",
        "marked",
        "marked_too",
        "line_two",
        "at_the_end",
        "z",
    } <= odd_rows
    legacy_rows = {
        row["name"] for row in rows if row["location"]["uri"].rpartition("/")[2] in LEGACY_TEXTS
    }
    assert {"größe", "prüfung", "prüfe", "表示", "次", "能力", "значение", "другое", "größte", "größter", "kleinste", "kleinster",
            "café", "déjà"} <= legacy_rows  # fmt: skip
    # Search and outline agree on symbols that both list.
    by_uri: dict[str, set[str]] = {}
    for row in rows:
        by_uri.setdefault(row["location"]["uri"], set()).add(json.dumps(row["location"]["range"]))
    for uri in [uri for uri in by_uri if uri.rpartition("/")[2] in ODD_TEXTS or "Types" in uri]:
        ranges = {json.dumps(node["selectionRange"]) for node in flattened(client.outline(uri))}
        assert by_uri[uri] == ranges, uri


@pytest.mark.nightly
def test_the_encoding_is_the_clients_first_choice_that_there_is(
    tmp_path: Path, editors: Editors
) -> None:
    assert (
        editors.connect().initialize(tmp_path, encodings=["utf-7", "utf-32", "utf-8"])[
            "positionEncoding"
        ]
        == "utf-32"
    )
    assert (
        editors.connect().initialize(tmp_path, encodings=["ebcdic"])["positionEncoding"] == "utf-16"
    )
    assert editors.connect().initialize(tmp_path)["positionEncoding"] == "utf-16"


PYTHON = {
    "shop/session.py": """
class AuthService:
    limit = 3

    def login(self, name):
        '''Opens a session.'''

    def logout(self): pass

def login_all(): pass
""",
    "shop/old.py": "from warnings import deprecated\n\n@deprecated('x')\ndef forgotten(): pass\n",
    "web/shop.ts": "export class Basket {}\n",
}


@pytest.fixture(scope="module")
def shop(lsp_server: TcpServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """An indexed tree."""
    root = write_files(tmp_path_factory.mktemp("tree") / "shop", PYTHON)
    keeper = Editors(lsp_server)
    keeper.start_indexed(root)
    yield root
    keeper.end()


@pytest.mark.nightly
def test_a_row_has_all_that_a_list_shows(shop: Path, editors: Editors) -> None:
    client = editors.start(shop)
    rows = client.symbols("login")
    assert rows[0] == {
        "name": "login",
        "kind": types.SymbolKind.Method,
        "containerName": "AuthService",
        "location": {
            "uri": (shop / "shop/session.py").as_uri(),
            "range": {"start": {"line": 3, "character": 8}, "end": {"line": 3, "character": 13}},
        },
    }
    assert [row["name"] for row in rows] == ["login", "login_all"]
    assert "containerName" not in rows[1]


@pytest.mark.nightly
def test_answers_are_what_the_protocols_types_say(shop: Path, editors: Editors) -> None:
    client, converter = editors.start(shop), default_converter()
    uri = (shop / "shop/session.py").as_uri()
    for result, kind in [
        (client.symbols(""), types.WorkspaceSymbolResponse),
        (client.outline(uri), types.DocumentSymbolResponse),
    ]:
        assert converter.structure({"id": 1, "jsonrpc": "2.0", "result": result}, kind).result


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("editor", ["neovim", "emacs", "visual_studio_code"])
def test_editors_as_they_introduce_themselves(editor: str, shop: Path, editors: Editors) -> None:
    capabilities = default_converter().unstructure(client_capabilities(editor))
    client = editors.start(shop, capabilities=capabilities)
    assert client.names("AuthService") == ["AuthService"]
    assert {node["name"] for node in client.outline((shop / "shop/session.py").as_uri())} == {
        "AuthService",
        "login_all",
    }


@pytest.mark.nightly
def test_a_qualified_query_is_answered_with_qualified_names_in_the_separators_typed(
    shop: Path, editors: Editors
) -> None:
    client = editors.start(shop)
    answers = {
        query: client.symbols(query)
        for query in ("Auth.login", "Auth::login", "Auth#login", "auth/login", "shop/AuthS")
    }
    assert {query: rows[0]["name"] for query, rows in answers.items()} == {
        "Auth.login": "AuthService.login",
        "Auth::login": "AuthService::login",
        "Auth#login": "AuthService#login",
        "auth/login": "AuthService/login",
        "shop/AuthS": "shop/session/AuthService",
    }
    assert not [row for rows in answers.values() for row in rows if "containerName" in row]
    assert client.names("AuthService.") == [
        "AuthService.login",
        "AuthService.logout",
        "AuthService.limit",
    ]


def test_an_empty_query_gives_the_best_of_the_workspace(shop: Path, editors: Editors) -> None:
    client = editors.start(shop, options={"limit": 3})
    assert client.names("") == client.names("  ") == client.names("")
    assert client.names("")[:2] == ["AuthService", "Basket"]
    assert len(client.names("")) == 3


def test_editors_get_no_typos_since_they_drop_such_rows(shop: Path, editors: Editors) -> None:
    client = editors.start(shop)
    assert client.names("AuthServcie") == []
    assert client.names("lgoin") == []
    assert client.names("AthSrvc") == ["AuthService"]


def test_operators_make_it_the_query_language(shop: Path, editors: Editors) -> None:
    client = editors.start(shop)
    assert sorted(client.names("kind:method AND name:log*")) == ["login", "logout"]
    assert client.names("log* NOT kind:method") == ["login_all"]
    assert client.names("doc:session") == ["login"]


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("a)", "expected"),
        ("kind:klass", "klass"),
        ('a ""', "quote"),
    ],
)
def test_a_query_that_cannot_be_read_is_an_error_that_says_why(
    query: str, said: str, shop: Path, editors: Editors
) -> None:
    client = editors.start(shop)
    with pytest.raises(LspError) as caught:
        client.symbols(query)
    assert caught.value.code == types.LSPErrorCodes.RequestFailed
    assert said in caught.value.message
    assert caught.value.data is None
    assert "\n" not in caught.value.message


TYPED = {
    "(login": "login",
    '"login': '"login"',
    "login AND": "login",
    "login -(": "login",
    "(login OR (kind:meth": "(login OR (kind:method))",
    "kind:cl": "kind:class",
    "kind:class,": "kind:class",
    "lang:pyth": "lang:python",
}
"""Queries that are still being typed, and what they already find."""


def test_a_query_that_is_being_typed_finds_what_its_finished_part_does(
    shop: Path, editors: Editors
) -> None:
    client = editors.start(shop)
    for query, finished in TYPED.items():
        assert client.names(query) == client.names(finished) != [], query
    for query in ("kind:", "(", '"', "NOT", "kind:,", "-("):
        assert client.names(query) == [], query


@pytest.mark.nightly
def test_the_limit_cuts_after_ranking(tmp_path: Path, editors: Editors) -> None:
    text = (
        "".join(f"def needle_{n}(): pass\n" for n in range(400))
        + "class Needle: pass\ndef needle(): pass\n"
    )
    root = write_files(tmp_path / "tree", {"a.py": text})
    assert len(editors.start_indexed(root).symbols("needle")) == 256
    few = editors.start(root, options={"limit": 5})
    assert few.names("needle")[0] == "needle"
    assert few.names("needle")[1] == "Needle"
    assert len(few.symbols("needle")) == 5
    assert len(editors.start(root, options={"limit": 10_000}).symbols("needle")) == 402


@pytest.mark.nightly
def test_a_short_query_gives_a_varied_first_batch(tmp_path: Path, editors: Editors) -> None:
    """An editor that filters the rows it already has needs words of every beginning among them."""
    starts = [f"p{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"]
    text = "".join(f"def {start}r{n}(): pass\n" for start in starts for n in range(60))
    client = editors.start_indexed(
        write_files(tmp_path / "tree", {"a.py": text}), options={"limit": 100}
    )
    assert {name[:2] for name in client.names("p")} == set(starts)


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("value_set", [[5, 6, 12, 13], [*range(1, 27)], None])
def test_kinds_are_those_that_the_client_knows(
    value_set: list[int] | None, fixture_tree: Path, editors: Editors
) -> None:
    kinds = {"symbolKind": {"valueSet": value_set}} if value_set else {}
    symbol = {"workspace": {"symbol": kinds}, "textDocument": {"documentSymbol": kinds}}
    client = editors.start(fixture_tree, capabilities=symbol, options={"limit": 10_000})
    row_kinds = {row["kind"] for row in client.symbols("")}
    outlined = (
        {node["kind"] for node in client.outline((fixture_tree / "cpp/classes.cpp").as_uri())}
        if value_set
        else set()
    )
    assert row_kinds <= set(value_set or range(1, 19))
    assert outlined <= set(value_set or range(1, 19))
    assert len(row_kinds) > (3 if value_set == [5, 6, 12, 13] else 8)
    assert (types.SymbolKind.EnumMember in row_kinds) == (value_set == [*range(1, 27)])


def test_deprecated_symbols_are_tagged_or_marked(shop: Path, editors: Editors) -> None:
    assert editors.start(shop).symbols("forgotten")[0]["tags"] == [1]
    old = editors.start(shop, capabilities={}).symbols("forgotten")[0]
    assert old["deprecated"] is True
    assert "tags" not in old
    assert "tags" not in editors.start(shop).symbols("login_all")[0]


@pytest.mark.nightly
def test_an_answer_in_parts_is_the_answer(tmp_path: Path, editors: Editors) -> None:
    text = "".join(f"def part_{n}(): pass\n" for n in range(200))
    client = editors.start_indexed(write_files(tmp_path / "tree", {"a.py": text}))
    whole = client.symbols("part")
    for token in ("parts", 7):
        assert client.call("workspace/symbol", {"query": "part", "partialResultToken": token}) == []
        parts = [
            params["value"] for params in client.told("$/progress") if params["token"] == token
        ]
        assert len(parts) > 1
        assert [row for part in parts for row in part] == whole
    assert (
        client.call("workspace/symbol", {"query": "nothing_such", "partialResultToken": "none"})
        == []
    )
    params = rb'{"query": "part", "partialResultToken": "\ud800"}'
    client.send(
        b'{"jsonrpc": "2.0", "id": %d, "method": "workspace/symbol", "params": %b}'
        % (client.expect(5000), params)
    )
    assert client.answer(5000) == []
    assert "?" in [params["token"] for params in client.told("$/progress")]


@pytest.mark.nightly
def test_a_lazy_client_gets_full_ranges_and_may_still_resolve(shop: Path, editors: Editors) -> None:
    capabilities = {"workspace": {"symbol": {"resolveSupport": {"properties": ["location.range"]}}}}
    client = editors.connect()
    assert client.initialize(shop, capabilities=capabilities)["workspaceSymbolProvider"] == {
        "resolveProvider": True
    }
    row = editors.start(shop).symbols("login")[0]
    assert client.call("workspaceSymbol/resolve", row) == row
    lazy = {**row, "location": {"uri": row["location"]["uri"]}}
    assert client.call("workspaceSymbol/resolve", lazy)["location"] == row["location"]
    with pytest.raises(LspError, match=r"-32803: gone: is no longer in session\.py"):
        client.call("workspaceSymbol/resolve", {**lazy, "name": "gone"})


@pytest.mark.nightly
def test_document_symbols_as_a_tree_or_a_list(shop: Path, editors: Editors) -> None:
    uri = (shop / "shop/session.py").as_uri()
    (service, login_all) = editors.start(shop).outline(uri)
    assert [service["name"], login_all["name"]] == ["AuthService", "login_all"]
    assert [node["name"] for node in service["children"]] == ["limit", "login", "logout"]
    assert service["range"] == {
        "start": {"line": 0, "character": 0},
        "end": {"line": 6, "character": 26},
    }
    assert service["selectionRange"] == {
        "start": {"line": 0, "character": 6},
        "end": {"line": 0, "character": 17},
    }
    assert service["children"][1]["detail"] == "def login(self, name)"
    flat = editors.start(shop, capabilities={}).outline(uri)
    assert [(row["name"], row.get("containerName")) for row in flat] == [
        ("AuthService", None), ("limit", "AuthService"), ("login", "AuthService"), ("logout", "AuthService"), ("login_all", None),
    ]  # fmt: skip
    assert flat[0]["location"] == {"uri": uri, "range": service["selectionRange"]}


@pytest.mark.nightly
@pytest.mark.slow
def test_trees_nest_and_ranges_hold_their_names_in_every_language(
    fixture_tree: Path, editors: Editors
) -> None:
    client = editors.start(fixture_tree)

    def check(nodes: list[Any]) -> None:
        for node in nodes:
            whole, name = node["range"], node["selectionRange"]
            assert (
                place(whole["start"])
                <= place(name["start"])
                <= place(name["end"])
                <= place(whole["end"])
            ), node
            check(node.get("children", []))

    def place(position: Any) -> tuple[int, int]:
        return position["line"], position["character"]

    for path in sorted(path for path in fixture_tree.rglob("*") if path.is_file()):
        check(client.outline(path.as_uri()))


BY_NAME = {
    "app/main.py": "from lib.tools import build\n\ndef run():\n    build()\n",
    "app/near.py": "def build(): pass\n",
    "lib/tools.py": "def build(size):\n    '''Makes *it*.'''\n",
    "far/away.py": "def build(): pass\n",
    "far/Kit.py": "class Kit:\n    def build(self): pass\n",
}


def ask_at(client: Client, method: str, uri: str, line: int, character: int) -> Any:
    position = {"line": line, "character": character}
    return client.call(
        f"textDocument/{method}", {"textDocument": {"uri": uri}, "position": position}
    )


def test_definition_and_hover_are_off_unless_asked_for(tmp_path: Path, editors: Editors) -> None:
    root = write_files(tmp_path / "tree", BY_NAME)
    client = editors.connect()
    capabilities = client.initialize(root)
    assert "definitionProvider" not in capabilities
    assert "hoverProvider" not in capabilities
    uri = client.open(root / "app/main.py", BY_NAME["app/main.py"], "python")
    assert ask_at(client, "definition", uri, 3, 6) is None
    assert ask_at(client, "hover", uri, 3, 6) is None


DECLARED: dict[str, str | bytes] = {
    "basket.c": "typedef struct basket {\n  int size;\n} basket;\n",
    "line.c": "typedef struct line line;\nstruct line { int n; };\n",
    "app/use.c": '#include "app.h"\nint main(void) { return total(1); }\n',
    "app/app.h": "int total(int a);\n",
    "lib/z.c": "int total(int a) { return a; }\n",
}


@pytest.mark.nightly
def test_declarations_come_after_definitions_and_a_typedef_of_its_own_type_is_not_a_row(
    tmp_path: Path, editors: Editors
) -> None:
    root = write_files(tmp_path / "tree", DECLARED)
    client = editors.start_indexed(root, options={"definition": True, "hover": True})

    def rows(query: str) -> list[tuple[str, int]]:
        places = [row["location"] for row in client.symbols(query)]
        return [(Path(place["uri"]).name, place["range"]["start"]["line"]) for place in places]

    for query in ("basket", "kind:struct,type basket", "b/basket", "basket OR nothing"):
        assert rows(query)[:1] == [("basket.c", 0)] and ("basket.c", 2) not in rows(query), query
    assert rows("line") == [("line.c", 1), ("line.c", 0)]
    for query in ("total", "app/total OR total", "tot*"):
        assert rows(query)[:2] == [("z.c", 0), ("app.h", 0)], query
    uri = client.open(root / "app/use.c", str(DECLARED["app/use.c"]), "c")
    names = [Path(place["uri"]).name for place in ask_at(client, "definition", uri, 1, 27)]
    assert names == ["z.c", "app.h"]
    client.open(root / "new.c", "typedef struct fresh { int n; } fresh;\n", "c")
    client.until_names("fresh", ["fresh"])


@pytest.mark.nightly
def test_a_definition_is_what_the_code_binds_the_name_to(tmp_path: Path, editors: Editors) -> None:
    root = write_files(tmp_path / "tree", BY_NAME)
    client = editors.connect()
    assert client.initialize(root, options={"definition": True})["definitionProvider"] is True
    client.wait_indexed()
    text = BY_NAME["app/main.py"]
    uri = client.open(root / "app/main.py", text, "python")
    paths = [
        Path(place["uri"]).relative_to(f"file:{root}").as_posix()
        for place in ask_at(client, "definition", uri, 3, 9)
    ]
    assert paths == ["lib/tools.py"]  # its import binds it
    client.change(uri, 2, text + "Kit.build()\ndef build(): pass\n")
    found = [Path(place["uri"]).name for place in ask_at(client, "definition", uri, 3, 6)]
    assert sorted(found) == ["main.py", "tools.py"]  # its file imports and defines the name
    assert ask_at(client, "definition", uri, 4, 5)[0]["uri"].endswith("Kit.py")
    assert ask_at(client, "definition", uri, 1, 0) is None
    assert ask_at(client, "definition", uri, 999, 999) is None
    with pytest.raises(LspError) as caught:
        ask_at(client, "definition", (root / "app/near.py").as_uri(), 0, 5)
    assert caught.value.code == types.LSPErrorCodes.RequestFailed


@pytest.mark.nightly
def test_hover_shows_signature_doc_and_place(tmp_path: Path, editors: Editors) -> None:
    root = write_files(
        tmp_path / "tree", {path: text for path, text in BY_NAME.items() if "near" not in path}
    )
    client = editors.start_indexed(root, options={"hover": ["python"]})
    uri = client.open(root / "app/main.py", BY_NAME["app/main.py"], "python")
    hover = ask_at(client, "hover", uri, 3, 6)
    assert hover["contents"] == {
        "kind": "markdown",
        "value": "```python\ndef build(size)\n```\n\nMakes \\*it\\*.\n\n"
        "*function in lib/tools.py:1*",
    }
    assert hover["range"] == {
        "start": {"line": 3, "character": 4},
        "end": {"line": 3, "character": 9},
    }
    other = client.open("untitled:One", "build", "ruby")
    assert ask_at(client, "hover", other, 0, 1) is None


@pytest.mark.nightly
def test_our_own_search_pages_by_token(tmp_path: Path, editors: Editors) -> None:
    root = write_files(
        tmp_path / "tree", {"a.py": "".join(f"def page_{n}(): pass\n" for n in range(25))}
    )
    client = editors.start_indexed(root)
    names, token = [], None
    for _ in range(3):
        page = client.call(
            "symindex/search", {"query": "page", "max_items": 10, "pagination_id": token}
        )
        names += [item["name"] for item in page["items"]]
        token = page["pagination_id"]
    assert (len(set(names)), token, page["total"], page["has_more"]) == (25, None, 25, False)
    for params, said in [
        ({"query": "page", "colour": 1}, "unknown field `colour`"),
        ({}, "missing required field `query`"),
        (None, "missing required field `query`"),
        ({"query": "page", "max_items": 0}, "max_items"),
        ({"query": "page", "max_items": 10, "pagination_id": "garbled"}, "pagination_id"),
        ({"query": "page", "kinds": ["klass"]}, "klass"),
    ]:
        with pytest.raises(LspError, match="-32803") as caught:
            client.call("symindex/search", params)
        assert said in caught.value.message


@pytest.mark.nightly
def test_our_own_outline_shows_containers(shop: Path, editors: Editors) -> None:
    client = editors.start(shop)
    outline = client.call(
        "symindex/outline", {"textDocument": {"uri": (shop / "shop/session.py").as_uri()}}
    )
    assert (outline["language"], outline["skipped"]) == ("python", None)
    assert [(item["name"], item["parent"]) for item in outline["items"]] == [
        ("AuthService", None), ("limit", 0), ("login", 0), ("logout", 0), ("login_all", None),
    ]  # fmt: skip
    assert outline["items"][2]["doc"] == "Opens a session."
    with pytest.raises(LspError, match="-32803"):
        client.call("symindex/outline", {"uri": "file:///x"})


@pytest.mark.nightly
def test_a_command_reads_everything_again(tmp_path: Path, editors: Editors) -> None:
    client = editors.start_indexed(write_files(tmp_path / "tree", {"a.py": "a1 = 1\n"}))
    assert client.call("workspace/executeCommand", {"command": "symindex.reindex"}) is None
    client.wait_indexed(2)
    assert (
        client.call(
            "workspace/executeCommand", {"command": "symindex.reindex", "arguments": [1, {}]}
        )
        is None
    )
    client.wait_indexed(3)
    assert client.names("a1") == ["a1"]
    with pytest.raises(LspError, match=r"-32803: unknown command 'rm': expected symindex\.reindex"):
        client.call("workspace/executeCommand", {"command": "rm"})


def test_settings_apply_and_invalid_ones_are_reported(shop: Path, editors: Editors) -> None:
    options = {
        "limit": 0,
        "include": "src",
        "colour": 1,
        "languages": ["klingon"],
        "exclude": ["!x"],
        "hover": 3,
        "indexDir": 1,
    }
    client = editors.start(shop, options=options)
    for key in options:
        assert (
            client.hear(
                "window/showMessage",
                lambda params, key=key: f"'{key}'" in params["message"],  # type: ignore[misc]
            )["type"]
            == 2
        )
    assert client.names("AuthService") == ["AuthService"]
    assert len(client.told("window/showMessage")) == len(options)


def test_settings_may_change_at_any_time_and_be_pulled(shop: Path, editors: Editors) -> None:
    client = editors.start(shop)
    everything = client.names("")
    client.notify(
        "workspace/didChangeConfiguration",
        {"settings": {"symindex": {"languages": ["typescript"]}}},
    )
    until(lambda: client.names("") == ["Basket"], "one language alone")
    client.notify(
        "workspace/didChangeConfiguration",
        {"settings": {"symindex": {"exclude": ["*.ts", "shop/old.py"], "limit": 5}}},
    )
    until(
        lambda: set(client.names("")) == {"AuthService", "limit", "login_all", "login", "logout"},
        "other files",
    )
    client.settings = {"limit": 2}  # type: ignore[assignment]
    client.notify("workspace/didChangeConfiguration", {"settings": None})
    until(lambda: client.names("") == everything[:2], "the limit that was pulled")
    client.notify("workspace/didChangeConfiguration", {"settings": {"symindex": {"limit": "many"}}})
    assert "'limit'" in client.hear("window/showMessage")["message"]


def test_a_client_that_can_is_asked_for_files_and_settings(shop: Path, editors: Editors) -> None:
    client = editors.start(shop)
    until(lambda: client.told("workspace/configuration"), "a question for settings")
    registrations = [
        one
        for params in client.told("client/registerCapability")
        for one in params["registrations"]
    ]
    by_method = {one["method"]: one["registerOptions"] for one in registrations}
    globs = [
        watcher["globPattern"]
        for watcher in by_method["workspace/didChangeWatchedFiles"]["watchers"]
    ]
    assert "**/.gitignore" in globs
    assert "**/symindex.toml" in globs
    assert by_method["workspace/didChangeConfiguration"] == {"section": "symindex"}
    plain = editors.start(shop, capabilities={**EVERYTHING, "workspace": {}})
    assert plain.names("AuthService") == ["AuthService"]
    assert not plain.told("client/registerCapability")
