"""What an editor asks about a place in a document, without a server: references, implementations,
hierarchies, headings among rows, positions of rows."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from symindex.editor import editor_relations
from symindex.editor.editor_positions import Match
from symindex.editor.editor_relations import Editor, NamePlace, Relations, SymbolItem
from symindex.editor.followed_workspace import FollowedWorkspace
from symindex.errors import RequestError
from symindex.protocol.search import SearchRequest
from symindex.text.editing.edit_buffer import Encoding
from symindex.workers.document_messages import Word
from tests.support.files import write_files
from tests.support.followed import follow, parse_here

SHOP = (
    "class Store:\n    def load(self):\n        return 1\n\n\n"
    "class Disk(Store):\n    def load(self):\n        return read()\n\n\n"
    "class Fast(Disk):\n    pass\n\n\ndef read():\n    return 2\n"
)
TREE: dict[str, str | bytes] = {
    "shop.py": SHOP,
    "use.py": "from shop import Disk, read\n\n\ndef twice():\n    read()\n    return read()\n\n\nread()\nDisk().load()\n",
    "other.py": "def read():\n    return 3\n\n\nread()\n",
    "tape.py": "class Tape:\n    def load(self): pass\n",
    "calls.py": "def may_be(x):\n    x.load()\n",
    "marked.py": "\ufeffdef größe(): pass\nx = '\U0001f600'; größe()\n",
    "head.h": "int plain(int);\n",
    "body.c": '#include "head.h"\nint plain(int x) { return x; }\nint user(void) { return plain(1); }\n',
    "read.rb": "def read\nend\n",
    "guide.md": "# Reading\n\n## Read a store\n\n## Stores\n\nText.\n",
}

Places = list[tuple[str, int, int, int]]


@pytest.fixture(autouse=True)
def _has_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets answers take as long as they do on a busy machine."""
    monkeypatch.setattr(editor_relations, "SECONDS", 120.0)


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FollowedWorkspace]:
    """The tree, with all files open and unchanged."""
    folder = tmp_path_factory.mktemp("followed")
    with pytest.MonkeyPatch.context() as patched:
        parse_here(patched)
        made = follow(write_files(folder / "tree", TREE), folder / "index")
        for name, text in TREE.items():
            path = folder / "tree" / name
            made.documents.open(name, path, "", str(text).removeprefix("\ufeff"))
        yield made
        made.close()


def position(needle: str, text: str = SHOP) -> tuple[int, int]:
    before = text[: text.index(needle)]
    return before.count("\n"), len(before.rpartition("\n")[2])


def places(name_places: list[NamePlace]) -> Places:
    assert all(place.start[0] == place.end[0] for place in name_places)
    return sorted((place.path, *place.start, place.end[1]) for place in name_places)


def references(workspace: FollowedWorkspace, key: str, place: tuple[int, int], all: bool) -> Places:
    return places(workspace.relate(lambda relations: relations.references(key, place, all)))


def test_references_of_a_symbol_and_of_a_name(workspace: FollowedWorkspace) -> None:
    uses = [("shop.py", 7, 15, 19), ("use.py", 0, 23, 27), ("use.py", 4, 4, 8)]
    uses += [("use.py", 5, 11, 15), ("use.py", 8, 0, 4)]
    at_definition = position("read():\n    return 2")
    assert references(workspace, "shop.py", at_definition, False) == uses
    assert references(workspace, "shop.py", at_definition, True) == sorted(
        [*uses, ("shop.py", 14, 4, 8)]
    )
    others = [("other.py", 0, 4, 8), ("other.py", 4, 0, 4)]
    assert references(workspace, "other.py", (0, 5), True) == others
    # A use means what its file imports.
    assert references(workspace, "use.py", (8, 0), True) == sorted([*uses, ("shop.py", 14, 4, 8)])
    assert references(workspace, "shop.py", (3, 0), True) == []


def defined(workspace: FollowedWorkspace, key: str, place: tuple[int, int]) -> tuple[Places, bool]:
    _, found = workspace.definitions(key, place)
    return places([*found.places, *(match.place for match in found.matches)]), found.is_bound


def test_what_a_name_means_at_a_place(workspace: FollowedWorkspace) -> None:
    assert defined(workspace, "use.py", (8, 0)) == ([("shop.py", 14, 4, 8)], True)
    assert defined(workspace, "use.py", (9, 8)) == ([("shop.py", 6, 8, 12)], True)  # `Disk().load`
    # The type of a parameter is not known: every `load` is shown.
    found, is_bound = defined(workspace, "calls.py", (1, 7))
    assert {path for path, *_ in found} == {"shop.py", "tape.py"} and not is_bound
    assert defined(workspace, "calls.py", (1, 4)) == ([("calls.py", 0, 11, 12)], True)  # its `x`
    assert references(workspace, "calls.py", (1, 4), True) == [
        ("calls.py", 0, 11, 12),
        ("calls.py", 1, 4, 5),
    ]
    assert references(workspace, "calls.py", (1, 4), False) == [("calls.py", 1, 4, 5)]
    assert defined(workspace, "use.py", (0, 6)) == ([("shop.py", 0, 0, 0)], True)  # the module
    assert defined(workspace, "use.py", (3, 1)) == ([], False)  # a keyword


def test_unsaved_text_is_what_a_name_means(workspace: FollowedWorkspace) -> None:
    texts = "from other import read\n\n\nread()\n"
    workspace.documents.open("use.py", Path(workspace.folders.all[0].root / "use.py"), "", texts)
    try:
        assert defined(workspace, "use.py", (3, 1)) == ([("other.py", 0, 4, 8)], True)
    finally:
        path = Path(workspace.folders.all[0].root / "use.py")
        workspace.documents.open("use.py", path, "", str(TREE["use.py"]))


def test_a_declaration_and_its_definition_are_one_symbol(workspace: FollowedWorkspace) -> None:
    name_places = references(workspace, "body.c", (2, 24), True)
    assert name_places == [("body.c", 1, 4, 9), ("body.c", 2, 24, 29), ("head.h", 0, 4, 9)]


@pytest.mark.sample(2)
@pytest.mark.parametrize(("name", "most"), [("a" * 1_000, 0), ("", 0), ("read", 9)])
def test_a_name_that_cannot_be_searched_for_has_no_references(
    workspace: FollowedWorkspace, name: str, most: int
) -> None:
    def find(relations: Relations) -> list[NamePlace]:
        relations._editor = Editor(lambda *_: (Word(name, [], (0, 0), (0, 1)), []), {}, "utf-8")
        return relations.references("", (0, 0), True)

    assert len(workspace.relate(find)) == most


def test_a_document_outside_of_the_folders_has_the_references_of_every_language(
    workspace: FollowedWorkspace,
) -> None:
    workspace.documents.open("far", Path("/else/far.py"), "python", "read()\n")
    try:
        files = {place[0] for place in references(workspace, "far", (0, 0), True)}
        assert files == {"shop.py", "use.py", "other.py", "read.rb"}
        files = {place[0] for place in references(workspace, "use.py", (8, 0), True)}
        assert files == {"shop.py", "use.py"}
    finally:
        workspace.documents.close("far")


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("encoding", "columns"), [("utf-8", (12, 19)), ("utf-16", (10, 15)), ("utf-32", (9, 14))]
)
def test_columns_are_in_the_units_of_the_editor(
    tmp_path: Path, encoding: Encoding, columns: tuple[int, int]
) -> None:
    made = follow(
        write_files(tmp_path / "tree", {"marked.py": TREE["marked.py"]}), tmp_path, encoding
    )
    try:
        name_end = 11 if encoding == "utf-8" else 9
        (match,) = made.rows.symbols(SearchRequest(query="größe")).matches
        assert (match.line, match.start, match.end, match.key) == (0, 4, name_end, None)
        word = Word("größe", [], (0, 4), (0, name_end))

        def find(relations: Relations) -> list[NamePlace]:
            relations._editor = Editor(lambda *_: (word, [match]), {}, encoding)
            return relations.references("", (0, 4), True)

        assert places(made.relate(find)) == [
            ("marked.py", 0, 4, name_end),
            ("marked.py", 1, *columns),
        ]
    finally:
        made.close()


def names(matches: list[Match]) -> list[str]:
    return sorted(f"{match.path}:{match.line + 1}" for match in matches)


def test_what_implements_a_type_or_overrides_a_member(workspace: FollowedWorkspace) -> None:
    def implementations(needle: str) -> list[str]:
        return names(
            workspace.relate(lambda some: some.implementations("shop.py", position(needle)))
        )

    assert implementations("Store") == ["shop.py:11", "shop.py:6"]
    assert implementations("Disk") == ["shop.py:11"]
    assert implementations("load") == ["shop.py:7"]
    assert implementations("read():\n    return 2") == []


def shown(item: SymbolItem) -> tuple[str, int, int]:
    return item.id, item.first, item.last


def test_the_symbols_at_a_place_begin_a_hierarchy(workspace: FollowedWorkspace) -> None:
    def begin(needle: str) -> tuple[list[Any], list[Any], list[str]]:
        def ask(relations: Relations) -> tuple[list[Any], list[Any], list[str]]:
            place = position(needle)
            symbols = relations.types_at("shop.py", place), relations.callables_at("shop.py", place)
            return ([shown(item) for item in symbols[0]], [shown(item) for item in symbols[1]], relations.notices)  # fmt: skip

        return workspace.relate(ask)

    types, _, notices = begin("Disk")
    assert types == [("shop.py#Disk", 5, 7)] and notices == []
    assert begin("read():\n    return 2")[:2] == ([], [("shop.py#read", 14, 15)])


def related(workspace: FollowedWorkspace, symbol_id: str, relation: Any) -> list[SymbolItem]:
    return workspace.relate(lambda relations: relations.related(symbol_id, relation))


@pytest.mark.nightly
def test_types_above_and_below(workspace: FollowedWorkspace) -> None:
    (fast,) = related(workspace, "shop.py#Disk", "subtypes")
    (store,) = related(workspace, "shop.py#Disk", "supertypes")
    assert (shown(fast), shown(store)) == (("shop.py#Fast", 10, 11), ("shop.py#Store", 0, 2))
    assert related(workspace, "shop.py#Store", "supertypes") == []
    assert fast.match is not None and (fast.match.line, fast.match.start) == (10, 6)


def test_callers_and_callees(workspace: FollowedWorkspace) -> None:
    callers = related(workspace, "shop.py#read", "callers")
    outside = [item for item in callers if item.match is None]
    assert sorted((item.id, places([*item.places])) for item in callers) == [
        ("", [("use.py", 8, 0, 4)]),
        ("shop.py#Disk.load", [("shop.py", 7, 15, 19)]),
        ("use.py#twice", [("use.py", 4, 4, 8), ("use.py", 5, 11, 15)]),
    ]
    assert [(item.first, item.last) for item in outside] == [(8, 8)]
    (callee,) = related(workspace, "shop.py#Disk.load", "callees")
    assert callee.id == "shop.py#read" and places([*callee.places]) == [("shop.py", 7, 15, 19)]
    for symbol_id in ("shop.py#Gone", "gone.py#read"):
        with pytest.raises(RequestError) as caught:
            related(workspace, symbol_id, "callers")
        assert str(caught.value) == f"{symbol_id} no longer exists: ask for its hierarchy again"


@pytest.mark.nightly
def test_a_caller_that_may_call_a_namesake_says_so(workspace: FollowedWorkspace) -> None:
    callers = {item.id: item for item in related(workspace, "tape.py#Tape.load", "callers")}
    assert callers["calls.py#may_be"].others == 2
    (read,) = [item for item in related(workspace, "shop.py#read", "callers") if item.id == "use.py#twice"]  # fmt: skip
    assert (read.others, read.is_unsure) == (0, False)


def test_a_file_that_cannot_be_read_is_reported_and_the_others_are_shown(
    workspace: FollowedWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_shown = editor_relations.read_shown

    def read(tree: Any, path: str, most_bytes: int) -> Any:
        if path == "use.py":
            raise RequestError("use.py: is locked")
        return read_shown(tree, path, most_bytes)

    monkeypatch.setattr(editor_relations, "read_shown", read)

    def ask(relations: Relations) -> tuple[list[NamePlace], list[str]]:
        name_places = relations.references("shop.py", position("read():\n    return 2"), False)
        return name_places, relations.notices

    name_places, notices = workspace.relate(ask)
    assert places(name_places) == [("shop.py", 7, 15, 19)]
    assert any("use.py" in notice for notice in notices)


def test_relations_follow_unsaved_text_and_changed_files(tmp_path: Path) -> None:
    root = write_files(
        tmp_path / "tree",
        {"a.py": "def one(): pass\ndef two(): pass\n", "b.py": "from a import one\n"},
    )
    with pytest.MonkeyPatch.context() as patched:
        parse_here(patched)
        made = follow(root, tmp_path / "index")
        try:
            made.documents.open("b", root / "b.py", "", "from a import one\nx = 1; one()\n")
            made.documents.texts.settle().result(30)
            (match,) = made.rows.symbols(SearchRequest(query="x", fuzzy=False)).matches
            assert (match.key, match.path, match.line, match.start, match.end) == (
                "b",
                "b.py",
                1,
                0,
                1,
            )
            older = made.rows.symbols(SearchRequest(query="one", fuzzy=False)).matches
            older += made.rows.symbols(SearchRequest(query="two", fuzzy=False)).matches
            (root / "a.py").write_text("\n\ndef one(): pass\n")
            made.folders.all[0].tree.indexed.refresh()  # type: ignore[union-attr]

            def ask(relations: Relations) -> tuple[list[SymbolItem], list[NamePlace]]:
                word = Word("one", [], (9, 9), (9, 9))
                relations._editor = Editor(lambda *_: (word, older), {}, "utf-16")
                return relations.callables_at("", (0, 0)), relations.references("", (0, 0), True)

            items, name_places = made.relate(ask)
            assert [shown(item) for item in items] == [("a.py#one", 2, 2)]
            assert places(name_places) == [
                ("a.py", 2, 4, 7),
                ("b.py", 0, 14, 17),
                ("b.py", 1, 7, 10),
            ]
            assert {place.path: place.key for place in name_places} == {"a.py": None, "b.py": "b"}
        finally:
            made.close()


def test_the_symbols_of_a_file_that_is_not_open(
    workspace: FollowedWorkspace, tmp_path: Path
) -> None:
    root = workspace.folders.all[0].root
    parsed = workspace.document_symbols("any", root / "shop.py")
    assert [symbol.name for symbol in parsed.file.symbols][:2] == ["Store", "load"]
    assert parsed.file.path == "shop.py"
    path = write_files(tmp_path, {"marked.py": b"\xef\xbb\xbfdef caf\xe9(): pass\n"}) / "marked.py"
    parsed = workspace.document_symbols("marked", path)
    assert parsed.file.path == "marked.py" and parsed.spots[0].name_start == (0, 4)
    assert [*workspace.documents.opened] == [*TREE]
    for key, bad, message in (
        ("untitled:1", None, "untitled:1: is neither an open document nor a file"),
        ("gone", tmp_path / "gone.py", "gone.py: cannot be read: No such file or directory"),
    ):
        with pytest.raises(RequestError) as caught:
            workspace.document_symbols(key, bad)
        assert str(caught.value) == message


def test_the_name_at_a_place_and_its_symbols(workspace: FollowedWorkspace) -> None:
    word, matches = workspace.named_at("use.py", (9, 8))
    assert (word.name, word.qualifiers) == ("load", [])
    assert {match.name for match in matches} == {"load"}
    word, matches = workspace.named_at("other.py", (4, 2))
    assert matches[0].path == "other.py" and word.end == (4, 4)
    assert workspace.named_at("use.py", (1, 0))[1] == []
    with pytest.raises(RequestError, match="is not open"):
        workspace.named_at("gone", (0, 0))


def rows(workspace: FollowedWorkspace, query: str, limit: int | None = None) -> list[str]:
    request = SearchRequest(query=query, max_items=limit)
    return [name for name, _, _ in workspace.rows.find(request)[0]]


def test_headings_among_rows(workspace: FollowedWorkspace) -> None:
    assert rows(workspace, "sto") == ["Store", "Stores", "Read a store"]
    assert rows(workspace, "st")[0] == "Store" and "Stores" not in rows(workspace, "st")
    every = rows(workspace, "read")
    assert every[-2:] == ["Read a store", "Reading"] or every[-2:] == ["Reading", "Read a store"]
    assert every[:-2] == ["read"] * 3
    for limit in range(1, 7):
        assert rows(workspace, "read", limit) == every[:limit]


def test_headings_precede_weaker_names_in_a_list_of_any_length(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parse_here(monkeypatch)
    weaker = "".join(f"def open_{letter}(): pass\n" for letter in "abc")
    tree = {"a.py": f"def open_file(): pass\n{weaker}", "a.md": "# Open file\n\n# Open file now\n"}
    workspace = follow(write_files(tmp_path / "tree", tree), tmp_path / "index")
    try:
        every = rows(workspace, "open file")
        assert every[0] == "open_file" and {*every[1:3]} == {"Open file", "Open file now"}
        assert len(every) == 6
        for limit in range(1, 7):
            assert rows(workspace, "open file", limit) == every[:limit]
    finally:
        workspace.close()


def test_a_half_typed_query_has_the_rows_of_its_finished_part(workspace: FollowedWorkspace) -> None:
    assert rows(workspace, "Disk OR ") == ["Disk"]
    assert rows(workspace, "(") == [] and workspace.rows.find(SearchRequest(query="("))[1]
    with pytest.raises(RequestError):
        rows(workspace, "x" * 100_000)


def test_warming_up_asks_everything_once(
    workspace: FollowedWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[SearchRequest] = []
    find = workspace.rows.find

    def note(request: SearchRequest) -> Any:
        asked.append(request)
        return find(request)

    monkeypatch.setattr(workspace.rows, "find", note)
    workspace.rows.warm_up()
    assert len({request.query for request in asked}) == len(asked) > 3
    assert asked[-1].query == "" and all(request.max_items for request in asked)


def test_a_short_query_shows_varied_rows(tmp_path: Path) -> None:
    """Of many similar names, one to three letters show some of each kind; more show the best."""
    names = [f"{word}_{number}" for word in ("pa", "pb", "pc") for number in range(30)]
    source = "".join(f"def {name}(): pass\n" for name in names)
    made = follow(write_files(tmp_path / "tree", {"a.py": source}), tmp_path / "index")
    try:
        short = made.rows.symbols(SearchRequest(query="p", max_items=12)).matches
        assert len(short) == 12 and {match.name[:2] for match in short} == {"pa", "pb", "pc"}
        assert len(made.rows.symbols(SearchRequest(query="p", max_items=None)).matches) == 90
        longer = made.rows.symbols(SearchRequest(query="pa_1", max_items=3))
        assert longer.matches[0].name == "pa_1" and longer.complete
        rows, is_complete = made.rows.find(SearchRequest(query="pb_", max_items=7))
        assert is_complete and len(rows) == 7 and all(row[0].startswith("pb_") for row in rows)
    finally:
        made.close()
