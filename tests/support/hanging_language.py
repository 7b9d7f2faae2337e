"""A language whose bundled grammar never returns on the single letter x, and never calls back."""

import os
from pathlib import Path
from typing import Final

from tests.support.files import write_files

HANGS: Final = """
name = "Hangs"
grammar = "cobol"
extensions = [".hang"]
"""


def write_hanging_language(grammars: Path) -> Path:
    """Adds the language to a folder of grammars, and returns the folder."""
    write_files(grammars / "hangs", {"language.toml": HANGS, "symbols.scm": "(comment) @doc\n"})
    return grammars


def own_environment(home: Path) -> dict[str, str]:
    """Returns the environment of a process that keeps its index below a folder and has the
    language."""
    own = {
        "HOME": home,
        "XDG_CACHE_HOME": home / "cache",
        "XDG_CONFIG_HOME": home / "config",
        "SYMINDEX_GRAMMARS": write_hanging_language(home / "grammars"),
    }
    return {**os.environ, **{name: str(path) for name, path in own.items()}}
