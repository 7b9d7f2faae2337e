"""Which characters of a name a query matched."""

import time
from itertools import pairwise
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from symindex.search.match.names import Needle, match_strong, match_subsequence, match_typo
from symindex.search.match.spans import match_spans
from symindex.text.folding import fold
from tests.support.files import Maker

MARKED = """
parserequest      parseRequest         [parseRequest]
parse-request     parse_request        [parse_request]
parse             _parse_it            _[parse]_it
parsereq          parse_request_x      [parse_req]uest_x
Job               Oban.Job             Oban.[Job]
ibfo              initBookForOfficial  [i]nit[B]ook[F]or[O]fficial
inBkOff           initBookForOfficial  [in]it[B]oo[k]For[Off]icial
u_p               unique_ptr           [u]nique_[p]tr
cLi               classList            [c]lass[Li]st
cL                classList            [cl]assList
calc              recalculate          re[calc]ulate
req               parse_require        parse_[req]uire
_                 a_b                  a[_]b
parseRequets      parse_request        [parse_request]
maek              make_thing           [make]_thing
reqeust           parse_request_x      parse_[request]_x
THRE              HTMLHRElement        H[T]ML[HRE]lement
prqt              parse_request        [p]a[r]se_re[q]ues[t]
grosse            Größe                [Größe]
brulee            crèmeBrûlée          crème[Brûlée]
ss                ßßx                  [ß]ßx
file              myﬁle                my[ﬁle]
get*Name          getFullName          [get]Full[Name]
*full*            getFullName          get[Full]Name
parsing           was_parsed           was_[parsed]
http,requests     parseHttpRequest     parse[HttpRequest]
parse,the,http    parse_the_http       [parse]_the_[http]
quest,parse       parse_request        [parse]_re[quest]
req,parse         parse_request        [parse]_[req]uest
zzz               parse                parse
zzz,yyy           parse                parse
"""


def marked(words: list[str], name: str, **options: Any) -> str:
    parts, end = [], 0
    for start, stop in match_spans(words, name, **options):
        parts.append(f"{name[end:start]}[{name[start:stop]}]")
        end = stop
    return "".join(parts) + name[end:]


@pytest.mark.parametrize("line", MARKED.strip().splitlines())
def test_what_is_marked(line: str) -> None:
    words, name, expected = line.split()
    assert marked(words.split(","), name) == expected


def test_combining_marks_belong_to_their_letter() -> None:
    assert marked(["creme"], "cre\u0300me\u0300_x") == "[cre\u0300me\u0300]_x"


def test_guesses_are_marked_only_where_they_are_allowed() -> None:
    assert marked(["parseRequets"], "parse_request", weak=False) == "[parse]_request"
    assert marked(["prqt"], "parse_request", weak=False) == "parse_request"


TEXTS = st.one_of(st.text("abAB_-1 ß\u0300é.", max_size=12), st.text(max_size=12))


@given(TEXTS, TEXTS)
def test_spans_are_in_order_and_inside(word: str, name: str) -> None:
    for words in ([word], word.split(), [f"{word}*"]):
        spans = match_spans(words, name)
        edges = [0, *(edge for span in spans for edge in span)]
        assert edges == sorted(edges) and edges[-1] <= len(name)
        assert all(start < end for start, end in spans)
        assert all(end < start for (_, end), (start, _) in pairwise(spans))


@given(TEXTS, TEXTS)
def test_every_match_is_marked(word: str, name: str) -> None:
    needle, folded = Needle(word), fold(name)
    tiers = (match_strong, match_typo, match_subsequence)
    if folded and needle.folded and any(tier(needle, name, folded) for tier in tiers):
        assert match_spans([word], name)


@pytest.mark.parametrize("name", ["a" * 10_000, "aB" * 5_000, "é_" * 5_000, "_" * 9_999 + "a"])
def test_a_long_name_takes_little_time(name: str) -> None:
    began = time.process_time()
    for word in ("ab", "abc", "AB", "ab" * 50 + "x", "é_a", "*a*b*"):
        match_spans([word], name)
        match_spans([word, "parse", "b"], name)
    assert time.process_time() - began < 1


FOUND: list[tuple[str, dict[str, Any], dict[str, str]]] = [
    ("login", {}, {"login": "[login]", "login_page": "[login]_page"}),
    ("Auth.login", {}, {"login": "[login]"}),
    ("lgoin", {}, {"login": "[login]", "login_page": "[login]_page"}),
    ("page login", {}, {"login_page": "[login]_[page]"}),
    ("name:login -kind:class", {}, {"login": "[login]", "login_page": "[login]_page"}),
    ("login | kind:function", {}, {"login_page": "[login]_page"}),
    ("log*", {}, {"login": "[log]in", "login_page": "[log]in_page"}),
    ("users", {}, {"Auth": "Auth"}),
    ("", {"kinds": ["class"]}, {"Auth": "Auth"}),
    ("kind:class", {}, {"Auth": "Auth"}),
    ("auth", {"phrasings": ["login page"]}, {"Auth": "[Auth]", "login_page": "[login]_[page]"}),
    ("", {"fields": {"name": "page"}}, {"login_page": "login_[page]"}),
]


@pytest.mark.parametrize(("query", "fields", "expected"), FOUND)
def test_spans_of_items(
    make_workspace: Maker, query: str, fields: dict[str, Any], expected: dict[str, str]
) -> None:
    workspace = make_workspace(
        {
            "a.py": "class Auth:\n    '''Checks users.'''\n    def login(self): pass\n",
            "b.py": "def login_page(): pass\n",
        }
    )
    found = {}
    for item in workspace.search(query, include=["spans"], **fields).items:
        assert item.spans is not msgspec.UNSET
        shown, end = "", 0
        for start, stop in item.spans:
            shown += f"{item.name[end:start]}[{item.name[start:stop]}]"
            end = stop
        found[item.name] = shown + item.name[end:]
    assert {**found, **expected} == found
    assert all(item.spans is msgspec.UNSET for item in workspace.search(query, **fields).items)
