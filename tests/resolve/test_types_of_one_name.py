"""Two types of one simple name: what one inherits from a library is not taken for a member of the
other."""

import pytest

from tests.support.bound import bound_lines
from tests.support.files import Maker

CASES: dict[str, tuple[str, str, str, str]] = {
    # by language: two files, and the first one's member
    "python": ("one/a.py", "class Tag:\n    def only_here(self): pass\n",
        "import lib\nclass Tag(lib.Base):\n    def go(self):\n        self.only_here()\n"
        "def use(tag: Tag):\n    tag.only_here()\n", "Tag.only_here"),
    "python in one folder": ("a.py", "class Tag:\n    def only_here(self): pass\n",
        "import lib\nclass Tag(lib.Base):\n    def go(self):\n        self.only_here()\n"
        "def use(tag: Tag):\n    tag.only_here()\n", "Tag.only_here"),
    "typescript": ("one/a.ts", "export class Tag { onlyHere() {} }\n",
        "import { Base } from 'lib';\nexport class Tag extends Base {\n  go() {\n    this.onlyHere();\n  }\n}\n"
        "function use(tag: Tag) { tag.onlyHere(); }\n", "Tag.onlyHere"),
    "java": ("one/a.java", "package one;\nclass Tag { void onlyHere() {} }\n",
        "package two;\nimport lib.Base;\nclass Tag extends Base {\n  void go() {\n    onlyHere();\n    this.onlyHere();\n  }\n}\n"
        "class Use { void use(Tag tag) {\n  tag.onlyHere(); } }\n", "Tag.onlyHere"),
    "c#": ("one/a.cs", "namespace M { class Tag { public void OnlyHere() {} } }\n",
        "using Lib;\nnamespace O { class Tag : Base {\n  void Go() {\n    OnlyHere();\n    this.OnlyHere();\n  }\n}\n"
        "class Use { void Do(Tag tag) {\n  tag.OnlyHere(); } } }\n", "M.Tag.OnlyHere"),
    "kotlin": ("one/a.kt", "package one\nclass Tag { fun onlyHere() {} }\n",
        "package two\nimport lib.Base\nclass Tag : Base() {\n  fun go() {\n    onlyHere()\n    this.onlyHere()\n  }\n}\n"
        "fun use(tag: Tag) { tag.onlyHere() }\n", "Tag.onlyHere"),
    "scala": ("one/a.scala", "package one\nclass Tag { def onlyHere() = 1 }\n",
        "package two\nimport lib.Base\nclass Tag extends Base {\n  def go() = {\n    onlyHere()\n    this.onlyHere()\n  }\n}\n"
        "class Use { def use(tag: Tag) = tag.onlyHere() }\n", "Tag.onlyHere"),
    "php": ("one/a.php", "<?php\nnamespace M;\nclass Tag { function onlyHere() {} }\n",
        "<?php\nnamespace O;\nclass Tag extends \\Lib\\Base {\n  function go() {\n    $this->onlyHere();\n  }\n}\n"
        "function useIt(Tag $tag) { $tag->onlyHere(); }\n", "M.Tag.onlyHere"),
    "ruby": ("one/a.rb", "module M\n  class Tag\n    def only_here; end\n  end\nend\n",
        "module O\n  class Tag < Lib::Base\n    def go\n      only_here\n      self.only_here\n    end\n  end\n"
        "  Tag.new.only_here\nend\n", "M.Tag.only_here"),
    "c++": ("one/a.h", "namespace m { struct Tag { void onlyHere() {} }; }\n",
        "#include <lib/base.h>\nnamespace o { struct Tag : Base {\n  void go() {\n    onlyHere();\n    this->onlyHere();\n  }\n};\n"
        "void use(Tag& tag) { tag.onlyHere(); } }\n", "m.Tag.onlyHere"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_no_member_is_certain_of_a_type_of_the_same_simple_name(
    make_workspace: Maker, name: str
) -> None:
    path, code, other, member = CASES[name]
    end = path.rpartition(".")[2]
    path_of_other = f"b.{end}" if "/" not in path else f"two/b.{end if end != 'h' else 'cpp'}"
    tree = make_workspace({path: code, path_of_other: other})
    lines = bound_lines(tree, f"{path}#{member}")
    assert len(lines) > 1
    assert all(line.endswith("?") for line in lines), lines
