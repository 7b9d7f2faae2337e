"""Hierarchies of names: a member with its overrides, and bases that the workspace does not
define."""

import pytest

from symindex.render.hierarchy import render_hierarchy
from tests.support.files import Maker
from tests.support.related import marked_names

MEMBERS = {
    "a.php": """<?php
interface Parser { function relativeUrl($s); }
class RouteParser implements Parser {
    function relativeUrl($s) { return 1; }
    function url($s) { return $this->relativeUrl($s); }
}
function far(Parser $p) { return $p->relativeUrl(1); }
""",
    "a.java": """interface Parser { int relativeUrl(int s); }
class RouteParser implements Parser {
    public int relativeUrl(int s) { return 1; }
    int url(int s) { return this.relativeUrl(s); }
}
class Far { int far(Parser p) { return p.relativeUrl(1); } }
""",
    "a.py": """class Parser:
    def relative_url(self, s): raise NotImplementedError
class RouteParser(Parser):
    def relative_url(self, s): return 1
    def url(self, s): return self.relative_url(s)
def far(p: Parser): return p.relative_url(1)
""",
}


@pytest.mark.sample(2)
@pytest.mark.parametrize("path", MEMBERS)
def test_a_member_and_what_overrides_it_are_answered_together(
    make_workspace: Maker, path: str
) -> None:
    tree = make_workspace({path: MEMBERS[path]})
    name = "relative_url" if path == "a.py" else "relativeUrl"
    hierarchy = tree.hierarchy(name, direction="callers")
    assert (
        hierarchy.symbol is not None
        and hierarchy.symbol.name == f"Parser.{name}"
        and not hierarchy.candidates
    )
    assert sorted(caller.rpartition(".")[2] for caller in marked_names(hierarchy.items)) == [
        "far",
        "url",
    ]
    assert "this answer includes the methods that override it: " in render_hierarchy(hierarchy)


@pytest.mark.nightly
def test_namesakes_that_override_nothing_are_asked_for_by_id(make_workspace: Maker) -> None:
    tree = make_workspace(
        {"a.py": "class A:\n    def go(self): pass\nclass B:\n    def go(self): pass\n"}
    )
    assert tree.hierarchy("go", direction="callers").candidates == ["a.py#A.go", "a.py#B.go"]


BASES = {
    "Psr\\Http\\MiddlewareInterface": (
        {
            "a.php": "<?php\nnamespace App;\nuse Psr\\Http\\MiddlewareInterface;\n"
            "class A implements MiddlewareInterface {}\nclass B extends A {}\n",
            "b.php": "<?php\nnamespace App;\nuse Other\\MiddlewareInterface;\n"
            "class C implements MiddlewareInterface {}\n",
        },
        ["App.A"],
    ),
    "React.Component": (
        {
            "a.tsx": 'import React from "react";\nexport class A extends React.Component {}\n',
            "b.tsx": 'import {Component} from "react";\nexport class B extends Component {}\n',
            "c.tsx": 'import {Component} from "preact";\nexport class C extends Component {}\n',
        },
        ["A", "B"],
    ),
    "unittest.TestCase": (
        {
            "test_a.py": "import unittest\nclass A(unittest.TestCase): pass\n",
            "test_b.py": "from unittest import TestCase\nclass B(TestCase): pass\n",
            "test_c.py": "from django.test import TestCase\nclass C(TestCase): pass\n",
        },
        ["A", "B"],
    ),
    "Runnable": ({"A.java": "class A implements Runnable { public void run() {} }\n"}, ["A"]),
    "java.lang.Runnable": ({"A.java": "class A implements Runnable { public void run() {} }\n"}, ["A?"]),
    "std::fmt::Display": ({"a.rs": "use std::fmt;\npub struct A;\nimpl fmt::Display for A {}\n"}, ["A"]),
    "GenServer": ({"a.ex": "defmodule A do\n  use GenServer\nend\n"}, ["A"]),
}  # fmt: skip


@pytest.mark.sample(2)
@pytest.mark.parametrize("base", BASES)
def test_what_names_a_base_of_a_library(make_workspace: Maker, base: str) -> None:
    files, expected = BASES[base]
    hierarchy = make_workspace(files).hierarchy(base)
    assert (sorted(marked_names(hierarchy.items)), hierarchy.symbol) == (expected, None)
    page = render_hierarchy(hierarchy)
    assert (
        f"# Subtypes: `{base}`" in page
        and "is not defined here: this is what names it as a base" in page
    )


def test_what_is_below_that_follows(make_workspace: Maker) -> None:
    files, _ = BASES["Psr\\Http\\MiddlewareInterface"]
    hierarchy = make_workspace(files).hierarchy("Psr\\Http\\MiddlewareInterface")
    assert marked_names(hierarchy.items[0].items) == ["App.B"]


def test_a_local_type_of_the_last_name_is_not_the_library_s(make_workspace: Maker) -> None:
    files = {
        "reader.go": "package core\ntype Reader struct{}\n",
        "t.py": "import unittest\nclass TestCase: pass\nclass Own(TestCase): pass\nclass A(unittest.TestCase): pass\n",
    }
    tree = make_workspace(files)
    assert marked_names(tree.hierarchy("unittest.TestCase").items) == ["A"]
    assert marked_names(tree.hierarchy("TestCase").items) == ["Own"]
    page = render_hierarchy(tree.hierarchy("io.Reader"))
    assert (
        "no symbol io.Reader is known, and nothing here names it as a base; nearest: Reader" in page
    )
    assert "no symbol Nowhere is known" in render_hierarchy(tree.hierarchy("Nowhere"))


def test_what_is_implemented_for_a_bound_is_implemented_below_it(make_workspace: Maker) -> None:
    rust = (
        "pub trait Exporter {}\npub trait Markup {}\npub struct Csv;\nimpl Exporter for Csv {}\n"
        "impl<T: Markup> Exporter for T {}\npub struct Org;\nimpl Markup for Org {}\n"
    )
    hierarchy = make_workspace({"a.rs": rust}).hierarchy("Exporter")
    assert (
        marked_names(hierarchy.items),
        marked_names(hierarchy.items[1].items),
        hierarchy.outside,
    ) == (
        ["Csv", "Markup"],
        ["Org"],
        [],
    )
