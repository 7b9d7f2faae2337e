"""Highlighting: every token of every line, whatever the text; files that a lexer cannot manage are
plain, and the answer says why."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pygments.lexer import Lexer
from pygments.lexers import get_all_lexers
from pygments.token import Token as TokenType

from symindex.extract.languages.registry import load_languages
from symindex.serve.web.content import highlight, highlight_job, lexers
from symindex.serve.web.content.highlight import Highlighted, Highlighter, split_lines
from symindex.serve.web.content.highlight_job import encode_lines
from symindex.serve.web.content.lexers import class_runs, find_lexer, find_lexer_for_file
from symindex.text.decoding import decode

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def highlighter() -> Iterator[Highlighter]:
    made = Highlighter()
    yield made
    made.close()


def texts(highlighted: Highlighted) -> list[str]:
    return ["".join(text for _, text in line) for line in highlighted.lines]


CODE = 'class A:\n    """One\n    two"""\n\n    def b(self): return 1\n'


def test_tokens(highlighter: Highlighter) -> None:
    shown = highlighter.highlight(CODE, "a.py", "python")
    assert shown.why_plain == ""
    assert list(shown.lines) == [
        [("k", "class"), ("", " "), ("nc", "A"), ("p", ":")],
        [("", "    "), ("sd", '"""One')],
        [("sd", '    two"""')],
        [],
        [
            ("", "    "),
            ("k", "def"),
            ("", " "),
            ("nf", "b"),
            ("p", "("),
            ("bp", "self"),
            ("p", "):"),
            ("", " "),
            ("k", "return"),
            ("", " "),
            ("mi", "1"),
        ],
    ]


def test_a_window_is_the_same_as_in_the_whole(highlighter: Highlighter) -> None:
    lines = highlighter.highlight(CODE, "a.py", "python").lines
    assert (len(lines), lines[2:3], lines[-1]) == (5, [[("sd", '    two"""')]], lines[4])
    assert lines[3:100] == [*lines][3:]
    with pytest.raises(IndexError):
        lines[5]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "\n\nx = 1\n\n",
        "x",
        "a\r\nb\r\n",
        "a\rb",
        "\ufeffx = 1\n",
        "\0\x01\u202e",
        "x = '\udc80\ud800'",
        "é𝕏 = '\u2028\x0c\x85'\nx",
        "a\t\tb\n",
        " \n \n",
        "'''never\nclosed",
    ],
)
def test_no_text_is_changed(text: str, highlighter: Highlighter) -> None:
    shown = highlighter.highlight(text, "a.py", "python")
    assert (texts(shown), shown.why_plain) == (split_lines(text), "")


def test_lines_are_those_of_the_index() -> None:
    assert split_lines("") == split_lines("\n")[1:] == []
    assert split_lines("a\n\rb\r\nc\u2028d\x0ce") == ["a", "", "b", "c\u2028d\x0ce"]


@settings(max_examples=300, deadline=None)
@given(
    st.text(st.sampled_from("ab\n\r\t '\"/*#<>{}`$\\%=(é\udc80\u202e"), max_size=60),
    st.sampled_from(["python", "html", "php", "markdown", "bash", "erb", "yaml", "ruby", "make"]),
)
def test_joined_tokens_are_the_text(text: str, language: str) -> None:
    lexer = find_lexer(language)
    assert lexer is not None
    source = "\n".join([*split_lines(text), ""])
    runs = [*class_runs(source, lexer)]
    assert "".join(piece for _, piece in runs) == source
    assert all(one[0] != two[0] for one, two in pairwise(runs))
    decoded = ["".join(encoded[1::2]) for encoded in encode_lines(source, lexer)]
    assert [sum(map(ord, lengths)) for lengths in decoded] == [*map(len, split_lines(text))]


@pytest.mark.nightly
@pytest.mark.slow
def test_joined_tokens_of_real_files_are_their_texts(highlighter: Highlighter) -> None:
    paths = [*(ROOT / "symindex/serve").glob("**/*.*"), *(ROOT / "fixtures/symbols").glob("*/*.*")]
    for path in filter(Path.is_file, paths[::3]):
        text = path.read_text("utf-8", "surrogateescape")
        assert texts(highlighter.highlight(text, path.name, "")) == split_lines(text), path


def test_the_language_or_the_name_of_the_file_decides(highlighter: Highlighter) -> None:
    def classes(path: str, language: str) -> set[str]:
        lines = highlighter.highlight("if x then end -- y\n", path, language).lines
        return {css_class for line in lines for css_class, _ in line if css_class}

    assert "c1" in classes("a.txt", "lua") and "c1" in classes("d/a.lua", "")
    assert "c1" not in classes("a.lua", "python")
    assert classes("\udc80.lua", "") == classes("a.lua", "")
    assert classes("LICENSE", "") == set()


def test_a_language_without_a_lexer(highlighter: Highlighter) -> None:
    shown = highlighter.highlight("(a)\n", "a.yuck", "yuck")
    assert shown.why_plain == "highlighting is not available for yuck"
    assert [*shown.lines] == [[("", "(a)")]]
    assert highlighter.highlight("(a)\n", "LICENSE", "").why_plain == ""


def test_the_table_of_lexers_is_true() -> None:
    ids = {*load_languages(check=False).by_id, "notebook"}
    own = {alias for _, aliases, _, _ in get_all_lexers(plugins=False) for alias in aliases}
    for language, lexer in lexers._aliases().items():
        assert language in ids and lexer in own
        assert language not in own or language == "v"
    assert find_lexer("no such language") is find_lexer("") is find_lexer_for_file("x.zzz") is None


@pytest.mark.slow
def test_a_lexer_that_does_not_end_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(highlight, "SECONDS", 0.5)
    highlighter = Highlighter()
    text = ("a " * 2_400 + "\n") * 10  # takes the lexer of Java a second a line
    shown = highlighter.highlight(text, "A.java", "java")
    assert shown.why_plain == "highlighting took too long"
    assert texts(shown) == split_lines(text)
    assert highlighter.highlight("int a;", "A.java", "java").lines[0][0] == ("kt", "int")
    highlighter.close()


def test_files_beyond_a_limit_are_plain(
    highlighter: Highlighter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(highlight, "MOST_CHARACTERS", 10)
    assert highlighter.highlight("x = 12345\n", "a.py", "python").why_plain == ""
    shown = highlighter.highlight("x = 123456\n", "a.py", "python")
    assert shown.why_plain == "files of more than 10 characters are not highlighted"
    assert [*shown.lines] == [[("", "x = 123456")]]


def test_long_lines_are_plain(highlighter: Highlighter) -> None:
    line = "x" * highlight.LONGEST_LINE
    assert highlighter.highlight(f"{line}\n1", "a.py", "python").lines[1] == [("mi", "1")]
    shown = highlighter.highlight(f"1\n{line}x", "a.py", "python")
    assert shown.why_plain == "files with a line of more than 5,000 characters are not highlighted"
    assert texts(shown) == ["1", f"{line}x"]


class _Faulty(Lexer):
    fault = ""

    def get_tokens_unprocessed(self, text: str) -> Iterator[tuple[int, Any, str]]:
        if self.fault == "raises":
            raise RecursionError
        if self.fault == "memory":
            raise MemoryError
        yield 0, TokenType.Text, text.upper() if self.fault == "changes" else text[:-1]


@pytest.mark.parametrize(
    ("fault", "error"),
    [("raises", "RecursionError"), ("changes", "ValueError"), ("drops", "ValueError")],
)
def test_a_faulty_lexer_costs_only_the_colours(
    fault: str, error: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lexer = _Faulty()
    lexer.fault = fault
    monkeypatch.setattr(highlight_job, "find_lexer", lambda _: lexer)
    sent: list[bytes] = []
    handle = highlight_job.prepare(b"")
    order = msgspec.msgpack.encode(highlight_job.HighlightOrder(b"abc\n", "x", "x"))
    handle(order, sent.append)
    (answer,) = sent
    shown = decode(answer, highlight_job.HighlightedLines)
    assert (shown.lines, shown.why_plain) == ([], f"highlighting failed ({error})")
    lexer.fault = "memory"
    with pytest.raises(MemoryError):
        handle(order, sent.append)
