"""Small bugs recorded as data: each changes code that exists and names tests that exist."""

import re
from pathlib import Path

import pytest

from tests.mutate import FOLDER, ROOT, Change, Copy, place_of, read_changes

CHANGES = {
    f"{path.stem}: {change.what}": change
    for path in sorted(FOLDER.glob("*.toml"))
    for change in read_changes(path)
}


def test_there_are_some() -> None:
    assert len(CHANGES) > 200


@pytest.mark.nightly
def test_each_change_is_of_code_that_occurs_once() -> None:
    code = "\0".join(path.read_text() for path in (ROOT / "symindex").rglob("*.py"))
    assert [
        name
        for name, change in CHANGES.items()
        if code.count(change.old) != 1 or change.old == change.new
    ] == []


def test_each_names_tests_that_there_are() -> None:
    for name, change in CHANGES.items():
        assert change.tests, name
        for test in change.tests:
            file, _, function = test.partition("::")
            text = (ROOT / file).read_text()
            assert not function or re.search(
                rf"def {re.escape(function.partition('[')[0])}\(", text
            ), f"{name}: {test}"


@pytest.mark.nightly
@pytest.mark.slow
def test_a_bug_fails_a_test_and_unchanged_code_does_not(tmp_path: Path) -> None:
    copy = Copy(tmp_path)
    test = ("tests/test_protocol.py::test_kind_codes_never_change",)
    bug = Change("a code is another", 'FILE = "file", 1,', 'FILE = "file", 99,', test)
    text = place_of(bug).read_text()
    assert copy.notices(bug)
    assert not copy.notices(Change("nothing", bug.old, bug.old, test))
    assert place_of(bug, copy.root).read_text() == text


def test_a_text_that_occurs_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="must stand there once"):
        place_of(Change("too common", "import", "", ()))
