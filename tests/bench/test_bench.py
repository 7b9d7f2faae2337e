"""Tests of the benchmark suite itself, untimed and offline: its data file, synthetic names, table
and results, and parts."""

import io
import json
import os
import re
import sys
import tarfile
import zipfile
from pathlib import Path

import msgspec
import pytest

import symindex
from tests.bench import __main__ as bench_main
from tests.bench.adapter import strong_test
from tests.bench.bare import share_out
from tests.bench.cold import cold_figures
from tests.bench.figures import (
    Figure,
    percentile,
    ratio_target,
    render_figures,
    results_line,
    value_target,
)
from tests.bench.packages import Package, PackageList, read_packages
from tests.bench.places import HERE, BenchError
from tests.bench.process import Run, run_command
from tests.bench.queries import count_by_hand, make_questions
from tests.bench.size import size_figures
from tests.bench.stages import STAGES
from tests.bench.synthetic import Shape, make_files
from tests.bench.synthetic_index import Truth, write_tree
from tests.bench.unpack import unpack_package
from tests.support.command import run_program

pytestmark = pytest.mark.nightly

SMALL = Shape(names=600, symbols=2_000, files=40)


def test_packages_are_well_formed() -> None:
    every = read_packages()
    assert len({package.folder for package in every.packages}) == len(every.packages) >= 30
    assert all(
        re.fullmatch(r"[0-9a-f]{64}", package.sha256) and package.version
        for package in every.packages
    )
    assert sum(package.quick for package in every.packages) >= 6
    assert all(re.fullmatch(r"\.[a-z]+", suffix) for suffix in every.suffixes)


def test_a_stamp_differs_when_the_corpus_would() -> None:
    package = Package("a", "npm", "1", "0" * 64)
    stamps = {
        PackageList("x", [".py"], []).stamp(package),
        PackageList("x", [".py", ".go"], []).stamp(package),
        PackageList("x", [".py"], []).stamp(Package("a", "npm", "2", "0" * 64)),
        PackageList("x", [".py"], []).stamp(Package("a", "npm", "1", "0" * 64, exclude=["b/*"])),
    }
    assert len(stamps) == 4


def archive(folder: Path, form: str) -> Path:
    """Makes an archive with files that are kept, files that are not, and one that would be written
    outside."""
    texts = {
        "p/src/a.py": "a",
        "p/src/deep/b.py": "b",
        "p/tests/c.py": "c",
        "p/src/d.txt": "d",
        "../out.py": "e",
    }
    path = folder / f"archive.{form}"
    if form == "zip":
        with zipfile.ZipFile(path, "w") as made:
            for name, text in texts.items():
                made.writestr(name, text)
        return path
    with tarfile.open(path, "w:xz") as made:
        for name, text in texts.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            made.addfile(member, io.BytesIO(text.encode()))
        link = tarfile.TarInfo("p/src/link.py")
        link.type, link.linkname = tarfile.SYMTYPE, "a.py"
        made.addfile(link)
    return path


@pytest.mark.parametrize("form", ["zip", "tar.xz"])
def test_only_files_of_the_corpus_are_unpacked(tmp_path: Path, form: str) -> None:
    every = PackageList("x", [".py"], [])
    package = Package("a", "npm", "1", "", exclude=["*/tests/*"])
    target = tmp_path / "tree" / "a"
    target.parent.mkdir()
    assert unpack_package(package, every, archive(tmp_path, form), target) == 2
    assert sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.py")) == [
        "tree/a/p/src/a.py",
        "tree/a/p/src/deep/b.py",
    ]
    assert (target / "p/src/deep/b.py").read_text() == "b"


def test_a_package_without_files_is_an_error(tmp_path: Path) -> None:
    package = Package("a", "npm", "1", "", include=["q/*"])
    with pytest.raises(BenchError, match="a 1: nothing in it is included"):
        unpack_package(
            package, PackageList("x", [".py"], []), archive(tmp_path, "zip"), tmp_path / "a"
        )


def test_synthetic_files_have_the_promised_shape() -> None:
    files = list(make_files(SMALL))
    symbols = [symbol for file in files for symbol in file.symbols]
    assert (len(files), len({file.path for file in files})) == (SMALL.files, SMALL.files)
    assert (len(symbols), len({symbol.name for symbol in symbols})) == (SMALL.symbols, SMALL.names)
    assert len({file.language for file in files}) >= 8
    assert len({symbol.kind for symbol in symbols}) >= 8
    for file in files:
        assert [symbol.name_start for symbol in file.symbols] == sorted(
            symbol.name_start for symbol in file.symbols
        )
        assert all(symbol.end_byte <= file.size + 1_000 for symbol in file.symbols)


def test_synthetic_files_depend_on_the_seed_alone() -> None:
    first, again = list(make_files(SMALL)), list(make_files(SMALL))
    assert first == again
    assert first != list(make_files(Shape(names=600, symbols=2_000, files=40, seed=2)))
    # A change here changes the corpus: figures from before and after it are not comparable.
    assert [next(iter(file.symbols)).name for file in first if file.symbols][:4] == [
        "unusedFdClose",
        "__getStrictEnforce",
        "mode",
        "MAX",
    ]


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("grown") / "small"
    write_tree(SMALL, folder)
    return folder


def read_truth(folder: Path) -> Truth:
    return msgspec.msgpack.decode((folder / "truth").read_bytes(), type=Truth)


def test_a_synthetic_index_opens_and_nothing_has_changed(grown: Path) -> None:
    with symindex.open(grown / "tree", grown / "index") as workspace:
        report = workspace.refresh()
        assert (report.read, report.removed, report.files, report.symbols) == (
            0,
            0,
            SMALL.files,
            SMALL.symbols,
        )
        assert workspace.search("").total == SMALL.symbols


@pytest.mark.slow
def test_questions_find_something_and_totals_are_as_counted(grown: Path) -> None:
    truth = read_truth(grown)
    questions = make_questions(truth, per_class=8)
    assert questions == make_questions(truth, per_class=8)
    with symindex.open(grown / "tree", grown / "index") as workspace:
        workspace.load()
        for label, rows in questions.items():
            assert rows, label
            for row in rows:
                answer = workspace.search(row.query, kinds=row.kinds, max_items=20)
                assert answer.total or label == "typo", (label, row.query)
        for label in ("exact", "prefix", "humps", "substring", "two letters", "kind filter"):
            for row in questions[label]:
                total = workspace.search(row.query, kinds=row.kinds, fuzzy=False).total
                assert total == count_by_hand(truth, row, strong_test(row.query)) > 0, (
                    label,
                    row.query,
                )


def test_percentiles() -> None:
    values = [float(i) for i in range(100, 0, -1)]
    assert [percentile(values, share) for share in (0.0, 0.5, 0.95, 1.0)] == [1, 50, 95, 100]
    assert percentile([3.0], 0.95) == 3


FIGURES = [
    Figure("cold", "speed", 12.345, "MB/s", 0.8, "bare parsing", ratio_target(">=", 0.75)),
    Figure("cold", "peak", 1234.5, "MB", target=value_target("<", 400)),
    Figure("warm", "nothing", 0.0, "ms"),
    Figure("size", "share", 1.0, "", None, "", ratio_target("<=", 0.1)),
]


def test_the_table() -> None:
    assert render_figures(FIGURES) == (
        "| part | figure  | value | unit | ratio | against      | target        | met |\n"
        "| ---- | ------- | ----: | ---- | ----: | ------------ | ------------- | --- |\n"
        "| cold | speed   |  12.3 | MB/s | 0.800 | bare parsing | ratio >= 0.75 | yes |\n"
        "| cold | peak    | 1,234 | MB   |       |              | < 400         | NO  |\n"
        "| warm | nothing |     0 | ms   |       |              |               |     |\n"
        "| size | share   |     1 |      |       |              | ratio <= 0.1  |     |\n"
    )


def test_the_line_of_results() -> None:
    line = results_line(FIGURES, date="2026-01-02", machine={"cores": 2})
    assert line.endswith(b"\n") and line.count(b"\n") == 1
    said = json.loads(line)
    assert (said["date"], said["machine"]) == ("2026-01-02", {"cores": 2})
    assert said["figures"][0] == {
        "part": "cold", "name": "speed", "value": 12.35, "unit": "MB/s", "ratio": 0.8, "against": "bare parsing",
        "target": "ratio >= 0.75", "met": True,
    }  # fmt: skip
    assert said["figures"][2] == {"part": "warm", "name": "nothing", "value": 0, "unit": "ms"}


def test_kept_results_can_be_read() -> None:
    for line in (HERE / "results.jsonl").read_text().splitlines():
        assert {"date", "version", "commit", "machine", "corpus", "figures"} <= set(
            json.loads(line)
        )


def test_cold_figures_take_the_best_round() -> None:
    seconds = {
        "symindex": [5.0, 4.0],
        "bare parsing": [3.0, 3.5],
        "ctags JSON": [8.0, 9.0],
        "ctags": [4.0, 4.0],
        "ast-grep": [2.0, 2.0],
    }
    runs = {name: [Run(wall, 2 * wall) for wall in walls] for name, walls in seconds.items()}
    figures = cold_figures(runs, {"symindex": 300.0, "bare parsing": 100.0}, 40_000_000)
    by_name = {(figure.name, figure.against): figure for figure in figures}
    speed = by_name["speed", "bare parsing"]
    assert (speed.value, speed.ratio, speed.met) == (10.0, 0.75, True)
    wall = by_name["wall", "ctags JSON"]
    assert (wall.value, wall.ratio, wall.met) == (4.0, 0.5, True)
    assert by_name["processor time", "bare parsing"].ratio == pytest.approx(8 / 6)
    assert by_name["peak memory", "bare parsing"].met is True


def test_size_figures() -> None:
    status = {
        "symbols": 100,
        "index_bytes": 12_000,
        "languages": [{"bytes": 60_000}, {"bytes": 40_000}],
        "columns": {
            "block_blob": 5_900,
            "block_offset": 60,
            "block_first": 40,
            "name_blob": 900,
            "kind": 50,
        },
    }
    figures = {figure.name: figure for figure in size_figures(status)}
    assert (figures["bytes a symbol"].value, figures["bytes a symbol"].met) == (60.0, True)
    assert (figures["index"].ratio, figures["index"].met) == (0.12, True)
    assert "column name_blob" in figures and "column kind" not in figures


def test_shares_are_even_and_complete() -> None:
    shares = share_out([9, 1, 1, 8, 5, 4], 2)
    assert sorted(item for share in shares for item in share) == list(range(6))
    assert [sum([9, 1, 1, 8, 5, 4][item] for item in share) for share in shares] == [14, 14]


@pytest.mark.skipif(not hasattr(os, "wait4"), reason="needs a system that counts children's time")
def test_a_command_is_run_with_its_children_and_a_failure_says_why(tmp_path: Path) -> None:
    child = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'x = sum(range(3_000_000)); print(1)'])"
    run = run_command([sys.executable, "-c", child], output=tmp_path / "output")
    assert (tmp_path / "output").read_text() == "1\n"
    assert run.cpu_seconds > 0 and run.peak_bytes == 0
    with pytest.raises(BenchError, match="exit code 3: gone"):
        run_command(
            [sys.executable, "-c", "import sys; print('gone', file=sys.stderr); sys.exit(3)"]
        )
    with pytest.raises(BenchError, match="no-such-command: not here"):
        run_command(["no-such-command"])


@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="needs Linux' /proc")
def test_the_memory_of_children_is_weighed() -> None:
    child = "import time; x = bytearray(60_000_000); time.sleep(0.3)"
    both = f"import subprocess, sys; p = subprocess.Popen([sys.executable, '-c', {child!r}]); {child}; p.wait()"
    assert 120e6 < run_command([sys.executable, "-c", both], weigh=True).peak_bytes < 200e6


def test_each_stage_of_a_cold_index_is_a_function_that_is_there() -> None:
    assert [
        (stage, name) for stage, owner, name in STAGES if not callable(getattr(owner, name, None))
    ] == []


def test_an_unknown_part_is_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["bench", "hot"])
    with pytest.raises(SystemExit) as exited:
        bench_main.main()
    assert exited.value.code == 2
    assert "no part 'hot': expected one of corpora, cold" in capsys.readouterr().err


def test_every_module_is_in_the_readme_and_small() -> None:
    text = (HERE / "README.md").read_text()
    for path in HERE.glob("*.py"):
        assert (
            path.name == "__init__.py" or path.name.startswith("test_") or f"`{path.stem}`" in text
        )
        assert len(path.read_text().splitlines()) <= 400


def test_the_command_says_what_it_can_do() -> None:
    done = run_program([sys.executable, "-m", "tests.bench", "--help"], check=True)
    assert all(part in done.stdout for part in bench_main.PARTS)
