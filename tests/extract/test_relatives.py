"""Related languages find all that their base finds: a fixture of the base, read in the related
language, has the same symbols.

If the related grammar cannot read a fixture, or gives it another meaning, the table lists the share
of symbols that may differ. Other fixtures must not differ at all.
"""

import pytest

from symindex.extract.languages.registry import load_languages
from symindex.extract.symbols import extract_symbols
from tests.extract.test_grammars import FIXTURES
from tests.support import marks

RELATIVES: dict[tuple[str, str], dict[str, float]] = {
    # C++ lacks functions without a type, digraphs in directive names, and declarations after a
    # parameter list.
    ("c", "cpp"): {
        "attributes.c": 0.02,
        "digraphs.c": 0.76,
        "elsewhere.c": 0.26,
        "functions.c": 0.28,
        "macros.c": 0.04,
        "members.c": 0.06,
        "old_style.c": 1.0,
        "parentheses.c": 0.91,
        "types.c": 0.04,
        "variables.c": 0.04,
    },
    ("c", "objc"): {
        "attributes.c": 0.02,
        "elsewhere.c": 0.03,
        "functions.c": 0.1,
        "members.c": 0.14,
    },
    # These grammars are older than C++20's modules, and read neither template operators nor tests
    # named by strings as the one for C++ does.
    ("cpp", "cuda"): {"exports.cppm": 0.05, "json_like.hpp": 0.48, "modules.cppm": 0.34},
    ("cpp", "arduino"): {
        "elsewhere.cpp": 0.15,
        "exports.cppm": 0.05,
        "modules.cppm": 1.0,
        "tests.cpp": 0.48,
    },
    # JSX is part of TSX, not of TypeScript.
    ("javascript", "typescript"): {"component.jsx": 0.85},
    ("javascript", "tsx"): {},
    ("typescript", "tsx"): {},
    ("javascript", "flow"): {},
}


def symbols_in(language_id: str, code: bytes) -> set[tuple[object, ...]]:
    """Returns the place, kind and qualified name of each symbol."""
    symbols, _ = extract_symbols(load_languages().by_id[language_id], code)
    return {
        (symbol.name_start, str(symbol.kind), symbol.container, symbol.name) for symbol in symbols
    }


@pytest.mark.nightly
@pytest.mark.parametrize(("base", "relative"), RELATIVES, ids="-".join)
def test_a_relative_has_what_its_base_has(base: str, relative: str) -> None:
    losses = RELATIVES[base, relative]
    differ = {}
    for path in sorted((FIXTURES / base).iterdir()):
        code = marks.read_marks(path.read_bytes().decode())[0].encode()
        expected = symbols_in(base, code)
        lost = len(expected - symbols_in(relative, code)) / max(len(expected), 1)
        if lost > losses.get(path.name, 0):
            differ[path.name] = round(lost + 0.005, 2)
    assert differ == {}
