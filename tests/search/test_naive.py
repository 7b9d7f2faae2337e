"""Word queries find what a comparison with each symbol finds, in an index with overlays and in one
without."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from symindex.workspace.workspace import Workspace
from tests.search.fuzz_queries import check_queries
from tests.support.files import Files, write_files

pytestmark = pytest.mark.nightly


@pytest.mark.slow
def test_random_queries_find_what_a_naive_search_finds(tmp_path: Path) -> None:
    tally = check_queries(seed=16, count=400, folder=tmp_path, share=0.035)
    assert tally.n_found > 200 and tally.n_plain > 80 and tally.n_refused < 20


FILES: Files = {
    "big.py": "class Big:\n    def run(self): pass\n    def stop(self): pass\n",
    "bigger.py": "class Bigger:\n    def run(self): pass\n",
    "odd.py": '''
class GrößenTabelle:
    """Die “the” one — of many: is it… naïve? The IsIt file of theThe."""
def lie(knot):
    """Tying; to be, or not."""
def straße_öffnen(länge): pass
''',
    "plain.py": 'def measured():\n    """To measure the file is of use."""\n',
}

FOUND = {
    "tabel OR nowhere": ["GrößenTabelle"],
    "abelle OR nowhere": ["GrößenTabelle"],
    "offn OR nowhere": ["straße_öffnen"],
    "signature:offn": ["straße_öffnen"],
    'signature:"strasse offnen"': ["straße_öffnen"],
    'signature:"class grossen tabelle"': ["GrößenTabelle"],
    'doc:"the"': ["GrößenTabelle", "measured"],
    'doc:"is it"': ["GrößenTabelle"],
    'doc:"to be"': ["lie"],
    'doc:"to b"': [],
    'doc:"the the"': ["GrößenTabelle"],
    "doc:file-*": [],
    "doc:of-u*": ["measured"],
    "doc:file-i*": [],
    "doc:theThe-*": [],
    "doc:isIt-f*": ["GrößenTabelle"],
    '"…" doc:one': ["GrößenTabelle"],
    "tie kind:function": ["lie"],
    "tying kind:function": ["lie"],
    "nowhere strase": ["straße_öffnen"],
}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """A workspace with an overlay for each of two files."""
    folder = tmp_path_factory.mktemp("naive")
    root = write_files(folder / "tree", FILES)
    with Workspace(root, folder / "index") as made:
        made.refresh()
        for path in ("bigger.py", "plain.py"):
            (root / path).write_bytes((root / path).read_bytes() + b"\n")
            made.refresh()
        assert len(made.source.indexed.snapshot.parts) == 3
        yield made


@pytest.mark.parametrize("query", FOUND)
def test_words_are_found_wherever_they_stand(query: str, workspace: Workspace) -> None:
    assert sorted(item.name for item in workspace.search(query).items) == FOUND[query]


@pytest.mark.parametrize(
    "query", ["name:Big. OR nowhere", "name:Big.", "Big.* OR nowhere", "-(NOT name:Big.*)"]
)
def test_members_are_those_of_what_matches_best_in_the_whole_tree(
    query: str, workspace: Workspace
) -> None:
    """The best match counts in the whole index, not in each part: `Bigger`, which matches best, is
    in an overlay."""
    assert sorted(item.name for item in workspace.search(query).items) == ["run", "stop"]
