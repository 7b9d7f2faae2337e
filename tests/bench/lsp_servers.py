"""The measured language servers, as a table: ours, and those that install from the registry."""

import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.bench.lsp_trees import LANGUAGES, Tree
from tests.bench.peers import SERVERS as PACKAGES
from tests.bench.peers import install
from tests.bench.places import Bench

OURS: Final = "symindex"

_FOLDERS: Final = ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")


@dataclass(frozen=True)
class Server:
    """A server. name: in the table. command: its name in its package, and its arguments; `{home}`
    becomes its own folder. suffixes: of the files whose names it can find; empty: all. trees: those
    that it is measured on."""

    name: str
    command: tuple[str, ...]
    suffixes: tuple[str, ...]
    trees: tuple[str, ...]

    def knows(self, tree: Tree) -> tuple[str, ...]:
        """Returns the suffixes of the files in a tree whose names are looked up."""
        return self.suffixes or LANGUAGES[tree.name]

    def start_command(self, bench: Bench, home: Path) -> list[str]:
        """Returns the command, and installs the server if necessary. Raises BenchError."""
        first, *others = self.command
        if self.name in PACKAGES:
            first = str(install(bench, PACKAGES[self.name], first))
        return [first, *(part.format(home=home) for part in others)]


SERVER_TABLE: Final = (
    Server(OURS, (sys.executable, "-m", "symindex", "lsp"), (), ("python", "c", "mixed")),
    Server("basedpyright", ("basedpyright-langserver", "--stdio"), (".py",), ("python", "mixed")),
    # By default, clangd builds its index only while the machine is idle.
    Server(
        "clangd",
        ("clangd", "--compile-commands-dir={home}", "--background-index-priority=normal"),
        (".c",),
        ("c", "mixed"),
    ),
    Server("jedi", ("jedi-language-server",), (".py",), ("python", "mixed")),
)


def make_home(home: Path, tree: Tree) -> None:
    """Makes a folder for the caches and settings of a server, empty except for the compile
    commands."""
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    (home / "compile_commands.json").write_bytes(tree.compile_commands())


def environment_of(home: Path) -> dict[str, str]:
    """Returns the environment of a server whose only user folder is this one."""
    places = {name: str(home / name.split("_")[1].lower()) for name in _FOLDERS}
    return {**os.environ, "HOME": str(home), **places}
