"""Receivers without the arguments of their calls."""

import pytest

from symindex.text.receivers import without_arguments

SHORT = {
    "shop(a).open(f(b), (c))": "shop().open()",
    "shop.find(\"a)\", ')').x": "shop.find().x",
    "new Shop<A>(b).rows[f(c)].d(e)": "new Shop<A>().rows[f(c)].d()",
    "rows.map { it.b(c) }.first(d)": "rows.map {}.first()",
    "((A) b(c)).d(e)": "((A) b(c)).d()",
    "shop(a // )\n).open(b)": "shop(a // )\n).open(b)",
    "shop('a, b).open(c)": "shop('a, b).open(c)",
    "shop(a)).open(b)": "shop(a)).open(b)",
    "shop((a).open(b)": "shop((a).open(b)",
}


@pytest.mark.parametrize("receiver", SHORT)
def test_arguments_are_left_out(receiver: str) -> None:
    assert without_arguments(receiver) == SHORT[receiver]
