"""The index does not depend on how files arrive: in portions, in any order, with the token cache
dropped in between."""

import random

import pytest

from symindex.extract.languages.registry import load_languages
from symindex.extract.read import read_bytes
from symindex.extract.records import FileSymbols
from symindex.index import intake
from symindex.index.build import build_index
from symindex.index.intake import Intake
from symindex.index.words import build_words
from tests.support.rows import without_stamps

LANGUAGES = load_languages()


def some_files() -> list[FileSymbols]:
    """Returns files with docs, sections, items, mentions, and some without any."""
    texts = {
        f"d{i % 3}/f{i}.py": f'class Cache{i}:\n    """Holds the values of {i}."""\n    def get_all{i % 5}(self): pass\n'
        for i in range(40)
    }
    texts |= {
        f"docs/g{i}.md": f"# Guide {i}\n\nAbout `Cache{i}`.\n\n## More\n\nWords.\n"
        for i in range(5)
    }
    texts |= {
        "package.json": '{"name": "x", "scripts": {"build": "make", "test": "make test"}}',
        "empty.py": "",
        "bin.py": "\0",
    }
    return [
        read_bytes(FileSymbols(path, 1, 1), text.encode(), LANGUAGES)
        for path, text in texts.items()
    ]


@pytest.mark.sample(2)
@pytest.mark.parametrize("at_once", [1, 3, 7, 512])
@pytest.mark.parametrize("most_divided", [0, 20, 100_000])
def test_portions_and_order_make_no_difference(
    at_once: int, most_divided: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = without_stamps(build_index(some_files()).columns)
    monkeypatch.setattr(intake, "_FILES_AT_ONCE", at_once)
    monkeypatch.setattr(build_words, "_MOST_SPLIT_TOKENS", most_divided)
    files = some_files()
    random.Random(at_once).shuffle(files)
    taken = Intake()
    for start in range(0, len(files), 4):
        taken.add(files[start : start + 4])
    assert without_stamps(build_index(taken).columns) == expected


def test_nothing_is_an_index_too() -> None:
    assert without_stamps(build_index(Intake()).columns) == without_stamps(build_index([]).columns)
