"""Releases: the changelog, the Python versions that are tested, the workflow's syntax."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import symindex

ROOT = Path(__file__).parent.parent
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
CONFIGURATION = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = CONFIGURATION["project"]


def test_the_changelog_begins_with_this_version() -> None:
    sections = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert sections[0] == symindex.__version__


@pytest.mark.nightly
@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_follow_their_schema(path: Path) -> None:
    """The schemas are those that check-jsonschema includes. No workflow has run yet."""
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


def test_each_dependency_has_a_locked_version_that_it_allows() -> None:
    extras = PROJECT["optional-dependencies"]
    wanted = map(
        Requirement,
        [
            *PROJECT["dependencies"],
            *(row for extra in ("mcp", "pdf", "sign", "web") for row in extras[extra]),
            *CONFIGURATION["dependency-groups"]["dev"],
        ],
    )
    text = (ROOT / ".ci" / "constraints.txt").read_text()
    assert "://" not in text and " @ " not in text, "a host is named"
    locked = {canonicalize_name(row.name): row for row in map(Requirement, text.splitlines())}
    for dependency in wanted:
        if dependency.name != "symindex":
            (version,) = locked[canonicalize_name(dependency.name)].specifier
            assert dependency.specifier.contains(version.version), dependency


def test_pre_commit_runs_the_checks_of_continuous_integration() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"][0]["hooks"]
    script = (ROOT / ".ci" / "run").read_text()
    for hook in hooks:
        tool, *words = hook["entry"].removeprefix(".venv/bin/").split()
        assert re.search(rf'^"\$bin/{tool}"(?: {" ".join(words)})?', script, re.MULTILINE), hook


@pytest.mark.skipif(sys.platform == "win32", reason="bash is not installed")
@pytest.mark.parametrize("script", [".ci/run", ".ci/lock", ".ci/nightly", ".ci/release"])
def test_scripts_can_be_run(script: str) -> None:
    assert os.access(ROOT / script, os.X_OK)
    assert subprocess.run(["bash", "-n", script], cwd=ROOT, check=False).returncode == 0
