"""What follows a bar in a query only leaves out hits."""

import pytest

from symindex.errors import RequestError
from symindex.search.language.narrowing import divide_at_bars
from tests.support.files import Maker

DIVIDED = """
parse | lang:go                       => parse => lang:go
parse | kind:class,enum -is:test      => parse => (kind:class,enum AND NOT is:test)
parse | lang:go | path:src/**         => parse => (lang:go AND path:src/**)
parse | (lang:go OR lang:c) is:test   => parse => (lang:go,c AND is:test)
| kind:class                          =>  => kind:class
a OR b | space:project                => a OR b => space:project
"a | b" | is:test                     => "a | b" => is:test
int | None                            => int | None =>
int | None | kind:field               => int | None => kind:field
a | lang:go | b                       => a | lang:go | b =>
a | type:class                        => a | type:class =>
a | name:b                            => a | name:b =>
a | lang:go b                         => a | lang:go b =>
a |lang:go                            => a |lang:go =>
a||lang:go                            => a||lang:go =>
"a | lang:go"                         => "a | lang:go" =>
(a | lang:go)                         => (a | lang:go) =>
a | lang:                             => a | lang: =>
a |                                   => a | =>
"""


@pytest.mark.parametrize("line", DIVIDED.strip().splitlines())
def test_where_a_query_is_divided(line: str) -> None:
    query, text, narrowing = map(str.strip, line.split("=>"))
    before, node = divide_at_bars(query)
    assert (before.strip(), "" if node is None else str(node)) == (text, narrowing)


def test_a_query_that_is_too_long_is_not_divided() -> None:
    longest = "a" * (1_000 - len(" | is:test")) + " | is:test"
    assert divide_at_bars(longest)[1] is not None
    assert divide_at_bars(f"a{longest}") == (f"a{longest}", None)


def test_a_name_before_a_bar_is_matched_as_a_name(make_workspace: Maker) -> None:
    workspace = make_workspace(
        {
            "a.py": "def init_book(): pass\nclass InitBook: pass\n",
            "b.go": "package b\n\ntype InitBox int\n",
        }
    )

    def names(query: str) -> set[str]:
        return {item.name for item in workspace.search(query).items}

    assert names("inbo") == {"init_book", "InitBook", "InitBox"}
    assert names("inbo | lang:python") == {"init_book", "InitBook"}
    assert names("inbo | kind:class") == {"InitBook", "InitBox"}
    assert names("inbo lang:python") == set()
    assert names("| lang:go") == {"InitBox"}


def test_why_nothing_is_left(make_workspace: Maker) -> None:
    workspace = make_workspace({"a.py": "def total(): pass\n"})
    response = workspace.search("total | is:test")
    assert not response.total
    assert response.notices == ["`| is:test` leaves out all that was found: 1"]


@pytest.mark.parametrize(
    ("query", "complaint"),
    [
        ("total | lang:nope", "unknown language 'nope'"),
        ("total | is:nope", "unknown flag 'nope'"),
        ("total | kind:nope", "unknown kind 'nope'"),
    ],
)
def test_values_that_do_not_exist(make_workspace: Maker, query: str, complaint: str) -> None:
    with pytest.raises(RequestError, match=complaint):
        make_workspace({"a.py": "def total(): pass\n"}).search(query)


def test_a_token_belongs_to_its_narrowing(make_workspace: Maker) -> None:
    workspace = make_workspace(
        {"a.py": "def total_a(): pass\ndef total_b(): pass\nclass Total: pass\n"}
    )
    token = workspace.search("total | kind:function", max_items=1).pagination_id
    again = workspace.search("total | kind:function", max_items=1, pagination_id=token)
    assert [item.name for item in again.items] == ["total_b"]
    for other in ("total", "total | kind:class"):
        with pytest.raises(RequestError):
            workspace.search(other, max_items=1, pagination_id=token)
