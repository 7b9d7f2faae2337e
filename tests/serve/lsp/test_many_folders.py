"""A client with more folders than the system can watch gets an answer at once, and soon one for all
folders, in their order."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from symindex.editor.background_scan import MOST_FOLDERS_SCANNED
from tests.support.files import write_files
from tests.support.lsp_client import start_server

pytestmark = [pytest.mark.nightly, pytest.mark.slow]

N_FOLDERS = 140
"""More than 128: above that, folders once lost their order, and the system can watch no more of
them."""

SECONDS = 120.0
"""Time limit for indexing. It takes ten seconds on an idle machine; with a build process for each
folder it took a minute and a half."""


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    top = tmp_path_factory.mktemp("many")
    return [
        write_files(
            top / f"folder{n:03}",
            {"a.py": f"def shared(): pass\n\nclass Only{n:03}: pass\n", "b.go": "package b\n"},
        )
        for n in range(N_FOLDERS)
    ]


def test_many_small_folders(folders: list[Path]) -> None:
    client = start_server()
    client.initialize(*folders)
    first = client.call("symindex/search", {"query": "shared"}, SECONDS)
    assert first["total"] >= 1
    # A partial answer says so, in a number of lines that does not grow with the folders.
    assert first["total"] == N_FOLDERS or any(
        "other folders: " in notice for notice in first["notices"]
    )
    assert len(first.get("notices") or ()) <= 2 * MOST_FOLDERS_SCANNED
    end = time.monotonic() + SECONDS
    while (
        whole := client.call("symindex/search", {"query": "shared", "max_items": 500}, SECONDS)
    ).get("notices"):
        assert time.monotonic() < end, whole["notices"]
        client.call(
            "symindex/search", {"query": "no_such_name"}, SECONDS
        )  # the query waits for changes
    expected = [f"{folder.name}/a.py" for folder in folders]
    assert whole["total"] == N_FOLDERS
    assert [item["file_path"] for item in whole["items"]] == expected
    rows = client.call("workspace/symbol", {"query": "shared"}, SECONDS)
    assert [row["location"]["uri"] for row in rows] == [
        (folder / "a.py").as_uri() for folder in folders
    ]
    assert client.call("symindex/search", {"query": f"Only{N_FOLDERS - 1}"}, SECONDS)["total"] == 1
    client.leave()


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such limit")
def test_a_server_may_open_as_many_files_as_its_folders_need() -> None:
    """The usual limit of 1,024 files suffices for 250 folders; above that, searches failed."""
    program = (
        "import resource; from symindex.workspace.watched_tree import WatchedTrees\n"
        "hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))\n"
        "WatchedTrees()\n"
        "assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] > 256 or hard <= 256\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
