"""Where processes of ours import from: what is installed, and nothing from the current folder or a tree.

Python looks for modules in the current folder, or where PYTHONPATH says, before its own library: a tree with a `contextlib.py`
would have that run. So the command leaves these out before it imports anything, and the processes it starts are isolated (`-I`:
neither of these, and nothing else of Python's environment). What they need and would not find is named to them: where this
package lies, and libraries that only this process's path has. It comes behind Python's own library, so it can replace nothing.

This module imports what Python itself has loaded by then, and nothing else: it runs before the path can be trusted.
"""

import os
import sys

PACKAGE_PARENT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
"""The folder that holds this package."""

_LIBRARIES = (
    "msgspec", "tree_sitter", "tree_sitter_language_pack", "numpy", "rapidfuzz", "zstandard", "filelock", "platformdirs", "click",
)  # fmt: skip
"""What processes of ours import: where one of these lies is named to them."""

_START = """
import sys
module, package_parent, n_folders = sys.argv[1:4]
folders, sys.argv[1:] = sys.argv[4 : 4 + int(n_folders)], sys.argv[4 + int(n_folders) :]
installed = [at for at, folder in enumerate(sys.path) if folder.endswith("-packages")]
sys.path.insert(installed[0] if installed else len(sys.path), package_parent)
sys.path.extend(folder for folder in folders if folder not in sys.path)
__import__(module, fromlist=["main"]).main()
"""
"""What a process runs: its own library first, then this package, then what is installed."""


def leave_out_current_folder() -> None:
    """Takes the current folder, and whatever else of Python's path depends on it, out of that path. For a process of its own."""
    library = os.path.dirname(os.__file__)
    at = sys.path.index(library) if library in sys.path else 0
    left_out = _relative_folders()
    sys.path[:at] = [folder for folder in sys.path[:at] if folder not in left_out]
    if PACKAGE_PARENT not in sys.path:  # where this package itself lies in the current folder
        sys.path.append(PACKAGE_PARENT)


def python_command(module: str, arguments: list[str] | None = None) -> list[str]:
    """The command that runs a module's `main` in an isolated process. arguments: its `sys.argv[1:]`."""
    flags = ["-I", "-B"] if sys.dont_write_bytecode else ["-I"]
    folders = _library_folders()
    start = [module, PACKAGE_PARENT, str(len(folders)), *folders]
    return [sys.executable, *flags, "-c", _START, *start, *(arguments or [])]


def _library_folders() -> list[str]:
    """The folders of this process's path that hold libraries of ours, without those that depend on the current one."""
    left_out = _relative_folders()
    return [
        folder
        for folder in sys.path
        if os.path.isabs(folder)
        and folder not in left_out
        and any(os.path.isdir(os.path.join(folder, library)) for library in _LIBRARIES)
    ]


def _relative_folders() -> set[str]:
    """The current folder, and those that PYTHONPATH names relative to it: an empty part of it is the current folder, too."""
    try:
        here = os.getcwd()
    except OSError:  # it was deleted
        return set()
    named = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    return {"", here, *(os.path.abspath(folder) for folder in named if not os.path.isabs(folder))}
