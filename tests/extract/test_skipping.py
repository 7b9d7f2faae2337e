"""Skipping changes no symbol: with the switch off, all fixtures give the same symbols."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from symindex.extract.languages.registry import load_languages
from symindex.extract.languages.rules import rules_of
from symindex.extract.parse.query import compile_query
from symindex.extract.parse.skipping import switch
from symindex.extract.parse.skipping.bodies import bodies_of
from symindex.extract.parse.skipping.byte_patterns import signs_of
from symindex.extract.symbols import extract_symbols
from tests.support import marks

FIXTURES = Path(__file__).parents[2] / "fixtures" / "symbols"

SKIPPING = sorted(
    language.id
    for language in load_languages().by_id.values()
    if bodies_of(language) is not None and not language.rules.bodies.firm
)
"""Languages whose bodies may be skipped. Firm bodies must be skipped, so their languages are left
out."""

WORDED = sorted(
    language.id for language in load_languages().by_id.values() if language.rules.search_words
)


def forget() -> None:
    """Drops the rules compiled before the switch changed."""
    rules_of.cache_clear()
    signs_of.cache_clear()


@pytest.fixture(autouse=True)
def fresh_rules() -> Iterator[None]:
    forget()
    yield
    forget()


@pytest.mark.sample(2)
@pytest.mark.parametrize("language_id", sorted({*SKIPPING, *WORDED}))
def test_the_switch_changes_no_symbol(language_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    language = load_languages().by_id[language_id]
    files = [
        marks.read_marks(path.read_bytes().decode())[0].encode()
        for path in marks.fixture_files(FIXTURES / language_id)
    ]
    assert files
    skipped = [extract_symbols(language, data)[0] for data in files]
    monkeypatch.setattr(switch, "IS_ON", False)
    forget()
    assert [extract_symbols(language, data)[0] for data in files] == skipped


def test_the_switch_turns_everything_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """Queries then run as a whole, and patterns are searched everywhere."""
    language = load_languages().by_id["ruby"]
    compiled = compile_query(language)
    literals = [pattern._literals for pattern, _ in rules_of(language).repairs]
    monkeypatch.setattr(switch, "IS_ON", False)
    forget()
    assert compile_query(language) is not compiled
    assert compile_query(language)._texts == []
    off = [pattern._literals for pattern, _ in rules_of(language).repairs]
    assert {*off} == {("",)}
    assert {*literals} != {("",)}
