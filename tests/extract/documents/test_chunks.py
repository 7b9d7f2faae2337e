"""Chunks cover a text in order, are small, follow headings and keep fences whole."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symindex.errors import RequestError
from symindex.extract.documents import to_text as to_text_module
from symindex.extract.documents.chunks import MOST_BYTES, chunks_of
from symindex.extract.documents.to_text import to_text

MARKDOWN = """Opening words.

# One

First.

## Two

Second.

## Two

Another of that title.

# Three

```python
def f():

    return 1
```
"""


def test_chunks_follow_headings() -> None:
    data = MARKDOWN.encode()
    chunks = [
        (chunk.title, data[chunk.start : chunk.end].decode().strip(), chunk.line)
        for chunk in chunks_of(data, "markdown")
    ]
    assert chunks == [
        ("", "Opening words.", 0),
        ("One", "# One\n\nFirst.", 2),
        ("One > Two", "## Two\n\nSecond.", 6),
        ("One > Two", "## Two\n\nAnother of that title.", 10),
        ("Three", "# Three\n\n```python\ndef f():\n\n    return 1\n```", 14),
    ]
    assert [chunk.is_code for chunk in chunks_of(data, "markdown")] == [False] * 4 + [True]


def test_a_fence_that_fits_is_whole() -> None:
    fence = "```\n" + "x = 1\n\n" * 400 + "```\n"
    text = f"# T\n\n{'word ' * 300}\n\n{fence}\n{'word ' * 300}\n".encode()
    assert any(
        fence.encode().strip() in text[chunk.start : chunk.end]
        for chunk in chunks_of(text, "markdown")
    )


@pytest.mark.nightly
@given(
    st.lists(
        st.sampled_from(
            ["# a\n", "word " * 50, "\n", "\n\n", "```\n", "~~~\n", "é" * 3000, "    x\n", "- i\n"]
        ),
        max_size=40,
    )
)
def test_they_cover_everything_in_order(pieces: list[str]) -> None:
    text = "".join(pieces).encode()
    chunks = chunks_of(text, "markdown")
    end = 0
    for chunk in chunks:
        assert not text[end : chunk.start].strip()
        assert 0 < chunk.end - chunk.start <= MOST_BYTES
        text[chunk.start : chunk.end].decode()  # no character is split
        assert chunk.line == text.count(b"\n", 0, chunk.start)
        end = chunk.end
    assert not text[end:].strip()


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        b"x" * 1_000_000,
        b"word " * 200_000,
        b"```\n" * 100_000,
        b"# h\n" * 50_000,
        b"\n" * 1_000_000,
    ],
)
def test_in_linear_time(text: bytes) -> None:
    began = time.process_time()
    chunks_of(text, "markdown")
    assert time.process_time() - began < 20


@pytest.mark.parametrize(
    ("data", "name", "content_type", "text", "title"),
    [
        (b"\xef\xbb\xbf# A\n", "a.md", "", "# A\n", ""),
        ("x é".encode("utf-16"), "a.txt", "", "x é", ""),
        ("x é".encode("latin-1"), "a.txt", "text/plain; charset=iso-8859-1", "x é", ""),
        (
            b"<html><title>T &amp; U</title><h1>A <b>b</b></h1><p>one<p>two<script>x</script>",
            "-",
            "",
            "# A b\n\none\n\ntwo\n",
            "T & U",
        ),
        (
            b"<p>a</p>b<pre>x\n  y</pre><ul><li>i<li>j</ul>",
            "a.html",
            "",
            "a\n\nb\n\n```\nx\n  y\n```\n\n- i\n\n- j\n",
            "",
        ),
        (b"<b>x</b>", "", "text/html", "x\n", ""),
        (b'{"a": {"b": 1}}', "a.json", "", '# a\n\n```json\n{\n  "b": 1\n}\n```\n\n', ""),
        (b"{not json", "a.json", "", "{not json", ""),
    ],
)
def test_to_text(data: bytes, name: str, content_type: str, text: str, title: str) -> None:
    read = to_text(data, name, content_type)
    assert (read.text.decode().rstrip(), read.title) == (text.rstrip(), title)


def test_binary_and_large_texts_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RequestError, match="is binary"):
        to_text(b"\x7fELF\0\0", "ls")
    monkeypatch.setattr(to_text_module, "MOST_BYTES", 10)
    with pytest.raises(RequestError, match="11 bytes: at most 10"):
        to_text(b"x" * 11, "big.txt")


@given(st.binary(max_size=300), st.sampled_from(["a.html", "a.json", "a.md", "-"]))
def test_any_bytes_are_text_or_refused(data: bytes, name: str) -> None:
    try:
        read = to_text(data, name)
    except RequestError:
        return
    read.text.decode()
    chunks_of(read.text, read.format_id)


@pytest.mark.nightly
def test_a_page_of_much_markup() -> None:
    began = time.process_time()
    to_text(b"<html><body>" + b"<p>x<b>y</b><li>z" * 20_000 + b"<table>" * 2_000, "a.html")
    assert time.process_time() - began < 10


def test_deep_json_is_read_as_text() -> None:
    assert to_text(b"[" * 100_000, "a.json").text == b"[" * 100_000
