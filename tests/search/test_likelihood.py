"""Which of several good hits ranks first, whatever the number of requested rows."""

import pytest

from symindex.index.snapshot import Snapshot
from symindex.protocol.search import SearchRequest
from symindex.search.answer.answer import find
from symindex.search.answer.plan import make_plan
from symindex.search.names.heads import HEAD
from symindex.workspace.workspace import Workspace
from tests.support.files import Files, Maker, write_files

USES = "from a import {0}\n\nTHING = {0}()\n"


def used(name: str, times: int, folder: str = "use") -> Files:
    """Returns files that use a name."""
    return {f"{folder}/u{number}.py": USES.format(name) for number in range(times)}


FIRST: dict[str, tuple[Files, str, str]] = {
    "the type at the heart of a tree before one of a command": (
        {
            "command/arguments/plan.go": "package arguments\n\n// Plan is the arguments.\ntype Plan struct{ A int }\n",
            "plans/plan.go": "package plans\n\n// Plan is a plan.\ntype Plan struct{ A int }\n",
            **{f"plans/p{number}.go": "package plans\n\nfunc f(p *Plan) {}\n" for number in range(3)},
            **{f"engine/e{number}.go": "package engine\n\nfunc f(p *plans.Plan) {}\n" for number in range(5)},
        },
        "Plan",
        "plans/plan.go:4",
    ),
    "the file that bears the name before one that bears more": (
        {"a/Ser.Json.cs": "public partial class Ser { }\n", "a/Ser.cs": "public partial class Ser { }\n"},
        "Ser",
        "a/Ser.cs:1",
    ),
    "the file that bears the name in the plural": (
        {"a/base.go": "package a\n\ntype Arg struct{}\n", "b/args.go": "package b\n\ntype Arg struct{}\n"},
        "Arg",
        "b/args.go:3",
    ),
    "the main of the root before that of a script": (
        {"cmd/tool/main.go": "package main\n\nfunc main() {}\n", "main.go": "package main\n\nfunc main() {}\n",
         "scripts/main.go": "package main\n\nfunc main() {}\n"},
        "main",
        "main.go:3",
    ),
    "the main of a crate before that of a script at the root's side": (
        {"ci/complete.sh": "main() { echo; }\n", "crates/core/main.rs": "fn main() {}\n"},
        "main",
        "crates/core/main.rs:1",
    ),
    "a module that is named with those around it before what begins with its last part": (
        {
            "lib/kit/job.ex": "defmodule Kit.Job do\n  def run(x), do: x\nend\n",
            "lib/kit/other.ex": "defmodule Kit.Other do\n  def job(x), do: x\n\n  def jobs(x), do: x\nend\n",
            "lib/kit/job_queue.ex": "defmodule Kit.JobQueue do\n  def x(x), do: x\nend\n",
        },
        "Job",
        "lib/kit/job.ex:1",
    ),
    "what begins with the name before namespaces that end with it": (
        {f"a/F{number}.cs": f"namespace Kit.Handler;\nclass F{number} {{ }}\n" for number in range(5)}
        | {"b/HandlerStack.cs": "namespace Kit;\nclass HandlerStack { }\n"},
        "Handler",
        "b/HandlerStack.cs:2",
    ),
    "what most files use before an interface of a small package": (
        {
            "configs/config.go": "package configs\n\n// Config is all of it.\ntype Config struct{ A int }\n",
            "crypt/method/config.go": "package method\n\n// Config is a method's.\ntype Config interface{ A() int }\n",
            **{f"crypt/method/m{number}.go": "package method\n\nfunc f(c Config) {}\n" for number in range(2)},
            **{f"engine/e{number}.go": "package engine\n\nfunc f(c *configs.Config) {}\n" for number in range(8)},
        },
        "Config",
        "configs/config.go:4",
    ),
    "a class with constructors, and fakes of it in tests, counts as one definition": (
        {
            "a/DisposableBean.java": "public interface DisposableBean { }\n",
            "a/DispatcherServlet.java": "public class DispatcherServlet {\n"
            "  DispatcherServlet() {}\n  DispatcherServlet(int a) {}\n}\n",
            **{f"src/test/T{number}.java": "class DispatcherServlet { }\n" for number in range(3)},
            **{f"use/U{number}.java": f"class U{number} {{ DispatcherServlet s; }}\n" for number in range(20)},
            **{f"use/B{number}.java": f"class B{number} {{ DisposableBean s; }}\n" for number in range(8)},
        },
        "Disp",
        "a/DispatcherServlet.java:1",
    ),
    "what most files use before what ends where a word does": (
        {
            "a/DispatchEventHandler.java": "public interface DispatchEventHandler { }\n",
            "a/DispatcherServlet.java": "public class DispatcherServlet { }\n",
            **{f"use/U{number}.java": f"class U{number} {{ DispatcherServlet s; }}\n" for number in range(30)},
        },
        "Dispatch",
        "a/DispatcherServlet.java:1",
    ),
    "the module that files name with its owner, before a class of that name": (
        {
            "active/lib/active/callbacks.rb": "module Active\n  module Callbacks\n    def run; end\n  end\nend\n",
            "pack/lib/pack/callbacks.rb": "module Pack\n  class Callbacks\n    def run; end\n  end\nend\n",
            "record/lib/record/callbacks.rb": "module Record\n  module Callbacks\n    def run; end\n  end\nend\n",
            **{f"use/r{number}.rb": "class R\n  include Active::Callbacks\nend\n" for number in range(6)},
            **{f"use/t{number}.rb": "class T\n  Record.new\nend\n" for number in range(6)},
            **{f"pack/lib/pack/p{number}.rb": "class P\n  Pack.new\nend\n" for number in range(6)},
        },
        "Callbacks",
        "active/lib/active/callbacks.rb:2",
    ),
    "what is used more before an interface of another name": (
        {
            "a/JdbcTemplate.java": "public class JdbcTemplate { }\n",
            "a/JdbcOperator.java": "public interface JdbcOperator { }\n",
            **{f"use/U{number}.java": f"class U{number} {{ JdbcTemplate it; }}\n" for number in range(9)},
        },
        "Jdbc",
        "a/JdbcTemplate.java:1",
    ),
    "a public function before a method": (
        {"app.py": "class App:\n    def make_response(self): pass\n", "help.py": "def make_response(): pass\n", **used("App", 9)},
        "make_response",
        "help.py:1",
    ),
    "the live package before its legacy copy": (
        {"lib/legacy/main.py": "class Model:\n    '''Much about models of old.'''\n", "lib/zeta/main.py": "class Model: pass\n"},
        "Model",
        "lib/zeta/main.py:1",
    ),
    "the newest before an old version": (
        {"lib/v1/main.py": "class Model: pass\n", "lib/v2/main.py": "class Model: pass\n"},
        "Model",
        "lib/v2/main.py:1",
    ),
    "what has no version before an old version of it": (
        {"lib/api/v1/fields.py": "def Field(): pass\n", "lib/core/in/fields.py": "def Field(): pass\n"},
        "Field",
        "lib/core/in/fields.py:1",
    ),
    "the member of an interface before those of what implements it": (
        {
            "a/AbstractBox.java": "public class AbstractBox implements Box {\n    public int size() { return 1; }\n}\n",
            "z/Box.java": "public interface Box {\n    int size();\n}\n",
        },
        "size",
        "z/Box.java:2",
    ),
    "an interface before a type of its name": (
        {"a/app.go": "package a\n\ntype Adapter struct{}\n", "z/app.go": "package z\n\ntype Adapter interface{ Do() }\n"},
        "Adapter",
        "z/app.go:3",
    ),
    "what is used most before what is shorter, and both before a test": (
        {
            "a/servlet.py": "class DispatcherServlet: pass\n", "a/disp.py": "class Disposal: pass\n",
            "tests/test_a.py": "class Disposed: pass\n", **used("DispatcherServlet", 12),
        },
        "Disp",
        "a/servlet.py:1",
    ),
    "a mock comes later": (
        {"a/mocks/clock.py": "class Clock: pass\n", "z/time/clock.py": "class Clock: pass\n"},
        "Clock",
        "z/time/clock.py:1",
    ),
}  # fmt: skip


@pytest.mark.sample(2)
@pytest.mark.parametrize("case", FIRST)
def test_first(case: str, make_workspace: Maker) -> None:
    files, query, expected = FIRST[case]
    workspace = make_workspace(files)
    for fields in ({}, {"max_items": 1}, {"kinds": []}):  # type: ignore[var-annotated]
        first = workspace.search(query, **fields).items[0]
        assert f"{first.file_path}:{first.line}" == expected


def test_a_test_comes_after_all_names_with_its_beginning(make_workspace: Maker) -> None:
    workspace = make_workspace(
        FIRST["what is used most before what is shorter, and both before a test"][0]
    )
    names = [item.name for item in workspace.search("Disp").items]
    assert names == ["DispatcherServlet", "Disposal", "Disposed"]


def test_a_cached_order_equals_a_new_one(make_workspace: Maker) -> None:
    workspace = make_workspace(FIRST["the type at the heart of a tree before one of a command"][0])
    first = workspace.search("Plan").items
    assert first and workspace.search("Plan").items == first


def test_where_a_word_ends_counts_among_what_is_used_alike(make_workspace: Maker) -> None:
    workspace = make_workspace({"a.py": "class Fooex: pass\nclass FooBar: pass\n"})
    assert [item.name for item in workspace.search("Foo").items] == ["FooBar", "Fooex"]


def test_overloads_stay_together_in_their_order(make_workspace: Maker) -> None:
    long = "    /** A text that says very much about this one of them and nothing about the others. */\n"
    source = (
        f"public class Cart {{\n    void add(int a) {{}}\n{long}    void add(String a) {{}}\n}}\n"
    )
    other = "public class Bag {\n    void add(int a) {}\n}\n"
    workspace = make_workspace({"a/Cart.java": source, "a/Bag.java": other})
    lines = [item.line for item in workspace.search("add").items if item.container == "Cart"]
    assert lines == [2, 4]


def test_rows_with_more_of_the_question_come_before_a_common_word(
    make_workspace: Maker,
) -> None:
    workspace = make_workspace({
        "file.py": "def file(): pass\n",
        "sending.py": "def send_file_from_directory(path): pass\ndef send_file(path): pass\n",
        **{f"o{number}.py": f"def directory_{number}(): pass\n" for number in range(9)},
    })  # fmt: skip
    names = [item.name for item in workspace.search("send file from directory").items]
    assert names[:2] == ["send_file_from_directory", "send_file"] and "file" in names


def many(count: int) -> Files:
    """Returns files with names that match by each tier, in places of different rank, some in data
    and tests."""
    files: dict[str, str] = {"data.json": '{"plan": {"plan_b": 1, "planned": 2}}\n'}
    for number in range(count):
        folder = ("a", "a/legacy", "tests", "docs", "a/b/c/d", "plan", "v1", "internal")[number % 8]
        body = f"class Plan:\n    def plan_{number}(self): pass\n    plan = 1\ndef planner_{number % 5}(): pass\n"
        files[f"{folder}/m{number}.py"] = (
            f"{body}class Explain{number}: pass\ndef go_plan_{number}(): pass\nclass PoLaAN{number}: pass\n"
        )
        files[f"use/{folder}/u{number}.py"] = USES.format(
            ("Plan", f"Explain{number}", "planner_1")[number % 3]
        )
    return files


QUERIES = [
    "Plan", "plan", "pla", "p", "PLAN", "planner_1", "go_p", "PN", "lain", "plna", "Plan.plan", "m3/plan", "Plan kind:class",
    "name:plan path:a/**", "pl*", "plan go",
]  # fmt: skip


@pytest.mark.sample(2)
@pytest.mark.slow
@pytest.mark.parametrize("query", QUERIES)
def test_a_short_answer_is_the_beginning_of_a_long_one(query: str, order_tree: Workspace) -> None:
    """This holds for pages and editors, from 1 to 50 rows and beyond the reordered head."""
    whole = order_tree.search(query).items
    assert len(whole) > 1
    limits = [*range(1, 51), *(limit for limit in (HEAD - 1, HEAD, HEAD + 1) if limit < len(whole))]
    for limit in limits:
        response = order_tree.search(query, max_items=limit)
        assert response.items == whole[:limit], limit
        if response.pagination_id is not None:
            rest = order_tree.search(query, max_items=limit, pagination_id=response.pagination_id)
            assert rest.items == whole[limit : 2 * limit], limit
    if query != "plna":  # editors get no misspelt names
        for limit in (1, 2, 7, 50):
            request = SearchRequest(query=query, max_items=limit)
            page = find(
                order_tree.source.indexed.snapshot,
                make_plan(request, order_tree.source.languages),
                for_editor=True,
            )
            assert places(
                order_tree.source.indexed.snapshot, page.ranking.rows[:limit].tolist()
            ) == [(item.file_path, item.line, item.name) for item in whole[:limit]]


def places(snapshot: Snapshot, rows: list[int]) -> list[tuple[str, int, str]]:
    positions = []
    for row in rows:
        part, local = snapshot.locate(row)
        index = part.index
        positions.append(
            (index.paths[index.file_at(local)], index.name_row(local) + 1, index.name_at(local))
        )
    return positions


@pytest.fixture(scope="module")
def order_tree(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    folder = tmp_path_factory.mktemp("order")
    workspace = Workspace(write_files(folder / "tree", many(60)), folder / "index")
    workspace.refresh()
    return workspace


@pytest.mark.nightly
@pytest.mark.slow
def test_the_order_is_that_of_a_new_index_after_edits(
    make_workspace: Maker, tmp_path_factory: pytest.TempPathFactory
) -> None:
    edited = make_workspace(many(60))
    changed = {path: f"{text!s}\n" for path, text in [*many(60).items()][:7]} | {
        "use/more.py": USES.format("Plan")
    }
    write_files(edited.root, changed)
    edited.refresh()
    assert len(edited.source.indexed.snapshot.parts) > 1
    with Workspace(edited.root, tmp_path_factory.mktemp("anew")) as anew:
        anew.refresh()
        assert len(anew.source.indexed.snapshot.parts) == 1
        for query in QUERIES:
            assert edited.search(query).items == anew.search(query).items, query
