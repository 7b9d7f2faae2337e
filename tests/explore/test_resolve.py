"""Which symbols a text means: by name, path, line or id; the parts of one type; why a text means
none."""

import os
import re

import pytest

from symindex.errors import RequestError
from symindex.explore.targets.libraries import _likeness
from symindex.protocol.explore import ReferencesRequest
from symindex.render.symbol import render_symbol
from symindex.workspace.workspace import Workspace
from tests.support.files import Files, Maker


def meant(tree: Workspace, text: str) -> str:
    """Returns what a text means: the id of the symbol shown, the ids of the candidates, or `none`
    with suggestions."""
    response = tree.symbol(text)
    assert render_symbol(response)
    if response.symbol is not None:
        return response.symbol.id
    if response.others:
        return " | ".join(line.id for line in response.others)
    return "none: " + ", ".join(response.suggestions or [])


@pytest.mark.sample(40)
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # ids
        ("src/net/server.go#Server.Serve", "src/net/server.go#Server.Serve"),
        ("java/com/acme/Buf.java#Buf.put~2", "java/com/acme/Buf.java#Buf.put~2"),
        (
            "web/cart.ts#a cart: with #odd / things.adds. up",
            "web/cart.ts#a cart: with #odd / things.adds. up",
        ),
        # a qualified name does not mean a function in a file of that name as well
        ("Server.Serve", "src/net/server.go#Server.Serve"),
        ("Server::Serve", "src/net/server.go#Server.Serve"),
        ("Server#Serve", "src/net/server.go#Server.Serve"),
        ("(*Server).Serve", "src/net/server.go#Server.Serve"),
        ("Server.Serve()", "src/net/server.go#Server.Serve"),
        ("Server.Serve(n int)", "src/net/server.go#Server.Serve"),
        ("Shape::new", "src/shape.rs#Shape.new"),
        ("crate::geometry::Shape::new", "src/shape.rs#Shape.new"),
        ("Shape::<u8>::default", "src/shape.rs#Shape.default"),
        ("com.acme.Buf", "java/com/acme/Buf.java#Buf"),
        ("operator==", "src/db.cc#db.operator=="),
        ("a cart: with #odd / things", "web/cart.ts#a cart: with #odd / things"),
        ("adds. up", "web/cart.ts#a cart: with #odd / things.adds. up"),
        # a definition precedes its declarations, a type its constructors
        ("Slice::size", "src/db.cc#db.Slice.size"),
        ("db::Slice", "src/db.h#db.Slice"),
        ("Buf", "java/com/acme/Buf.java#Buf"),
        ("cart.total", "web/cart.ts#total~3"),
        # part of the path before the name; a path without its beginning; other capitals
        ("net.Server", "src/net/server.go#Server"),
        ("net/server.go#Serve", "src/net/server.go#Serve"),
        ("server.go:9", "src/net/server.go#Server.Serve"),
        ("src\\net\\server.go#Serve", "src/net/server.go#Serve"),
        ("shape::NEW", "src/shape.rs#Shape.new"),
        # notations of other tools
        ("py/shop.py::Cart::total", "py/shop.py#Cart.total"),
        ("shop.py:Cart.total", "py/shop.py#Cart.total"),
        ("`Server.Serve`", "src/net/server.go#Server.Serve"),
        ("fn default() -> Self", "src/shape.rs#Shape.default"),
        ("struct Shape", "src/shape.rs#Shape"),
        # several symbols
        ("Buf.put", "java/com/acme/Buf.java#Buf.put | java/com/acme/Buf.java#Buf.put~2"),
        ("Server", "src/net/server.go#Server | other/more.go#Server"),
        ("Cart", "py/shop.py#Cart | py/shop.pyi#Cart"),
        ("only_tested", "vendor/shop.py#only_tested | tests/test_shop.py#only_tested"),
        # places
        ("py/shop.py:7", "py/shop.py#Cart.total"),
        ("py/shop.py:8:5", "py/shop.py#Cart.total"),
        ("./py/../py/shop.py:6", "py/shop.py#Cart"),
        # no symbol
        ("Cart.totl", "none: total"),
        (
            "py/shop.py#Cart.totl",
            "none: py/shop.py#Cart.total, py/shop.py#Cart, py/shop.py#Cart._secret",
        ),
        ("Nowhere.total", "none: Cart.total, total"),
        ("a." * 400 + "b", "none: db"),
        ("\x00", "none: "),
        ("\u202eevil\n", "none: "),
    ],
)
def test_what_a_text_means(tree: Workspace, text: str, expected: str) -> None:
    assert meant(tree, text) == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        (" \t", "is empty"),
        ("x" * 100_000, "has 100,000 characters"),
        ("\ud800", "not valid Unicode"),
        ("py/shop.py:99999", "py/shop.py has 15 lines: there is no line 99,999"),
        ("py/shup.py:3", "no file or folder 'py/shup.py'; nearest: py/shop.py"),
        ("more.go:3", "2 paths end with more.go: "),
        ("../x.py:3", "leads out of the root"),
        ("/etc/passwd:3", "is outside of the root"),
        ("py/shop.py", "is a file"),
    ],
)
def test_texts_that_mean_nothing_say_why(tree: Workspace, text: str, words: str) -> None:
    with pytest.raises(RequestError, match=re.escape(words)):
        tree.symbol(text)


def test_members_in_other_files_belong_to_the_nearest_type_of_that_name(tree: Workspace) -> None:
    text = render_symbol(tree.symbol("src/net/server.go#Server"))
    assert "\n- `src/net/more.go:3` `func (s *Server) Close() error`" in text
    assert "Elsewhere" not in text
    assert "Close" not in render_symbol(tree.symbol("other/more.go#Server"))


@pytest.mark.slow
def test_the_parts_of_a_type_are_one(make_workspace: Maker) -> None:
    files: Files = {
        "src/Form.cs": "namespace App {\n/// Asks.\npublic partial class Form : Base {\n  int a;\n  void Show() {}\n}\n}\n",
        "src/Form.Designer.cs": "// <auto-generated/>\nnamespace App {\npartial class Form {\n  void Init() {}\n}\n}\n",
        "other/Form.cs": "namespace Other {\npublic class Form { int b; }\n}\n",
        "lib/site.rb": "module Jekyll\n  class Site\n    def read; end\n\n    def write; end\n  end\nend\n",
        "lib/more.rb": "module Jekyll\n  class Site\n    def more; end\n  end\nend\n",
        "web/a.ts": "interface Box { a: string }\ninterface Box { b: string }\n",
        "web/b.ts": "interface Box { c: string }\n",
    }
    with make_workspace(files) as tree:
        text = render_symbol(tree.symbol("App.Form"))
        assert text.startswith(
            "# Symbol: `src/Form.cs#App.Form`\nclass in `App`, csharp, lines 3-6\n"
        )
        assert (
            "Members elsewhere:\n- `src/Form.Designer.cs:3` `partial class Form`\n- `src/Form.Designer.cs:4` `void Init()`\n"
            in text
        )
        assert "other/" not in text
        by_name = tree.symbol("Form")
        assert [line.id for line in by_name.others] == [
            "src/Form.cs#App.Form",
            "other/Form.cs#Other.Form",
        ]
        part = render_symbol(tree.symbol("src/Form.Designer.cs#App.Form"))
        assert (
            "Members elsewhere:\n- `src/Form.cs:3` `public partial class Form : Base`\n- `src/Form.cs:4` `int a` field\n"
            in part
        )
        text = render_symbol(tree.symbol("Jekyll::Site"))
        assert "# Symbol: `lib/site.rb#" in text and "- `lib/more.rb:3` `def more`" in text
        text = render_symbol(tree.symbol("web/a.ts#Box~2"))
        assert (
            "Members elsewhere:\n- 1 `interface Box` interface\n- 1 `a: string` property\n" in text
            and "c: string" not in text
        )


def test_a_declaration_yields_to_its_definition(make_workspace: Maker) -> None:
    files: Files = {
        "src/dict.h": (
            "typedef struct entry {\n    int key;\n} entry;\n\ntypedef struct dict dict;\n\nstruct dict { entry *first; };\n\n"
            "extern int table[];\nextern int shared;\ntypedef struct opaque opaque;\n"
        ),
        "src/server.c": '#include "dict.h"\nint shared;\n',
        "src/table.c": "/* Automatically generated by make. Do not edit. */\nint table[] = {1};\n",
    }
    with make_workspace(files) as tree:
        for name, expected in {
            "entry": "src/dict.h#entry",
            "dict": "src/dict.h#dict~2",
            "shared": "src/server.c#shared",
            "table": "src/table.c#table",
            "opaque": "src/dict.h#opaque",
        }.items():
            response = tree.symbol(name)
            assert response.symbol is not None and response.symbol.id == expected, name
        assert tree.symbol("entry").others == []


def test_the_nearest_folder_is_the_package(make_workspace: Maker) -> None:
    type_of = "package {}\n\ntype {} struct{{}}\n".format
    files: Files = {
        "net/http/server.go": type_of("http", "Server"),
        "net/http/httptest/server.go": type_of("httptest", "Server"),
        "context/context.go": type_of("context", "Context"),
        "go/types/context.go": type_of("types", "Context"),
        "app/models.py": "class Model: pass\n",
        "db/models/base.py": "class Model: pass\n",
    }
    with make_workspace(files) as tree:
        for name, expected in {
            "http.Server": "net/http/server.go#Server",
            "context.Context": "context/context.go#Context",
        }.items():
            response = tree.symbol(name)
            assert response.symbol is not None and response.symbol.id == expected
        assert [line.id for line in tree.symbol("models.Model").others] == [
            "app/models.py#Model",
            "db/models/base.py#Model",
        ]


def test_a_file_that_was_taken_away_is_no_fault(make_workspace: Maker) -> None:
    """The base index still contains its path, which an overlay hides."""
    workspace = make_workspace({"s/a.py": "def only(): pass\n", "b.py": "def other(): pass\n"})
    workspace.refresh()
    os.unlink(os.path.join(workspace.root, "s", "a.py"))
    workspace.refresh()
    assert workspace.symbol("s/a.py#only").symbol is None
    with pytest.raises(RequestError, match="no file or folder"):
        workspace.outline("s/a.py")


@pytest.mark.sample(2)
@pytest.mark.parametrize("path", ["cpp/db/list.py", "list.py", "./other/list.py"])
def test_a_path_that_is_of_no_file_is_reported(make_workspace: Maker, path: str) -> None:
    tree = make_workspace(
        {"a.py": "class Order:\n    def go(self): pass\n    def all(self): self.go()\n"}
    )
    said = f"{path} is not a file of the workspace: a.py#Order.go has the name Order.go"
    answers = [
        tree.symbol(f"{path}#Order.go"),
        tree.hierarchy(f"{path}#Order.go", direction="callers"),
    ]
    answers.append(tree.references(ReferencesRequest(name=f"{path}#Order.go")))
    assert [said in (answer.notices or []) for answer in answers] == [True, True, True]  # type: ignore[attr-defined]
    assert said not in (tree.symbol("Order#go").notices or [])


@pytest.mark.parametrize(("n_others", "is_suggested"), [(13, True), (14, False)])
def test_a_name_that_shares_half_of_the_letters_is_suggested(
    make_workspace: Maker, n_others: int, is_suggested: bool
) -> None:
    name = "a" * 13 + "b" * 13
    answer = make_workspace({"a.py": f"def {name}(): pass\n"}).symbol(
        f"a.py#{'a' * 13}{'c' * n_others}"
    )
    assert (answer.suggestions or []) == ([f"a.py#{name}"] if is_suggested else [])


def test_how_much_a_container_is_like_a_module() -> None:
    containers = ("axios", "lib.axios", "axiosstatic", "axios.other", "other")
    assert [_likeness(container, "axios") for container in containers] == [0, 0, 1, 2, 3]
