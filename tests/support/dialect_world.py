"""A project of items in three spaces, as users of rye have it: its own `.ai`, the one in the home,
and a package's."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from tests.support.dialect_client import DialectServer, environment
from tests.support.files import write_files

SITE: Final = f".venv/lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages"
CURRENT_SESSION: Final = "session-now"


def page(body: str = "", **fields: str) -> str:
    """Returns Markdown with front matter."""
    front = "".join(f"{name}: {value}\n" for name, value in fields.items())
    return f"---\n{front}---\n# {fields.get('title', 'Untitled')}\n\n{body}\n"


def tool(description: str, category: str, version: str = "1.0.0", body: str = "") -> str:
    """Returns a tool in Python, which nothing runs."""
    return f'"""{description}"""\n\n__version__ = "{version}"\n__category__ = "{category}"\n\n\ndef execute():\n    """{body}"""\n'


def words_between(number: int) -> str:
    """Returns a sentence with this number of words between `gondola` and `pulley`."""
    return " ".join(["The gondola", *["turning"] * number, "pulley squeaks."])


def weighted(**fields: str) -> str:
    """Returns a knowledge entry whose fields have equally many words, so only the weights
    distinguish them."""
    entry = {
        "title": "Plain",
        "description": "Ordinary",
        "category": "usual",
        "body": "Nothing here",
        **fields,
    }
    body = entry.pop("body")
    return (
        "---\n" + "".join(f"{name}: {value}\n" for name, value in entry.items()) + f"---\n{body}\n"
    )


PROJECT: Final = {
    ".git/HEAD": "ref: refs/heads/main\n",
    ".ai/directives/rye/core/create_directive.md": page(
        "Steps that create a directive.",
        title="Create Directive",
        description="Create a directive",
        category="core",
        version="1.0.0",
    ),
    ".ai/directives/rye/core/create_report.md": page(
        "Steps.", title="Report", description="Create a report", category="core"
    ),
    ".ai/directives/made/create_page.md": page(
        "Steps.", title="Create Page", description="Create a page", category="made"
    ),
    ".ai/directives/deploy/service.md": page(
        "Roll it out.", title="Deploy a service", description="Deploy it", category="deploy"
    ),
    ".ai/tools/my/custom-tool.py": tool("A custom tool of the project", "my", "3.0.0"),
    ".ai/tools/my/agentless_thread.py": tool("Winds a thread around a spool", "sewing"),
    ".ai/tools/files/temporary.py": tool("Make a temporary file", "files"),
    ".ai/tools/files/directory.py": tool("Make a directory", "files"),
    ".ai/tools/files/reader.py": tool("Read a directory", "files"),
    ".ai/tools/files/shuffle.py": tool("A system that moves a file", "files"),
    ".ai/tools/wild/websearch.py": tool("Ask the web", "wild"),
    ".ai/tools/wild/threading_pool.py": tool("Keep some workers", "wild"),
    ".ai/tools/wild/filesystem.py": tool("Count disks", "wild"),
    ".ai/tools/wild/searches.py": tool("Keep a history", "wild"),
    ".ai/tools/meta/listed.yaml": "name: listed\nversion: 4.5.6\ndescription: Lists the ocelots\ncategory: meta\n",
    ".ai/tools/meta/unversioned.py": '"""Has no version."""\n',
    ".ai/directives/meta/xml_style.md": '# XML style\n\n```xml\n<directive name="xml_style" version="2.5.0">\n```\n',
    ".ai/tools/rye/core-extra/gauge.py": tool("A gauge", "extra"),
    ".ai/knowledge/fuzzy/settings.md": page(
        "All configuration stands here.", title="Settings", category="fuzzy"
    ),
    ".ai/knowledge/fuzzy/zz.md": page("zz", title="zz", description="zz", category="fuzzy"),
    **{
        f".ai/knowledge/near/gap-{number}.md": page(words_between(number), title=f"Gap {number}")
        for number in (0, 2, 5, 6, 30)
    },
    ".ai/knowledge/near/reverse.md": page("A pulley lifts the gondola.", title="Reverse"),
    ".ai/knowledge/near/single.md": page("Only a gondola.", title="Single"),
    ".ai/knowledge/weights/quokka.md": weighted(),
    ".ai/knowledge/weights/in-title.md": weighted(title="Quokka"),
    ".ai/knowledge/weights/in-description.md": weighted(description="Quokka"),
    ".ai/knowledge/weights/in-category.md": weighted(category="quokka"),
    ".ai/knowledge/weights/in-content.md": weighted(body="Quokka here"),
    ".ai/knowledge/split/two-fields.md": page(
        "The marmot whistles.", title="Alpine", description="Edelweiss", category="split"
    ),
    ".ai/knowledge/deep/long.md": page(
        "Filler sentence. " * 300 + "The nautilus is at the end.", title="Long", category="deep"
    ),
    ".ai/knowledge/tie/z-project.md": page("The numbat digs.", title="Tie", category="tie"),
    ".ai/knowledge/tie/m-project.md": page("The numbat digs.", title="Tie", category="tie"),
    ".ai/knowledge/dates/old.md": page("The ibex climbs.", title="Old", date="2023-01-05"),
    ".ai/knowledge/dates/new.md": page("The ibex climbs.", title="New", date="2026-02-05"),
    ".ai/knowledge/dates/middle.md": page("The ibex climbs.", title="Middle", date="2024-06-05"),
    ".ai/knowledge/dates/undated.md": page("The ibex climbs.", title="Undated"),
    ".ai/knowledge/meta/ann.md": page(
        "The okapi hides.", title="Ann", category="meta", author="ann", version="2.0.0"
    ),
    ".ai/knowledge/meta/annabel.md": page(
        "The okapi hides.", title="Annabel", category="metadata", author="annabel", version="2.0.1"
    ),
    **{
        f".ai/knowledge/notes/n-{number:02}.md": page("A note.", title=f"Note {number}")
        for number in range(1, 17)
    },
    "src/auth/service.py": "class AuthService:\n    def login(self):\n        return 1\n\n\nclass OAuthClient:\n    pass\n",
    "src/cart.ts": "export class Cart {\n  recalculate(): number { return 1 }\n}\n",
}

USER: Final = {
    ".ai/tools/my/custom-tool.py": tool("A custom tool of the user", "my", "2.0.0"),
    ".ai/tools/my/mine.py": tool("A tool that only the user has", "my"),
    ".ai/directives/rye/core/create_tool.md": page(
        "My steps.", title="Create Tool", description="Mine", version="1.0.0"
    ),
    ".ai/directives/deploy/home.md": page(
        "At home.", title="Deploy at home", description="Deploy it", category="deploy"
    ),
    ".ai/knowledge/tie/a-user.md": page("The numbat digs.", title="Tie", category="tie"),
}

PACKAGE: Final = {
    "ryeos_core/__init__.py": "",
    "ryeos_core/.ai/tools/my/custom-tool.py": tool("A custom tool of the system", "my", "1.0.0"),
    "ryeos_core/.ai/tools/rye/bash.py": tool("Run a command in a shell", "rye", "1.2.0"),
    "ryeos_core/.ai/tools/rye/file-system/read.py": tool(
        "Read file contents", "file-system", "1.2.0", "Read or write a path."
    ),
    "ryeos_core/.ai/tools/rye/file-system/write.py": tool(
        "Write a file that others read", "file-system"
    ),
    "ryeos_core/.ai/tools/rye/core/registry.py": tool("Keep the registry", "core"),
    "ryeos_core/.ai/tools/rye/core/threads/limits.py": tool("Limits of a thread", "core"),
    "ryeos_core/.ai/tools/rye/agent/thread_orchestrator.py": tool(
        "Starts the thread for an orchestrator", "agent"
    ),
    "ryeos_core/.ai/tools/rye/agent/thread_directive.py": tool("Run a thread directive", "agent"),
    "ryeos_core/.ai/tools/rye/agent/directive_thread.py": tool(
        "A directive that has a thread", "agent"
    ),
    "ryeos_core/.ai/directives/rye/core/create_tool.md": page(
        "The steps.",
        title="Create Tool",
        description="Create a tool",
        category="core",
        version="1.1.0",
    ),
    "ryeos_core/.ai/directives/deploy/cloud.md": page(
        "In the cloud.", title="Deploy to a cloud", description="Deploy it"
    ),
    "ryeos_core/.ai/knowledge/rye/core/tool-metadata-reference.md": page(
        "Each tool has a version.",
        title="Tool metadata reference",
        description="Which metadata a tool has",
        category="core",
    ),
    "ryeos_core/.ai/knowledge/tie/a-system.md": page(
        "The numbat digs.", title="Tie", category="tie"
    ),
}


class World(NamedTuple):
    """A project and its user. root: the project. home: the user's folder. variables: the
    environment of commands and servers."""

    root: Path
    home: Path
    variables: Mapping[str, str]

    def run(self, *words: str, given: str = "") -> str:
        """Returns the output of a symindex command."""
        command = [sys.executable, "-m", "symindex", *words, "--root", str(self.root)]
        done = subprocess.run(
            command,
            input=given,
            capture_output=True,
            text=True,
            env=dict(self.variables),
            cwd=self.root,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def sign(self, file: Path) -> None:
        """Signs a file with the user's own key."""
        command = [sys.executable, "-m", "symindex", "sign", str(file)]
        subprocess.run(
            command,
            check=True,
            capture_output=True,
            env=dict(self.variables),
            cwd=self.root,
            timeout=60,
        )

    def serve(self, *dialects: str, **more: str) -> DialectServer:
        return DialectServer(self.root, dialects, {**self.variables, **more})

    def call(self, **arguments: Any) -> dict[str, Any]:
        """Returns arguments with the root as `project_path`."""
        return {"project_path": str(self.root), **arguments}


def make_world(top: Path, project: Mapping[str, str] = PROJECT, **variables: str) -> World:
    """Writes the project, the home and the installed package below a folder."""
    world = World(
        top / "my-project",
        top / "home",
        environment(top / "home", SYMINDEX_SESSION=CURRENT_SESSION, **variables),
    )
    about = "ryeos_core-1.2.0.dist-info"
    listed = "".join(f"{path},,\n" for path in (*PACKAGE, f"{about}/METADATA", f"{about}/RECORD"))
    distribution = {
        f"{about}/METADATA": "Metadata-Version: 2.1\nName: ryeos-core\nVersion: 1.2.0\n",
        f"{about}/RECORD": listed,
    }
    write_files(
        world.root,
        {
            **project,
            ".venv/pyvenv.cfg": f"home = /nowhere/bin\nversion = {sys.version.split()[0]}\n",
        },
    )
    write_files(world.root / SITE, {**PACKAGE, **distribution})
    write_files(world.home, dict(USER))
    return world
