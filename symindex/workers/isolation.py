"""The import path of our processes: only what is installed, nothing from the current folder or a
tree.

Python looks for modules in the current folder, and where PYTHONPATH says, before its own library:
the `contextlib.py` of a tree would run. So the command removes these folders from its path before
it imports anything, and starts its processes isolated (`-I`: without these folders and Python's
other variables). It passes them what they would not find then: the folder of this package, and
those of libraries that only this process's path has. These come after Python's own library, so they
cannot replace any of it.

This module runs before the path can be trusted, so it imports only what Python itself has loaded by
then.
"""

import os
import sys

PACKAGE_PARENT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
"""The folder that contains this package."""

_LIBRARIES = (
    "msgspec",
    "tree_sitter",
    "tree_sitter_language_pack",
    "numpy",
    "rapidfuzz",
    "zstandard",
    "filelock",
    "platformdirs",
    "click",
    "pypdf",
)
"""What our processes import. The folders that contain one of these are passed to them."""

_START = """
import sys
module, package_parent, n_folders = sys.argv[1:4]
folders, sys.argv[1:] = sys.argv[4 : 4 + int(n_folders)], sys.argv[4 + int(n_folders) :]
installed = [at for at, folder in enumerate(sys.path) if folder.endswith("-packages")]
sys.path.insert(installed[0] if installed else len(sys.path), package_parent)
sys.path.extend(folder for folder in folders if folder not in sys.path)
sys.modules["typing_extensions"] = None
import msgspec
del sys.modules["typing_extensions"]
__import__(module, fromlist=["main"]).main()
"""
"""The program of a process. Its path: Python's own library, then this package, then what is
installed.

msgspec takes two names from `typing_extensions` if that is installed, else from `typing`. Loading
the former takes a third of the time in which msgspec loads, so it is hidden.
"""


def leave_out_current_folder() -> None:
    """Removes the current folder, and folders relative to it, from this process's import path."""
    library = os.path.dirname(os.__file__)
    position = sys.path.index(library) if library in sys.path else 0
    left_out = _relative_folders()
    sys.path[:position] = [folder for folder in sys.path[:position] if folder not in left_out]
    if PACKAGE_PARENT not in sys.path:  # this package itself is in the current folder
        sys.path.append(PACKAGE_PARENT)


def python_command(module: str, arguments: list[str] | None = None) -> list[str]:
    """Returns the command that runs a module's `main` in an isolated process. arguments: its
    `sys.argv[1:]`."""
    flags = ["-I", "-B"] if sys.dont_write_bytecode else ["-I"]
    left_out = _relative_folders()
    absolute = [folder for folder in sys.path if os.path.isabs(folder) and folder not in left_out]
    folders = [
        folder
        for folder in absolute
        if any(os.path.isdir(os.path.join(folder, library)) for library in _LIBRARIES)
    ]
    start = [module, PACKAGE_PARENT, str(len(folders)), *folders]
    return [sys.executable, *flags, "-c", _START, *start, *(arguments or [])]


def _relative_folders() -> set[str]:
    """Returns the current folder and those that PYTHONPATH names relative to it. An empty entry of
    PYTHONPATH means the current folder."""
    try:
        current = os.getcwd()
    except OSError:  # it was deleted
        return set()
    entries = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    return {
        "",
        current,
        *(os.path.abspath(folder) for folder in entries if not os.path.isabs(folder)),
    }
