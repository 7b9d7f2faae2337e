"""Calls of rye's tools from Python: the project that a call concerns, and fields of the other
mode."""

import threading
from pathlib import Path
from typing import Any

import pytest

from symindex.dialects.table import call, dialect, reply_to
from symindex.errors import RequestError
from symindex.serve.mcp.client_profiles import Offer
from symindex.serve.mcp.handlers import ToolHandlers
from symindex.workspace.workspace import Workspace
from tests.support.files import Maker, write_files


@pytest.fixture
def workspace(make_workspace: Maker) -> Workspace:
    return make_workspace(
        {".ai/tools/deploy.py": '"""Deploys the shop"""\n', "src/a.py": "def deploy_shop(): pass\n"}
    )


def found(workspace: Workspace, query: str = "shop", scope: str = "tool", **more: Any) -> list[str]:
    return [
        row.id
        for row in call(workspace, "rye", "rye_search", query=query, scope=scope, **more).results
    ]


def test_the_project_is_the_root_or_a_folder_in_it(workspace: Workspace) -> None:
    for path in (
        {},
        {"project_path": ""},
        {"project_path": str(workspace.root)},
        {"project_path": f"{workspace.root}/src"},
    ):
        assert found(workspace, **path) == ["deploy"]
    for elsewhere in (
        str(workspace.root.parent),
        f"{workspace.root}-other",
        f"{workspace.root}/../other",
    ):
        with pytest.raises(RequestError, match=r"not below a root; available roots: .*tree0"):
            found(workspace, project_path=elsewhere)
    for no_path in ("\0", "src", "~/x", ".", 5):
        with pytest.raises(RequestError, match=r"not an absolute path; available roots: .*tree0"):
            found(workspace, project_path=no_path)
    for no_folder in (f"{workspace.root}/src/a.py", f"{workspace.root}/none"):
        with pytest.raises(RequestError, match=r"not a folder; available roots: .*tree0"):
            found(workspace, project_path=no_folder)


def test_the_project_path_chooses_among_several_roots(tmp_path: Path) -> None:
    """All roots have an item with the same id, and each finds the user's items once. A folder in
    two roots belongs to the inner one."""
    roots = [
        write_files(
            tmp_path / name,
            {".ai/tools/deploy.py": f'"""Deploy the {Path(name).name}"""\n', "a.py": "a = 1\n"},
        )
        for name in ("shop", "bank", "bank/till")
    ]
    handlers = ToolHandlers(
        roots, str(tmp_path / "index"), Offer("auto", (dialect("rye"),), has_own=False)
    )
    try:
        for root in roots:
            for _ in range(2):
                asked = {
                    "query": "deploy",
                    "scope": "tool",
                    "project_path": str(root),
                    "space": "project",
                }
                answer = handlers.answer("rye_search", asked, threading.Event())
                assert [row.description for row in answer.data.results][:1] == [
                    f"Deploy the {root.name}"
                ]
            if root.name == "bank":  # which contains another item with this id
                continue
            item = handlers.answer(
                "rye_fetch", {"item_id": "deploy", "project_path": str(root)}, threading.Event()
            )
            assert not item.is_error and item.data.path == str(root / ".ai/tools/deploy.py")
    finally:
        handlers.close()


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("item_id", "meant"),
    [
        ("deploy.py", "deploy"),
        (".ai/tools/deploy", "deploy"),
        ("tool.deploy", "deploy"),
        ("deplyo", "deploy"),
        ("core/deploy", "deploy"),
        ("missing-tool", ""),
        ("d", ""),
    ],
)
def test_a_misspelt_id_is_refused_with_the_right_one(
    item_id: str, meant: str, workspace: Workspace
) -> None:
    answer = reply_to(workspace, dialect("rye"), "rye_fetch", {"item_id": item_id})
    assert answer.is_error
    assert answer.data.error == f"Item not found: {item_id}" + (
        f"; did you mean {meant}?" if meant else ""
    )


def test_verify_is_accepted_although_the_document_lacks_it(workspace: Workspace) -> None:
    assert "verify" not in dialect("rye").tools[1].schema()["inputSchema"]["properties"]
    assert (
        call(workspace, "rye", "rye_fetch", item_id="deploy", verify="off").content
        == '"""Deploys the shop"""\n'
    )
    assert call(workspace, "rye", "rye_fetch", item_id="deploy", verify="require").status == "error"


@pytest.mark.parametrize(
    "scope", ["", "*", "tool/rye/core/*", "rye.search.*", "rye.search", "tool directive", "."]
)
def test_a_scope_without_a_type_is_refused_with_the_three_types(
    scope: str, workspace: Workspace
) -> None:
    with pytest.raises(
        RequestError,
        match=r"expected directive, tool or knowledge, with an optional namespace, such as tool\.rye\.core\.\*",
    ):
        found(workspace, scope=scope)


def test_items_are_filtered_by_their_own_date(make_workspace: Maker) -> None:
    def item(date: str) -> str:
        return f"---\n{f'date: {date}' if date else 'title: x'}\n---\ndated words\n"

    dates = {"old": "2019-05-01", "new": "2022-01-01", "none": ""}
    dated = make_workspace({f".ai/knowledge/{name}.md": item(date) for name, date in dates.items()})

    def within(**filters: str) -> list[str]:
        return sorted(
            row.id
            for row in call(dated, "rye", query="dated", scope="knowledge", filters=filters).results
        )

    assert within(date_from="2021-01-01", date_to="2022-01-01") == ["new"]
    assert within(date_to="2019-05-01") == ["old"]
    assert within(date_to="2019-04-30") == []
    # the file of the last was just written
    assert within(date_from="2022-01-01") == ["new", "none"]


def test_a_word_matches_only_as_a_whole(workspace: Workspace) -> None:
    assert found(workspace, "deploy", "function") == ["src/a.py#deploy_shop"]
    assert (
        found(workspace, "depl", "function")
        == found(workspace, "depl")
        == found(workspace, "shopp")
        == []
    )
    assert found(workspace, "depl*") == found(workspace, "deploying shops") == ["deploy"]
    assert found(workspace, "shopp", fuzzy={"enabled": True, "max_distance": 1}) == ["deploy"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"item_id": "deploy", "limit": 3}, "limit: allowed only with query, not with item_id"),
        (
            {"query": "shop", "scope": "tool", "version": "1"},
            "version: allowed only with item_id, not with query",
        ),
        (
            {"query": "shop", "scope": "tool", "fuzzy": {"max_distance": 21}},
            "an integer from 0 to 20",
        ),
        ({"item_id": "deploy", "source": "local"}, "unknown source 'local'"),
    ],
)
def test_an_invalid_request_is_refused_with_the_mistake(
    given: dict[str, Any], message: str, workspace: Workspace
) -> None:
    answer = call(workspace, "rye", "rye_fetch", **given)
    assert (
        answer["status"] == "error"
        and message in answer["error"]
        and answer["item_id"] == given.get("item_id")
    )


def test_a_file_that_was_not_read_is_named_where_it_may_be_the_item(make_workspace: Maker) -> None:
    large = '"""Large"""\n' + "a = 1\n" * 50
    workspace = make_workspace(
        {"symindex.toml": "max_file_bytes = 100\n", ".ai/tools/core/big.py": large}
    )
    refused = reply_to(workspace, dialect("rye"), "rye_fetch", {"item_id": "core/big"}).data.error
    assert refused.startswith(
        "Item not found: core/big; 1 file was not read and may contain it: .ai/tools/core/big.py"
    )
    assert (
        reply_to(workspace, dialect("rye"), "rye_fetch", {"item_id": "other"}).data.error
        == "Item not found: other"
    )


def test_only_the_tool_that_copies_files_writes() -> None:
    writers = {
        (name, tool.name)
        for name in ("rye", "context-mode", "sibyl", "lsap")
        for tool in dialect(name).tools
        if not tool.schema()["annotations"]["readOnlyHint"]
    }
    assert writers == {("rye", "rye_fetch")}
