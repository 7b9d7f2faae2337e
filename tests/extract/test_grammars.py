"""The language folders: the marks of every fixture are right and complete, and a fixture exercises
every pattern of a query."""

import os
import re
import sys
from pathlib import Path

import msgspec
import pytest

from symindex.extract.languages.language import QUERY_OF, Language
from symindex.extract.languages.registry import load_languages
from symindex.extract.languages.schema import (
    BindingRules,
    BlockRules,
    BodyRules,
    BranchRules,
    DocRules,
    LanguageFile,
    MarkRules,
    RoleRules,
    SuiteRules,
    UnusedRules,
    VisibilityRules,
)
from symindex.extract.parse.definitions import parse_definitions
from symindex.extract.parse.patterns import CAPTURES, SETTINGS
from symindex.extract.parse.query import compile_query
from symindex.extract.summary import check_languages, open_source
from symindex.extract.symbols import extract_symbols
from symindex.render.report import render_symbols
from tests.support import marks
from tests.support.command import run_program
from tests.support.files import write_files

FIXTURES = Path(__file__).parents[2] / "fixtures" / "symbols"
FILES = marks.fixture_files(FIXTURES)
LANGUAGES = sorted(load_languages().by_id)


def language_of(path: Path) -> Language:
    """Returns the language of a fixture: its folder's name, whatever its extension."""
    languages, name = load_languages().by_id, path.relative_to(FIXTURES).parts[0]
    assert name in languages, (
        f"fixtures/symbols/{name}: its language has to be in grammars/{name}, and sound: symindex check"
    )
    return languages[name]


def comment_marker(language: Language) -> str:
    """Returns the text that opens a comment line: the last (plainest) line marker, or else the
    first block marker that can contain marks. Marks are removed before parsing, so any text suits a
    language without such comments."""
    doc = language.rules.doc
    if doc.line:
        return doc.line[-1]
    return next(
        (opener for opens, _ in doc.block for opener in marks.CLOSERS if opens.startswith(opener)),
        "#",
    )


@pytest.mark.sample(461)
@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(FIXTURES)))
def test_marks_are_the_symbols(path: Path, request: pytest.FixtureRequest) -> None:
    language = language_of(path)
    text = path.read_bytes().decode()
    if request.config.getoption("--update"):
        updated = marks.rewrite(language, text, comment_marker(language))
        if updated != text:
            path.write_bytes(updated.encode())
        text = updated
    assert marks.compare(language, text) == []


@pytest.mark.sample(3)
@pytest.mark.parametrize("language_id", LANGUAGES)
def test_every_pattern_is_exercised(language_id: str) -> None:
    language = load_languages().by_id[language_id]
    hit: set[int] = set()
    for path in FILES:
        if language_of(path) is language:
            code, _ = marks.read_marks(path.read_bytes().decode())
            captures = parse_definitions(language, code.encode())
            ranges = (captures.around, captures.wholes.values())
            for group in (
                captures.definitions,
                captures.comments,
                captures.scopes,
                captures.markers,
                *ranges,
            ):
                hit.update(
                    capture.pattern.number for capture in group if capture.pattern is not None
                )
            hit.update(
                pattern.number for pattern in (*captures.sources, *captures.constants.values())
            )
    # Fixtures of the base language exercise its patterns.
    own = language.query.count("\n", 0, language.query.rfind(QUERY_OF))
    patterns = [pattern for pattern in compile_query(language).patterns if pattern.line > own]
    unused = [
        f"symbols.scm:{pattern.line - own}" for pattern in patterns if pattern.number not in hit
    ]
    assert unused == []


GOOD = """\
class A:
#     ^ class A !exported
    pass
x = 1
# <- variable x !exported
"""


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (
            ("class A:", "class B:"),
            [
                "- 'class B:' column 6+1: class A !exported",
                "+ 'class B:' column 6+1: class B !exported",
            ],
        ),
        (("# <- ", "# "), ["+ 'x = 1' column 0+1: variable x !exported"]),
        (("x = 1", "1"), ["- '1' column 0+1: variable x !exported"]),
        (
            ("     ^", "    ^"),
            [
                "- 'class A:' column 5+1: class A !exported",
                "+ 'class A:' column 6+1: class A !exported",
            ],
        ),
        (
            (" !exported\n    pass", "\n    pass"),
            ["- 'class A:' column 6+1: class A", "+ 'class A:' column 6+1: class A !exported"],
        ),
    ],
    ids=["renamed", "unmarked", "vanished", "misplaced", "flags"],
)
def test_a_wrong_fixture_fails(change: tuple[str, str], complaint: list[str]) -> None:
    language = load_languages().by_id["python"]
    assert marks.compare(language, GOOD) == []
    assert marks.compare(language, GOOD.replace(*change)) == complaint


def test_marks_in_a_language_of_block_comments_alone_are_closed() -> None:
    code = "class Cart {}\n"
    for block, mark in (
        ([("/**", "*/")], "/*    ^^^^ class Cart */"),
        ([("--[[", "]]")], "#     ^^^^ class Cart"),
    ):
        java = load_languages().by_id["java"]
        rules = msgspec.structs.replace(java.rules, doc=DocRules(block=block))
        own = Language("own", rules, java.query)
        text = marks.rewrite(own, code, comment_marker(own))
        assert text == f"{code}{mark}\n"
        assert marks.compare(own, text) == []
        assert marks.rewrite(own, text, comment_marker(own)) == text


PAGE = (Path(__file__).parents[2] / "grammars" / "README.md").read_text("utf-8")


def test_the_example_of_the_page_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (rules, query, source, shown) = re.findall(
        r"^```(?:toml|scheme|lua|)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL
    )[1:5]
    write_files(tmp_path, {"lua/language.toml": rules, "lua/symbols.scm": query, "a.lua": source})
    monkeypatch.setenv("SYMINDEX_GRAMMARS", str(tmp_path))
    assert [line.is_fault for line in check_languages([tmp_path])] == [False]
    assert render_symbols(extract_symbols(*open_source(tmp_path / "a.lua", None))[0]) == shown


def test_the_page_explains_every_key_capture_and_setting() -> None:
    structs = (
        LanguageFile,
        DocRules,
        VisibilityRules,
        MarkRules,
        BodyRules,
        BlockRules,
        SuiteRules,
        BranchRules,
        RoleRules,
        BindingRules,
        UnusedRules,
    )
    keys = {field for struct in structs for field in struct.__struct_fields__} - {
        "doc",
        "visibility",
        "test",
        "deprecated",
        "roles",
        "unused",
    }
    explained = {
        word
        for row in re.findall(r"^\| (`.*?) \|", PAGE, re.MULTILINE)
        for word in re.findall(r"`([\w.]+)`", row)
    }
    assert keys - {"bodies", "blocks", "suites", "branches", "statements", "bindings"} <= explained
    assert [name for name in CAPTURES if f"`@{name}`" not in PAGE] == []
    settings = set(re.findall(r"\(#set! (\w+) (\w+)\)", PAGE))
    for key, values in re.findall(r"^\| `(\w+)` \| (`.*?) \|", PAGE, re.MULTILINE):
        settings.update((key, value) for value in re.findall(r"`(\w+)`", values))
    assert {(key, value) for key, values in SETTINGS.items() for value in values} <= settings


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes")
@pytest.mark.parametrize("name", ["language.toml", "symbols.scm"])
@pytest.mark.parametrize("kind", ["pipe", "huge", "endless", "nested", "deep key"])
def test_a_language_folder_that_is_a_trap_is_reported_at_once(
    tmp_path: Path, name: str, kind: str
) -> None:
    if name == "symbols.scm" and kind in ("nested", "deep key"):
        pytest.skip("not a TOML file")
    folder = tmp_path / "odd"
    folder.mkdir()
    (folder / "language.toml").write_text('name = "Odd"\ngrammar = "python"\n')
    (folder / "symbols.scm").write_text("")
    trap = folder / name
    trap.unlink()
    if kind == "pipe":
        os.mkfifo(trap)
    elif kind == "huge":
        with trap.open("wb") as file:
            file.truncate(50_000_000_000)
    elif kind == "endless":
        trap.symlink_to("/dev/zero")
    else:
        trap.write_text(
            "a = " + "[" * 90_000 if kind == "nested" else "a" + ".a" * 90_000 + " = 1\n"
        )
    ran = run_program([sys.executable, "-P", "-m", "symindex", "check", tmp_path], timeout=20)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith(f"odd: {trap}: ")
    assert "internal error at" not in ran.stderr
