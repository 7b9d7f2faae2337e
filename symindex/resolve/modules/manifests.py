"""What the manifests of a tree say about names of modules: the packages of a workspace, and the
patterns of paths that a compiler's settings give."""

import json
import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final, NamedTuple

from symindex.errors import RequestError
from symindex.resolve.tree import Tree, read_bytes

MOST_MANIFESTS: Final = 500
"""Most manifests that are read for a request."""

_MOST_BYTES: Final = 100_000
_PACKAGE: Final = "package.json"
_SETTINGS: Final = re.compile(r"[tj]sconfig(?:\.\w{1,20})?\.json")
_PATHS: Final = re.compile(r'"paths"\s*:\s*\{([^{}]*)\}')
_PATTERN: Final = re.compile(r'"([^"\n]{1,200})"\s*:\s*\[\s*"([^"\n]{1,200})"')
_BASE: Final = re.compile(r'"baseUrl"\s*:\s*"([^"\n]{0,200})"')
_ENTRIES: Final = ("source", "types", "module", "main")
_INSIDE: Final = ("src", "lib", "")
_BUILT: Final = re.compile(r"\A(?:\./)?(?:dist|build|out|lib)/(?:(?:esm|cjs|types|src)/)?")


class Settings(NamedTuple):
    """A compiler's settings for paths. folder: what they are relative to. patterns: names of
    modules, in which `*` stands for any text, and the paths that they mean. has_base: whether other
    names are paths in the folder."""

    folder: str
    patterns: tuple[tuple[str, str], ...]
    has_base: bool


class Manifests:
    """The manifests among the files of a tree. paths: all of its files."""

    def __init__(self, tree: Tree, paths: Sequence[str]) -> None:
        self._tree = tree
        named = [path for path in paths if path.endswith(".json")]
        self._packages: list[str] = [path for path in named if _base(path) == _PACKAGE]
        self._settings: list[str] = [path for path in named if _SETTINGS.fullmatch(_base(path))]

    def _read(self, path: str) -> str:
        try:
            return read_bytes(self._tree, path, _MOST_BYTES).decode("utf-8", "replace")
        except RequestError:
            return ""

    @cached_property
    def packages(self) -> dict[str, tuple[str, list[str]]]:
        """The packages by name: the folder of each, and the paths inside that may be its module,
        likeliest first."""
        packages: dict[str, tuple[str, list[str]]] = {}
        for path in self._packages[:MOST_MANIFESTS]:
            try:
                facts = json.loads(self._read(path))
            except (ValueError, RecursionError):
                continue
            name = facts.get("name") if isinstance(facts, dict) else None
            if isinstance(name, str) and name:
                told = [entry for key in _ENTRIES if isinstance(entry := facts.get(key), str)]
                sources = [_BUILT.sub("src/", entry) for entry in told]
                packages.setdefault(name, (_folder(path), [*told, *sources, *_INSIDE]))
        return packages

    def of_package(self, module: str) -> Iterator[str]:
        """Yields the paths without endings that a name of a package's module may mean, likeliest
        first."""
        names = module.split("/")
        for count in range(len(names), 0, -1):
            known = self.packages.get("/".join(names[:count]))
            if known is not None:
                folder, entries = known
                rest = "/".join(names[count:])
                inner = [f"{one}/{rest}" for one in _INSIDE] if rest else entries
                yield from (_joined(folder, one) for one in inner)

    @cached_property
    def _entries(self) -> dict[str, list[str]]:
        """The paths inside of the folder of a package that may be its module, by the folder."""
        return dict(self.packages.values())

    def of_folder(self, folder: str) -> Iterator[str]:
        """Yields the paths without endings that the folder of a package may mean."""
        yield from (_joined(folder, one) for one in self._entries.get(folder, ()))

    @cached_property
    def settings(self) -> list[Settings]:
        """The settings for paths, those of the deepest folders first."""
        found = []
        for path in self._settings[:MOST_MANIFESTS]:
            text = self._read(path)
            base, paths = _BASE.search(text), _PATHS.search(text)
            patterns = tuple(_PATTERN.findall(paths[1])) if paths is not None else ()
            if base is not None or patterns:
                folder = _joined(_folder(path), base[1] if base is not None else "")
                found.append(Settings(folder, patterns, base is not None))
        return sorted(found, key=lambda one: (-one.folder.count("/"), one))

    def of_settings(self, module: str, importer: str) -> Iterator[str]:
        """Yields the paths that the settings around a file give to a name of a module."""
        for folder, patterns, has_base in self.settings:
            if folder and not importer.startswith(f"{folder}/"):
                continue
            for pattern, target in patterns:
                before, star, after = pattern.partition("*")
                is_whole = module == pattern and not star
                if is_whole or (star and module.startswith(before) and module.endswith(after)):
                    inner = module[len(before) : len(module) - len(after)]
                    yield _joined(folder, target.replace("*", inner))
            if has_base:
                yield _joined(folder, module)


def _base(path: str) -> str:
    return path.rpartition("/")[2]


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _joined(folder: str, path: str) -> str:
    """Returns a path in a folder; one that leads out of the tree stays inside."""
    names = folder.split("/") if folder else []
    for name in path.split("/"):
        if name == "..":
            names = names[:-1]
        elif name not in ("", "."):
            names.append(name)
    return "/".join(names)
