"""The clauses of a function are one symbol, and the commas between the brackets after its name give
the number of parameters."""

import time

import pytest

from symindex.extract.clauses import count_parameters
from symindex.extract.languages.registry import load_languages
from symindex.extract.symbols import extract_symbols


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


def found(language: str, text: str) -> list[tuple[str, int, int]]:
    """Returns the functions of a text, with their first and last lines."""
    symbols, _ = extract_symbols(load_languages().by_id[language], text.encode())
    lines = [
        (symbol, text.encode()[: symbol.start_byte].count(b"\n") + 1)
        for symbol in symbols
        if symbol.kind == "function"
    ]
    return [
        (symbol.qualified_name, line, text.encode()[: symbol.end_byte].count(b"\n") + 1)
        for symbol, line in lines
    ]


def test_clauses_go_up_to_what_is_another_function() -> None:
    text = "defmodule A do\n def f(0), do: 1\n # x\n def f(n), do: n\n def g, do: 2\n def f(x), do: x\n def f(x, y), do: y\nend\n"
    assert found("elixir", text) == [("A.f", 2, 4), ("A.g", 5, 5), ("A.f", 6, 6), ("A.f", 7, 7)]


def test_clauses_of_another_module_of_the_name_are_others() -> None:
    text = "defmodule A do\n def f(0), do: 1\nend\ndefmodule A do\n def f(1), do: 2\nend\n"
    assert found("elixir", text) == [("A.f", 2, 2), ("A.f", 5, 5)]


def test_many_clauses_take_no_time() -> None:
    text = (
        "-module(a).\n"
        + "".join(f"f({number}) -> {number};\n" for number in range(5_000))
        + "f(_) -> 0.\n"
    )
    began = time.monotonic()
    assert found("erlang", text) == [("a.f", 2, 5_002)]
    assert time.monotonic() - began < 10
