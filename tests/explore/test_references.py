"""References: identifiers in code only, in pages that lose nothing, for any files and requests."""

from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from symindex.errors import RequestError, TokenError
from symindex.explore.references.references import find_references, last_part
from symindex.index.snapshot import Snapshot
from symindex.protocol.explore import ReferencesRequest, ReferencesResponse
from symindex.render.references import render_references
from symindex.resolve.tree import Tree
from symindex.serve.cli.main import cli
from symindex.workspace.workspace import Workspace
from tests.support.files import Maker, write_files
from tests.support.references import many, places


@pytest.mark.nightly
@pytest.mark.slow
def test_names_in_other_forms(make_workspace: Maker) -> None:
    """Names outside ASCII are found in every Unicode form, and operators and destructors by their
    names."""
    workspace = make_workspace(
        {
            "a.py": "größe = 1\nprint(gro\u0308ße, Größe, xgröße, 'größe')\n",
            "utf16.py": "größe = 2\n".encode("utf-16"),
            "b.cpp": "struct A { bool operator==(const A&); ~A(); };\nbool x = a.operator==(b) && a == b;\nvoid f() { a.~A(); }",
            "c.rb": "def valid?; end\nx.valid? || x.valid\n",
            "d.js": "class D { #own = 1; get() { return this.#own + $own + own } }\nconst $own = 1, own = 2;\n",
        }
    )
    locations = {
        name: places(workspace.references(name))
        for name in ["größe", "gro\u0308ße", "operator==", "~A", "valid?", "#own", "$own"]
    }
    assert locations == {
        "größe": ["a.py:1:1", "a.py:2:7", "utf16.py:1:1"],
        "gro\u0308ße": ["a.py:1:1", "a.py:2:7", "utf16.py:1:1"],
        "operator==": ["b.cpp:1:17", "b.cpp:2:12"],
        "~A": ["b.cpp:1:39", "b.cpp:3:14"],
        "valid?": ["c.rb:1:5", "c.rb:2:3"],
        "#own": ["d.js:1:11", "d.js:1:41"],
        "$own": ["d.js:1:48", "d.js:2:7"],
    }


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("parse", "parse"),
        (" Parser.parse ", "parse"),
        ("src/a.py#Parser.parse~2", "parse"),
        ("a::b::C", "C"),
        ("A\\B\\c", "c"),
        ("Auth#login", "login"),
        ("auth/login", "login"),
        ("a.js#A.#own", "#own"),
        ("#own", "#own"),
        ("$own", "$own"),
        ("a.b->c", "c"),
        ("A::~A", "~A"),
        ("A::operator->", "operator->"),
        ("a.cpp#A.operator()", "operator()"),
        ("a.rb#A.valid?", "valid?"),
    ],
)
def test_the_last_part_of_a_qualified_name_counts(text: str, name: str) -> None:
    assert last_part(text) == name


def test_a_place_and_a_call_mean_their_symbol(make_workspace: Maker) -> None:
    source = "class App:\n    def run(self, x):\n        return x\n\n\ndef main(app):\n    App().run(1)\n"
    tree = make_workspace({"a.py": source, "b.cc": "struct F { int operator()(int); };\n"})
    for text in ("a.py:3", "a.py#App.run", "App.run(", "App.run(1, 2)", "App.run()"):
        response = tree.references(text)
        assert (response.symbol, [item.line for file in response.files for item in file.items]) == (
            "a.py#App.run",
            [2, 7],
        ), text
    assert (
        tree.references("run()").name == "run"
        and tree.references("b.cc#F.operator()").name == "operator()"
    )
    with pytest.raises(RequestError, match=r"none\.py:3 is in no symbol"):
        tree.references("none.py:3")


def test_the_containers_of_a_place(make_workspace: Maker) -> None:
    workspace = make_workspace(
        {
            "cart.py": """
import prices
class Cart:
    def total(self):
        def one(x): return x.total
        return sum(map(one, self)) + self.total()
total = Cart().total
""",
            "tests/test_cart.py": "def test_total(): assert total\n",
            "b.go": "package b\nfunc (c *Cart) total() int { return c.total() }\n",
        }
    )
    response = workspace.references("Cart.total")
    assert (response.total, response.total_files, response.has_more, response.pagination_id) == (
        8,
        3,
        False,
        None,
    )
    rows = [
        (file.file_path, item.line, item.container, item.definition, item.text)
        for file in response.files
        for item in file.items
    ]
    assert rows == [
        ("b.go", 2, "Cart", True, "func (c *Cart) total() int { return c.total() }"),
        ("b.go", 2, "Cart.total", False, "func (c *Cart) total() int { return c.total() }"),
        ("cart.py", 3, "Cart", True, "def total(self):"),
        ("cart.py", 4, "Cart.total.one", False, "def one(x): return x.total"),
        ("cart.py", 5, "Cart.total", False, "return sum(map(one, self)) + self.total()"),
        ("cart.py", 6, None, True, "total = Cart().total"),
        ("cart.py", 6, "total", False, "total = Cart().total"),
        ("tests/test_cart.py", 1, "test_total", False, "def test_total(): assert total"),
    ]


def ask_all(workspace: Workspace, request: ReferencesRequest) -> list[ReferencesResponse]:
    """Returns all pages of a request."""
    pages = [workspace.references(request)]
    while pages[-1].pagination_id is not None:
        pages.append(
            workspace.references(
                msgspec.structs.replace(request, pagination_id=pages[-1].pagination_id)
            )
        )
    return pages


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("size", [3, 7])
def test_pages_joined_are_the_whole(make_workspace: Maker, size: int) -> None:
    workspace = make_workspace(many(8))
    whole = workspace.references("item")
    assert (
        len(places(whole))
        == whole.total
        == whole.at_least
        == sum(number + number // 2 for number in range(8))
    )
    paths = [file.file_path for file in whole.files]
    assert paths == sorted(paths, key=lambda path: (path.startswith("tests"), path))
    pages = ask_all(workspace, ReferencesRequest(name="item", max_items=size))
    assert [place for page in pages for place in places(page)] == places(whole)
    assert all(len(places(page)) == size and page.has_more for page in pages[:-1])
    for page in pages:  # the first page counts the rest, and the token passes that on
        assert (page.total, page.at_least, page.total_files) == (
            whole.total,
            whole.total,
            len(whole.files),
        )
        assert (page.roles, page.narrowed) == (whole.roles, whole.narrowed)
    assert not pages[-1].has_more
    assert all(len(page.pagination_id or "") < 200 for page in pages)


@pytest.mark.slow
def test_pages_go_on_after_edits(make_workspace: Maker) -> None:
    """An existing reference is neither skipped nor shown twice, whatever happens to files,
    including the file where a page ends."""
    workspace = make_workspace(many(8))
    request = ReferencesRequest(name="item", max_items=5)
    first = workspace.references(request)
    last = workspace.root / first.files[-1].file_path
    later = [place for place in places(workspace.references("item")) if place not in places(first)]

    (workspace.root / "src" / "a_new.py").write_text(
        "item\n"
    )  # before the place, so it is not found
    (workspace.root / "src" / "zz_new.py").write_text("item\n")
    workspace.refresh()
    rest = ask_all(workspace, msgspec.structs.replace(request, pagination_id=first.pagination_id))
    assert sorted(place for page in rest for place in places(page)) == sorted(
        [*later, "src/zz_new.py:1:1"]
    )
    assert "the index has changed" in str(rest[0].notices)
    assert rest[-1].total is None  # references added before the place are not counted

    last.unlink()
    workspace.refresh()
    rest = ask_all(workspace, msgspec.structs.replace(request, pagination_id=first.pagination_id))
    gone = last.relative_to(workspace.root).as_posix()
    assert sorted(place for page in rest for place in places(page)) == sorted(
        [*(place for place in later if not place.startswith(f"{gone}:")), "src/zz_new.py:1:1"]
    )


@pytest.mark.nightly
def test_tokens_are_of_their_request(make_workspace: Maker) -> None:
    workspace = make_workspace(many(5))
    token = workspace.references(ReferencesRequest(name="item", max_items=2)).pagination_id
    assert token is not None
    with Workspace(
        workspace.root, workspace.source.indexed.folder.parent
    ) as another:  # as after a restart
        assert places(
            another.references(ReferencesRequest(name="item", max_items=2, pagination_id=token))
        )
        larger = another.references(
            ReferencesRequest(name="item", max_items=3, pagination_id=token)
        )
        assert len(places(larger)) == 3  # pages of one list may differ in size
    for other in (
        ReferencesRequest(name="items", max_items=2, pagination_id=token),
        ReferencesRequest(name="item", max_items=3, pagination_id=token, languages=["go"]),
        ReferencesRequest(name="item", max_items=2, pagination_id=token, paths=["src"]),
    ):
        with pytest.raises(TokenError, match="another request than references of"):
            workspace.references(other)
    for garbled in ("", "x", token[:-1], token[:9] + "A" + token[10:], "é", "x" * 100_000):
        with pytest.raises(TokenError, match="is not a token of symindex"):
            workspace.references(ReferencesRequest(name="item", max_items=2, pagination_id=garbled))
    of_search = workspace.search("f", max_items=1).pagination_id
    with pytest.raises(TokenError, match="another sort of request"):
        workspace.references(ReferencesRequest(name="item", max_items=2, pagination_id=of_search))
    with pytest.raises(TokenError, match="another sort of request"):
        workspace.search("item", pagination_id=token)


@pytest.mark.nightly
@pytest.mark.slow
def test_filters(make_workspace: Maker) -> None:
    workspace = make_workspace(
        {"a.py": "item\n", "src/b.py": "item\n", "src/c.go": "package item\n"}
    )

    def ask(**filters: list[str]) -> list[str]:
        return places(workspace.references(ReferencesRequest(name="item", **filters)))  # type: ignore[arg-type]

    assert ask() == ["a.py:1:1", "src/b.py:1:1", "src/c.go:1:9"]
    assert ask(languages=["py"]) == ["a.py:1:1", "src/b.py:1:1"]
    assert ask(paths=["src/**", "!*.go"]) == ["src/b.py:1:1"]
    assert ask(languages=["Go"], paths=["*.py"]) == []
    with pytest.raises(RequestError, match="unknown language"):
        ask(languages=["klingon"])
    with pytest.raises(RequestError, match="glob"):
        ask(paths=["["])
    with pytest.raises(RequestError, match="max_items is 0"):
        workspace.references(ReferencesRequest(name="item", max_items=0))


def test_several_roots_and_texts_that_are_not_saved(make_workspace: Maker) -> None:
    one = make_workspace({"a.py": "item\n", "b.py": "item\n"})
    two = make_workspace({"a.py": "item\n", "tests/b.py": "item\n"})
    snapshot = Snapshot.joined(
        [one.source.indexed.snapshot, two.source.indexed.snapshot], ["one/", "two/"]
    )
    roots, texts = {"one/": one.root, "two/": two.root}, {"one/b.py": b"def f():\n    item(item)\n"}
    response = find_references(
        Tree(snapshot, one.source.languages, roots, texts),
        ReferencesRequest(name="item"),
        10_000,
        5.0,
        seconds=10.0,
    )
    assert places(response) == [
        "one/a.py:1:1",
        "one/b.py:2:5",
        "one/b.py:2:10",
        "two/a.py:1:1",
        "two/tests/b.py:1:1",
    ]
    assert [item.container for item in response.files[1].items] == ["f", "f"]


@pytest.mark.slow
def test_names_that_no_identifier_has(make_workspace: Maker) -> None:
    workspace = make_workspace(
        {
            "a.test.js": "describe('logs in', () => { it('item', () => {}) });\n",
            "b.py": "login = 1\n",
        }
    )

    def notices(name: str) -> str:
        response = workspace.references(name)
        assert (response.files, response.total, response.has_more) == ([], 0, False)
        return str(response.notices)

    assert "logs in is not an identifier" in notices("logs in")
    assert "is not an identifier" in notices("a\x1b[31mb\n")
    assert "is not an identifier" in notices("+=")
    assert "is not an identifier" in notices("42")
    assert "is not an identifier" in notices("\0")
    assert "uses by a sign alone" in notices("operator+")
    assert notices("nothing") == "UNSET"
    assert workspace.references("logim").suggestions == ["login"]
    assert workspace.references("(a+)+$" * 50).total == 0
    for empty in ("", " \n"):
        with pytest.raises(RequestError, match="the name is empty"):
            workspace.references(empty)
    with pytest.raises(RequestError, match=r"x… has 100,000 characters"):
        workspace.references("x" * 100_000)
    with pytest.raises(RequestError, match="not valid Unicode"):
        workspace.references("\udc80")


def test_an_empty_tree_and_filters_say_why(make_workspace: Maker) -> None:
    assert make_workspace({}).references("x").notices == ["the index contains no file with code"]
    workspace = make_workspace({"a.py": "x = 1\n"})
    response = workspace.references(ReferencesRequest(name="x", paths=["b"]))
    assert response.notices == ["no file matches the filters on language and path"]
    workspace = make_workspace({"a.py": "x = 1\n", "b.py": ""})
    response = workspace.references(ReferencesRequest(name="x", paths=["b.py"]))
    assert response.notices == ["the filters on language and path leave 1 of 2 files"]


@pytest.mark.nightly
def test_long_lines_are_cut_around_the_name(make_workspace: Maker) -> None:
    line = "f(" + "ä, " * 400 + "item, " + "ö, " * 400 + ")"
    workspace = make_workspace({"a.js": f"{line}\n\t item( {'y, ' * 100})\n  item  \n"})
    first, second, third = workspace.references("item").files[0].items
    assert (first.line, first.column) == (1, 1_203)
    assert first.text.startswith("…") and first.text.endswith("…") and ", item, ö" in first.text
    assert (second.line, second.column, second.text[:10]) == (2, 3, "item( y, y")
    assert [len(item.text) for item in (first, second, third)] == [200, 200, 4]


@pytest.mark.nightly
@pytest.mark.slow
def test_markdown(make_workspace: Maker) -> None:
    workspace = make_workspace(
        {
            "a.py": "class A:\n    def item(self):\n        return item('`|`', \"\t\x1b\u202e\")\n",
            "[x](y) `z`.py": "item\n",
        }
    )
    assert render_references(workspace.references("item")) == (
        """# References: `item`
Found 3 references in 2 files, by name: 1 definition, 1 call, 1 read

``[x](y) `z`.py``
- 1: `item`

a.py
- 2 `A` (definition): `def item(self):`
- 3 `A.item` (call): ``return item('`|`', " \\x1b\\u202e")``
"""
    )
    twice = make_workspace({"b.py": "item = item + item\n"}).references("item")
    assert twice.total == 3 and render_references(twice).endswith(
        "b.py\n- 1 (definition): `item = item + item`\n- 1 `item` (2 times): `item = item + item`\n"
    )
    page = workspace.references(ReferencesRequest(name="item", max_items=1))
    assert render_references(page) == (
        f"""# References: `item`
Found 3 references in 2 files, by name (showing 1): 1 definition, 1 call, 1 read

Most: a.py 2, ``[x](y) `z`.py`` 1

``[x](y) `z`.py``
- 1: `item`

> More results available. Use `pagination_id={page.pagination_id}` for next page.
"""
    )
    assert render_references(workspace.references("self")).startswith(
        "# References: `self`\nFound 1 reference in 1 file, by name\n\na.py\n- 2 `A.item`: `def item(self):`\n"
    )
    assert render_references(workspace.references("itom")) == (
        "# References: `itom`\nFound 0 references, by name\n\n> No reference has that name. Nearest names: `item`.\n"
    )


@pytest.mark.nightly
@pytest.mark.slow
def test_the_command(make_workspace: Maker, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = make_workspace({"a.py": "item = 1\n", "b.py": "print(item)\n"})
    monkeypatch.chdir(workspace.root)  # paths are relative to the current folder
    place = [
        "--root",
        str(workspace.root),
        "--index-dir",
        str(workspace.source.indexed.folder.parent),
    ]

    def run(*arguments: str) -> tuple[int, str]:
        result = CliRunner().invoke(cli, ["refs", *arguments, *place], standalone_mode=False)
        return result.return_value, result.output

    assert run("item") == (0, render_references(workspace.references("item")))
    (workspace.root / "c.py").write_text("item\n")  # the change is found
    code, output = run("item", "--json", "--path", "!a.py", "-n", "1", "--lang", "python")
    page = msgspec.json.decode(output, type=ReferencesResponse)
    assert (code, places(page), page.has_more) == (0, ["b.py:1:7"], True)
    assert page.pagination_id is not None
    arguments = (
        "item",
        "--json",
        "--path",
        "!a.py",
        "-n",
        "1",
        "--lang",
        "python",
        "--pagination-id",
        page.pagination_id,
    )
    code, output = run(*arguments)
    assert (code, places(msgspec.json.decode(output, type=ReferencesResponse))) == (0, ["c.py:1:1"])
    assert run("nothing")[0] == 1


def test_languages_that_do_not_say_what_their_identifiers_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    toml = 'name = "Odd"\ngrammar = "c"\nextensions = [".odd"]\n'
    write_files(
        tmp_path / "grammars" / "odd", {"language.toml": toml, "symbols.scm": "(comment) @doc\n"}
    )
    monkeypatch.setenv("SYMINDEX_GRAMMARS", str(tmp_path / "grammars"))
    with Workspace(
        write_files(tmp_path / "tree", {"a.odd": "int x;\n"}), tmp_path / "index"
    ) as workspace:
        notices = workspace.references("x").notices
    assert notices[0] == "1 file was left out: references are not searched in odd"  # type: ignore[index]


@pytest.mark.nightly
def test_a_line_that_holds_a_name_several_times_is_shown_once(make_workspace: Maker) -> None:
    workspace = make_workspace({"a.py": "def f(a):\n    return g(g(a), g)\n\n\ng = f\n"})
    response = workspace.references(ReferencesRequest(name="g"))
    assert render_references(response) == (
        "# References: `g`\nFound 4 references in 1 file, by name: 1 definition, 2 calls, 1 read\n\na.py\n"
        "- 2 `f` (call, 2 times): `return g(g(a), g)`\n- 2 `f`: `return g(g(a), g)`\n"
        "- 5 (definition): `g = f`\n"
    )


def test_an_id_that_names_nothing_says_what_is_answered(make_workspace: Maker) -> None:
    tree = make_workspace(
        {
            "models/doc.ts": "export class Doc {}\n",
            "show/doc.ts": "interface Own { open: boolean }\n",
        }
    )
    told = "nothing has this whole name; what is shown matches its last parts"
    assert tree.references("models/doc.ts#Doc.open").notices == [told]
    assert not tree.references("show/doc.ts#Own.open").notices
    assert not tree.references("Own.open").notices
