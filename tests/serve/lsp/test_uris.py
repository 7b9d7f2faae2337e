"""The files that a client's URIs name, and URIs that name none: files of other machines, and things
that are not files."""

from pathlib import Path

import pytest

from symindex.serve.lsp.convert import to_path
from tests.support.files import write_files
from tests.support.lsp_client import Editors, LspError

FILES = {
    "file:///a/b.py": "/a/b.py",
    "file:/a/b.py": "/a/b.py",
    "FILE:///a/b.py": "/a/b.py",
    "file://localhost/a/b.py": "/a/b.py",
    "file:///a%20b/%C3%AF.py": "/a b/ï.py",
    "file:///c%3A/x.py": "/c:/x.py",
    "file:///a.py#x": "/a.py#x",
    "file:///a.py?x": "/a.py?x",
    "file:///what?.py?#x": "/what?.py?#x",
    "file:///a/../b.py": "/b.py",
    "file:///a/%2E%2E/b.py": "/b.py",
}

NONE = [
    "file://server/a/b.py",
    "file://server.example/a/b.py",
    "file://localhost.example/a/b.py",
    "file://127.0.0.1/a/b.py",
    "file://somebody@localhost/a/b.py",
    "file://localhost:80/a/b.py",
    "file://[bad/a.py",
    "file:///%00",
    "file:///\ud800",
    "file://",
    "untitled:/a/b.py",
    "http://localhost/a/b.py",
    "git:/a/b.py",
    "/a/b.py",
    "",
]


@pytest.mark.parametrize("uri", FILES)
def test_uris_of_files(uri: str) -> None:
    assert to_path(uri) == Path(FILES[uri])


@pytest.mark.parametrize("uri", NONE)
def test_uris_that_name_no_file_here(uri: str) -> None:
    assert to_path(uri) is None


@pytest.mark.nightly
def test_a_file_of_another_machine_is_not_the_local_one_at_its_path(
    editors: Editors, tmp_path: Path
) -> None:
    """It does not show that file's symbols, and does not hide them while it is open."""
    root = write_files(tmp_path / "tree", {"a.py": "def here(): pass\n"})
    client = editors.start_indexed(root)
    uri = f"file://server{root / 'a.py'}"
    with pytest.raises(LspError, match="is neither an open document nor a file"):
        client.outline(uri)
    client.open(uri, "def elsewhere(): pass\n", "python")
    assert [node["name"] for node in client.outline(uri)] == ["elsewhere"]
    assert (client.names("here"), client.names("elsewhere")) == (["here"], [])
