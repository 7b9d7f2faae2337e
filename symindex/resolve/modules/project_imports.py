"""Imports that the settings of projects give to all of their files, as `<Using Include="Shop"/>`
does in the files of MSBuild."""

import re
from typing import Final

from symindex.errors import RequestError
from symindex.extract.file_bindings import ALL, Import
from symindex.extract.languages.schema import BindingRules
from symindex.resolve.tree import Tree, read_bytes

MOST_PROJECTS: Final = 500
"""Most files with settings of projects that are read for a request."""

_MOST_BYTES: Final = 100_000


class ProjectImports:
    """The imports that settings of projects give, each file read once."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._known: dict[str, list[tuple[str, Import]]] = {}

    def around(self, path: str, rules: BindingRules) -> list[Import]:
        """Returns the imports that settings in a folder around a file give to it."""
        if not rules.project_files:
            return []
        if rules.project_files not in self._known:
            self._known[rules.project_files] = self._read(rules)
        return [one for folder, one in self._known[rules.project_files] if path.startswith(folder)]

    def _read(self, rules: BindingRules) -> list[tuple[str, Import]]:
        """Returns the imports of all settings, each with the folder in which it counts."""
        is_project = re.compile(rules.project_files)
        paths = [
            part.prefix + path
            for part in self._tree.snapshot.parts
            for number, path in enumerate(part.index.paths.all)
            if is_project.search(path) and part.counts(number)
        ]
        found: list[tuple[str, Import]] = []
        for path in paths[:MOST_PROJECTS]:
            try:
                text = read_bytes(self._tree, path, _MOST_BYTES).decode("utf-8", "replace")
            except RequestError:
                continue
            modules = dict.fromkeys(re.findall(rules.project_imports, text))
            folder = path[: path.rfind("/") + 1]
            found += [(folder, Import(ALL, module, ALL)) for module in modules]
        return found
