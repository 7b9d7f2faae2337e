"""Pages for a terminal: the text stays the same, code is highlighted, places are links, and styling
is fast."""

import re
import time
from pathlib import Path

import pytest

from symindex.render.terminal import terminal_page
from symindex.render.terminal.terminal_page import style_page
from symindex.text.snippets import MARK

PAGE = """# Symbol: `src/a.py#f`
function in `A`, python, lines 9-10

```python
 9 def f(x):
10     return "x"
```

src/b.py
- 3 `A.g` (call): `f(1)`

> More: `symindex symbol x`
"""

_STYLES = re.compile(r"\x1b\[[\d;]*m|\x1b\]8;[^\x1b]*\x1b\\")


def bare(text: str) -> str:
    return _STYLES.sub("", text)


def test_what_it_says_stays_the_same() -> None:
    assert bare(style_page(PAGE, Path("/t"))).rstrip("\n") == (
        'Symbol: src/a.py#f\nfunction in A, python, lines 9-10\n\n 9 def f(x):\n10     return "x"\n\n'
        "src/b.py\n- 3 A.g (call): f(1)\n\nMore: symindex symbol x"
    )


def test_places_are_links() -> None:
    page = style_page(PAGE, Path("/t r"))
    assert "file:///t%20r/src/b.py#3\x1b" in page and "file:///t%20r/src/b.py\x1b" in page
    assert "file:///t%20r/src/a.py\x1b" in page  # an id links to its file
    assert "file:///t/docs/a.rst#7\x1b" in style_page("`docs/a.rst`:7, 2026-11-27", Path("/t"))
    assert "file:///t/docs/a.rst#12\x1b" in style_page("docs/a.rst:12 `note:3`", Path("/t"))
    assert "file:" not in style_page("a:12, at http://x.y:80/ (b.py:3)", Path("/t"))
    assert "file://" not in style_page(PAGE, None)
    assert "\x1b[1m" in page and "\x1b[36m" in page


def test_a_heading_in_backticks_is_a_file() -> None:
    page = style_page(
        "src/a.py\n- 1 x\n\n`src/__init__.py`\n- 24 (import): y\n\n`bad\\xff.py`\n- 3 z\n\n`symindex map`\n",
        Path("/t"),
    )
    assert "file:///t/src/__init__.py#24\x1b" in page and "file:///t/src/__init__.py\x1b" in page
    assert (
        page.count("file://") == 4 and "a.py#3" not in page
    )  # a name with escapes is not a path, and a command is not a file


def test_a_table_has_columns_and_no_rules() -> None:
    page = style_page("| Note | Text |\n|---|---|\n| 1 | `a\\|b` |\n| 200 | c |\n\n> end", None)
    assert bare(page) == "Note  Text\n1     a|b\n200   c\n\nend\n" and "\x1b[1mNote" in page
    assert bare(style_page("| no | table |\n| x | y |", None)) == "| no | table |\n| x | y |\n"
    assert bare(style_page("| Only |\n|---|", None)) == "Only\n"


@pytest.mark.parametrize(
    "text", ["- 3: `a {}b{} c`", "```python\na {}b{} c\n```", "```\n{}b{}\n```", "## `{}b{}`"]
)
def test_matches_alone_are_marked(text: str) -> None:
    page = style_page(text.format(MARK, MARK), None)
    assert MARK not in page
    assert [
        word for style, word in re.findall(r"\x1b\[([\d;]*)m([^\x1b]+)", page) if "91" in style
    ] == ["b"]
    assert "a **b** c" in bare(
        style_page("```\na **b** c\n```", None)
    )  # marks in the text itself stay


@pytest.mark.parametrize(
    "text", ["\x1b[41mred", "```python\n\x1b[2J\n```", "- `\x1b]0;t\x07`", "# \u202e"]
)
def test_nothing_of_a_tree_acts(text: str) -> None:
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", bare(style_page(text, Path("/t"))))
    assert "\x1b[41m" not in style_page(text, None)


def test_a_highlighter_that_does_not_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    class Slow:
        def __init__(self, *_: object, **__: object) -> None: ...

        def highlight(self, code: str) -> None:
            time.sleep(30)

    monkeypatch.setattr(terminal_page, "Syntax", Slow)
    began = time.monotonic()
    assert "1 x" in bare(style_page("```python\n1 x\n```", None))
    assert time.monotonic() - began < 10
    assert "word " * 20_000 in bare(style_page("```python\n" + "word " * 20_000 + "\n```", None))
