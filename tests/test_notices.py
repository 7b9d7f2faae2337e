"""Every notice has a request that causes it, and every front end shows it."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from symindex.protocol.explore import ReferencesRequest
from symindex.serve.mcp.handlers import ToolHandlers
from symindex.workspace.workspace import Workspace
from tests.packages.trees import find
from tests.support.command import run
from tests.support.files import write_files
from tests.support.notices import (
    FILES,
    NOTICES,
    PACKAGE_NOTICES,
    TESTS,
    Notice,
    PackageNotice,
    quoted_in,
    templates,
)
from tests.support.notices_elsewhere import ELSEWHERE
from tests.support.waiting import until

COMMANDS = {"references": "refs"}
FIRST = {
    "search": "query",
    "symbol": "symbol",
    "outline": "path",
    "grep": "pattern",
    "references": "name",
    "hierarchy": "symbol",
    "map": "path",
    "recall": "queries",
    "trace": "text",
}
"""The field that a command takes as its argument."""

OPTIONS = {"languages": "lang", "focus": "focus", "within": "in"}
MOST_ALIKE = 4
"""Most notices of the code that the words of one row may name."""

TOOLS = {"grep": "references", "map": "outline", "recall": "search", "trace": "symbol"}
ARGUMENTS = {"pattern": "name", "paths": "path", "languages": "language", "text": "symbol"}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    root = write_files(tmp_path_factory.mktemp("notices") / "tree", FILES)
    with Workspace(root, root.parent / "indexes") as made:
        made.refresh()
        yield made


@pytest.fixture(scope="module")
def agent(workspace: Workspace) -> Iterator[ToolHandlers]:
    handlers = ToolHandlers([workspace.root], str(workspace.root.parent / "indexes"))
    until(
        lambda: "building" not in str(handlers.answer("status", {}, threading.Event()).text),
        "an index",
    )
    yield handlers
    handlers.workspace.close()


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets explanations of empty answers finish, whatever else the machine does."""
    monkeypatch.setattr("symindex.search.answer.explain_empty.SECONDS", 60.0)


def in_python(workspace: Workspace, notice: Notice) -> Any:
    fields = {**notice.fields}
    if notice.tool == "references":
        return workspace.references(ReferencesRequest(**fields))  # type: ignore[arg-type]
    return getattr(workspace, notice.tool)(fields.pop(FIRST[notice.tool]), **fields)


def all_notices(answer: Any) -> list[str]:
    """Returns the notices of an answer and of its sections."""
    if isinstance(answer, dict):
        sections = answer.get("sections", ())
        return [
            *answer.get("notices", ()),
            *(one for section in sections for one in all_notices(section)),
        ]
    sections = getattr(answer, "sections", ())
    return [*(answer.notices or ()), *(one for section in sections for one in all_notices(section))]


def command(notice: Notice) -> list[str]:
    """Returns a request as the command line takes it."""
    fields = {**notice.fields}
    first: Any = fields.pop(FIRST[notice.tool])
    words = [
        COMMANDS.get(notice.tool, notice.tool),
        *(first if isinstance(first, list) else [first]),
    ]
    for name, value in fields.items():
        option = OPTIONS.get(name, name.removesuffix("s")).replace("_", "-")
        for one in value if isinstance(value, list) else [value]:
            words += [f"--{option}", str(one)]
    return words


def arguments_of(notice: Notice) -> dict[str, Any]:
    """Returns a request as arguments of the agents' tool."""
    names = {} if notice.tool == "recall" else ARGUMENTS
    arguments = {names.get(name, name): value for name, value in notice.fields.items()}
    if notice.tool == "grep":
        arguments["in"] = "all"
    if notice.tool == "recall":
        arguments["in"] = arguments.pop("within", "all")
    return arguments


def plain(text: str) -> str:
    """Returns Markdown without the signs that keep a text from being read as Markdown."""
    return text.replace("\\", "").replace("\n", " ")


@pytest.mark.sample(12)
@pytest.mark.parametrize("notice", NOTICES, ids=lambda notice: notice.words.strip())
def test_every_front_end_shows_it(
    notice: Notice, workspace: Workspace, agent: ToolHandlers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(workspace.root)
    expected = [
        message for message in all_notices(in_python(workspace, notice)) if notice.words in message
    ]
    assert expected
    where = ["--root", str(workspace.root), "--index-dir", str(workspace.root.parent / "indexes")]
    if notice.tool != "trace":
        words = [*command(notice), *where]
        page, data = run(*words), run(*words, "--json")
        assert notice.words in plain(page.out), page.out + page.err
        shown = json.loads(data.out)
        shown = shown[0] if isinstance(shown, list) else shown
        assert [message for message in all_notices(shown) if notice.words in message] == expected
    if notice.not_at != "mcp":
        answer = agent.answer(
            TOOLS.get(notice.tool, notice.tool), arguments_of(notice), threading.Event()
        )
        assert notice.words in plain(answer.text), answer.text
        assert [
            message for message in all_notices(answer.data) if notice.words in message
        ] == expected


@pytest.mark.parametrize("notice", PACKAGE_NOTICES, ids=lambda notice: notice.words)
def test_files_of_a_project_cause_it(notice: PackageNotice, tmp_path: Path) -> None:
    """The command `deps` shows all notices of these reports (`serve/cli/test_deps_cli`)."""
    notices = find(tmp_path, notice.files, notice.environment).notices
    assert any(notice.words in one for one in notices), notices
    assert len({*notices}) == len(notices)


ROWS = (*NOTICES, *ELSEWHERE, *PACKAGE_NOTICES)


@pytest.mark.nightly
def test_a_row_names_a_notice_of_the_code() -> None:
    texts = [template.text for template in templates()]
    lost = [row.words for row in ELSEWHERE if not any(row.words in text for text in texts)]
    assert not lost
    assert len({row.words for row in ROWS}) == len(ROWS)
    for row in ROWS:  # words that many notices share would hide that a new one has no row
        assert sum(row.words in text for text in texts) <= MOST_ALIKE, row


def test_each_notice_of_the_code_has_a_row() -> None:
    assert not [
        template for template in templates() if not any(row.words in template.text for row in ROWS)
    ]


@pytest.mark.parametrize("notice", [row for row in ELSEWHERE if row.seen_by])
def test_a_notice_that_a_test_elsewhere_causes_is_quoted_there(notice: Notice) -> None:
    assert (TESTS / notice.seen_by).exists()
    words = " ".join(notice.words.split())
    assert words in " ".join(quoted_in(notice.seen_by).replace("\\", "").split())


def test_a_test_causes_each_notice() -> None:
    assert not [row.words for row in ELSEWHERE if not row.seen_by]
