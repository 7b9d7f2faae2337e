"""Writes trees of files."""

from collections.abc import Callable, Mapping
from pathlib import Path

from symindex.workspace.workspace import Workspace

Files = Mapping[str, str | bytes]

Maker = Callable[[Files], Workspace]
"""The type of the fixture `make_workspace`."""


def write_files(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """Writes files (text or bytes) below `root`. Drops a leading line break of a text."""
    for path, content in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(
            content if isinstance(content, bytes) else content.removeprefix("\n").encode()
        )
    return root
