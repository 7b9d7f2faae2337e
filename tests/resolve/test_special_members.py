"""Members with a meaning of their own: descriptors, metaclasses, and functions that answer for
members which nobody defines. Fields that are given by name."""

import pytest

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
    workspace = make_workspace({"src/b.py": "class Frame: pass\n", "src/tests/w.py": made})
    assert bound_lines(workspace, "src/tests/w.py#Frame") == ["src/tests/w.py:3"]


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
