"""Character references are read as in HTML, and none of them causes an error."""

from html import unescape

import pytest

from symindex.extract.documents.readers import read_document
from symindex.text.entities import without_references


@pytest.mark.parametrize(
    "text",
    [
        "a &amp; b",
        "&#65;&#x41;&#0065",
        "&#128512;",
        "&#1114112;",
        "&#;",
        "&lt",
        "&#00000065;",
        "&#99999999;x",
    ],
)
def test_they_mean_what_the_library_says(text: str) -> None:
    assert without_references(text) == unescape(text)


def test_a_number_of_thousands_of_digits_is_no_character() -> None:
    assert (
        without_references(f"a&#{'9' * 100_000};b &#{'0' * 100_000}65;")
        == "a\N{REPLACEMENT CHARACTER}b A"
    )
    assert without_references("&#" + "9" * 100_000) == "\N{REPLACEMENT CHARACTER}"


@pytest.mark.parametrize(
    ("reader", "text"),
    [
        ("html", "<h1>a {}</h1>\n<p>b {}\n"),
        ("markdown", "# a {}\n\nb {}\n"),
        ("asciidoc", "= a {}\n\nb {}\n"),
    ],
)
def test_no_reader_of_documents_fails_on_it(reader: str, text: str) -> None:
    long = "&#" + "9" * 5_000 + ";"
    document = read_document(reader, text.replace("{}", long).encode())
    assert [section.title[:1] for section in document.sections] == ["a"]
