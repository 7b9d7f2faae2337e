"""Symbols that nothing uses: what is listed, what is left out, and what the answer says of it."""

from pathlib import Path

import pytest

from symindex.errors import RequestError
from symindex.protocol.unused import UnusedRequest
from symindex.workspace.answers import unused_in
from symindex.workspace.workspace import Workspace
from tests.support.files import Files, Maker, write_files


def _unused(root: Path, files: Files, **fields: object) -> dict[str, str]:
    """Returns the names of the unused symbols of a tree, with their reasons."""
    write_files(root, files)
    with Workspace(root, root.parent / "indexes") as workspace:
        workspace.refresh()
        response = unused_in(workspace, UnusedRequest(**fields))  # type: ignore[arg-type]
    return {symbol.name: symbol.reason for file in response.files for symbol in file.symbols}


PYTHON = """import app
from base import Plugin

_T = TypeVar("_T")
_LIMIT = 3
USED_BY_OTHERS = 1
_SAID = 2

def _gone():
    '''_gone is gone.'''

def _again(n):
    return _again(n - 1)

def _used():
    return _SAID

def public():
    def inner():
        pass

    @app.route("/inner2")
    def inner2():
        pass

    def helper():
        pass

    return helper, _used

@app.task
def _registered(): pass

@staticmethod
def _plain(): pass

class _Plugin(Plugin):
    def _hook(self): pass

class Local:
    _size = 1
    def __init__(self): pass
    def _member(self): pass
    def _repr_html_(self): pass

class Child(Local):
    def _child(self): pass

def dispatch(self, name):
    return getattr(self, "_visit_" + name), getattr(self, f"_do_{name}"), getattr(self, "%s_end" % name)

def _visit_name(): pass
def _do_it(): pass
def _the_end(): pass
"""


def test_python(tmp_path: Path) -> None:
    files = {
        "a.py": PYTHON,
        "b.py": "class Plugin(Foreign): pass\n",
        "notes.txt": "_LIMIT is read\n",
    }
    assert _unused(tmp_path / "tree", files) == {
        "_T": "not exported: it is named only in its own definition",
        "_gone": "not exported: it is named only in its own code",
        "_again": "not exported: it is named only in its own code",
        "public.inner": "local: nothing names it in its function",
        "_plain": "not exported: nothing names it in any file",
        "Local._size": "not exported: nothing names it in any file",
        "Local._member": "not exported: nothing names it in any file",
        "Child._child": "not exported: nothing names it in any file",
    }


TYPESCRIPT = """import { Injectable, wrap } from "x";

/** gone does nothing. */
function gone() {}
const arrow = () => 1;
type Shape = { width: number };
interface Options { height: number }
export function open() { return used; }
const used = wrap(function named() {});
const table = { method() {}, key: () => 1 };
wrap({ overrides() {} });
@Injectable()
class Service {}
export class Door {
  private shut() {}
  private handle() {}
  #lock = 1;
  private onClick() {}
  @Input() private size = 1;
  go(name: string) { return this["on" + name], this[`h${name}`]; }
}
export { table };
const QUERY = gql`query Cart { total }`;
"""


def test_typescript(tmp_path: Path) -> None:
    files = {
        "a.ts": TYPESCRIPT,
        "b.ts": "export const other = (door: any) => door['handle']();\nconst gone = 1, lock = 2;\n",
        "types.d.ts": "export {};\ntype Lost = string;\n",
        "script.js": "function clicked() {}\nfunction unclicked() {}\n",
        "page.html": "<a onclick='clicked()'>x</a>\n",
    }
    assert _unused(tmp_path / "tree", files) == {
        "gone": "private: nothing names it in its file",
        "arrow": "private: nothing names it in its file",
        "Shape": "private: nothing names it in its file",
        "Options": "private: nothing names it in its file",
        "Door.shut": "not exported: nothing names it in any file",
        "Door.#lock": "private: nothing names it in its file",
        "lock": "private: nothing names it in its file",
    }


GO = """package a

// gone does nothing.
func gone() {}

//go:linkname linked runtime.linked
func linked() {}

//export exported
func exported() {}

func main() { used() }
func used() {}

type lost struct{ size int }

func (l *lost) reset() {}

type state string

const start state = "start"

type shaper interface{ shape() }
type box struct{}

func (b box) shape() { var _ shaper = b }
func (b box) String() string { return "" }
"""


def test_go(tmp_path: Path) -> None:
    files = {
        "a/a.go": GO,
        "b/b.go": "package b\n\nfunc gone() {}\n\nfunc Call() { gone() }\n",
        "c/c.go": 'package c\n\nimport "unsafe"\n\ntype layout struct{ pad int }\n\nvar P = unsafe.Pointer(&layout{})\n',
    }
    assert _unused(tmp_path / "tree", files) == {
        "gone": "private to its folder: it is named only in its own comment",
        "lost": "private to its folder: it is named only in its own code",
        "lost.size": "private to its folder: nothing names it in its folder",
        "lost.reset": "private to its folder: nothing names it in its folder",
        "box": "private to its folder: it is named only in its own code",
    }


JAVA = """package a;

@Data
class Model { private int shown; }

class Cart extends Base {
    private static final long serialVersionUID = 1;
    private int total;
    private int lost;
    @Inject private Store store;
    private void clear() {}
    void update() { total++; count(1, 2); }
    @Override void close() {}
    private void count(int a) {}
    private void count(int a, int b) { count(a); }
    private void readObject(java.io.ObjectInputStream in) {}
    private class Inner {}
    private enum Sort { UP, DOWN }
}

class Start { public static void main(String[] args) { new Cart(); new Model(); } }
"""


def test_java(tmp_path: Path) -> None:
    files = {
        "a/Cart.java": JAVA,
        "a/Other.java": "package a;\npublic class Other { int lost; void clear() { lost++; clear(); } }\n",
    }
    assert _unused(tmp_path / "tree", files) == {
        "Cart.lost": "private: nothing names it in its file",
        "Cart.clear": "private: nothing names it in its file",
        "Cart.update": "not exported: nothing names it in any file",
        "Cart.Inner": "private: nothing names it in its file",
        "Cart.Sort": "private: nothing names it in its file",
    }


def test_exported_symbols_on_request(tmp_path: Path) -> None:
    files = {
        "a.py": "def spare(): pass\ndef named(): pass\nclass Shop:\n    def open(self): pass\n",
        "pyproject.toml": "[project.scripts]\nnamed = 'a:named'\nshop = 'a:Shop'\n",
        "test_a.py": "def test_it(): pass\n",
    }
    assert _unused(tmp_path / "tree", files) == {}
    assert _unused(tmp_path / "tree", files, exported=True) == {
        "spare": "exported: nothing names it in any file",
        "Shop.open": "exported: nothing names it in any file",
    }


def test_filters_limit_what_is_listed_and_not_where_uses_are_searched(tmp_path: Path) -> None:
    files = {
        "a/a.py": "_ONE = 1\ndef _two(): pass\ndef _three(): pass\n",
        "b/b.py": "from a.a import _two\n_TEN = 10\n",
        "b/c.go": "package b\n\nfunc four() {}\n",
    }
    root = tmp_path / "tree"
    assert [*_unused(root, files)] == ["_ONE", "_three", "_TEN", "four"]
    assert [*_unused(root, files, path="a")] == ["_ONE", "_three"]
    assert [*_unused(root, files, path=["a", "b", "!b/*.go"])] == ["_ONE", "_three", "_TEN"]
    assert [*_unused(root, files, kinds=["function"])] == ["_three", "four"]
    assert [*_unused(root, files, languages=["go"])] == ["four"]


def test_pages(make_workspace: Maker) -> None:
    workspace = make_workspace({"a.py": "".join(f"_name{i} = 1\n" for i in range(7))})
    pages = [
        unused_in(workspace, UnusedRequest(max_items=3, start_index=start))
        for start in (0, 3, 6, 9)
    ]
    names = [[symbol.name for file in page.files for symbol in file.symbols] for page in pages]
    assert names == [
        ["_name0", "_name1", "_name2"], ["_name3", "_name4", "_name5"], ["_name6"], [],
    ]  # fmt: skip
    assert [page.has_more for page in pages] == [True, True, False, False]
    assert {page.total for page in pages} == {7}
    with pytest.raises(RequestError, match="start_index is -1: it must be 0 or more"):
        unused_in(workspace, UnusedRequest(start_index=-1))
    with pytest.raises(RequestError, match="max_items is 0"):
        unused_in(workspace, UnusedRequest(max_items=0))


def test_without_time_nothing_is_told_that_needs_all_files(make_workspace: Maker) -> None:
    workspace = make_workspace({"a.py": "_one = 1\n", "b.py": "_two = 1\n"})
    response = unused_in(workspace, UnusedRequest(), seconds=0)
    assert (response.total, response.is_whole) == (0, False)
    assert response.notices == [
        "the time was over after 0 of 2 files: symbols that several files may use are left out;"
        " allow more seconds"
    ]


def test_languages_without_rules_and_files_that_are_not_read_are_named(
    make_workspace: Maker,
) -> None:
    large = "x" * 3_000_000
    workspace = make_workspace(
        {"a.py": "_one = 1\n", "b.lua": "local function f() end\n", "large.txt": large}
    )
    response = unused_in(workspace, UnusedRequest())
    assert response.notices == [
        "1 file was not searched for names, as large.txt",
        "not judged, for lack of rules: Lua",
    ]


def test_unsaved_text_and_edits_count(tmp_path: Path) -> None:
    root = write_files(tmp_path / "tree", {"a.py": "_one = 1\n_two = 2\n"})
    with Workspace(root, tmp_path / "indexes") as workspace:
        workspace.refresh()
        assert unused_in(workspace, UnusedRequest()).total == 2
        write_files(root, {"b.py": "from a import _one\n"})
        workspace.refresh()
        assert [file.symbols[0].name for file in unused_in(workspace, UnusedRequest()).files] == [
            "_two"
        ]
