"""Text as HTML: invisible characters are visible, and nothing acts as HTML."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from symindex.serve.web.content.visible import show_controls_as_html
from symindex.text.escaping import show_text


def mark(code_point: str) -> str:
    return f'<span class="ctl" title="U+{code_point}">U+{code_point}</span>'


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\tb\nc", "a\tb\nc"),
        ("<b> & \"'", "&lt;b&gt; &amp; &#34;&#39;"),
        (Markup("<b>"), "&lt;b&gt;"),
        ("if\u202e x", f"if{mark('202E')} x"),
        ("a\u200bb\ufeff", f"a{mark('200B')}b{mark('FEFF')}"),
        ("\0\x1b\r", mark("0000") + mark("001B") + mark("000D")),
        ("\udc80", mark("DC80")),
        ("\U000e0041", mark("E0041")),
        ("é𝕏 ✔️", "é𝕏 ✔️"),
    ],
)
def test_markers(text: str, shown: str) -> None:
    assert show_controls_as_html(text) == Markup(shown)


@given(st.text(st.characters()))
def test_what_is_marked_is_what_a_terminal_would_escape(text: str) -> None:
    html = str(show_controls_as_html(text))
    assert html.isascii() or show_text(html) == html
    assert html.count('class="ctl"') == sum(show_text(letter) != letter for letter in text)
