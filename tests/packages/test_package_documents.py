"""The documents of a package that are read."""

from pathlib import Path

import pytest

from symindex.packages.found.package import Package
from symindex.packages.found.package_documents import DocumentEndings, is_left_out

FORMATS = DocumentEndings(frozenset({".md", ".rst", ".txt", ".html"}), frozenset({".json", ".yml"}))

CASES = {
    "README.md": True, "CHANGELOG.rst": True, "design.md": True, "README.txt": True, "docs/deep/usage.md": True, "a.py": True,
    ".ai/tools/x.json": True, "LICENSE.md": False, "requirements.txt": False, "docs/api/index.html": False, "package.json": False,
    "lib/notes.md": False, "docs/data.txt": False, "ci.yml": False, "docs/CHANGES.txt": True,
}  # fmt: skip


@pytest.mark.parametrize("path", CASES)
def test_guides_are_read(path: str) -> None:
    package = Package("npm", "kit", "1", Path("/nowhere"))
    assert is_left_out(path, package, FORMATS) is not CASES[path]
    shared = package._replace(files=("kit",))
    assert is_left_out(f"kit/{path}", shared, FORMATS) is not CASES[path]
