"""Pages for a terminal: the text stays the same, code is highlighted, places are links, and styling
is fast."""

import re
import signal
import time
from concurrent.futures import ThreadPoolExecutor
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


def styled(text: str, root: Path | None = None) -> list[tuple[str, str]]:
    """Returns the pieces of a page that have a style or a link: the style and the end of the link,
    and the text."""
    pieces: list[tuple[str, str]] = []
    styles = link = ""
    for code, address, piece in re.findall(
        r"\x1b\[([\d;]*)m|\x1b\]8;;([^\x1b]*)\x1b\\|([^\x1b]+)", style_page(text, root)
    ):
        if piece:
            mark = " ".join(filter(None, [styles, link]))
            pieces += [(mark, piece)] if mark else []
        elif code:
            styles = "" if code == "0" else code
        else:
            link = address.rpartition("/")[2]
    return pieces


STYLED = {
    "# A `b` c": [("1", "A "), ("1;36", "b"), ("1", " c")],
    "> see `b`": [("2", "see "), ("2;36", "b")],
    ">no quotation": [],
    "``a`b`` and `` `c` ``": [("36", "a`b"), ("36", "`c`")],
    "`a``b` `c": [("36", "a``b")],
    "- 12 x": [("35", "12")],
    "  - 7: x": [("35", "7")],
    "- 12. x": [],
    "- 12a x": [],
    "see a/b.py:3, a.py:4": [("35 b.py#3", "a/b.py:3"), ("35 a.py#4", "a.py:4")],
    "see a/b.py:3:4 and (a.py:5) and a:6 and x=a.py:7": [("35 x%3Da.py#7", "x=a.py:7")],
    "`a.py:3` `a.py` `a/b.py` `a.py#f`": [("35 a.py#3", "a.py:3"), ("36", "a.py"), ("35 b.py", "a/b.py"), ("36", "a.py#f")],
    "`a/b.py#f` `x y.py:3`": [("35 b.py", "a/b.py#f"), ("36", "x y.py:3")],
    "`docs/a b.md`:7 `name`:7": [("35 a%20b.md#7", "docs/a b.md:7"), ("36", "name")],
    "src/a.py": [("35 a.py", "src/a.py")],
    "src/a.py (added)": [("35 a.py%20%28added%29", "src/a.py (added)")],
    "no place.": [],
    "`pypi:x@1/a.py:3`": [("35", "pypi:x@1/a.py:3")],
}  # fmt: skip


@pytest.mark.parametrize("text", STYLED)
def test_which_pieces_have_a_style(text: str) -> None:
    assert styled(text, Path("/t")) == STYLED[text]


def test_rows_lead_to_the_file_above_them() -> None:
    page = "a.py\n- 3 x\n\n`b/__c__.py`\n- 4 y\n  - 5 z\n`no file`\nrest"
    marks = [mark for mark, _ in styled(page, Path("/t"))]
    assert marks == ["35 a.py", "35 a.py#3", "35 __c__.py", "35 __c__.py#4", "35 __c__.py#5", "36"]


def test_a_name_with_escapes_is_a_path_if_such_a_file_exists(tmp_path: Path) -> None:
    page = "`a\\\\b.py`\n- 3 x".replace("\\\\", "\\")
    assert "a%5Cb.py#3" not in style_page(page, tmp_path)
    (tmp_path / "a\\b.py").touch()
    assert "a%5Cb.py#3" in style_page(page, tmp_path)
    escaped = "`a\\tb.py`\n- 3 x"
    (tmp_path / "a\tb.py").touch()
    assert "a%09b.py#3" in style_page(escaped, tmp_path)


def test_code_is_highlighted_and_its_numbers_are_dim() -> None:
    page = style_page("```python\n 9 def f():\n10\n11     return 1\n```\nend", None)
    assert bare(page) == " 9 def f():\n10 \n11     return 1\nend\n"
    assert re.findall(r"\x1b\[2m([^\x1b]*)", page) == [" 9 ", "10 ", "11 "]
    assert "\x1b[94mdef\x1b[0m" in page or "mdef" in page
    assert bare(style_page("```python\n9 x\ny\n```", None)) == "9 x\ny\n"
    assert bare(style_page("```\n```\nend", None)) == "end\n"
    assert bare(style_page("````\n```\na\n```\n````", None)) == "```\na\n```\n"
    assert bare(style_page("```python\nno end", None)) == "```python\nno end\n"


def test_only_code_up_to_a_length_is_highlighted() -> None:
    def has_colour(length: int) -> bool:
        code = f"'{'a' * (length - 2)}'"
        return "\x1b" in style_page(f"```python\n{code}\n```", None)

    assert has_colour(terminal_page.LONGEST) and not has_colour(terminal_page.LONGEST + 1)


def test_the_handler_of_an_alarm_is_the_same_after_highlighting() -> None:
    def handler(*_: object) -> None: ...

    old = signal.signal(signal.SIGALRM, handler)
    try:
        style_page("```python\nx = 1\n```", None)
        assert signal.getsignal(signal.SIGALRM) is handler
        assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    finally:
        signal.signal(signal.SIGALRM, old)


def test_elsewhere_than_in_the_main_thread_code_stays_plain() -> None:
    with ThreadPoolExecutor(1) as executor:
        page = executor.submit(style_page, "```python\nx = 1\n```", None).result()
    assert page == "x = 1\n"


def test_columns_of_a_table_are_as_wide_as_their_cells() -> None:
    page = style_page("| a | `b\\|c` | d |\n|---|---|---|\n| long | x |\n| 字 | y | z |\nend", None)
    assert bare(page) == "a     b|c  d\nlong  x\n字    y    z\nend\n"
