"""The page of a plan as data: the same plan comes back from it."""

import msgspec
import pytest

from symindex.errors import RequestError
from symindex.extract.languages.registry import load_languages
from symindex.protocol.search import SearchRequest
from symindex.search.answer.plan import PageRule, make_plan
from symindex.workspace.planned_page import page_of, read_page, with_most, with_page
from symindex.workspace.remote_source import RemoteSource


def test_a_plan_survives_the_way() -> None:
    languages = load_languages(check=False)
    plan = make_plan(SearchRequest(query="a", max_items=7), languages, PageRule(("flags",), 5, 2))
    for changed in (
        plan,
        plan.of_any_size(3, True, ["doc"]),
        plan.starting_at(4),
        plan.paged(most=1),
        plan.sized(None),
    ):
        fields = msgspec.json.decode(msgspec.json.encode(page_of(changed)))
        again = with_page(make_plan(plan.request, languages), read_page(fields))
        assert (again.most_items, again.start_index, again.token, again.include) == (
            changed.most_items,
            changed.start_index,
            changed.token,
            changed.include,
        )
        assert again.page.lean_rows == changed.page.lean_rows


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"most": 0}, "most is 0: it must be 1 or more"),
        ({"lean_rows": -1}, "lean_rows is -1: it must be 1 or more"),
        ({"max_items": "a"}, "max_items is 'a': expected an integer"),
        ({"include": ["nothing"]}, "unknown include field 'nothing'"),
        ({"other": 1}, "unknown field `other`"),
    ],
)
def test_pages_that_are_none(fields: dict[str, object], error: str) -> None:
    with pytest.raises(RequestError, match=error):
        read_page(fields)


def test_the_most_rows_of_a_plan() -> None:
    plan = make_plan(SearchRequest(query="a"), load_languages(check=False))
    assert with_most(plan, 9).most_items == 9
    assert with_most(plan.sized(9), 9).most_items == 9
    assert with_most(plan.sized(10), 9).most_items == 9
    assert (
        with_most(plan.paged(lean_rows=1), 1_000).most_items == plan.paged(lean_rows=1).most_items
    )


def test_a_source_elsewhere_reads_requests_and_nothing_else() -> None:
    source = RemoteSource(lambda path: path == "acme")
    assert source.plan(SearchRequest(query="lang:go a")).text == "lang:go a"
    assert source.shown_paths(["/a", "!b"]) == ["/a", "!b"]
    assert source.is_folder("acme") and not source.is_folder("acme/a.py")
    with pytest.raises(AssertionError, match="in another process"):
        source.view()
