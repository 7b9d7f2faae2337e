"""Commands on the pages for users of context-mode and Sibyl print the output shown."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.support.dialect_client import environment
from tests.support.files import write_files
from tests.support.pages import OWN_PROJECT, PAGES, commands

FILES: Final = {
    ".git/HEAD": "ref: refs/heads/main\n",
    "docs/pkce.md": (
        "---\ntype: pattern\nid: pattern_abc123\ncategory: authentication\nlanguages: [typescript, python]\n---\n"
        "# OAuth 2.0 PKCE Flow\n\nOAuth implementation patterns: PKCE for apps.\n"
    ),
    "docs/shop.md": "---\ntype: project\nid: proj_abc123\n---\n# Shop\n\nThe shop of the web.\n",
    "docs/login.md": (
        "---\ntype: task\nid: task_17\nstatus: todo\nproject: proj_abc123\n---\n# Log in\n\nAdd authentication.\n"
    ),
    "docs/logout.md": "---\ntype: task\nid: task_18\nstatus: done\nproject: proj_abc123\n---\n# Log out\n\nEnd authentication.\n",
    "src/oauth.py": "class OAuthFlow:\n    pass\n",
}
ADDED: Final = {
    "react-docs": "# Effects\n\nThe cleanup pattern of useEffect.\n\n    useEffect(() => stop) // its cleanup\n"
    "\n## In practice\n\n    useEffect(() => stop) // cleanup pattern\n",
    "next-docs": "# Middleware\n\nNext.js middleware configuration stands in middleware.ts.\n",
    "issue-#683": "# Root cause\n\nThe root cause is a race.\n\n# Proposed fix\n\nThe proposed fix is a lock.\n",
}
NOTES: Final = (
    (9, "monday", "decision", "We decided on caching: nothing is cached"),
    (8, "monday", "blocker", "No certificate for staging"),
    (2, "friday", "decision", "We decided on caching: an LRU of 512 entries"),
    (1, "friday", "user-prompt", "Make the login page faster"),
)
NOW_MS: Final = 1_764_000_000_000
_DATE: Final = re.compile(r"20\d\d-\d\d-\d\d[T ]\d\d:\d\d(:\d\d\+00:00)?")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """Makes a project with typed documents, added content and notes of two sessions, and an
    environment for commands."""
    top = tmp_path_factory.mktemp("pages")
    root = write_files(top / "project", FILES)
    variables = environment(
        top / "home", SYMINDEX_SESSION="friday", PATH=f"{_bin(top)}{os.pathsep}{os.environ['PATH']}"
    )
    kept = [
        {"id": number, "uid": f"{number:032x}", "text": text, "category": category, "project": str(root), "session": session,
         "time_ms": NOW_MS - days * 86_400_000}
        for number, (days, session, category, text) in enumerate(NOTES, 1)
    ]  # fmt: skip
    _run(
        root, variables, "symindex note import -", "".join(json.dumps(note) + "\n" for note in kept)
    )
    for label, text in ADDED.items():
        _run(root, variables, f"symindex add - --source '{label}'", text)
    return root, variables


def _bin(top: Path) -> Path:
    """Makes a folder with the command `symindex`."""
    script = top / "bin" / "symindex"
    script.parent.mkdir()
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m symindex "$@"\n')
    script.chmod(0o755)
    return script.parent


def _run(root: Path, variables: dict[str, str], command: str, given: str = "") -> str:
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=root,
        env=variables,
        input=given,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


@pytest.mark.sample(2)
@pytest.mark.skipif(sys.platform == "win32", reason="the commands are for a POSIX shell")
@pytest.mark.parametrize(
    ("command", "output"),
    [
        pytest.param(*pair, id=pair[0][:60])
        for page in OWN_PROJECT
        for pair in commands(PAGES[page])
    ],
)
def test_a_command_prints_what_its_page_says(
    project: tuple[Path, dict[str, str]], command: str, output: str
) -> None:
    assert _DATE.sub("DATE", _run(*project, command)).strip() == _DATE.sub("DATE", output).strip()
