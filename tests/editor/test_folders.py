"""The folders of a client without their indexes: which folder a file is in, what is read, how long an
answer waits, scans of folders without an index."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from symindex.cancellation import NotWantedError, check_wanted
from symindex.editor import background_scan
from symindex.editor.background_scan import BackgroundScan, BackgroundScans
from symindex.editor.folders_source import FoldersSource
from symindex.editor.followed_folders import FollowedFolders
from symindex.editor.merged_view import Folder
from symindex.errors import RequestError
from symindex.extract.records import FileSymbols
from symindex.index.build import build_index
from symindex.index.snapshot import Snapshot
from symindex.protocol.freshness import CACHED, CURRENT, IMMEDIATE, SOON, Freshness
from symindex.search.unindexed import before_index
from symindex.search.unindexed.work_queue import ScanReport
from symindex.settings import DEFAULTS, LARGEST_FILE_BYTES
from tests.support.files import write_files


class Tree:
    """A followed tree whose state a test sets."""

    def __init__(self, root: Path = Path("/none"), **values: Any) -> None:
        self.root = root
        self.state, self.error, self.why_incomplete = "ready", "", ""
        self.warnings: list[str] = []
        self.done = self.total = self.n_repairs = 0
        self.indexed: Any = None
        self.layers: Any = None
        self.is_behind = self.will_have_index = self.has_reported_changes = False
        self.calls: list[object] = []
        self.__dict__ |= values

    def whole_layers(self) -> Any:
        return self.layers

    def report_changes(self, paths: list[str]) -> None:
        self.calls.append(paths)

    def reindex(self) -> None:
        self.calls.append("reindex")

    def settle(self, seconds: float) -> None:
        self.calls.append(seconds)

    def repair(self, error: Exception) -> bool:
        self.calls.append(error)
        return self.state == "damaged"


class Trees:
    """Gives out trees, and notes what is taken and left."""

    def __init__(self) -> None:
        self.taken: list[tuple[Path, str | None]] = []
        self.left: list[Path] = []
        self.made: dict[Path, Tree] = {}

    def take(self, root: Path, index_dir: str | None, _listener: object) -> Tree:
        self.taken.append((root, index_dir))
        return self.made.setdefault(root, Tree(root))

    def leave(self, tree: Tree, _listener: object) -> None:
        self.left.append(tree.root)


def folders_of(
    *folders: tuple[str, Tree], allowed: tuple[Path, ...] = (), top: Path = Path("/top")
) -> FollowedFolders:
    """Returns followed folders below `top`, with these names and trees."""
    followed = FollowedFolders(cast(Any, Trees()), print, lambda: None, allowed)
    followed.all = tuple(
        Folder(top / name, top / name, name, cast(Any, tree)) for name, tree in folders
    )
    return followed


def settings(limit: int) -> Any:
    return SimpleNamespace(settings=SimpleNamespace(limit=limit), languages=f"languages {limit}")


def test_added_folders_have_names_of_their_own(tmp_path: Path) -> None:
    trees, changes = Trees(), []
    folders = FollowedFolders(cast(Any, trees), print, lambda: changes.append(len(folders.all)))
    (tmp_path / "b" / "app").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "b" / "app")
    for path, name in (
        (tmp_path / "a" / "app", ""),
        (tmp_path / "link", "app"),
        (tmp_path / "c", "app"),
        (tmp_path / "c", "other"),  # was added before
        (Path("/"), ""),
    ):
        folders.add(path, name, "index")
    assert [(folder.path, folder.name) for folder in folders.all] == [
        (tmp_path / "a" / "app", "app"),
        (tmp_path / "link", "app~2"),
        (tmp_path / "c", "app~3"),
        (Path("/"), "root"),
    ]
    assert folders.all[1].root == tmp_path / "b" / "app"
    assert trees.taken[1] == (tmp_path / "b" / "app", "index") and changes == [1, 2, 3, 4]
    folders.remove(tmp_path / "link")
    folders.remove(tmp_path / "unknown")
    assert [folder.name for folder in folders.all] == ["app", "app~3", "root"]
    assert trees.left == [tmp_path / "b" / "app"] and changes[4:] == [3, 3]
    folders.close()
    assert trees.left[1:] == [tmp_path / "a" / "app", tmp_path / "c", Path("/")]


def test_a_folder_outside_of_the_allowed_ones_is_refused(tmp_path: Path) -> None:
    trees = Trees()
    folders = FollowedFolders(cast(Any, trees), print, print, (tmp_path / "x", tmp_path / "a"))
    folders.add(tmp_path / "a" / "b", "", None)
    folders.add(tmp_path / "a", "", None)
    with pytest.raises(RequestError) as caught:
        folders.add(tmp_path / "ab", "", None)
    assert str(caught.value) == (
        f"{tmp_path}/ab: is outside of the folders that the server was started with, and is left out"
    )
    assert [root for root, _ in trees.taken] == [tmp_path / "a" / "b", tmp_path / "a"]


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("/top/a/x.py", ("a", "x.py")),
        ("/top/a/b/x/y.py", ("a/b", "x/y.py")),
        ("/top/a/bb/x.py", ("a", "bb/x.py")),
        ("/link/x.py", ("a/b", "x.py")),
        ("/top/x.py", None),
        ("/top/a", None),
        ("/top/a/b", None),
        ("/link", None),
        (None, None),
    ],
)
def test_the_innermost_folder_contains_a_file(
    path: str | None, place: tuple[str, str] | None
) -> None:
    folders = folders_of(("a", Tree()), ("a/b", Tree()), ("c", Tree()))
    folders.all = (folders.all[0], folders.all[1]._replace(path=Path("/link")), folders.all[2])
    folder_place = folders.place_of(Path(path) if path is not None else None)
    assert (folder_place and (folder_place[0].name, folder_place[1])) == place


def test_changed_files_are_reported_to_their_folders() -> None:
    one, two = Tree(), Tree()
    folders = folders_of(("one", one), ("two", two))
    folders.files_changed([Path("/top/two/a.py"), Path("/else/a.py"), Path("/top/one/b/c.py")])
    assert (one.calls, two.calls) == ([["b/c.py"]], [["a.py"]])
    folders.reindex()
    assert one.calls[1:] == two.calls[1:] == ["reindex"]


def test_a_file_is_read_through_links_only_outside_of_all_roots(tmp_path: Path) -> None:
    write_files(tmp_path, {"in/a.py": b"inside", "out/b.py": b"outside"})
    (tmp_path / "in" / "link.py").symlink_to(tmp_path / "out" / "b.py")
    (tmp_path / "link.py").symlink_to(tmp_path / "out" / "b.py")
    open_to_all = folders_of(("in", Tree()), top=tmp_path)
    assert open_to_all.read(tmp_path / "in" / "a.py") == b"inside"
    assert open_to_all.read(tmp_path / "link.py") == b"outside"
    with pytest.raises(OSError, match="link"):
        open_to_all.read(tmp_path / "in" / "link.py")
    restricted = folders_of(allowed=(tmp_path / "in", tmp_path / "out"), top=tmp_path)
    assert restricted.read(tmp_path / "in" / "a.py") == b"inside"
    assert restricted.read(tmp_path / "link.py") == b"outside"
    restricted.allowed = (tmp_path / "in",)
    for path in (tmp_path / "out" / "b.py", tmp_path / "in" / "link.py"):
        with pytest.raises(RequestError, match="is outside of the folders that the server was"):
            restricted.read(path)


@pytest.mark.nightly
def test_a_file_may_be_as_large_as_any_that_is_indexed(tmp_path: Path) -> None:
    for name, more in (("a.py", 0), ("b.py", 1)):
        with (write_files(tmp_path, {name: b""}) / name).open("wb") as file:
            file.truncate(LARGEST_FILE_BYTES + more)
    for folders in (
        folders_of(("", Tree()), top=tmp_path),
        folders_of(),
        folders_of(allowed=(tmp_path,)),
    ):
        assert len(folders.read(tmp_path / "a.py")) == LARGEST_FILE_BYTES
        with pytest.raises(OSError, match=r"large|more than"):
            folders.read(tmp_path / "b.py")


def test_what_the_folders_have_in_common() -> None:
    indexed, bare = Tree(layers="layers", indexed=settings(30)), Tree(done=2, total=5)
    other = Tree(done=1, total=1, indexed=settings(20))
    none, some = folders_of(), folders_of(("a", indexed), ("b", bare), ("c", other))
    assert none.row_limit == DEFAULTS.limit and some.row_limit == 20
    assert some.progress == (3, 6)
    assert none.progress is None and folders_of(("a", indexed)).progress is None
    assert some.opened == [indexed.indexed, other.indexed]
    assert [(prefix, folder.name) for prefix, folder, _ in some.opened_by_prefix] == [
        ("a/", "a"),
        ("c/", "c"),
    ]
    assert some.languages == "languages 30"  # type: ignore[comparison-overlap]
    assert "python" in none.languages.by_id and ".py" in none.extensions()


def test_extensions_are_known_once_a_folder_is_open_or_none_can_be() -> None:
    opening, failed = Tree(state="opening"), Tree(state="failed")
    folders = folders_of(("a", failed), ("b", opening))
    waited: list[bool] = []

    def wait_for(is_true: Callable[[], bool], seconds: float = 0.0) -> None:
        waited.append(is_true())
        opening.state = "failed"
        waited.append(is_true())
        opening.state = "opening"
        failed.indexed = SimpleNamespace(languages=SimpleNamespace(extensions={".x"}))
        waited.append(is_true())

    folders.wait_for = wait_for  # type: ignore[method-assign]
    assert folders.extensions() == {".x"} and waited == [False, True, True]


def test_the_state_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    root = SimpleNamespace(status=lambda: "a report")
    tree = Tree(state="indexing", done=1, total=3, error="late", warnings=["slow"], indexed=root)
    alone, two = (
        folders_of(("a", tree), top=tmp_path),
        folders_of(("a", tree), ("b", tree), top=tmp_path),
    )
    status = alone.status_of(alone.all[0])
    assert (status.name, status.state, status.done, status.total) == ("", "indexing", 1, 3)
    assert (status.error, status.notices, status.report) == ("late", ["slow"], None)
    assert status.root == str(tmp_path / "a")
    tree.layers = "layers"
    assert two.status_of(two.all[0]).name == "a"
    report: Any = two.status_of(two.all[0]).report
    assert report == "a report"
    missing = two.status_of(two.all[1])
    assert (missing.state, missing.notices, missing.report) == ("missing", [], None)
    folders_of().check_any_there()
    two.check_any_there()
    two.all = two.all[1:]
    with pytest.raises(RequestError) as caught:
        two.check_any_there()
    assert str(caught.value) == (
        f"{tmp_path}/b: the root does not exist, or no longer does; answers include it when it is"
        " back"
    )


def test_a_damaged_index_is_reported_once(tmp_path: Path) -> None:
    trees = Trees()
    trees.made[tmp_path / "b"] = Tree(n_repairs=2)
    folders = FollowedFolders(cast(Any, trees), print, print)
    folders.add(tmp_path / "a", "", None)
    folders.add(tmp_path / "b", "", None)  # was repaired before this client came
    assert folders.take_notices() == []
    trees.made[tmp_path / "b"].n_repairs = 3
    notice = f"{tmp_path}/b: the index was damaged, and is being rebuilt"
    assert [folders.take_notices() for _ in range(2)] == [[notice], []]
    trees.made[tmp_path / "a"].n_repairs = 1
    assert len(folders.take_notices()) == 1


def test_waiting_ends_with_the_condition_the_time_or_the_folders() -> None:
    folders = folders_of()
    seen: list[int] = []
    folders.wait_for(lambda: seen.append(0) or True)
    folders.wait_for(lambda: bool(seen.append(0)), 0.03)
    assert len(seen) > 2
    answers = iter([False, False, True])
    folders.wait_for(lambda: next(answers))
    folders.is_closed = True
    with pytest.raises(NotWantedError):
        folders.wait_for(lambda: True)


class Documents:
    """Open documents, of which none is unsaved."""

    def __init__(self) -> None:
        self.opened: dict[str, Any] = {}
        self.parsed: dict[str, Any] = {}

    def settled(self) -> dict[str, Any]:
        return self.parsed

    def texts_of(self, _keys: object) -> dict[str, bytes]:
        return {}


def index_of(*names: str) -> Any:
    return SimpleNamespace(
        snapshot=Snapshot.of(build_index([FileSymbols(name, 0, 0) for name in names]))
    )


def root_of(layers: Any = None, **more: Any) -> Any:
    return SimpleNamespace(layers=layers, walk=object(), **more)


def source_of(*folders: tuple[str, Tree], allowed: tuple[Path, ...] = ()) -> Any:
    return FoldersSource(folders_of(*folders, allowed=allowed), cast(Any, Documents()))


def noted_waits(source: Any) -> list[tuple[bool, float]]:
    """Replaces waiting: returns the list of whether what was waited for was so already, and for how
    many seconds."""
    waits: list[tuple[bool, float]] = []
    source._folders.wait_for = lambda is_true, seconds=float("inf"): waits.append(
        (is_true(), seconds)
    )
    return waits


def test_a_view_is_made_again_only_when_something_has_changed() -> None:
    tree = Tree(layers=index_of("a.py"), indexed=root_of())
    source = source_of(("a", tree))
    first = source.view()
    assert source.view().snapshot is first.snapshot and first.is_last
    tree.is_behind = True
    assert not source.view().is_last and source.view().snapshot is first.snapshot

    def seen() -> object:
        return source.view().snapshot

    for change in (
        lambda: setattr(tree, "layers", index_of("b.py")),
        lambda: setattr(tree.indexed, "walk", object()),
        lambda: setattr(source._documents, "opened", {}),
        lambda: setattr(source._documents, "parsed", {}),
        lambda: setattr(source._folders, "all", (source._folders.all[0]._replace(name="z"),)),
    ):
        before = seen()
        change()
        assert seen() is not before
    source._folders.all += (Folder(Path("/b"), Path("/b"), "b", cast(Any, Tree())),)
    tree.is_behind = False
    assert not source.view().is_last and [folder.name for folder in source.view().missing] == ["b"]


def test_how_long_an_answer_waits_for_an_index() -> None:
    ready, new, behind = Tree(layers=index_of("a.py")), Tree(), Tree(layers=index_of("b.py"))
    new.will_have_index = behind.is_behind = True
    for trees, freshness, waits in (
        ([ready], CACHED, [(True, float("inf")), (True, 0.5)]),
        ([ready], CURRENT, [(True, float("inf")), (True, float("inf"))]),
        ([ready, behind], SOON, [(True, float("inf")), (False, 3.0)]),
        ([ready, new], CACHED, [(False, float("inf")), (True, 3.0), (True, 0.5)]),
        ([new], Freshness(changes=7.0), [(False, float("inf")), (True, 7.0)]),
    ):
        source = source_of(*((str(number), tree) for number, tree in enumerate(trees)))
        noted = noted_waits(source)
        source.bring_up_to_date(freshness)
        assert noted == waits
    source = source_of(("a", ready), ("b", behind))
    waits = noted_waits(source)
    source.wait_for_changes()
    source.catch_up()
    ready.has_reported_changes = True
    source.on_written(Path("/top/a/x.py"))
    assert waits == [(False, 3.0), (False, 0.1), (False, 3.0)] and ready.calls[-1] == ["x.py"]


def test_the_folders_share_the_time_to_settle(monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = Tree(layers=index_of("a.py")), Tree(layers=index_of("b.py"))
    clock = iter([10.0, 10.0, 10.7, 20.0, 20.1, 23.0])
    monkeypatch.setattr("symindex.editor.folders_source.time.monotonic", lambda: next(clock))
    source = source_of(("one", one), ("two", two))
    noted_waits(source)
    source.bring_up_to_date(CURRENT)  # at most a second
    source.bring_up_to_date(Freshness(changes=0.5))
    assert one.calls == pytest.approx([1.0, 0.4]) and two.calls == pytest.approx([0.3, 0.0])


class Scans:
    """Answers with one report after the other; `None` is a scan that was abandoned."""

    def __init__(self, *reports: ScanReport | None) -> None:
        self.reports, self.sent, self.abandoned = iter(reports), [], []  # type: ignore[var-annotated]

    def send(self, root: Any, plan: object, prefix: str) -> Any:
        self.sent.append(prefix)
        report = next(self.reports)
        future: Future[object] = Future()
        future.set_result(report)
        return SimpleNamespace(
            future=future, report=lambda: report, abandon=lambda: self.abandoned.append(prefix)
        )

    def close(self) -> None:
        self.sent.append("closed")


def report(*names: str, complete: bool = True) -> ScanReport:
    return ScanReport(files=[FileSymbols(name, 0, 0) for name in names], complete=complete)


def paths_of(view: Any) -> list[str]:
    return [part.prefix + path for part in view.snapshot.parts for path in part.index.paths.all]


def test_folders_without_an_index_are_scanned_until_a_scan_is_complete() -> None:
    new, indexed = Tree(indexed=root_of()), Tree(layers=index_of("i.py"), indexed=root_of())
    source = source_of(("new", new), ("indexed", indexed), ("opening", Tree(state="opening")))
    scans = source._scans = Scans(report(complete=False), report("n.py"))
    waits = noted_waits(source)
    views = [*source.unindexed_views(cast(Any, None), SOON)]
    assert [paths_of(view) for view in views] == [["indexed/i.py"], ["new/n.py", "indexed/i.py"]]
    assert not any(view.is_last for view in views)
    assert scans.sent == scans.abandoned == ["new/"] * 2
    assert waits[:3] == [(True, 3.0), (True, 0.0), (False, 2.5)]
    assert [is_done for is_done, _ in waits[3:]] == [True, True]
    assert 4.8 < waits[3][1] < 5.0 and waits[4][1] == 5.0
    source.close()
    assert scans.sent[-1] == "closed"


def test_an_answer_scans_thrice_at_most() -> None:
    source = source_of(("new", Tree(indexed=root_of())))
    scans = source._scans = Scans(*[report("a.py", complete=False)] * 9)
    waits = noted_waits(source)
    assert len([*source.unindexed_views(cast(Any, None), IMMEDIATE)]) == 3
    assert len(scans.sent) == 3 and waits[0] == (True, 0.0)


def test_folders_that_have_an_index_are_not_scanned() -> None:
    tree = Tree(indexed=root_of())
    source = source_of(("a", tree))
    source._scans = Scans()

    def wait_for(is_true: Callable[[], bool], seconds: float = 0.0) -> None:
        tree.layers = index_of("a.py")  # meanwhile it is built

    source._folders.wait_for = wait_for
    assert [*source.unindexed_views(cast(Any, None), SOON)] == []
    source._folders.wait_for = lambda *_: pytest.fail("waits")
    assert [*source.unindexed_views(cast(Any, None), SOON)] == []


def test_an_index_that_comes_during_the_scan_answers_instead() -> None:
    tree, other = Tree(indexed=root_of()), Tree(indexed=root_of())
    source = source_of(("a", tree), ("b", other))
    source._scans = Scans(report("old.py"), None)

    def wait_for(is_true: Callable[[], bool], seconds: float = 0.0) -> None:
        assert is_true()
        tree.layers = index_of("new.py")

    source._folders.wait_for = wait_for
    view, is_complete = source._scanned(cast(Any, None), 5.0)
    assert paths_of(view) == ["a/new.py"] and is_complete


def test_an_answer_without_the_folders_beyond_a_number_is_not_complete(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Their scans are not even begun."""
    monkeypatch.setattr("symindex.editor.folders_source.MOST_FOLDERS_SCANNED", 2)
    for count, is_complete in ((1, True), (2, True), (3, False)):
        trees = [(f"f{number}", Tree(indexed=root_of())) for number in range(count)]
        source = source_of(*trees)
        source._scans = Scans(*[report("a.py")] * 9)
        noted_waits(source)
        view, is_whole = source._scanned(cast(Any, None), 5.0)
        assert is_whole is is_complete and len(paths_of(view)) == min(count, 2)


def test_a_scan_that_is_late_is_left_out_and_ended() -> None:
    source = source_of(("a", Tree(indexed=root_of())))
    scans = Scans(report("a.py"))
    send = scans.send

    def late(*arguments: Any) -> Any:
        scan = send(*arguments)
        scan.future = Future()
        return scan

    scans.send = late  # type: ignore[method-assign, assignment]
    source._scans = scans
    waits = noted_waits(source)
    view, is_complete = source._scanned(cast(Any, None), 1.5)
    assert (paths_of(view), is_complete, waits) == ([], False, [(False, 1.5)])
    assert scans.abandoned == [""]


def test_what_a_client_of_some_folders_may_not_see() -> None:
    companions = SimpleNamespace(spaces="spaces", recall="recall")
    layers = index_of("a.py")
    root = root_of(layers, companions=companions, place="place", whole_layers=lambda: layers)
    without = root_of(None, companions=companions, place="p", whole_layers=lambda: None)
    trees = [("a", Tree(layers=layers, indexed=root)), ("b", Tree(indexed=without)), ("c", Tree())]
    source = source_of(*trees)
    assert source.spaces == ["spaces", "spaces"] and source.index_folders == ["place", "p"]
    assert [*source.recalled()] == [("recall", layers.snapshot, "a/")]
    source = source_of(*trees, allowed=(Path("/top"),))
    assert (source.spaces, source.index_folders, [*source.recalled()]) == ([], [], [])
    assert source.walked == [("a/", root)]
    assert [*map(str, source.folder_paths)] == ["/top/a", "/top/b", "/top/c"]


def test_a_damaged_index_is_repaired_in_each_folder() -> None:
    trees = [Tree(n_repairs=2, state="damaged"), Tree(n_repairs=3), Tree(state="damaged")]
    source = source_of(*((str(number), tree) for number, tree in enumerate(trees)))
    error = ValueError()
    assert source.n_repairs == 5 and source.repair(error)
    assert [tree.calls for tree in trees] == [[error]] * 3
    assert not source_of(("1", trees[1])).repair(error)


def test_without_any_index_nothing_can_be_explored() -> None:
    lacking = Tree(why_incomplete="is being built")
    source = source_of(("a", lacking), ("b", lacking))
    with pytest.raises(RequestError, match=r"^/top/a: is being built; /top/b: is being built$"):
        source.tree_of(source.view())
    assert source.why_empty(cast(Any, None), source.view()) == []
    source = source_of(("a", lacking), ("b", Tree(layers=index_of("b.py"))))
    source._documents.texts_of = lambda _: {}
    assert {**source.tree_of(source.view()).roots} == {
        "a/": Path("/top/a"),
        "b/": Path("/top/b"),
    }
    assert source_of().tree_of(source_of().view()).roots == {}


@pytest.fixture
def scans(monkeypatch: pytest.MonkeyPatch) -> Iterator[BackgroundScans]:
    made = BackgroundScans()
    yield made
    made.close()


class Root:
    """An open root, as a scan sees it."""

    def __init__(self, wanted: str = "wanted") -> None:
        self.root, self.languages, self.wanted = "root", "languages", wanted
        self.settings = SimpleNamespace(file_seconds=2.0)


ROOT = Root()


def plan(**fields: Any) -> Any:
    defaults = {"text": "a", "query": "q", "language_words": (), "paths": ()}
    options = SimpleNamespace(sort_by=fields.pop("sort_by", None))
    return SimpleNamespace(options=options, **{**defaults, **fields})


def test_a_repeated_request_has_the_result_of_its_last_scan(
    scans: BackgroundScans, monkeypatch: pytest.MonkeyPatch
) -> None:
    scanned: list[tuple[object, ...]] = []

    def scan(*arguments: Any) -> ScanReport:
        scanned.append(arguments)
        return report("a.py")

    monkeypatch.setattr(before_index, "scan_for_editor", scan)
    first = scans.send(cast(Any, ROOT), plan(), "a/")
    assert first.report() == report("a.py")
    assert scanned[0][0] == "root" and scanned[0][2:] == ("languages", "wanted", 2.0, "a/")
    assert scans.send(cast(Any, ROOT), plan(), "a/") is first and len(scanned) == 1
    changed = Root("other")
    others: list[Any] = [(ROOT, plan(), "b/"), (changed, plan(), "a/")]
    others += [
        (ROOT, plan(**{name: "x"}), "a/")
        for name in ("text", "query", "language_words", "paths", "sort_by")
    ]
    for other in others:
        made = scans.send(*other)
        made.report()
        assert made is not first
    assert scans.send(cast(Any, ROOT), plan(), "a/") is first
    first._began -= background_scan.FRESH_SECONDS
    assert scans.send(cast(Any, ROOT), plan(), "a/") is not first


@pytest.mark.parametrize(
    ("outcome", "is_fresh"),
    [
        (ScanReport(complete=True), True),
        (ScanReport(is_enough=True), True),
        (ScanReport(), False),
        (ValueError("fault"), False),
    ],
)
def test_only_a_scan_with_an_answer_answers_again(
    scans: BackgroundScans, monkeypatch: pytest.MonkeyPatch, outcome: Any, is_fresh: bool
) -> None:
    def scan(*_: object) -> ScanReport:
        if isinstance(outcome, Exception):
            raise outcome
        return cast(ScanReport, outcome)

    monkeypatch.setattr(before_index, "scan_for_editor", scan)
    sent = scans.send(cast(Any, ROOT), plan(), "")
    sent.future.exception(10)
    sent.abandon()  # too late
    assert sent.is_fresh is is_fresh
    if isinstance(outcome, Exception):
        with pytest.raises(ValueError, match="fault"):
            sent.report()
    else:
        assert sent.report() is outcome


def test_an_abandoned_scan_ends_without_a_result(
    scans: BackgroundScans, monkeypatch: pytest.MonkeyPatch
) -> None:
    goes_on = threading.Event()

    def scan(*_: object) -> ScanReport:
        goes_on.wait(10)
        check_wanted()
        return report()

    monkeypatch.setattr(before_index, "scan_for_editor", scan)
    sent: BackgroundScan = scans.send(cast(Any, ROOT), plan(), "")
    assert not sent.is_fresh
    sent.abandon()
    assert not sent.is_fresh
    goes_on.set()
    assert sent.report() is None and not sent.is_fresh
