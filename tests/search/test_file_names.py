"""Files named like the query: the part before the first dot must equal it, apart from case and
separators."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symindex.extract.records import FileSymbols
from symindex.index.build import build_index
from symindex.index.columns.columns import Index
from symindex.search.names.file_names import files_called
from symindex.text.folding import fold, squash

BASES = st.text(st.sampled_from("abAB_-.éßK"), min_size=1, max_size=8).filter(
    lambda base: base not in (".", "..")
)


def index_of(paths: list[str]) -> Index:
    return build_index([FileSymbols(path, 1, 1, language="python") for path in sorted(paths)])


def by_rule(index: Index, name: str) -> list[str]:
    paths = index.paths.all
    return [
        path for path in paths if squash(fold(path.rpartition("/")[2].partition(".")[0])) == name
    ]


@pytest.mark.nightly
@given(
    st.sets(BASES, min_size=1, max_size=12),
    st.text(st.sampled_from("abéss"), min_size=1, max_size=6),
)
def test_files_called_are_those_of_the_rule(bases: set[str], name: str) -> None:
    index = index_of([f"folder{number % 3}/{base}" for number, base in enumerate(sorted(bases))])
    for wanted in {name, *(squash(fold(base.partition(".")[0])) for base in bases)} - {""}:
        assert [index.paths[number] for number in files_called(index, wanted).tolist()] == by_rule(
            index, wanted
        )


def test_very_long_names_are_distinguished() -> None:
    long = "a" * 300
    index = index_of([f"{long}.py", f"{long}b.py", "a.py"])
    assert [index.paths[number] for number in files_called(index, long).tolist()] == [f"{long}.py"]


def test_an_index_without_files_has_none() -> None:
    assert len(files_called(build_index([]), "a")) == 0
