"""What is published and how: the changelog, the versions that are tried, the workflow's syntax."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import symindex

ROOT = Path(__file__).parent.parent
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_the_changelog_begins_with_this_version() -> None:
    sections = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert sections[0] == symindex.__version__


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_follow_their_schema(path: Path) -> None:
    """As vendored by check-jsonschema; none of them has run yet."""
    command = [
        sys.executable,
        "-m",
        "check_jsonschema",
        "--builtin-schema",
        "vendor.github-workflows",
        str(path),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_python_that_is_promised_is_tried() -> None:
    named = [
        text.rpartition(" ")[2] for text in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", text)
    ]
    (tried,) = re.findall(r"python: \[(.*)\]", WORKFLOWS[0].read_text())
    assert re.findall(r"3\.\d+", tried) == named
    assert PROJECT["requires-python"].startswith(f">={named[0]}")


@pytest.mark.skipif(sys.platform == "win32", reason="bash is not at hand")
@pytest.mark.parametrize("script", [".ci/run", ".ci/release"])
def test_scripts_can_be_run(script: str) -> None:
    assert os.access(ROOT / script, os.X_OK)
    assert subprocess.run(["bash", "-n", script], cwd=ROOT, check=False).returncode == 0
