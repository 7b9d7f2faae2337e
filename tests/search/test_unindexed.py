"""The scan finds what the index finds, reads the likeliest files first, keeps its time limit, and
reports what it did not search."""

import random
import re
import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from symindex.extract import read as read_module
from symindex.extract.languages.registry import load_languages
from symindex.extract.path_flags import path_flags
from symindex.extract.records import FileSymbols, ReadTask
from symindex.files.access.beneath import Beneath
from symindex.files.walk import FoundFile, walk_tree
from symindex.protocol.search import SearchItem
from symindex.search.match.names import Tier, tier_of
from symindex.search.unindexed.before_index import describe_scan, scan_tree
from symindex.search.unindexed.prefilter import GOOD, Finder
from symindex.search.unindexed.scan import ScanSeconds, TreeScan
from symindex.search.unindexed.scan_job import ReadFiles, ScanAnswer, ScanFiles, scan_files
from symindex.search.unindexed.scan_query import make_prefilter
from symindex.search.unindexed.work_queue import BEGINS_WITH_NAME, ScanReport, Work
from symindex.workspace.workspace import Workspace
from tests.support.files import Files, write_files
from tests.support.scanning import MOST_BYTES, answer_early, look_for, names_of, plan_of, request_of

FIXTURES = Path(__file__).parents[2] / "fixtures" / "symbols"
QUICK_LANGUAGES = ("python", "java", "go", "rust", "bash")
"""Languages with enough kinds of names, whose queries compile quickly."""


@pytest.fixture(scope="module")
def fixtures(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """An indexed tree with annotated sources of some languages and names in other scripts."""
    folder = tmp_path_factory.mktemp("scan")
    for language in QUICK_LANGUAGES:
        shutil.copytree(FIXTURES / language, folder / "tree" / language)
    write_files(
        folder / "tree",
        {"naïve/größe.py": "class Größe: pass\ndef café_bar(): pass\ndef 関数(): pass\n"},
    )
    with Workspace(folder / "tree", folder / "index") as workspace:
        workspace.refresh()
        yield workspace


@pytest.fixture(scope="module")
def parsed(fixtures: Workspace) -> dict[str, FileSymbols]:
    """The symbols of every fixture, as a scan parses it."""
    files = {}
    for entry in walk_tree(fixtures.root, fixtures.source.languages.wanted(MOST_BYTES)).files:
        with Beneath(fixtures.root) as tree:
            file = read_module.read_file(
                tree, ReadTask(entry.path), fixtures.source.languages, MOST_BYTES
            )
        file.flags |= int(
            path_flags(entry.path, fixtures.source.languages.by_id.get(file.language))
        )
        files[entry.path] = file
    return files


def strong(items: list[SearchItem]) -> list[tuple[Tier, str]]:
    """Returns the rows with their tiers, for the tiers in which a scan is complete: it reports hump
    matches only if it meets them. The order within a tier depends on the use of names, which a scan
    knows only for the files it has read."""
    tiers = [(tier_of(float(item.score)), str(item.id)) for item in items]  # type: ignore[arg-type]
    return sorted((tier, item_id) for tier, item_id in tiers if tier is not Tier.HUMPS)


def needles(names: list[str]) -> Iterator[str]:
    """Yields names, and the forms of them that people type."""
    rng = random.Random(7)
    for name in rng.sample(names, 60):
        cut = rng.randrange(1, len(name) + 1)
        yield rng.choice(
            [
                name,
                name.lower(),
                name.upper(),
                name.replace("_", ""),
                name[:cut],
                name[cut - 1 :],
                f"{name[:2]}_{name[2:]}",
            ]
        )


@pytest.mark.slow
def test_a_scan_with_all_time_answers_as_the_index_does(
    fixtures: Workspace, parsed: dict[str, FileSymbols]
) -> None:
    names = [
        name
        for name in fixtures.source.indexed.snapshot.parts[0].index.names.all
        if not re.search(r"[\s\"*()]", name)
    ]
    n_rows = 0
    for needle in needles(names):
        request = request_of(needle)
        prefilter = make_prefilter(plan_of(request))
        if prefilter is None:
            assert not needle.strip(".") or needle[0] == "-"  # which excludes a name
            continue
        paths = list(parsed)
        found_in = scan_files(str(fixtures.root), paths, Finder(prefilter), MOST_BYTES).candidates
        held = {paths[place] for place, _, _ in found_in}
        # Files without the letters are never parsed; files with them may have no hit.
        report = ScanReport(files=[parsed[path] for path in sorted(held)])
        expected = strong(fixtures.search(request).items)
        assert strong(answer_early(report, request, fixtures.source.languages).items) == expected, (
            needle
        )
        n_rows += len(expected)
    assert n_rows > 200


@pytest.mark.sample(2)
@pytest.mark.slow
@pytest.mark.parametrize(
    "query",
    [
        "Shape",
        "grosse",
        "shape kind:class",
        "area of shapes",
        "doc:degrees OR thermometer",
        'signature:"value float"',
        '"celsius self"',
    ],
)
def test_the_processes_find_what_the_index_finds(query: str, fixtures: Workspace) -> None:
    """Only the rows of questions are compared, since their scores depend on the files that were
    read."""
    report = look_for(fixtures.root, query)
    assert report.complete and not report.given_up and not report.unreadable
    walk = walk_tree(fixtures.root, fixtures.source.languages.wanted(MOST_BYTES))
    assert report.scanned_files == report.total_files == len(walk.files)
    assert len(report.files) == report.candidates
    request = request_of(query)
    expected = fixtures.search(request)
    page = answer_early(report, request, fixtures.source.languages)
    if " " in query:
        assert sorted(item.id for item in page.items) == sorted(item.id for item in expected.items)  # type: ignore[type-var]
        assert page.items
    else:
        assert strong(page.items) == strong(expected.items)


@pytest.mark.nightly
def test_the_likeliest_candidate_is_parsed_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files: Files = {f"use{i}.py": f"from shapes import Shape\nx{i} = Shape()\n" for i in range(40)}
    write_files(tmp_path, {**files, "zz.py": "class Shape:\n    pass\n"})
    languages = load_languages()
    prefilter = make_prefilter(plan_of(request_of("Shape")))
    assert prefilter is not None
    with TreeScan(
        tmp_path, prefilter, languages, max_file_bytes=MOST_BYTES, file_seconds=10.0, n_workers=1
    ) as scan:
        scan.feed(walk_tree(tmp_path, languages.wanted(MOST_BYTES)).files)
        scan.feed_done()
        first = scan.search(ScanSeconds(0.0, 60.0))
    assert first.candidates == 41
    assert "Shape" in names_of(first) and "zz.py" in [file.path for file in first.files]


@pytest.mark.nightly
def test_a_declaration_is_not_enough_while_its_definition_may_come(tmp_path: Path) -> None:
    """Headers are small and contain the name as definitions do, so they are parsed first."""
    headers: Files = {f"h{number:02}.h": "int shape(int a);\n" for number in range(40)}
    write_files(tmp_path, {**headers, "z.c": "int\nshape(int a)\n{\n    return a;\n}\n"})
    languages = load_languages()
    prefilter = make_prefilter(plan_of(request_of("shape")))
    assert prefilter is not None
    with TreeScan(
        tmp_path, prefilter, languages, max_file_bytes=MOST_BYTES, file_seconds=10.0, n_workers=1
    ) as scan:
        scan.feed(walk_tree(tmp_path, languages.wanted(MOST_BYTES)).files)
        scan.feed_done()
        first = scan.search(ScanSeconds(0.0, 60.0))
    assert "z.c" in [file.path for file in first.files]
    response = answer_early(first, request_of("shape"), languages)
    assert response.items[0].file_path == "z.c"


ENOUGH = [
    ("Shape", {"a.py": "class shape: pass\n"}, True),
    ("Shape", {"a.py": "class Shapes: pass\n"}, True),
    ("Shape", {"a.py": "def reshape(): Shape\n"}, False),
    ("sh*pe", {"a.py": "class Shape: pass\n"}, True),
    ("shape", {"a.h": "int shape(void);\n"}, True),
]


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize(("query", "files", "is_enough"), ENOUGH)
def test_what_is_enough(query: str, files: Files, is_enough: bool, tmp_path: Path) -> None:
    report = look_for(write_files(tmp_path, files), query, n_workers=1)
    assert (report.is_enough, report.complete) == (is_enough, True)


@pytest.mark.nightly
def test_walk_scan_and_answer_in_one(fixtures: Workspace) -> None:
    request = request_of("grosse", paths=["*.py"])
    wanted = fixtures.source.languages.wanted(MOST_BYTES)
    prefilter = make_prefilter(plan_of(request))
    assert prefilter is not None and make_prefilter(plan_of(request_of(""))) is None
    report = scan_tree(
        fixtures.root,
        prefilter,
        plan_of(request),
        fixtures.source.languages,
        wanted,
        10.0,
        ScanSeconds(60.0),
    )
    assert (
        strong(answer_early(report, request, fixtures.source.languages).items)
        == strong(fixtures.search(request).items)
        != []
    )
    assert report.scanned_files < fixtures.source.indexed.snapshot.n_files or not report.walked


def test_it_goes_on_while_that_is_promising(tmp_path: Path) -> None:
    """A busy machine may exceed the time limit, but the likeliest file is still parsed."""
    files = {f"use{i}.py": "from shapes import Shape\n" for i in range(40)}
    root = write_files(tmp_path, {**files, "zz.py": "class Shape:\n    pass\n"})
    languages = load_languages()
    prefilter = make_prefilter(plan_of(request_of("Shape")))
    assert prefilter is not None

    def search(most_seconds: float) -> ScanReport:
        with TreeScan(
            root, prefilter, languages, max_file_bytes=MOST_BYTES, file_seconds=10.0, n_workers=1
        ) as scan:

            def feed() -> None:
                scan.feed(walk_tree(root, languages.wanted(MOST_BYTES)).files)
                scan.feed_done()

            late = threading.Timer(0.5, feed)
            late.start()
            report = scan.search(ScanSeconds(0.1, 0.2, most_seconds))
            late.join()
        return report

    assert "Shape" not in names_of(search(0.0))
    started = time.monotonic()
    assert "Shape" in names_of(search(60.0)) and time.monotonic() < started + 30


def report_of(**more: object) -> ScanReport:
    files = [FileSymbols("a", 1, 1)]
    base = ScanReport(
        total_files=24_000, walked=True, scanned_files=24_000, candidates=1_204, files=files
    )
    return msgspec.structs.replace(base, **more)


SAID = [
    (
        report_of(),
        "1,204 of 24,000 files contain `Query`, and the 1 most likely of them were searched",
    ),
    (
        report_of(complete=True, candidates=12),
        "all 12 of 24,000 files that contain `Query` were searched",
    ),
    (
        report_of(complete=True, candidates=1),
        "the one of 24,000 files that contains `Query` was searched",
    ),
    (report_of(complete=True, candidates=0), "none of 24,000 files contains `Query`"),
    (
        report_of(walked=False, scanned_files=800),
        "800 of the 24,000 files found so far were read, 1,204 contain `Query`, and the 1 most likely of them were searched",
    ),
    (
        report_of(complete=True, candidates=2, given_up=["a.py"], unreadable=["b.py", "c.py"]),
        "all 2 of 24,000 files that contain `Query` were searched; 2 could not be read, as b.py; 1 were given up, as a.py",
    ),
]


@pytest.mark.parametrize(("report", "said"), SAID)
def test_the_answer_says_what_was_searched(report: ScanReport, said: str) -> None:
    notice = describe_scan(report, "Query")
    assert (
        notice
        == f"the index is still being built: {said}; misspelt and abbreviated names are found once it is complete"
    )


def test_a_walk_can_be_watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symindex.files.walk.WATCHED_FILES", 3)
    write_files(tmp_path, {f"{folder}/{i}.py": "" for folder in "abcdef" for i in range(2)})
    watched: list[list[FoundFile]] = []
    walk = walk_tree(tmp_path, load_languages().wanted(MOST_BYTES), watched.append)
    assert sorted(file.path for files in watched for file in files) == [
        file.path for file in walk.files
    ]
    assert len(watched) > 2


def test_any_match_is_enough_while_the_user_types() -> None:
    work = Work("Loader")
    work.add([FoundFile("a.py", 1, 0)])
    assert work.is_promising(any_will_do=False) and work.is_promising(any_will_do=True)
    work.parsed(FileSymbols("b.py", 1, 0), BEGINS_WITH_NAME)
    assert work.is_promising(any_will_do=False) and not work.is_promising(any_will_do=True)


def test_files_being_parsed_are_awaited() -> None:
    """No work is left to assign, but on a busy machine the last file may take as long as all
    others."""
    work = Work("Loader")
    work.add([FoundFile("loader.py", 1, 0)])
    work.finish_adding()
    scan = work.next_order(True, 0.0)
    assert isinstance(scan, ScanFiles)
    work.scanned(scan, ScanAnswer([(0, GOOD, 1)], []))
    read = work.next_order(True, 0.0)
    assert isinstance(read, ReadFiles) and read.paths == ["loader.py"]
    assert work.is_promising(any_will_do=False)
    work.was_read(read)
    assert not work.is_promising(any_will_do=False)
