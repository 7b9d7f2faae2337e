"""Which symbol a name means, and which file a path means: a likely and existing one, never one
outside the root."""

import os
import re

import pytest

from symindex.errors import RequestError
from symindex.protocol.explore import SymbolResponse
from tests.support.files import Files, Maker, write_files


def shown(response: SymbolResponse) -> tuple[str | None, list[str]]:
    """Returns the id of the symbol shown, and the ids of the others listed."""
    symbol_id = response.symbol.id if response.symbol is not None else None
    return symbol_id, [other.id for other in response.others]


LESS_LIKELY: dict[str, tuple[str, str, str]] = {
    "a test's": ("tests/test_a.py", "def sought(): pass\n", "tests/test_a.py#sought"),
    "a copy's": ("vendor/a.py", "def sought(): pass\n", "vendor/a.py#sought"),
    "a generated one": ("gen/a.py", "# @generated\ndef sought(): pass\n", "gen/a.py#sought"),
    "a local one": ("src/a.py", "def outer():\n    def sought(): pass\n", "src/a.py#outer.sought"),
}


@pytest.mark.sample(2)
@pytest.mark.parametrize(("path", "code", "other"), LESS_LIKELY.values(), ids=LESS_LIKELY)
def test_a_name_means_its_likely_symbol(
    path: str, code: str, other: str, make_workspace: Maker
) -> None:
    """The likely symbol is shown and the other one listed, although the path of the other comes
    first."""
    tree = make_workspace({path: code, "z.py": "def sought(): pass\n"})
    assert shown(tree.symbol("sought")) == ("z.py#sought", [other])


BUFFER = "public class Buf {\n  public Buf() {}\n  public Buf(int n) {}\n}\n"

CONSTRUCTORS: dict[str, tuple[Files, str | None, list[str]]] = {
    "a type without its constructors": ({"a/Buf.java": BUFFER}, "a/Buf.java#Buf", []),
    "also beside a function of that name": (
        {"a/Buf.java": BUFFER, "b.py": "def Buf(): pass\n"},
        "a/Buf.java#Buf",
        ["b.py#Buf"],
    ),
    "constructors where no type is known": (
        {"a.cc": "Buf::Buf() {\n  run();\n}\n"},
        "a.cc#Buf.Buf",
        [],
    ),
    "as likely as a function where no type is known": (
        {"a.cc": "Buf::Buf() {\n  run();\n}\n", "b.py": "def Buf(): pass\n"},
        None,
        ["b.py#Buf", "a.cc#Buf.Buf"],
    ),
}


@pytest.mark.sample(2)
@pytest.mark.slow
@pytest.mark.parametrize(("files", "symbol", "others"), CONSTRUCTORS.values(), ids=CONSTRUCTORS)
def test_a_type_goes_before_its_constructors(
    files: Files, symbol: str | None, others: list[str], make_workspace: Maker
) -> None:
    assert shown(make_workspace(files).symbol("Buf")) == (symbol, others)


@pytest.mark.nightly
def test_deleted_symbols_are_not_found(make_workspace: Maker) -> None:
    """Deleted symbols are not found by their names, files or containers, though the index below an
    overlay still contains them."""
    many: Files = {
        f"many/m{number}.py": f"m{number} = 1\n" for number in range(20)
    }  # otherwise the index would be rebuilt
    kept: Files = {"a/kept.go": "package p\n\ntype Kept struct{}\n"}
    tree = make_workspace(
        {
            "a/gone.go": "package p\n\nfunc (k *Kept) Gone() {}\n",
            "b/gone.py": "gone = 1\n",
            **kept,
            **many,
        }
    )
    assert shown(tree.symbol("Gone"))[0] == "a/gone.go#Kept.Gone"
    (tree.root / "a" / "gone.go").unlink()
    (tree.root / "b" / "gone.py").unlink()
    tree.refresh()
    assert any(
        part.live is not None for part in tree.source.indexed.snapshot.parts
    )  # otherwise the test would show nothing
    for name in ("Gone", "Kept.Gone", "gone", "Other.Gone", "b/gone.py#gone"):
        assert shown(tree.symbol(name)) == (None, []), name
        assert "Gone" not in str(tree.symbol(name).suggestions), name
    alone = tree.symbol("Kept").symbol
    assert alone is not None and alone.members == []
    for path in ("gone.py", "gone.go:3", "b/gone.py:1"):
        with pytest.raises(RequestError, match="no file or folder"):
            tree.symbol(path) if ":" in path else tree.outline(path)


OUTSIDE = {
    "..": "leads out of the root: name one inside",
    "../x.py": "leads out of the root: name one inside",
    "./../tree0/a.py": "leads out of the root: name one inside",
    "in/../../tree0/a.py": "leads out of the root: name one inside",
    "{root}2/a.py": "is outside of the root",
    "{root}2": "is outside of the root",
    "{root}/../tree02/a.py": "is outside of the root",
    "link/a.py": "leads out of the root by a link",
    "{root}/link/a.py": "leads out of the root by a link",
}


@pytest.mark.sample(2)
@pytest.mark.slow
@pytest.mark.parametrize(("path", "words"), OUTSIDE.items(), ids=OUTSIDE)
def test_a_path_that_leads_out_of_the_root_says_how(
    path: str, words: str, make_workspace: Maker
) -> None:
    """This includes a folder whose name begins like the root's, and a path that leads back into the
    root."""
    tree = make_workspace({"a.py": "only = 1\n", "in/b.py": "b = 1\n"})
    assert tree.root.name == "tree0"
    beside = write_files(tree.root.with_name("tree02"), {"a.py": "secret = 1\n"})
    (tree.root / "link").symlink_to(beside)
    path = path.format(root=tree.root)
    with pytest.raises(RequestError, match=re.escape(words)):
        tree.outline(path)
    with pytest.raises(RequestError, match=re.escape(words)):
        tree.symbol(f"{path}/x:1")


def test_names_that_begin_with_dots_lead_nowhere_else(make_workspace: Maker) -> None:
    tree = make_workspace({"..data/a.py": "a = 1\n", "...": "", "..b.py": "b = 1\n"})
    assert tree.outline("..data").path == "..data"
    assert shown(tree.symbol("..b.py:1"))[0] == "..b.py#b"
    assert shown(tree.symbol(f"{tree.root}{os.sep}..data/a.py:1"))[0] == "..data/a.py#a"


POOLS = {
    "a.go": "package a\n\ntype Used struct {\n\tpool map[string]int\n}\n\nfunc (u Used) get() int {\n"
    "\tpool := u.pool\n\treturn len(pool) + len(u.pool)\n}\n",
    "b.go": "package a\n\ntype Kept struct {\n\tpool map[string]int\n}\n",
}


def test_a_name_in_another_case_means_one_symbol_or_none(make_workspace: Maker) -> None:
    """Several are named, however often one of them is used; a type is shown, and so is what has
    the very case. A field has no subtypes, and a local name is none."""
    tree = make_workspace(POOLS)
    fields = ["a.go#Used.pool", "b.go#Kept.pool"]
    answer = tree.hierarchy("Pool")
    assert (answer.symbol, sorted(answer.candidates)) == (None, fields)
    assert answer.notices == [
        "nothing is written like this; what is shown differs in case",
        "2 symbols have this name: ask for one by its id",
    ]
    assert shown(tree.symbol("Pool"))[0] is None
    (tree.root / "c.go").write_text("package a\n\ntype Pool struct{}\n")
    tree.refresh()
    found = tree.hierarchy("Pool")
    assert found.symbol is not None and found.symbol.id == "c.go#Pool"
    assert found.may_inherit == []
    other = tree.hierarchy("POOL")
    assert other.symbol is not None and other.symbol.id == "c.go#Pool"
    assert other.notices == ["nothing is written like this; what is shown differs in case"]
    assert tree.hierarchy("Used.pool").may_inherit == []
