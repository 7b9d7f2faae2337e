"""Chromium, and a server of pages that it visits. Tests that need them are skipped, visibly, where
one of them is missing."""

import gzip
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)

STATIC = Path(__file__).parents[2] / "symindex/serve/web/static"


def require_browser() -> None:
    """Skips the test if there is no browser, no driver, or no script to test."""
    pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed")
    if not (STATIC / "page.js").is_file():
        pytest.skip("the script of the page was not built: python .ci/bundle_page.py")


def packed_script_bytes() -> int:
    return len(gzip.compress((STATIC / "page.js").read_bytes()))


@contextmanager
def served(*roots: Path, home: Path, environment: Mapping[str, str] | None = None) -> Iterator[str]:
    """Runs `symindex web` and yields its address, once the indexes are built."""
    process = subprocess.Popen(
        [sys.executable, "-m", "symindex", "web", "--http", "0", *map(str, roots)],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **_folders(home), **(environment or {})},
    )
    assert process.stderr is not None
    try:
        line = process.stderr.readline()
        match = re.search(r"http://\S+/", line)
        assert match, line + process.stderr.read()
        yield match[0].rstrip("/")
    finally:
        process.terminate()
        process.wait(20)
        process.stderr.close()


def _folders(home: Path) -> dict[str, str]:
    """Returns the environment of a user with a home of their own."""
    names = {
        "HOME": "",
        "XDG_CACHE_HOME": "cache",
        "XDG_CONFIG_HOME": "config",
        "XDG_DATA_HOME": "data",
    }
    return {name: str(home / folder) for name, folder in names.items()}


@contextmanager
def chromium() -> Iterator[Any]:
    """Yields a browser."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


class Watched:
    """A tab that keeps what went wrong in it: errors, refused content, requests elsewhere."""

    def __init__(self, context: Any, base: str) -> None:
        self.base = base
        self.tab = context.new_page()
        self.faults: list[str] = []
        self.tab.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        self.tab.on("console", self._on_console)
        self.tab.on("request", self._on_request)
        self.tab.on("dialog", lambda dialog: self.faults.append(f"dialog: {dialog.message}"))

    def _on_console(self, message: Any) -> None:
        if message.type == "error" and "Failed to load resource" not in message.text:
            self.faults.append(f"console: {message.text}")

    def _on_request(self, request: Any) -> None:
        if not request.url.startswith(self.base + "/"):
            self.faults.append(f"request: {request.url[:200]}")

    def visit(self, path: str) -> Any:
        """Visits a page; returns the response."""
        return self.tab.goto(self.base + path)
