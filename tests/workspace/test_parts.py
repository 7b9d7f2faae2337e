"""Parts of the workspace, called directly: what a watched tree says of itself, turns to build, names
found elsewhere, other spaces, the early walk, repairs."""

import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from symindex.errors import DamagedIndexError, RequestError, StorageError
from symindex.files.access.private_folder import PrivateFolder
from symindex.files.skips import Skip, SkipReason
from symindex.files.walk import Walk
from symindex.index.snapshot import Space
from symindex.protocol.search import SearchRequest
from symindex.search.answer.plan import make_plan
from symindex.workers.child import Cause, Exit
from symindex.workspace import build_process, companions, early_walk, elsewhere, watched_tree
from symindex.workspace.build_process import Building, CancelledError, _Step, _Turns
from symindex.workspace.companions import open_user_roots
from symindex.workspace.early_walk import EarlyStart, start_early
from symindex.workspace.elsewhere import Unfound, find_unfound, is_text, last_name, tell_excluded
from symindex.workspace.indexed_root import IndexedRoot
from symindex.workspace.left_out import check_readable, find_unreadable, unread_items, why_left_out
from symindex.workspace.repair import with_repair
from symindex.workspace.source_search import SourceSearch
from symindex.workspace.spaces import across_spaces, library_symbols, registry_search, spaces
from symindex.workspace.spaces.across_spaces import NO_SPACES, NeededSpaces, needed_spaces, parts_of
from symindex.workspace.spaces.spaces import Spaces
from symindex.workspace.watched_tree import TreeEvent, WatchedTree, WatchedTrees

resource: Any = pytest.importorskip("resource")

ROOT = Path("/r")


def _any(value: Any) -> Any:
    """Compares what a substitute returns, of whatever type."""
    return value


def tree(state: str, *, layers: Any = None, **changed: Any) -> Any:
    """A tree in a state, which is not started. layers: of its index."""
    made: Any = WatchedTree(ROOT, None)
    made.state = state
    usual = {"layers": layers, "is_refreshing": False, "walk": None, "n_repairs": 3}
    if not changed.pop("is_closed", False):
        made.indexed = SimpleNamespace(**(usual | changed.pop("indexed", {})))
    for name, value in changed.items():
        setattr(made, name, value)
    return made


INDEX = object()

STATES: list[tuple[Any, str]] = [
    (tree("opening", is_closed=True), "the index is still being built; this answer is incomplete"),
    (tree("opening", layers=INDEX), "the index is still being built; this answer is incomplete"),
    (tree("indexing"), "the index is still being built; this answer is incomplete"),
    (tree("ready", _rebuild=True), "the index is still being built; this answer is incomplete"),
    (tree("ready", _is_repairing=True), "the index is still being built; this answer is incomplete"),
    (tree("ready", indexed={"is_refreshing": True}), "the index is still being built; this answer is incomplete"),
    (tree("failed", is_closed=True, _rebuild=True), "there is no index (indexing: failed); a search finds only names that are in the files exactly as typed"),
    (tree("failed", error="why"), "there is no index (indexing: failed); a search finds only names that are in the files exactly as typed; why"),
    (tree("cancelled", error="why"), "there is no index (indexing: cancelled); a search finds only names that are in the files exactly as typed"),
    (tree("indexing", layers=INDEX), "changes since the index was made are still being read; this answer may be incomplete"),
    (tree("ready", layers=INDEX), "changes since the index was made are still being read; this answer may be incomplete"),
    (tree("ready", layers=INDEX, _watcher=SimpleNamespace(notices=["late"])), ""),
    (tree("ready", layers=INDEX, indexed={"walk": 1}), ""),
    (tree("ready", layers=INDEX, indexed={"walk": 1}, _is_late=True), "the most recent changes may be missing"),
    (tree("cancelled", layers=INDEX), "the index could not be brought up to date (indexing: cancelled); later changes may be missing"),
    (tree("failed", layers=INDEX, error="why"), "the index could not be brought up to date (indexing: failed); later changes may be missing; why"),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(STATES)))
def test_what_an_answer_says_of_an_incomplete_index(number: int) -> None:
    made, text = STATES[number]
    assert made.why_incomplete == text
    assert made.n_repairs == (3 if made.indexed is not None else 0)


def test_the_events_of_a_tree_reach_each_listener_once() -> None:
    heard: list[TreeEvent] = []
    made = tree("ready")
    made.listeners = (heard.append, heard.append)
    made._report(1, 5)
    made._report(5, 5)
    made._end("")
    made._end("again")
    assert [(event.kind, event.done, event.total) for event in heard] == [
        ("begin", 0, 5), ("report", 1, 5), ("report", 5, 5), ("end", 0, 0)
    ]  # fmt: skip
    heard.clear()
    made._fail(RequestError("why"))
    made._fail(RequestError("why"))
    made._fail(ValueError("a\nb"))
    made._fail(KeyError())
    assert [event.text for event in heard] == [
        "why", "/r: an update failed: a b", "/r: an update failed: KeyError"
    ]  # fmt: skip
    assert made.error == "/r: an update failed: KeyError"


def test_very_many_changed_files_are_left_to_another_process() -> None:
    made = tree("ready")
    made._n_tried_again = 7
    made._progress(0, 507)
    with pytest.raises(watched_tree._TooManyError) as caught:
        made._progress(0, 508)
    assert not made._wakes.is_set()
    made._fail(caught.value)
    assert made._wakes.is_set()


@pytest.mark.parametrize(
    ("soft", "hard", "limits"),
    [
        (1_024, 10_001, [10_000]),
        (1_024, 9_999, [9_999]),
        (1_024, resource.RLIM_INFINITY, [10_000]),
        (10_000, 20_000, []),
        (resource.RLIM_INFINITY, resource.RLIM_INFINITY, []),
    ],
)
def test_a_server_asks_for_ten_thousand_open_files(
    soft: int, hard: int, limits: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: (soft, hard))
    monkeypatch.setattr(resource, "setrlimit", lambda _, pair: asked.append(pair))
    watched_tree.allow_many_files()
    assert asked == [(limit, hard) for limit in limits]
    monkeypatch.setitem(sys.modules, "resource", None)
    watched_tree.allow_many_files()


def test_a_tree_is_watched_until_its_last_client_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[str] = []
    monkeypatch.setattr(WatchedTree, "start", lambda self: steps.append(f"start {self.root}"))
    monkeypatch.setattr(WatchedTree, "stop", lambda self: steps.append(f"stop {self.root}"))
    trees, one, two = WatchedTrees(), list[Any](), list[Any]()
    first = trees.take(ROOT, None, one.append)
    assert trees.take(ROOT, None, two.append) is first
    assert trees.take(ROOT, "/i", one.append) is not first
    assert trees.take(ROOT, None, one.append) is first and len(first.listeners) == 3
    trees.leave(first, one.append)
    trees.leave(first, two.append)
    assert steps == ["start /r", "start /r"]
    trees.leave(first, one.append)
    assert steps == ["start /r", "start /r", "stop /r"]
    assert trees.take(ROOT, None, one.append) is not first


class FakeSlot:
    """A process that builds: its answers, and how it ends."""

    def __init__(self, *steps: _Step, exit: Exit | None = None) -> None:
        self.steps, self.exit, self.n_closed, self.is_stopped = steps, exit, 0, False

    def ask(self, order: bytes) -> Iterator[bytes]:
        for step in self.steps:
            yield msgspec.msgpack.encode(step)

    def stop(self) -> None:
        self.is_stopped = True

    def close(self) -> None:
        self.n_closed += 1


def test_three_builds_run_at_a_time_and_a_process_is_kept_while_others_wait(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(build_process, "STEP_SECONDS", 0.005)
    made: list[Any] = []
    monkeypatch.setattr(build_process, "Slot", lambda *_, **__: made.append(FakeSlot()) or made[-1])
    turns = _Turns()
    slots: list[Any] = [turns.wait(lambda: False) for _ in range(3)]
    assert len({*map(id, slots)}) == 3
    assert turns.wait(lambda: True) is None
    got: list[Any] = []
    waiting = threading.Thread(target=lambda: got.append(turns.wait(lambda: False)))
    waiting.start()
    while not turns._n_waiting:
        time.sleep(0.001)
    turns.give_back(slots[0], True)
    waiting.join()
    assert got == [slots[0]] and slots[0].n_closed == 0
    waiting = threading.Thread(target=lambda: got.append(turns.wait(lambda: False)))
    waiting.start()
    while not turns._n_waiting:
        time.sleep(0.001)
    turns.give_back(slots[1], False)
    waiting.join()
    assert got[1] is not slots[1] and slots[1].n_closed == 1
    turns.give_back(slots[2], True)
    assert slots[2].n_closed == 1 and len(made) == 4


def building(slot: FakeSlot, monkeypatch: pytest.MonkeyPatch) -> tuple[Building, list[bool]]:
    given_back: list[bool] = []
    turns = SimpleNamespace(
        wait=lambda _: slot, give_back=lambda _, usable: given_back.append(usable)
    )
    monkeypatch.setattr(build_process, "_TURNS", turns)
    return Building(ROOT, Path("/i")), given_back


def test_a_build_reports_its_progress_and_returns_its_notices(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    build, given_back = building(
        FakeSlot(_Step(1, 9), _Step(9, 9), _Step(notices=["n"])), monkeypatch
    )
    steps: list[tuple[int, int]] = []
    assert build.run(lambda done, total: steps.append((done, total))) == ["n"]
    assert steps == [(1, 9), (9, 9)] and given_back == [True]
    build, given_back = building(FakeSlot(_Step(1, 9), _Step(error="why")), monkeypatch)
    with pytest.raises(StorageError, match=r"^why$"):
        build.run(lambda *_: None)
    assert given_back == [True]
    build, given_back = building(FakeSlot(exit=Exit(Cause.KILLED, "signal 9")), monkeypatch)
    with pytest.raises(
        StorageError, match=r"^/r: the process that makes the index ended \(signal 9\)$"
    ):
        build.run(lambda *_: None)
    assert given_back == [False]
    build, given_back = building(FakeSlot(), monkeypatch)
    assert build.run(lambda *_: None) == []


def test_a_cancelled_build_ends_its_process(monkeypatch: pytest.MonkeyPatch) -> None:
    slot = FakeSlot(_Step(1, 9), _Step(notices=["n"]))
    build, given_back = building(slot, monkeypatch)
    with pytest.raises(CancelledError):
        build.run(lambda *_: build.cancel())
    assert slot.is_stopped and given_back == [False]
    slot = FakeSlot(_Step(1, 9))
    build, given_back = building(slot, monkeypatch)
    build.cancel()
    with pytest.raises(CancelledError):
        build.run(lambda *_: pytest.fail("it has begun"))
    assert not slot.is_stopped
    monkeypatch.setattr(build_process, "_TURNS", SimpleNamespace(wait=lambda _: None))
    with pytest.raises(CancelledError):
        Building(ROOT, Path("/i")).run(lambda *_: None)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Auth.login()", "login"), ("a::b", "b"), ("a#bc", "bc"), ("a->bc", "bc"), ("a/bc", "bc"), ("a\\bc", "bc"),
        (" name ", "name"), ("two words", ""), ("x", ""), ("1x", ""), ("name*", ""), ("", ""), ("a.b c", ""),
    ],
)  # fmt: skip
def test_the_last_part_of_a_name(text: str, name: str) -> None:
    assert last_name(text) == (name if len(name) > 1 else "")


def plan_of(**fields: Any) -> Any:
    from symindex.extract.languages.registry import load_languages

    return make_plan(SearchRequest(**fields), load_languages(check=False))


def found(*names: str, total: int | None = None) -> Any:
    items = [SimpleNamespace(name=name) for name in names]
    return SimpleNamespace(items=items, total=len(names) if total is None else total)


UNFOUND: list[tuple[dict[str, Any], Any, Unfound]] = [
    ({"query": "login"}, found(), Unfound("login", True)),
    ({"query": "login"}, found("loginAll"), Unfound("login", True)),
    ({"query": "log_in"}, found("LogIn"), Unfound()),
    ({"query": "Auth.login"}, found(), Unfound("login", False)),
    ({"query": "login", "paths": ["a/**"]}, found(), Unfound("login", False)),
    ({"query": "login", "start_index": 5}, found(), Unfound()),
    ({"query": "login", "kinds": ["class"]}, found(), Unfound()),
    ({"query": "two words"}, found(), Unfound()),
]


@pytest.mark.parametrize("number", range(len(UNFOUND)))
def test_the_name_that_a_search_has_not_found(number: int) -> None:
    fields, response, unfound = UNFOUND[number]
    assert find_unfound(plan_of(**fields), response) == unfound


@pytest.mark.parametrize(
    ("fields", "total", "is_one"),
    [
        ({"query": "abc"}, 0, True),
        ({"query": " abc "}, 0, True),
        ({"query": "ab"}, 0, False),
        ({"query": "abc"}, 1, False),
        ({"query": "abc", "start_index": 1}, 0, False),
        ({"query": "abc", "kinds": ["class"]}, 0, False),
    ],
)
def test_which_texts_are_looked_for_in_files(
    fields: dict[str, Any], total: int, is_one: bool
) -> None:
    assert is_text(plan_of(**fields), found(total=total)) is is_one


@pytest.mark.parametrize(
    ("query", "seconds", "word"), [("alpha", 0.015, "alpha"), ("a b c", 0.15, "")]
)
def test_how_long_a_text_is_looked_for(
    query: str, seconds: float, word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[tuple[Any, ...]] = []
    counts = [SimpleNamespace(lines=0), SimpleNamespace(lines=1)]
    monkeypatch.setattr(
        "symindex.explore.grep.search.count_text",
        lambda *call: (calls.append(call), counts.pop(0))[1],
    )
    tree: Any = "tree"
    assert elsewhere.count_elsewhere(tree, f" {query} ", 9) is None
    assert elsewhere.count_elsewhere(tree, query, 9) is not None
    assert calls == [("tree", query, 9, seconds, word)] * 2


def test_a_name_in_an_excluded_file() -> None:
    assert tell_excluded("f", Skip("a.js", SkipReason.BINARY)) == (
        "`f` occurs in a.js, which is not in the index: binary"
    )


@pytest.mark.parametrize(
    ("names", "rest"),
    [(["a", "b", "c"], "a, b, c;"), (["a", "a", "b", "c", "d", "e"], "a, b, c and 2 more;")],
)
def test_packages_that_have_a_name(
    names: list[str], rest: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places: list[tuple[Path, Path]] = []

    def kept(folder: PrivateFolder, packages: PrivateFolder, _: str) -> list[str]:
        places.append((folder.path, packages.path))
        return names

    monkeypatch.setattr("symindex.packages.indexes.name_table.kept_packages_with", kept)
    (notice,) = elsewhere.tell_packages([PrivateFolder(tmp_path / "i")], "f")
    assert notice.startswith(
        "nothing in the project is called `f`; packages had it when they were last indexed: " + rest
    )
    assert places == [(tmp_path / "i", tmp_path / "packages")]
    names.clear()
    assert elsewhere.tell_packages([PrivateFolder(tmp_path / "i")], "f") == []


def walked(tmp_path: Path, *skips: Skip, prefix: str = "p/") -> Any:
    walk = Walk()
    walk.skips = [*skips]
    snapshot = SimpleNamespace(
        files_left_out=lambda *_: [Skip("z.py", SkipReason.UNREADABLE)], find=lambda _: None
    )
    from symindex.files.walk import FileFilter

    wanted = FileFilter(frozenset({".py"}), frozenset(), 100)
    return prefix, SimpleNamespace(root=tmp_path, walk=walk, snapshot=snapshot, wanted=wanted)


def test_what_cannot_be_read_is_listed_by_shown_paths(tmp_path: Path) -> None:
    roots = [walked(tmp_path, Skip("b.py", SkipReason.UNREADABLE), Skip("c.py", SkipReason.BINARY))]
    assert [skip.path for skip in find_unreadable(roots)] == ["p/b.py", "p/z.py"]
    assert [skip.path for skip in find_unreadable(roots, ["b.py"])] == ["p/b.py"]
    roots[0][1].walk = None
    assert [skip.path for skip in find_unreadable(roots)] == ["p/z.py"]


def test_why_a_shown_path_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "b.txt").touch()
    roots = [walked(tmp_path, prefix="other/"), walked(tmp_path)]
    assert why_left_out(roots, "p/b.txt") == Skip("p/b.txt", SkipReason.UNSUPPORTED)
    assert why_left_out(roots, "q/b.txt") is None
    check_readable(roots, "p/b.txt")
    facts = {
        3: SimpleNamespace(skip="", detail=""),
        4: SimpleNamespace(skip="unreadable", detail="d"),
    }
    index = SimpleNamespace(index=SimpleNamespace(file=facts.__getitem__))
    for number, skip in ((3, None), (4, Skip("p/x.py", SkipReason.UNREADABLE, "d"))):
        roots[1][1].snapshot.find = lambda path, number=number: (
            (index, number) if path == "x.py" else None
        )
        assert why_left_out(roots, "p/x.py") == skip
    with pytest.raises(RequestError, match=r"p/x\.py"):
        check_readable(roots, "p/x.py")


def test_folders_of_items_that_git_leaves_out_are_one_line(tmp_path: Path) -> None:
    detail = "rules, skills and other items there are not read"
    items = [Skip(name, SkipReason.IGNORED, detail) for name in ("a/", "b/")]
    assert unread_items([walked(tmp_path, *items, Skip("c", SkipReason.IGNORED))]) == [
        f"p/a/, p/b/: ignored by git's rules ({detail})"
    ]
    assert unread_items([walked(tmp_path)]) == []


class Indexes:
    """Indexes whose error shows damage, or not."""

    def __init__(self, is_damaged: bool) -> None:
        self.is_damaged, self.n_repairs = is_damaged, 0

    def repair(self, error: Exception) -> bool:
        return self.is_damaged


@pytest.mark.parametrize(
    ("error", "is_damaged", "meanwhile", "is_repeated"),
    [
        (DamagedIndexError("x"), True, False, True),
        (ValueError("x"), True, False, True),
        (IndexError("x"), False, True, True),
        (ValueError("x"), False, False, False),
        (RequestError("x"), True, False, False),
        (OSError("x"), True, True, False),
    ],
)
def test_an_error_of_a_damaged_index_leads_to_a_second_attempt(
    error: Exception, is_damaged: bool, meanwhile: bool, is_repeated: bool
) -> None:
    indexes, errors = Indexes(is_damaged), [error]

    def read() -> str:
        if errors:
            indexes.n_repairs += meanwhile
            raise errors.pop()
        return "answer"

    if is_repeated:
        assert with_repair(indexes, read) == "answer"
    else:
        with pytest.raises(type(error)):
            with_repair(indexes, read)


EVERY = frozenset((Space.USER, Space.SYSTEM))

NEEDED: list[tuple[dict[str, Any], NeededSpaces]] = [
    ({}, NO_SPACES),
    ({"scope": "skill"}, NeededSpaces(EVERY, waits_briefly=True)),
    ({"space": "all"}, NeededSpaces(EVERY, builds=True)),
    ({"space": "project"}, NO_SPACES),
    ({"space": "user"}, NeededSpaces(frozenset((Space.USER,)))),
    ({"space": "system"}, NeededSpaces(frozenset((Space.SYSTEM,)), builds=True)),
    ({"scope": "skill", "space": "system"}, NeededSpaces(EVERY, builds=True)),
    ({"scope": "skill", "space": "user"}, NeededSpaces(EVERY)),
]


@pytest.mark.parametrize("number", range(len(NEEDED)))
def test_which_spaces_a_request_needs(number: int) -> None:
    fields, needed = NEEDED[number]
    assert needed_spaces(plan_of(query="a", **fields)) == needed


class FakeSpaces:
    """The spaces of a project whose packages lack an index, some times."""

    def __init__(self, n_lacking: int, notices: list[str] | None = None) -> None:
        self.n_lacking, self.n_builds, self.waits = n_lacking, 0, list[bool]()
        self.notices = notices or []

    def environment(self) -> Any:
        packages = [
            SimpleNamespace(ecosystem="npm"),
            SimpleNamespace(ecosystem=across_spaces.HEADERS),
        ]
        return SimpleNamespace(missing=lambda: packages if self.n_lacking > 0 else [])

    def build(self, packages: list[Any], waits: bool, progress: Any) -> list[str]:
        self.n_builds += 1
        self.n_lacking -= 1
        self.waits.append(waits)
        self.n_packages = len(packages)
        return self.notices

    def parts(self, spaces: Any) -> list[Any]:
        return [self.n_builds]

    def take_notices(self) -> list[str]:
        return ["of the spaces"]


def test_packages_whose_indexes_are_deleted_meanwhile_are_built_five_times() -> None:
    needed = NeededSpaces(EVERY, builds=True)
    for n_lacking, n_builds in ((1, 1), (5, 5), (9, 5)):
        project: Any = FakeSpaces(n_lacking)
        parts, notices = _any(parts_of([project], needed, True, None))
        assert project.n_builds == n_builds and parts == [n_builds] and project.waits[0]
        lost = [
            "2 packages were not searched: another process is deleting their indexes; ask again"
        ]
        assert notices == [*(lost if n_lacking > 5 else []), "of the spaces"]
    project = FakeSpaces(9, ["told"])
    assert _any(parts_of([project], needed, False, None)) == ([1], ["told", "of the spaces"])
    assert project.waits == [False]
    briefly: Any = FakeSpaces(1)
    parts_of([briefly], NeededSpaces(EVERY, waits_briefly=True), True, None)
    assert briefly.waits == [False] and briefly.n_packages in (0, 1)
    for none in (NeededSpaces(EVERY), NeededSpaces(frozenset((Space.USER,)), builds=True)):
        project = FakeSpaces(9)
        parts_of([project], none, True, None)
        assert project.n_builds == 0


def spaces_of(tmp_path: Path, **environment: Any) -> Any:
    made: Any = Spaces(tmp_path, PrivateFolder(tmp_path / "i" / "p"))
    made._read_dependencies = lambda: SimpleNamespace(store=None, languages=None)
    made._environment = SimpleNamespace(**environment)
    return made


@pytest.mark.parametrize(
    ("n_failed", "notices"),
    [
        (0, []),
        (3, ["p0 could not be indexed: why", "p1 could not be indexed: why", "p2 could not be indexed: why"]),
        (4, ["p0 could not be indexed: why", "p1 could not be indexed: why", "p2 could not be indexed: why", "1 more packages could not be indexed: `symindex deps` says why"]),
    ],
)  # fmt: skip
def test_three_packages_that_could_not_be_indexed_are_named(
    n_failed: int, notices: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = SimpleNamespace(
        is_waiting=False, failed=[(f"p{number}", "why") for number in range(n_failed)]
    )
    monkeypatch.setattr(spaces, "build_packages", lambda *_, **__: report)
    assert spaces_of(tmp_path).build(["p"], True) == notices
    assert spaces_of(tmp_path).build([], True) == []
    report.is_waiting = True
    assert spaces_of(tmp_path).build(["p"], True) == [
        "another process is indexing packages; ask again when it has finished"
    ]

    def fail(*_: Any, **__: Any) -> None:
        raise OSError("full")

    monkeypatch.setattr(spaces, "build_packages", fail)
    assert spaces_of(tmp_path).build(["p"], True) == ["packages could not be indexed: full"]


def test_the_packages_that_may_have_a_symbol(tmp_path: Path) -> None:
    every = [SimpleNamespace(label=f"npm:p{number}@1") for number in range(12)]
    asked: list[str] = []
    made = spaces_of(
        tmp_path,
        packages=every,
        packages_of=lambda text: [(every[3], "m", "rest")] if text.startswith("m.") else [],
        packages_with=lambda name: asked.append(name) or every,
    )
    assert made.packages_for("m.f") == [every[3]]
    assert made.packages_for("x.f") == every[:8] and asked == ["f"]
    assert made.packages_for("x.") == [] and asked == ["f"]


def test_the_users_own_roots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    configuration = SimpleNamespace(home=True, user_roots=["~/notes/", "/x"])
    monkeypatch.setattr(companions, "read_configuration", lambda: configuration)
    opened: list[tuple[Path, Path, Any]] = []

    def open_root(path: Path, top: Path, values: Any = None, on_problem: Any = None) -> Any:
        assert on_problem("ignored") is None
        opened.append((path, top, values))
        return path

    top = Path("/top")
    assert [prefix for prefix, _ in open_user_roots(top, open_root)] == ["~/notes/", "/x/"]
    place = companions.home_places()[0]
    (tmp_path / place).mkdir(parents=True)
    opened.clear()
    roots: Any = open_user_roots(top, open_root)
    assert roots == [("~/", tmp_path), ("~/notes/", tmp_path / "notes"), ("/x/", Path("/x"))]
    assert opened[0][1:] == (top, {"include": [f"{place}/**"], "max_file_bytes": 1_000_000})
    configuration.home = False
    assert len(open_user_roots(top, open_root)) == 2


def test_entries_of_a_registry_become_items() -> None:
    entry: Any = SimpleNamespace(
        id="a/name", type="skill", version="1.0", title="Title", description="", size=5
    )
    file = registry_search._as_file("reg", entry)
    assert (file.path, file.size) == ("reg/skill/a/name", 5)
    (row,) = file.documents
    assert (row.name, row.signature, row.kind) == ("name", "Title", "item")
    places = (row.start_byte, row.end_byte, row.start_row, row.end_row, row.name_start)
    assert {*places, row.name_end, row.name_row, row.name_column, row.flags, file.mtime_ns} == {0}
    ((number, facts),) = file.items
    assert (number, facts.type, facts.id) == (0, "skill", "a/name")
    assert facts.fields == {"version": "1.0", "title": "Title"}


def test_a_name_is_looked_for_in_the_first_three_modules_of_a_package() -> None:
    from symindex.packages.found.reexports import MODULE_RULES, STANDARD_LIBRARY

    ecosystem = next(name for name in MODULE_RULES if name != STANDARD_LIBRARY)
    packages: Any = [
        SimpleNamespace(ecosystem=ecosystem, modules=("a", "b", "c", "d")),
        SimpleNamespace(ecosystem=STANDARD_LIBRARY, modules=("os",)),
        SimpleNamespace(ecosystem="none", modules=("x",)),
    ]
    assert library_symbols._in_modules(packages, "f") == ["a.f", "b.f", "c.f"]


def test_joined_snapshots_are_kept_until_one_of_them_changes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    joined: list[Any] = []
    monkeypatch.setattr(across_spaces, "join", lambda *parts: joined.append(parts) or len(joined))
    source: Any = None
    search: Any = SourceSearch(source)
    project, one, two = (
        object(),
        SimpleNamespace(snapshot=object()),
        SimpleNamespace(snapshot=object()),
    )
    assert search.with_spaces(project, []) is project
    assert [search.with_spaces(project, [part]) for part in (one, one, two, one)] == [1, 1, 2, 3]


class FakeWalk:
    """A walk in other processes. has_newer: whether it has met a new file."""

    def __init__(self, has_newer: bool = False) -> None:
        self.root, self.file_filter, self.has_newer, self.n_closed = ROOT, "filter", has_newer, 0

    def result(self) -> str:
        return "walk"

    def close(self) -> None:
        self.n_closed += 1


def test_an_early_walk_is_taken_once_and_for_its_root_and_filter_alone() -> None:
    wanted: Any = "filter"
    other: Any = "other"
    for root, file_filter, result in (
        (ROOT, wanted, "walk"),
        (ROOT, other, None),
        (Path("/x"), wanted, None),
    ):
        walk: Any = FakeWalk()
        early = EarlyStart(walk)
        assert early.is_walking
        assert _any(early.take_walk(root, file_filter)) == result
        assert not early.is_walking and walk.n_closed == 1
        assert early.take_walk(root, file_filter) is None
        early.close()
        assert walk.n_closed == 1
    assert not EarlyStart().is_walking


def test_a_worker_is_started_early_if_a_file_is_new(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[Any] = []

    class Worker:
        n_closed = 0

        def close(self) -> None:
            self.n_closed += 1

    monkeypatch.setattr(
        "symindex.workers.parsing.begin_spare", lambda: begun.append(Worker()) or begun[-1]
    )
    for has_newer in (False, True):
        walk: Any = FakeWalk(has_newer)
        early = EarlyStart(walk)
        early.start_worker()
        early.start_worker()
        assert len(begun) == has_newer
    early.close()
    assert begun[0].n_closed == 1 and walk.n_closed == 1 and early.take_worker() is None
    EarlyStart().start_worker()
    assert len(begun) == 1


@pytest.mark.parametrize(
    ("arguments", "can_fork", "is_started"),
    [
        (["search", "x"], True, True),
        (["symbol", "x"], True, True),
        (["outline"], True, True),
        (["index"], True, True),
        (["refs", "x"], True, True),
        (["hierarchy", "x"], True, True),
        (["grep", "x"], True, False),
        ([], True, False),
        (["search", "--no-refresh"], True, False),
        (["index", "--watch"], True, False),
        (["search", "-h"], True, False),
        (["search", "x"], False, False),
    ],
)
def test_which_commands_start_a_walk_early(
    arguments: list[str],
    can_fork: bool,
    is_started: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(early_walk, "can_fork", lambda: can_fork)
    monkeypatch.setattr(early_walk, "cached_filter", lambda *_: "filter")
    monkeypatch.setattr(early_walk, "ForkedWalk", lambda *_, **since: FakeWalk())
    root = tmp_path / "r"
    root.mkdir()
    monkeypatch.chdir(root)
    index = tmp_path / "i"
    monkeypatch.setenv("SYMINDEX_INDEX_DIR", str(index))
    from symindex.files.locations import index_folder

    index_folder(root, None).mkdir(parents=True)
    assert start_early(arguments).is_walking is is_started
    if is_started:
        assert not start_early([*arguments, "--root", str(tmp_path / "none")]).is_walking
        assert not start_early([*arguments, "--index-dir", str(tmp_path / "none")]).is_walking
        (root / "symindex.toml").write_text("wrong = 1\n")
        assert not start_early(arguments).is_walking
        (root / "symindex.toml").write_text("max_file_bytes = 5\n")
        assert start_early(arguments).is_walking
        monkeypatch.setattr(sys, "stderr", None)
        assert not start_early(arguments).is_walking
    assert os.getcwd() == str(root)


def test_a_language_that_cannot_be_read_is_left_out_with_a_notice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "grammars" / "odd").mkdir(parents=True)
    (tmp_path / "grammars" / "odd" / "language.toml").write_text("x = ")
    (tmp_path / "tree").mkdir()
    monkeypatch.setenv("SYMINDEX_GRAMMARS", str(tmp_path / "grammars"))
    with IndexedRoot(tmp_path / "tree", tmp_path / "i") as indexed:
        (notice,) = indexed.take_notices()
        assert indexed.take_notices() == []
    assert notice.startswith(f"a language is left out: {tmp_path}/grammars/odd/language.toml: ")
