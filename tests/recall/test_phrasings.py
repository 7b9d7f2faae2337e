"""Several phrasings of a question in words: each is answered as if alone, and the hits are fused."""

import itertools
import math
from collections.abc import Iterator
from typing import Any

import pytest

from symindex.errors import RequestError
from symindex.protocol.recall import TextSection
from symindex.recall.chunks import fusion
from symindex.workspace.workspace import Workspace
from tests.support.command import run
from tests.support.files import write_files

TREE = {
    "docs/limits.md": (
        "# Rate limits\n\nRequests are throttled for each user.\n\n"
        "# Retries\n\nA refused request is sent again after a pause.\n"
    ),
    "docs/login.md": "# Login\n\nA session begins, and its token is saved.\n",
    "throttle.py": (
        'class Throttle:\n    """Limits how often a user may send a request."""\n\n'
        "    def refuse(self): ...\n\n\ndef retry_later(pause): ...\n"
    ),
    "session.py": 'def save_session(token):\n    """Saves the token of a login."""\n',
}
TEXTS = ("throttled requests", "retry after a pause", "Throttle", "session token")


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    root = write_files(tmp_path_factory.mktemp("phrasings") / "tree", TREE)
    with Workspace(root, root.parent / "indexes") as made:
        made.refresh()
        made.recall("first")
        yield made


def ask(tree: Workspace, *texts: str, **fields: Any) -> TextSection:
    (section,) = tree.recall(texts[0], phrasings=[*texts[1:]], **fields).sections
    return section


def ids(section: TextSection) -> list[str]:
    return [hit.id for hit in section.items]


@pytest.mark.sample(2)
@pytest.mark.parametrize("within", ["all", "names", "text"])
def test_the_fused_order_is_that_of_the_lists_alone(tree: Workspace, within: Any) -> None:
    fields: dict[str, Any] = {"within": within, "limit": 50, "include_graph": False}
    values: dict[str, float] = {}
    finders: dict[str, list[int]] = {}
    for number, text in enumerate(TEXTS, start=1):
        for rank, hit in enumerate(ask(tree, text, **fields).items):
            value = 2 / (2 + rank) * math.sqrt(hit.score) / len(TEXTS)
            values[hit.id] = values.get(hit.id, 0.0) + value
            finders.setdefault(hit.id, []).append(number)
            assert hit.phrasings == []
    section = ask(tree, *TEXTS, **fields)
    assert section.total == len(values) == len(section.items) and not section.has_more
    along = [values[one] for one in ids(section)]
    assert all(before >= after - 1e-3 for before, after in itertools.pairwise(along)), along
    assert [hit.score for hit in section.items] == pytest.approx(along, abs=2e-3)
    assert {hit.id: hit.phrasings for hit in section.items} == finders


@pytest.mark.nightly
@pytest.mark.parametrize("block", [2, 100])
def test_pages_joined_are_the_whole(
    tree: Workspace, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fusion, "CANDIDATES", block)
    fields: dict[str, Any] = {"include_graph": False}
    whole = ask(tree, *TEXTS[:3], limit=50, **fields)
    for size in (1, 2, 3):
        paged = []
        for offset in range(0, whole.total, size):
            page = ask(tree, *TEXTS[:3], limit=size, offset=offset, **fields)
            assert page.has_more == (offset + size < whole.total)
            paged += [hit.id for hit in page.items]
        assert paged == ids(whole)


NOTICES: list[tuple[tuple[str, ...], list[str]]] = [
    (("session token", "session token"), ["phrasing 2 repeats phrasing 1"]),
    (("session token", "?!"), ["phrasing 2 is not searched: the query is without words: give 2 to 4 words to search for, or types to list"]),
    (("session token", "zzqq", " "), ["phrasing 3 is empty", "phrasing 2 matches nothing"]),
    (("zzqq", "qqzz"), ['phrasing 1: "zzqq" occurs nowhere', 'phrasing 2: "qqzz" occurs nowhere']),
    (("session token", "throtled"), ['phrasing 2: "throtled" occurs nowhere: searched for "throttled"']),
    (("", "session token"), []),
]  # fmt: skip


@pytest.mark.parametrize(("texts", "notices"), NOTICES)
def test_notices(tree: Workspace, texts: tuple[str, ...], notices: list[str]) -> None:
    section = ask(tree, *texts, within="text")
    assert [*(section.notices or [])] == notices


def test_phrasings_that_cannot_be_asked(tree: Workspace) -> None:
    with pytest.raises(RequestError, match="phrasings belong to one question"):
        tree.recall(["a", "b"], phrasings=["c"])
    with pytest.raises(RequestError, match="leave out phrasings, or the timeline"):
        tree.recall("a", phrasings=["b"], sort="timeline")
    with pytest.raises(RequestError, match="9 phrasings, with the query"):
        tree.recall("a", phrasings=[*"bcdefghi"])
    assert tree.recall("session", phrasings=[*"bcdefgh"]).total
    for given in (None, 5, "abc", [5], [None], [["a"]], [b"x"], {"x": 1}):
        with pytest.raises(RequestError, match="expected a list of strings"):
            tree.recall("session", phrasings=given)  # type: ignore[arg-type]


def test_the_command_and_the_page(tree: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree.root)
    where = ["--root", ".", "--index-dir", str(tree.root.parent / "indexes")]
    texts = ["session token", "--or", "Throttle"]
    printed = run("recall", *texts, "--no-graph", *where).out
    assert printed.startswith("# Search: `session token` and 1 other phrasing\nFound ")
    assert "`throttle.py`:1, by 2 `throttle.py#Throttle`" in printed
    assert (
        run("search", *texts, "--in", "all", *where).out.split("\n")[:2]
        == (run("recall", *texts, *where).out.split("\n")[:2])
    )
