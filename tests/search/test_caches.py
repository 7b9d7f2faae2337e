"""Whatever was asked before, an answer is that of somebody who asks for the first time.

The requests differ in one option each, so that a cache whose key lacks an option answers wrongly.
"""

import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final
from weakref import WeakKeyDictionary

import msgspec
import pytest

from symindex.editor import odd_places
from symindex.index.snapshot import Snapshot
from symindex.search.answer import items
from symindex.search.answer.filters import Filter
from symindex.search.names import shadows
from symindex.search.names.headings import find_headings
from symindex.search.words import item_weights, word_cache
from symindex.workspace.workspace import Workspace
from tests.support.caches import RecordingMemo, caches
from tests.support.files import write_files

FILES: Final = {
    "src/shop/book.py": "class Book:\n    '''A book for sale.'''\n    def price(self): pass\n    def load_book(self): pass\n",
    "src/shop/cart.py": "from shop.book import Book\nclass Cart(Book):\n    '''Loads what is sold.'''\n    def load(self, book): return Book().price()\n    def price_of(self): pass\n",
    "src/shop/loader.py": "def load(path):\n    '''Load a book -> a cart.'''\ndef load_all(): return load(1)\nLOAD = 1\n",
    "src/shop/internal/load.py": "def load(): pass\ndef _hidden_load(): pass\n",
    "tests/test_load.py": "from shop.loader import load\ndef test_load(): load(2)\n",
    "examples/load.py": "def load_example(): pass\n",
    "lib/shape.h": "struct Shape;\nint area(struct Shape *s);\n",
    "lib/shape.c": "struct Shape { int side; };\nint area(struct Shape *s) { return s->side; }\n",
    "lib/base.ts": "export interface Loader { load(): void }\nexport class Fast implements Loader { load() {} }\n",
    "data/book.json": '{"book": {"load": 1, "price": 2}}\n',
    "go.mod": "module example.com/a/shop\n\ngo 1.21\n",
    "sell.go": "package shop\n\nfunc Sell() {}\n",
    "docs/load.md": "# Load a book\n\nHow to load, and the price of it.\n\n## Operators\n\n`->` loads.\n",
    ".claude/skills/loading/SKILL.md": "---\nname: loading\ndescription: Load a book\n---\n# Loading\n\nPrices.\n",
    ".claude/skills/selling/SKILL.md": "---\nname: selling\ndescription: Sell\n---\n# Selling\n\nLoad books.\n",
}

CHANGED: Final = {
    "src/shop/loader.py": FILES["src/shop/loader.py"] + "def load_more(): pass\n",
    "src/shop/new.py": "class Loader:\n    def load(self): pass\n",
}


def _search(query: str, **fields: Any) -> Callable[[Workspace], object]:
    return lambda tree: tree.search(query, include=["score", "signature"], **fields)


def _headings(tree: Workspace, text: str) -> list[int]:
    documents = tree.source.view().snapshot.documents
    return find_headings(documents, text, Filter(), None).tolist()


REQUESTS: Final[Mapping[str, Callable[[Workspace], object]]] = {
    "a name": _search("load"),
    "another case": _search("Load"),
    "upper case": _search("LOAD"),
    "facets": lambda tree: tree.search("load", include=["facets"]),
    "a kind": _search("load", kinds=["function"]),
    "another kind": _search("load", kinds=["method"]),
    "a language": _search("load", languages=["python"]),
    "another language": _search("load", languages=["typescript"]),
    "a path": _search("load", paths=["src/**"]),
    "a path left out": _search("load", paths=["src/**", "!**/internal/**"]),
    "another path": _search("load", paths=["tests/**"]),
    "only strong tiers": _search("loda", fuzzy=False),
    "weak tiers": _search("loda", fuzzy=True),
    "one edit": _search("loda", fuzzy={"enabled": True, "max_distance": 1}),
    "two edits": _search("loda", fuzzy={"enabled": True, "max_distance": 2}),
    "whole words": _search("load", whole_words=True),
    "a phrase": _search('"load a book"'),
    "another phrase": _search('"a book for"'),
    "a text of signs": _search('"->"'),
    "a text of one field": _search('doc:"->"'),
    "words": _search("load the book"),
    "other words": _search("price of the book"),
    "phrasings": _search("load the book", phrasings=["open a volume"]),
    "words in a field": _search("doc:load"),
    "words in another field": _search("path:load"),
    "words near each other": _search(
        "load AND book", proximity={"enabled": True, "max_distance": 1}
    ),
    "words farther apart": _search("load AND book", proximity={"enabled": True, "max_distance": 9}),
    "a qualifier": _search("shop/load"),
    "another qualifier": _search("book/load"),
    "a container": _search("Cart.load"),
    "members": _search("Cart."),
    "a separator": _search("_"),
    "a declaration": _search("lib/Shape"),
    "a place": _search("shop.loader.load"),
    "everything": _search(""),
    "everything of a kind": _search("kind:class"),
    "by name": _search("load", sort_by="name"),
    "by date": _search("load", sort_by="date"),
    "sections": _search("load", type="section"),
    "items": _search("load", type="item"),
    "all items": _search("", type="item"),
    "anything": _search("load", type="all"),
    "a title": _search("title:loading", type="item"),
    "content": _search("content:prices", type="item"),
    "a filter": _search("", type="item", filters={"name": "selling"}),
    "a small page": _search("load", max_items=2),
    "the next page": _search("load", max_items=2, start_index=2),
    "references": lambda tree: tree.references("load"),
    "references of a place": lambda tree: tree.references("src/shop/loader.py#load"),
    "callers": lambda tree: tree.hierarchy("price", direction="callers"),
    "a symbol": lambda tree: tree.symbol("load"),
    "a map": lambda tree: tree.map(),
    "a map of a folder": lambda tree: tree.map("src/shop"),
    "a map with a focus": lambda tree: tree.map(focus=["Cart"]),
    "a module": _search("example.com/a/shop.Sell"),
    "headings": lambda tree: _headings(tree, "load"),
    "other headings": lambda tree: _headings(tree, "op"),
    "a fetch": lambda tree: tree.fetch("loading"),
}

_TABLES: Final[list[WeakKeyDictionary[Any, Any]]] = [
    odd_places._CACHE,
    items._BY_PLACE,
    shadows._KNOWN,
    item_weights._KNOWN,
    word_cache._KEPT,
]


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """A tree with an index and an overlay."""
    top = tmp_path_factory.mktemp("caches")
    write_files(top / "tree", FILES)
    write_files(top / "tree", {f"more/m{n}.py": f"def thing{n}(): pass\n" for n in range(30)})
    with Workspace(top / "tree", top / "index") as workspace:
        workspace.refresh()
        write_files(top / "tree", CHANGED)
        workspace.refresh()
        assert len(workspace.source.view().snapshot.parts) > 1, "there is no overlay"
        yield workspace


def _snapshots(tree: Workspace) -> list[Snapshot]:
    snapshot = tree.source.view().snapshot
    return [snapshot, snapshot.documents, snapshot.everything]


def forget(tree: Workspace, hits: set[str] | None = None) -> None:
    """Empties every memo and table. hits: records from now on which functions find something."""
    tree.source.recent.clear()
    for snapshot in _snapshots(tree):
        snapshot.memo = RecordingMemo(hits) if hits is not None else {}
        for part in snapshot.parts:
            part.index.memo = RecordingMemo(hits) if hits is not None else {}
            part.index.kept = RecordingMemo(hits) if hits is not None else {}
    for table in _TABLES:
        table.clear()


def ask(tree: Workspace, name: str) -> bytes:
    tree.source.recent.clear()  # what was shown before is meant to count
    return msgspec.json.encode(REQUESTS[name](tree))


@pytest.fixture(scope="module")
def first_answers(tree: Workspace) -> dict[str, bytes]:
    answers = {}
    for name in REQUESTS:
        forget(tree)
        answers[name] = ask(tree, name)
    return answers


@pytest.mark.sample(2)
@pytest.mark.slow
@pytest.mark.parametrize("order", ["as listed", "backwards", "shuffled"])
def test_an_answer_does_not_depend_on_what_was_asked_before(
    tree: Workspace, first_answers: dict[str, bytes], order: str
) -> None:
    names = [*REQUESTS]
    if order == "backwards":
        names.reverse()
    if order == "shuffled":
        random.Random(44).shuffle(names)
    forget(tree)
    for name in names:
        assert ask(tree, name) == first_answers[name], name


@pytest.mark.nightly
def test_the_requests_use_every_memo(tree: Workspace) -> None:
    """Otherwise the requests say nothing about a key."""
    hits: set[str] = set()
    forget(tree, hits)
    for _ in range(2):
        for name in REQUESTS:
            ask(tree, name)
    users = {cache.name for cache in caches() if cache.kind == "memo"} - OTHERS
    unused = {user for user in users if not any(f"{hit}.".startswith(f"{user}.") for hit in hits)}
    assert not unused, sorted(unused)


OTHERS: Final = {
    # They have another `kept`: a number of files or of objects.
    "fleet.stored.gc:collect",
    "serve.cli.commands.fleet:gc",
    "index.changes:_compare_alike",
    "index.changes:_compare_some",
    "index.update:IndexUpdater._apply",
    # What a source keeps is asked for by `tests/workspace/test_caches.py`.
    "workspace.answers:_RecallSource.lookups",
    "workspace.source_search:SourceSearch._contents",
    "workspace.source_search:SourceSearch.with_spaces",
    # They pass the memo on to others.
    "search.answer.fused_phrasings:FusedPhrasings.selection",
    "search.answer.execute:_select_name",
    "search.answer.execute:select",
    "search.language.qualifiers:_Parts.__init__",
    "search.names.heads:_reordered",
    "search.names.centrality:_distinct_hashes",
    # Their key is constant, or the checksum of the base, and they need an index of very many names,
    # a later overlay, or a module that no symbol is in.
    "search.match.bulk:_squashed_lengths",
    "index.overlay:_FileOrder.of_overlay",
    "search.language.choose_reading:_modules",
    # They make the memos.
    "index.columns.columns:Index.__init__",
    "index.snapshot:Snapshot.__init__",
    "workspace.source_search:SourceSearch.__init__",
}
