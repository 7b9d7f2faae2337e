"""Files with carriage returns as line ends, or not in UTF-8, have the same lines and names at every
front end."""

from pathlib import Path

import pytest

import symindex
from symindex.extract import reading_rules
from symindex.extract.languages.registry import load_languages
from tests.files.test_repositories import git
from tests.support.files import write_files

LINES = [
    "# 表示 ソース",
    "def named():",
    "    return 1",
    "",
    "def uses():",
    "    return named()",
    "",
]
TRACE = 'Traceback (most recent call last):\n  File "a.py", line 6, in uses\nValueError: x\n'


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("end", "encoding"),
    [("\r", "utf-8"), ("\r", "shift_jis"), ("\n", "shift_jis"), ("\r\n", "gb18030")],
)
def test_lines_are_those_of_an_editor(tmp_path: Path, end: str, encoding: str) -> None:
    root = write_files(tmp_path / "tree", {"b.py": ""})
    (root / "a.py").write_bytes(end.join(LINES).encode(encoding))
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-qm", "x")
    (root / "a.py").write_bytes(end.join(LINES).replace("return 1", "return 2").encode(encoding))
    with symindex.open(root, tmp_path / "index") as workspace:
        (used,) = [
            item
            for file in workspace.references("named").files
            for item in file.items
            if item.role == "call"
        ]
        assert (used.line, used.text.strip()) == (6, "return named()")
        assert workspace.symbol("a.py:6").symbol.range.start_line == 5  # type: ignore[union-attr]
        assert [frame.line for frame in workspace.trace(TRACE).frames] == [6]
        changed = workspace.changed("HEAD")
        assert [row.name for file in changed.files for row in file.symbols] == ["named"]


def test_another_version_of_what_guesses_encodings_reads_files_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    languages = load_languages()
    before = reading_rules.rules_digest(languages, [])
    (tmp_path / "chardet-99.0.dist-info").mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    reading_rules._chardet.cache_clear()
    assert reading_rules.rules_digest(languages, []) != before
    reading_rules._chardet.cache_clear()
