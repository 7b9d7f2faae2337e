"""`dump` and `check` run in their own process: a file that takes too long or gives too much leads
to one line."""

import os
from pathlib import Path

import pytest

from symindex.errors import RequestError
from symindex.workers import dump
from tests.support.files import write_files
from tests.support.hanging_language import write_hanging_language


def test_what_is_printed_has_its_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = write_files(tmp_path, {"a.py": "def one(): pass\n"}) / "a.py"
    assert dump.see_symbols(source, None)[0][0].name == "one"
    monkeypatch.setattr(dump, "MOST_ANSWER_BYTES", 20)
    for is_tree, what in ((True, "its tree"), (False, "what its queries find")):
        order = dump._DumpOrder(os.fsencode(source), None, is_tree)
        assert f"a.py: {what} takes more than" in dump.decode(dump._dumped(order), dump._Dump).error


@pytest.mark.nightly
@pytest.mark.slow
def test_a_grammar_that_never_returns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYMINDEX_GRAMMARS", str(write_hanging_language(tmp_path / "grammars")))
    monkeypatch.setattr(dump, "FILE_SECONDS", 0.5)
    source = write_files(tmp_path, {"a.hang": "x"}) / "a.hang"
    for see in (lambda: dump.see_symbols(source, None), lambda: dump.see_tree(source, None, False)):
        with pytest.raises(RequestError, match=r"a\.hang: "):
            see()


@pytest.mark.slow
def test_a_language_whose_check_does_not_end_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_hanging_language(tmp_path / "grammars")
    assert [line.is_fault for line in dump.check_apart([folder])] == [False]
    monkeypatch.setattr(dump, "FILE_SECONDS", 0.000_1)
    *_, last = dump.check_apart([folder])
    assert last.is_fault and "cannot be checked" in last.text
