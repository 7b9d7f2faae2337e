"""Which tests are those of a member: the ones of files that name its type, where any type may have such a member."""

from tests.support.files import Maker


def test_tests_of_a_member_are_not_those_of_every_namesake(make_workspace: Maker) -> None:
    tree = make_workspace({
        "src/a.py": "class A:\n    def parse(self):\n        pass\n",
        "src/b.py": "class B:\n    def parse(self):\n        pass\n",
        "tests/test_a.py": "from src.a import A\n\n\ndef test_of_a():\n    x = A()\n    x.parse()\n",
        "tests/test_b.py": "from src.b import B\n\n\ndef test_of_b():\n    x = B()\n    x.parse()\n",
        "tests/test_other.py": "import json\n\n\ndef test_of_json(x):\n    x.parse()\n",
    })  # fmt: skip
    found = tree.hierarchy("A.parse", "tests")
    assert [item.name for item in found.items] == ["test_of_a"]
    assert found.notices == ["2 tests use parse of something in files without A: left out"]
    assert [item.name for item in tree.hierarchy("B.parse", "tests").items] == ["test_of_b"]


def test_a_member_without_namesakes_keeps_all_its_tests(make_workspace: Maker) -> None:
    tree = make_workspace({
        "src/a.py": "class A:\n    def total_price(self):\n        pass\n",
        "tests/test_a.py": "def test_it(fixture):\n    fixture.total_price()\n",
    })  # fmt: skip
    assert [item.name for item in tree.hierarchy("A.total_price", "tests").items] == ["test_it"]
