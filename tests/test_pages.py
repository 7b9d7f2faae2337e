"""The documentation as a site: each page is built, each link works, and the Python API is
complete."""

import re
import subprocess
import sys
from inspect import Parameter, signature
from pathlib import Path

import pytest

import symindex

ROOT = Path(__file__).parent.parent


def build(config: Path, site: Path) -> "subprocess.CompletedProcess[str]":
    command = [
        sys.executable,
        "-m",
        "mkdocs",
        "build",
        "--strict",
        "-f",
        str(config),
        "-d",
        str(site),
    ]
    return subprocess.run(command, capture_output=True, text=True, timeout=600)


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    built = build(ROOT / ".github" / "mkdocs.yml", tmp_path / "site")
    assert built.returncode == 0, built.stderr[-4000:]
    page = (tmp_path / "site" / ".github" / "docs" / "api.html").read_text()
    methods = [name for name in dir(symindex.Workspace) if not name.startswith("_")]
    assert [
        name
        for name in methods
        if f"Workspace.{name}" not in page and f"Answers.{name}" not in page
    ] == []
    assert [name for name in symindex.__all__ if name not in page and name != "__version__"] == []


def test_a_workspace_has_the_documented_names_and_no_others() -> None:
    table = (ROOT / ".github" / "docs" / "api.md").read_text().split("| purpose |")[1]
    documented = re.findall(r"`(\w+)`", table.split("\n\n")[0])
    assert sorted(documented) == [
        name for name in dir(symindex.Workspace) if not name.startswith("_")
    ]
    assert len(documented) <= 24


def test_a_workspace_has_no_other_attributes(tmp_path: Path) -> None:
    with symindex.open(tmp_path, tmp_path / "index") as workspace:
        assert [name for name in vars(workspace) if not name.startswith("_")] == []


@pytest.mark.parametrize(
    "method",
    [
        "search",
        "symbol",
        "outline",
        "references",
        "hierarchy",
        "grep",
        "trace",
        "map",
        "changed",
        "fetch",
        "recall",
    ],
)
def test_a_method_that_answers_has_one_shape(method: str) -> None:
    """The request or its first field, then keywords: how long it may take, and the other fields."""
    _, first, *others = signature(getattr(symindex.Workspace, method)).parameters.values()
    assert first.kind is Parameter.POSITIONAL_OR_KEYWORD
    assert {other.name for other in others} <= {"freshness", "progress", "seconds", "fields"}
    assert [other.name for other in others if other.kind is not Parameter.KEYWORD_ONLY] == [
        "fields"
    ]


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_link_that_leads_nowhere_ends_the_build(tmp_path: Path) -> None:
    """The links of a page follow the rules of the site."""
    config = (ROOT / ".github" / "mkdocs.yml").read_text()
    rules = config[config.index("validation:") : config.index("plugins:")]
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text("[nowhere](nowhere.md)\n")
    (tmp_path / "mkdocs.yml").write_text(f"site_name: x\n{rules}")
    built = build(tmp_path / "mkdocs.yml", tmp_path / "site")
    assert built.returncode != 0 and "nowhere.md" in built.stderr
