"""Where answers come from: which view answers first, how long a source waits, a source at one
moment, what a watched tree does with changes."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import msgspec
import pytest

from symindex.errors import DamagedIndexError, RequestError, StorageError
from symindex.files.access.private_folder import PrivateFolder
from symindex.index.snapshot import Snapshot
from symindex.protocol.freshness import CACHED, CURRENT, CURRENT_OR_SCAN, IMMEDIATE, SOON, Freshness
from symindex.settings import DEFAULTS
from symindex.workspace import build_process, watched_tree
from symindex.workspace.answer_source import AnswerSource, OneMoment, View
from symindex.workspace.answers import _RecallSource
from symindex.workspace.build_process import CancelledError, _Step
from symindex.workspace.daemon_view import SETTLE_SECONDS, FollowedRoot
from symindex.workspace.indexed_root import IndexedRoot
from symindex.workspace.root_source import RootSource
from symindex.workspace.spaces import spaces
from symindex.workspace.spaces.spaces import Spaces
from symindex.workspace.watched_tree import WatchedTree
from tests.support.files import Maker, write_files
from tests.support.waiting import until

ROOT = Path("/r")


def view(**fields: Any) -> View:
    return View(Snapshot([], 0), **fields)


class Source(AnswerSource):
    """A source that notes what is asked of it. views: without an index; later: the views that
    follow each other."""

    def __init__(
        self, *unindexed: View, stored: View | None = None, later: tuple[View, ...] = ()
    ) -> None:
        self.unindexed, self.stored, self.later = unindexed, stored, [*later]
        self.steps: list[Any] = []
        self.n_repairs_now = 0

    languages = walked = spaces = index_folders = all_settings = folders_by_prefix = ()  # type: ignore[assignment]

    def recalled(self) -> Iterator[Any]:
        return iter(["recalled"])

    def view(self) -> View:
        self.steps.append("view")
        return self.later.pop(0) if len(self.later) > 1 else self.later[0]

    def tree_of(self, view: View) -> Any:
        self.steps.append("tree")
        return SimpleNamespace(_replace=lambda recent: (view, recent))

    def unindexed_views(self, plan: Any, freshness: Freshness) -> Iterator[View]:
        yield from self.unindexed

    def on_unindexed_answer(self) -> None:
        self.steps.append("unindexed answer")

    def stored_view(self) -> View | None:
        return self.stored

    def bring_up_to_date(self, freshness: Freshness, progress: Any = None) -> bool:
        self.steps.append(freshness)
        return False

    def wait_for_changes(self) -> None:
        self.steps.append("waited")

    def on_written(self, path: Path) -> None:
        self.steps.append(path)

    def take_notices(self) -> list[str]:
        return ["a notice"]

    def why_empty(self, plan: Any, view: View) -> list[str]:
        return ["why"]

    def repair(self, error: Exception) -> bool:
        self.n_repairs_now += 1
        return self.n_repairs_now == 1

    @property
    def n_repairs(self) -> int:
        return self.n_repairs_now


PLAN: Any = None


def first_answer(
    source: Source, has_answer: Callable[[View], bool], freshness: Freshness = IMMEDIATE
) -> tuple[View, list[View]]:
    """Returns the view whose answer is given, and those that were tried."""
    tried: list[View] = []

    def answer(some: View) -> View | None:
        tried.append(some)
        return some if has_answer(some) or some.is_last else None

    return source.first_answer(PLAN, freshness, answer), tried


def test_the_first_view_without_an_index_that_has_an_answer_gives_it() -> None:
    one, two, last = view(why_partial="1"), view(why_partial="2"), view()
    source = Source(one, two, later=(last,))
    assert first_answer(source, lambda some: some.why_partial == "2") == (two, [one, two])
    assert source.steps == ["unindexed answer"]
    source = Source(one, later=(last,))
    chosen_view, tried = first_answer(source, lambda some: not some.why_partial)
    assert len(tried) == 2 and source.steps == [IMMEDIATE, "view"]
    assert chosen_view.missing == () and not chosen_view.is_last


def test_an_empty_answer_is_final_after_changes_were_waited_for() -> None:
    source = Source(later=(view(missing=["x"]), view(missing=["y"])))
    chosen_view, tried = first_answer(source, lambda _: False)
    assert chosen_view.is_last and chosen_view.missing == () and len(tried) == 2
    assert [some.is_last for some in tried] == [False, True]
    assert source.steps == [IMMEDIATE, "view", "waited", "view"]
    source = Source(later=(view(missing=["x"]),))
    chosen_view, tried = first_answer(source, lambda _: False, SOON)
    assert len(tried) == 1 and tried[0].is_last and chosen_view.missing == ()
    assert source.steps == [SOON, "view"]


def test_the_stored_index_answers_if_it_is_still_the_current_one() -> None:
    stored = view()
    same, other = View(stored.snapshot), view()
    source = Source(stored=stored, later=(same,))
    assert first_answer(source, lambda _: True)[1] == [stored]
    source = Source(stored=stored, later=(other,))
    chosen_view, tried = first_answer(source, lambda _: True)
    assert len(tried) == 2 and chosen_view.snapshot is other.snapshot
    source = Source(stored=stored, later=(same,))
    chosen_view, tried = first_answer(source, lambda some: some is not stored)
    assert len(tried) == 2 and chosen_view.snapshot is same.snapshot

    def fails_once(some: View) -> bool:
        if some is stored:
            raise ValueError("damaged")
        return True

    source = Source(stored=stored, later=(same,))
    assert len(first_answer(source, fails_once)[1]) == 2


def test_a_damaged_index_is_read_again() -> None:
    source, errors = Source(later=(view(),)), [DamagedIndexError("x")]

    def has_answer(_: View) -> bool:
        if errors:
            raise errors.pop()
        return True

    assert len(first_answer(source, has_answer)[1]) == 2


def test_what_a_source_has_by_default() -> None:
    source = Source(later=(view(),))
    assert source.why_incomplete() == [] and AnswerSource.stored_view(source) is None
    source.catch_up()
    assert source.steps == [CURRENT]
    for number in range(7):
        source.recent.appendleft(str(number))
    assert [*source.recent] == ["6", "5", "4", "3", "2"]
    assert source.file_limits == (DEFAULTS.max_file_bytes, DEFAULTS.file_seconds)
    some = SimpleNamespace(max_file_bytes=5, file_seconds=9.0)
    other = SimpleNamespace(max_file_bytes=7, file_seconds=2.0)
    source.all_settings = [some, other]  # type: ignore[assignment]
    assert source.file_limits == (7, 9.0)
    source.folders_by_prefix = {"a/": (Path("/a"), None)}  # type: ignore[assignment]
    assert source.folder_paths == [Path("/a")]


def test_which_paths_are_folders_and_how_they_are_shown(make_workspace: Maker) -> None:
    workspace = make_workspace({"src/a.py": "a = 1\n"})
    source, root = workspace.source, workspace.root
    assert [source.is_folder(path) for path in ("", ".", "src", "src/", str(root), "a.py", "src/a.py", "none")] == [
        True, True, True, True, True, False, False, False,
    ]  # fmt: skip
    with pytest.raises(RequestError, match="leads out of the root"):
        source.is_folder("../..")
    globs = ["src/**", f"{root}/src/**", f"!{root}/src/a.py", "!b"]
    assert source.shown_paths(globs) == ["src/**", "src/**", "!src/a.py", "!b"]
    empty = Source(later=(view(),))
    empty.folders_by_prefix = {}  # type: ignore[assignment]
    assert not empty.is_folder("") and not empty.is_folder("a")
    empty.folders_by_prefix = {"a/": (root, None), "b/": (root, None)}  # type: ignore[assignment]
    assert [empty.is_folder(path) for path in ("", "a", "a/src", "c")] == [True, True, True, False]


def test_a_source_at_one_moment_stays_as_it_was() -> None:
    first, second = view(), view()
    source = Source(later=(second,))
    source.recent.appendleft("seen")
    moment: Any = OneMoment(source, first)
    assert moment.view() is first and moment.recent is source.recent
    assert moment.tree() == (first, ("seen",)) and moment.tree() == (first, ("seen",))
    assert source.steps == ["tree"]
    moment.bring_up_to_date(CURRENT)
    moment.wait_for_changes()
    moment.on_unindexed_answer()
    assert source.steps == ["tree"]
    assert [*moment.unindexed_views(PLAN, CURRENT)] == []
    assert (moment.walked, moment.index_folders, moment.spaces) == ((), (), ())
    assert (moment.languages, moment.all_settings, moment.folders_by_prefix) == ((), (), ())
    assert (moment.take_notices(), moment.why_empty(PLAN, first), moment.n_repairs) == ([], [], 0)
    assert moment.repair(ValueError()) is False and moment.stored_view() is None
    assert [*moment.recalled()] == ["recalled"]
    moment.on_written(ROOT)
    assert source.steps == ["tree", ROOT]
    moment.catch_up()
    assert moment.view() is second and moment.tree() == (second, ("seen",))


@pytest.mark.parametrize(
    ("missing", "is_last", "is_kept"),
    [((), True, True), (("x",), True, False), ((), False, False)],
)
def test_lookups_of_a_question_are_at_one_moment_if_nothing_more_can_come(
    missing: Any, is_last: bool, is_kept: bool
) -> None:
    source = Source(later=(view(missing=missing, is_last=is_last),))
    source.plan = None  # type: ignore[assignment, method-assign]
    answers: Any = SimpleNamespace(_searcher=SimpleNamespace(kept="kept"))
    recall: Any = _RecallSource(answers, source)
    lookups = recall.lookups
    assert (lookups is not answers) is is_kept
    if is_kept:
        assert recall.lookups is lookups and lookups._searcher.kept == "kept"
        recall.bring_up_to_date(CACHED)
        assert recall.lookups is not lookups
    assert recall.unread_items == []


class Indexed:
    """An indexed root that notes what is asked of it."""

    def __init__(self, **values: Any) -> None:
        self.root, self.is_current, self.any_layers = ROOT, False, None
        self.steps: list[str] = []
        self.wanted = self.rules = self.place = self.languages = self.companions = None
        self.settings = SimpleNamespace(file_seconds=2.0)
        self.early = SimpleNamespace(
            end_walk=lambda: self.steps.append("walk ended"), is_walking=False
        )
        self.__dict__ |= values

    def load_any(self) -> Any:
        self.steps.append("loaded")
        return self.any_layers

    def refresh_for_answers(self, progress: Any) -> None:
        self.steps.append("refreshed")


def root_source(**values: Any) -> tuple[RootSource, Any]:
    indexed: Any = Indexed(**values)
    return RootSource(indexed), indexed


@pytest.mark.parametrize(
    ("freshness", "values", "is_large", "n_views"),
    [
        (CURRENT_OR_SCAN, {}, True, 1),
        (CURRENT_OR_SCAN, {}, False, 0),
        (CURRENT_OR_SCAN, {"is_current": True}, True, 0),
        (CURRENT_OR_SCAN, {"any_layers": 1}, True, 0),
        (CURRENT, {}, True, 0),
    ],
)
def test_a_large_tree_without_an_index_is_scanned_if_the_request_cannot_wait(
    freshness: Freshness,
    values: dict[str, Any],
    is_large: bool,
    n_views: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("symindex.search.unindexed.before_index.is_large", lambda *_: is_large)
    scans: list[Any] = [(Snapshot([], 0), "a part"), None]
    monkeypatch.setattr(
        "symindex.search.unindexed.before_index.scan_for_reader", lambda *_: scans.pop(0)
    )
    source, indexed = root_source(**values)
    views = [*source.unindexed_views(PLAN, freshness)]
    assert [some.why_partial for some in views] == ["a part"] * n_views
    assert not any(some.is_last for some in views)
    if n_views:
        assert indexed.steps == ["loaded", "walk ended"]
        assert [*source.unindexed_views(PLAN, freshness)] == []


def test_when_a_root_is_refreshed_and_its_stored_index_used() -> None:
    source, indexed = root_source(is_current=True, any_layers=SimpleNamespace(snapshot="stored"))
    source.bring_up_to_date(CACHED)
    assert indexed.steps == [] and source.stored_view() is None
    source.bring_up_to_date(CURRENT)
    indexed.is_current = False
    source.bring_up_to_date(CACHED)
    assert indexed.steps == ["refreshed", "refreshed"]
    indexed.early.is_walking = True
    stored = source.stored_view()
    assert stored is not None and stored.snapshot == "stored" and not stored.is_last  # type: ignore[comparison-overlap]
    indexed.any_layers = None
    assert source.stored_view() is None
    indexed.snapshot = "now"
    assert source.view() == View("now", is_last=True)  # type: ignore[arg-type]


def watched(state: Any = "ready", **indexed: Any) -> WatchedTree:
    tree = WatchedTree(ROOT, None)
    tree.state = state
    tree.indexed = SimpleNamespace(**({"walk": 1, "layers": None} | indexed))  # type: ignore[assignment]
    return tree


@pytest.mark.parametrize(
    ("is_prompt", "is_cheap", "settles", "is_late"),
    [
        (True, False, True, False),
        (False, True, True, False),
        (False, False, True, True),
        (True, True, False, True),
    ],
)
def test_an_answer_says_that_changes_are_late(
    is_prompt: bool, is_cheap: bool, settles: bool, is_late: bool
) -> None:
    waits: list[float] = []
    tree = watched(settle=lambda seconds: bool(waits.append(seconds)) or settles, layers=1)
    tree._watcher = SimpleNamespace(is_prompt=is_prompt, is_cheap=is_cheap, notices=[])  # type: ignore[assignment]
    tree.settle(0.5)
    assert (tree.why_incomplete == "the most recent changes may be missing") is is_late
    assert waits == ([0.5] if is_prompt or is_cheap else [])


def test_what_is_not_followed_does_not_settle() -> None:
    def fail(_: float) -> bool:
        raise AssertionError

    for state, walk, has_watcher in (
        ("indexing", 1, True),
        ("ready", None, True),
        ("ready", 1, False),
    ):
        tree = watched(state, walk=walk, settle=fail)
        if has_watcher:
            tree._watcher = SimpleNamespace(is_prompt=True, is_cheap=True, notices=[])  # type: ignore[assignment]
        tree.settle(0.5)
        assert not tree._is_late

    def gone(_: float) -> bool:
        raise RequestError("the root is gone")

    tree = watched(settle=gone)
    tree._watcher = SimpleNamespace(is_prompt=True, is_cheap=True, notices=[])  # type: ignore[assignment]
    tree.settle(0.5)
    assert tree.error == "the root is gone"


def test_reported_changes_are_read_once_the_tree_is_ready() -> None:
    refreshed: list[set[str]] = []
    may_end = threading.Event()

    def refresh(_progress: object, paths: set[str]) -> None:
        refreshed.append({*paths})
        if len(refreshed) == 1:
            may_end.wait(10)
        if "b" in paths:
            raise StorageError("no room")

    tree = watched("indexing", refresh=refresh)
    tree.report_changes(["a"])
    assert not tree.has_reported_changes and refreshed == []
    tree.state = "ready"
    tree.report_changes([])
    assert tree.has_reported_changes
    until(lambda: refreshed)
    tree.report_changes(["b", "c"])
    updater = tree._updater
    assert updater is not None and updater.daemon
    may_end.set()
    updater.join(10)
    assert refreshed == [{"a"}, {"b", "c"}] and not tree.has_reported_changes
    assert tree.error == "no room"
    tree.report_changes([])
    assert not tree.has_reported_changes
    tree._stopped.set()
    tree.report_changes(["d"])
    if tree._updater is not None:
        tree._updater.join(10)
    assert len(refreshed) == 2


def test_a_damaged_index_of_a_tree_is_rebuilt_and_told() -> None:
    messages: list[str] = []
    states: list[bool] = []
    tree: WatchedTree = watched(
        repair=lambda _: bool(states.append(tree.is_being_built)) or True, is_refreshing=False
    )
    tree.listeners = (lambda event: messages.append(f"{event.kind} {event.text}"),)
    assert tree.repair(ValueError()) and states == [True]
    assert messages == ["notice /r: the index was damaged, and is being rebuilt"]
    assert tree._rebuild and tree._wakes.is_set()
    tree = watched(repair=lambda _: False, is_refreshing=False)
    assert not tree.repair(ValueError()) and not tree._rebuild and not tree.is_being_built
    tree.indexed = None
    assert not tree.repair(ValueError())


class Build:
    """Builds of a tree, with what each ends with."""

    ends: ClassVar[list[Any]] = []
    made: ClassVar[list[tuple[Path, Path, bool]]] = []

    def __init__(self, root: Path, folder: Path, rebuild: bool) -> None:
        self.made.append((root, folder, rebuild))

    def run(self, progress: Any) -> list[str]:
        progress(1, 2)
        end = self.ends.pop(0)
        if isinstance(end, Exception):
            raise end
        return end

    def cancel(self) -> None:
        self.ends.append("cancelled")


@pytest.mark.parametrize(
    ("end", "state", "events"),
    [
        (["a notice"], "ready", ["begin", "report", "notice a notice", "ready"]),
        (CancelledError(), "cancelled", ["begin", "report", "end cancelled"]),
        (StorageError("why"), "failed", ["begin", "report", "error why", "end failed"]),
    ],
)
def test_how_a_build_ends(
    end: Any, state: str, events: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watched_tree, "Building", Build)
    monkeypatch.setattr(Build, "ends", [end])
    monkeypatch.setattr(Build, "made", [])
    heard: list[str] = []
    indexed: Any = SimpleNamespace(folder=Path("/i/r"), load=lambda: None, layers=None)
    tree = watched()
    tree.listeners = (lambda event: heard.append(f"{event.kind} {event.text}".strip()),)
    tree._rebuild, tree.error = True, "an older one"
    tree._build(indexed)
    assert (tree.state, heard) == (state, events)
    assert Build.made == [(ROOT, Path("/i"), True)] and not tree._rebuild
    assert tree._building is None
    assert tree.error == (
        "" if state == "ready" else "why" if state == "failed" else "an older one"
    )
    tree._stopped.set()
    tree._build(indexed)
    assert tree.state == "cancelled" and heard == events


def test_a_fault_in_a_tree_is_told_and_ends_the_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    tree = watched()
    tree._rebuild = True

    def fail() -> None:
        raise KeyError

    monkeypatch.setattr(tree, "_follow", fail)
    with pytest.raises(KeyError):
        tree._run()
    assert tree.state == "failed" and tree.error == "/r: is no longer watched (KeyError)"
    assert not tree._rebuild
    assert tree._thread.daemon


def test_a_tree_that_cannot_be_opened_is_tried_every_two_seconds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []

    class Stopped(threading.Event):
        def wait(self, seconds: float | None = None) -> bool:
            waits.append(seconds or 0.0)
            if len(waits) == 1:
                (tmp_path / "late").symlink_to(write_files(tmp_path / "other", {"a.py": ""}))
            else:
                (tmp_path / "late").unlink(missing_ok=True)
                (tmp_path / "late").mkdir(exist_ok=True)
            return False

    tree = WatchedTree(tmp_path / "late", str(tmp_path / "i"))
    tree._stopped = Stopped()
    heard: list[str] = []
    tree.listeners = (lambda event: heard.append(event.text),)
    indexed = tree._open()
    assert indexed is not None and indexed is tree.indexed and waits == [2.0, 2.0]
    assert "late" in heard[0] and heard[1].endswith(
        "late: has become a link, which is not followed: open the folder itself"
    )
    indexed.close()
    tree = WatchedTree(tmp_path / "late", None)
    tree._stopped.set()
    assert tree._open() is None


class Watcher:
    """A watcher of a tree in some state."""

    def __init__(self, **values: Any) -> None:
        self.has_looked = self.is_watching = self.is_prompt = self.settles = True
        self.waits: list[float] = []
        self.__dict__ |= values

    def settle(self, seconds: float) -> bool:
        self.waits.append(seconds)
        return self.settles

    def stop(self) -> None: ...


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("values", "is_sure", "is_walked"),
    [
        ({}, True, False),
        ({"has_looked": False}, False, False),
        ({"settles": False}, False, False),
        ({"settles": False, "is_prompt": False}, True, True),
        ({"settles": False, "is_prompt": False, "is_watching": False}, False, False),
    ],
)
def test_when_it_is_certain_that_an_index_shows_every_change(
    values: dict[str, Any], is_sure: bool, is_walked: bool, make_workspace: Maker
) -> None:
    workspace = make_workspace({"a.py": "def one(): pass\n"})
    indexed = workspace.source.indexed
    assert not indexed.settle(0.1)  # nothing is followed
    watcher: Any = Watcher(**values)
    indexed._watcher = watcher
    write_files(workspace.root, {"b.py": "def two(): pass\n"})
    assert indexed.settle(0.25) is is_sure
    assert indexed.snapshot.n_files == 1 + is_walked
    assert watcher.waits == ([0.25] if watcher.has_looked else [])
    indexed._root_settings.problems = ["wrong"]
    assert not indexed.settle(0.25)


def test_settings_that_become_wrong_keep_an_index_uncertain(make_workspace: Maker) -> None:
    workspace = make_workspace({"a.py": "def one(): pass\n"})
    indexed = workspace.source.indexed
    indexed._watcher = Watcher(settles=False, is_prompt=False)  # type: ignore[assignment]
    write_files(workspace.root, {"symindex.toml": "max_file_byte = 5\n"})
    assert not indexed.settle(0.1)


@pytest.mark.parametrize(
    ("faults", "settles", "loads", "has_view"),
    [
        ((), True, True, True),
        (("x",), True, True, False),
        ((), False, True, False),
        ((), True, False, False),
    ],
)
def test_when_a_daemon_may_answer(
    faults: Any, settles: bool, loads: bool, has_view: bool, make_workspace: Maker, monkeypatch: Any
) -> None:
    indexed = make_workspace({"a.py": "def one(): pass\n"}).source.indexed
    waits: list[float] = []
    monkeypatch.setattr(indexed.languages, "faults", faults)
    monkeypatch.setattr(indexed, "settle", lambda seconds: bool(waits.append(seconds)) or settles)
    monkeypatch.setattr(indexed, "load_newest", lambda: loads)
    followed = FollowedRoot(indexed)
    made = followed.current_view()
    assert (made is not None) is has_view and waits == ([] if faults else [SETTLE_SECONDS])
    monkeypatch.setattr(followed, "_configuration", "another")
    assert followed.current_view() is None
    if made is not None:
        source = made.source
        assert source.n_repairs == 0 and source.repair(ValueError()) is False
        source.bring_up_to_date(CURRENT)
        assert source.take_notices() == source.take_notices() == []
        made.load()
        made.close()


def test_a_build_reports_the_first_file_the_last_one_and_one_each_tenth_of_a_second(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 50.0
    monkeypatch.setattr(build_process, "time", SimpleNamespace(monotonic=lambda: now))

    def refresh(self: Any, progress: Any, rebuild: bool) -> Any:
        nonlocal now
        assert rebuild
        for done, seconds in ((1, 0.0), (2, 0.06), (3, 0.04), (4, 0.01), (5, 0.05), (6, 0.0)):
            now += seconds
            progress(done, 6)
        return SimpleNamespace(notices=["n"])

    monkeypatch.setattr(IndexedRoot, "refresh", refresh)
    sent: list[_Step] = []
    order = [bytes(tmp_path), bytes(tmp_path / "i"), True]

    def send(data: bytes) -> None:
        sent.append(msgspec.msgpack.decode(data, type=_Step))

    build_process._build(msgspec.msgpack.encode(order), send)
    assert sent == [_Step(1, 6), _Step(4, 6), _Step(6, 6), _Step(notices=["n"])]
    sent.clear()

    def fail(*_: Any) -> None:
        raise ValueError("two\nlines")

    monkeypatch.setattr(IndexedRoot, "refresh", fail)
    build_process._build(msgspec.msgpack.encode(order), send)
    assert sent == [_Step(error="two lines")]

    def break_off(*_: Any) -> None:
        raise BrokenPipeError

    monkeypatch.setattr(IndexedRoot, "refresh", break_off)
    with pytest.raises(BrokenPipeError):
        build_process._build(msgspec.msgpack.encode(order), send)


PROPERTIES = {
    "languages", "all_settings", "folders_by_prefix", "walked", "spaces", "index_folders", "n_repairs",
}  # fmt: skip
METHODS = {
    "recalled", "view", "tree_of", "unindexed_views", "bring_up_to_date", "take_notices", "why_empty",
    "repair", "on_unindexed_answer", "on_written", "wait_for_changes",
}  # fmt: skip


@pytest.mark.parametrize("missing", sorted(PROPERTIES | METHODS))
def test_a_source_that_lacks_something_cannot_be_made(missing: str) -> None:
    others = dict.fromkeys((PROPERTIES | METHODS) - {missing})
    with pytest.raises(TypeError, match=missing):
        type("Incomplete", (AnswerSource,), others)()
    assert isinstance(vars(AnswerSource)[missing], property) is (missing in PROPERTIES)


def test_a_build_has_a_low_priority_and_is_not_begun_again(monkeypatch: pytest.MonkeyPatch) -> None:
    nice: list[int] = []
    monkeypatch.setattr(build_process.os, "nice", nice.append)
    assert build_process.prepare(b"") is build_process._build and nice == [5]
    made: list[tuple[Any, dict[str, Any]]] = []
    monkeypatch.setattr(build_process, "Slot", lambda job, **more: made.append((job, more)))
    build_process._Turns().wait(lambda: False)
    ((job, more),) = made
    assert job.module == "symindex.workspace.build_process" and more == {"most_starts": 1}


class Wakes:
    """An event that is waited for; notes how long. then: called at each wait."""

    def __init__(self, then: Callable[[int], bool]) -> None:
        self.waits: list[float | None] = []
        self.n_cleared = 0
        self._then = then

    def wait(self, seconds: float | None = None) -> bool:
        self.waits.append(seconds)
        return self._then(len(self.waits))

    def clear(self) -> None:
        self.n_cleared += 1

    def set(self) -> None: ...


def test_a_tree_is_built_watched_and_built_again() -> None:
    """After a failure it waits for half a minute, after a cancelled build until it is woken."""
    steps: list[str] = []
    tree: Any = watched()
    states = iter(["failed", "cancelled", "ready", "ready"])
    watcher: Any = SimpleNamespace(has_looked=False, hindrance="", notices=[])

    def build(_: object) -> None:
        tree.state = next(states)
        steps.append(tree.state)

    def follow(**_: object) -> Any:
        steps.append("followed")
        return watcher

    def then(number: int) -> bool:
        if number == 4:
            watcher.has_looked = True
        return False

    def share(_: object) -> Callable[[], object]:
        steps.append("shared")
        return lambda: steps.append("not shared")

    def report(_: object) -> None:
        steps.append("reported")
        if steps.count("reported") == 2:
            tree._stopped.set()

    indexed: Any = SimpleNamespace(follow=follow, unfollow=lambda: steps.append("unfollowed"))
    tree._open, tree._build, tree._wakes = lambda: indexed, build, Wakes(then)
    tree._report_obstacles, tree._share = report, share
    tree._end = lambda text: steps.append(f"end {text}".strip())
    tree._follow()
    assert tree._wakes.waits == [30.0, None, 0.02, 0.02] and tree._wakes.n_cleared == 4
    first = ["failed", "unfollowed", "cancelled", "unfollowed"]
    once = ["ready", "followed", "end", "shared", "reported", "unfollowed"]
    assert steps == [*first, *once, "ready", "followed", "end", "reported", "unfollowed"]
    tree._end_sharing()
    assert steps[-1] == "not shared"


def test_why_changes_are_not_noticed_is_told_when_it_changes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Every two seconds; memory is given back once answers have ended."""
    answered = iter([0, 3, 3, 3, 5, 5, 5, 5])
    hindrances = iter(["", "a", "a", "b", "", "b", "b", "b"])
    monkeypatch.setattr(watched_tree, "n_answered", lambda: next(answered))
    given_back: list[int] = []
    tree: Any = watched()
    tree._wakes = Wakes(lambda number: number > 8)
    monkeypatch.setattr(
        watched_tree, "give_back_memory", lambda: given_back.append(len(tree._wakes.waits))
    )
    messages: list[str] = []
    tree.listeners = (lambda event: messages.append(event.text),)

    class Watcher:
        @property
        def hindrance(self) -> str:
            return next(hindrances)

    tree._report_obstacles(Watcher())
    assert messages == ["a", "b", "b"] and given_back == [3, 6]
    assert {*tree._wakes.waits} == {2.0}


def test_a_tree_that_ends_wakes_its_thread_and_closes_its_index() -> None:
    steps: list[str] = []
    tree: Any = watched(close=lambda: steps.append("closed"))
    tree._end_sharing = lambda: steps.append("not shared")
    tree._building = SimpleNamespace(cancel=lambda: steps.append("cancelled"))
    tree.stop()
    assert steps == ["cancelled", "not shared", "closed"]
    assert tree._stopped.is_set() and tree._wakes.is_set()
    closed: Any = WatchedTree(ROOT, None)
    closed.stop()
    assert (closed.done, closed.total, closed.state, closed.n_repairs) == (0, 0, "opening", 0)


class Environment:
    """The packages of a project, of which some are not indexed yet."""

    def __init__(self, missing: list[Any]) -> None:
        self._missing, self.packages = missing, [1, 2, 3]

    def keep_pointer(self, _: object) -> None: ...

    def missing(self) -> list[Any]:
        return self._missing


def spaces_at(
    now: list[float], missing: Callable[[], list[Any]], monkeypatch: pytest.MonkeyPatch
) -> tuple[Spaces, list[str]]:
    """Returns the spaces of a project by a clock that the test sets, and a list of what is read."""
    read: list[str] = []

    def dependencies(*_: object) -> Any:
        read.append("read")
        return SimpleNamespace(
            environment=lambda: Environment(missing()), start_build=lambda: True, store=None,
            languages=None, found=SimpleNamespace(packages=[1, 2, 3, 4]),
        )  # fmt: skip

    clock = SimpleNamespace(
        monotonic=lambda: now[0], sleep=lambda seconds: now.__setitem__(0, now[0] + seconds)
    )
    monkeypatch.setattr(spaces, "time", clock)
    monkeypatch.setattr(spaces, "Dependencies", dependencies)
    return Spaces(ROOT, PrivateFolder(Path("/i/r"))), read


def test_the_dependencies_of_a_project_are_read_again_after_half_a_minute(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [100.0]
    made, read = spaces_at(now, list, monkeypatch)
    first = made.environment()
    now[0] += 30.0
    assert made.environment() is first and len(read) == 1
    now[0] += 0.1
    assert made.environment() is not first and len(read) == 2


def test_callers_that_can_ask_again_wait_eight_seconds_in_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [100.0]
    made, _ = spaces_at(now, lambda: [1, 2, 9], monkeypatch)
    notice = "2 of 4 packages are being indexed in the background: they were not searched; ask again to search them"  # fmt: skip
    assert made.build([1, 2], waits=False) == [notice]  # type: ignore[list-item]
    assert 108.0 <= now[0] < 108.2
    assert made.build([1, 2], waits=False) == [notice]  # type: ignore[list-item]
    assert now[0] < 108.2
    now[0] = 100.0
    made, _ = spaces_at(now, lambda: [1] if now[0] < 102.0 else [], monkeypatch)
    assert made.build([1], waits=False) == []  # type: ignore[list-item]
    assert 102.0 <= now[0] < 102.2


@pytest.mark.parametrize(("waits", "seconds"), [(True, 600.0), (False, 3.0)])
def test_how_long_a_symbol_waits_for_another_process(
    waits: bool, seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, _ = spaces_at([100.0], lambda: [*range(12)], monkeypatch)
    built: list[Any] = []
    monkeypatch.setattr(
        made, "_build_here", lambda packages, progress, wait: built.append((packages, wait)) or []
    )
    packages: Any = range(1, 12)
    assert made.build_for_symbol(packages, waits) == [] and built == [([*range(1, 9)], seconds)]
    assert made.build_for_symbol([], waits) == [] and len(built) == 1
    made.build(packages, waits=True)
    assert built[1] == ([*range(1, 12)], 600.0)
