"""Members with a meaning of their own: descriptors, metaclasses, and functions that answer for
members which nobody defines. Fields that are given by name; names that patterns, parameters of tests and
exports use."""

import time

import pytest

from symindex.resolve.modules.crates import MOST_BYTES
from tests.support.bound import bound_lines
from tests.support.files import Maker

HOOKED: dict[str, tuple[str, str, int]] = {
    # by name: a file whose type Dog has a member run, another symbol's, and a line that may use it
    "__getattr__": (
        "a.py", "class Dog:\n    def run(self): pass\nclass Any:\n    def __getattr__(self, name): pass\n"
        "class Cat:\n    def walk(self): pass\nAny().run()\nCat().run()\n", 7,
    ),
    "metaclass": (
        "a.py", "class Dog(type):\n    def run(cls): pass\nclass Any(metaclass=Dog): pass\n"
        "class Cat:\n    def walk(self): pass\nAny.run()\nCat.run()\n", 6,
    ),
    "__call": (
        "a.php", "<?php\nclass Dog { function run() {} }\nclass Any { function __call($n, $a) {} }\n"
        "class Cat { function walk() {} }\n(new Any)->run();\n(new Cat)->run();\n", 5,
    ),
    "applyDynamic": (
        "a.scala", "class Dog { def run() = 1 }\nclass Any extends Dynamic { def applyDynamic(n: String)() = 1 }\n"
        "class Cat { def walk() = 1 }\nobject Use {\n  val a = new Any\n  val c = new Cat\n  a.run()\n  c.run()\n}\n", 7,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", HOOKED)
def test_a_type_may_have_members_that_a_function_or_metaclass_gives_it(
    make_workspace: Maker, name: str
) -> None:
    path, code, line = HOOKED[name]
    workspace = make_workspace({path: code})
    assert bound_lines(workspace, f"{path}#Dog.run") == [f"{path}:{line}?"]


def test_a_descriptor_tells_what_a_member_is(make_workspace: Maker) -> None:
    code = (
        "class Dog:\n    def run(self): pass\n"
        "class Told:\n    def __get__(self, o, t) -> Dog: ...\n    def run(self): pass\n"
        "class Untold:\n    def __get__(self, o, t): return o.x\n    def run(self): pass\n"
        "class Plain:\n    def run(self): pass\n"
        "class Holder:\n    told = Told()\n    untold = Untold()\n    plain = Plain()\n"
        "    def go(self):\n        self.told.run()\n        self.untold.run()\n        self.plain.run()\n"
    )
    workspace = make_workspace({"a.py": code})
    assert bound_lines(workspace, "a.py#Dog.run") == ["a.py:16", "a.py:17?"]
    assert bound_lines(workspace, "a.py#Told.run") == ["a.py:17?"]
    assert bound_lines(workspace, "a.py#Untold.run") == ["a.py:17?"]
    assert bound_lines(workspace, "a.py#Plain.run") == ["a.py:17?", "a.py:18"]


def test_the_class_of_a_value_is_its_type(make_workspace: Maker) -> None:
    code = (
        "class Dog:\n    limit = 1\nclass Cat:\n    limit = 2\n"
        "def f(d: Dog, c: Cat):\n    d.__class__.limit\n    c.__class__.limit\n"
    )
    workspace = make_workspace({"a.py": code})
    assert bound_lines(workspace, "a.py#Dog.limit") == ["a.py:6"]


def test_a_named_argument_sets_a_field_of_a_type_without_a_constructor(
    make_workspace: Maker,
) -> None:
    code = (
        "import dataclasses, lib\n@dataclasses.dataclass\nclass Point:\n    x: int\n"
        "class Sub(Point):\n    y: int\n"
        "class Own:\n    x: int\n    def __init__(self, x): pass\n"
        "class Model(lib.Model):\n    x: int\n"
        "class Other(lib.Model):\n    x = lib.Field()\n"
        "def make(x): pass\n"
        "Point(x=1)\nSub(x=1, y=2)\nOwn(x=1)\nModel(x=1)\nOther(x=1)\n"
        "make(x=1)\nlib.make(x=1)\n"
    )
    workspace = make_workspace({"a.py": code})
    unknown = [f"a.py:{line}?" for line in (17, 19, 20, 21)]
    lines = sorted(["a.py:15", "a.py:16", *unknown])
    assert bound_lines(workspace, "a.py#Point.x") == lines
    assert bound_lines(workspace, "a.py#Sub.y") == ["a.py:16"]
    assert bound_lines(workspace, "a.py#Model.x") == sorted([*unknown, "a.py:18"])
    assert bound_lines(workspace, "a.py#Own.x") == unknown
    assert bound_lines(workspace, "a.py#Other.x") == unknown


def test_a_name_that_a_call_repeats_in_quotes_is_no_title(make_workspace: Maker) -> None:
    """Tests have titles in quotes; what `namedtuple` makes only repeats its name."""
    made = "from collections import namedtuple\nFrame = namedtuple('Frame', 'a b')\nFrame(3, 4)\n"
    consts = (
        'package a\nconst (\n\topaque = "opaque"\n\ts = "s"\n)\nvar wanted = []string{opaque, s}\n'
    )
    workspace = make_workspace({
        "src/b.py": "class Frame: pass\n", "src/tests/w.py": made,
        "a.go": "package a\ntype t struct{ opaque int }\n", "a_test.go": consts,
    })  # fmt: skip
    assert bound_lines(workspace, "src/tests/w.py#Frame") == ["src/tests/w.py:3"]
    assert bound_lines(workspace, "a_test.go#opaque") == ["a_test.go:6"]
    assert bound_lines(workspace, "a_test.go#s") == ["a_test.go:6"]


def test_a_name_in_the_body_of_a_class_means_its_member(make_workspace: Maker) -> None:
    code = (
        "class Node:\n    def run(self): pass\n    alias = run\n"
        "    @property\n    def owner(self): return 1\n    @owner.setter\n    def owner(self, v): pass\n"
    )
    workspace = make_workspace({"a.py": code})
    for place, symbol in (("a.py:3:13", "a.py#Node.run"), ("a.py:6:6", "a.py#Node.owner")):
        response = workspace.symbol(place)
        assert response.symbol is not None
        assert response.symbol.id == symbol
        assert "local name" not in str(response.notices)


def test_a_bare_name_may_mean_a_member_that_a_hook_gives(make_workspace: Maker) -> None:
    code = (
        "def namespace(name) end\n"
        "module Base\n  def self.included(base); base.extend(Methods); end\nend\n"
        "class Hooked\n  include Base\n  namespace :a\nend\n"
        "class Below < Hooked\n  def go; namespace(:b); end\nend\n"
        "class Plain\n  namespace :c\nend\nnamespace :d\n"
    )
    workspace = make_workspace({"a.rb": code})
    expected = ["a.rb:10?", "a.rb:13", "a.rb:15", "a.rb:7?"]
    assert sorted(bound_lines(workspace, "a.rb#namespace")) == expected


def test_a_value_has_no_member_of_its_type(make_workspace: Maker) -> None:
    code = (
        "class Group\n  class << self\n    def invoke; end\n    def self_call; invoke; end\n  end\n"
        "  def go; invoke; end\n  def other; self.invoke; end\nend\n"
        "Group.invoke\nGroup.new.invoke\n"
    )
    workspace = make_workspace({"a.rb": code})
    lines = bound_lines(workspace, "a.rb#Group.invoke")
    assert [line for line in lines if not line.endswith("?")] == ["a.rb:4", "a.rb:9"]


def test_a_pattern_names_members_of_types(make_workspace: Maker) -> None:
    code = (
        "class Kind:\n    RED = 1\n    BLUE = 2\nclass Other:\n    RED = 1\n"
        "def f(k):\n    match k:\n        case Kind.RED: pass\n        case None | Kind.BLUE: pass\n"
        "        case Other.RED: pass\n        case [Kind.RED, RED]: return RED\n"
    )
    workspace = make_workspace({"a.py": code})
    assert bound_lines(workspace, "a.py#Kind.RED") == ["a.py:8", "a.py:11"]
    assert bound_lines(workspace, "a.py#Kind.BLUE") == ["a.py:9"]
    assert bound_lines(workspace, "a.py#Other.RED") == ["a.py:10"]


def test_parameters_of_tests_may_get_what_a_function_of_their_name_returns(
    make_workspace: Maker,
) -> None:
    fixture = "import pytest\n@pytest.fixture(scope='module')\n@other\nasync def client():\n    return 1\n"
    test = "def test_a(client):\n    assert client\n"
    workspace = make_workspace({
        "tests/conftest.py": fixture, "tests/a/test_a.py": test, "other/test_b.py": test,
        "tests/test_own.py": fixture + test, "plain.py": f"def client(): pass\n{test}",
    })  # fmt: skip
    assert bound_lines(workspace, "tests/conftest.py#client") == [
        "tests/a/test_a.py:1?", "tests/a/test_a.py:2?",
        "tests/test_own.py:6?", "tests/test_own.py:7?",
    ]  # fmt: skip
    assert bound_lines(workspace, "tests/test_own.py#client") == [
        "tests/test_own.py:6?", "tests/test_own.py:7?",
    ]  # fmt: skip
    assert bound_lines(workspace, "plain.py#client") == []


def test_an_object_of_a_library_may_have_what_the_project_defines(make_workspace: Maker) -> None:
    use = "from django.conf import settings\nfrom lib.conf import settings as others\n"
    workspace = make_workspace({
        "proj/settings.py": "GROUPS = []\n",
        "proj/views.py": f"{use}settings.GROUPS\nothers.GROUPS\n",
    })  # fmt: skip
    assert bound_lines(workspace, "proj/settings.py#GROUPS") == ["proj/views.py:3?"]


EXPORTS = {
    "export { L10n, cur as now, far };": {"L10n": [4], "cur": [4]},
    "export type { L10n };": {"L10n": [4], "cur": []},
    "export default cur;": {"L10n": [], "cur": [4]},
}


@pytest.mark.parametrize("statement", EXPORTS)
def test_a_file_uses_what_it_exports(make_workspace: Maker, statement: str) -> None:
    code = f"class L10n {{}}\nfunction cur() {{}}\nimport {{ far }} from './c';\n{statement}\n"
    workspace = make_workspace({"a.ts": code, "c.ts": "export function far() {}\n"})
    for name, lines in EXPORTS[statement].items():
        found = [
            (item.line, item.is_unsure)
            for file in workspace.references(f"a.ts#{name}").files
            for item in file.items
            if not item.definition
        ]
        assert found == [(line, False) for line in lines], name


def test_an_import_without_a_name_gives_none(make_workspace: Maker) -> None:
    workspace = make_workspace({
        "Cargo.toml": '[package]\nname = "shop"\n',
        "src/lib.rs": "pub mod buffer;\npub mod prelude;\nmod other;\n",
        "src/buffer.rs": "pub trait Buffer { fn put(&mut self); }\n",
        "src/prelude.rs": "pub use crate::buffer::{Buffer as _};\n",
        "src/other.rs": "use crate::prelude::*;\nfn f(x: &Formatter<'_>) { let v: Vec<_> = vec![]; }\n",
    })  # fmt: skip
    response = workspace.references("src/buffer.rs#Buffer")
    assert [file.file_path for file in response.files] == ["src/buffer.rs", "src/prelude.rs"]


@pytest.mark.parametrize("size", [0, 1])
def test_a_large_manifest_is_read_up_to_a_limit(make_workspace: Maker, size: int) -> None:
    manifest = '[package]\nname = "shop"\n'
    manifest += "#" * (MOST_BYTES + size - len(manifest) - 1) + "\n"
    workspace = make_workspace({
        "Cargo.toml": manifest, "src/lib.rs": "pub mod carts;\n",
        "src/carts.rs": "pub struct Cart;\n", "other/src/carts.rs": "pub struct Cart;\n",
        "examples/one.rs": "fn main() { let x: shop::carts::Cart; }\n",
    })  # fmt: skip
    lines = bound_lines(workspace, "src/carts.rs#Cart")
    assert (lines == ["examples/one.rs:1"]) is (not size)


def test_a_long_key_of_a_manifest_and_a_long_comment_take_no_time(make_workspace: Maker) -> None:
    """The parser of TOML takes hours for such a key, a pattern minutes for such a line."""
    begun = time.monotonic()
    manifest = '[package]\nname = "shop"\n'
    fixtures = f"# {'@fixture ' * 50_000}\ndef client(): pass\n\ndef test_a(client):\n    client\n"
    workspace = make_workspace({
        "Cargo.toml": f"{manifest}a{'.a' * 200_000} = 1\n",
        "src/lib.rs": "pub struct Cart;\n", "src/a.rs": "use crate::Cart;\n",
        "test_a.py": fixtures,
    })  # fmt: skip
    assert len(workspace.references("src/lib.rs#Cart").files) == 2
    assert bound_lines(workspace, "test_a.py#client") == []
    assert time.monotonic() - begun < 30
