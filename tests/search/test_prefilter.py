"""The files that can contain a query's matches, and which of them most likely define the name."""

from pathlib import Path

import pytest

from symindex.errors import RequestError
from symindex.extract import read as read_module
from symindex.extract.languages.registry import load_languages
from symindex.files.walk import FoundFile
from symindex.search.unindexed.prefilter import NO_PLACE, Finder
from symindex.search.unindexed.scan_job import BINARY_BYTES
from symindex.search.unindexed.scan_query import file_filter, make_prefilter
from symindex.search.unindexed.work_queue import Work
from tests.support.files import write_files
from tests.support.scanning import look_for, names_of, plan_of, request_of

HOLDS = [
    ("parse_request", b"def parseRequest(): pass", True),
    ("parserequest", b"def parse_request(): pass", True),
    ("PARSE-REQUEST", b"x = parse_re__quest", True),
    ("parse_request", b"parse request", False),
    ("a.b", b"def b(): a", True),
    ("a+b", b"a+b", True),
    ("a+b", b"aab", False),
    ("[x]", b"x", False),
    ("x(?:", b"x(?: ", True),
    ("\\d", b"7", False),
    ("_", b"a_b", True),
    ("_", b"ab", False),
    ("_", "a\uff3fb".encode(), True),
    ("ab", "a\uff3fb".encode(), True),
    ("ab", "a\u0301\u0302b".encode(), True),
    ("__", b"a_b", False),
    ("cafe", "def café(): pass".encode(), True),
    ("café", b"def cafe(): pass", True),
    ("CAFÉ", "def cafe\u0301_bar(): pass".encode(), True),
    ("strasse", "class Straße: pass".encode(), True),
    ("größe", "# GRÖSSE".encode(), True),
    ("file", "def ﬁle(): pass".encode(), True),
    ("関数", "def 関数(): pass".encode(), True),
    ("関数", b"def kansu(): pass", False),
    ("get", "# 日本語 — “quotes”\n".encode(), False),
    ("get", "x = '日本'\ndef get(): pass\n".encode(), True),
    ("caf", b"caf\xe9", True),
    ("longname", b"\0".join([b" " * BINARY_BYTES, b"long", b"name"]), True),
    ("x" * 900, b"x" * 900, True),
    ("x" * 900, b"x" * 899, False),
]


@pytest.mark.parametrize(("needle", "data", "holds"), HOLDS)
def test_what_can_hold_a_name(needle: str, data: bytes, holds: bool) -> None:
    prefilter = make_prefilter(plan_of(request_of(needle)))
    assert prefilter is not None
    assert Finder(prefilter).holds("file.py", data) is holds


@pytest.mark.sample(2)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("encoding", "mark"),
    [("utf-16-le", b"\xff\xfe"), ("utf-16-be", b"\xfe\xff"), ("utf-8", b"\xef\xbb\xbf")],
)
def test_marked_encodings_are_looked_through(encoding: str, mark: bytes, tmp_path: Path) -> None:
    write_files(tmp_path, {"a.py": mark + "def café(): pass\n".encode(encoding)})
    report = look_for(tmp_path, "cafe")
    assert names_of(report) == ["café"]


@pytest.mark.nightly
def test_binary_files_are_no_candidates(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.py": b"def found(): pass\0", "b.py": "found = 1\n"})
    assert [file.path for file in look_for(tmp_path, "found").files] == ["b.py"]
    assert read_module.BINARY_BYTES == BINARY_BYTES


QUESTIONS = [
    ("Auth", "auth"),
    ("Auth.login", "auth/ login"),
    ("src/auth_service", "src/ authservice"),
    ("$login", "$login|login"),
    ("Auth.login/2", "login|2"),
    ("example.org/x.(*Auth).login", "login"),
    ("org.x.Auth.login", "auth/ login"),
    ("src/auth.py", "auth/"),
    ("auth.py:12", "auth/"),
    ("src/auth.py::Auth::login", "login"),
    ("Auth.", "auth/"),
    ("login OR logout", "login/|logout/"),
    ("login logout NOT test", "login/ logout/"),
    ("where logins are parsed", "login/|pars/"),
    ('"adds up the prices"', "adds/ up/ the/ prices/"),
    ("doc:invoice kind:class", "invoic"),
    ("get*Name", "name/"),
    ("name:get_* OR id:a.py#Auth.log_in~2", "get|login"),
    ("login -test", "login/"),
    ("content:invoice is:test", "invoic"),
    ("name:(get OR set_up)", "get|setup"),
    ("Path::is_*", "path/ is/"),
    ("name:*Handler.*", "handler/"),
    ("class Path(Base):", "path"),
    ("src/*.py", None),
    ("is:test type:class,method", None),
    ("-test", None),
    ("", None),
    ("kind:class", None),
    ("NOT test", None),
    ("login OR kind:class", None),
    ("*", None),
    ("..", None),
    ("lang:python path:src", None),
]


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("Auth.login", "login"),
        ("Auth.", "Auth"),
        ("a getName kind:class", "getName"),
        ("get*Name", ""),
        ('"get name"', ""),
    ],
)
def test_the_name_that_files_are_ranked_by(query: str, name: str) -> None:
    prefilter = make_prefilter(plan_of(request_of(query)))
    assert prefilter is not None and prefilter.name == name


@pytest.mark.parametrize(("query", "groups"), QUESTIONS)
def test_what_the_files_of_hits_must_hold(query: str, groups: str | None) -> None:
    prefilter = make_prefilter(plan_of(request_of(query)))
    shown = prefilter and " ".join(
        "|".join(atom.text + "/" * atom.in_path for atom in group) for group in prefilter.groups
    )
    assert shown == groups


def test_an_impossible_question_is_refused() -> None:
    with pytest.raises(RequestError, match="at most 1,000"):
        make_prefilter(plan_of(request_of("x" * 100_000)))
    with pytest.raises(RequestError, match="kind"):
        make_prefilter(plan_of(request_of("x", kinds=["klass"])))


def test_filters_on_path_and_language_leave_files_out() -> None:
    languages = load_languages()
    lets_through = file_filter(
        plan_of(request_of("x", paths=["src/**", "!*.go"], languages=["py", "go"])), languages
    )
    paths = ["src/a.py", "src/a.go", "src/a.java", "src/script", "lib/a.py"]
    assert [path for path in paths if lets_through(FoundFile(path, 1, 1))] == [
        "src/a.py",
        "src/script",
    ]
    assert file_filter(plan_of(request_of("x", paths=["root/src/**"])), languages, "root/")(
        FoundFile("src/a.py", 1, 1)
    )
    with pytest.raises(RequestError, match="language"):
        file_filter(plan_of(request_of("x", languages=["klingon"])), languages)


LIKELIEST_FIRST = [
    (
        "Shape",
        [
            b"class Shape(Base):\n",
            b"    Shape = 3\n",
            b"class Shape;\n",
            b"x.Shape\n",
            b"x.shape\n",
        ],
    ),
    (
        "read",
        [
            b"func (f *File) read(b []byte) {\n",
            b"  read: 3\n",
            b"f.read(3)\n",
            b"def reader():\n",
            b"thread\n",
        ],
    ),
    ("size", [b"  public static int size() {\n", b"  return list.size() - 1;\n", b"oversize()\n"]),
    ("next", [b"struct node *next(int a,\n", b"  next = 1\n", b"  if a.next != 3 {\n"]),
]


@pytest.mark.parametrize(("name", "sources"), LIKELIEST_FIRST)
def test_definitions_promise_more_than_mentions(name: str, sources: list[bytes]) -> None:
    prefilter = make_prefilter(plan_of(request_of(name)))
    assert prefilter is not None
    finder = Finder(prefilter)
    promises = [finder.likelihood(source) for source in sources]
    assert promises == sorted(promises, reverse=True)
    assert promises[0] > promises[-1] >= NO_PLACE


def test_the_order_of_candidates() -> None:
    work = Work("Shape")
    ranked = [
        work.rank("src/Shape.java", 6, 900),
        work.rank("src/small.java", 6, 10),
        work.rank("src/large.java", 6, 1000),
        work.rank("tests/small.java", 6, 10),
        work.rank("src/mention.java", 3, 10),
        work.rank("src/other.java", NO_PLACE, 10),
    ]
    assert ranked == sorted(ranked)
