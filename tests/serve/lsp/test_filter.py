"""Our answers pass through the filter of VS Code, which drops every row that it cannot match
itself: the test runs VS Code's own code."""

import json
import os
import shutil
import tarfile
import tempfile
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import run_program
from tests.support.lsp_client import Client, Editors, TcpServer
from tests.support.npm import CACHE, HOME

pytestmark = [pytest.mark.nightly, pytest.mark.slow]

VERSION = "0.52.2"
"""The version of monaco-editor, which contains the same code as VS Code."""

TREE = Path(__file__).parents[3] / "symindex"

QUERIES = [
    "", "s", "qu", "query", "Query", "parseq", "pq", "FilSy", "lngdcs", "symbol", "SYMBOL",
    "Session.sym", "Session::sym", "Session#sym", "session/sym", "Workspace.", "extract/read", "lsp/conv", "lsp.server.Server.",
    "Sess.op", "search/names/", "Open::open", "index.build", "read file", "nothing_such_at_all", "Documnts",
    "wrkspce", "a.b.c.d",
]  # fmt: skip

FOLDED = ["é", "::Session", "__init__", "_r", "parse_query", "index_dir", "to-path"]
"""Queries with separators or accents that the names they find lack: VS Code matches these
characters as letters."""


@pytest.fixture(scope="module")
def scorer() -> Path:
    """VS Code's `fuzzyScorer` and its dependencies, downloaded once."""
    folder = CACHE / f"monaco-editor-{VERSION}"
    path = folder / "package" / "esm" / "vs" / "base" / "common" / "fuzzyScorer.js"
    if path.exists():
        return path
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("node and npm are not installed")
    with tempfile.TemporaryDirectory() as made:
        command = ["npm", "pack", "--silent", f"monaco-editor@{VERSION}"]
        done = run_program(command, cwd=made, env={**os.environ, **HOME}, timeout=300)
        archives = list(Path(made).glob("*.tgz"))
        if done.returncode or not archives:
            pytest.skip(f"npm cannot fetch monaco-editor: {done.stderr.strip()[-200:]}")
        with tarfile.open(archives[0]) as archive:
            wanted = ("package/esm/vs/base/common/", "package/esm/vs/nls", "package/LICENSE")
            archive.extraction_filter = getattr(
                tarfile, "data_filter", None
            )  # Python has this since 3.11.4
            archive.extractall(
                folder, [member for member in archive if member.name.startswith(wanted)]
            )
    (folder / "package" / "package.json").write_text('{"type": "module"}\n')
    return path


def run_filter(scorer: Path, cases: list[dict[str, Any]]) -> list[tuple[list[int], list[int]]]:
    """Returns, for each case, the numbers of the rows that VS Code drops: for the text as typed,
    and without `::`."""
    script = Path(__file__).with_name("vscode_filter.mjs")
    sent = json.dumps({"scorer": str(scorer), "cases": cases})
    done = run_program(["node", str(script)], input=sent, check=True)
    return [(whole, stripped) for whole, stripped in json.loads(done.stdout)]


def ask(client: Client, typed: str) -> dict[str, Any]:
    """Returns a case: VS Code sends the first word and looks for the others itself."""
    rows = [
        {
            "name": row["name"],
            "container": row.get("containerName", ""),
            "path": row["location"]["uri"].removeprefix(TREE.as_uri() + "/"),
        }
        for row in client.symbols(typed.split(" ")[0])
    ]
    return {"typed": typed, "rows": rows}


@pytest.fixture(scope="module", autouse=True)
def indexed_tree(lsp_server: TcpServer) -> None:
    keeper = Editors(lsp_server)
    keeper.start_indexed(TREE)
    keeper.end()


def test_vs_code_drops_no_row_that_we_answer(scorer: Path, editors: Editors) -> None:
    client = editors.start(TREE)
    cases = [ask(client, typed) for typed in QUERIES]
    assert sum(len(case["rows"]) for case in cases) > 500
    for case, (whole, stripped) in zip(cases, run_filter(scorer, cases), strict=True):
        names = [row["name"] for row in case["rows"]]
        # the second word narrows the list, but must leave rows that contain it
        if " " in case["typed"]:
            assert 0 < len(names) - len(whole) < len(names)
        else:
            assert [names[number] for number in whole] == [], case["typed"]
            assert [names[number] for number in stripped] == [], case["typed"]


def test_vs_code_drops_what_is_folded_only_where_nothing_else_is_found(
    scorer: Path, editors: Editors
) -> None:
    """`parse_query` finds `parseQuery` for editors that show it; an answer with rows that VS Code
    shows contains no others."""
    client = editors.start(TREE)
    cases = [ask(client, typed) for typed in FOLDED]
    dropped = [whole for whole, _ in run_filter(scorer, cases)]
    assert [
        len(some) in (0, len(case["rows"])) for some, case in zip(dropped, cases, strict=True)
    ] == [True] * len(cases)
    assert [case["typed"] for some, case in zip(dropped, cases, strict=True) if not some][:3] == [
        "::Session",
        "__init__",
        "_r",
    ]


def test_the_filter_does_drop_what_does_not_match(scorer: Path) -> None:
    rows = [
        {"name": name, "container": "", "path": "a.py"}
        for name in ("QuerySet", "QrySet", "Set", "filter")
    ]
    assert run_filter(
        scorer, [{"typed": "QuerySet", "rows": rows}, {"typed": "Query::Set", "rows": rows}]
    ) == [
        ([1, 2, 3], [1, 2, 3]),
        ([0, 1, 2, 3], [1, 2, 3]),
    ]
