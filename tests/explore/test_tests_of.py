"""Tests of a member: if any type may have a member of that name, only test files that name the type
count."""

import pytest

from tests.support.files import Maker


def test_tests_of_a_member_are_not_those_of_every_namesake(make_workspace: Maker) -> None:
    tree = make_workspace({
        "src/a.py": "class A:\n    def parse(self):\n        pass\n",
        "src/b.py": "class B:\n    def parse(self):\n        pass\n",
        "tests/test_a.py": "from src.a import A\n\n\ndef test_of_a():\n    x = A()\n    x.parse()\n",
        "tests/test_b.py": "from src.b import B\n\n\ndef test_of_b():\n    x = B()\n    x.parse()\n",
        "tests/test_other.py": "import json\n\n\ndef test_of_json(x):\n    x.parse()\n",
    })  # fmt: skip
    hierarchy = tree.hierarchy("A.parse", direction="tests")
    assert [item.name for item in hierarchy.items] == ["test_of_a"]
    assert hierarchy.notices == ["1 test uses a parse in files that do not mention A: left out"]
    assert [item.name for item in tree.hierarchy("B.parse", direction="tests").items] == [
        "test_of_b"
    ]


@pytest.mark.nightly
def test_a_member_without_namesakes_keeps_all_its_tests(make_workspace: Maker) -> None:
    tree = make_workspace({
        "src/a.py": "class A:\n    def total_price(self):\n        pass\n",
        "tests/test_a.py": "def test_it(fixture):\n    fixture.total_price()\n",
    })  # fmt: skip
    assert [item.name for item in tree.hierarchy("A.total_price", direction="tests").items] == [
        "test_it"
    ]


def test_tests_of_a_type_use_its_other_names(make_workspace: Maker) -> None:
    tree = make_workspace({
        "sink.h": "template <typename M>\nclass dup_sink {};\n"
        "using dup_sink_st = dup_sink<int>;\ntypedef dup_sink<long> dup_sink_lt;\n",
        "wide.h": "class wide {};\n",
        "tests/test_a.cpp": 'TEST_CASE("one") {\n    dup_sink_st sink;\n}\nTEST_CASE("two") {\n    dup_sink_lt sink;\n}\n',
    })  # fmt: skip
    assert [item.name for item in tree.hierarchy("dup_sink", direction="tests").items] == [
        "one",
        "two",
    ]


@pytest.mark.nightly
def test_an_extension_method_needs_no_name_of_its_class(make_workspace: Maker) -> None:
    other = "class Other {\n    public void CreditCard() {}\n}\n"
    tree = make_workspace({
        "Ext.cs": "static class Ext {\n    public static void CreditCard<T>(this Rule<T> rule) {}\n}\n" + other,
        "tests/CardTests.cs": "class CardTests {\n    [Fact]\n    void Checks() { rule.CreditCard(); }\n}\n",
    })  # fmt: skip
    assert [item.name for item in tree.hierarchy("Ext.CreditCard", direction="tests").items] == [
        "CardTests.Checks"
    ]


def test_files_named_after_the_root_are_not_tests_of_all_that_is_in_it(
    make_workspace: Maker,
) -> None:
    tree = make_workspace({
        "lib/embedded.rb": "module Sidekiq\n  class Embedded\n  end\nend\n",
        "lib/web/router.rb": "module Sidekiq\n  module Web\n    module Router\n    end\n  end\nend\n",
        "test/sidekiq_test.rb": "def test_it\nend\n",
        "test/config/sidekiq.yml": "queues: 1\n",
        "test/config/embedded.yml": "queues: 1\n",
        "test/web_router_test.rb": "def test_route\nend\n",
    })  # fmt: skip
    hierarchy = tree.hierarchy("Sidekiq.Embedded", direction="tests")
    assert (hierarchy.items, hierarchy.outside) == ([], [])
    assert [
        item.name for item in tree.hierarchy("Sidekiq.Web.Router", direction="tests").items
    ] == ["test/web_router_test.rb"]


@pytest.mark.nightly
def test_a_file_at_the_root_is_not_reported_as_defined_elsewhere(make_workspace: Maker) -> None:
    tree = make_workspace(
        {
            "storage.go": "package a\n\nfunc Safe() {}\n",
            "storage_test.go": "package a\n\nfunc TestX() {}\n",
        }
    )
    hierarchy = tree.hierarchy("Safe", direction="tests")
    assert ([item.name for item in hierarchy.items], hierarchy.outside) == (["storage_test.go"], [])


@pytest.mark.nightly
def test_no_name_turns_production_code_into_a_test(make_workspace: Maker) -> None:
    spec = "class {0}Spec {{\n    fun emit() {{ paint() }}\n}}\n"
    tree = make_workspace(
        {
            "src/main/kotlin/Fun.kt": "fun paint() {}\n",
            "lib/src/jvmMain/kotlin/FunSpec.kt": spec.format("Fun"),
            "src/test/kotlin/PaintSpec.kt": spec.format("Paint"),
            "other/TypeSpec.kt": spec.format("Type"),
        }
    )
    tests = tree.hierarchy("src/main/kotlin/Fun.kt#paint", direction="tests").items
    assert sorted(item.file_path for item in tests) == [
        "other/TypeSpec.kt",
        "src/test/kotlin/PaintSpec.kt",
    ]


@pytest.mark.nightly
def test_a_test_that_names_both_types_is_of_the_one_that_it_makes(
    make_workspace: Maker,
) -> None:
    tree = make_workspace({
        "src/a.py": "class A:\n    def build(self): pass\nclass B:\n    def build(self): pass\n",
        "tests/test_a.py": "from src.a import A, B\n\n\ndef test_both():\n    x = B()\n    x.build()\n",
    })  # fmt: skip
    tests = {
        owner: [(item.name, item.is_unsure, item.is_by_name) for item in hierarchy.items]
        for owner in "AB"
        for hierarchy in (tree.hierarchy(f"{owner}.build", direction="tests"),)
    }
    assert tests == {
        "A": [("tests/test_a.py", False, True)],
        "B": [("test_both", False, False)],
    }


@pytest.mark.nightly
def test_a_function_in_a_function_has_no_tests_elsewhere(make_workspace: Maker) -> None:
    tree = make_workspace({
        "src/a.py": "def outer():\n    def inner(): pass\n    return inner\n",
        "tests/test_b.py": "def test_it():\n    inner()\n",
    })  # fmt: skip
    assert tree.hierarchy("src/a.py#outer.inner", direction="tests").items == []


@pytest.mark.nightly
def test_a_name_that_every_folder_has_names_no_tests(make_workspace: Maker) -> None:
    for own, test in [
        ("src/fmt/mod.rs", "tests/env/mod.rs"),
        ("src/index.ts", "tests/index.ts"),
        ("a/__init__.py", "tests/__init__.py"),
    ]:
        code = {
            "rs": "pub fn go() {}\n",
            "ts": "export function go() {}\n",
            "py": "def go(): pass\n",
        }[own.rpartition(".")[2]]
        tree = make_workspace({own: code, test: code.replace("go", "other")})
        assert tree.hierarchy(f"{own}#go", direction="tests").items == [], own
