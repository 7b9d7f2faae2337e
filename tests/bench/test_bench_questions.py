"""Tests of the benchmarks of questions in words: the questions, the right answers, the score.
Nothing is measured here."""

import math
from collections import Counter
from itertools import product
from pathlib import Path

import msgspec
import pytest

from tests.bench import __main__ as bench_main
from tests.bench import finders, questions, semble
from tests.bench.finders import (
    BM25,
    OURS,
    RIPGREP,
    ChunkIndex,
    Hit,
    by_file,
    content_words,
    open_finders,
    stems_of,
)
from tests.bench.packages import read_packages
from tests.bench.places import Bench, BenchError
from tests.bench.questions import (
    BY_FILE,
    HALVES,
    TREES,
    WORDS,
    Asked,
    Question,
    check_answers,
    read_questions,
)
from tests.bench.semble import Target, ndcg
from tests.support.files import write_files

pytestmark = pytest.mark.nightly

TREE = {
    "src/retry.py": "class Backoff:\n    def delay_of(self, attempt):\n        '''Seconds until a request is retried.'''\n",
    "src/cookies.py": "def parse_cookies(header):\n    '''Cookies of a response.'''\n",
    "src/data.bin": "retry retry retry\n",
}
ASKED = Question(
    "terms",
    "tune",
    "django",
    "when is a request retried",
    ("src/retry.py:2 Backoff.delay_of", "src/retry.py:1 Backoff"),
)

FAKE_RIPGREP = """#!/bin/sh
for word; do last=$previous; previous=$word; done
case $last in
    retried) echo "./src/retry.py:1" ;;
    request) printf './src/retry.py:1\\n./src/other.py:9\\n' ;;
    broken) echo 'regex: no' >&2; exit 2 ;;
    *) exit 1 ;;
esac
"""


def test_gain_falls_with_the_rank() -> None:
    hits = [Hit("a.py"), Hit("b.py"), Hit("c.py")]
    second = 1 / math.log2(3)
    assert ndcg(hits, [Target("a.py")]) == 1
    assert ndcg(hits, [Target("b.py")]) == second
    assert ndcg(hits, [Target("a.py"), Target("d.py")]) == pytest.approx(1 / (1 + second))
    assert ndcg(hits, [Target("a.py"), Target("b.py")]) == 1
    assert ndcg(hits, [Target("d.py")]) == ndcg(hits, []) == ndcg([], [Target("a.py")]) == 0


def test_only_ten_hits_count() -> None:
    hits = [Hit(f"{n}.py") for n in range(11)]
    assert ndcg(hits, [Target("9.py")]) > 0 == ndcg(hits, [Target("10.py")])
    assert ndcg(hits, [Target(hit.path) for hit in hits]) == 1


def test_a_file_that_comes_again_takes_a_place() -> None:
    hits = [Hit("a.py", 1, 2), Hit("a.py", 5, 9), Hit("b.py", 1, 9)]
    assert ndcg(hits, [Target("b.py")]) == 0.5 < ndcg(by_file(hits), [Target("b.py")])
    assert by_file(hits) == [Hit("a.py"), Hit("b.py")]


def test_paths_match_from_their_ends() -> None:
    assert (
        ndcg([Hit("src/a.py")], [Target("a.py")]) == ndcg([Hit("a.py")], [Target("src/a.py")]) == 1
    )
    assert ndcg([Hit("src/aa.py")], [Target("a.py")]) == 0


def test_lines_of_a_target_must_be_shown() -> None:
    target = Target("a.py", 10, 20)
    assert ndcg([Hit("a.py", 1, 9)], [target]) == ndcg([Hit("a.py", 21, 30)], [target]) == 0
    assert (
        ndcg([Hit("a.py", 1, 10)], [target])
        == ndcg([Hit("a.py", 20, 30)], [target])
        == ndcg([Hit("a.py")], [target])
        == 1
    )


@pytest.mark.parametrize(
    ("query", "kind"),
    [
        ("parseCookies", "symbol"),
        ("how are cookies parsed", "architecture"),
        ("parsing of cookies", "semantic"),
    ],
)
def test_the_form_of_a_question_decides_its_kind(query: str, kind: str) -> None:
    assert semble.Question(query, ("a.py",)).kind == kind
    assert semble.Question(query, ("a.py",), category="other").kind == "other"


def make_data(folder: Path) -> tuple[Path, Path]:
    """Makes a folder like semble's `benchmarks`, with a question about a tree next to it and one
    about a missing tree."""
    asked = {
        "query": "parsing of cookies",
        "relevant": ["cookies.py"],
        "secondary": [{"path": "src/retry.py"}],
    }
    repos = [
        {"name": "tiny", "language": "python", "url": "", "revision": "", "benchmark_root": "src"},
        {"name": "gone", "language": "go", "url": "", "revision": ""},
    ]
    annotations = {
        f"annotations/{name}.json": msgspec.json.encode([asked]) for name in ("tiny", "gone")
    }
    data = write_files(folder / "data", {"repos.json": msgspec.json.encode(repos), **annotations})
    write_files(folder / "trees" / "tiny", TREE)
    return data, folder / "trees"


def test_public_questions_are_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data, trees = make_data(tmp_path)
    monkeypatch.setattr(finders, "which", lambda _: None)
    monkeypatch.setattr(
        "sys.argv", ["bench", "semble", str(data), str(trees), "--repos", "tiny", "--each"]
    )
    assert bench_main.main() == 0
    out, err = capsys.readouterr()
    assert "cookies.py parse_cookies" in out
    table = out[out.index("| |") :].splitlines()
    assert table[0] == "| | questions | by file | by rows | by lines | BM25 |"
    assert [row.split(" | ")[0] for row in table[2:]] == ["| tiny (python)", "| semantic", "| all"]
    share = 1 / (1 + 1 / math.log2(3))  # one of the two files contains none of the words
    assert table[2].startswith(f"| tiny (python) | 1 | {share:.3f} |")
    assert f"{share:.3f} (target 0.84: NO)" in table[-1]
    assert "ripgrep is not here" in err


def test_a_missing_tree_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data, trees = make_data(tmp_path)
    assert semble.main([str(data), str(trees)]) == 2
    out, err = capsys.readouterr()
    assert f"gone: {trees / 'gone'}: no such folder" in err and "| tiny (python) | 1 |" in out
    with pytest.raises(BenchError, match="no questions"):
        semble.main([str(data), str(trees), "--repos", "gone"])
    with pytest.raises(BenchError, match="lists no other"):
        semble.main([str(data), str(trees), "--repos", "other"])
    with pytest.raises(BenchError, match="DATA must be"):
        semble.main([str(trees), str(trees)])


def test_words_that_say_nothing_are_left_out() -> None:
    assert content_words("how are the cookies parsed") == ["cookies", "parsed"]
    assert content_words("what is that") == ["what", "is", "that"]
    assert list(stems_of("parseCookies HTTPServer2 größe")) == [
        "parsecooki",
        "pars",
        "cooki",
        "httpserver2",
        "http",
        "server",
        "2",
        "größe",
    ]


def test_chunks_are_found_by_stems(tmp_path: Path) -> None:
    root = write_files(tmp_path, {**TREE, "long.py": "x = 1\n" * 60 + "cookie = 1\n"})
    index = ChunkIndex(root)
    assert [hit.path for hit in index.find("the retrying of requests")] == ["src/retry.py"]
    assert index.find("cookie")[1] == Hit("long.py", 51, 61)
    assert index.find("nowhere") == []
    assert ChunkIndex(tmp_path / "src" / "none").find("cookie") == []


def test_ripgrep_ranks_by_words_then_by_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = tmp_path / "rg"
    command.write_text(FAKE_RIPGREP)
    command.chmod(0o700)
    monkeypatch.setattr(finders, "which", lambda _: str(command))
    with open_finders(write_files(tmp_path / "tree", TREE)) as by_name:
        assert list(by_name) == [OURS, RIPGREP, BM25]
        assert by_name[RIPGREP](ASKED.text) == [Hit("src/retry.py"), Hit("src/other.py")]
        assert by_name[OURS](ASKED.text)[0] == Hit("src/retry.py", 2, 3, 2, "Backoff.delay_of")
        with pytest.raises(BenchError, match="rg: regex: no"):
            by_name[RIPGREP]("broken")


def test_the_questions_are_complete() -> None:
    every = read_questions()
    assert Counter((question.words, question.half) for question in every) == dict.fromkeys(
        product(WORDS, HALVES), 40
    )
    assert len({question.text for question in every}) == len(every)
    assert {question.tree for question in every} == set(TREES)
    folders = {package.folder for package in read_packages().packages}
    for question in every:
        assert TREES[question.tree].parts[0] in folders
        assert 1 <= len(set(question.answers)) == len(question.answers) <= 4, question.text


def test_no_question_is_a_name() -> None:
    for question in read_questions():
        asked = {stem for word in content_words(question.text) for stem in stems_of(word)}
        for answer in question.answers:
            assert asked != set(stems_of(answer.rpartition(".")[2])), question.text


@pytest.mark.parametrize(
    ("hit", "is_right"),
    [
        (Hit("src/retry.py", 2, 3, 2, "Backoff.delay_of"), True),
        (Hit("src/retry.py", 9, 9, 9, "space.Backoff.delay_of"), True),
        (Hit("src/retry.py", 9, 9, 9, "Other.delay_of"), False),
        (Hit("src/cookies.py", 2, 2, 2, "Backoff.delay_of"), False),
        (Hit("src/retry.py", 2, 50), True),
        (Hit("src/retry.py", 51, 100), False),
        (Hit("src/retry.py"), False),
    ],
)
def test_a_hit_is_right_where_it_shows_an_answer(hit: Hit, is_right: bool) -> None:
    assert ASKED.is_right(hit) == is_right
    assert ASKED.is_right_file(hit) == (hit.path == "src/retry.py")


def test_answers_are_checked_against_the_tree(tmp_path: Path) -> None:
    root = write_files(tmp_path, TREE)
    check_answers(ASKED, root)
    for answer in (
        "src/retry.py:3 Backoff.delay_of",
        "src/retry.py:99 Backoff",
        "src/none.py:1 Backoff",
    ):
        with pytest.raises(BenchError, match=r"questions\.toml: when is a request retried: src/"):
            check_answers(msgspec.structs.replace(ASKED, answers=(answer,)), root)


def test_questions_are_asked_and_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bench = Bench(tmp_path)
    write_files(bench.code / "django", TREE)
    missed = msgspec.structs.replace(
        ASKED, text="how long to wait", answers=("src/cookies.py:1 parse_cookies",)
    )
    held = msgspec.structs.replace(missed, half="held")
    wanted: list[set[str]] = []
    monkeypatch.setattr(questions, "read_questions", lambda: [ASKED, missed, held])
    monkeypatch.setattr(questions, "make_corpus", lambda _, only: wanted.append(only) or [])
    monkeypatch.setattr(finders, "which", lambda _: None)
    figures = {figure.name: figure for figure in questions.measure(bench)}
    assert figures[f"terms, tune: right in the first 5: {OURS}"].ratio == 0.5
    assert figures[f"terms, held: right in the first 20: {OURS}"].met is False
    assert figures[f"terms, tune: right in the first 5: {BM25}{BY_FILE}"].target is None
    assert not any(RIPGREP in name or "plain" in name for name in figures)
    assert questions.measure(Bench(tmp_path, quick=True)) == []
    monkeypatch.setattr("sys.argv", ["questions", "--corpora", str(tmp_path), "--each"])
    assert questions.main() == 0 and wanted == [{"django"}]
    output = capsys.readouterr().out
    assert (
        f"{ASKED.text}: {OURS} 1, {BM25} 1" in output
        and output.count("expected src/cookies.py:1 parse_cookies") == 1
    )


def test_ranks_are_counted_up_to_the_limit() -> None:
    ranks = [{OURS: rank, OURS + BY_FILE: 1, RIPGREP + BY_FILE: 1} for rank in (0, 1, 5, 6, 20, 21)]
    figures = questions._figures([Asked(ASKED, by_finder, ()) for by_finder in ranks])
    assert [(figure.name.partition("first ")[2], figure.value) for figure in figures] == [
        ("5: symindex", 2),
        ("5: symindex, by file", 6),
        ("5: ripgrep, by file", 6),
        ("20: symindex", 4),
        ("20: symindex, by file", 6),
        ("20: ripgrep, by file", 6),
    ]
