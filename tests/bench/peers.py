"""The other tools that the same work is measured against: universal-ctags as installed, and ast-grep, installed here."""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from tests.bench.places import Bench, BenchError, say

AST_GREP: Final = "ast-grep-cli==0.51.1"
"""Its `outline` is the fastest tree-sitter indexer that installs from a registry and works offline."""


def find_ctags() -> str:
    """The command's path. Raises BenchError where it is missing or not universal-ctags."""
    path = shutil.which("ctags")
    if path is None or "Universal Ctags" not in _first_line(path):
        raise BenchError("universal-ctags is not here: apt-get install universal-ctags")
    return path


def ast_grep(bench: Bench) -> Path:
    """The command's path; installed into an environment of its own where it is not there yet. Raises BenchError."""
    folder = bench.folder / "tools" / AST_GREP
    command = folder / "bin" / "ast-grep"
    if not command.exists():
        say(f"installing {AST_GREP}")
        pip: list[str | Path] = [
            folder / "bin" / "python",
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            AST_GREP,
        ]
        for step in ([sys.executable, "-m", "venv", str(folder)], pip):
            done = subprocess.run(step, capture_output=True, text=True, check=False)
            if done.returncode:
                raise BenchError(f"{AST_GREP}: cannot be installed: {(done.stderr.strip() or 'no word why').splitlines()[-1]}")
    return command


def peer_versions(bench: Bench) -> dict[str, str]:
    """What the other tools call themselves."""
    ctags = shutil.which("ctags")
    return {"ctags": _first_line(ctags) if ctags else "", "ast-grep": AST_GREP.partition("==")[2]}


def _first_line(command: str) -> str:
    done = subprocess.run([command, "--version"], capture_output=True, text=True, check=False)
    return (done.stdout.splitlines() or [""])[0].partition(",")[0]
