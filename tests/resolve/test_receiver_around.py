"""Code whose `this` is not a value of the type around it: types without a name, functions and
lambdas with a receiver, functions that take any value. Its members are those of that value."""

import pytest

from tests.support.bound import bound_lines
from tests.support.files import Maker

BOTH: dict[str, tuple[str, str, dict[str, list[str]]]] = {
    # by name: a file, its code, and the uses of each member
    "a Java class without a name": (
        "a.java",
        "class Base { int size; void run() {} }\nclass Outer {\n  int size;\n  void run() {}\n  Object o = new Base() {\n"
        "    void go() {\n      size++;\n      this.size++;\n      run();\n      Outer.this.run();\n    }\n  };\n}\n",
        {"Base.size": ["7", "8"], "Base.run": ["9"], "Outer.run": ["10"], "Outer.size": []},
    ),
    "a PHP class without a name": (
        "a.php",
        "<?php\nclass Base { public $size; function run() {} }\nclass Outer {\n  public $size; function run() {}\n"
        "  function make() {\n    $a = new class extends Base {\n      function go() {\n        $this->run();\n"
        "        $this->size = 1;\n        parent::run();\n      } };\n"
        "    $b = new class {\n      function own() {}\n      function go() {\n        $this->own();\n        $this->run();\n      } };\n"
        "    $c = function () {\n      $this->run();\n    };\n  }\n}\n",
        {
            "Base.run": ["8", "10"],
            "Base.size": ["9"],
            "Outer.run": ["16?", "19"],
            "Outer.make.own": ["15"],
        },
    ),
    "functions of any self in Python": (
        "a.py",
        "class Base:\n    def run(self): pass\nclass Outer:\n    def run(self): pass\n    def go(self):\n"
        "        def inner():\n            self.run()\n        def fake(self):\n            self.run()\n"
        "        one = lambda self: self.run()\n        class Local(Base):\n            def go(self):\n                self.run()\n"
        "    @staticmethod\n    def still(self):\n        self.run()\n    if True:\n        def some(self):\n            self.run()\n"
        "    @classmethod\n    def of(cls):\n        cls.run(1)\n",
        {"Outer.run": ["7", "9?", "10?", "16?", "19", "22"], "Base.run": ["13"]},
    ),
    "objects and receivers in Kotlin": (
        "a.kt",
        "open class Base { var size = 2; fun run() {} }\nclass Outer {\n  var size = 1\n  fun run() {}\n"
        "  val it = object : Base() {\n    fun go() {\n      size++\n      this@Outer.run()\n    }\n  }\n"
        "  fun go(base: Base) {\n    with(base) {\n      this.size\n    }\n    base.apply {\n      run()\n      make(run = 2)\n    }\n"
        "    make {\n      this.size\n      run()\n    }\n    listOf(1).forEach {\n      this.size\n    }\n  }\n"
        "  fun Base.more() {\n    this.size\n    run()\n  }\n}\n",
        {"Base.size": ["7", "13", "20?", "28"], "Base.run": ["16", "29"], "Outer.run": ["8", "21"], "Outer.size": ["20?", "24"]},
    ),
    "objects and imports of values in Scala": (
        "a.scala",
        "class Base { var size = 1; def run(): Unit = () }\nclass Outer {\n  var size = 2\n  def run(): Unit = ()\n  def own(): Unit = ()\n"
        "  val it = new Base {\n    def go() = {\n      size = 1\n      Outer.this.run()\n    }\n  }\n"
        "  def go(base: Base) = {\n    import base._\n    size\n    run()\n    own()\n  }\n}\n",
        {"Base.size": ["8", "14"], "Base.run": ["15"], "Outer.run": ["9"], "Outer.size": [], "Outer.own": ["16"]},
    ),
    "blocks of other values in Ruby": (
        "a.rb",
        "class Base\n  def run; end\nend\nclass Outer\n  def run; end\n  def go(any)\n    [1].each { run }\n"
        "    made = Class.new(Base) do\n      def act\n        run\n        self.run\n      end\n    end\n"
        "    Base.new.instance_eval { run }\n    any.instance_eval { run }\n  end\nend\n",
        {"Outer.run": ["7", "15?"], "Base.run": ["10", "11", "14", "15?"]},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BOTH)
def test_members_are_those_of_the_value_that_the_code_is_called_for(
    make_workspace: Maker, name: str
) -> None:
    path, code, uses = BOTH[name]
    tree = make_workspace({path: code})
    found = {member: bound_lines(tree, f"{path}#{member}") for member in uses}
    assert found == {member: [f"{path}:{line}" for line in lines] for member, lines in uses.items()}
