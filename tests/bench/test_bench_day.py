"""Tests of the bench of an agent's day: it draws questions whose answers are right, and judges
answers correctly. Nothing is timed here."""

import random
from pathlib import Path

import pytest

from tests.bench.day import ask_rg, is_right, places_in
from tests.bench.day_indexer import is_right_anywhere
from tests.bench.day_questions import (
    Asked,
    _callers,
    _errors,
    _implementations,
    _overview,
    read_project,
)
from tests.support.files import write_files

pytestmark = pytest.mark.nightly

TREE: dict[str, str | bytes] = {
    "pkg/base.py": "class BaseThing:\n    def compute_all(self):\n        raise ValueError('the %s value is not allowed here' % self)\n",
    "pkg/one.py": "from .base import BaseThing\n\n\nclass OneThing(BaseThing):\n    pass\n\n\ndef use_it(x):\n    x.compute_all()\n",
    "pkg/two.py": "class TwoThing(BaseThing):\n    def go(self):\n        self.compute_all()\n",
}  # fmt: skip


def test_questions_are_drawn_with_their_right_answers(tmp_path: Path) -> None:
    every = read_project(write_files(tmp_path / "tree", TREE))
    assert [symbol.qualified for symbol in every] == [
        "BaseThing",
        "BaseThing.compute_all",
        "OneThing",
        "use_it",
        "TwoThing",
        "TwoThing.go",
    ]
    (called,) = _callers([symbol for symbol in every if symbol.name == "compute_all"], every)
    assert called.places == ("pkg/one.py:9", "pkg/two.py:3")
    (inherited,) = _implementations(every[:1], every)
    assert inherited.places == ("pkg/one.py:4", "pkg/two.py:1")
    (message,) = _errors(every[1:2], tmp_path)
    assert (
        message.arguments["name"] == "the Widget7 value is not allowed here"
        and "pkg/base.py:3" in message.places
    )
    assert random.Random("19 a").random() == random.Random("19 a").random()


def test_an_answer_is_judged_by_its_places_and_words() -> None:
    text = "# References\n\nsrc/a.py\n- 12 `f` (+2: 15, 20): `g()`\n\n```python\n 7 def f(self.x):\n 8     pass\n```\nsrc/b.py:3\n"
    assert places_in(text) == {
        "src/a.py:12",
        "src/a.py:15",
        "src/a.py:20",
        "src/a.py:7",
        "src/a.py:8",
        "src/b.py:3",
    }
    asked = Asked("callers", "?", "references", {}, ("src/a.py:12", "src/b.py:3"), "x", ("pass",))
    assert (
        is_right(asked, text)
        and not is_right(asked, text.replace("b.py:3", "b.py:4"))
        and not is_right(asked, text.replace("pass", ""))
    )
    assert is_right(
        Asked("tests", "?", "x", {}, ("src/a.py:12", "z.py:1"), "x", any_is_enough=True), text
    )


def test_an_overview_has_the_classes_that_documents_name(tmp_path: Path) -> None:
    named = {f"Thing{n}": 9 - n for n in range(7)}
    docs = "".join(
        f":class:`{name}` :class:`~a.b.{name}` :class:`this <a.{name}>`\n" * count
        for name, count in named.items()
    )
    files = {
        "a.py": "".join(f"class {name}:\n    pass\n" for name in named),
        "docs/a.rst": docs + ":class:`Elsewhere`\n" * 99,
    }
    root = write_files(tmp_path / "tree", dict(files))
    (asked,) = _overview(root, read_project(root))
    assert (asked.words, asked.least) == (("Thing0", "Thing1", "Thing2", "Thing3", "Thing4"), 3)
    assert is_right(asked, "Thing1, Thing2 and Thing4") and not is_right(
        asked, "Thing1, Thing2 and Thing"
    )


def test_an_answer_of_the_other_indexer_may_have_any_form(tmp_path: Path) -> None:
    root = write_files(tmp_path / "tree", {"pkg/a.py": "def f():\n    return 'done'\n"})
    asked = Asked("callers", "?", "references", {}, ("pkg/a.py:2",), "x")
    assert is_right_anywhere(asked, '{"file": "pkg/a.py", "line": 2}', root)
    assert is_right_anywhere(asked, "@1=pkg/a.py\ns,@1,2", root)
    assert not is_right_anywhere(asked, '{"file": "pkg/a.py", "line": 12}', root)
    body = Asked("body", "?", "symbol", {}, ("pkg/a.py:2",), "x")
    assert is_right_anywhere(
        body, "source: def f():\\n    return 'done'", root
    ) and not is_right_anywhere(body, "def f()", root)


def test_a_window_is_read(tmp_path: Path) -> None:
    root = write_files(tmp_path / "tree", {"a.py": "".join(f"x{n} = {n}\n" for n in range(200))})
    text = ask_rg(root, Asked("trace", "?", "symbol", {}, ("a.py:100",), "", position="a.py:100"))
    assert text.startswith("a.py\n70\tx69") and "\n129\tx128" in text and "130\t" not in text
