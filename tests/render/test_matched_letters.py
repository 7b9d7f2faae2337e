"""The letters of a query in a name, as a terminal marks them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symindex.render.matched_letters import matched_letters


@pytest.mark.parametrize(
    ("query", "name", "expected"),
    [
        ("cart", "ShoppingCart", "........CART"),
        ("sc", "ShoppingCart", "S.......C..."),
        ("qset", "QuerySetExceptionTests", "Q....SET.............."),
        ("gsn", "get_symbol_name", "G...S......N..."),
        ("Cart.total", "total", "TOTAL"),
        ("kind:method tot*", "total", "TOT.."),
        ("tot OR sum", "sum_total", "SUM_TOT..".replace("_", ".")),
        ("creme", "Crème", "CREME"),
        ("toatl", "total", "....."),
        ("", "total", "....."),
        ("a AND NOT b", "ab", "AB"),
        ("straße", "STRASSE", "......."),
    ],
)
def test_which_letters(query: str, name: str, expected: str) -> None:
    marked = set(matched_letters(query, name))
    assert "".join(letter.upper() if at in marked else "." for at, letter in enumerate(expected.lower())) == expected


@given(st.text(max_size=30), st.text(max_size=30))
def test_no_place_lies_outside(query: str, name: str) -> None:
    places = matched_letters(query, name)
    assert all(0 <= place < len(name) for place in places) and places == sorted(set(places))
