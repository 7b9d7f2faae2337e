"""A small world of items in three spaces: a project, a user's home, and packages in the project's
virtual environment."""

import os
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from symindex.workspace.workspace import Workspace, open_dependencies
from tests.support.files import Files, write_files


def directive(title: str, description: str, category: str, body: str = "", **more: str) -> str:
    """Returns a directive as Markdown with front matter."""
    fields = {"title": title, "description": description, "category": category, **more}
    front = "".join(f'{name}: "{value}"\n' for name, value in fields.items())
    return f"---\n{front}---\n# {title}\n\n{body}\n"


def tool(description: str, category: str, version: str = "", body: str = "") -> str:
    """Returns a tool in Python, which nothing runs."""
    said = f'__version__ = "{version}"\n' if version else ""
    return f'"""{description}"""\n{said}__category__ = "{category}"\n\n\ndef run():\n    """{body}"""\n'


ORCHESTRATOR: Final = "Starts the thread that the orchestrator waits for."
FAR: Final = "A thread that has been waiting a long while for any other orchestrator."

PROJECT: Final[Files] = {
    ".ai/directives/rye/core/create_directive.md": directive(
        "Create Directive",
        "Create a directive from a template",
        "core",
        "Steps that create a directive.",
        version="1.0.0",
    ),
    ".ai/directives/rye/core/directive.md": directive("Directive", "What a directive is", "core"),
    ".ai/directives/deploy.md": directive(
        "Deploy", "Deploy the project to production", "release", "Runs the deploy tool."
    ),
    ".ai/tools/rye/bash.py": tool("Run a command in our own shell", "rye", "2.0.0"),
    ".ai/tools/rye/core/registry.py": tool("Keeps the registry of tools", "core"),
    ".ai/tools/rye/core-extra/x.py": tool("An extra registry", "extra"),
    ".ai/tools/rye/agent/threads/thread_orchestrator.py": tool(ORCHESTRATOR, "agent", "1.10.0"),
    ".ai/tools/rye/agent/threads/far.py": tool(FAR, "agent", "1.2.0"),
    ".ai/tools/rye/agent/threads/thread_directive.py": tool(
        "Run a thread directive", "agent", "0.9.0"
    ),
    ".ai/tools/rye/agent/directive_thread.py": tool("A directive of a thread", "agent"),
    ".ai/tools/tmp/temporary.py": tool("Make a temporary file", "tmp"),
    ".ai/tools/tmp/directory.py": tool("Make a directory", "tmp"),
    ".ai/tools/web/websearch.py": tool("Ask the web", "web"),
    ".ai/tools/thread_web.py": tool("A thread on the web", "web"),
    ".ai/tools/my-project/report.yaml": "name: report\nversion: 1.0.0\ndescription: Writes a report\ncategory: my-project\n",
    **{
        f".ai/knowledge/notes/note-{number:02}.md": directive(
            f"Note {number:02}", "A note", "notes"
        )
        for number in range(1, 15)
    },
    ".ai/knowledge/twice.md": directive("Twice", "One of two", "notes"),
    ".ai/knowledge/twice.yaml": "name: twice\ndescription: The other of two\n",
    ".ai/directives/both.md": directive("Both", "As a directive", "notes"),
    ".ai/knowledge/both.md": directive("Both", "As knowledge", "notes"),
    "package.json": '{"name": "web", "scripts": {"build": "vite build"}}\n',
    "src/auth.py": "class Auth:\n    def login(self): pass\n",
}

USER: Final[Files] = {
    ".ai/tools/rye/bash.py": tool("Run a command as the user likes it", "rye", "1.5.0"),
    ".ai/directives/mine/review.md": directive("Review", "Review a change", "mine"),
    ".ai/directives/deploy.md": directive("Deploy", "How I release things", "release"),
}

PACKAGE: Final[Files] = {
    "ryeos_core/__init__.py": "def main(): pass\n",
    "ryeos_core/.ai/tools/rye/bash.py": tool("Run a command in a shell", "rye", "1.2.0"),
    "ryeos_core/.ai/tools/rye/file-system/read.py": tool(
        "Read file contents",
        "file-system",
        "1.2.0",
        "Read the contents of a file at the given path, or write them.",
    ),
    "ryeos_core/.ai/tools/rye/file-system/write.py": tool(
        "Write a file that others read", "file-system", "1.2.0"
    ),
    "ryeos_core/.ai/directives/rye/core/create_tool.md": directive(
        "Create Tool", "Create a new tool", "core", "Steps that create a tool.", version="1.1.0"
    ),
    "ryeos_core/.ai/knowledge/rye/core/tool-metadata-reference.md": directive(
        "Tool metadata reference", "Which metadata a tool has", "core"
    ),
}

LABEL: Final = "pypi:ryeos-core@1.2.0"


class World(NamedTuple):
    """A world. project, home: the roots. site: the folder of the installed package. index: the
    folder of the indexes."""

    project: Path
    home: Path
    site: Path
    index: Path  # type: ignore[assignment]

    def open(self) -> Workspace:
        """Returns a workspace of the project, with indexed packages."""
        open_dependencies(self.project, self.index).build()
        made = Workspace(self.project, self.index)
        made.refresh()
        return made


def make_world(top: Path) -> World:
    """Writes the world below a folder."""
    site = top / "project" / ".venv" / "lib" / "python3.11" / "site-packages"
    world = World(top / "project", top / "home", site, top / "index")
    write_files(
        world.project,
        {**PROJECT, ".venv/pyvenv.cfg": "home = /nowhere/bin\nversion = 3.11.4\n", ".git/HEAD": ""},
    )
    write_files(world.home, USER)
    metadata = "ryeos_core-1.2.0.dist-info/METADATA"
    listed = "".join(f"{path},,\n" for path in (*PACKAGE, metadata))
    write_files(
        site,
        {
            **PACKAGE,
            metadata: "Name: ryeos-core\nVersion: 1.2.0\n",
            metadata.replace("METADATA", "RECORD"): listed,
        },
    )
    return world


def live_in(world: World, patched: pytest.MonkeyPatch) -> None:
    """Makes the world's home the user's home, and keeps everything else on this machine out of
    it."""
    patched.setenv("HOME", str(world.home))
    patched.setenv("XDG_CACHE_HOME", str(world.index.parent / "cache"))
    patched.setenv("XDG_CONFIG_HOME", str(world.home / "config"))
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX", "SYMINDEX_CONFIG"):
        patched.delenv(name, raising=False)
    patched.setenv("PATH", os.defpath)
