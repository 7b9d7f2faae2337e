"""The documentation as a site: each page is built, each link works, and the Python API is
complete."""

import subprocess
import sys
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
