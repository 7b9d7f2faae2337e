"""Parameters are counted by the commas between the brackets behind a name."""

import pytest

from symindex.extract.clauses import count_parameters


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        (", do: 1", 0),
        ("()", 0),
        ("( )", 0),
        ("(a)", 1),
        (" (a, b) when a > (1, 2)", 2),
        ("({:get, k}, [h, t], %{a: 1, b: 2})", 3),
        ('("a,)", \'b"\', c)', 3),
        ("([])", 1),
        ("('open, x\n, b)", 2),
        ("(a, b", 2),
        ("(<<?,, rest::binary>>, {a, b})", 2),
        ('(first, ?"\n, third?, a > b)', 4),
    ],
)
def test_counts(text: str, count: int) -> None:
    assert count_parameters(text) == count
