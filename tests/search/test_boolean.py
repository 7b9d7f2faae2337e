"""Boolean queries: what their parts find, and how the parts affect the order."""

from collections.abc import Iterator

import pytest

from symindex.errors import RequestError
from symindex.workspace.workspace import Workspace
from tests.support.files import Files, write_files

FILES: Files = {
    "bath.py": '''
def tow():
    """A towel."""
def bag(towel): pass
class Towel:
    def use(self): pass
def my_towels(): pass
def towelling(): pass
''',
    "towel/b.py": "def oar(): pass\n",
    "load/user.py": "def load(): pass\ndef user(): pass\n",
    "main.py": "def load_user(): pass\ndef user_payload(): pass\n",
    "words.py": '''
def run_tests(retested, test_case):
    """Testing."""
def newest(latest_one, tést):
    """Knows what is the latest, and protests."""
''',
}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    folder = tmp_path_factory.mktemp("boolean")
    with Workspace(write_files(folder / "tree", FILES), folder / "index") as made:
        made.refresh()
        yield made


def names(workspace: Workspace, query: str) -> list[str]:
    return [item.name for item in workspace.search(query).items]


def test_where_a_word_is_found_decides_what_it_is_worth(workspace: Workspace) -> None:
    """Matches in names rank first, whole names before others; then docs, containers, signatures and
    paths."""
    ranked_names = ["Towel", "towelling", "my_towels", "tow", "use", "bag", "oar"]
    assert names(workspace, "towel NOT elsewhere") == ranked_names
    assert names(workspace, "towel kind:function") == [
        name for name in ranked_names if name not in ("Towel", "use")
    ]


def test_with_and_every_word_counts(workspace: Workspace) -> None:
    """A name with both words ranks before a name that is one of the words and has the other one
    elsewhere."""
    assert names(workspace, "load AND user") == ["load_user", "load", "user"]


def test_with_or_the_best_word_counts(workspace: Workspace) -> None:
    """A perfect match of one word ranks before weaker matches of both."""
    assert names(workspace, "load OR user") == ["load", "user", "load_user", "user_payload"]


PROSE = {
    "doc:test": ["run_tests"],
    "doc:latest": ["newest"],
    "doc:lat": ["newest"],
    'doc:"test"': [],
    'doc:"testing"': ["run_tests"],
    'doc:"the latest"': ["newest"],
    'doc:"the lat"': [],
    "doc:te*ing": ["run_tests"],
    "doc:te*sts": [],
    "doc:*ests": ["newest"],
    "signature:test": ["newest", "run_tests"],
    "signature:test_case": ["run_tests"],
    # no word begins with it, so it may match inside words
    "signature:est": ["newest", "run_tests"],
    'signature:"est"': [],
    'signature:"test case"': ["run_tests"],
    "signature:t*d": [],
    "signature:ret*d": ["run_tests"],
}


@pytest.mark.parametrize("query", PROSE)
def test_a_word_of_prose_is_found_at_its_beginning_and_a_phrase_as_whole_words(
    query: str, workspace: Workspace
) -> None:
    assert sorted(names(workspace, query)) == PROSE[query]


@pytest.mark.parametrize("field", ["", "name:", "container:", "doc:", "signature:"])
def test_the_longest_wildcard(field: str, workspace: Workspace) -> None:
    """A wildcard of 200 bytes is accepted, and a longer one is an error."""
    assert names(workspace, f"{field}*{'é' * 199}") == []
    with pytest.raises(RequestError, match="wildcard of 201 bytes: at most 200 are read"):
        workspace.search(f"{field}*{'é' * 200}")
