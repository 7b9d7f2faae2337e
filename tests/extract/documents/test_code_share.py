"""Which texts are mostly code: fenced blocks, indented lines, at half and one past it."""

import time

import pytest

from symindex.extract.documents.code_share import is_mostly_code

CASES = [
    ("", False), ("prose", False), ("    code", True), ("\tcode", True), ("   prose", False),
    ("aaaa\n    bbbb", False), ("aaaa\n    bbbbb", True),  # half of it, and more
    ("aaaa\n\tbbbbb", True), (" aaaa\n    bbbbb", True), ("    bbbbb\naaaa", True), ("\tbbbbb\naaaa", True),
    ("prose\n```\nmuch code\n```\n", True), ("prose\n~~~\nmuch code\n~~~\n", True),
    ("prose here\n```\nx\n```\nmore of the prose", False),
    ("```\nmuch code\n~~~\nmore\n```\nprose", True),  # the other mark does not end it
    ("````\ncode\n```\ncode\n````\nprose and more prose and more", False),
    ("prose\n```\nnever ended code", True),  # to the end of the text
    ("prose\n   ```py\nmuch code\n   ```\n", True), ("prose and more\n    ```\n    x\n", False),
    ("a ``` b\nprose", False), ("é" * 4 + "\n    " + "b" * 8, False), ("é" * 4 + "\n    " + "b" * 9, True),
]  # fmt: skip


@pytest.mark.parametrize(("text", "is_code"), CASES)
def test_a_text_is_code_if_more_than_half_of_it_is(text: str, is_code: bool) -> None:
    assert is_mostly_code(text) == is_code


@pytest.mark.parametrize(
    "text", ["`" * 200_000, "```\n" * 50_000, "~~~ x\n```\n" * 30_000, "    \n" * 100_000]
)
def test_it_takes_linear_time(text: str) -> None:
    started = time.process_time()
    is_mostly_code(f"prose\n{text}")
    assert time.process_time() - started < 1
