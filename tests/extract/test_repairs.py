"""A file with signs of source that the grammar cannot read is repaired before it is parsed, and
gives the same symbols."""

import msgspec
import pytest

from symindex.extract.languages.language import Language
from symindex.extract.languages.registry import load_languages
from symindex.extract.parse.partial import PartialParser, find_errors
from symindex.extract.symbols import extract_symbols
from tests.extract.test_grammars import FILES, language_of
from tests.support import marks

SIGNED = {
    language.id: language
    for language in load_languages().by_id.values()
    if language.rules.repair_signs
}


def without_signs(language: Language) -> Language:
    """Returns the language without repair signs, so that every file is first parsed unrepaired."""
    return Language(
        language.id, msgspec.structs.replace(language.rules, repair_signs=[]), language.query
    )


def parses(language: Language, data: bytes, monkeypatch: pytest.MonkeyPatch) -> int:
    """Returns the number of times that a file is parsed."""
    calls = []
    parse_once = PartialParser.parse_once
    with monkeypatch.context() as patched:
        patched.setattr(
            PartialParser,
            "parse_once",
            lambda *args, **named: calls.append(args) or parse_once(*args, **named),
        )
        extract_symbols(language, data)
    return len(calls)


READ_WRONG_WITHOUT = frozenset({"no_semicolon.sh"})
"""Source that the grammar reads wrongly, without an error."""

SIGNED_FILES = [
    path for path in FILES if language_of(path).id in SIGNED and path.name not in READ_WRONG_WITHOUT
]


@pytest.mark.sample(53)
@pytest.mark.parametrize("path", SIGNED_FILES, ids=lambda path: path.name)
def test_symbols_are_those_without_signs(path) -> None:  # type: ignore[no-untyped-def]
    language = language_of(path)
    code = marks.read_marks(path.read_bytes().decode())[0].encode()
    assert extract_symbols(language, code) == extract_symbols(without_signs(language), code)


@pytest.mark.sample(7)
@pytest.mark.parametrize(
    ("language", "code", "expected"),
    [
        ("typescript", b"interface A<out T> { a: T }\n", 1),
        ("typescript", b"let a: {\n  <T>(x: T): A<T>\n  <T>(x: T, y: T): A<T>\n}\n", 1),
        ("typescript", b"let a: {\n  <T>(x: T): A<T>\n}\n", 1),  # nothing to repair
        ("typescript", b"let a = 1\n", 1),
        # first with repairs, then without
        ("typescript", b"interface A<out T> { a: T }\nlet = = 1;\n", 2),
        ("c", b"int f(int a UNUSED, const char *b)\n{\n}\n", 1),
        ("c", b"static int f(int a, int b UNUSED)\n{\n}\n", 1),
        ("c", b"NORETURN void die(const char *text);\n", 2),
        ("c", b"SOME_ALWAYS_INLINE void *\nf(int a,\n  int b) {\n}\n", 2),
        ("c", b"int f(int a UNUSED, int b) {}\nint = = 1;\n", 2),
        ("c", b"int f(int a) <%\n%>\n", 2),  # no sign
        ("c", b"int a;\nTEST_BEGIN(f) {\n}\nTEST_END\nint b;\n", 1),
        ("c", b"int a;\nLIB_LOCAL const char *name(int a);\n", 1),
        ("c", b"int a = f(b,\nDEFAULT_SIZE\n);\n", 1),  # no sign and no error
        ("cpp", b"namespace lib {\nLIB_NAMESPACE_BEGIN\nint f(int a);\nLIB_NAMESPACE_END\n}\n", 1),
        ("cpp", b"#define LIB_NAMESPACE_BEGIN\nint f(int a);\n", 1),
    ],
)
def test_how_often_a_file_is_parsed(
    language: str, code: bytes, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    signed = SIGNED[language]
    assert parses(signed, code, monkeypatch) == expected
    assert extract_symbols(signed, code) == extract_symbols(without_signs(signed), code)


def test_a_file_is_not_parsed_again_where_no_body_is_near_an_error() -> None:
    bodies = b"".join(
        b"void f%d(void) {\n%s}\n" % (number, b"  call();\n" * 90) for number in range(3)
    )
    parser = PartialParser(SIGNED["c"])
    for source, left_out in (
        (bodies + b"int a;\n" * 100 + b"int = = 1;\n", 3),
        (bodies + b"int = = 1;\n", 2),
    ):
        result = parser.parse_once(source)
        again = parser.parse_once(source, find_errors(result.tree), first_result=result)
        assert result.has_error and len(again.bodies) == left_out
        assert (again is result) == (left_out == 3)


NEAR = "int a;\n" * 200
"""Lines that no error touches."""


def near(source: str, *rows: list[str]) -> PartialParser:
    """Returns a parser of C whose only repairs are these rows of `repair_near`."""
    signed = SIGNED["c"]
    rules = msgspec.structs.replace(
        signed.rules, mend=[], repair=[], repair_signs=[], repair_near=[*rows]
    )
    return PartialParser(Language(signed.id, rules, signed.query))


def test_repairs_near_errors_touch_the_lines_around_errors_alone() -> None:
    source = f"int odd b;\n{NEAR}int odd c;\n"
    parsed = near(source, ["[ ]odd", ""]).parse(source.encode())
    assert not parsed.has_error and b"odd" not in parsed.source
    quiet = f"int odd;\n{NEAR}int odd c;\n"
    parsed = near(quiet, ["[ ]odd", ""]).parse(quiet.encode())
    assert parsed.source.startswith(b"int odd;\n")


def test_repairs_near_errors_are_taken_back_where_they_leave_more_errors() -> None:
    source = f"int x odd c;\n{NEAR}"
    parsed = near(source, ["int", "{{("], ["a;", "((("]).parse(source.encode())
    assert parsed.has_error and parsed.source.startswith(b"int x odd c;\n")


def test_repairs_with_places_are_made_in_all_of_a_file_with_errors() -> None:
    source = "enum { A odd, B };\n" + NEAR + "int x y z;\n"
    parsed = near(source, ["[ ]odd", "", " ", r"enum \{[^{}]*\}"]).parse(source.encode())
    assert parsed.source.startswith(b"enum { A    , B };\n")


def test_a_line_keeps_its_number_whatever_is_repaired_around_errors() -> None:
    source = b"struct S {\n  CACHE_ALIGNED\n  int a\n    GUARDED(x,\n      y);\n  int b FIRST SECOND(z) = 1;\n};\nint after;\n"
    rows, _ = extract_symbols(SIGNED["c"], source)
    assert [(row.name, row.name_row) for row in rows] == [
        ("S", 0),
        ("a", 2),
        ("b", 5),
        ("after", 7),
    ]
