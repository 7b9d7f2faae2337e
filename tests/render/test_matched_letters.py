"""The letters of a query in a name, as a terminal marks them."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symindex.render.terminal.matched_letters import matched_letters


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
        ("cart", "cart_cart", "CART....."),
        ("ab", "xaxb_ab", ".....AB"),
        ("abc", "ab_b_c", "AB...C"),
        ("bc", "aBxCc", ".B.C."),
        ("ac", "abcCc", "A..C."),
        ("ax", "AXx", "AX."),
        ("a2", "ab2_2", "A...2"),
        ("sbc", "sub_bcd", "S...BC."),
        ("!cart", "cart", "CART"),
        ("+cart", "cart", "CART"),
        ("x:cart", "cart", "CART"),
        ("x::cart", "cart", "CART"),
        ("_cart", "my_cart", ".._CART"),
        ("or", "fOR", ".OR"),
        ("OR", "fOR", "..."),
    ],
)
def test_which_letters(query: str, name: str, expected: str) -> None:
    marked = set(matched_letters(query, name))
    assert (
        "".join(
            letter.upper() if number in marked else "."
            for number, letter in enumerate(expected.lower())
        )
        == expected
    )


def test_letters_of_long_names_and_words_are_not_marked() -> None:
    longest = "x" * 200
    assert matched_letters("x", longest) == [0] and matched_letters("x", f"{longest}x") == []
    assert matched_letters(longest, longest) == [*range(200)]
    assert matched_letters(f"{longest} a", "a") == [0]
    assert matched_letters(f"{longest}x a", "xa") == [1]


def test_a_name_without_end_takes_no_time() -> None:
    began = time.monotonic()
    assert (
        matched_letters("a" * 4_000, "a_" * 500_000) == []
        and matched_letters("ab" * 2_000, "a_b" * 60) == []
    )
    assert time.monotonic() - began < 2


@given(st.text(max_size=30), st.text(max_size=30))
def test_no_place_lies_outside(query: str, name: str) -> None:
    places = matched_letters(query, name)
    assert all(0 <= place < len(name) for place in places) and places == sorted(set(places))
