"""The language folders: every fixture's marks are right and complete, and every query pattern is exercised by some fixture."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from symindex.extract.languages.registry import Language, load_languages
from symindex.extract.parse import compile_query, parse_definitions
from tests.support import marks

FIXTURES = Path(__file__).parents[2] / "fixtures" / "symbols"
FILES = marks.fixture_files(FIXTURES)
LANGUAGES = sorted(load_languages().by_id)


def language_of(path: Path) -> Language:
    """The folder's name is the language, whatever the extension would say."""
    return load_languages().by_id[path.relative_to(FIXTURES).parts[0]]


def comment_marker(language: Language) -> str:
    """What opens a comment line: the last (plainest) line marker, else the first block's."""
    return language.rules.doc.line[-1] if language.rules.doc.line else language.rules.doc.block[0][0]


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


@pytest.mark.parametrize("language_id", LANGUAGES)
def test_every_pattern_is_exercised(language_id: str) -> None:
    language = load_languages().by_id[language_id]
    hit: set[int] = set()
    for path in FILES:
        if language_of(path) is language:
            code, _ = marks.read_marks(path.read_bytes().decode())
            parsed = parse_definitions(language, code.encode())
            for found in (parsed.definitions, parsed.comments, parsed.scopes, parsed.markers):
                hit.update(thing.pattern for thing in found)
            hit.update(parsed.sources, (whole.pattern for whole in parsed.wholes.values()))
    patterns = compile_query(language).patterns
    unused = [f"symbols.scm:{pattern.line}" for index, pattern in enumerate(patterns) if index not in hit]
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
            ["- 'class B:' column 6+1: class A !exported", "+ 'class B:' column 6+1: class B !exported"],
        ),
        (("# <- ", "# "), ["+ 'x = 1' column 0+1: variable x !exported"]),
        (("x = 1", "1"), ["- '1' column 0+1: variable x !exported"]),
        (
            ("     ^", "    ^"),
            ["- 'class A:' column 5+1: class A !exported", "+ 'class A:' column 6+1: class A !exported"],
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


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
@pytest.mark.parametrize("name", ["language.toml", "symbols.scm"])
@pytest.mark.parametrize("kind", ["pipe", "huge", "endless", "nested", "deep key"])
def test_a_language_folder_that_is_a_trap_is_told_of_at_once(tmp_path: Path, name: str, kind: str) -> None:
    if name == "symbols.scm" and kind in ("nested", "deep key"):
        pytest.skip("no TOML")
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
        trap.write_text("a = " + "[" * 90_000 if kind == "nested" else "a" + ".a" * 90_000 + " = 1\n")
    ran = subprocess.run(
        [sys.executable, "-P", "-m", "symindex", "check", str(tmp_path)], capture_output=True, text=True, timeout=20, check=False
    )
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith(f"odd: {trap}: ")
    assert "a fault of symindex" not in ran.stderr
