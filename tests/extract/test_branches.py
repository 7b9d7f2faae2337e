"""One branch is kept of a conditional whose branches are incomplete code."""

import time

import pytest

from symindex.extract.languages.registry import load_languages
from symindex.extract.parse.branches import take_branches

C = load_languages().by_id["c"].rules.branches

CASES = [
    ("whole branches stay", "#if A\nint a;\n#else\nint b;\n#endif\n", None),
    ("each opens a block", "#if A\nif (a) {\n#else\nif (b) {\n#endif\n}\n", "if (a) {\n}"),
    (
        "the first that says something",
        "#if A\n// none\n#else\nif (b) {\n#endif\n}\n",
        "if (b) {\n}",
    ),
    (
        "braces in strings and comments",
        "#if A\nputs(\"{\"); /* { */\n#else\nc = '{'; // {\n#endif\n",
        None,
    ),
    ("braces in other directives", "#if A\n#define BEGIN {\n#endif\nint a;\n", None),
    (
        "in the middle of a statement",
        "int f(int a\n#if A\n, int b\n#else\n, int c\n#endif\n);\n",
        "int f(int a\n, int b\n);",
    ),
    (
        "a statement that goes on behind",
        "#if A\nstatic\n#else\nextern\n#endif\nint f();\n",
        "static\nint f();",
    ),
    ("a macro alone is whole", "MACRO(1)\n#if A\nint a;\n#else\nint b;\n#endif\n", None),
    (
        "before an else",
        "if (a) {}\n#if A\nelse if (b) {}\n#endif\nelse {}\n",
        "if (a) {}\nelse if (b) {}\nelse {}",
    ),
    (
        "the same condition again",
        "#if A\n{\n#else\n{ {\n#endif\n#if !A\n} }\n#else\n}\n#endif\n",
        "{\n}",
    ),
    (
        "one without a second branch",
        "#ifdef A\nf(int a) {\n#endif\n#ifndef A\nf() {\n#endif\n}\n",
        "f(int a) {\n}",
    ),
    (
        "one inside another",
        "#if A\n#if B\nif (b) {\n#else\nif (c) {\n#endif\n#else\nif (d) {\n#endif\n}\n",
        "if (b) {\n}",
    ),
    (
        "heads of one body",
        "#if A\nint f(int a) {\n#elif B\nint g() {\n#else\nint h() {\n#endif\n}\n",
        "int f(int a) {\n}\nint g() {\n}\nint h() {\n}",
    ),
    (
        "heads before the brace",
        "#if A\nint f(int a)\n#else\nint g()\n#endif\n{\n}\n",
        "int f(int a)\n{}\nint g()\n{\n}",
    ),
    (
        "heads of one name",
        "#if A\nint f(int a) {\n#else\nint f() {\n#endif\n}\n",
        "int f(int a) {\n}",
    ),
    (
        "heads behind their type",
        "int\n#if A\nf(int a) {\n#else\ng() {\n#endif\n}\n",
        "int\nf(int a) {\n}",
    ),
    (
        "behind another function",
        "#if A\nint f() {}\nint g() {\n#else\nint h() {\n#endif\n}\n",
        "int f() {}\nint g() {\n}\nint h() {\n}",
    ),
    (
        "lists of values",
        "#if A\nint a[] = {\n#else\nint b[] = {\n#endif\n1};\n",
        "int a[] = {\n1};",
    ),
    ("not closed", "#if A\nif (a) {\n", None),
    ("not opened", "#else\n}\n#endif\n", None),
]


@pytest.mark.parametrize(
    ("source", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_one_branch_of_incomplete_code(source: str, expected: str | None) -> None:
    taken = take_branches(C, source.encode())
    assert len(taken) == len(source) and taken.count(b"\n") == source.count("\n")
    if expected is None:
        assert taken == source.encode()
    else:
        assert [
            line.strip() for line in taken.decode().split("\n") if line.strip()
        ] == expected.split("\n")


def test_nothing_is_done_without_conditionals() -> None:
    source = b"int a;\n"
    assert take_branches(C, source) is source


@pytest.mark.nightly
@pytest.mark.parametrize(
    "source",
    [
        "#if A\n{\n" * 20_000,
        "#if A\n{\n" * 9_000 + "#endif\n" * 9_000,
        "#if\n(\n#else\n" * 20_000,
        "#if A\n/*" * 9_000,
    ],
)
def test_what_is_hostile_takes_no_long_time(source: str) -> None:
    start = time.process_time()
    assert len(take_branches(C, source.encode())) == len(source)
    assert time.process_time() - start < 2
