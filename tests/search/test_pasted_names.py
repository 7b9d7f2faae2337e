"""Names as they appear in errors, docs, traces and code: which row ranks first, and what the notice
says if that is not obvious."""

from contextlib import suppress

import pytest

from symindex.errors import RequestError
from symindex.protocol.search import SearchRequest, SearchResponse
from symindex.search.language.parse_query import parse_query
from symindex.workspace.workspace import Workspace
from tests.support.files import Files, Maker, write_files

TREE: Files = {
    "web/app.py": "class App:\n    def run(self, host):\n        return host\n\n    def stop(self):\n        pass\n\n\n"
    "def setup(f):\n    return f\n",
    "web/other.py": "def run(a, b):\n    pass\n\n\nHOST = 1\n",
    "test/app_test.py": "def test_run():\n    pass\n",
    "lib/job.ex": "defmodule Lib.Job do\n  def new(args), do: args\n\n  def new(args, opts), do: {args, opts}\n\n"
    "  def late(name \\\\ __MODULE__, opts), do: {name, opts}\nend\n",
    "src/req.erl": "-module(req).\n\nreply(Status, Req) ->\n    reply(Status, [], Req).\n\nreply(Status, Headers, Req) ->\n"
    "    {Status, Headers, Req}.\n",
    "go.mod": "module example.org/tool/kit\n",
    "server.go": "package kit\n\ntype Server struct{}\n\nfunc (s *Server) Serve() {}\n\n"
    "type Options struct{}\n\nfunc Open() {}\n",
    "kit_test.go": "package kit\n\nfunc TestOptionsOfServer() {}\n",
    "cord.cc": "struct Cord {\n  void append(int x) {}\n  void append(const Cord& other) {}\n"
    "  int operator[](int at) { return at; }\n};\n\n"
    "template <class T> struct Box { T value() { return T(); } };\n",
    "src/flags.rs": "pub struct Flags { a: u8 }\n\nimpl Flags {\n    pub fn parse(&self) {}\n}\n",
    "java/Store.java": "package org.x;\n\npublic class Store {\n  public static class Builder {\n    void build() {}\n  }\n"
    "  void put(String a, int b) {}\n}\n",
    "php/Router.php": "<?php\nnamespace Http;\n\nclass Router {\n  public $prefix = 1;\n  function add() {}\n}\n",
    "objc/Cache.m": "@implementation Cache\n- (void)pathForKey:(NSString *)key {\n}\n@end\n",
    "ts/errors.ts": "export class HTTPError {\n  code() {}\n}\n",
}

FIRST = {
    # a file, a line in it, a symbol in it
    "web/app.py": "web/app.py:1",
    "app.py": "web/app.py:1",
    "./web/app.py": "web/app.py:1",
    "/home/x/tool/web/app.py": "web/app.py:1",
    "web/app.py:3": "web/app.py:2",
    "app.py:3:7": "web/app.py:2",
    "web/app.py:3: in run": "web/app.py:2",
    "web\\app.py:6": "web/app.py:5",
    "web/app.py::App::run": "web/app.py:2",
    "web/app.py#App.run": "web/app.py:2",
    "web/app.py:App": "web/app.py:1",
    "test/app_test.py::test_run[GET-1]": "test/app_test.py:1",
    "./errors.js": "ts/errors.ts:1",
    # marks
    "@setup": "web/app.py:9",
    ":setup": "web/app.py:9",
    "$setup": "web/app.py:9",
    "&setup": "web/app.py:9",
    "`App.run`": "web/app.py:2",
    "'setup'": "web/app.py:9",
    "setup,": "web/app.py:9",
    "setup;": "web/app.py:9",
    "App.run:": "web/app.py:2",
    "$this->add": "php/Router.php:6",
    "self.stop": "web/app.py:5",
    "Router::class": "php/Router.php:4",
    "\\Http\\Router::add": "php/Router.php:6",
    "Router@add": "php/Router.php:6",
    "%Lib.Job{}": "lib/job.ex:1",
    # arity and arguments
    "Lib.Job.new/1": "lib/job.ex:2",
    "Lib.Job.new/2": "lib/job.ex:4",
    "&Lib.Job.new/2": "lib/job.ex:4",
    "late/1": "lib/job.ex:6",
    "req:reply/2": "src/req.erl:3",
    "req:reply/3": "src/req.erl:6",
    "fun req:reply/3": "src/req.erl:6",
    "reply/3": "src/req.erl:6",
    "Cord::append(int)": "cord.cc:2",
    "Cord::append(const Cord&)": "cord.cc:3",
    "run(a, b)": "web/other.py:1",
    # receivers, type arguments, compilers' additions
    "(*Server).Serve": "server.go:5",
    "*Server.Serve": "server.go:5",
    "*kit.Server": "server.go:3",
    "example.org/tool/kit.(*Server).Serve": "server.go:5",
    "kit.Options": "server.go:7",
    "kit.Open.func1": "server.go:9",
    "[]Server": "server.go:3",
    "&Server{}": "server.go:3",
    "Cord::operator[]": "cord.cc:4",
    "Box<int>": "cord.cc:7",
    "Box<std::string>::value": "cord.cc:7",
    "Box<T>::value": "cord.cc:7",
    "Vec<Flags>": "src/flags.rs:1",
    "&mut Flags": "src/flags.rs:1",
    "crate::flags::Flags": "src/flags.rs:1",
    "tool::flags::Flags::parse": "src/flags.rs:4",
    "<Flags as Parse>::parse": "src/flags.rs:4",
    "Flags::parse::{{closure}}": "src/flags.rs:4",
    "org.x.Store$Builder": "java/Store.java:4",
    "Store$Builder.build": "java/Store.java:5",
    "Store$Builder$1": "java/Store.java:4",
    "at org.x.Store.put(Store.java:7)": "java/Store.java:7",
    "Store.put (/app/java/Store.java:7:3)": "java/Store.java:7",
    "Store`1.put": "java/Store.java:7",
    "-[Cache pathForKey:]": "objc/Cache.m:2",
    "<HTTPError />": "ts/errors.ts:1",
    # imports, operators of types, stack frames
    "from web.app import App": "web/app.py:1",
    "import org.x.Store": "java/Store.java:3",
    "import com.other.pkg.Store;": "java/Store.java:3",
    "import { HTTPError } from './errors.js'": "ts/errors.ts:1",
    "use Http\\Router;": "php/Router.php:4",
    "use tool::flags::Flags;": "src/flags.rs:1",
    "typeof(Store)": "java/Store.java:3",
    "%Lib.Job{args: a}": "lib/job.ex:1",
    "Box<T>.value()": "cord.cc:7",
    'File "/app/web/app.py", line 3, in run': "web/app.py:2",
    "HTTPError.prototype.code": "ts/errors.ts:2",
}

SAID = {
    "web/app.py": "`web/app.py` is a file: these are the symbols of it",
    "web/app.py:3": "line 3 of `web/app.py`: the symbols around it, the innermost first",
    "web/other.py:4": "`web/other.py` is a file: no symbol is around line 4; these are the symbols of it",
    "./errors.js": "no file is called `errors.js`",
    "web/nothing.py": "no file of the index is `web/nothing.py`",
    "nothing.py:12": "no file of the index is `nothing.py:12`",
    "elsewhere::App::run": "nothing is inside of `elsewhere` here; what is shown matches `App.run`",
    "com.other.pkg.Store": "nothing is inside of `com.other.pkg` here; what is shown matches `Store`",
    "req:reply/7": "nothing named `req.reply` has 7 parameters",
    "kit.Options": "`kit` is the module example.org/tool/kit: what is shown has the name",
}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    root = tmp_path_factory.mktemp("pasted")
    write_files(root, TREE)
    return Workspace(root)


def ask(workspace: Workspace, query: str, **more: object) -> SearchResponse:
    return workspace.search(SearchRequest(query=query, max_items=5, **more))  # type: ignore[arg-type]


@pytest.mark.sample(73)
@pytest.mark.parametrize("query", FIRST)
def test_the_first_row_is_what_was_pasted(query: str, workspace: Workspace) -> None:
    response = ask(workspace, query)
    assert response.items, response.notices
    assert f"{response.items[0].file_path}:{response.items[0].line}" == FIRST[query]
    assert not response.items[0].match


@pytest.mark.parametrize("query", SAID)
def test_omissions_and_guesses_are_reported(query: str, workspace: Workspace) -> None:
    assert SAID[query] in list(ask(workspace, query).notices or ())


@pytest.mark.parametrize("query", ["elsewhere::App::run", "./errors.js"])
def test_without_guesses_no_part_of_a_name_is_left_out(query: str, workspace: Workspace) -> None:
    assert not ask(workspace, query, fuzzy=False).items


def test_a_name_as_written_comes_before_other_readings(make_workspace: Maker) -> None:
    workspace = make_workspace(
        {
            "a.php": "<?php\nfunction run() {}\nclass A { public $run; }\n",
            "app.py": "class app:\n    py = 1\n",
        }
    )
    assert ask(workspace, "app.py").items[0].name == "py"


def test_filters_hold_for_the_symbols_of_a_file(workspace: Workspace) -> None:
    assert [item.name for item in ask(workspace, "web/app.py", kinds=["class"]).items] == ["App"]
    response = ask(workspace, "web/app.py", kinds=["struct"])
    assert not response.items
    assert "`web/app.py` is a file that contains none of the symbols asked for" in list(
        response.notices or ()
    )


def test_pages_of_a_file_follow_each_other(workspace: Workspace) -> None:
    whole = [(item.name, item.line) for item in ask(workspace, "java/Store.java").items]
    first = workspace.search(SearchRequest(query="java/Store.java", max_items=2))
    assert first.pagination_id
    rest = workspace.search(
        SearchRequest(query="java/Store.java", max_items=2, pagination_id=first.pagination_id)
    )
    assert [(item.name, item.line) for item in (*first.items, *rest.items)] == whole[:4]


@pytest.mark.parametrize("query", [*FIRST, *SAID])
def test_what_is_printed_is_read_the_same(query: str) -> None:
    tree = parse_query(query)
    assert parse_query(str(tree)) == tree


@pytest.mark.parametrize(
    "query",
    [
        "<" * 200,
        "a<" * 100 + ">" * 100,
        "(" * 90 + "*a).b",
        "a::" * 150 + "b",
        "[" * 200 + "a b]" * 20,
    ],
)
def test_a_query_that_is_not_a_name_is_answered_in_time(query: str, workspace: Workspace) -> None:
    with suppress(RequestError):
        ask(workspace, query)


def test_types_of_parameters_that_nothing_has_are_no_notice(workspace: Workspace) -> None:
    response = ask(workspace, "put(double x)")
    assert [item.name for item in response.items] == ["put"] and not response.notices
