"""Prose as HTML: what Markdown means, and nothing that runs, loads, leaves its place or takes the
name of something on the page."""

import re
import time
from collections.abc import Iterator
from html.parser import HTMLParser

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symindex.serve.web.content import prose, prose_job
from symindex.serve.web.content.lexers import CLASSES
from symindex.serve.web.content.prose import Prose, ProseRenderer
from symindex.serve.web.content.prose_job import RenderedProse, render_markdown
from symindex.serve.web.content.safe_html import _TAGS

REL = 'rel="noopener noreferrer nofollow"'


@pytest.fixture(scope="module")
def renderer() -> Iterator[ProseRenderer]:
    made = ProseRenderer()
    yield made
    made.close()


def resolve(address: str) -> str | None:
    return None if "nowhere" in address else f"/at/{address}"


def html_of(text: str) -> str:
    """Renders in this process."""
    rendered = render_markdown(text)
    assert rendered.fault == ""
    return str(prose._join(rendered.pieces, resolve))


class Checker(HTMLParser):
    """Fails for an element or attribute that is not harmless, and for one that is not closed."""

    VOID = frozenset({"br", "hr", "img", "wbr"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in _TAGS
        for name, given_value in attrs:
            value = given_value or ""
            if name == "class":
                assert tag == "span" and {*value.split()} <= {*CLASSES, "ctl"}
            elif name == "id":
                assert re.fullmatch("h[1-6]", tag) and value.startswith("user-content-")
            elif name == "href":
                assert tag == "a" and re.match("https?://|mailto:|#user-content-|/at/", value, re.I)
            elif name == "src":
                assert tag == "img" and value.startswith("/at/")
            else:
                assert name in {
                    "align", "alt", "colspan", "height", "loading", "open", "rel", "rowspan", "start", "title", "width",
                }  # fmt: skip
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    def handle_decl(self, decl: str) -> None:
        raise AssertionError(f"a declaration: {decl}")


def check_harmless(html: str) -> None:
    checker = Checker()
    checker.feed(html)
    checker.close()
    assert checker.open == []


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("*a* **b** ~~c~~ `d`", "<p><em>a</em> <strong>b</strong> <s>c</s> <code>d</code></p>\n"),
        ("a\r\nb\r\n\r\nc", "<p>a\nb</p>\n<p>c</p>\n"),
        ("# Read *me*!\n# `Read` me", '<h1 id="user-content-read-me">Read <em>me</em>!</h1>\n<h1 id="user-content-read-me-1"><code>Read</code> me</h1>\n'),
        ("|a|\n|-:|\n|1|", '<table>\n<thead>\n<tr>\n<th align="right">a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td align="right">1</td>\n</tr>\n</tbody>\n</table>\n'),
        ("```python\nx = 1 < 2\n```", '<pre><code><span class="n">x</span> <span class="o">=</span> <span class="mi">1</span> <span class="o">&lt;</span> <span class="mi">2</span>\n</code></pre>\n'),
        ("```nothing\na<b\n```", "<pre><code>a&lt;b\n</code></pre>\n"),
        ("    a <b>", "<pre><code>a &lt;b&gt;\n</code></pre>\n"),
        ("---\nname: x\n---\n# T", '<pre><code><span class="nt">name</span><span class="p">:</span> <span class="l">x</span>\n</code></pre>\n<h1 id="user-content-t">T</h1>\n'),
        ("<details open><summary>s</summary>\n\nt\n</details>", '<details open=""><summary>s</summary>\n<p>t</p>\n</details>'),
        ('<p align="center" style="x" onclick="y" class="z" id="w"><kbd>k</kbd></p>', '<p align="center"><kbd>k</kbd></p>'),
        ('<h2 id="x" align="up">t</h2>', '<h2 id="user-content-x">t</h2>'),
        ("a\u202eb", '<p>a<span class="ctl" title="U+202E">U+202E</span>b</p>\n'),
        ("\0\udc80", "<p>\\x00\\x80</p>\n"),
        ("\ufeff# T", '<h1 id="user-content-t">T</h1>\n'),
        ("w" * 10_000, f"<p>{'w' * 10_000}</p>\n"),
    ],
)  # fmt: skip
def test_what_markdown_means(text: str, html: str, renderer: ProseRenderer) -> None:
    shown = renderer.render(text, "README.md", resolve)
    assert (str(shown.html), shown.notices) == (html, [])
    check_harmless(html)


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("[a](https://x.y/?b&c)", f'<a href="https://x.y/?b&amp;c" {REL}>a</a>'),
        ("<https://x.y>", f'<a href="https://x.y" {REL}>https://x.y</a>'),
        ('[a](<HTTP://x> "t\u202e")', f'<a href="HTTP://x" {REL} title="t\\u202e">a</a>'),
        ("[a](mailto:x@y)", f'<a href="mailto:x@y" {REL}>a</a>'),
        ("[a](docs/b.md#c)", f'<a href="/at/docs/b.md#c" {REL}>a</a>'),
        ("[a](nowhere.md)", "<a>a</a>"),
        ("[a](#Part)", f'<a href="#user-content-Part" {REL}>a</a>'),
        ("[a](#user-content-p)", f'<a href="#user-content-p" {REL}>a</a>'),
        ("[a](#) [b]()", "<a>a</a> <a>b</a>"),
        ("[a](//x.y/z)", f'<a href="https://x.y/z" {REL}>a</a>'),
        (r"<a href='/\x.y'>a</a>", f'<a href="https://x.y" {REL}>a</a>'),
        ("<a href='\\\\x.y'>a</a>", f'<a href="https://x.y" {REL}>a</a>'),
        ("<a href=' /\t/x.y'>a</a>", f'<a href="https://x.y" {REL}>a</a>'),
        ("<a href=x target=_top ping=y rel=opener download>a</a>", f'<a href="/at/x" {REL}>a</a>'),
        ("<a href='\"><b>'>a</a>", f'<a href="/at/&#34;&gt;&lt;b&gt;" {REL}>a</a>'),
        ("![a](b.png 't')", '<img src="/at/b.png" loading="lazy" alt="a" title="t">'),
        ("![a](nowhere.png)", "a"),
        ("![a](https://x.y/b.png)", f'<a href="https://x.y/b.png" {REL}>a</a>'),
        ("![](//x.y/b.png)", f'<a href="https://x.y/b.png" {REL}>https://x.y/b.png</a>'),
        ("[![a](https://x/b.svg)](https://y)", f'<a href="https://y" {REL}>a</a>'),
        ("[![a](b.svg)](c)", f'<a href="/at/c" {REL}><img src="/at/b.svg" loading="lazy" alt="a"></a>'),
        ("![<b>](data:image/png;base64,AAAA)", "&lt;b&gt;"),
        ("<img src=data:image/svg+xml,x alt=a>", "a"),
        ("<img src=b.png width=20 height=x srcset=https://x loading=eager>", '<img src="/at/b.png" loading="lazy" width="20">'),
        ("<img alt=a>", "a"),
        ("<picture><source srcset=https://x><img src=b alt=c></picture>", '<img src="/at/b" loading="lazy" alt="c">'),
    ],
)  # fmt: skip
def test_links_and_pictures(text: str, html: str) -> None:
    shown = html_of(text)
    assert shown.strip().removeprefix("<p>").removesuffix("</p>") == html
    check_harmless(shown)


VECTORS = [
    "[a](javascript:alert(1))",
    "[a](JavaScript&colon;alert(1))",
    "[a](<java\tscript:alert(1)>)",
    "[a](&#106;avascript:alert(1))",
    "[a](vbscript:x) [b](data:text/html,<script>1</script>) [c](file:///etc) [d](blob:x)",
    "[a]: javascript:alert(1)\n\n[a]",
    "<javascript:alert(1)>",
    "<a href='javascript:alert(1)'>a</a>",
    "<a href=' &#1; JAVASCRIPT:alert(1)'>a</a>",
    "<a href='java&#9;script&#10;:alert(1)'>a</a>",
    "<a href='java&Tab;script&colon;alert(1)'>a</a>",
    "<a href='\x01javascript:alert(1)'>a</a>",
    "<a href='view-source:x'>a</a><a href='intent://x'>b</a><a href='x-y.z+1:w'>c</a>",
    "<script>alert(1)</script>",
    "<SCRIPT SRC=//x></SCRIPT><scr<script>ipt>alert(1)</scr</script>ipt>",
    "<script",
    "<script>alert(1)",
    "<img src=x onerror=alert(1)>",
    "<img src='x' \n onerror\n=\n'alert(1)'//",
    "<img/src='x'/onerror=alert(1)>",
    "<svg onload=alert(1)><circle/></svg>",
    "<svg><script>alert(1)</script><a xlink:href='javascript:1'>x</a></svg>",
    "<iframe src=https://x srcdoc='<script>1</script>'></iframe>",
    "<iframe>",
    "<object data=x></object><embed src=x><applet code=x>",
    "<base href=https://x>",
    "<meta http-equiv=refresh content='0;url=https://x'>",
    "<link rel=stylesheet href=https://x>",
    "<style>*{display:none}</style>",
    "<style>",
    "<p style='position:fixed'>x</p>",
    "<form action=https://x><input name=q autofocus onfocus=alert(1)><button formaction=javascript:1>b",
    "<textarea><select><option>",
    "<video src=x poster=y><audio src=z autoplay><source src=w><track src=v>",
    "<body onload=alert(1) background=x><html><head>",
    "<table background=https://x><td background=y>c",
    "<details ontoggle=alert(1) open>",
    "<a name=documentElement id=body>x</a><img name=cookie id=forms src=x>",
    "<h1 id=location name=top>x</h1><h2 id='\"><script>1</script>'>y</h2>",
    "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=alert(1)&gt;'>",
    "<math><mi//xlink:href='data:x,<script>1</script>'>",
    "<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
    "<svg></p><style><a id='</style><img src=1 onerror=alert(1)>'>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<xmp><p title='</xmp><img src=x onerror=alert(1)>'>",
    "<template><img src=x onerror=alert(1)></template>",
    "<title><a title='</title><img src=x onerror=alert(1)>'>",
    "<p title='<img src=x onerror=alert(1)>'><abbr title=\"&quot;><script>\">x",
    "<!--><img src=x onerror=alert(1)>-->",
    "<!-- never closed <b>",
    "<![CDATA[<script>alert(1)</script>]]>",
    "<?php <script>alert(1)</script> ?>",
    "<!DOCTYPE html><!ENTITY x>",
    "<plaintext>the rest of the page",
    "<div><div><table><tr><td><b><i><pre>",
    "</div></div></main></body></html>",
    "<p title='never closed",
    "<a href='x",
    "`<b>` <b><!--",
    "```html\n</code></pre><script>alert(1)</script>\n```",
    "```<script>alert(1)</script>\nx\n```",
    '```python" onload="alert(1)\nx\n```',
    "<span class='ctl page k' title=y lang=z>z</span><div class=page>w</div>",
    "<li value=1><ol start=9999999999><td colspan=99999 rowspan=1>",
    "# <script>\n# \u202e\n# ---",
    "| a |\n|:-:|\n| <script> | <b |",
    "&lt;script&gt;&#60;script&#62; &#x202e;&#0;&#xD800;&NotEqualTilde;",
    "\ud800<b>\udfff\0</b>\x7f\x85\ufffe\U000e0001",
    "<b \0onclick=x>y<\0script>z",
    "w" * 10_000 + "<" + "w" * 10_000,
]  # fmt: skip


@pytest.mark.parametrize("text", VECTORS, ids=range(len(VECTORS)))
def test_nothing_acts(text: str, renderer: ProseRenderer) -> None:
    shown = renderer.render(f"before {text}", "", resolve)
    whole = renderer.render(text, "README.md", resolve)
    assert shown.notices == whole.notices == []
    check_harmless(str(shown.html))
    check_harmless(str(whole.html))
    assert "before" in shown.html
    str(whole.html).encode()
    # A browser that reads it once more finds the same: nothing changes its meaning by that.
    check_harmless(html_of(f"<div>{whole.html}</div>"))


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            ["<", ">", '"', "'", "&", "`", "*", "[", "](", ")", "!", "\n", " ", "a", "=", "/", "<!--", "-->", "<a href=", "<img src=", "onerror=", "javascript:", "</", "<b", "<svg", "<math", "<style>", "<title>", "<table>", "<td>", "<p ", "<pre>", "</p>", "#", "- ", "> ", "|", "|-|\n", "```", "\t", "\u202e"]
        ),
        max_size=30,
    ).map("".join)
)  # fmt: skip
def test_nothing_of_any_text_acts(text: str) -> None:
    check_harmless(html_of(text))


@pytest.mark.parametrize("path", ["README", "README.rst", "notes.org", "a.txt", "md"])
def test_other_formats_are_shown_as_they_are(path: str, renderer: ProseRenderer) -> None:
    shown = renderer.render("*a*\r\n<b>\u202e\udc80", path, resolve)
    marks = "".join(f'<span class="ctl" title="U+{c}">U+{c}</span>' for c in ("202E", "DC80"))
    assert shown == Prose(shown.html, [])
    assert str(shown.html) == f"<pre>\n*a*\n&lt;b&gt;{marks}</pre>"


def plain_notice(why: str) -> list[str]:
    return [f"This text is shown without its format: {why}."]


def test_a_text_beyond_the_limit_is_plain(
    renderer: ProseRenderer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prose, "MOST_CHARACTERS", 5)
    assert renderer.render("*abc*", "", resolve).html == "<p><em>abc</em></p>\n"
    shown = renderer.render("*abcd*", "", resolve)
    assert shown.html == "<pre>\n*abcd*</pre>"
    assert shown.notices == plain_notice("it has more than 5 characters")


def test_nested_lists_and_quotations(renderer: ProseRenderer) -> None:
    def nested(depth: int) -> Prose:
        return renderer.render("> " * depth + "x", "", resolve)

    deepest = prose_job.MOST_NESTED - 3
    assert nested(deepest).html.count("<blockquote>") == deepest
    assert "x" in nested(deepest).html
    for depth in (deepest + 1, 1_000):
        assert nested(depth).notices == plain_notice(
            "its lists or quotations are nested too deeply"
        )
    steps = "".join("  " * depth + "- a\n" for depth in range(500))
    shown = renderer.render(steps, "", resolve)
    assert shown.notices and str(shown.html) == f"<pre>\n{steps}</pre>"


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        "]" * 100_000,
        "`" * 100_000,
        "*" * 100_000,
        "*a " * 33_000,
        "![[](" * 20_000,
        "[a](" * 25_000,
        "[a]: b\n\n" + "[a]" * 30_000,
        "<" * 100_000,
        "<!--" * 25_000,
        "|" * 50_000 + "\n" + "|-" * 50_000 + "\n" + "|\n" * 1_000,
        "<div>" * 50_000,
        "".join(f"<b id={number}>" for number in range(5_000)) + "<p>x" * 5_000,
        "```java\n" + ("a " * 2_400 + "\n") * 10 + "```",
    ],
    ids=lambda text: text[:8],
)
def test_no_text_takes_long(text: str, renderer: ProseRenderer) -> None:
    renderer.render("x", "", resolve)  # so that there is a worker
    began = time.thread_time()
    shown = renderer.render(text, "", resolve)
    assert time.thread_time() - began < 1
    assert shown.notices in ([], plain_notice("rendering it took too long"))
    check_harmless(str(shown.html))
    assert renderer.render("*a*", "", resolve).html == "<p><em>a</em></p>\n"


def test_html_that_grows_is_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prose_job, "MOST_HTML", 13)
    assert render_markdown("a").pieces == ["<p>a</p>\n"]
    assert render_markdown("abcdefg") == RenderedProse([], "its HTML is too large")


def test_code_beyond_a_limit_is_not_coloured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prose_job, "MOST_HIGHLIGHTED", 7)
    assert html_of("```python\n1\n```\n```python\n1234\n```").count("<span") == 2
    assert html_of("```python\n1\n```\n```python\n12345\n```").count("<span") == 1


def test_a_fault_costs_only_the_format(
    renderer: ProseRenderer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RecursionError

    monkeypatch.setattr(prose_job, "sanitise", fail)
    sent: list[bytes] = []
    order = msgspec.msgpack.encode(prose_job.ProseOrder("a"))
    prose_job.prepare(b"")(order, sent.append)
    assert sent == [
        msgspec.msgpack.encode(RenderedProse([], "rendering it failed (RecursionError)"))
    ]
    monkeypatch.setattr(prose_job, "class_runs", fail)
    assert prose_job._CodeBlocks().highlight("a", "python", "") == ""
