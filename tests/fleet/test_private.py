"""What a fleet does not show, because others may read its answers: notes, added content, and files of
the machine that serves."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from symindex.errors import RequestError
from symindex.fleet.fleet import Fleet
from symindex.recall.content.content import Content, content_folder
from symindex.recall.notes.notes import Notes
from tests.support.fleets import SmallFleet

SECRET = "The zanzibar launch code is 4711"


@pytest.fixture
def fleet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Fleet]:
    """A fleet on a machine whose user has notes and content, everywhere."""
    monkeypatch.setenv("SYMINDEX_DATA_DIR", str(tmp_path / "data"))
    small = SmallFleet(tmp_path)
    small.work().update()
    with small.open() as opened:
        root = next(iter(opened.source.folders_by_prefix.values()))[0]
        for folder in root, tmp_path, Path.cwd():
            with Notes(folder) as notes:
                notes.add(SECRET)
            with Content(content_folder(folder), folder) as content:
                content.add(SECRET.encode(), "secret", "a page")
        yield opened


def test_questions_find_no_notes_and_no_content(fleet: Fleet) -> None:
    for question in ("The zanzibar launch code is", "zanzibar launch"):
        response = fleet.recall(question, include_graph=True)
        assert "4711" not in str(response.sections)
        assert "4711" not in str(fleet.search(question))


@pytest.mark.parametrize("item", ["note:1", "note:2", "chunk:1", "content:1"])
def test_their_ids_lead_nowhere(fleet: Fleet, item: str) -> None:
    try:
        assert "4711" not in str(fleet.symbol(item))
    except RequestError as error:
        assert "4711" not in str(error)
    assert "4711" not in str(fleet.fetch(item))
    assert fleet.related(item) is None


@pytest.mark.parametrize("path", ["/etc/passwd", "../../etc/passwd", "pallets/click/../../../x"])
def test_no_file_of_the_machine_is_read(fleet: Fleet, tmp_path: Path, path: str) -> None:
    (tmp_path / "cache" / "empty").mkdir(parents=True, exist_ok=True)
    (tmp_path / "cache" / "empty" / "planted.py").write_text("def planted(): ...\n")
    for call in (fleet.symbol, fleet.outline):
        with pytest.raises(RequestError):
            call(path)
    assert "root:" not in str(fleet.fetch(path))
    assert fleet.grep("planted").total == 0
