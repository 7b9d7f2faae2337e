"""The scout: it finds what the index finds, the likeliest files first, within its time, and says what it did not search."""

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from symindex.errors import RequestError, StorageError
from symindex.extract import read as read_module
from symindex.extract.languages.registry import Languages, load_languages
from symindex.extract.path_flags import path_flags
from symindex.extract.records import FileSymbols, ReadTask
from symindex.files.access.beneath import Beneath
from symindex.files.walk import FoundFile, Wanted, walk_tree
from symindex.index.build import build_index
from symindex.index.snapshot import Snapshot
from symindex.protocol import SearchItem, SearchRequest, SearchResponse
from symindex.search.answer import answer
from symindex.search.match.names import Tier, tier_of
from symindex.search.unindexed import before_index as early_module
from symindex.search.unindexed.before_index import Patience, look_around
from symindex.search.unindexed.describe import describe_part
from symindex.search.unindexed.prefilter import GOOD, NO_PLACE, Finder
from symindex.search.unindexed.scan import Scout
from symindex.search.unindexed.scan_job import BINARY_BYTES, Read, Scan, Scanned, Scanner
from symindex.search.unindexed.scan_query import file_filter, read_question
from symindex.search.unindexed.work_queue import BEGINS_SO, ScoutReport, Work
from symindex.workers.process import Process
from symindex.workspace import Workspace
from tests.conftest import Files, write_files
from tests.workers.test_pool import HANGS

FIXTURES = Path(__file__).parents[2] / "fixtures" / "symbols"
QUICK_LANGUAGES = ("python", "java", "go", "rust", "bash")
"""Enough kinds of names, in grammars whose queries are compiled soon."""

MOST_BYTES = 2_000_000


def request_of(query: str, **more: object) -> SearchRequest:
    return SearchRequest(query=query, include=["id", "score"], fuzzy=False, **more)  # type: ignore[arg-type]


def look_for(root: Path, query: str, seconds: float = 60.0, file_seconds: float = 10.0, n_workers: int = 2) -> ScoutReport:
    """What a scout reports of a whole tree."""
    languages = load_languages()
    sought = read_question(request_of(query))
    assert sought is not None
    with Scout(root, sought, languages, max_file_bytes=MOST_BYTES, file_seconds=file_seconds, n_workers=n_workers) as scout:
        walk_tree(root, languages.wanted(MOST_BYTES), scout.feed)
        scout.feed_done()
        return scout.search(seconds)


def answer_early(report: ScoutReport, request: SearchRequest, languages: Languages) -> SearchResponse:
    """The same search as in an index, over what was found alone."""
    return answer(Snapshot.of(build_index(report.files)), msgspec.structs.replace(request, fuzzy=False), languages)


def names_of(report: ScoutReport) -> list[str]:
    return sorted(symbol.name for file in report.files for symbol in file.symbols)


# --- the same answer as the index ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def fixtures(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """Annotated sources of some languages, and names in other letters, and their index."""
    folder = tmp_path_factory.mktemp("scout")
    for language in QUICK_LANGUAGES:
        shutil.copytree(FIXTURES / language, folder / "tree" / language)
    write_files(folder / "tree", {"naïve/größe.py": "class Größe: pass\ndef café_bar(): pass\ndef 関数(): pass\n"})
    with Workspace(folder / "tree", folder / "index") as workspace:
        workspace.refresh()
        yield workspace


@pytest.fixture(scope="module")
def parsed(fixtures: Workspace) -> dict[str, FileSymbols]:
    """Every file of the fixtures as a scout parses it."""
    files = {}
    for found in walk_tree(fixtures.root, fixtures.languages.wanted(MOST_BYTES)).files:
        with Beneath(fixtures.root) as tree:
            file = read_module.read_file(tree, ReadTask(found.path), fixtures.languages, MOST_BYTES)
        file.flags |= int(path_flags(found.path, fixtures.languages.by_id.get(file.language)))
        files[found.path] = file
    return files


def strong(items: list[SearchItem]) -> list[SearchItem]:
    """The rows whose tier a scout answers for: hump matches are in its answers where it met them."""
    return [item for item in items if tier_of(float(item.score)) is not Tier.HUMPS]  # type: ignore[arg-type]


def needles(names: list[str]) -> Iterator[str]:
    """Names, and what people make of them."""
    rng = random.Random(7)
    for name in rng.sample(names, 60):
        cut = rng.randrange(1, len(name) + 1)
        yield rng.choice(
            [name, name.lower(), name.upper(), name.replace("_", ""), name[:cut], name[cut - 1 :], f"{name[:2]}_{name[2:]}"]
        )


def test_a_scout_with_all_time_answers_as_the_index_does(fixtures: Workspace, parsed: dict[str, FileSymbols]) -> None:
    names = [name for name in fixtures.snapshot.parts[0].index.names.all if not re.search(r"[\s\"*()]", name)]
    found = 0
    for needle in needles(names):
        request = request_of(needle)
        sought = read_question(request)
        if sought is None:
            assert not needle.strip(".")
            continue
        scanner = Scanner(str(fixtures.root), Finder(sought), MOST_BYTES)
        order = Scan([(file.path, file.size) for file in parsed.values()])
        held = {order.files[place][0] for place, _, _ in scanner.scan(order).holders}
        # Files that do not hold the letters are never parsed; those that do may have no hit.
        report = empty_report([parsed[path] for path in sorted(held)])
        expected = strong(fixtures.search(request).items)
        assert strong(answer_early(report, request, fixtures.languages).items) == expected, needle
        found += len(expected)
    assert found > 200


def empty_report(files: list[FileSymbols]) -> ScoutReport:
    return msgspec.structs.replace(Work("").report(0.0), files=files)


@pytest.mark.parametrize("query", ["Shape", "grosse", "shape kind:class"])
def test_the_processes_find_what_the_index_finds(query: str, fixtures: Workspace) -> None:
    report = look_for(fixtures.root, query)
    assert report.complete and not report.given_up and not report.unreadable
    walk = walk_tree(fixtures.root, fixtures.languages.wanted(MOST_BYTES))
    assert report.scanned_files == report.total_files == len(walk.files)
    assert report.parsed == report.candidates
    request = request_of(query)
    expected = fixtures.search(request)
    found = answer_early(report, request, fixtures.languages)
    assert strong(found.items) == strong(expected.items)


# --- which files can hold a name -----------------------------------------------------------------------------------------------

HOLDS = [
    ("parse_request", b"def parseRequest(): pass", True),
    ("parserequest", b"def parse_request(): pass", True),
    ("PARSE-REQUEST", b"x = parse_re__quest", True),
    ("parse_request", b"parse request", False),
    ("a.b", b"def b(): a", True),
    ("a+b", b"a+b", True),
    ("a+b", b"aab", False),
    ("[x]", b"x", False),
    ("x(?:", b"x(?: ", True),
    ("\\d", b"7", False),
    ("_", b"a_b", True),
    ("_", b"ab", False),
    ("_", "a\uff3fb".encode(), True),
    ("ab", "a\uff3fb".encode(), True),
    ("ab", "a\u0301\u0302b".encode(), True),
    ("__", b"a_b", False),
    ("cafe", "def café(): pass".encode(), True),
    ("café", b"def cafe(): pass", True),
    ("CAFÉ", "def cafe\u0301_bar(): pass".encode(), True),
    ("strasse", "class Straße: pass".encode(), True),
    ("größe", "# GRÖSSE".encode(), True),
    ("file", "def ﬁle(): pass".encode(), True),
    ("関数", "def 関数(): pass".encode(), True),
    ("関数", b"def kansu(): pass", False),
    ("get", "# 日本語 — “quotes”\n".encode(), False),
    ("get", "x = '日本'\ndef get(): pass\n".encode(), True),
    ("caf", b"caf\xe9", True),
    ("longname", b"\0".join([b" " * BINARY_BYTES, b"long", b"name"]), True),
    ("x" * 900, b"x" * 900, True),
    ("x" * 900, b"x" * 899, False),
]


@pytest.mark.parametrize(("needle", "data", "holds"), HOLDS)
def test_what_can_hold_a_name(needle: str, data: bytes, holds: bool) -> None:
    sought = read_question(request_of(needle))
    assert sought is not None
    assert Finder(sought).holds("file.py", data) is holds


@pytest.mark.parametrize(
    ("encoding", "mark"), [("utf-16-le", b"\xff\xfe"), ("utf-16-be", b"\xfe\xff"), ("utf-8", b"\xef\xbb\xbf")]
)
def test_marked_encodings_are_looked_through(encoding: str, mark: bytes, tmp_path: Path) -> None:
    write_files(tmp_path, {"a.py": mark + "def café(): pass\n".encode(encoding)})
    report = look_for(tmp_path, "cafe")
    assert report.is_named and names_of(report) == ["café"]


def test_binary_files_are_no_candidates(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.py": b"def found(): pass\0", "b.py": "found = 1\n"})
    assert [file.path for file in look_for(tmp_path, "found").files] == ["b.py"]
    assert read_module.BINARY_BYTES == BINARY_BYTES


# --- what a query asks for -----------------------------------------------------------------------------------------------------

QUESTIONS = [
    ("Auth", "auth"),
    ("Auth.login", "auth/ login"),
    ("src/auth_service", "src/ authservice"),
    ("Auth.", "auth/"),
    ("login OR logout", "login/|logout/"),
    ("login logout NOT test", "login/ logout/"),
    ('"adds up the prices"', "prices/"),
    ("doc:invoice kind:class", "invoice"),
    ("get*Name", "name/"),
    ("name:get_* OR id:a.py#Auth.log_in~2", "get|login"),
    ("", None),
    ("kind:class", None),
    ("NOT test", None),
    ("login OR kind:class", None),
    ("*", None),
    ("..", None),
    ("lang:python path:src", None),
]


@pytest.mark.parametrize(
    ("query", "name"),
    [("Auth.login", "login"), ("Auth.", "Auth"), ("a getName kind:class", "getName"), ("get*Name", ""), ('"get name"', "")],
)
def test_the_name_that_files_are_ranked_by(query: str, name: str) -> None:
    sought = read_question(request_of(query))
    assert sought is not None and sought.name == name


@pytest.mark.parametrize(("query", "groups"), QUESTIONS)
def test_what_the_files_of_hits_must_hold(query: str, groups: str | None) -> None:
    sought = read_question(request_of(query))
    shown = sought and " ".join("|".join(atom.text + "/" * atom.in_path for atom in group) for group in sought.groups)
    assert shown == groups


def test_an_impossible_question_is_refused() -> None:
    with pytest.raises(RequestError, match="at most 1,000"):
        read_question(request_of("x" * 100_000))
    with pytest.raises(RequestError, match="kind"):
        read_question(request_of("x", kinds=["klass"]))


def test_filters_on_path_and_language_leave_files_out() -> None:
    languages = load_languages()
    lets_through = file_filter(request_of("x", paths=["src/**", "!*.go"], languages=["py", "go"]), languages)
    paths = ["src/a.py", "src/a.go", "src/a.rs", "src/script", "lib/a.py"]
    assert [path for path in paths if lets_through(FoundFile(path, 1, 1))] == ["src/a.py", "src/script"]
    with pytest.raises(RequestError, match="language"):
        file_filter(request_of("x", languages=["klingon"]), languages)


# --- the likeliest first -------------------------------------------------------------------------------------------------------

LIKELIEST_FIRST = [
    ("Shape", [b"class Shape(Base):\n", b"    Shape = 3\n", b"class Shape;\n", b"x.Shape\n", b"x.shape\n"]),
    (
        "read",
        [b"func (f *File) read(b []byte) {\n", b"  read: 3\n", b"f.read(3)\n", b"def reader():\n", b"thread\n"],
    ),
    ("size", [b"  public static int size() {\n", b"  return list.size() - 1;\n", b"oversize()\n"]),
    ("next", [b"struct node *next(int a,\n", b"  next = 1\n", b"  if a.next != 3 {\n"]),
]


@pytest.mark.parametrize(("name", "sources"), LIKELIEST_FIRST)
def test_definitions_promise_more_than_mentions(name: str, sources: list[bytes]) -> None:
    sought = read_question(request_of(name))
    assert sought is not None
    finder = Finder(sought)
    promises = [finder.promise(source) for source in sources]
    assert promises == sorted(promises, reverse=True)
    assert promises[0] > promises[-1] >= NO_PLACE


def test_the_order_of_candidates() -> None:
    work = Work("Shape")
    ranked = [
        work.rank("src/Shape.java", 6, 900),
        work.rank("src/small.java", 6, 10),
        work.rank("src/large.java", 6, 1000),
        work.rank("tests/small.java", 6, 10),
        work.rank("src/mention.java", 3, 10),
        work.rank("src/other.java", NO_PLACE, 10),
    ]
    assert ranked == sorted(ranked)


def test_the_likeliest_candidate_is_parsed_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files: Files = {f"use{i}.py": f"from shapes import Shape\nx{i} = Shape()\n" for i in range(40)}
    write_files(tmp_path, {**files, "zz.py": "class Shape:\n    pass\n"})
    languages = load_languages()
    sought = read_question(request_of("Shape"))
    assert sought is not None
    with Scout(tmp_path, sought, languages, max_file_bytes=MOST_BYTES, file_seconds=10.0, n_workers=1) as scout:
        scout.feed(walk_tree(tmp_path, languages.wanted(MOST_BYTES)).files)
        scout.feed_done()
        first = next(scout.reports(60.0))
    assert first.is_named and first.candidates == 41
    assert "zz.py" in [file.path for file in first.files]


def test_a_declaration_is_not_enough_while_its_definition_may_come(tmp_path: Path) -> None:
    """Headers are small and say the name as definitions do, so that they are parsed first."""
    headers: Files = {f"h{number:02}.h": "int shape(int a);\n" for number in range(40)}
    write_files(tmp_path, {**headers, "z.c": "int\nshape(int a)\n{\n    return a;\n}\n"})
    languages = load_languages()
    sought = read_question(request_of("shape"))
    assert sought is not None
    with Scout(tmp_path, sought, languages, max_file_bytes=MOST_BYTES, file_seconds=10.0, n_workers=1) as scout:
        scout.feed(walk_tree(tmp_path, languages.wanted(MOST_BYTES)).files)
        scout.feed_done()
        first = next(scout.reports(60.0))
    assert first.is_named and "z.c" in [file.path for file in first.files]
    response = answer_early(first, request_of("shape"), languages)
    assert response.items[0].file_path == "z.c"


# --- time, and what goes wrong -------------------------------------------------------------------------------------------------


@pytest.fixture
def hanging_language(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_files(tmp_path / "grammars" / "hangs", {"language.toml": HANGS, "symbols.scm": "(comment) @doc\n"})
    monkeypatch.setenv("SYMINDEX_GRAMMARS", str(tmp_path / "grammars"))


def test_the_time_holds_against_grammars_that_never_return(tmp_path: Path, hanging_language: None) -> None:
    files: Files = {f"x{i}.hang": "x" for i in range(4)}
    root = write_files(tmp_path / "tree", {**files, "a.py": "x = 1\n"})
    started = time.monotonic()
    report = look_for(root, "x", seconds=1.0)
    assert time.monotonic() - started < 8
    assert report.candidates == 5 and not report.complete


def test_a_file_that_takes_too_long_is_given_up_and_no_other(tmp_path: Path, hanging_language: None) -> None:
    root = write_files(tmp_path / "tree", {"x.hang": "x", "y.hang": "x", "a.py": "x = 1\n", "b.py": "def x(): pass\n"})
    report = look_for(root, "x", file_seconds=1.0)
    assert report.given_up == ["x.hang", "y.hang"]
    assert report.complete and names_of(report) == ["x", "x"]


ENOUGH = [
    ("Shape", {"a.py": "class shape: pass\n"}, True, True),
    ("Shape", {"a.py": "class Shapes: pass\n"}, False, True),
    ("Shape", {"a.py": "def reshape(): Shape\n"}, False, False),
    ("sh*pe", {"a.py": "class Shape: pass\n"}, False, True),
    ("shape", {"a.h": "int shape(void);\n"}, False, True),
]


@pytest.mark.parametrize(("query", "files", "is_named", "is_enough"), ENOUGH)
def test_what_is_enough(query: str, files: Files, is_named: bool, is_enough: bool, tmp_path: Path) -> None:
    report = look_for(write_files(tmp_path, files), query, n_workers=1)
    assert (report.is_named, report.is_enough, report.complete) == (is_named, is_enough, True)


def test_walk_scout_and_answer_in_one(fixtures: Workspace) -> None:
    request = request_of("grosse", paths=["*.py"])
    wanted = fixtures.languages.wanted(MOST_BYTES)
    limits = {"wanted": wanted, "file_seconds": 10.0, "patience": Patience(60.0, 60.0)}
    sought = read_question(request)
    assert sought is not None and read_question(request_of("")) is None
    report, _ = look_around(fixtures.root, sought, request, fixtures.languages, **limits)  # type: ignore[arg-type]
    assert strong(answer_early(report, request, fixtures.languages).items) == strong(fixtures.search(request).items) != []
    assert report.scanned_files < fixtures.snapshot.n_files or not report.walked


def test_the_time_holds_against_a_walk_that_does_not_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_files(tmp_path, {"a.py": "x = 1\n"})

    def walk_for_ever(root: Path, wanted: Wanted, watch: Callable[[list[FoundFile]], object]) -> None:
        while True:
            watch([FoundFile("a.py", 6, 1)])
            time.sleep(0.01)

    monkeypatch.setattr(early_module, "walk_tree", walk_for_ever)
    wanted = load_languages().wanted(MOST_BYTES)
    limits = {"wanted": wanted, "file_seconds": 10.0, "patience": Patience(1.0, 1.0)}
    sought = read_question(request_of("x"))
    assert sought is not None
    report, walk = look_around(tmp_path, sought, request_of("x"), load_languages(), **limits)  # type: ignore[arg-type]
    assert walk is None and not report.walked
    assert "files found so far" in describe_part(report, "x")


def test_it_goes_on_while_that_is_promising(tmp_path: Path) -> None:
    """A busy machine may need longer than there is patience; what most likely defines the name is parsed all the same."""
    files = {f"use{i}.py": "from shapes import Shape\n" for i in range(40)}
    root = write_files(tmp_path, {**files, "zz.py": "class Shape:\n    pass\n"})
    languages = load_languages()
    sought = read_question(request_of("Shape"))
    assert sought is not None

    def search(most_seconds: float) -> ScoutReport:
        with Scout(root, sought, languages, max_file_bytes=MOST_BYTES, file_seconds=10.0, n_workers=1) as scout:

            def feed() -> None:
                scout.feed(walk_tree(root, languages.wanted(MOST_BYTES)).files)
                scout.feed_done()

            late = threading.Timer(0.5, feed)
            late.start()
            report = scout.search(0.1, 0.2, most_seconds)
            late.join()
        return report

    assert not search(0.0).is_named
    report = search(60.0)
    assert report.is_named and report.seconds < 30


def test_a_killed_process_costs_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    original = Process.answers
    killed = []

    def answers(self: Process, order: bytes) -> Iterator[bytes]:
        ordered = msgspec.msgpack.decode(order, type=Scan | Read)
        if isinstance(ordered, Read) and not killed:
            killed.append(ordered.paths[0])
            self.kill()
        return original(self, order)

    monkeypatch.setattr(Process, "answers", answers)
    write_files(tmp_path, {f"f{i}.py": f"def found{i}(): pass\n" for i in range(30)})
    report = look_for(tmp_path, "found")
    assert report.given_up == killed and report.parsed == 29


def test_an_answer_is_not_complete_where_files_were_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody knows what a process would have seen that has ended while it looked through them."""
    original = Process.answers
    killed: list[Scan] = []

    def answers(self: Process, order: bytes) -> Iterator[bytes]:
        ordered = msgspec.msgpack.decode(order, type=Scan | Read)
        if isinstance(ordered, Scan) and not killed:
            killed.append(ordered)
            self.kill()
        return original(self, order)

    monkeypatch.setattr(Process, "answers", answers)
    monkeypatch.setattr("symindex.search.unindexed.work_queue.SCAN_FILES", 10)
    write_files(tmp_path, {f"f{i}.py": f"def found{i}(): pass\n" for i in range(30)})
    report = look_for(tmp_path, "found")
    assert not report.complete
    assert report.scanned_files == report.parsed == 20
    assert not {path for path, _ in killed[0].files} & {file.path for file in report.files}


def test_a_process_that_cannot_start_is_one_clear_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_files(tmp_path, {"a.py": "x = 1\n"})
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(StorageError, match=r"/bin/false: a worker process ended before it was ready \(exit code 1\)"):
        look_for(tmp_path, "x")


def test_files_that_change_after_the_walk(tmp_path: Path) -> None:
    write_files(tmp_path, {path: "x = 1\n" for path in ("gone.py", "grown.py", "shrunk.py", "folder.py", "pipe.py", "huge.py")})
    languages = load_languages()
    files = walk_tree(tmp_path, languages.wanted(MOST_BYTES)).files
    (tmp_path / "gone.py").unlink()
    (tmp_path / "grown.py").write_text("x = 1\n" * 1000 + "def found(): pass\n")
    (tmp_path / "shrunk.py").write_text("")
    (tmp_path / "folder.py").unlink()
    (tmp_path / "folder.py").mkdir()
    (tmp_path / "pipe.py").unlink()
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "huge.py").write_text("found = 1\n" * 300_000)
    sought = read_question(request_of("found"))
    assert sought is not None
    answer = Scanner(str(tmp_path), Finder(sought), MOST_BYTES).scan(Scan([(file.path, file.size) for file in files]))
    assert [files[place].path for place, _, _ in answer.holders] == ["grown.py"]
    assert [files[place].path for place in answer.unreadable] == ["folder.py", "gone.py", "pipe.py"]


def test_leaving_ends_every_process(tmp_path: Path, hanging_language: None) -> None:
    root = write_files(tmp_path / "tree", {"x.hang": "x", "a.py": "x = 1\n"})
    languages = load_languages()
    sought = read_question(request_of("x"))
    assert sought is not None
    with Scout(root, sought, languages, max_file_bytes=MOST_BYTES, file_seconds=10.0, n_workers=2) as scout:
        scout.feed(walk_tree(root, languages.wanted(MOST_BYTES)).files)
        scout.feed_done()
        while not scout.search(0.1).candidates:
            pass
        processes = [slot._process._process for slot in scout._slots if slot._process is not None]
        assert processes
    assert all(process.returncode is not None for process in processes)
    assert scout.search(60.0).complete is False  # and a late question is answered at once, with what there is


def test_ctrl_c_ends_it(tmp_path: Path, hanging_language: None) -> None:
    root = write_files(tmp_path / "tree", {"x.hang": "x", "y.hang": "x"})
    script = f"""
        from pathlib import Path
        from tests.search.test_unindexed import look_for
        print("ready", flush=True)
        look_for(Path({str(root)!r}), "x", seconds=60.0, file_seconds=60.0)
    """
    command = [sys.executable, "-c", textwrap.dedent(script)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, process_group=0)
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    time.sleep(1.0)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert errors.strip().endswith("KeyboardInterrupt")


# --- what is said --------------------------------------------------------------------------------------------------------------


def report_of(**more: object) -> ScoutReport:
    base = {
        "total_files": 24_000,
        "walked": True,
        "scanned_files": 24_000,
        "candidates": 1_204,
        "files": [FileSymbols("a", 1, 1)],
    }
    return msgspec.structs.replace(Work("").report(0.0), **{**base, **more})


SAID = [
    (report_of(), "1,204 of 24,000 files hold `Query`, the likeliest 1 of them were searched"),
    (report_of(complete=True, candidates=12), "all 12 of 24,000 files that hold `Query` were searched"),
    (report_of(complete=True, candidates=1), "the one of 24,000 files that holds `Query` was searched"),
    (report_of(complete=True, candidates=0), "none of 24,000 files holds `Query`"),
    (
        report_of(walked=False, scanned_files=800),
        "800 of the 24,000 files found so far were looked through, 1,204 hold `Query`, the likeliest 1 of them were searched",
    ),
    (
        report_of(complete=True, candidates=2, given_up=["a.py"], unreadable=["b.py", "c.py"]),
        "all 2 of 24,000 files that hold `Query` were searched; 2 could not be read, as b.py; 1 were given up, as a.py",
    ),
]


@pytest.mark.parametrize(("report", "said"), SAID)
def test_the_answer_says_what_was_searched(report: ScoutReport, said: str) -> None:
    found = describe_part(report, "Query")
    assert found == f"the index is still being built: {said}; misspelt and abbreviated names are found when it is there"


def test_a_walk_can_be_watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symindex.files.walk.WATCHED_FILES", 3)
    write_files(tmp_path, {f"{folder}/{i}.py": "" for folder in "abcdef" for i in range(2)})
    watched: list[list[FoundFile]] = []
    walk = walk_tree(tmp_path, load_languages().wanted(MOST_BYTES), watched.append)
    assert sorted(file.path for files in watched for file in files) == [file.path for file in walk.files]
    assert len(watched) > 2


def test_for_somebody_who_goes_on_typing_any_match_will_do() -> None:
    work = Work("Loader")
    work.add([FoundFile("a.py", 1, 0)])
    assert work.is_promising(any_will_do=False) and work.is_promising(any_will_do=True)
    work.parsed(FileSymbols("b.py", 1, 0), BEGINS_SO)
    assert work.is_promising(any_will_do=False) and not work.is_promising(any_will_do=True)


def test_what_is_being_parsed_is_waited_for() -> None:
    """Though nothing is left to be given out: on a busy machine the last file may take as long as all others."""
    work = Work("Loader")
    work.add([FoundFile("loader.py", 1, 0)])
    work.finish_adding()
    scan = work.next_order(True, 0.0)
    assert isinstance(scan, Scan)
    work.scanned(scan, Scanned([(0, GOOD, 1)], 1, []), [work.rank("loader.py", GOOD, 1)])
    read = work.next_order(True, 0.0)
    assert isinstance(read, Read) and read.paths == ["loader.py"]
    assert work.is_promising(any_will_do=False)
    work.was_read(read)
    assert not work.is_promising(any_will_do=False)
