"""Search in an index: tiers, qualifiers, filters, boolean queries and order, tested as ordered
groups instead of scores."""

import random
import threading
from collections.abc import Iterator

import msgspec
import pytest

from symindex.cancellation import wanted_until
from symindex.editor.row_names import kept_names
from symindex.errors import RequestError
from symindex.protocol.search import SearchRequest
from symindex.search.answer.answer import find
from symindex.search.answer.plan import make_plan
from symindex.workspace.workspace import Workspace
from tests.support.files import Files, Maker, write_files

FILES: Files = {
    "src/auth/service.py": '''
class Auth:
    """Knows who somebody is."""
    LIMIT = 3
    def login(self, user): pass
    def logout(self): pass
    def _check(self): pass
class AuthService:
    def login(self): pass
    class Token:
        def refresh(self): pass
''',
    "src/billing/invoice.py": '''
LIMIT = 10
def login_fee(): pass
def calculate_total(prices):
    """Adds up the prices of an invoice."""
    def helper(): pass
def recalculate(): pass
def calc(): pass
''',
    "src/naïve/größe.py": "class Größe: pass\ndef café_bar(): pass\n",
    "tests/test_auth.py": "def test_login(): pass\ndef login(): pass\nclass MockAuth: pass\n",
    "lib/Shape.java": """
public interface Shape { double area(); }
class Circle implements Shape { public double area() { return 1; } }
""",
}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    folder = tmp_path_factory.mktemp("search")
    with Workspace(write_files(folder / "tree", FILES), folder / "index") as made:
        made.refresh()
        yield made


def names(workspace: Workspace, query: str, **more: object) -> list[str]:
    """Returns the hits as `Container.name`, best first."""
    response = workspace.search(query, **more)  # type: ignore[arg-type]
    assert response.total == len(response.items) or more.get("max_items")
    return [
        f"{item.container}.{item.name}" if item.container else item.name for item in response.items
    ]


QUERIES = {
    # one word
    "Auth": ["Auth", "AuthService", "MockAuth"],
    "calc": ["calc", "calculate_total", "recalculate"],
    "CALC": ["calc", "calculate_total", "recalculate"],
    "ct": ["calculate_total"],
    "größe": ["Größe"],
    "grosse": ["Größe"],
    "cafebar": ["café_bar"],
    # the query's own words in order: exact, then prefix, then the rest; tests last among equals
    "login": ["Auth.login", "AuthService.login", "login", "login_fee", "test_login"],
    # qualified
    "Auth.login": ["Auth.login", "AuthService.login", "login", "test_login"],
    "Auth::login": ["Auth.login", "AuthService.login", "login", "test_login"],
    "AuthService#login": ["AuthService.login"],
    "AuthService.Token.refresh": ["AuthService.Token.refresh"],
    "AuthService.refresh": ["AuthService.Token.refresh"],
    "billing/login": ["login_fee"],
    "src/auth/login": ["Auth.login", "AuthService.login"],
    "Auth.": ["Auth.login", "Auth.logout", "Auth._check", "Auth.LIMIT"],
    "Auth.l": [
        "Auth.login",
        "Auth.logout",
        "AuthService.login",
        "Auth.LIMIT",
        "login",
        "test_login",
    ],
    "AuthServ.": ["AuthService.Token", "AuthService.login"],
    "Nothing.login": [],
    "A.T.r": ["AuthService.Token.refresh"],
    "as.to.ref": ["AuthService.Token.refresh"],
    "AUTHSERVICE::token::Refresh()": ["AuthService.Token.refresh"],
    "AuthService::::refresh": ["AuthService.Token.refresh"],
    "AuthService::::login": ["AuthService.login"],
    "::AuthService::Token::": ["AuthService.Token.refresh"],
    "auth\\service\\AuthService->Token": ["AuthService.Token"],
    "Token.Token.refresh": [],
    "Token.AuthService.refresh": [],
    "refresh.Token": [],
    "elsewhere::AuthService::login": [],
    # boolean
    "login NOT test": ["Auth.login", "AuthService.login", "login_fee"],
    "kind:class auth": ["Auth", "AuthService", "AuthService.Token", "MockAuth"],
    "name:login path:billing": ["login_fee"],
    "kind:interface": ["Shape"],
    "lang:java area": ["Shape.area", "Circle.area"],
    'doc:"who somebody"': ["Auth"],
    "doc:price*": ["calculate_total"],
    "cal*": ["calc", "calculate_total", "calculate_total.helper"],
    "*calc*": ["calc", "recalculate", "calculate_total", "calculate_total.helper"],
    "signature:prices": ["calculate_total"],
    "container:Token": ["AuthService.Token.refresh"],
    "id:src/auth/service.py#Auth.login": ["Auth.login"],
    "(calc OR area) NOT lang:java": ["calc", "calculate_total", "calculate_total.helper"],
    "space:user": [],
    "limit space:project": ["LIMIT", "Auth.LIMIT"],
}


@pytest.mark.parametrize("query", QUERIES)
def test_finds(query: str, workspace: Workspace) -> None:
    assert names(workspace, query, fuzzy=False) == QUERIES[query]


WEAK = {
    "lgoin": "Auth.login",
    "calcualte_total": "calculate_total",
    "AuthSevrice": "AuthService",
    "rclculate": "recalculate",
    "invoce": None,
    "xq": None,
    "lg": "Auth.login",
}


@pytest.mark.parametrize("query", WEAK)
def test_weak_tiers(query: str, workspace: Workspace) -> None:
    assert (names(workspace, query) or [None])[0] == WEAK[query]  # type: ignore[list-item]
    assert names(workspace, query, fuzzy=False) == []


def test_weak_tiers_answer_only_where_the_strong_find_few(make_workspace: Maker) -> None:
    many = make_workspace(
        {"a.py": "".join(f"def login{i}(): pass\n" for i in range(12)) + "def lgoin(): pass\n"}
    )
    assert len(names(many, "login")) == 12
    assert len(names(many, "login", fuzzy=True)) == 13
    assert names(many, "login", kinds=["class"]) == []


@pytest.mark.slow
def test_filters(workspace: Workspace) -> None:
    assert names(workspace, "login", kinds=["Method"], fuzzy=False) == [
        "Auth.login",
        "AuthService.login",
    ]
    assert names(workspace, "", kinds=["interface"]) == ["Shape"]
    assert names(workspace, "", languages=["Java"], kinds=["class"]) == ["Circle"]
    assert names(workspace, "", languages=[".java"], kinds=["class"]) == ["Circle"]
    assert names(workspace, "auth", kinds=[], fuzzy=False) == ["Auth", "AuthService", "MockAuth"]


@pytest.mark.parametrize(
    ("globs", "files"),
    [
        (["src/**"], {"src/auth/service.py", "src/billing/invoice.py", "src/naïve/größe.py"}),
        (["src"], {"src/auth/service.py", "src/billing/invoice.py", "src/naïve/größe.py"}),
        (["./src/auth"], {"src/auth/service.py"}),
        (["*.java"], {"lib/Shape.java"}),
        (["**/test_*"], {"tests/test_auth.py"}),
        (["!*.py"], {"lib/Shape.java"}),
        (["src", "!**/auth/**"], {"src/billing/invoice.py", "src/naïve/größe.py"}),
        (["src/auth", "tests"], {"src/auth/service.py", "tests/test_auth.py"}),
        (["[[:upper:]]*.java"], {"lib/Shape.java"}),
        (["[z-a]"], set()),
        (["*a" * 30 + "b"], set()),
        (["./"], set(FILES)),
        (["."], set(FILES)),
        (["nowhere"], set()),
        (["*"], set(FILES)),
    ],
)
def test_path_globs(globs: list[str], files: set[str], workspace: Workspace) -> None:
    assert {item.file_path for item in workspace.search("", paths=globs).items} == files


def test_order_of_equals(make_workspace: Maker) -> None:
    same = "def same(): pass\n"
    workspace = make_workspace(
        {
            "b/x.py": same,
            "a/y.py": same * 2,
            "a/x.py": "if 1: same = 1; same_as = 2\n",
            "é/x.py": same,
        }
    )
    places = [f"{item.file_path}:{item.line}" for item in workspace.search("same").items]
    assert places == ["a/y.py:1", "a/y.py:2", "b/x.py:1", "é/x.py:1", "a/x.py:1", "a/x.py:1"]


def test_the_case_that_was_typed_counts_before_a_longer_name(make_workspace: Maker) -> None:
    fields = "".join(f"class C{i}:\n    beanJar = 1\n" for i in range(30))
    workspace = make_workspace(
        {
            "a.py": fields,
            "b.py": "class BeanJar: pass\nclass BeanJarLids: pass\nclass BeanJars: pass\ndef bean_jar_of(): pass\n",
        }
    )
    response = workspace.search("BeanJar", fuzzy=False)
    assert [item.name for item in response.items] == [
        "BeanJar",
        "BeanJarLids",
        "BeanJars",
        *["beanJar"] * 30,
        "bean_jar_of",
    ]
    first = workspace.search("BeanJar", fuzzy=False, max_items=4)
    rest = workspace.search("BeanJar", fuzzy=False, max_items=4, pagination_id=first.pagination_id)
    assert [first.total, *first.items, *rest.items] == [34, *response.items[:8]]


DECLARED: Files = {
    "src/lua/lua.h": "void lua_call(int n);\nextern int lua_depth;\nvoid lua_close(void);\ntypedef struct lua_state lua_state;\n",
    "src/lua/core/api.c": "int lua_depth = 1;\nvoid lua_call(int n) { lua_depth = n; }\nstatic void lua_alone(void) {}\n",
    "src/lua/state.h": "struct lua_state { int depth; };\nvoid lua_alone(void);\n",
    "tests/lua/core/close.c": "void lua_close(void) {}\n",
    "ui/Box.hpp": (
        "class Box {\npublic:\n    void open();\n    int size() const;\n    int size_in(int unit);\n    static int boxes;\n};\n"
    ),
    "ui/deep/down/impl.cpp": (
        "void Box::open() {}\nint Box::size() const { return 1; }\nint Box::size_in(int unit) { return unit; }\n"
        "int Box::boxes = 0;\n"
    ),
    "web/a.d.ts": "export declare class Parser { run(): void; }\nexport declare const parserLimit: number;\n",
    "web/b/parser.ts": "export class Parser { run() {} }\nexport const parserLimit = 3;\n",
    "web/parse.ts": "export function parse(a: string): void;\nexport function parse(a: unknown) {}\n",
}
DEFINED_IN = {
    "lua_call": "api.c", "lua_depth": "api.c", "lua_close": "close.c", "lua_alone": "api.c", "lua_state": "state.h",
    "open": "impl.cpp", "size": "impl.cpp", "size_in": "impl.cpp", "parse": "parse.ts",
    "boxes": "impl.cpp", "Parser": "parser.ts", "run": "parser.ts", "parserLimit": "parser.ts",
}  # fmt: skip
DECLARED_QUERIES = [
    "", "lua", "lua_call", "LUA_CALL", "luacall", "lua_close", "lua_alone", "lua_depth", "lua_state", "call", "lcall", "lua/",
    "lua/lua_call", "lua lua_call", "lua_c* path:lua", "lua AND void", "Box.", "Box.open", "Box/size", "ui/size", "Box size",
    "boxes", "Box.boxes", "Parser", "web/Parser", "parserLimit", "run",
    "size OR Box", "signature:int size", "parse", "kind:function",
]  # fmt: skip


def definitions_first(workspace: Workspace, query: str) -> list[str]:
    """Returns the places of a query's hits, after checking that the definition of each name comes
    first."""
    items = workspace.search(query).items
    places = [f"{item.name} {item.file_path}:{item.line}" for item in items]
    assert items and len({(item.name, item.container) for item in items}) < len(items), query
    seen = set()
    for item in items:
        defined_in = DEFINED_IN.get(item.name, "")
        assert not defined_in or item.file_path.endswith(defined_in) or item.name in seen, (
            query,
            places,
        )
        seen.add(item.name)
    return places


@pytest.mark.slow
def test_no_declaration_comes_before_its_definition(make_workspace: Maker) -> None:
    workspace = make_workspace(DECLARED)
    before = {query: definitions_first(workspace, query) for query in DECLARED_QUERIES}
    for path in ("src/lua/core/api.c", "ui/Box.hpp"):
        write_files(workspace.root, {path: f"{DECLARED[path]!s}\n"})
        workspace.refresh()
    assert len(workspace.source.indexed.snapshot.parts) > 1
    assert {query: definitions_first(workspace, query) for query in DECLARED_QUERIES} == before


@pytest.mark.slow
def test_an_editor_is_answered_definitions_first(make_workspace: Maker) -> None:
    workspace = make_workspace(DECLARED)
    request = SearchRequest(query="lua_close", max_items=1)
    ranking = find(
        workspace.source.indexed.snapshot,
        make_plan(request, workspace.source.languages),
        for_editor=True,
    ).ranking
    assert workspace.source.indexed.snapshot.read(ranking.rows, lambda _, rows: rows.paths) == [
        "tests/lua/core/close.c"
    ]


def test_an_editor_finds_a_capital_inside_a_run_of_them(make_workspace: Maker) -> None:
    workspace = make_workspace({"a.ts": "class HTMLHRElement {}\nclass Threads {}\n"})
    page = find(
        workspace.source.indexed.snapshot,
        make_plan(SearchRequest(query="THRE", max_items=9), workspace.source.languages),
        for_editor=True,
    )
    assert workspace.source.indexed.snapshot.read(
        page.ranking.rows, lambda _, rows: rows.names
    ) == [
        "Threads",
        "HTMLHRElement",
    ]
    page = find(
        workspace.source.indexed.snapshot,
        make_plan(SearchRequest(query="THLE", max_items=9), workspace.source.languages),
        for_editor=True,
    )
    assert workspace.source.indexed.snapshot.read(
        page.ranking.rows, lambda _, rows: rows.names
    ) == ["HTMLHRElement"]
    assert kept_names(page.query, ["HTMLHRElement"]) == [True]  # type: ignore[arg-type]


@pytest.mark.sample(2)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("query", "expected_names"),
    [
        ("THRE", ["HTMLHRElement", "Threads", "thread_pool"]),
        # other matches are left out if a name begins with the needle
        ("Thre", ["Threads", "thread_pool"]),
        ("thre", ["Threads", "thread_pool"]),
        ("THREADS", ["Threads"]),
    ],
)
def test_only_what_begins_in_the_typed_case_silences_the_weak_tiers(
    query: str, expected_names: list[str], make_workspace: Maker
) -> None:
    workspace = make_workspace(
        {"a.ts": "class HTMLHRElement {}\nclass Threads {}\nfunction thread_pool() {}\n"}
    )
    assert sorted(names(workspace, query)) == expected_names
    assert "HTMLHRElement" not in names(workspace, query)[:2]


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize(
    "query",
    [
        "*a*e* " * 60,
        "name:*a* OR " * 40 + "b",
        "NOT path:x* " * 50,
        "".join(f"{n}a." for n in range(60)),
    ],
)
def test_a_query_of_many_parts_ends_when_nobody_waits(query: str, make_workspace: Maker) -> None:
    """Each part takes as long as a search, so each part checks for cancellation."""

    class Asked(threading.Event):
        times = 0

        def is_set(self) -> bool:
            self.times += 1
            return False

    workspace = make_workspace(
        {f"a{n}/b{n}.py": f"class A{n}:\n    def b{n}e(self): pass\n" for n in range(300)}
    )
    asked = Asked()
    with wanted_until(asked):
        workspace.search(query)
    assert asked.times > 40


def test_a_minus_excludes(workspace: Workspace) -> None:
    for query in ("login NOT test", "login -test", "login !test", "-test login"):
        assert names(workspace, query) == ["Auth.login", "AuthService.login", "login_fee"]
    assert (
        workspace.search("-login").total
        == workspace.search("").total - workspace.search("login login").total
    )


def test_an_exact_match_is_first_however_small_the_page(make_workspace: Maker) -> None:
    decoys = "".join(f"def get{i}(): pass\nclass Get{i}: pass\n" for i in range(500))
    workspace = make_workspace({"a.py": decoys, "vendor/z.py": "def f():\n    def get(): pass\n"})
    response = workspace.search("get", max_items=1)
    assert (response.total, [item.file_path for item in response.items]) == (1001, ["vendor/z.py"])


def test_scores(workspace: Workspace) -> None:
    response = workspace.search("login", include=["score"])
    scores = [item.score for item in response.items]
    assert scores == sorted(scores, reverse=True)  # type: ignore[type-var]
    assert [score == 1.0 for score in scores] == [item.name == "login" for item in response.items]


def test_extras_come_only_when_asked_for(workspace: Workspace) -> None:
    request = SearchRequest(
        query="calculate_total",
        include=["id", "signature", "doc", "range", "score", "language"],
        fuzzy=False,
    )
    item = msgspec.to_builtins(workspace.search(request).items[0])
    assert item == {
        "name": "calculate_total", "kind": "function", "file_path": "src/billing/invoice.py", "line": 3, "container": None,
        "id": "src/billing/invoice.py#calculate_total", "signature": "def calculate_total(prices)",
        "doc": "Adds up the prices of an invoice.", "range": {"start_line": 3, "end_line": 5}, "score": 1.0, "language": "python",
    }  # fmt: skip


def test_ids_of_the_same_name(make_workspace: Maker) -> None:
    workspace = make_workspace(
        {
            "a.py": "class A:\n    def f(self): pass\n    def f(self): pass\nclass A:\n    def f(self): pass\n"
        }
    )
    ids = [item.id for item in workspace.search("f", include=["id"], fuzzy=False).items]
    assert ids == ["a.py#A.f", "a.py#A.f~2", "a.py#A.f~3"]


@pytest.mark.parametrize(
    ("more", "complaint"),
    [
        ({"kinds": ["klass"]}, "unknown kind 'klass': expected one of array,"),
        ({"languages": ["klingon"]}, "unknown language 'klingon': `symindex languages` lists the "),
        ({"include": ["colour"]}, "unknown include field 'colour'"),
        ({"max_items": 0}, "max_items is 0"),
        ({"start_index": -1}, "start_index is -1"),
        ({"paths": ["\\"]}, "path glob"),
        ({"paths": [""]}, "path glob '' cannot be read"),
        ({"paths": ["!"]}, "path glob '' cannot be read"),
        ({"paths": ["[a"]}, "path glob '[a' cannot be read"),
        ({"paths": ["\udcff"]}, "path glob '\\udcff' is not valid Unicode"),
    ],
)
def test_impossible_requests(more: dict[str, object], complaint: str, workspace: Workspace) -> None:
    with pytest.raises(RequestError) as caught:
        workspace.search("login", **more)  # type: ignore[arg-type]
    assert complaint in str(caught.value)


ODD = [
    "*", "**", "a", '"', "(", ")", "\\", "/", ".", ":", "doc:", "path:", "id:", "name:", "signature:", "container:", " ", "NOT ",
    "OR ", "[z-a]", "[", "\0", "\n", "\u0301", "İ", "😀", "\udcff", "(?", "+", "{", "|", "^", "$",
    "-", "!", ",", "is:", "kind:", "lang:", "name:(", "content:", "*.", "a*", "::", "=", ";", "<", "class ", "AND",
    "is:test", "#",
]  # fmt: skip


@pytest.mark.sample(3)
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_any_query_has_an_answer_or_an_error(seed: int, workspace: Workspace) -> None:
    chance = random.Random(seed)
    for _ in range(100):
        query = "".join(chance.choices(ODD, k=chance.randint(1, 6)))
        try:
            workspace.search(query, max_items=1)
        except RequestError as error:
            assert "\n" not in str(error).replace(query, "")


def test_a_wildcard_of_anything_finds_what_is_there(workspace: Workspace) -> None:
    with_doc = [item.name for item in workspace.search("", include=["doc"]).items if item.doc]
    assert with_doc
    assert sorted(item.name for item in workspace.search("doc:*").items) == sorted(with_doc)
    assert workspace.search("name:*").total == workspace.search("").total


def test_fields_with_impossible_values(workspace: Workspace) -> None:
    for query, complaint in [
        ("kind:klass", "unknown kind"),
        ("space:outer a", "unknown space"),
        ("lang:klingon", "unknown language"),
    ]:
        with pytest.raises(RequestError, match=complaint):
            workspace.search(query)


def test_nothing_found_names_the_nearest(workspace: Workspace) -> None:
    response = workspace.search("recalculator", fuzzy=False)
    assert (response.total, response.items) == (0, [])
    assert isinstance(response.suggestions, list)
    assert response.suggestions[0] == "recalculate"
