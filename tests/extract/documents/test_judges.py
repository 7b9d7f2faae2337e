"""Our readers of documents find what markdown-it-py and docutils find in generated text."""

import io
import random
from itertools import pairwise

import pytest
from docutils import nodes
from docutils.frontend import get_default_settings
from docutils.parsers.rst import Parser
from docutils.utils import new_document
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from symindex.extract.documents.readers import read_document

JUDGE = MarkdownIt("commonmark").enable(["table", "strikethrough"])

PIECES = [
    "# a", "## b ##", "c", "d e", "===", "---", "- ", "* ", "1. ", "2) ", "> ", "    ", "  ", " ", "   ", "```", "~~~",
    "````", "<div>", "</div>", "<!--", "-->", "<pre>", "</pre>", "<b>", "\n| a | b |\n|---|---|\n", "***", "\t", "+", "text # x",
    "#nope", "####### x", "# ", "<a href='x'>", "\\# z", "`a`", "*e* f", "_g_", "**h**", "[i](j)", "![k](l)", "[m]", "*n",
    "o_p_q", "**", " ~~r~~ ",
]  # fmt: skip


def title_of(token: Token) -> str:
    texts = {
        "text": lambda child: child.content,
        "code_inline": lambda child: child.content,
        "text_special": lambda child: child.content,
    }
    texts |= {"image": title_of, "softbreak": lambda child: " ", "hardbreak": lambda child: " "}
    return "".join(
        texts[child.type](child) for child in token.children or () if child.type in texts
    )


def judged(text: str) -> list[tuple[int, int, str]]:
    tokens = JUDGE.parse(text)
    headings = []
    for opening, inline in pairwise(tokens):
        if (
            opening.type == "heading_open"
            and opening.map
            and (title := " ".join(title_of(inline).split()))
        ):
            headings.append((opening.map[0], int(opening.tag[1]), title))
    return headings


def ours(text: str) -> list[tuple[int, int, str]]:
    data = text.encode()
    sections = read_document("markdown", data).sections
    return [
        (data.count(b"\n", 0, section.start_byte), section.level, section.title)
        for section in sections
    ]


LINES = st.lists(st.sampled_from(PIECES), max_size=3).map("".join)


@settings(max_examples=500, deadline=None)
@given(st.lists(LINES, max_size=9).map(lambda lines: "\n".join(lines) + "\n"))
def test_markdown_headings_are_those_of_markdown_it(text: str) -> None:
    assert ours(text) == judged(text)


AROUND = [
    ("", ""), ("  ", "  "), ("> ", "> "), (">", ">"), ("- ", "  "), ("1. ", "   "), ("10) ", "    "),
    ("> - ", ">   "), ("- > ", "  > "), ("> > ", "> > "), (">\t", ">\t"), ("+\t", "\t"),
]  # fmt: skip
"""What begins the first line of a container, and the others."""

INSIDE = [
    "", "", "# t", "## u ##", "text", "===", "---", "``` x", "```", "~~~~", "~~~", "~~~~~", "<pre>", "</pre>",
    "<script>a", "b</script>", "<!-- a", "b -->", "<?a", "b?>", "<![CDATA[", "]]>", "<!A", "a>", "<div>", "</div>x",
    "<table>", "<b>", "<b c='d'>", "</i >", "| a | b |", "a | b", "|---|---|", "-|-", ":-:|:-", "|---|", "| c |", "\\| a | b",
    "    e", "\tf", "- ", "-", "1.", "2. g", "***", "_ _ _", "- - -", "* *",
]  # fmt: skip


def test_what_code_markup_and_tables_hide_in_containers_is_no_heading() -> None:
    choose = random.Random(1)
    for _ in range(400):
        lines = []
        for _ in range(choose.randint(1, 3)):
            first, rest = choose.choice(AROUND)
            inside = choose.choices(INSIDE, k=choose.randint(1, 6))
            lines += [f"{first}{inside[0]}", *(f"{rest}{line}" for line in inside[1:]), ""]
        text = "\n".join(lines) + "\n"
        assert ours(text) == judged(text), text


@pytest.mark.parametrize("mark", ["", "> ", ">", "> > "])
def test_a_table_below_a_line_of_text_is_no_heading(mark: str) -> None:
    text = "".join(f"{mark}{line}\n" for line in ("a", "| b | c |", "|---|---|", "==="))
    assert ours(text) == judged(text) == []


BLOCKS = (
    "text",
    "two\nlines",
    "literal::\n\n  x\n  ====",
    "literal::\n\n> x\n> ====",
    "  quote\n  ====",
    "- item",
    "1. item\n2. item",
    ":field: x",
    ".. note::\n\n   x\n   ====",
    ".. _target:",
    ">>> x\n====",
    "| line",
    "term\n    definition",
    "=====  ====\na      b\n=====  ====",
    "+--+\n|  |\n+--+",
    "----",
    "__ x",
)
TITLES = ("Title", "*A* ``b``", "1. One", "Über", "a_ b")


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(5))
def test_titles_are_those_of_docutils(seed: int) -> None:
    """Our reader finds the titles that docutils finds, with the same text, in documents whose
    levels increase one by one."""
    choose = random.Random(seed)
    for _ in range(40):
        level, deepest_level, blocks = 0, 0, []
        for _ in range(12):
            if choose.random() < 0.6:
                blocks.append(choose.choice(BLOCKS))
                continue
            level = choose.randint(1, min(level + 1, deepest_level + 1, 5))
            deepest_level = max(deepest_level, level)
            title, sign = choose.choice(TITLES), "=-~^+"[level - 1]
            over = level == 1
            blocks.append((sign * 12 + "\n" if over else "") + f"{title}\n{sign * 12}")
        text = "\n\n".join(blocks) + "\n"
        assert [
            section.title for section in read_document("restructured", text.encode()).sections
        ] == titles(text), text


def titles(text: str) -> list[str]:
    options = get_default_settings(Parser())
    options.report_level, options.halt_level, options.warning_stream = 5, 6, io.StringIO()
    document = new_document("text", options)
    Parser().parse(text, document)
    return [section[0].astext() for section in document.findall(nodes.section)]
