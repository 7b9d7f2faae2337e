"""A member is found by the name of a type that only inherits it."""

import pytest
from msgspec import UNSET

from symindex.explore.targets.inherited import MOST_TYPES
from symindex.protocol.explore import SymbolRequest
from symindex.protocol.hierarchy import HierarchyRequest
from tests.support.files import Maker

FILES = {
    "a.py": (
        "import lib\n\n"
        "class Base:\n    def run(self): pass\n    def own(self): pass\n"
        "class Cat(Base):\n    class Meta:\n        def run(self): pass\n    def own(self): pass\n"
        "class Kitten(Cat): pass\n"
        "class Foreign(lib.Base):\n    class Meta:\n        def run(self): pass\n"
        "def use(cat: Cat):\n    cat.run()\n    Kitten().run()\n    Cat.Meta().run()\n"
    ),
    "b.py": "class Dog:\n    def run(self): pass\n",
}

NAMES = ("Cat.run", "Kitten.run", "Cat::run()", "a.py#Cat.run", "`Kitten.run`", "a.py#Kitten.run()")


@pytest.mark.parametrize("name", NAMES)
def test_it_leads_to_what_the_supertype_defines(make_workspace: Maker, name: str) -> None:
    workspace = make_workspace(FILES)
    told = f"{name.strip('`')} is inherited: Base defines run"
    symbol = workspace.symbol(SymbolRequest(symbol=name))
    assert symbol.symbol is not None
    assert (symbol.symbol.id, symbol.notices) == ("a.py#Base.run", [told])
    callers = workspace.hierarchy(HierarchyRequest(symbol=name, direction="callers"))
    assert [item.name for item in callers.items] == ["use"]
    assert callers.notices is not UNSET and told in callers.notices


@pytest.mark.parametrize("name", NAMES[:2] + NAMES[3:4])
def test_references_are_those_of_the_inherited_member(make_workspace: Maker, name: str) -> None:
    response = make_workspace(FILES).references(name)
    assert response.symbol == "a.py#Base.run"
    assert response.notices == [f"{name} is inherited: Base defines run"]
    rows = [(item.line, item.is_unsure) for file in response.files for item in file.items]
    assert rows == [(4, False), (15, False), (16, False)]


def test_the_member_of_a_type_itself_is_meant_before(make_workspace: Maker) -> None:
    workspace = make_workspace(FILES)
    for name in ("Cat.own", "Cat.Meta.run", "Dog.run", "Base.run"):
        response = workspace.symbol(SymbolRequest(symbol=name))
        assert response.symbol is not None
        assert response.symbol.id.endswith(f"#{name}")
        assert response.notices is UNSET


def test_what_a_library_may_define_is_not_guessed(make_workspace: Maker) -> None:
    response = make_workspace(FILES).symbol(SymbolRequest(symbol="Foreign.run"))
    assert response.symbol is not None
    assert response.symbol.id == "a.py#Foreign.Meta.run"
    assert response.notices is UNSET


def test_types_of_one_name_with_different_members_are_candidates(make_workspace: Maker) -> None:
    code = "class Base{0}:\n    def run(self): pass\nclass Cat(Base{0}): pass\n"
    files = {f"m{number}.py": code.format(number) for number in range(MOST_TYPES + 1)}
    response = make_workspace(files).hierarchy(
        HierarchyRequest(symbol="Cat.run", direction="callers")
    )
    assert response.candidates == [f"m{number}.py#Base{number}.run" for number in range(MOST_TYPES)]
    assert make_workspace(files).references("Cat.run").symbol == ""
