"""The questions in several phrasings, and how their answers are counted."""

from collections import Counter
from pathlib import Path

from symindex.protocol.search import MOST_PHRASINGS, SearchItem
from tests.bench.phrasings import (
    HALVES,
    Project,
    Question,
    Questions,
    measure,
    read_questions,
)
from tests.support.files import write_files


def test_the_questions_are_complete() -> None:
    questions = read_questions()
    names = [project.name for project in questions.project]
    assert len({*names}) == 4 and all(len(project.commit) == 40 for project in questions.project)
    assert Counter(question.project for question in questions.question) == dict.fromkeys(names, 15)
    assert Counter(question.half for question in questions.question) == dict.fromkeys(HALVES, 30)
    for question in questions.question:
        assert len({*question.phrasings}) == 4 < MOST_PHRASINGS
        assert question.text not in question.phrasings
        assert all(path and name for path, _, name in (a.partition("#") for a in question.answers))


def test_which_rows_answer() -> None:
    question = Question("p", "tune", "q", [], ["src/a.py#Box.add", "src/b.py#Lid"])

    def row(path: str, name: str, container: str | None = None) -> list[SearchItem]:
        return [SearchItem(name=name, kind="x", file_path=path, line=1, container=container)]

    assert question.has_symbol(row("src/a.py", "add", "Box"))
    assert question.has_symbol(row("src/a.py", "add", "space.Box"))
    assert not question.has_symbol(row("src/a.py", "add", "InBox"))
    assert not question.has_symbol(row("src/b.py", "add", "Box"))
    assert not question.has_symbol(row("a.py", "add", "Box")) and not question.has_symbol([])
    assert question.has_file(row("src/b.py", "other")) and not question.has_file(row("b.py", "Lid"))


def test_each_way_is_counted(tmp_path: Path) -> None:
    write_files(tmp_path / "shop", {"a.py": "def add_price(): ...\n", "b.py": "def lend(): ...\n"})
    asked = [
        Question("shop", "tune", "what does it cost", ["add price", "zzqq"], ["a.py#add_price"]),
        Question("shop", "held", "lend", ["qqzz", "zzqq"], ["b.py#lend"]),
    ]
    questions = Questions([Project("shop", "o/shop", "0" * 40, "Python", "")], asked)
    assert measure(tmp_path, questions) == {
        "the question alone": [(1, 0, 0), (1, 1, 1)],
        "the first phrasing alone": [(1, 1, 1), (1, 0, 0)],
        "four phrasings": [(1, 1, 1), (1, 0, 0)],
        "the question and four phrasings": [(1, 1, 1), (1, 1, 1)],
    }
